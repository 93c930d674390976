//! The words of a call, sorted into options and operands by the program's facts.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

use super::{Cond, Opt, Program, Role, RoleKind, Slot, Style, Test, names};
use crate::eval::Value;
use crate::glob;

/// A call, sorted.
#[derive(Debug, Default)]
pub(crate) struct Parsed<'w> {
    /// Options in order, with their values.
    pub(crate) options: Vec<(&'static Opt, Option<Cow<'w, Value>>)>,
    /// Operands with the role of their place.
    pub(crate) operands: Vec<(&'w Value, Role)>,
    /// Commands that the call starts: the words, and the role they came from.
    pub(crate) commands: Vec<(Cow<'w, [Value]>, Role)>,
    pub(crate) dash_dash: bool,
    pub(crate) piped: bool,
    /// The programs from the outermost to the subcommand in force.
    pub(crate) path: Vec<&'static Program>,
}

/// Sorts the words after the program's name.
pub(crate) fn parse<'w>(program: &'static Program, words: &'w [Value], piped: bool) -> Parsed<'w> {
    let mut parser = Parser {
        out: Parsed {
            piped,
            path: alloc::vec![program],
            ..Parsed::default()
        },
        words,
        at: 0,
        ended: false,
        plain: Vec::new(),
    };
    parser.run();
    parser.place_operands();
    parser.out
}

struct Parser<'w> {
    out: Parsed<'w>,
    words: &'w [Value],
    at: usize,
    /// No options come any more.
    ended: bool,
    /// Operands whose place is not decided yet: alternates depend on options that may come later.
    plain: Vec<&'w Value>,
}

