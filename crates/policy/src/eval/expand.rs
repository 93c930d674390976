//! Words to values: tilde, parameters, substitutions, splitting, globs.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::{Part, RawKind, Script, Word};

use super::state::Sink;
use super::{BYTES_PER_WORD, Eval, Labels, Piece, Stream, Value, Var, braces};

/// Text that a word may hold without a cost of its own; copying more of it again and again adds up.
const FREE_TEXT: usize = 256;

/// Collects the fields of a word.
#[derive(Default)]
pub(super) struct Fields {
    done: Vec<Value>,
    current: Option<Value>,
}

impl Fields {
    pub(super) fn current(&mut self) -> &mut Value {
        self.current.get_or_insert_default()
    }

    pub(super) fn end_field(&mut self) {
        if let Some(value) = self.current.take() {
            self.done.push(value);
        }
    }

    fn finish(mut self) -> Vec<Value> {
        self.end_field();
        self.done
    }
}

impl Eval<'_> {
    /// The fields that a word becomes as an argument.
    pub(super) fn fields(&mut self, word: &Word) -> Vec<Value> {
        let mut all = Vec::new();
        self.fields_of(word, &mut all);
        all
    }

    /// Adds the fields that a word becomes as an argument.
    fn fields_of(&mut self, word: &Word, all: &mut Vec<Value>) {
        match word.parts.as_slice() {
            [Part::Words(raw)] => return all.extend(self.many_fields(raw)),
            // Most words are nothing but themselves.
            [Part::Lit(text)] if is_inert(text) => return all.push(Value::text(text.as_str()).at(word.span)),
            _ => {}
        }
        if !braces::has_brace(word) {
            return self.fields_into(&word.parts, word.span, all);
        }
        let Some(words) = braces::expand(word) else {
            self.spend_bytes(braces::MAX_WORDS * BYTES_PER_WORD);
            self.give_up("too many words from braces", word.span);
            return all.push(Value::unknown(Labels::RUNTIME).at(word.span));
        };
        self.spend_bytes(words.len() * 2 * BYTES_PER_WORD);
        for word in words {
            self.fields_into(&word.parts, word.span, all);
        }
    }

    /// The fields of parts without active braces, and what a pattern among them may bring along.
    fn fields_into(&mut self, parts: &[Part], span: shell::Span, all: &mut Vec<Value>) {
        let mut fields = Fields::default();
        self.parts(parts, &mut fields, Mode::Split);
        for value in fields.finish() {
            let value = value.at(span);
            let options = if value.has_glob() {
                self.dashed(&value)
            } else {
                Vec::new()
            };
            all.push(value);
            all.extend(options);
        }
    }

    /// The fields of all of these, and whether some were left out because there are very many.
    pub(super) fn all_fields(&mut self, words: &[Word]) -> (Vec<Value>, bool) {
        let outer = core::mem::take(&mut self.dropped);
        let mut fields = Vec::with_capacity(words.len());
        words.iter().for_each(|word| self.fields_of(word, &mut fields));
        (fields, core::mem::replace(&mut self.dropped, outer))
    }

    /// A word that stays one field: the right side of an assignment, a redirection target, a case subject.
    pub(super) fn word(&mut self, word: &Word) -> Value {
        let mut fields = Fields::default();
        fields.current();
        self.parts(&word.parts, &mut fields, Mode::Whole);
        fields.current.unwrap_or_default().at(word.span)
    }

    /// Parts as inside double quotes.
    pub(super) fn double(&mut self, parts: &[Part], word: &Word) -> Value {
        let mut fields = Fields::default();
        fields.current();
        self.parts(parts, &mut fields, Mode::Quoted);
        fields.current.unwrap_or_default().at(word.span)
    }

    pub(super) fn parts(&mut self, parts: &[Part], out: &mut Fields, mode: Mode) {
        self.deeper(shell::Span::default(), (), |eval| eval.parts_here(parts, out, mode));
    }

    fn parts_here(&mut self, parts: &[Part], out: &mut Fields, mode: Mode) {
        for (i, part) in parts.iter().enumerate() {
            if let Part::Lit(text) | Part::Quoted(text) = part
                && text.len() > FREE_TEXT
            {
                self.spend_bytes(text.len());
            }
            match part {
                Part::Lit(text) if mode == Mode::Quoted => out.current().push_text(text),
                Part::Lit(text) => self.literal(text, i == 0, out),
                Part::Quoted(text) => out.current().push_text(text),
                Part::Double(inner) => self.quoted(inner, out),
                Part::Param(param) => self.param(param, out, mode),
                Part::Command(script) => {
                    let stream = self.substitution(script);
                    self.insert(&stream_value(stream), out, mode);
                }
                Part::Arith(expression) => match self.arith(expression) {
                    Some(n) => out.current().push_text(&n.to_string()),
                    None => out.current().push_unknown(Labels::RUNTIME),
                },
                Part::Words(raw) => self.many_parts(raw, out, mode),
                Part::Process { output, script } => self.process(*output, script, out),
                Part::Array(words) => {
                    let values: Vec<Value> = words.iter().flat_map(|w| self.fields(w)).collect();
                    for (i, value) in values.iter().enumerate() {
                        if i > 0 {
                            out.current().push_text(" ");
                        }
                        out.current().append(value);
                    }
                }
            }
        }
    }

    /// The rest of very many parts in quotes.
    fn many_parts(&mut self, raw: &shell::Raw, out: &mut Fields, mode: Mode) {
        let quoted = matches!(raw.kind, RawKind::Double | RawKind::Document);
        if !quoted || !self.reads_again(raw) {
            return out.current().push_unknown(Labels::RUNTIME);
        }
        for part in raw.parts() {
            if self.is_spent(raw.span) {
                return;
            }
            self.parts_here(&[part], out, mode);
        }
    }

    /// `".."`: always a field, but for `"$@"` without arguments when nothing else is in it.
    fn quoted(&mut self, inner: &[Part], out: &mut Fields) {
        let only_list = matches!(inner, [Part::Param(p)] if p.name == "@" || p.index.as_ref().is_some_and(|i| i.literal().as_deref() == Some("@")));
        if !only_list {
            out.current();
        }
        self.parts(inner, out, Mode::Quoted);
    }

    /// Unquoted text of the source: tilde and globs are active.
    fn literal(&mut self, text: &str, first: bool, out: &mut Fields) {
        let rest = if first && out.current.as_ref().is_none_or(|v| v.pieces.is_empty()) {
            self.tilde(text, out)
        } else {
            text
        };
        // `of=~/x` is expanded like an assignment.
        if let Some((head, tail)) = rest.split_once("=~").filter(|_| first)
            && head.chars().all(|c| c == '_' || c.is_ascii_alphanumeric() || c == '-')
            && (tail.is_empty() || tail.starts_with('/'))
        {
            out.current().push_text(&format!("{head}="));
            let tail = self.tilde(&format!("~{tail}"), out).to_string();
            return globbed(&tail, out.current());
        }
        globbed(rest, out.current());
    }

    /// Expands a leading `~` and gives back what follows it.
    fn tilde<'t>(&self, text: &'t str, out: &mut Fields) -> &'t str {
        let Some(after) = text.strip_prefix('~') else {
            return text;
        };
        let end = after.find('/').unwrap_or(after.len());
        let (name, rest) = after.split_at_checked(end).unwrap_or((after, ""));
        let home = match name {
            "" => self
                .variable_text("HOME")
                .unwrap_or_else(|| self.world.home().to_string()),
            "+" => match &self.state.cwd {
                Some(cwd) => cwd.clone(),
                None => return text,
            },
            "root" => "/root".to_string(),
            name if name == self.world.user() => self.world.home().to_string(),
            name if name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)) && !name.starts_with('-') => {
                format!("/home/{name}")
            }
            _ => return text,
        };
        out.current().push_text(&home);
        rest
    }

    /// The text of a variable that was set in the text and is known.
    pub(super) fn variable_text(&self, name: &str) -> Option<String> {
        match self.state.vars.get(name) {
            Some(Var::Scalar(v)) => v.known().map(ToString::to_string),
            _ => None,
        }
    }

    /// What `$(..)` gives: output without its last newlines.
    pub(super) fn substitution(&mut self, script: &Script) -> Stream {
        if self.nest >= super::MAX_NEST {
            self.give_up("too many substitutions in one another", shell::Span::default());
            return Stream::unknown(Labels::RUNTIME);
        }
        self.nest += 1;
        let mut stream = match sole_read(script) {
            Some(word) => {
                let value = self.word(word);
                self.read_file(&value, "")
            }
            None => self.subshell(|eval| eval.script(script, Stream::unknown(Labels::NONE))),
        };
        self.nest -= 1;
        if let Some(text) = &mut stream.text {
            let kept = text.trim_end_matches('\n').len();
            text.truncate(kept);
        }
        stream
    }

    /// `<(..)` names a pipe; remembering what flows there lets `bash <(..)` be followed.
    fn process(&mut self, output: bool, script: &Script, out: &mut Fields) {
        let stdin = if output {
            Stream::unknown(Labels::NONE)
        } else {
            Stream::empty()
        };
        let stream = self.subshell(|eval| eval.script(script, stdin));
        let count = self.state.written.len() + self.state.sinks.len();
        let name = format!("/dev/fd/{}", 63 + count);
        let labels = stream.labels;
        if output {
            self.state
                .sinks
                .insert(name.clone(), Sink(alloc::rc::Rc::new(script.clone())));
        } else {
            self.state.written.insert(name.as_str(), stream);
        }
        let value = out.current();
        value.push_text(&name);
        value.labels = value.labels.with(labels);
    }

    /// Puts an expanded value into the word; outside quotes it is split and its globs are active.
    pub(super) fn insert(&mut self, value: &Value, out: &mut Fields, mode: Mode) {
        // Splitting makes a field of every word in it.
        let times = if mode == Mode::Split { 4 } else { 1 };
        self.spend_bytes(value.weight() * times + BYTES_PER_WORD);
        if mode != Mode::Split {
            if mode == Mode::Quoted || !value.pieces.is_empty() {
                out.current().append(value);
            }
            return;
        }
        let ifs = self.ifs();
        for piece in &value.pieces {
            match piece {
                Piece::Text(text) => split(text, ifs, value.labels, out),
                Piece::Glob(g) => out.current().pieces.push(Piece::Glob(g.clone())),
                Piece::Unknown => out.current().push_unknown(value.labels),
                Piece::File(_) => out.current().append(&Value {
                    pieces: piece.clone().into(),
                    ..value.clone()
                }),
            }
        }
    }

    pub(super) fn ifs(&self) -> &str {
        match self.state.vars.get("IFS") {
            Some(Var::Scalar(v)) => v.known().unwrap_or(" \t\n"),
            _ => " \t\n",
        }
    }
}

