//! Lists, pipelines and compound commands.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::{Arm, Chain, Command, Form, Item, Joint, Part, Pipeline, Redirect, RedirectOp, Script, Word};

use super::{Eval, Function, Labels, Stream, Value, Var};
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
    /// Everything a list writes to its standard output. Where a part may or may not have run, what follows is evaluated
    /// for both.
    pub(super) fn script(&mut self, script: &Script, stdin: Stream) -> Stream {
        let mut out = Stream::empty();
        let outer = core::mem::take(&mut self.forks);
        for item in &script.items {
            out = out.then(self.in_every_state(|eval| eval.item(item, &stdin)));
        }
        let inner = core::mem::replace(&mut self.forks, outer);
        inner.into_iter().for_each(|state| self.fork(state));
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
        for (joint, pipeline) in &chain.rest {
            let runs = self.status.map(|ok| ok == (*joint == Joint::And));
            if *joint == Joint::Or {
                self.after_failure(pipeline, stdin);
            }
            let next = self.perhaps(runs, |eval| eval.pipeline(pipeline, stdin));
            // `which python3 || which python`: names for the same thing, of which one comes out.
            let names = [&out, &next].iter().all(|s| s.labels.has(Labels::LOOKED_UP));
            out = if names && *joint == Joint::Or {
                out
            } else {
                out.then(next)
            };
        }
        // A `cd` that fails leaves everything where it was.
        core::mem::take(&mut self.failed)
            .into_iter()
            .for_each(|state| self.fork(state));
        out
    }

    /// `cd x || ...`: what comes after `||` runs where the `cd` failed.
    fn after_failure(&mut self, pipeline: &Pipeline, stdin: &Stream) {
        for failed in core::mem::take(&mut self.failed) {
            let here = core::mem::replace(&mut self.state, failed);
            self.pipeline(pipeline, stdin);
            let there = core::mem::replace(&mut self.state, here);
            self.fork(there);
        }
    }

    /// Something that runs (`Some(true)`), does not run, or may run. What does not run is looked at all the same, without
    /// its consequences: nothing is judged more mildly because of a condition.
    fn perhaps(&mut self, runs: Option<bool>, f: impl FnOnce(&mut Self) -> Stream) -> Stream {
        match runs {
            Some(true) => f(self),
            Some(false) => {
                let status = self.status;
                let (written, links) = (self.state.written.clone(), self.state.links.clone());
                self.subshell(f);
                self.status = status;
                self.state.written = written;
                self.state.links = links;
                Stream::empty()
            }
            None => {
                self.spend_bytes(self.state.weight());
                let before = self.state.clone();
                let out = f(self);
                self.fork(before);
                self.status = None;
                out
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, stdin: &Stream) -> Stream {
        match pipeline.stages.as_slice() {
            [] => Stream::empty(),
            [one] => {
                let out = self.command(one, stdin.clone(), false);
                self.status = self.status.map(|ok| ok != pipeline.negated);
                out
            }
            stages => {
                let out = self.subshell(|eval| {
                    let mut flow = stdin.clone();
                    for (i, stage) in stages.iter().enumerate() {
                        flow = eval.subshell(|eval| eval.command(stage, flow, i > 0));
                    }
                    flow
                });
                self.status = None;
                out
            }
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
        self.status = None;
        // Inside a group or a loop the pipe belongs to the whole of it.
        let piped = piped || stdin.text.as_deref().is_some_and(|t| !t.is_empty()) || stdin.labels.has(FLOWING);
        let mut flow = Flow {
            stdin,
            piped,
            out: Vec::new(),
        };
        self.redirects(&command.redirects, &mut flow);
        self.standing_input(&command.form, &mut flow);
        let out = match &command.form {
            Form::Simple { assigns, words } => {
                self.simple(assigns, words, flow.stdin.clone(), flow.piped, command.span)
            }
            form => self.compound(form, flow.stdin.clone()),
        };
        self.deliver(out, &flow.out)
    }

    /// `exec < file` gives every later command its input.
    fn standing_input(&mut self, form: &Form, flow: &mut Flow) {
        let bare_exec = matches!(form, Form::Simple { words, .. } if matches!(words.as_slice(), [w] if w.literal().as_deref() == Some("exec")));
        if bare_exec && flow.piped {
            self.state.inputs.insert(0, flow.stdin.clone());
        } else if !flow.piped
            && let Some(text) = self.state.inputs.get(&0)
        {
            flow.stdin = text.clone();
            flow.piped = true;
        }
    }

    fn compound(&mut self, form: &Form, stdin: Stream) -> Stream {
        match form {
            Form::Simple { .. } => Stream::empty(),
            Form::Subshell(list) => self.subshell(|eval| eval.script(list, stdin)),
            Form::Group(list) => self.script(list, stdin),
            Form::If { branches, otherwise } => self.branches(branches, otherwise.as_ref(), &stdin),
            Form::Loop { until, condition, body } => self.while_loop(*until, condition, body, &stdin),
            Form::For { name, words, body, .. } => self.for_loop(name, words.as_deref(), body, &stdin),
            Form::ForArith { head, body } => self.for_arith(head, body, &stdin),
            Form::Case { subject, arms } => self.case(subject, arms, &stdin),
            Form::Test(words) => {
                self.test_words(words);
                Stream::empty()
            }
            Form::Arith(expression) => {
                let value = self.arith(expression);
                self.status = value.map(|n| n != 0);
                Stream::empty()
            }
            Form::Function { name, body } => {
                let function = Function {
                    body: body.clone(),
                    pin: self.pin,
                    source: self.sources.last().cloned(),
                };
                self.state.functions.insert(name.clone(), function);
                self.fork_bomb(name, body);
                Stream::empty()
            }
            Form::Coproc(command) => self.subshell(|eval| eval.command(command, Stream::unknown(Labels::INPUT), false)),
        }
    }

    /// The first branch whose condition holds; where that is not known, any of them.
    fn branches(&mut self, branches: &[(Script, Script)], otherwise: Option<&Script>, stdin: &Stream) -> Stream {
        let mut out = Stream::empty();
        // Whether the branches so far have certainly been passed over; `Some(false)`: one was certainly taken.
        let mut reached = Some(true);
        for (condition, body) in branches {
            let go = reached;
            out = out.then(self.perhaps(go, |eval| eval.script(condition, stdin.clone())));
            let held = self.status;
            let runs = both(reached, held);
            out = out.then(self.perhaps(runs, |eval| eval.script(body, stdin.clone())));
            reached = both(reached, held.map(|ok| !ok));
        }
        if let Some(body) = otherwise {
            out = out.then(self.perhaps(reached, |eval| eval.script(body, stdin.clone())));
        }
        self.status = None;
        if reached == Some(false) {
            out
        } else {
            Stream::unknown(out.labels)
        }
    }

    fn while_loop(&mut self, until: bool, condition: &Script, body: &Script, stdin: &Stream) -> Stream {
        let lines = self.read_loop(condition, stdin);
        let mut out = Stream::empty();
        if let Some(lines) = lines {
            for line in lines {
                out = out.then(self.script(condition, Stream::known(line)));
                out = out.then(self.script(body, stdin.clone()));
            }
            return out;
        }
        for _ in 0..MAX_ROUNDS {
            out = out.then(self.script(condition, stdin.clone()));
            let runs = self.status.map(|ok| ok != until);
            out = out.then(self.perhaps(runs, |eval| eval.script(body, stdin.clone())));
            if runs != Some(true) || self.fuel == 0 {
                break;
            }
        }
        self.status = None;
        out
    }

    /// `while read x` over known text runs once a line; any other loop is looked at once.
    fn read_loop(&self, condition: &Script, stdin: &Stream) -> Option<Vec<String>> {
        let reads = condition.items.iter().any(|item| {
            item.chain.first.stages.iter().any(|stage| match &stage.form {
                Form::Simple { words, .. } => words.first().and_then(Word::literal).as_deref() == Some("read"),
                _ => false,
            })
        });
        let text = stdin.text.as_deref().filter(|text| reads && !text.is_empty())?;
        Some(text.lines().take(MAX_ROUNDS).map(ToString::to_string).collect())
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
        self.status = None;
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
        let mut done = false;
        for arm in arms {
            let patterns: Vec<Value> = arm.patterns.iter().map(|p| self.word(p)).collect();
            let hit = known.as_ref().is_none_or(|text| {
                patterns
                    .iter()
                    .any(|p| p.has_unknown() || glob::matches(&p.pattern().replace('*', "**"), text))
            });
            let runs = match (&known, hit || falling) {
                (Some(_), hit) => Some(hit && !done),
                (None, _) => None,
            };
            let arm_out = self.perhaps(runs, |eval| eval.script(&arm.body, stdin.clone()));
            out = out.then(arm_out);
            falling = (hit || falling) && arm.falls_through;
            done |= runs == Some(true) && !falling;
        }
        self.status = None;
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
        self.status = truth(&values);
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
            RedirectOp::HereDoc | RedirectOp::HereString => {
                let text = self.here_text(&redirect.target, redirect.op == RedirectOp::HereString);
                self.feed(fd, text, flow);
            }
            RedirectOp::Read | RedirectOp::ReadWrite => {
                let value = self.word(&redirect.target).at(redirect.span);
                // The terminal is where input comes from anyway.
                if value.known() != Some("/dev/tty") {
                    let text = self.read_file(&value, "");
                    self.feed(fd, text, flow);
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
                match fd {
                    None | Some(1) => flow.out.push((value, append)),
                    Some(fd) => {
                        self.state.outputs.insert(fd, value);
                    }
                }
            }
        }
    }

    /// `>&2` copies a descriptor; `>&file` is an old spelling of `&>file`.
    fn duplicate(&mut self, redirect: &Redirect, flow: &mut Flow) {
        let value = self.word(&redirect.target).at(redirect.span);
        let text = value.pattern();
        if text.chars().all(|c| c.is_ascii_digit() || c == '-') {
            return self.copy_descriptor(&text, redirect, flow);
        }
        if redirect.op == RedirectOp::DupOut && !value.has_unknown() {
            self.write_redirect(&value, RedirectOp::Both);
            flow.out.push((value, false));
        }
    }

    /// What a command reads from a descriptor.
    fn feed(&mut self, fd: Option<u32>, text: Stream, flow: &mut Flow) {
        match fd {
            None | Some(0) => {
                flow.stdin = text;
                flow.piped = true;
            }
            Some(fd) => {
                self.state.inputs.insert(fd, text);
            }
        }
    }

    /// `<&3`, `>&3`: a descriptor that the text opened.
    fn copy_descriptor(&mut self, from: &str, redirect: &Redirect, flow: &mut Flow) {
        let Ok(from) = from.trim_end_matches('-').parse::<u32>() else {
            return;
        };
        if redirect.op == RedirectOp::DupIn {
            if let Some(text) = self.state.inputs.get(&from).cloned() {
                self.feed(redirect.fd, text, flow);
            } else if matches!((redirect.fd, from), (None | Some(0), 1 | 2)) {
                // What was written to is the terminal: somebody types, whatever flowed in before.
                flow.stdin = Stream::empty();
                flow.piped = false;
            }
        } else if let (Some(file), None | Some(1)) = (self.state.outputs.get(&from).cloned(), redirect.fd) {
            flow.out.push((file, true));
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

    /// What is at the path now was not written by this text.
    pub(super) fn forget_written(&mut self, value: &Value) {
        if let Target::Path(path) = self.resolve(value) {
            self.state.written.remove(&path);
        }
    }

    pub(super) fn remember_written(&mut self, value: &Value, stream: Stream, append: bool) {
        let Target::Path(path) = self.resolve(value) else {
            return;
        };
        if let Some(sink) = self.state.sinks.get(&path).cloned() {
            self.subshell(|eval| eval.script(&sink, stream.clone()));
        }
        if self.state.written.len() < 64 {
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

/// Whether both hold, as far as that is known.
fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// The outcome of a test on known words; files and anything longer than one comparison are not known.
pub(super) fn truth(values: &[Value]) -> Option<bool> {
    let number = |v: &Value| v.known().and_then(|t| t.trim().parse::<i64>().ok());
    match values {
        [not, rest @ ..] if not.known() == Some("!") => truth(rest).map(|ok| !ok),
        [one] => one.known().map(|t| !t.is_empty()),
        [flag, one] => match flag.known()? {
            "-z" => one.known().map(str::is_empty),
            "-n" => one.known().map(|t| !t.is_empty()),
            _ => None,
        },
        [a, op, b] => match op.known()? {
            "=" | "==" => Some(a.known()? == b.known()?),
            "!=" => Some(a.known()? != b.known()?),
            "-eq" => Some(number(a)? == number(b)?),
            "-ne" => Some(number(a)? != number(b)?),
            "-lt" => Some(number(a)? < number(b)?),
            "-le" => Some(number(a)? <= number(b)?),
            "-gt" => Some(number(a)? > number(b)?),
            "-ge" => Some(number(a)? >= number(b)?),
            _ => None,
        },
        _ => None,
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
