//! Programs that put other words into the command that they start: xargs, parallel, find.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::Span;

use super::effects::Mark;
use super::invoke::join;
use super::roles::Context;
use super::{Eval, Labels, Stream, UNKNOWN, Value};
use crate::effect::Tags;
use crate::facts::{Parsed, Role};
use crate::{Target, places};

/// Options of a search that say what the name of what is found is like.
const BY_NAME: [&str; 5] = ["-name", "-iname", "-path", "-ipath", "-wholename"];
/// Places that a search begins at, and names, that are held against the table of paths.
const MAX_STARTS: usize = 4;

impl Eval<'_> {
    /// What flows in becomes arguments.
    pub(super) fn xargs(&mut self, words: &[Value], context: &Context, parsed: &Parsed, span: Span) -> Stream {
        let (lines, nul) = (parsed.option("-I").is_some(), parsed.option("-0").is_some());
        let parts = |c: char| match (nul, lines) {
            // What find lists is held as lines.
            (true, _) => c == '\0' || (c == '\n' && context.stdin.labels.has(Labels::FOUND)),
            (_, true) => c == '\n',
            _ => c.is_whitespace() || c == '\0',
        };
        // `-a FILE` takes the place of what flows in.
        let list = parsed.option("-a").and_then(|(_, file)| file.as_ref());
        let list = list.map(|file| self.read_file(file, context.program));
        let stdin = list.as_ref().unwrap_or(&context.stdin);
        let fed: Vec<Value> = match &stdin.text {
            Some(text) if list.is_some() || context.piped => text
                .split(parts)
                .filter(|t| !t.is_empty())
                .take(64)
                .map(|t| Value::text(t).labelled(stdin.labels).at(span))
                .collect(),
            _ => {
                let fed = Stream {
                    text: None,
                    ..stdin.clone()
                };
                alloc::vec![super::expand::stream_value(fed).labelled(Labels::INPUT).at(span)]
            }
        };
        let marker = parsed
            .options
            .iter()
            .find(|(o, _)| o.named("-I"))
            .and_then(|(_, v)| v.as_ref())
            .and_then(|v| v.known())
            .unwrap_or("{}")
            .to_string();
        let marks = self.marks.len();
        // A pattern stands for names that nobody has seen.
        let unseen = |value: &Value| value.has_unknown() || value.pattern().contains(['*', '?']);
        if fed.iter().any(unseen) || stdin.labels.has(Labels::FOUND) {
            self.marks.push(Mark::all("fed"));
        }
        let out = if parsed.option("-I").is_some() {
            let mut last = Stream::empty();
            for one in fed.iter().take(16) {
                let argv: Vec<Value> = words.iter().map(|w| substitute(w, &marker, one)).collect();
                last = self.invoke(&argv, Stream::empty(), false, span);
            }
            last
        } else {
            let argv: Vec<Value> = words.iter().cloned().chain(fed.iter().cloned()).collect();
            self.invoke(&argv, Stream::empty(), false, span)
        };
        self.marks.truncate(marks);
        out
    }

    /// `find x -exec cmd {} +`, `fd pattern x -x cmd`: what is found stands at the `{}`; fd puts it last where there is none.
    pub(super) fn for_each_found(&mut self, words: &[Value], role: Role, parsed: &Parsed, span: Span) -> Stream {
        let last = role.tags.contains(&"found-last");
        let found = if last { found_below(parsed) } else { found_by(parsed) };
        let mut argv: Vec<Value> = words.iter().map(|w| substitute(w, "{}", &found)).collect();
        if last && !words.iter().any(|w| w.pattern().contains('{')) {
            argv.push(found);
        }
        let marks = self.marks.len();
        self.marks.push(Mark::all("searched"));
        if !last && !parsed.tag("filter") {
            self.marks.push(Mark {
                unless: "find-delete",
                ..Mark::all("unfiltered")
            });
        }
        let out = self.invoke(&argv, Stream::empty(), false, span);
        self.marks.truncate(marks);
        // Where what is looked for is special by its name, it is found.
        for special in self.special_finds(parsed) {
            let argv: Vec<Value> = words.iter().map(|w| substitute(w, "{}", &special)).collect();
            self.subshell(|eval| eval.invoke(&argv, Stream::empty(), false, span));
        }
        out
    }

    /// What a search for a name can find that is more than a file where it begins: `find ~ -name .bashrc`.
    fn special_finds(&self, parsed: &Parsed) -> Vec<Value> {
        let negated = |at: usize| {
            let before = at.checked_sub(1).and_then(|at| parsed.options.get(at));
            before.is_some_and(|(o, _)| o.role.tags.contains(&"negation"))
        };
        let named = parsed.options.iter().enumerate();
        let named = named.filter(|(at, (o, _))| BY_NAME.iter().any(|name| o.named(name)) && !negated(*at));
        let names = named.filter_map(|(_, (_, value))| value.as_deref()?.known());
        // Of a pattern at least its beginning has to say something.
        let names = names.map(|name| {
            name.rsplit_once("*/")
                .map_or(name, |(_, tail)| tail)
                .trim_start_matches('/')
        });
        let names: Vec<&str> = names
            .filter(|name| name.find(['*', '?', '[', '\\']).unwrap_or(2) >= 2)
            .collect();
        let here = Value::text(".");
        let starts = parsed.operands.iter().map(|(value, _)| *value);
        let starts: Vec<&Value> = if parsed.operands.is_empty() {
            alloc::vec![&here]
        } else {
            starts.take(MAX_STARTS).collect()
        };
        let mut found = Vec::new();
        for start in starts {
            // Below the root and a folder of homes somebody's own folder comes first.
            let home = self.world.home();
            let above = |path: &str| path != home && places::within(home, path);
            let homes = matches!(self.resolve(start), Target::Path(path) if above(&path));
            for name in names.iter().take(MAX_STARTS) {
                let name = if homes {
                    alloc::format!("{UNKNOWN}/{name}")
                } else {
                    name.to_string()
                };
                let path = start.joined(&name);
                let plain = self.labels_at(&start.joined("x"));
                // No file has these labels that lies beside it.
                if self.labels_at(&path).iter().any(|label| !plain.has(label)) {
                    found.push(path.labelled(Labels::FOUND));
                }
            }
        }
        found
    }

    fn labels_at(&self, value: &Value) -> Tags {
        let mut tags = Tags::default();
        if let Target::Path(path) = self.resolve(value) {
            self.label(&path, &mut tags);
        }
        tags
    }

    /// What a find prints: something below each of the places that it starts from, and what its names tell.
    pub(super) fn found_lines(&self, parsed: &Parsed) -> Option<String> {
        let mut lines = found_lines(parsed)?;
        for special in self.special_finds(parsed) {
            if let Some(text) = special.known() {
                lines.push('\n');
                lines.push_str(text);
            }
        }
        Some(lines)
    }

    /// `parallel cmd {} ::: a b`
    pub(super) fn parallel(&mut self, words: &[Value], context: &Context, span: Span) -> Stream {
        let cut = words
            .iter()
            .position(|w| matches!(w.known(), Some(":::" | ":::+" | "::::")));
        let (command, inputs) = words
            .split_at_checked(cut.unwrap_or(words.len()))
            .unwrap_or((words, &[]));
        let mut inputs: Vec<Value> = inputs.iter().skip(1).cloned().collect();
        let from_file = cut.and_then(|at| words.get(at)).and_then(Value::known) == Some("::::");
        if from_file {
            inputs = alloc::vec![Value::unknown(Labels::FILE.with(Labels::INPUT)).at(span)];
        } else if cut.is_none() {
            inputs = match &context.stdin.text {
                Some(text) if context.piped => text.lines().take(64).map(|t| Value::text(t).at(span)).collect(),
                _ => alloc::vec![Value::unknown(context.stdin.labels.with(Labels::INPUT)).at(span)],
            };
        }
        let marks = self.marks.len();
        self.marks.push(Mark::all("fed"));
        let mut out = Stream::empty();
        for input in inputs.iter().take(16) {
            let marked = command.iter().any(|w| w.pattern().contains("{}"));
            let mut line: Vec<Value> = command.iter().map(|w| substitute(w, "{}", input)).collect();
            if !marked {
                line.push(input.clone());
            }
            let joined = join(&line).at(span);
            out = if line.len() > 1 || joined.has_unknown() {
                self.invoke(&line, Stream::empty(), false, span)
            } else {
                self.code_value("sh", &joined, "parallel", Stream::empty(), &[])
            };
        }
        self.marks.truncate(marks);
        out
    }
}

