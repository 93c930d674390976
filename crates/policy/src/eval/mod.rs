//! Abstract evaluation: a [`shell::Script`] walked without running it.
//!
//! Variables, `cd`, functions, aliases, substitutions, pipes and here-documents are followed as far as their values
//! are known; what is not known stays [`Unknown`](value::Piece::Unknown). The result is a list of effects. The work is
//! bounded by [`FUEL`] and by [`MAX_NEST`]; reaching a bound is itself an effect, so a bound never hides anything.

mod answers;
mod arith;
mod braces;
mod builtins;
mod code;
mod commands;
mod expand;
mod feeders;
mod filters;
mod globs;
mod invoke;
mod look;
mod losses;
mod params;
mod paths;
mod patterns;
mod recode;
mod results;
mod roles;
mod sed;
mod tasks;
mod textlines;
mod value;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use shell::{Command, FaultKind, Script, Span};

pub(crate) use filters::inflate;
pub(crate) use value::{Labels, Piece, Stream, UNKNOWN, Value};

use crate::effect::{Tags, Use};
use crate::facts::RoleKind;
use crate::places;
use crate::world::Recorder;
use crate::{Act, Answer, Effect, Loss, Target};

/// Commands that are looked at before the evaluator gives up.
const FUEL: u32 = 20_000;
/// Texts inside texts (`sh -c "sh -c ..."`) that are entered, and nested calls of functions.
const MAX_NEST: u32 = 24;
/// Constructs inside constructs that are entered, counted through all texts: it bounds the stack.
const MAX_DEPTH: u32 = 160;
/// What a look at a word costs, in bytes.
const BYTES_PER_LOOK: usize = 8;
/// What a copy of a word costs, in bytes.
const BYTES_PER_WORD: usize = 64;
/// Bytes that cost as much as one command when they are copied or compared.
const BYTES_PER_STEP: usize = 512;
/// Effects among which one that comes again is looked for.
const RECENT: usize = 64;
/// Effects that are kept. Only the one that says that there were more comes on top.
const MAX_EFFECTS: usize = 8192;
/// States that are followed side by side when it is not known what ran.
const MAX_STATES: usize = 6;
/// Bytes of a text that cannot be read that are looked at in pieces.
const MAX_TOKENS: usize = 64 << 10;
/// Words that may stand before a command.
const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "do", "while", "until", "{", "}", "!", "[[", "time", "coproc",
];
/// Bytes of text that are parsed a second time (`eval`, `sh -c`) in total.
const MAX_REPARSE: usize = 4 << 20;

/// What a variable holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Var {
    Scalar(Value),
    Array(Vec<Value>),
    /// Another name for a variable (`declare -n`).
    Ref(String),
}

/// A function, and where its text stands.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    body: Rc<Command>,
    pin: Option<Span>,
    source: Option<Rc<look::Source>>,
}

/// What a subshell inherits and does not give back.
#[derive(Clone, Debug)]
pub(crate) struct State {
    vars: BTreeMap<String, Var>,
    /// Variables that other programs get to see.
    exported: BTreeSet<String>,
    functions: BTreeMap<String, Function>,
    aliases: BTreeMap<String, String>,
    positional: Vec<Value>,
    /// `$0`, where a text was given another one.
    zero: Option<Value>,
    /// `None` after a `cd` to a place that is not known.
    cwd: Option<String>,
    /// Files written earlier in the text, and with what.
    written: BTreeMap<String, Stream>,
    /// Links and mounts made earlier in the text: the new path, and what it stands for.
    links: BTreeMap<String, String>,
    /// Copies of programs: the path, and the name of the program.
    renamed: BTreeMap<String, String>,
    /// What can be read from descriptors that the text opened.
    inputs: BTreeMap<u32, Stream>,
    /// Files that descriptors which the text opened write to.
    outputs: BTreeMap<u32, Value>,
    /// `>(..)`: the name, and what reads from it.
    sinks: BTreeMap<String, Rc<Script>>,
}

impl State {
    /// Bytes that a copy costs, roughly.
    fn weight(&self) -> usize {
        let var = |v: &Var| match v {
            Var::Scalar(v) => v.weight(),
            Var::Array(vs) => vs.iter().map(|v| v.weight() + BYTES_PER_WORD).sum(),
            Var::Ref(name) => name.len(),
        };
        let vars: usize = self.vars.values().map(var).sum();
        let written: usize = self
            .written
            .values()
            .filter_map(|s| s.text.as_ref())
            .map(String::len)
            .sum();
        vars + written
            + self
                .positional
                .iter()
                .map(|v| v.weight() + BYTES_PER_WORD)
                .sum::<usize>()
    }
}