impl<'w> Parser<'w> {
    fn program(&self) -> Option<&'static Program> {
        self.out.path.last().copied()
    }

    fn style(&self) -> Style {
        self.program().map_or(Style::Gnu, |p| p.style)
    }

    fn next(&mut self) -> Option<&'w Value> {
        let word = self.words.get(self.at);
        self.at += 1;
        word
    }

    fn run(&mut self) {
        let mut first = true;
        while let Some(word) = self.next() {
            let text = word.prefix();
            let bundle = first && self.style() == Style::Bundle && word.known().is_some();
            first = false;
            if self.takes_rest(word) {
                return;
            }
            if self.ended || self.out.dash_dash || self.style() == Style::Plain {
                self.operand(word);
            } else if text == "--" && word.known().is_some() {
                self.out.dash_dash = true;
            } else if self.style() == Style::Pairs && self.pair(word) {
            } else if bundle && !text.starts_with('-') {
                self.cluster(word, 0);
            } else if text == "-" && self.find("-").is_some() {
            } else if let Some(not) = self.find(text).filter(|o| o.role.tags.contains(&"negation")) {
                self.out.options.push((not, None));
            } else if text.len() > 1 && text.starts_with('+') && self.has_plus_options() {
                self.plus(text);
            } else if text.starts_with("--") {
                self.long(word);
            } else if text.len() > 1 && text.starts_with('-') {
                self.dash(word);
            } else {
                self.operand(word);
            }
        }
    }

    /// When the next operand starts a command, everything from here on belongs to it.
    fn takes_rest(&mut self, word: &'w Value) -> bool {
        let Some(program) = self.program() else { return false };
        if !program.starts_commands() || self.subcommand(word).is_some() {
            return false;
        }
        let role = match slot(program, &self.out, self.plain.len()) {
            Some(role) if matches!(role.kind, RoleKind::Command | RoleKind::ScriptWords) => role,
            _ => return false,
        };
        let text = word.prefix();
        let option = text.starts_with('-') && (text.len() > 1 || self.find("-").is_some());
        if !self.out.dash_dash && (option || text.starts_with('+') && self.has_plus_options()) {
            return false;
        }
        // `env A=b cmd`, `sudo A=b cmd`: assignments before the command.
        if is_assignment(word) && program.options.iter().any(|o| o.role.kind == RoleKind::Env) {
            if let Some(opt) = program.options.iter().find(|o| o.role.kind == RoleKind::Env) {
                self.out.options.push((opt, Some(Cow::Borrowed(word))));
            }
            return false;
        }
        let rest = self.words.get(self.at - 1..).unwrap_or_default();
        self.out.commands.push((Cow::Borrowed(rest), role));
        true
    }

    fn operand(&mut self, word: &'w Value) {
        if is_assignment(word)
            && self
                .out
                .options
                .last()
                .is_some_and(|(o, v)| o.role.kind == RoleKind::Env && v.as_deref() == Some(word))
        {
            return;
        }
        if let Some(sub) = self.subcommand(word) {
            self.out.path.push(sub);
            return;
        }
        self.plain.push(word);
        self.ended |= self.style() == Style::Posix;
    }

    /// The first operand may name a part of the program.
    fn subcommand(&self, word: &Value) -> Option<&'static Program> {
        let name = word.known().filter(|_| self.plain.is_empty())?;
        self.program()?.subs.iter().find(|s| s.names.contains(&name))
    }

    /// `key=value` of a program such as dd.
    fn pair(&mut self, word: &'w Value) -> bool {
        let Some(at) = word.prefix().find('=') else {
            return false;
        };
        let key = word.prefix().get(..=at).unwrap_or_default();
        let Some(opt) = self.find(key) else { return false };
        self.out
            .options
            .push((opt, Some(Cow::Owned(word.without_prefix(at + 1)))));
        true
    }

    /// `bash +x`: options that are switched off.
    fn has_plus_options(&self) -> bool {
        let options = self.program().map_or(&[][..], |p| p.options);
        options.iter().any(|o| o.names.iter().any(|n| n.starts_with('+')))
    }

    fn plus(&mut self, text: &str) {
        if self.find(text).is_some_and(Opt::takes_value) {
            self.at += 1;
        }
    }

    fn long(&mut self, word: &'w Value) {
        let text = word.prefix();
        let (name, attached) = match text.find('=') {
            Some(at) => (
                text.get(..at).unwrap_or_default(),
                Some(Cow::Owned(word.without_prefix(at + 1))),
            ),
            None => (text, None),
        };
        let Some(opt) = self.find(name).or_else(|| self.find_abbreviated(name)) else {
            return match self.negated(name) {
                Some(opt) => self.take_back(opt),
                None => self.unknown_option(word, attached),
            };
        };
        let switch = !opt.takes_value() || opt.attached;
        if switch && attached.as_ref().and_then(|v| v.known()).is_some_and(is_no) {
            return self.take_back(opt);
        }
        let value = match attached {
            Some(first) if opt.role.kind == RoleKind::Command => {
                self.command_from(first.into_owned(), opt);
                None
            }
            Some(value) => Some(value),
            None if opt.takes_value() && !opt.attached => self.value_of(opt),
            None => None,
        };
        self.out.options.push((opt, value));
    }

    fn dash(&mut self, word: &'w Value) {
        let text = word.prefix();
        let (name, attached) = match text.find('=') {
            Some(at) => (
                text.get(..at).unwrap_or_default(),
                Some(Cow::Owned(word.without_prefix(at + 1))),
            ),
            None => (text, None),
        };
        // A whole word after one dash (`find -delete`, `docker -rm`), whatever the style, when the facts name it so.
        if name.len() > 2
            && let Some(opt) = self.find(name)
        {
            let value = attached.or_else(|| {
                (opt.takes_value() && !opt.attached)
                    .then(|| self.value_of(opt))
                    .flatten()
            });
            self.out.options.push((opt, value));
        } else {
            self.cluster(word, 1);
        }
    }

    /// `--no-dry-run` is `--dry-run` taken back, where the facts do not say otherwise.
    fn negated(&self, name: &str) -> Option<&'static Opt> {
        let plain = name.strip_prefix("--no-")?;
        self.find(&format!("--{plain}"))
    }

    /// The last word on an option counts: whatever was said before is as if it had not been.
    fn take_back(&mut self, opt: &'static Opt) {
        self.out.options.retain(|(given, _)| !core::ptr::eq(*given, opt));
    }

    /// Bundled short options; the first that takes a value takes the rest of the word, or the next word.
    fn cluster(&mut self, word: &'w Value, skip: usize) {
        let text = word.prefix();
        let mut known_any = false;
        for (at, c) in text.char_indices().skip(skip) {
            let Some(opt) = self.find_letter(c) else {
                continue;
            };
            known_any = true;
            if !opt.takes_value() {
                let last = opt.attached && at + c.len_utf8() == text.len();
                let value = if last { self.empty_word() } else { None };
                self.out.options.push((opt, value));
                continue;
            }
            let rest = word.without_prefix(at + c.len_utf8());
            let bundle = skip == 0;
            if rest.pieces.is_empty() || bundle {
                let value = if opt.attached {
                    self.empty_word()
                } else {
                    self.value_of(opt)
                };
                self.out.options.push((opt, value));
                if bundle {
                    continue;
                }
            } else {
                let rest = if rest.prefix().starts_with('=') && rest.pieces.len() == 1 {
                    rest.without_prefix(1)
                } else {
                    rest
                };
                self.out.options.push((opt, Some(Cow::Owned(rest))));
            }
            return;
        }
        if !known_any {
            self.unknown_option(word, None);
        }
    }

    /// An option the facts do not name: what is attached to it may still be a path or an address.
    fn unknown_option(&mut self, word: &'w Value, attached: Option<Cow<'w, Value>>) {
        const OTHER: Opt = Opt {
            names: &[],
            role: Role {
                kind: RoleKind::Value,
                arg: "",
                tags: &[],
            },
            attached: true,
        };
        static OTHER_REF: &Opt = &OTHER;
        let value = attached.unwrap_or(Cow::Borrowed(word));
        self.out.options.push((OTHER_REF, Some(value)));
    }

    /// `sed -i '' FILE`: where an option may have a value in the same word, an empty word of its own is nothing but that.
    fn empty_word(&mut self) -> Option<Cow<'w, Value>> {
        let word = self.words.get(self.at)?;
        let empty = word.known() == Some("");
        empty.then(|| self.next()).flatten().map(Cow::Borrowed)
    }

    /// `--command=PROGRAM ARG`: the command begins with what is attached.
    fn command_from(&mut self, first: Value, opt: &'static Opt) {
        let rest = self.words.get(self.at..).unwrap_or_default();
        self.at = self.words.len();
        let words: Vec<Value> = core::iter::once(first).chain(rest.iter().cloned()).collect();
        self.out.commands.push((Cow::Owned(words), opt.role));
    }

    fn value_of(&mut self, opt: &'static Opt) -> Option<Cow<'w, Value>> {
        if self.takes_command(opt) {
            let rest = self.words.get(self.at..).unwrap_or_default();
            self.at = self.words.len();
            self.out.commands.push((Cow::Borrowed(rest), opt.role));
            return None;
        }
        if opt.role.kind == RoleKind::Command {
            let rest = self.words.get(self.at..).unwrap_or_default();
            self.at = self.words.len();
            self.out.commands.push((Cow::Borrowed(rest), opt.role));
            return None;
        }
        if opt.role.kind != RoleKind::CommandUntil {
            let value = self.next().map(Cow::Borrowed);
            // `--setenv NAME VALUE`: nothing but the first word is looked at; of `--bind SOURCE TARGET` the second one,
            // where it is another.
            return match opt.role.arg {
                "2" => {
                    self.next();
                    value
                }
                "to" => self
                    .next()
                    .filter(|to| value.as_deref().is_none_or(|from| from.pattern() != to.pattern()))
                    .map(Cow::Borrowed),
                _ => value,
            };
        }
        let rest = self.words.get(self.at..).unwrap_or_default();
        let ends = |word: &Value| matches!(word.known(), Some(";" | "+"));
        let count = rest.iter().position(ends).unwrap_or(rest.len());
        self.at += count + 1;
        self.out
            .commands
            .push((Cow::Borrowed(rest.get(..count).unwrap_or_default()), opt.role));
        None
    }

    /// `pidstat -e rm -r x`: the option's value is a program's name, and what follows are options of that program.
    fn takes_command(&self, opt: &Opt) -> bool {
        let name = self.words.get(self.at).and_then(Value::known);
        let next = self.words.get(self.at + 1).map_or("", Value::prefix);
        opt.role.kind == RoleKind::Words
            && opt.role.arg.is_empty()
            && name.is_some_and(|n| !n.contains(char::is_whitespace) && !n.starts_with('-'))
            && next.len() > 1
            && next.starts_with('-')
            && next != "--"
    }

    fn find(&self, name: &str) -> Option<&'static Opt> {
        self.out
            .path
            .iter()
            .rev()
            .flat_map(|p| p.options.iter())
            .find(|o| o.named(name))
    }

    /// `-x`
    fn find_letter(&self, letter: char) -> Option<&'static Opt> {
        let mut name = [b'-'; 5];
        let rest = name.get_mut(1..)?;
        let len = letter.encode_utf8(rest).len();
        let name = core::str::from_utf8(name.get(..=len)?).ok()?;
        self.find(name)
    }

    /// GNU programs accept any unambiguous start of a long option.
    fn find_abbreviated(&self, name: &str) -> Option<&'static Opt> {
        if name.len() < 4 || !self.out.path.iter().any(|p| p.style == Style::Abbreviated) {
            return None;
        }
        let mut found = self
            .out
            .path
            .iter()
            .rev()
            .flat_map(|p| p.options.iter())
            .filter(|o| o.names.iter().any(|n| n.starts_with(name)));
        found.next()
    }

    fn place_operands(&mut self) {
        let Some(program) = self.program() else { return };
        let count = self.plain.len();
        let value = Role {
            kind: RoleKind::Value,
            arg: "",
            tags: &[],
        };
        // The conditions of alternates look at the operands, so those stand there before their places are known.
        self.out.operands = core::mem::take(&mut self.plain)
            .into_iter()
            .map(|v| (v, value))
            .collect();
        let slots = slots(program, &self.out);
        for (i, (_, place)) in self.out.operands.iter_mut().enumerate() {
            *place = role_at(slots, i, count);
        }
    }
}

