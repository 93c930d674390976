//! Calls: functions, builtins, and programs by their facts.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::Span;

use super::roles::Context;
use super::{Args, BYTES_PER_WORD, Eval, Labels, MAX_NEST, Stream, UNKNOWN, Value};
use crate::effect::Tags;
use crate::facts::{self, Does, On, Parsed, Program, Role, RoleKind, Style};
use crate::{Act, Target};

/// Labels that hold for what a command starts, too: inside a container that no folder of the machine is mounted into, and
/// on another machine.
pub(super) const LASTING: &[&str] = &["contained", "afar", "remote"];

/// Pieces of code of one call that are given all of its operands, and how many others are given.
const MAX_CODES: usize = 4;
const MAX_GIVEN: usize = 16;

/// Words of calls inside calls that are held at once.
const MAX_HELD: usize = 32 << 10;

impl Eval<'_> {
    /// Runs a call whose words are expanded, and gives what it writes.
    pub(super) fn invoke(&mut self, argv: &[Value], stdin: Stream, piped: bool, span: Span) -> Stream {
        self.deeper(span, Stream::unknown(Labels::RUNTIME), |eval| {
            eval.invoke_here(argv, stdin, piped, span)
        })
    }

    fn invoke_here(&mut self, argv: &[Value], stdin: Stream, piped: bool, span: Span) -> Stream {
        let Some(name) = argv.first() else {
            return Stream::empty();
        };
        if self.nest >= MAX_NEST {
            self.give_up("too many calls in one another", span);
        }
        if self.nest >= MAX_NEST || !self.spend(1, span) {
            return Stream::unknown(Labels::RUNTIME);
        }
        let Some(text) = name.known() else {
            let shown = name.pattern();
            let words = shown
                .rsplit_once('/')
                .and_then(|(_, base)| self.dashed_part(base, argv));
            return match words {
                Some(words) => self.invoke(&words, stdin, piped, span),
                None => self.unknown_command(argv, &stdin, piped),
            };
        };
        self.note_call(argv);
        let external = core::mem::take(&mut self.external);
        if let Some(function) = self.state.functions.get(text).filter(|_| !external).cloned() {
            return self.call(text, &function, argv, stdin, piped);
        }
        if let Some(out) = self.builtin(text, argv, &stdin, piped, span) {
            return out;
        }
        let base = text.rsplit('/').next().unwrap_or(text);
        let renamed = text.contains('/').then(|| self.renamed(name)).flatten();
        let base = renamed.as_deref().unwrap_or(base);
        if let Some(words) = self.dashed_part(base, argv) {
            return self.invoke(&words, stdin, piped, span);
        }
        if text.contains('/') && (renamed.is_none() || self.holds_own_text(name)) {
            self.local_program(argv, &stdin);
        }
        // `=rm` is the path of `rm` to zsh, and to nobody else anything.
        let base = base.strip_prefix('=').filter(|rest| !rest.is_empty()).unwrap_or(base);
        // Whoever calls an alias by `command` or inside a wrapper still reaches what the name was hashed to.
        // A file system that does not tell capitals apart finds `RM` too.
        let facts = |name: &str| self.world.program(name);
        let named = facts(base).or_else(|| facts(versionless(base)));
        match named.or_else(|| facts(&base.to_ascii_lowercase())) {
            Some(program) => self.program(base, program, argv, stdin, piped, span),
            None => {
                // bash calls this function for a program that it does not find.
                if let Some(function) = self.state.functions.get("command_not_found_handle").cloned() {
                    let handled: Vec<Value> = core::iter::once(Value::default()).chain(argv.iter().cloned()).collect();
                    self.call("command_not_found_handle", &function, &handled, stdin.clone(), piped);
                }
                self.unlisted(base, argv, &stdin, span)
            }
        }
    }

    /// `git-reset --hard` is `git reset --hard`, also by the path of git's own folder.
    fn dashed_part(&self, base: &str, argv: &[Value]) -> Option<Vec<Value>> {
        let (program, part) = base.split_once('-')?;
        let facts = self
            .world
            .program(program)
            .filter(|_| self.world.program(base).is_none())?;
        let sub = facts.subs.iter().find(|sub| sub.names.contains(&part))?;
        let name = sub.names.iter().find(|name| **name == part)?;
        let span = argv.first().map(|word| word.span).unwrap_or_default();
        let words = [Value::text(program).at(span), Value::text(*name).at(span)];
        let rest = argv.get(1..).unwrap_or_default().iter().cloned();
        Some(words.into_iter().chain(rest).collect())
    }

    /// A program named by its path: one that was written just now runs what was written, one that lies in the project
    /// what stands there.
    pub(super) fn local_program(&mut self, argv: &[Value], stdin: &Stream) -> Option<Stream> {
        let name = argv.first()?;
        let Target::Path(path) = self.resolve(name) else {
            return None;
        };
        if self.is_installed(&path) {
            return None;
        }
        let saved = core::mem::replace(&mut self.state.positional, argv.get(1..).unwrap_or_default().into());
        let looked = self.effects.len();
        self.child(|eval| eval.run_file(name, "sh", "run", stdin));
        self.state.positional = saved;
        (self.effects.len() > looked).then(|| Stream::unknown(Labels::PROGRAM))
    }

    fn program(
        &mut self,
        base: &str,
        program: &'static Program,
        argv: &[Value],
        stdin: Stream,
        piped: bool,
        span: Span,
    ) -> Stream {
        let parsed = facts::parse(program, argv.get(1..).unwrap_or_default(), piped);
        // A chain of wrappers copies what is left of the words once for each.
        let copied: usize = parsed.commands.iter().map(|(words, _)| words.len()).sum();
        self.spend_bytes(copied * BYTES_PER_WORD);
        let mut tags = Tags::default();
        for (option, _) in &parsed.options {
            if option.role.kind == RoleKind::Tag {
                option.role.tags.iter().for_each(|t| tags.add(t));
            }
        }
        let mut run_tags = tags.clone();
        if let Some(class) = class_of(&parsed) {
            run_tags.add(class);
        }
        if self.escapes(&parsed, piped) {
            run_tags.add("escape-shell");
        }
        let names = parsed.path.iter().filter_map(|p| p.names.first().copied());
        let shown = if parsed.path.len() > 1 {
            names.collect::<Vec<_>>().join(" ")
        } else {
            base.to_string()
        };
        self.effect(Act::Run, "", Target::Text(shown), run_tags, base, span);
        let around = self.enter_place(&parsed);
        self.glued_code(&parsed, argv);
        let context = Context::new(base, tags, stdin, piped);
        let saved = self.enter_dir(&parsed);
        self.held += copied;
        let out = if self.held > MAX_HELD {
            self.give_up("too many words in one another", span);
            Stream::unknown(Labels::RUNTIME)
        } else {
            self.carry_out(&parsed, context, argv, span)
        };
        self.held -= copied;
        if let Some(cwd) = saved {
            self.state.cwd = cwd;
        }
        self.around = around;
        out
    }

    /// `sh -c'CODE'`: a shell takes the letters as options and stops, but whoever wrote it meant them to be run, and the next
    /// spelling will.
    fn glued_code(&mut self, parsed: &Parsed, argv: &[Value]) {
        if !parsed.tag("dash-c") || !parsed.operands.is_empty() {
            return;
        }
        let glued = argv
            .iter()
            .skip(1)
            .find(|w| w.prefix().starts_with('-') && w.prefix().contains(char::is_whitespace));
        if let Some((word, at)) = glued.and_then(|w| w.prefix().find('c').map(|at| (w, at))) {
            let code = word.without_prefix(at + 1).at(word.span);
            self.subshell(|eval| eval.code_value("sh", &code, "sh", Stream::empty(), &[]));
        }
    }

    /// A shell without anything to run, started from inside another program's text or by a search: somebody wants to type
    /// into it. In containers and on other hosts that is everyday work.
    fn escapes(&self, parsed: &Parsed, piped: bool) -> bool {
        let shells = ["bash", "zsh", "fish", "csh"];
        let first = parsed.path.first();
        let shell = first.is_some_and(|p| shells.iter().any(|name| p.names.contains(name)));
        let elsewhere = |c: &String| {
            matches!(
                c.strip_suffix(" runs"),
                Some("docker" | "podman" | "kubectl" | "oc" | "ssh" | "lxc" | "nerdctl" | "vagrant" | "docker-compose")
            )
        };
        let by = |p: &&str| self.chain.last().is_some_and(|c| c.starts_with(*p));
        let reached = self.pin.is_some() && self.sources.is_empty()
            || ["find", "fd", "sudo", "doas", "pkexec", "busybox"].iter().any(by);
        shell
            && !piped
            && parsed.operands.is_empty()
            && !parsed.tag("dash-c")
            && parsed.option("-c").is_none()
            && reached
            && !self.chain.iter().any(elsewhere)
    }

    /// `git -C dir`, `make -C dir`, `env -C dir`: everything happens there.
    fn enter_dir(&mut self, parsed: &Parsed) -> Option<Option<String>> {
        let (_, dir) = parsed.options.iter().find(|(o, _)| o.role.kind == RoleKind::Cwd)?;
        let next = match self.resolve(dir.as_ref()?) {
            Target::Path(p) if !p.contains(UNKNOWN) => Some(p),
            _ => None,
        };
        Some(core::mem::replace(&mut self.state.cwd, next))
    }

    fn carry_out(&mut self, parsed: &Parsed, mut context: Context, argv: &[Value], span: Span) -> Stream {
        self.printed = None;
        context.plain = parsed.path.iter().any(|p| p.style == Style::Plain);
        context.reads = class_of(parsed) == Some("read_workspace");
        if !context.plain && !context.reads && parsed.commands.is_empty() {
            self.works_in_own(context.program, span);
        }
        context.remote_target = parsed
            .operands
            .last()
            .is_some_and(|(v, r)| r.kind == RoleKind::Remote && super::roles::is_remote(v));
        context.into = super::into::folder_of(parsed).map(|(folder, _)| folder.clone());
        let mut labels = if context.piped {
            context.stdin.labels
        } else {
            Labels::NONE
        };
        self.bindings = bindings(parsed);
        let mut codes = 0;
        for (option, value) in &parsed.options {
            if self.is_spent(span) {
                break;
            }
            if let Some(value) = value {
                if option.names.is_empty() {
                    labels = labels.with(self.mention(value, context.program));
                    if !context.reads && !context.plain {
                        self.mention_own(value, context.program);
                    }
                } else {
                    let code = option.role.kind == RoleKind::Code && !matches!(option.role.arg, "" | "sh");
                    let rest: Args = if code {
                        // Of many pieces of code only the first ones are given all the words that follow.
                        codes += 1;
                        let most = if codes > MAX_CODES { MAX_GIVEN } else { usize::MAX };
                        let operands = parsed.operands.iter().take(most);
                        let given: Vec<Value> = operands.map(|(v, _)| (*v).clone()).collect();
                        self.spend_bytes(given.len() * BYTES_PER_WORD);
                        given.into()
                    } else if words_option(option) {
                        parsed.commands.first().map_or(&[][..], |(w, _)| w).into()
                    } else {
                        Args::default()
                    };
                    labels = labels.with(self.role(option.role, value, &context, &rest));
                }
            }
        }
        self.move_onto_one(parsed, &context);
        let mut operands = None;
        for (i, (value, role)) in parsed.operands.iter().enumerate() {
            if self.is_spent(span) {
                break;
            }
            // Only what is run is handed the words after it.
            let rest = if matches!(role.kind, RoleKind::RunFile | RoleKind::Code) {
                operands.get_or_insert_with(|| words_of(parsed)).after(i + 1)
            } else {
                Args::default()
            };
            labels = labels.with(self.role(*role, value, &context, &rest));
            self.compiled(*role, value, context.program);
        }
        self.put_into(parsed, &context);
        self.moves(parsed);
        self.copies(parsed, &context, labels);
        if let (Some((target, _)), Some((link, role))) = (parsed.operands.first(), parsed.operands.last())
            && role.tags.contains(&"link")
        {
            self.link_to_program(target, link);
            self.link(target, link);
        }
        let mut out = None;
        let joined = parsed
            .options
            .iter()
            .any(|(o, value)| value.is_some() && words_option(o));
        for (words, role) in parsed.commands.iter().filter(|_| !joined) {
            if self.is_spent(span) {
                break;
            }
            out = Some(self.start(words, *role, &context, parsed, span));
        }
        for does in parsed.path.iter().flat_map(|p| p.does.iter()) {
            if parsed.all(does.when) {
                self.does(does, parsed, &context, span);
            }
        }
        for (role, when) in parsed.path.iter().flat_map(|p| p.stdin.iter()) {
            if parsed.all(when) {
                self.stdin_role(*role, &context, &words_of(parsed), span);
            }
        }
        out.unwrap_or_else(|| self.output(parsed, &context, argv, labels))
    }

    fn does(&mut self, does: &Does, parsed: &Parsed, context: &Context, span: Span) {
        let mut tags = context.tags.clone();
        does.tags.iter().for_each(|t| tags.add(t));
        let operands: Vec<&Value> = match does.on {
            On::None if does.what.starts_with("task.") => return self.task(does, &[], parsed, context, span),
            On::None if does.act == Act::Discard => return self.discard(does, &[], tags, context, parsed, span),
            On::None => {
                self.stage().iter().for_each(|label| tags.add(label));
                return self.effect(does.act, does.what, Target::None, tags, context.program, span);
            }
            On::Cwd => {
                let here = Value::text(".").at(span);
                self.path_effect(does.act, does.what, &here, tags, context.program);
                return;
            }
            On::Path(path) if does.what.starts_with("task.") => {
                let name = Value::text(path).at(span);
                return self.task(does, &[&name], parsed, context, span);
            }
            On::Path(path) => {
                let value = Value::text(path).at(span);
                self.path_effect(does.act, does.what, &value, tags, context.program);
                return;
            }
            On::Operands => parsed.operands.iter().map(|(v, _)| *v).collect(),
            On::Files => parsed.files().collect(),
            On::First => parsed.operands.iter().map(|(v, _)| *v).take(1).collect(),
            On::Last => parsed.operands.iter().map(|(v, _)| *v).rev().take(1).collect(),
            On::Option(name) => parsed
                .options
                .iter()
                .filter(|(o, _)| o.named(name))
                .filter_map(|(_, v)| v.as_deref())
                .collect(),
        };
        if does.what.starts_with("task.") {
            return self.task(does, &operands, parsed, context, span);
        }
        if does.act == Act::Discard {
            return self.discard(does, &operands, tags, context, parsed, span);
        }
        for value in operands {
            self.act_on(does, value, tags.clone(), context, span);
        }
    }

    fn act_on(&mut self, does: &Does, value: &Value, mut tags: Tags, context: &Context, span: Span) {
        match does.act {
            // What is unpacked gets the name that the packed file had before.
            Act::Write if tags.has("unpacked") => {
                if let Some(name) = super::into::unpacked(value) {
                    self.path_effect(does.act, does.what, &name, tags, context.program);
                }
            }
            Act::Read | Act::Write | Act::Delete | Act::Permit => {
                self.path_effect(does.act, does.what, value, tags, context.program);
            }
            // What is done to a place has the labels of the place.
            Act::Do if tags.has("place") => {
                self.path_effect(does.act, does.what, value, tags, context.program);
            }
            _ => {
                value.labels.names().for_each(|l| tags.add(l));
                let target = Target::Text(value.pattern().replace(UNKNOWN, "…"));
                self.effect(does.act, does.what, target, tags, context.program, span);
            }
        }
    }

    /// A command that a program starts.
    fn start(&mut self, words: &[Value], role: Role, context: &Context, parsed: &Parsed, span: Span) -> Stream {
        if let (Some(registry), Some(first)) = (role.arg.strip_prefix("package-"), words.first()) {
            self.package(registry, first, context);
        }
        let why = alloc::format!("{} runs", context.program);
        self.chain.push(why);
        let around = self.around.len();
        self.around
            .extend(LASTING.iter().filter(|label| role.tags.contains(label)));
        let out = match (role.kind, role.arg) {
            (RoleKind::ScriptWords, "parallel") => self.parallel(words, context, span),
            // On another host, or in folders that the program finds, the working directory is another one.
            (RoleKind::ScriptWords, _) if role.tags.iter().any(|t| ["remote", "elsewhere"].contains(t)) => {
                let joined = join(words);
                let program = context.program;
                self.subshell(|eval| {
                    eval.state.cwd = None;
                    eval.code_value("sh", &joined, program, context.stdin.clone(), role.tags)
                })
            }
            (RoleKind::ScriptWords, _) => {
                let joined = join(words);
                self.code_value("sh", &joined, context.program, context.stdin.clone(), role.tags)
            }
            (RoleKind::CommandUntil, _) => self.for_each_found(words, role, parsed, span),
            // `uv run x.py`: an interpreter is understood.
            (_, lang @ "python") if words.first().is_some_and(|w| w.pattern().ends_with(".py")) => {
                let role = Role {
                    kind: RoleKind::RunFile,
                    arg: lang,
                    tags: &[],
                };
                if let Some((file, rest)) = words.split_first() {
                    self.run_operand(role, file, context, &rest.into());
                }
                Stream::unknown(Labels::PROGRAM)
            }
            (_, "xargs") => self.xargs(words, context, parsed, span),
            _ => self.in_container(parsed, |eval| {
                eval.external = true;
                eval.invoke(words, context.stdin.clone(), context.piped, span)
            }),
        };
        self.around.truncate(around);
        self.chain.pop();
        out
    }
}

