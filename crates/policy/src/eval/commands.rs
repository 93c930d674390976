//! Lists, pipelines and compound commands.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::{Arm, Chain, Command, Form, Item, Part, Pipeline, Redirect, RedirectOp, Script, Word};

use super::{Eval, Labels, Stream, Value, Var};
use crate::effect::Tags;
use crate::glob;
use crate::{Act, Target};

/// How often the body of a loop over values is evaluated before the values are joined into an unknown one.
const MAX_ROUNDS: usize = 256;

/// Labels that only something that flows in can have.
const FLOWING: Labels = Labels::NETWORK
    .with(Labels::DECODED)
    .with(Labels::SECRET)
    .with(Labels::FILE)
    .with(Labels::PROGRAM);

impl Eval<'_> {
    /// Everything a list writes to its standard output.
    pub(super) fn script(&mut self, script: &Script, stdin: Stream) -> Stream {
        let mut out = Stream::empty();
        for item in &script.items {
            out = out.then(self.item(item, &stdin));
        }
        out
    }

    fn item(&mut self, item: &Item, stdin: &Stream) -> Stream {
        if item.background {
            return self.subshell(|eval| eval.and_or(&item.chain, stdin));
        }
        self.and_or(&item.chain, stdin)
    }

    fn and_or(&mut self, chain: &Chain, stdin: &Stream) -> Stream {
        let mut out = self.pipeline(&chain.first, stdin);
        for (_, pipeline) in &chain.rest {
            out = out.then(self.pipeline(pipeline, stdin));
        }
        out
    }

    fn pipeline(&mut self, pipeline: &Pipeline, stdin: &Stream) -> Stream {
        match pipeline.stages.as_slice() {
            [] => Stream::empty(),
            [one] => self.command(one, stdin.clone(), false),
            stages => self.subshell(|eval| {
                let mut flow = stdin.clone();
                for (i, stage) in stages.iter().enumerate() {
                    flow = eval.subshell(|eval| eval.command(stage, flow, i > 0));
                }
                flow
            }),
        }
    }

    /// One command. `piped` tells that `stdin` comes from a command before it.
    pub(super) fn command(&mut self, command: &Command, stdin: Stream, piped: bool) -> Stream {
        self.deeper(command.span, Stream::unknown(Labels::RUNTIME), |eval| {
            eval.command_here(command, stdin, piped)
        })
    }

    fn command_here(&mut self, command: &Command, stdin: Stream, piped: bool) -> Stream {
        if !self.spend(command.span) {
            return Stream::unknown(Labels::RUNTIME);
        }
        // Inside a group or a loop the pipe belongs to the whole of it.
        let piped = piped || stdin.text.as_deref().is_some_and(|t| !t.is_empty()) || stdin.labels.has(FLOWING);
        let mut flow = Flow {
            stdin,
            piped,
            out: Vec::new(),
        };
        self.redirects(&command.redirects, &mut flow);
        let out = match &command.form {
            Form::Simple { assigns, words } => {
                self.simple(assigns, words, flow.stdin.clone(), flow.piped, command.span)
            }
            form => self.compound(form, flow.stdin.clone()),
        };
        self.deliver(out, &flow.out)
    }

    fn compound(&mut self, form: &Form, stdin: Stream) -> Stream {
        match form {
            Form::Simple { .. } => Stream::empty(),
            Form::Subshell(list) => self.subshell(|eval| eval.script(list, stdin)),
            Form::Group(list) => self.script(list, stdin),
            Form::If { branches, otherwise } => self.branches(branches, otherwise.as_ref(), &stdin),
            Form::Loop { condition, body, .. } => self.while_loop(condition, body, &stdin),
            Form::For { name, words, body, .. } => self.for_loop(name, words.as_deref(), body, &stdin),
            Form::ForArith { head, body } => self.for_arith(head, body, &stdin),
            Form::Case { subject, arms } => self.case(subject, arms, &stdin),
            Form::Test(words) => {
                self.test_words(words);
                Stream::empty()
            }
            Form::Arith(expression) => {
                let _ = self.arith(expression);
                Stream::empty()
            }
            Form::Function { name, body } => {
                self.state.functions.insert(name.clone(), body.clone());
                self.fork_bomb(name, body);
                Stream::empty()
            }
            Form::Coproc(command) => self.subshell(|eval| eval.command(command, Stream::unknown(Labels::INPUT), false)),
        }
    }

    /// Every branch may run, each on what the ones before left behind.
    fn branches(&mut self, branches: &[(Script, Script)], otherwise: Option<&Script>, stdin: &Stream) -> Stream {
        let mut out = Stream::empty();
        for (condition, body) in branches {
            out = out.then(self.script(condition, stdin.clone()));
            out = out.then(self.script(body, stdin.clone()));
        }
        if let Some(body) = otherwise {
            out = out.then(self.script(body, stdin.clone()));
        }
        Stream::unknown(out.labels)
    }

    fn while_loop(&mut self, condition: &Script, body: &Script, stdin: &Stream) -> Stream {
        let lines = self.read_loop(condition, stdin);
        let mut out = Stream::empty();
        for line in lines {
            let feed = line.map_or_else(|| stdin.clone(), Stream::known);
            out = out.then(self.script(condition, feed));
            out = out.then(self.script(body, stdin.clone()));
        }
        out
    }

    /// `while read x` over known text runs once a line; any other loop is looked at once.
    fn read_loop(&self, condition: &Script, stdin: &Stream) -> Vec<Option<String>> {
        let reads = condition.items.iter().any(|item| {
            item.chain.first.stages.iter().any(|stage| match &stage.form {
                Form::Simple { words, .. } => words.first().and_then(Word::literal).as_deref() == Some("read"),
                _ => false,
            })
        });
        match &stdin.text {
            Some(text) if reads && !text.is_empty() => {
                text.lines().take(MAX_ROUNDS).map(|l| Some(l.to_string())).collect()
            }
            _ => alloc::vec![None],
        }
    }

    fn for_loop(&mut self, name: &str, words: Option<&[Word]>, body: &Script, stdin: &Stream) -> Stream {
        let values: Vec<Value> = match words {
            Some(words) => words.iter().flat_map(|w| self.fields(w)).collect(),
            None => self.state.positional.clone(),
        };
        let mut out = Stream::empty();
        for value in values.iter().take(MAX_ROUNDS) {
            self.state.vars.insert(name.into(), Var::Scalar(value.clone()));
            out = out.then(self.script(body, stdin.clone()));
            if self.fuel == 0 {
                break;
            }
        }
        if values.len() > MAX_ROUNDS {
            self.state
                .vars
                .insert(name.into(), Var::Scalar(Value::unknown(Labels::RUNTIME)));
            out = out.then(self.script(body, stdin.clone()));
        }
        out
    }

    fn for_arith(&mut self, head: &[shell::Arith; 3], body: &Script, stdin: &Stream) -> Stream {
        let [start, test, step] = head;
        let _ = self.arith(start);
        let mut out = Stream::empty();
        for _ in 0..MAX_ROUNDS * 4 {
            let go = if test.parts.is_empty() { None } else { self.arith(test) };
            if go == Some(0) || !self.spend(test.span) {
                return out;
            }
            out = out.then(self.script(body, stdin.clone()));
            if go.is_none() {
                break;
            }
            let _ = self.arith(step);
        }
        Stream::unknown(out.labels)
    }

    /// A known subject picks its arm; an unknown one may take any.
    fn case(&mut self, subject: &Word, arms: &[Arm], stdin: &Stream) -> Stream {
        let subject = self.word(subject);
        let known = subject.known().map(ToString::to_string);
        let mut out = Stream::empty();
        let mut falling = false;
        for arm in arms {
            let patterns: Vec<Value> = arm.patterns.iter().map(|p| self.word(p)).collect();
            let hit = known.as_ref().is_none_or(|text| {
                patterns
                    .iter()
                    .any(|p| p.has_unknown() || glob::matches(&p.pattern().replace('*', "**"), text))
            });
            if hit || falling {
                out = out.then(self.script(&arm.body, stdin.clone()));
                falling = arm.falls_through;
                if known.is_some() && !falling {
                    break;
                }
            }
        }
        if known.is_some() {
            out
        } else {
            Stream::unknown(out.labels)
        }
    }

    /// `[[ .. ]]` runs what is substituted in its operands; `-v` and arithmetic comparisons evaluate subscripts.
    fn test_words(&mut self, words: &[Word]) {
        let values: Vec<Value> = words.iter().map(|w| self.word(w)).collect();
        self.test_operands(&values);
    }

    /// A function that pipes into itself in the background, and is called.
    fn fork_bomb(&mut self, name: &str, body: &Command) {
        if calls_itself_twice(name, body) {
            self.effect(
                Act::Do,
                "fork.bomb",
                Target::Text(name.into()),
                Tags::default(),
                "",
                body.span,
            );
        }
    }

    fn redirects(&mut self, redirects: &[Redirect], flow: &mut Flow) {
        for redirect in redirects {
            self.redirect(redirect, flow);
        }
    }

    fn redirect(&mut self, redirect: &Redirect, flow: &mut Flow) {
        let fd = redirect.fd;
        match redirect.op {
            RedirectOp::HereDoc => {
                flow.stdin = self.here_text(&redirect.target, false);
                flow.piped = true;
            }
            RedirectOp::HereString => {
                flow.stdin = self.here_text(&redirect.target, true);
                flow.piped = true;
            }
            RedirectOp::Read | RedirectOp::ReadWrite => {
                let value = self.word(&redirect.target).at(redirect.span);
                if value.known() == Some("/dev/tty") {
                    // The terminal is where input comes from anyway.
                } else if fd.unwrap_or(0) == 0 {
                    flow.stdin = self.read_file(&value, "");
                    flow.piped = true;
                } else {
                    let _ = self.read_file(&value, "");
                }
                if redirect.op == RedirectOp::ReadWrite {
                    self.write_redirect(&value, redirect.op);
                }
            }
            RedirectOp::DupIn | RedirectOp::DupOut => self.duplicate(redirect, flow),
            RedirectOp::Write
            | RedirectOp::Clobber
            | RedirectOp::Append
            | RedirectOp::Both
            | RedirectOp::BothAppend => {
                let value = self.word(&redirect.target).at(redirect.span);
                self.write_redirect(&value, redirect.op);
                let append = matches!(redirect.op, RedirectOp::Append | RedirectOp::BothAppend);
                if fd.is_none_or(|fd| fd == 1) {
                    flow.out.push((value, append));
                }
            }
        }
    }

    /// `>&2` copies a descriptor; `>&file` is an old spelling of `&>file`.
    fn duplicate(&mut self, redirect: &Redirect, flow: &mut Flow) {
        let value = self.word(&redirect.target).at(redirect.span);
        let text = value.pattern();
        if text.chars().all(|c| c.is_ascii_digit() || c == '-') {
            return;
        }
        if redirect.op == RedirectOp::DupOut && !value.has_unknown() {
            self.write_redirect(&value, RedirectOp::Both);
            flow.out.push((value, false));
        }
    }

    fn write_redirect(&mut self, value: &Value, op: RedirectOp) {
        let mut tags = Tags::default();
        tags.add("redirect");
        match op {
            RedirectOp::Append | RedirectOp::BothAppend => tags.add("append"),
            _ => tags.add("truncate"),
        }
        self.path_effect(Act::Write, "", value, tags, "");
    }

    fn here_text(&mut self, word: &Word, newline: bool) -> Stream {
        let value = self.double(&word.parts, word);
        let labels = value.labels;
        match value.known() {
            Some(text) => {
                let mut text = text.to_string();
                if newline {
                    text.push('\n');
                }
                Stream {
                    text: Some(text),
                    labels,
                }
            }
            None => Stream::unknown(labels),
        }
    }

    /// Hands what was written to the files it was redirected to; the rest flows on.
    fn deliver(&mut self, out: Stream, files: &[(Value, bool)]) -> Stream {
        if files.is_empty() {
            return out;
        }
        for (value, append) in files {
            self.remember_written(value, out.clone(), *append);
        }
        Stream {
            text: Some(String::new()),
            labels: Labels::NONE,
        }
    }

    pub(super) fn remember_written(&mut self, value: &Value, stream: Stream, append: bool) {
        if let Target::Path(path) = self.resolve(value)
            && self.state.written.len() < 64
        {
            let before = if append {
                self.state.written.get(&path).cloned()
            } else {
                None
            };
            let stream = before.map_or(stream.clone(), |b| b.then(stream));
            self.state.written.insert(path, stream);
        }
    }
}

struct Flow {
    stdin: Stream,
    piped: bool,
    /// Files that standard output goes to, and whether it is added at their end.
    out: Vec<(Value, bool)>,
}

fn calls_itself_twice(name: &str, body: &Command) -> bool {
    let mut piped = 0;
    let mut background = false;
    count_calls(name, body, &mut piped, &mut background);
    piped >= 2 && background
}

fn count_calls(name: &str, command: &Command, calls: &mut usize, background: &mut bool) {
    let list = match &command.form {
        Form::Subshell(list) | Form::Group(list) => list,
        Form::Simple { words, .. } => {
            let named = |w: &Word| w.literal().as_deref() == Some(name);
            let hidden = words.iter().flat_map(|w| &w.parts).any(|p| matches!(p, Part::Param(_)));
            *calls += usize::from(words.first().is_some_and(named) || (hidden && words.iter().any(named)));
            return;
        }
        _ => return,
    };
    for item in &list.items {
        *background |= item.background;
        for pipeline in core::iter::once(&item.chain.first).chain(item.chain.rest.iter().map(|(_, p)| p)) {
            for stage in &pipeline.stages {
                count_calls(name, stage, calls, background);
            }
        }
    }
}