/// The evaluator.
pub(crate) struct Eval<'w> {
    pub(crate) world: &'w Recorder<'w>,
    pub(crate) workspace: String,
    pub(crate) effects: Vec<Effect>,
    state: State,
    chain: Vec<String>,
    /// Inside text that does not stand literally in the request: the place that it came from.
    pin: Option<Span>,
    /// The same for text inside a file: its place in that file.
    file_pin: Option<Span>,
    /// Files whose text is being judged, each started by the one before.
    sources: Vec<Rc<look::Source>>,
    /// Files that were read.
    looked_into: Vec<String>,
    /// Variables of the text that the present command was made of.
    uses: Arc<Vec<Use>>,
    /// Where the present command stands.
    here: Span,
    /// What ran so far may have changed what the world says about work that could be lost.
    disturbed: bool,
    /// Branches or tags were moved or removed, so that commits may have lost what led to them.
    moved_refs: bool,
    /// Where protected files lead that are links; looked up when something is first written.
    linked: Option<Vec<(String, &'static [&'static str])>>,
    /// Other states in which what follows may run, beside `state`.
    forks: Vec<State>,
    /// States after a `cd` that may have failed, until the end of the chain that it stands in.
    failed: Vec<State>,
    /// States at a `return`, `break` or `continue`, until the function or loop ends.
    left: Vec<State>,
    /// Texts of `trap`, run at the end.
    traps: Vec<Value>,
    /// Functions being called, with the state at the call: calling one again in the same state shows nothing new.
    calls: Vec<(String, State)>,
    /// The next call comes from another program: the shell's functions are not known there.
    external: bool,
    /// What the code that the last call was given prints.
    printed: Option<Stream>,
    /// Labels of everything that the present call does.
    around: Vec<&'static str>,
    /// Whether the last command succeeded, where that is known.
    status: Option<bool>,
    fuel: u32,
    /// Bytes that were copied and are not yet paid for.
    debt: usize,
    nest: u32,
    depth: u32,
    reparsed: usize,
    exhausted: bool,
}

impl<'w> Eval<'w> {
    pub(crate) fn new(world: &'w Recorder<'w>, cwd: &str) -> Self {
        let cwd = places::clean(cwd, "/");
        let mut eval = Self {
            world,
            workspace: String::new(),
            effects: Vec::new(),
            state: State {
                vars: BTreeMap::new(),
                exported: BTreeSet::new(),
                functions: BTreeMap::new(),
                aliases: BTreeMap::new(),
                positional: Vec::new(),
                zero: None,
                cwd: Some(cwd.clone()),
                written: BTreeMap::new(),
                links: BTreeMap::new(),
                renamed: BTreeMap::new(),
                inputs: BTreeMap::new(),
                outputs: BTreeMap::new(),
                sinks: BTreeMap::new(),
            },
            chain: Vec::new(),
            pin: None,
            file_pin: None,
            sources: Vec::new(),
            looked_into: Vec::new(),
            disturbed: false,
            moved_refs: false,
            uses: Arc::default(),
            here: Span::default(),
            linked: None,
            forks: Vec::new(),
            failed: Vec::new(),
            left: Vec::new(),
            traps: Vec::new(),
            calls: Vec::new(),
            external: false,
            around: Vec::new(),
            printed: None,
            status: None,
            fuel: FUEL,
            debt: 0,
            nest: 0,
            depth: 0,
            reparsed: 0,
            exhausted: false,
        };
        eval.workspace = eval.find_workspace(&cwd);
        eval
    }

    /// The nearest folder at or above `cwd` that holds a repository, short of the home directory; else `cwd`.
    fn find_workspace(&self, cwd: &str) -> String {
        let mut dir = cwd;
        for _ in 0..32 {
            if dir == self.world.home() || dir.is_empty() {
                break;
            }
            if !matches!(
                self.world.kind(&alloc::format!("{dir}/.git")),
                Answer::Absent | Answer::Unknown
            ) {
                return dir.to_string();
            }
            dir = dir.rfind('/').and_then(|at| dir.get(..at)).unwrap_or_default();
        }
        cwd.to_string()
    }

    /// Evaluates a whole text; `stdin` is what its commands can read.
    pub(crate) fn text(&mut self, text: &str, stdin: Stream) -> Stream {
        let script = shell::parse(text);
        if script.has_faults() {
            // A file that cannot be read is no more and no less than one that was not read.
            if self.sources.is_empty() {
                self.faults(&script);
            }
            self.tokens(text);
        }
        self.script(&script, stdin)
    }