fn slots(program: &'static Program, parsed: &Parsed) -> &'static [Slot] {
    program
        .alternates
        .iter()
        .find(|(when, _)| parsed.all(when))
        .map_or(program.operands, |(_, slots)| *slots)
}

fn slot(program: &'static Program, parsed: &Parsed, index: usize) -> Option<Role> {
    let slots = slots(program, parsed);
    let fixed = slots.get(index).map(|s| s.role);
    fixed.or_else(|| slots.last().filter(|s| s.many).map(|s| s.role))
}

/// The role of operand `index` of `count`: places after a repeated one are counted from the end.
fn role_at(slots: &'static [Slot], index: usize, count: usize) -> Role {
    const VALUE: Role = Role {
        kind: RoleKind::Value,
        arg: "",
        tags: &[],
    };
    let Some(many) = slots.iter().position(|s| s.many) else {
        return slots.get(index).map_or(VALUE, |s| s.role);
    };
    let after = slots.len() - many - 1;
    let place = if index < many {
        index
    } else if count - index <= after && index > 0 {
        slots.len() - (count - index)
    } else {
        many
    };
    slots.get(place).map_or(VALUE, |s| s.role)
}

/// `--dry-run=false`
fn is_no(text: &str) -> bool {
    ["false", "no", "none", "off", "0", "f"]
        .iter()
        .any(|no| no.eq_ignore_ascii_case(text))
}

/// A pattern of names or paths that leaves nothing out.
fn takes_all(value: &Value) -> bool {
    let text = value.pattern();
    let hidden = text.starts_with('.') && !text.starts_with("./");
    text.contains('*') && !hidden && text.chars().all(|c| matches!(c, '*' | '?' | '.' | '/'))
}

fn is_assignment(word: &Value) -> bool {
    let Some(at) = word.prefix().find('=') else {
        return false;
    };
    let name = word.prefix().get(..at).unwrap_or_default();
    let head = name.split(['%', '(']).next().unwrap_or_default();
    !head.is_empty()
        && !head.starts_with(|c: char| c.is_ascii_digit())
        && head.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}

impl<'w> Parsed<'w> {
    pub(crate) fn option(&self, name: &str) -> Option<&(&'static Opt, Option<Cow<'w, Value>>)> {
        self.options.iter().find(|(o, _)| o.named(name))
    }

    pub(crate) fn tag(&self, tag: &str) -> bool {
        let mut rest = self.options.iter();
        let mut negated = false;
        rest.any(|(option, value)| {
            // What is not to be found, or may have any name, leaves nearly all of it.
            let open = negated || value.as_deref().is_some_and(takes_all);
            negated = option.role.tags.contains(&"negation");
            option.role.tags.contains(&tag) && !(open && tag == "filter")
        })
    }

    /// What is said of all that the call does.
    pub(crate) fn place(&self) -> impl Iterator<Item = &'static str> + '_ {
        let rows = self.path.iter().flat_map(|p| p.place.iter());
        rows.filter(|(_, when)| self.all(when)).map(|(label, _)| *label)
    }

    /// The operands that are files to the program.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Value> {
        let file = |role: &Role| matches!(role.kind, RoleKind::Read | RoleKind::Write);
        self.operands
            .iter()
            .filter(move |(_, role)| file(role))
            .map(|(word, _)| *word)
    }

    pub(crate) fn all(&self, conds: &[Cond]) -> bool {
        conds.iter().all(|c| self.test(&c.test) != c.not)
    }

    fn test(&self, test: &Test) -> bool {
        let like = |v: &Value, patterns: &str| {
            patterns.split('|').any(|p| match p.strip_prefix('#') {
                Some(kind) => v.known().map_or(kind == "elsewhere", |text| names::is(kind, text)),
                // A star in quotes is a star.
                None => v
                    .known()
                    .map_or_else(|| glob::like(p, &v.pattern()), |text| glob::names(p, text)),
            })
        };
        match test {
            Test::Option(name) => self.option(name).is_some(),
            Test::OptionLike(name, pattern) => self
                .options
                .iter()
                .any(|(o, v)| o.named(name) && v.as_ref().is_some_and(|v| like(v, pattern))),
            Test::Tag(tag) => self.tag(tag),
            Test::Command => !self.commands.is_empty(),
            Test::Operand => !self.operands.is_empty() || !self.commands.is_empty(),
            // An option that the facts do not name is a word like any other.
            Test::OperandLike(pattern) => {
                let other = self
                    .options
                    .iter()
                    .filter(|(o, _)| o.names.is_empty())
                    .filter_map(|(_, v)| v.as_deref());
                self.operands
                    .iter()
                    .map(|(v, _)| *v)
                    .chain(other)
                    .any(|v| like(v, pattern))
            }
            Test::CommandLike(pattern) => {
                let first = |(words, _): &(Cow<'_, [Value]>, Role)| words.first().is_some_and(|w| like(w, pattern));
                self.commands.iter().any(first)
            }
            Test::NthLike(n, pattern) => self.operands.get(*n).is_some_and(|(v, _)| like(v, pattern)),
            Test::DashDash => self.dash_dash,
            Test::Stdin => self.piped,
        }
    }
}