/// The operands, to be handed on.
fn words_of(parsed: &Parsed) -> Args {
    let words: Vec<Value> = parsed.operands.iter().map(|(word, _)| (*word).clone()).collect();
    words.into()
}

/// The permission class of a call: the innermost subcommand that has one says it.
fn class_of(parsed: &Parsed) -> Option<&'static str> {
    let holds = |(class, when): &(&'static str, &[facts::Cond])| parsed.all(when).then_some(*class);
    let mut classes = parsed.path.iter().rev().map(|p| p.class).filter(|c| !c.is_empty());
    classes.next()?.iter().find_map(holds)
}

/// The variables that options give to code.
fn bindings(parsed: &Parsed) -> Vec<(String, Value)> {
    let given = parsed.options.iter().filter(|(o, _)| o.role.tags.contains(&"variable"));
    let pair = |value: &Value| {
        let (name, _) = value.prefix().split_once('=')?;
        Some((name.to_string(), value.without_prefix(name.len() + 1)))
    };
    given.filter_map(|(_, value)| pair(value.as_ref()?)).collect()
}

/// `env -S 'cmd a' b`: the text and the words after it are one command.
fn words_option(option: &facts::Opt) -> bool {
    option.role.kind == RoleKind::Words && option.role.arg.is_empty()
}

/// `python3.11` is `python3`, `clang-17` is `clang`.
fn versionless(base: &str) -> &str {
    base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}

pub(super) fn join(words: &[Value]) -> Value {
    let mut out = Value::default();
    for (i, word) in words.iter().enumerate() {
        if i > 0 {
            out.push_text(" ");
        }
        out.append(word);
    }
    if let (Some(first), Some(last)) = (words.first(), words.last()) {
        out.span = Span {
            start: first.span.start,
            end: last.span.end,
        };
    }
    out
}