/// What a find prints: something below each of the places that it starts from.
fn found_lines(parsed: &Parsed) -> Option<String> {
    let starts: Vec<&Value> = parsed.operands.iter().map(|(v, _)| *v).collect();
    let known: Option<Vec<String>> = starts.iter().map(|v| v.written().map(Cow::into_owned)).collect();
    let mut known = known?;
    if known.is_empty() {
        known.push(".".to_string());
    }
    let lines = known
        .iter()
        .map(|start| alloc::format!("{}/*", start.trim_end_matches('/')));
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// What `{}` stands for in a find: anything below the places it starts from.
pub(super) fn found_by(parsed: &Parsed) -> Value {
    let mut start = parsed
        .operands
        .first()
        .map_or_else(|| Value::text("."), |(v, _)| (*v).clone());
    // Without a filter the place that it starts from is found too.
    if !parsed.tag("filter") {
        return start;
    }
    if !start.prefix().ends_with('/') || start.pieces.len() > 1 {
        start.push_text("/");
    }
    start.pieces.push(super::Piece::Glob("*".into()));
    start.labelled(Labels::FOUND)
}

/// What fd finds: something below its second operand, and all of it when the pattern takes everything.
fn found_below(parsed: &Parsed) -> Value {
    let mut start = parsed
        .operands
        .get(1)
        .map_or_else(|| Value::text("."), |(v, _)| (*v).clone());
    let pattern = parsed.operands.first().and_then(|(v, _)| v.known());
    if parsed.tag("filter") || !matches!(pattern, None | Some("" | "." | ".*" | "^")) {
        start.push_text("/");
        start.pieces.push(super::Piece::Glob("*".into()));
        return start.labelled(Labels::FOUND);
    }
    start
}

/// `marker` replaced by `with` in the known text of a word.
pub(super) fn substitute(word: &Value, marker: &str, with: &Value) -> Value {
    let Some(text) = word.written().filter(|t| t.contains(marker)) else {
        return word.clone();
    };
    let mut out = Value {
        labels: word.labels,
        span: word.span,
        ..Value::default()
    };
    for (i, part) in text.split(marker).enumerate() {
        if i > 0 {
            out.append(with);
        }
        out.push_text(part);
    }
    out
}
