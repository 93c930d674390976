//! Lists, pipelines and compound commands.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::{Arm, Chain, Command, Form, Item, Joint, Part, Pipeline, RawKind, Script, Word};

use super::load::MAX_ROUNDS;
use super::redirects::Flow;
use super::state::{Shared, State};
use super::{Eval, Function, Labels, Stream, Value, Var};
use crate::effect::Tags;
use crate::{Act, Target};
use crate::{facts, glob};

/// Functions that are kept.
const MAX_FUNCTIONS: usize = 4096;
/// Rounds of a loop that may be left by a `break` of which it is not known whether it is reached.
const MAX_OPEN_ROUNDS: usize = 8;
/// Rounds among which one that begins like the present one is looked for.
const RECENT_ROUNDS: usize = 4;

/// Labels that only something that flows in can have.
pub(super) const FLOWING: Labels = Labels::NETWORK
    .with(Labels::DECODED)
    .with(Labels::SECRET)
    .with(Labels::FILE)
    .with(Labels::PROGRAM);

impl Eval<'_> {
    /// Everything a list writes to its standard output. Where a part may or may not have run, what follows is evaluated
    /// for both.
    pub(super) fn script(&mut self, script: &Script, stdin: Stream) -> Stream {
        let outer = core::mem::take(&mut self.forks);
        let out = self.items(&script.items, &stdin);
        let inner = core::mem::replace(&mut self.forks, outer);
        inner.into_iter().for_each(|state| self.fork(state));
        out
    }

    /// Some commands of a list.
    pub(super) fn items(&mut self, items: &[Item], stdin: &Stream) -> Stream {
        let mut out = Stream::empty();
        let whole = self.nest == u32::from(!self.sources.is_empty());
        for item in items {
            if whole {
                // What a loop contains is part of one command, however often it comes.
                if self.loops == 0 {
                    (self.effort, self.words) = (0, 0);
                }
                self.forget_calls();
            }
            out = out.then(self.in_every_state(|eval| eval.item(item, stdin)));
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
        for (joint, pipeline) in &chain.rest {
            if let [stage] = pipeline.stages.as_slice()
                && let Form::More(raw) = &stage.form
                && raw.kind == RawKind::Links
                && self.reads_again(raw)
            {
                for (next, pipeline) in raw.links() {
                    out = self.link_of_chain(out, next.unwrap_or(*joint), &pipeline, stdin);
                }
                continue;
            }
            out = self.link_of_chain(out, *joint, pipeline, stdin);
        }
        // A `cd` that fails leaves everything where it was.
        core::mem::take(&mut self.failed)
            .into_iter()
            .for_each(|state| self.fork(state));
        out
    }

    fn link_of_chain(&mut self, out: Stream, joint: Joint, pipeline: &Pipeline, stdin: &Stream) -> Stream {
        let runs = self.status.map(|ok| ok == (joint == Joint::And));
        if joint == Joint::Or {
            self.after_failure(pipeline, stdin);
        }
        let next = self.perhaps(runs, |eval| eval.pipeline(pipeline, stdin));
        // `which python3 || which python`: names for the same thing, of which one comes out.
        let names = [&out, &next].iter().all(|s| s.labels.has(Labels::LOOKED_UP));
        if names && joint == Joint::Or {
            out
        } else {
            out.then(next)
        }
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
    pub(super) fn perhaps(&mut self, runs: Option<bool>, f: impl FnOnce(&mut Self) -> Stream) -> Stream {
        match runs {
            Some(true) => f(self),
            Some(false) => {
                let status = self.status;
                let (written, links) = (self.state.written.clone(), self.state.links.clone());
                let forks = core::mem::take(&mut self.forks);
                self.idle += 1;
                self.subshell(f);
                self.idle -= 1;
                self.forks = forks;
                self.status = status;
                self.state.written = written;
                self.state.links = links;
                Stream::empty()
            }
            None => {
                self.spend_bytes(super::BYTES_PER_WORD);
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
                        if let Form::More(raw) = &stage.form
                            && raw.kind == RawKind::Stages
                            && eval.reads_again(raw)
                        {
                            for stage in raw.stages() {
                                flow = eval.subshell(|eval| eval.command(&stage, flow, true));
                            }
                            continue;
                        }
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
        if !self.spend(1, command.span) {
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
            Form::Simple { assigns, words } => self.simple(assigns, words, flow.stdin, flow.piped, command.span),
            form => self.compound(form, flow.stdin),
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
            Form::If { branches, otherwise } => self.branches(branches, otherwise.as_deref(), &stdin),
            Form::Loop { until, condition, body } => {
                self.looped(|eval| eval.while_loop(*until, condition, body, &stdin))
            }
            Form::For { name, words, body, .. } => {
                self.looped(|eval| eval.for_loop(name, words.as_deref(), body, &stdin))
            }
            Form::ForArith { head, body } => self.looped(|eval| eval.for_arith(head, body, &stdin)),
            Form::Case { subject, arms } => self.case(subject, arms, &stdin),
            Form::More(raw) => self.more(raw, &stdin),
            Form::Test(words) => {
                self.test_words(words);
                Stream::empty()
            }
            Form::Arith(expression) => {
                self.status = self.arith_command(expression);
                Stream::empty()
            }
            Form::Function { name, body } => {
                let function = Function {
                    body: body.clone(),
                    pin: self.pin,
                    source: self.sources.last().cloned(),
                };
                if self.state.functions.len() >= MAX_FUNCTIONS {
                    self.give_up("too many functions", body.span);
                    return Stream::empty();
                }
                self.state.functions.insert(name.as_str(), function);
                self.fork_bomb(name, body);
                // Some names are called by the shell itself.
                if facts::setting("hooks", name).is_some() {
                    let argv = [Value::text(name.as_str()).at(body.span)];
                    self.subshell(|eval| eval.invoke(&argv, Stream::empty(), false, body.span));
                }
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
        let mut seen: Vec<Shared<State>> = Vec::new();
        let left = self.left.len() + self.broken.len();
        for round in 0..MAX_ROUNDS {
            out = out.then(self.script(condition, stdin.clone()));
            let runs = self.status.map(|ok| ok != until);
            out = out.then(self.perhaps(runs, |eval| eval.script(body, stdin.clone())));
            let may_end =
                self.left.len() + self.broken.len() > left && round >= MAX_OPEN_ROUNDS.min(self.most_rounds());
            // A round that begins like one before would only do the same again.
            let stands = seen.iter().rev().take(RECENT_ROUNDS).any(|s| *s == self.state);
            if runs != Some(true) || self.fuel == 0 || may_end || stands {
                break;
            }
            seen.push(self.state.clone());
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
        let (mut values, dropped) = match words {
            Some(words) => self.all_fields(words),
            None => (self.state.positional.to_vec(), false),
        };
        if dropped {
            values.push(Value::unknown(Labels::RUNTIME));
        }
        let mut out = Stream::empty();
        let most = self.most_rounds();
        // Beyond that one value of each kind stands for all of them.
        let others = self.one_of_each(values.get(most..).unwrap_or_default(), most);
        for value in values.iter().take(most).chain(&others) {
            self.state.vars.insert(name, Var::Scalar(value.clone()));
            out = out.then(self.script(body, stdin.clone()));
            if self.fuel == 0 {
                break;
            }
        }
        self.status = None;
        if values.len() > most {
            self.state
                .vars
                .insert(name, Var::Scalar(Value::unknown(Labels::RUNTIME)));
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
            if go == Some(0) || !self.spend(1, test.span) {
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