    /// The whole text of a request: what it says, and then what it left to be done at its end.
    pub(crate) fn request(&mut self, text: &str) {
        self.session(text);
        self.text(text, Stream::unknown(Labels::NONE));
        for trap in core::mem::take(&mut self.traps) {
            self.in_every_state(|eval| {
                eval.subshell(|eval| eval.code_value("sh", &trap, "trap", Stream::empty(), &[]))
            });
        }
    }

    /// An interpreter alone on the first line: whoever wrote that means the lines behind it for it.
    fn session(&mut self, text: &str) {
        let Some((first, rest)) = text.split_once('\n') else {
            return;
        };
        let name = first.trim();
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let Some(program) = self.world.program(name).or_else(|| self.world.program(bare)) else {
            return;
        };
        let reads = program
            .stdin
            .iter()
            .find(|(r, _)| r.kind == RoleKind::Code && !matches!(r.arg, "" | "sh"));
        if let Some((role, _)) = reads {
            let span = Span::default();
            self.nested(span, "lines typed in", |eval| {
                eval.language(role.arg, rest, name, &Stream::empty(), span)
            });
        }
    }

    /// A text that cannot be read as a whole is also judged in pieces: whatever stands between two separators, as if it
    /// were a command of its own. bash would refuse the text, so this can only be too strict.
    fn tokens(&mut self, text: &str) {
        let head = text.get(..MAX_TOKENS).unwrap_or(text);
        for piece in head.split([';', '\n', '|', '&', '(', ')', '`']).take(256) {
            let mut piece = piece.trim();
            while let Some((_, rest)) = piece
                .split_once(char::is_whitespace)
                .filter(|(w, _)| RESERVED.contains(w))
            {
                piece = rest.trim_start();
            }
            // `case x in a` and `for x in a` leave the words after `in`.
            let piece = piece.rsplit(" in ").next().unwrap_or(piece);
            // A leftover of an expression is no command: only a plain name starts one.
            let named = piece
                .split_whitespace()
                .next()
                .is_some_and(|w| !w.contains(['*', '?', '[', '$']));
            let script = shell::parse(piece);
            if named && !script.has_faults() {
                self.subshell(|eval| eval.script(&script, Stream::empty()));
            }
        }
    }

    /// Text that another command hands to a shell.
    fn inner_text(&mut self, text: &str, span: Span, why: &str, stdin: Stream) -> Stream {
        self.reparsed += text.len();
        if self.nest >= MAX_NEST || self.reparsed > MAX_REPARSE {
            self.give_up(span);
            return Stream::unknown(Labels::RUNTIME);
        }
        self.nested(span, why, |eval| eval.text(text, stdin))
    }

    /// Runs `f` one level deeper, with every span pinned to `span` and `why` in the chain.
    fn nested<T>(&mut self, span: Span, why: &str, f: impl FnOnce(&mut Self) -> T) -> T {
        let (pin, file_pin) = (self.pin, self.file_pin);
        self.pin = Some(pin.unwrap_or(span));
        if !self.sources.is_empty() {
            self.file_pin = Some(file_pin.unwrap_or(span));
        }
        self.nest += 1;
        self.chain.push(why.into());
        let out = f(self);
        self.chain.pop();
        self.nest -= 1;
        self.pin = pin;
        self.file_pin = file_pin;
        out
    }

    fn give_up(&mut self, span: Span) {
        if !self.exhausted {
            self.exhausted = true;
            let mut tags = Tags::default();
            tags.add("limit");
            self.effect(
                Act::RunUnknown,
                "",
                Target::Unknown("too much to work out".into()),
                tags,
                "",
                span,
            );
        }
    }

    fn spend(&mut self, span: Span) -> bool {
        if self.fuel == 0 {
            self.give_up(span);
            return false;
        }
        self.fuel -= 1;
        true
    }

    /// One more word is looked at, unless there were too many.
    fn is_spent(&mut self, span: Span) -> bool {
        self.spend_bytes(BYTES_PER_LOOK);
        if self.fuel == 0 || (self.exhausted && self.effects.len() > MAX_EFFECTS) {
            self.give_up(span);
            return true;
        }
        false
    }

    /// Copying and comparing text costs, too.
    fn spend_bytes(&mut self, bytes: usize) {
        self.debt = self.debt.saturating_add(bytes);
        let steps = u32::try_from(self.debt / BYTES_PER_STEP).unwrap_or(u32::MAX);
        self.debt %= BYTES_PER_STEP;
        self.fuel = self.fuel.saturating_sub(steps);
    }

