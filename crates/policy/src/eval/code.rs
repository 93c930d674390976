//! Text and files that are run as code.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::Span;

use super::dialects::is_shell;
use super::roles::Context;
use super::{Args, Eval, Labels, Stream, UNKNOWN, Value};
use crate::effect::Tags;
use crate::facts::{Role, RoleKind};
use crate::{Act, Target, lang};

/// What a step in code of another language costs, in bytes.
const BYTES_PER_LANGUAGE_STEP: usize = 32;

impl Eval<'_> {
    /// `bash FILE args`; `-` and `/dev/stdin` mean what flows in.
    pub(super) fn run_operand(&mut self, role: Role, value: &Value, context: &Context, rest: &Args) {
        let lang = language(role.arg, context.program);
        if matches!(
            value.known(),
            Some("-" | "/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0")
        ) {
            return self.stdin_role(
                Role {
                    kind: RoleKind::Code,
                    ..role
                },
                context,
                rest,
                value.span,
            );
        }
        if self.is_listed(value, lang) {
            let argv: Vec<Value> = core::iter::once(value).chain(rest.iter()).cloned().collect();
            self.invoke(&argv, context.stdin.clone(), context.piped, value.span);
            return;
        }
        let saved = core::mem::replace(&mut self.state.positional, rest.clone());
        let program = context.program;
        let stdin = context.stdin.clone();
        self.child(|eval| eval.run_file_tagged(value, lang, program, &stdin, role.tags));
        self.state.positional = saved;
    }

    /// `php artisan`, `python manage.py`: a script that is known by its name, and was not written here.
    fn is_listed(&self, value: &Value, lang: &str) -> bool {
        let text = value.known().unwrap_or_default();
        let name = text.rsplit('/').next();
        // `crystal init` is no script: a bare word is one to php only.
        (lang == "php" || matches!(lang, "python" | "ruby" | "node") && text.contains(['/', '.']))
            && name.is_some_and(|name| self.world.program(name).is_some())
            && self.written_to(value).is_none()
    }

    /// A file is executed. What was written to it in this text is known; anything else is a script on its own.
    pub(super) fn run_file(&mut self, value: &Value, lang: &str, why: &str, stdin: &Stream) -> Stream {
        self.run_file_tagged(value, lang, why, stdin, &[])
    }

    fn run_file_tagged(
        &mut self,
        value: &Value,
        lang: &str,
        why: &str,
        stdin: &Stream,
        extra: &[&'static str],
    ) -> Stream {
        let written = self.written_to(value);
        // A program that was built or copied here is no more unknown than any other program.
        let built = |s: &Stream| s.text.is_none() && (s.labels.has(Labels::BUILT) || s.file.is_some());
        if let Some(written) = written.filter(|s| !built(s)) {
            let code = super::expand::stream_value(written);
            return self.code_value(lang, &code.at(value.span), why, stdin.clone(), &["file"]);
        }
        if matches!(value.known(), Some("/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0")) {
            let code = super::expand::stream_value(stdin.clone());
            return self.code_value(lang, &code.at(value.span), why, Stream::empty(), &["stdin"]);
        }
        if let Some(text) = self.open_descriptor(value) {
            let code = super::expand::stream_value(text);
            return self.code_value(lang, &code.at(value.span), why, stdin.clone(), &["stdin"]);
        }
        if value.has_unknown() && value.prefix().is_empty() && value.labels.has(Labels::NETWORK.with(Labels::DECODED)) {
            return self.code_value(lang, value, why, Stream::empty(), &[]);
        }
        if is_shell(lang) {
            self.fetched_script(value, why);
        }
        let mut tags = Tags::default();
        tags.add("script");
        extra.iter().for_each(|t| tags.add(t));
        let tags = self.path_effect(Act::Run, "", value, tags, why);
        // What an interpreter does not understand of a file, it prints.
        if tags.has("credential") && !value.has_glob() {
            self.read_file(value, why);
        }
        for name in self.matches(value).unwrap_or_default() {
            let name = Value::text(name).at(value.span);
            if let Some((path, text)) = self.script_text(&name, lang) {
                self.run_script(&path, &text, lang, value.span, stdin.clone());
            }
        }
        match self.script_text(value, lang) {
            Some((path, text)) => self.run_script(&path, &text, lang, value.span, stdin.clone()),
            None => Stream::unknown(Labels::PROGRAM),
        }
    }

    /// What can be read from `/dev/fd/3`, where the text opened it.
    fn open_descriptor(&self, value: &Value) -> Option<Stream> {
        let text = value.known()?;
        let number = text
            .strip_prefix("/dev/fd/")
            .or_else(|| text.strip_prefix("/proc/self/fd/"))?;
        self.state.inputs.get(&number.parse().ok()?).cloned()
    }

    /// Another shell: it sees the variables that were exported and hardly ever a function. Whether a name was exported
    /// before the text began is not known, so it is also looked at as if it saw them all. What an alias stands for is
    /// looked at both ways wherever it is used.
    pub(super) fn child(&mut self, run: impl Fn(&mut Self) -> Stream) -> Stream {
        let f = |eval: &mut Self| {
            let outer = core::mem::take(&mut eval.traps);
            let out = run(eval);
            eval.leave_shell();
            eval.traps = outer;
            out
        };
        let exported = self.state.exported.clone();
        let state = &self.state;
        let hidden = state.vars.iter().any(|(name, _)| !exported.holds(name));
        if hidden || !state.functions.is_empty() {
            self.subshell(|eval| {
                eval.state.vars.retain(|name| exported.holds(name));
                eval.state.functions.retain(|_| false);
                f(eval)
            });
        }
        self.subshell(f)
    }

    /// What a shell left to be done at its end.
    pub(super) fn leave_shell(&mut self) {
        for trap in core::mem::take(&mut self.traps) {
            self.in_every_state(|eval| eval.subshell(|eval| eval.code_here("sh", &trap, "trap", Stream::empty(), &[])));
        }
    }

    pub(super) fn code_operand(&mut self, role: Role, value: &Value, context: &Context, rest: &Args) {
        let lang = language(role.arg, context.program);
        if !is_shell(lang) {
            let args = core::mem::replace(&mut self.state.positional, rest.clone());
            let out = self.code_value(lang, value, context.program, context.stdin.clone(), role.tags);
            self.state.positional = args;
            // A program of awk or sed prints for every line that it reads, which is not followed here.
            let begins = value.known().is_some_and(|t| t.trim_start().starts_with("BEGIN"));
            self.printed = Some(out).filter(|_| lang != "sed" && (lang != "awk" || begins));
            return;
        }
        // `bash -c CODE name a b`: the word after the code is `$0`, but fish has none.
        let args = rest.after(usize::from(lang != "fish"));
        let program = context.program;
        let stdin = context.stdin.clone();
        let out = self.child(|eval| {
            eval.state.positional = args.clone();
            eval.state.zero = rest.first().cloned();
            eval.code_here(lang, value, program, stdin.clone(), role.tags)
        });
        self.printed = Some(out);
    }

    /// What is compiled will be run: a source that the text wrote itself is looked at where it is read.
    pub(super) fn compiled(&mut self, role: Role, value: &Value, program: &str) {
        if role.kind != RoleKind::Read || role.arg.is_empty() {
            return;
        }
        if let Some(text) = self.written_to(value).and_then(|s| s.text) {
            self.nested(value.span, "source", |eval| {
                eval.language(role.arg, &text, program, &Stream::empty(), value.span)
            });
        }
    }

    /// Text that was kept in a code until it runs. What it does is judged as well; that a person who reads the command
    /// cannot see it is an effect of its own.
    fn hidden_code(&mut self, value: &Value, why: &str) {
        let mut tags = Tags::default();
        tags.add("hidden");
        self.effect(Act::Do, "code.hidden", Target::None, tags, why, value.span);
    }

    /// Text that is run as code: read when it is known, else an effect that says so.
    pub(super) fn code_value(
        &mut self,
        lang: &str,
        value: &Value,
        why: &str,
        stdin: Stream,
        tags: &[&'static str],
    ) -> Stream {
        if is_shell(lang) {
            return self.child(|eval| eval.code_here(lang, value, why, stdin.clone(), tags));
        }
        self.code_here(lang, value, why, stdin, tags)
    }

    /// The same, in the shell that runs the text: `eval`, `trap`.
    pub(super) fn code_here(
        &mut self,
        lang: &str,
        value: &Value,
        why: &str,
        stdin: Stream,
        tags: &[&'static str],
    ) -> Stream {
        let span = value.span;
        let why_text = alloc::format!("{why} runs text");
        if let Some(text) = value.written() {
            if value.labels.has(Labels::DECODED) {
                self.hidden_code(value, why);
            }
            if is_shell(lang) {
                return self.shell_text(lang, why, &text, span, stdin);
            }
            return self.nested(span, &why_text, |eval| {
                let mut out = eval.language(lang, &text, why, &stdin, span);
                out.labels = out.labels.with(value.labels);
                out
            });
        }
        if let Some(out) = self.file_code(lang, value, &why_text, &stdin) {
            return out;
        }
        let mut all = Tags::default();
        all.add(match lang {
            lang if is_shell(lang) => "shell-code",
            "sql" | "sqlite" | "mongo" => "data-code",
            _ => "other-code",
        });
        tags.iter().for_each(|t| all.add(t));
        value.labels.names().for_each(|l| all.add(l));
        if !value.prefix().is_empty() {
            all.add("partly-known");
        }
        self.effect(
            Act::RunUnknown,
            "",
            Target::Unknown(origin(value.labels)),
            all,
            why,
            span,
        );
        // What is known of it is judged too: `sh -c "rm -rf $X"`.
        if is_shell(lang) && !value.prefix().trim().is_empty() {
            let text = value.pattern().replace(UNKNOWN, "$TOLLGATE_UNKNOWN");
            return self.shell_text(lang, why, &text, span, stdin);
        }
        Stream::unknown(Labels::PROGRAM.with(value.labels))
    }

    /// What a program does with what flows in; `rest` are the words that code is given: `bash -s a b`.
    pub(super) fn stdin_role(&mut self, role: Role, context: &Context, rest: &Args, span: Span) {
        if !context.piped && context.stdin.text.is_none() && context.stdin.labels == Labels::NONE {
            return;
        }
        let value = super::expand::stream_value(context.stdin.clone()).at(span);
        match role.kind {
            RoleKind::Code => {
                if context.stdin.is_empty() || (!context.piped && value.has_unknown()) {
                    return;
                }
                let lang = language(role.arg, context.program);
                let program = context.program;
                let out = self.child(|eval| {
                    if !rest.is_empty() {
                        eval.state.positional = rest.clone();
                    }
                    eval.code_here(lang, &value, program, Stream::empty(), &["stdin"])
                });
                self.printed = Some(out).filter(|_| !matches!(lang, "awk" | "sed"));
            }
            RoleKind::Send if context.piped => {
                let mut tags = context.tags.clone();
                role.tags.iter().for_each(|t| tags.add(t));
                value.labels.names().for_each(|l| tags.add(l));
                self.effect(
                    Act::Send,
                    "",
                    Target::Text("what flows in".into()),
                    tags,
                    context.program,
                    span,
                );
            }
            RoleKind::Script if context.piped => {
                self.code_value("sh", &value, context.program, Stream::empty(), role.tags);
            }
            _ => {}
        }
    }

    /// Walks code of another language; gives what it prints.
    pub(super) fn language(&mut self, lang: &str, text: &str, program: &str, stdin: &Stream, span: Span) -> Stream {
        if let Some(calls) = lang::lines(lang, text) {
            self.line_calls(lang, calls, span);
            return Stream::unknown(Labels::PROGRAM);
        }
        self.spend_bytes(text.len());
        let whole = !self.sources.is_empty() && self.file_pin.is_none() && span == Span::default();
        // What the code changes in its own process is not changed here.
        let printed = self.subshell(|eval| {
            let mut guest = Guest {
                arguments: eval.state.positional.clone(),
                eval,
                lang,
                program,
                stdin: stdin.clone(),
                span,
                whole,
            };
            lang::run(lang, text, &mut guest)
        });
        // Code that reads what flows in and prints nothing that is known passes on something.
        let passes = !stdin.is_empty() && printed.as_ref().is_some_and(|p| p.known() == Some(""));
        match printed {
            Some(printed) if !printed.has_unknown() && !passes => stream_of(Some(&printed)),
            printed => Stream::unknown(Labels::PROGRAM.with(printed.map_or(Labels::NONE, |p| p.labels))),
        }
    }

    fn line_calls(&mut self, lang: &str, calls: Vec<lang::Call>, span: Span) {
        for call in calls {
            if !self.spend(1, span) {
                return;
            }
            self.chain.push(alloc::format!("{lang} calls {}", call.name));
            let context = Context::new(lang, Tags::default(), Stream::empty(), false);
            for (role, arg) in call.uses {
                let value = arg
                    .map_or_else(|| Value::unknown(Labels::RUNTIME), |t| Value::text(self.home_in(&t)))
                    .at(span);
                self.role(role, &value, &context, &Args::default());
            }
            for (act, what, tags) in call.acts {
                let mut all = Tags::default();
                tags.iter().for_each(|t| all.add(t));
                self.effect(act, what, Target::Text(call.name.clone()), all, lang, span);
            }
            self.chain.pop();
        }
    }

    /// Languages expand `~` by a call, not by syntax; a literal that starts with it is meant so.
    fn home_in(&self, text: &str) -> String {
        match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => alloc::format!("{}{rest}", self.world.home()),
            _ => text.to_string(),
        }
    }
}

/// Code that is walked in this evaluator: what its calls do becomes effects here.
struct Guest<'e, 'w> {
    eval: &'e mut Eval<'w>,
    lang: &'e str,
    program: &'e str,
    arguments: super::Args,
    stdin: Stream,
    span: Span,
    /// The code is all that stands in a file.
    whole: bool,
}

impl Guest<'_, '_> {
    /// Does `f` with the call in the chain of what was reached how.
    fn within<T>(&mut self, call: &str, f: impl FnOnce(&mut Eval<'_>) -> T) -> T {
        self.eval.chain.push(alloc::format!("{} calls {call}", self.lang));
        self.eval.marks.push(super::effects::Mark::all("in-code"));
        let out = f(self.eval);
        self.eval.marks.pop();
        self.eval.chain.pop();
        out
    }

    /// A file may hold more values than are kept: like what is not read of it, the others are not asked about.
    fn placed(&self, value: &Value) -> Value {
        let mut value = value.clone().at(self.span);
        if self.whole {
            value.labels = value.labels.without(Labels::CROWDED);
        }
        value
    }
}

fn stream_of(value: Option<&Value>) -> Stream {
    match value {
        Some(value) => Stream {
            text: value.known().map(ToString::to_string),
            labels: value.labels,
            file: value.file().cloned(),
        },
        None => Stream::unknown(Labels::NONE),
    }
}

impl lang::Host for Guest<'_, '_> {
    fn home(&self) -> String {
        self.eval.world.home().to_string()
    }

    fn variable(&mut self, name: &str) -> Value {
        self.eval.environment_value(name)
    }

    fn export(&mut self, name: &str, value: &Value) {
        let value = self.placed(value);
        self.eval.environment(name, &value);
        self.eval.state.exported.insert(name, ());
        self.eval.state.vars.insert(name, super::Var::Scalar(value));
    }

    fn arguments(&mut self) -> Vec<Value> {
        let mut all = alloc::vec![Value::text("-c")];
        if matches!(self.lang, "perl" | "ruby") {
            all.clear();
        }
        all.extend(self.arguments.iter().cloned());
        all
    }

    fn input(&mut self) -> Value {
        let mut value = super::expand::stream_value(self.stdin.clone());
        if value.has_unknown() {
            value.labels = value.labels.with(Labels::INPUT);
        }
        value
    }

    fn spend(&mut self) -> bool {
        self.eval.spend(1, self.span)
    }

    fn walked(&mut self, steps: u32) {
        self.eval.spend_bytes(
            usize::try_from(steps)
                .unwrap_or(usize::MAX)
                .saturating_mul(BYTES_PER_LANGUAGE_STEP),
        );
    }

    fn line(&mut self, line: u32) {
        let source = self.eval.sources.last().filter(|_| self.whole);
        if let Some(start) = source.and_then(|s| s.start_of(line)) {
            self.span = Span { start, end: start };
        }
    }

    fn bindings(&mut self) -> Vec<(String, Value)> {
        core::mem::take(&mut self.eval.bindings)
    }

    fn load(&mut self, module: &str) {
        self.eval.load_module(self.lang, module, self.span);
    }

    fn enter(&mut self, dir: &Value) -> Option<String> {
        let next = match self.eval.resolve(dir) {
            Target::Path(path) if !path.contains(UNKNOWN) => Some(path),
            _ => None,
        };
        core::mem::replace(&mut self.eval.state.cwd, next)
    }

    fn leave(&mut self, place: Option<String>) {
        self.eval.state.cwd = place;
    }

    fn shell(&mut self, call: &str, text: &Value, input: Option<&Value>) -> Value {
        let (text, program, stdin) = (self.placed(text), self.program.to_string(), stream_of(input));
        let out = self.within(call, |eval| eval.code_value("sh", &text, &program, stdin, &[]));
        super::expand::stream_value(out)
    }

    fn start(&mut self, call: &str, words: &[Value], input: Option<&Value>) -> Value {
        let words: Vec<Value> = words.iter().map(|w| self.placed(w)).collect();
        let (span, piped, stdin) = (self.span, input.is_some(), stream_of(input));
        let out = self.within(call, |eval| {
            eval.external = true;
            eval.invoke(&words, stdin, piped, span)
        });
        super::expand::stream_value(out)
    }

    fn role(&mut self, call: &str, role: Role, value: &Value) -> Value {
        let value = self.placed(value);
        let lang = self.lang.to_string();
        self.within(call, |eval| match role.kind {
            // Where a file can be named, so can an address.
            RoleKind::Read
                if role.arg != "to"
                    && ["http://", "https://", "ftp://"]
                        .iter()
                        .any(|s| value.prefix().starts_with(s)) =>
            {
                let role = Role {
                    kind: RoleKind::Url,
                    ..role
                };
                let context = Context::new(&lang, Tags::default(), Stream::unknown(Labels::NONE), false);
                Value::unknown(eval.role(role, &value, &context, &Args::default()))
            }
            RoleKind::Read if role.tags.contains(&"hard-link") => {
                super::expand::stream_value(eval.linked_hard(&value, Tags::default(), &lang))
            }
            RoleKind::Read => super::expand::stream_value(eval.read_file(&value, &lang)),
            _ => {
                let context = Context::new(&lang, Tags::default(), Stream::unknown(Labels::NONE), false);
                Value::unknown(eval.role(role, &value, &context, &Args::default()))
            }
        })
    }

    fn write(&mut self, call: &str, role: Role, path: &Value, content: &Value) {
        let path = self.placed(path);
        let lang = self.lang.to_string();
        let stream = stream_of(Some(content));
        self.within(call, |eval| {
            let mut tags = Tags::default();
            role.tags.iter().for_each(|t| tags.add(t));
            eval.path_effect(Act::Write, "", &path, tags, &lang);
            eval.remember_written(&path, stream, role.tags.contains(&"append"));
        });
    }

    fn act(&mut self, act: Act, what: &'static str, call: &str) {
        let mut tags = Tags::default();
        if act == Act::RunUnknown {
            tags.add("other-code");
            tags.add("decoded");
        }
        let (lang, span) = (self.lang.to_string(), self.span);
        self.within(call, |eval| {
            eval.effect(act, what, Target::Text(call.into()), tags, &lang, span)
        });
    }
}

/// The language of an interpreter call: the role says it, or the program's name does.
pub(super) fn language(arg: &'static str, program: &str) -> &'static str {
    if !arg.is_empty() {
        return arg;
    }
    if program.ends_with("sh") { "sh" } else { "other" }
}

pub(super) fn origin(labels: Labels) -> String {
    let names: Vec<&str> = labels.names().collect();
    if names.is_empty() {
        "code that is not known".into()
    } else {
        alloc::format!("code from {}", names.join(", "))
    }
}
