//! Simple commands, and the builtins that change the state of the shell. All other builtins are facts like programs.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::{Assign, Part, Span, Word};

use super::roles::Context;
use super::{Eval, Labels, MAX_STATES, Stream, UNKNOWN, Value, Var, filters};
use crate::effect::Tags;
use crate::facts::{RoleKind, setting};
use crate::{Act, Answer, FileKind, Target};

/// Aliases that are kept.
const MAX_ALIASES: usize = 4096;
/// Longest path that a directory can have.
const MAX_PATH: usize = 1024;

const DECLARATIONS: &[&str] = &["export", "declare", "typeset", "local", "readonly"];

/// The name of a builtin whose arguments may be assignments.
fn declaration(word: &Word) -> Option<String> {
    let name = match word.parts.as_slice() {
        [Part::Lit(name)] if !DECLARATIONS.contains(&name.as_str()) => return None,
        _ => word.literal()?,
    };
    DECLARATIONS.contains(&name.as_str()).then_some(name)
}

/// Pieces of a text that is added to at no price, and what as many more cost, in bytes.
const FREE_PIECES: usize = 16;
const BYTES_PER_PIECES: usize = 256;

impl Eval<'_> {
    pub(super) fn simple(
        &mut self,
        assigns: &[Assign],
        words: &[Word],
        stdin: Stream,
        piped: bool,
        span: Span,
    ) -> Stream {
        let outer = (core::mem::take(&mut self.uses), self.here);
        if self.pin.is_none() {
            self.here = span;
        }
        let out = self.simple_here(assigns, words, stdin, piped, span);
        (self.uses, self.here) = outer;
        out
    }

    fn simple_here(&mut self, assigns: &[Assign], words: &[Word], stdin: Stream, piped: bool, span: Span) -> Stream {
        if let Some(name) = words.first().and_then(declaration) {
            assigns.iter().for_each(|a| self.assign(a));
            self.declare(&name, words.get(1..).unwrap_or_default());
            let prints = words
                .iter()
                .skip(1)
                .all(|w| w.literal().is_some_and(|t| t.starts_with('-')));
            return if prints {
                Stream::unknown(Labels::ENVIRON)
            } else {
                Stream::empty()
            };
        }
        let (argv, dropped) = self.all_fields(words);
        if dropped {
            return self.crowded_call(assigns, &argv, stdin, piped, span);
        }
        // A shell that runs a script does not expand aliases, one that somebody types into does: both are looked at.
        let alias = argv
            .first()
            .and_then(Value::known)
            .and_then(|n| self.state.aliases.get(n))
            .cloned();
        if let Some(text) = alias {
            self.perhaps(None, |eval| {
                let expanded = eval.alias(&text, &argv, span);
                eval.simple_call(assigns, &expanded, stdin.clone(), piped, span)
            });
        }
        if argv.is_empty() {
            self.status = Some(true);
            assigns.iter().for_each(|a| self.assign(a));
            return Stream::empty();
        }
        // Where the name of the program is put together, the chain says what it came out as.
        let computed = words
            .first()
            .is_some_and(|w| !matches!(w.parts.as_slice(), [Part::Lit(_)]));
        if computed && let Some(name) = argv.first().and_then(Value::written) {
            self.chain.push(alloc::format!("the name comes out as `{name}`"));
            let out = self.simple_call(assigns, &argv, stdin, piped, span);
            self.chain.pop();
            return out;
        }
        self.simple_call(assigns, &argv, stdin, piped, span)
    }

    /// A call with so many words that not all are kept. Where they are a text together, that text is not known.
    fn crowded_call(&mut self, assigns: &[Assign], argv: &[Value], stdin: Stream, piped: bool, span: Span) -> Stream {
        let name = argv.first().and_then(Value::known).unwrap_or_default();
        let base = name.rsplit('/').next().unwrap_or_default();
        let starts = self
            .world
            .program(base)
            .is_some_and(crate::facts::Program::starts_commands);
        if starts || matches!(name, "eval" | "set") || self.state.functions.contains_key(name) {
            self.give_up("too many words", span);
        }
        let out = self.simple_call(assigns, argv, stdin, piped, span);
        Stream::unknown(out.labels)
    }

    /// A call with the variables that are set for it alone.
    fn simple_call(&mut self, assigns: &[Assign], argv: &[Value], stdin: Stream, piped: bool, span: Span) -> Stream {
        if assigns.is_empty() {
            return self.invoke(argv, stdin, piped, span);
        }
        let saved = (self.state.vars.clone(), self.state.exported.clone());
        for assign in assigns {
            self.assign(assign);
            self.state.exported.insert(assign.name.as_str(), ());
        }
        let out = self.invoke(argv, stdin, piped, span);
        (self.state.vars, self.state.exported) = saved;
        out
    }

    fn alias(&mut self, text: &str, argv: &[Value], span: Span) -> Vec<Value> {
        self.reparsed += text.len();
        if self.reparsed > super::MAX_REPARSE {
            self.give_up("too much text", span);
            return argv.to_vec();
        }
        let script = shell::parse(text);
        let sole = match script.items.as_slice() {
            [item] if item.chain.rest.is_empty() => item.chain.first.stages.as_slice(),
            _ => &[],
        };
        let mut out = Vec::new();
        if let [command] = sole
            && let shell::Form::Simple { words, .. } = &command.form
        {
            self.chain.push(alloc::format!(
                "alias {}",
                argv.first().map(Value::pattern).unwrap_or_default()
            ));
            out = words.iter().flat_map(|w| self.fields(w)).map(|v| v.at(span)).collect();
            self.chain.pop();
        } else {
            let _ = self.inner_text(text, span, "alias", Stream::empty());
        }
        out.extend(argv.iter().skip(1).cloned());
        out
    }

    pub(super) fn assign(&mut self, assign: &Assign) {
        if let Some(index) = &assign.index {
            let index = self.word(index);
            if let Some(text) = index.known().map(ToString::to_string) {
                self.subscript_text(&text);
            }
            return self.assign_element(&assign.name, &index, &assign.value);
        }
        if let [Part::Array(words)] = assign.value.parts.as_slice() {
            let words = self.keyed_words(&assign.name, words);
            let (mut values, dropped) = self.all_fields(&words);
            if dropped {
                values.push(Value::unknown(Labels::RUNTIME));
            }
            let before = if assign.append {
                self.state.vars.get(&assign.name)
            } else {
                None
            };
            match before {
                Some(Var::Array(before)) => values = before.iter().cloned().chain(values).collect(),
                Some(Var::Scalar(before)) => values.insert(0, before.clone()),
                _ => {}
            }
            self.state.vars.insert(assign.name.as_str(), Var::Array(values));
            return;
        }
        let value = self.word(&assign.value).at(assign.span);
        self.set(&assign.name, value, assign.append);
    }

    fn assign_element(&mut self, name: &str, index: &Value, value: &Word) {
        let value = self.word(value);
        let at = index
            .known()
            .map(ToString::to_string)
            .and_then(|t| self.arith_text(&t))
            .and_then(|n| usize::try_from(n).ok());
        if let Some(key) = index.known() {
            self.set_keyed(name, key, value.clone());
        }
        let mut values = match self.state.vars.get(name) {
            Some(Var::Array(values)) => values.clone(),
            Some(Var::Scalar(first)) => alloc::vec![first.clone()],
            _ => Vec::new(),
        };
        match at.filter(|n| *n < 4096) {
            Some(at) => {
                while values.len() <= at {
                    values.push(Value::default());
                }
                if let Some(slot) = values.get_mut(at) {
                    *slot = value;
                }
            }
            None => values.push(Value::unknown(value.labels.with(Labels::RUNTIME))),
        }
        self.state.vars.insert(name, Var::Array(values));
    }

    /// Sets a variable. Some variables make other programs run something; that is an effect wherever it is set.
    pub(super) fn set(&mut self, name: &str, value: Value, append: bool) {
        let name = self.referred(name);
        let mut full = value;
        if append && let Some(Var::Scalar(before)) = self.state.vars.get(&name) {
            let added = core::mem::replace(&mut full, before.clone());
            full.append(&added);
            full.span = added.span;
            // What has many pieces is copied piece by piece, each time that there is one more.
            self.spend_bytes(full.pieces.len() / FREE_PIECES * BYTES_PER_PIECES);
        }
        self.environment(&name, &full);
        self.state.vars.insert(&name, Var::Scalar(full));
    }

    /// What setting an environment variable makes happen, by the table `env`.
    pub(super) fn environment(&mut self, name: &str, value: &Value) {
        if let Some(function) = name.strip_prefix("BASH_FUNC_").and_then(|n| n.split(['%', '(']).next()) {
            if let Some(body) = value.known() {
                let text = alloc::format!("{function}{body}");
                self.inner_text(&text, value.span, "function from the environment", Stream::empty());
            }
            return;
        }
        let Some(role) = setting("env", name) else { return };
        // A start-up file that is empty starts nothing.
        let nothing = role.tags.contains(&"start-file") && value.known() == Some("/dev/null");
        if value.pieces.is_empty() || nothing {
            return;
        }
        let mut tags = Tags::default();
        tags.add("environment-variable");
        role.tags.iter().for_each(|t| tags.add(t));
        if role.kind == RoleKind::Tag {
            // A search path inside the project is the project's own code.
            // Of the places for programs only the first hides others; that which comes last is asked last.
            let first = role.tags.contains(&"search-path");
            if first || role.tags.contains(&"module-path") {
                for part in value
                    .pattern()
                    .split(':')
                    .take(if first { 1 } else { usize::MAX })
                    .filter(|p| !p.is_empty() && !p.contains(super::UNKNOWN))
                {
                    if let Target::Path(path) = self.resolve(&Value::text(part)) {
                        self.label(&path, &mut tags);
                    }
                }
            }
            let searched = role.tags.contains(&"library-path");
            if (searched || role.tags.contains(&"library")) && self.is_own_library(value, searched) {
                tags.add("own-library");
            }
            // The variable itself is the effect: a library or start-up file for programs that come later.
            self.effect(Act::Do, "env.hijack", Target::Text(name.into()), tags, "", value.span);
        } else {
            let why = alloc::format!("variable {name} is run");
            self.chain.push(why);
            let context = Context::new("", tags, Stream::empty(), false);
            self.marks.push(super::effects::Mark::all("environment-variable"));
            self.role(role, value, &context, &super::Args::default());
            self.marks.pop();
            self.chain.pop();
        }
    }

    /// Whether all that a variable of the loader names was installed with the system, lies in the project, when it is
    /// `searched`, or is what a compiler said.
    fn is_own_library(&self, value: &Value, searched: bool) -> bool {
        let fetched = value.labels.has(Labels::NETWORK.with(Labels::DECODED));
        // What the variable held before was there before.
        let before = searched && value.labels.has(Labels::VARIABLE) && value.pattern().len() > UNKNOWN.len_utf8();
        let said = (before || value.labels.has(Labels::PROGRAM)) && !fetched;
        let trusted = |part: &str| {
            if part.contains(super::UNKNOWN) {
                return said;
            }
            let Target::Path(path) = self.resolve(&Value::text(part)) else {
                return false;
            };
            let mut tags = Tags::default();
            crate::places::label(&path, &self.workspace, self.world, &mut tags);
            tags.has("system") && tags.has("installed") || searched && tags.has("workspace")
        };
        value.pattern().split([':', ' ']).filter(|p| !p.is_empty()).all(trusted)
    }

    /// Builtins that change the shell. `None`: not one of them.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        argv: &[Value],
        stdin: &Stream,
        piped: bool,
        span: Span,
    ) -> Option<Stream> {
        let args = argv.get(1..).unwrap_or_default();
        match name {
            // The facts judge the text where it is set; it runs at the end, with what is known then.
            "trap" => {
                let text = args.iter().find(|a| !matches!(a.known(), Some("--" | "-")));
                if let Some(text) = text.filter(|_| self.traps.len() < 16) {
                    self.traps.push(text.clone());
                }
                return None;
            }
            "cd" | "pushd" | "chdir" => self.change_dir(args),
            "popd" => self.state.cwd = None,
            "eval" => return Some(self.eval_words(args, stdin, span)),
            "source" | "." => return Some(self.source(args, stdin)),
            "set" => self.set_positional(args),
            "shift" => {
                let n = args
                    .first()
                    .and_then(Value::known)
                    .and_then(|t| t.parse().ok())
                    .unwrap_or(1);
                let n = n.min(self.state.positional.len());
                self.state.positional = self.state.positional.after(n);
            }
            "unset" => args.iter().filter_map(Value::known).for_each(|n| {
                if let Some((_, inside)) = n.split_once('[') {
                    self.subscript_text(inside);
                }
                if n == "HISTFILE" {
                    self.environment(n, &Value::text("unset").at(span));
                }
                self.state.vars.remove(n);
                self.state.functions.remove(n);
            }),
            "alias" => self.define_aliases(args),
            "unalias" => args.iter().filter_map(Value::known).for_each(|n| {
                self.state.aliases.remove(n);
            }),
            "let" => args.iter().for_each(|a| {
                if let Some(text) = a.known().map(ToString::to_string) {
                    let _ = self.arith_text(&text);
                }
            }),
            "read" | "mapfile" | "readarray" => self.read(name, args, stdin, piped),
            "getopts" => self.status = self.getopts(args),
            "hash" => self.hash(args),
            "printf" if args.first().and_then(Value::known) == Some("-v") => self.printf_to(args),
            "test" | "[" => {
                self.test_operands(args);
                let args = match args.split_last() {
                    Some((last, rest)) if name == "[" && last.known() == Some("]") => rest,
                    _ => args,
                };
                self.status = super::commands::truth(args);
            }
            ":" | "true" => self.status = Some(true),
            "false" => self.status = Some(false),
            // What follows in the function or loop may be passed over.
            "exit" | "return" => self.leave(self.state.clone()),
            "break" | "continue" => self.break_off(self.state.clone()),
            _ => return None,
        }
        Some(Stream::empty())
    }

    fn change_dir(&mut self, args: &[Value]) {
        let target = args
            .iter()
            .find(|a| !matches!(a.known(), Some("-P" | "-L" | "-e" | "--")));
        let next = match target {
            None => Some(
                self.variable_text("HOME")
                    .unwrap_or_else(|| self.world.home().to_string()),
            ),
            Some(v) if v.known() == Some("-") => self.variable_text("OLDPWD"),
            Some(v) if v.has_glob() => None,
            Some(v) => match self.entered(v, args) {
                Target::Path(p) if !v.has_unknown() => Some(p),
                _ => None,
            },
        };
        if !next
            .as_ref()
            .is_some_and(|dir| self.world.kind(dir) == Answer::Known(FileKind::Dir))
            && self.failed.len() < MAX_STATES
        {
            self.failed.push(self.state.clone());
        }
        let next = next.filter(|dir| dir.len() <= MAX_PATH);
        // With a search path for directories it may end up anywhere.
        let next = if self.state.vars.contains_key("CDPATH") {
            None
        } else {
            next
        };
        if let Some(old) = self.state.cwd.clone() {
            self.state.vars.insert("OLDPWD", Var::Scalar(Value::text(old)));
        }
        self.state.cwd = next;
    }

    /// The folder of a `cd`: as it is written, or with links followed where the shell is told so.
    fn entered(&self, folder: &Value, args: &[Value]) -> Target {
        let last = args
            .iter()
            .rev()
            .find_map(|a| a.known().filter(|t| matches!(*t, "-P" | "-L")));
        if last == Some("-P") || (last.is_none() && self.state.physical) {
            self.followed(folder)
        } else {
            self.resolve(folder)
        }
    }

    pub(super) fn eval_words(&mut self, args: &[Value], stdin: &Stream, span: Span) -> Stream {
        let mut joined = Value::default();
        for (i, arg) in args.iter().filter(|a| a.known() != Some("--")).enumerate() {
            if i > 0 {
                joined.push_text(" ");
            }
            joined.append(arg);
        }
        let span = args.first().map_or(span, |a| Span {
            start: a.span.start,
            end: args.last().map_or(a.span.end, |l| l.span.end),
        });
        self.code_here("sh", &joined.at(span), "eval", stdin.clone(), &["eval"])
    }

    fn source(&mut self, args: &[Value], stdin: &Stream) -> Stream {
        let Some(file) = args.first().filter(|file| file.known() != Some("-")) else {
            return self.source_input(stdin);
        };
        let saved = self.state.positional.clone();
        if args.len() > 1 {
            self.state.positional = args.get(1..).unwrap_or_default().into();
        }
        let out = self.run_file(file, "sh", "source", stdin);
        self.state.positional = saved;
        out
    }

    /// `cmd | source`: what flows in is run, where a shell knows such a thing.
    fn source_input(&mut self, stdin: &Stream) -> Stream {
        let flows =
            stdin.text.as_deref().is_some_and(|text| !text.is_empty()) || stdin.labels.has(super::commands::FLOWING);
        if !flows {
            return Stream::empty();
        }
        let code = super::expand::stream_value(stdin.clone());
        self.code_here("sh", &code, "source", Stream::empty(), &["stdin"])
    }

    fn set_positional(&mut self, args: &[Value]) {
        let mut args = args;
        while let [first, rest @ ..] = args {
            match first.known() {
                Some("--") => {
                    self.state.positional = rest.into();
                    return;
                }
                Some(flag) if flag.starts_with(['-', '+']) && flag.len() > 1 => {
                    let named = flag.ends_with('o') && rest.first().and_then(Value::known) == Some("physical");
                    if flag.contains('P') || named {
                        self.state.physical = flag.starts_with('-');
                    }
                    args = rest;
                }
                _ => {
                    self.state.positional = args.into();
                    return;
                }
            }
        }
    }

    fn define_aliases(&mut self, args: &[Value]) {
        for arg in args {
            if let Some((name, text)) = arg.known().and_then(|t| t.split_once('=')) {
                let (name, text) = (name.to_string(), text.to_string());
                // Whoever types the name later runs the text.
                self.perhaps(None, |eval| {
                    eval.subshell(|eval| eval.inner_text(&text, arg.span, "alias", Stream::empty()))
                });
                if self.state.aliases.len() >= MAX_ALIASES {
                    return self.give_up("too many aliases", arg.span);
                }
                self.state.aliases.insert(&name, text);
            }
        }
    }

    /// `hash -p /bin/rm ls` makes `ls` mean `rm`.
    fn hash(&mut self, args: &[Value]) {
        if let [flag, path, name, ..] = args
            && flag.known() == Some("-p")
            && let (Some(path), Some(name)) = (path.known(), name.known())
        {
            self.state.aliases.insert(name, path.into());
        }
    }

    fn printf_to(&mut self, args: &[Value]) {
        let Some(name) = args.get(1).and_then(Value::known).map(ToString::to_string) else {
            return;
        };
        if let Some((_, inside)) = name.split_once('[') {
            self.subscript_text(inside);
        }
        let rest: Vec<Value> = args.get(2..).unwrap_or_default().to_vec();
        let value = filters::printf(&rest).map_or_else(|| Value::unknown(Labels::RUNTIME), Value::text);
        self.set(&name, value, false);
    }

    fn subscripts_in(&mut self, name: &Value) {
        if let Some((_, inside)) = name.known().and_then(|t| t.split_once('[')) {
            let inside = inside.to_string();
            self.subscript_text(&inside);
        }
    }

    /// `[ -v 'a[$(x)]' ]` evaluates the subscript.
    pub(super) fn test_operands(&mut self, values: &[Value]) {
        for pair in values.windows(2) {
            if let [flag, name] = pair
                && matches!(flag.known(), Some("-v" | "-eq" | "-ne" | "-lt" | "-gt" | "-le" | "-ge"))
            {
                self.subscripts_in(name);
            }
            if let [name, op] = pair
                && matches!(op.known(), Some("-eq" | "-ne" | "-lt" | "-gt" | "-le" | "-ge"))
            {
                self.subscripts_in(name);
            }
        }
    }
}