    /// Enters a construct, unless it lies too deep.
    fn deeper<T>(&mut self, span: Span, otherwise: T, f: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            self.give_up(span);
            return otherwise;
        }
        self.depth += 1;
        let out = f(self);
        self.depth -= 1;
        out
    }

    /// A part that could not be read is an effect: nobody knows what it does.
    fn faults(&mut self, script: &Script) {
        let mut tags = Tags::default();
        tags.add("unparsed");
        // bash would refuse a text that is malformed, but it runs one that is only too much for us.
        if script.any_fault(|f| matches!(f.kind, FaultKind::TooDeep | FaultKind::TooLong)) {
            tags.add("limit");
        }
        let span = script.faults.first().map_or_else(Span::default, |f| f.span);
        self.effect(
            Act::RunUnknown,
            "",
            Target::Unknown("a part that cannot be read".into()),
            tags,
            "",
            span,
        );
    }

    pub(crate) fn effect(
        &mut self,
        act: Act,
        what: &'static str,
        target: Target,
        tags: Tags,
        program: &str,
        span: Span,
    ) {
        self.effect_with(act, what, target, tags, program, span, Loss::default());
    }

    #[expect(clippy::too_many_arguments, reason = "they are the parts of an effect")]
    fn effect_with(
        &mut self,
        act: Act,
        what: &'static str,
        target: Target,
        tags: Tags,
        program: &str,
        span: Span,
        loss: Loss,
    ) {
        // A long beginning must not hide what comes after it.
        if self.effects.len() >= MAX_EFFECTS && !tags.has("limit") {
            return self.give_up(span);
        }
        let mut chain = self.chain.clone();
        let mut tags = tags;
        if act == Act::Do || act == Act::Delete {
            self.around.iter().for_each(|tag| tags.add(tag));
        }
        if let Some(source) = self.sources.last() {
            tags.add("in-file");
            chain.push(source.place(self.file_pin.unwrap_or(span)));
        }
        // What was put together from elsewhere has no place of its own; the command that it is in has one.
        let span = self
            .pin
            .unwrap_or(if span.start == span.end { self.here } else { span });
        let effect = Effect {
            act,
            what,
            target,
            tags,
            program: program.into(),
            span,
            chain,
            uses: self.uses.clone(),
            loss,
        };
        self.disturbed |= losses::disturbs(&effect);
        self.moved_refs |= losses::moves_refs(&effect);
        // The same effect again, as in a loop, says nothing new.
        let again = self.effects.iter().rev().take(RECENT).any(|e| *e == effect);
        if !again {
            self.effects.push(effect);
        }
    }

    /// A copy of the state for a subshell; what happens in there is taken back, except files that it wrote.
    fn subshell<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.spend_bytes(self.state.weight());
        let saved = self.state.clone();
        let forks = core::mem::take(&mut self.forks);
        let failed = core::mem::take(&mut self.failed);
        let out = f(self);
        self.forks = forks;
        self.failed = failed;
        let inner = core::mem::replace(&mut self.state, saved);
        self.state.written = inner.written;
        self.state.links = inner.links;
        self.state.renamed = inner.renamed;
        out
    }

    /// Adds a state in which what follows may run, too.
    fn fork(&mut self, state: State) {
        if self.forks.len() + 1 < MAX_STATES && state != self.state && !self.forks.contains(&state) {
            self.forks.push(state);
        }
    }

    /// Runs `f` in the present state and in every fork; afterwards there are as many states as came out.
    fn in_every_state(&mut self, mut f: impl FnMut(&mut Self) -> Stream) -> Stream {
        let forks = core::mem::take(&mut self.forks);
        let out = f(self);
        if forks.is_empty() {
            return out;
        }
        let first = self.state.clone();
        let mut ends = core::mem::take(&mut self.forks);
        let status = self.status;
        let mut all = out;
        for state in forks {
            self.state = state;
            let out = f(self);
            if out.text != all.text {
                all.text = None;
            }
            all.labels = all.labels.with(out.labels);
            ends.push(core::mem::replace(&mut self.state, first.clone()));
            ends.append(&mut self.forks);
        }
        self.state = first;
        self.status = self.status.filter(|_| self.status == status);
        ends.into_iter().for_each(|state| self.fork(state));
        all
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        let same_functions = self.functions.len() == other.functions.len()
            && self
                .functions
                .iter()
                .zip(&other.functions)
                .all(|((a, x), (b, y))| a == b && Rc::ptr_eq(&x.body, &y.body));
        same_functions
            && self.cwd == other.cwd
            && self.vars == other.vars
            && self.exported == other.exported
            && self.positional == other.positional
            && self.aliases == other.aliases
            && self.links == other.links
            && self.written == other.written
    }
}