/// Whether nothing in unquoted text means anything to the shell.
fn is_inert(text: &str) -> bool {
    text.bytes().all(|b| !matches!(b, b'~' | b'*' | b'?' | b'[' | b'{'))
}

/// How an expansion is put into its word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// Unquoted argument.
    Split,
    /// Unquoted, but not split (assignment, redirection).
    Whole,
    /// Inside double quotes.
    Quoted,
}

pub(super) fn stream_value(stream: Stream) -> Value {
    match stream.text {
        Some(text) => Value::text(text).labelled(stream.labels),
        None => Value {
            pieces: stream.file.map_or(Piece::Unknown, Piece::File).into(),
            labels: stream.labels,
            ..Value::default()
        },
    }
}

fn split(text: &str, ifs: &str, labels: Labels, out: &mut Fields) {
    let mut rest = text;
    loop {
        let end = rest.find(|c| ifs.contains(c)).unwrap_or(rest.len());
        let (head, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
        if !head.is_empty() {
            globbed(head, out.current());
            let value = out.current();
            value.labels = value.labels.with(labels);
        }
        let Some(c) = tail.chars().next() else { return };
        out.end_field();
        rest = tail.get(c.len_utf8()..).unwrap_or_default();
    }
}

/// Appends text whose glob characters are active.
fn globbed(text: &str, value: &mut Value) {
    let mut rest = text;
    while let Some(at) = rest.find(['*', '?', '[']) {
        let (head, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
        value.push_text(head);
        let end = if tail.starts_with('[') {
            tail.find(']').map_or(0, |e| e + 1)
        } else {
            1
        };
        let (glob, after) = tail.split_at_checked(end).unwrap_or((tail, ""));
        // A bracket without its end is an ordinary character, and so is `[]`.
        if glob.len() < 3 && tail.starts_with('[') {
            value.push_text("[");
            rest = tail.get(1..).unwrap_or_default();
            continue;
        }
        value.pieces.push(Piece::Glob(glob.to_string()));
        rest = after;
    }
    value.push_text(rest);
}

/// `$(<file)`
fn sole_read(script: &Script) -> Option<&Word> {
    let [item] = script.items.as_slice() else { return None };
    let [stage] = item.chain.first.stages.as_slice() else {
        return None;
    };
    let [redirect] = stage.redirects.as_slice() else {
        return None;
    };
    match &stage.form {
        shell::Form::Simple { assigns, words }
            if assigns.is_empty() && words.is_empty() && redirect.op == shell::RedirectOp::Read =>
        {
            Some(&redirect.target)
        }
        _ => None,
    }
}
