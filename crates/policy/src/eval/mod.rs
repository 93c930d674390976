//! Abstract evaluation: a [`shell::Script`] walked without running it.
//!
//! Variables, `cd`, functions, aliases, substitutions, pipes and here-documents are followed as far as their values
//! are known; what is not known stays [`Unknown`](value::Piece::Unknown). The result is a list of effects. The work is
//! bounded by [`FUEL`] and by [`MAX_NEST`]; reaching a bound is itself an effect, so a bound never hides anything.

mod answers;
mod args;
mod arith;
mod braces;
mod builtins;
mod calls;
mod code;
mod commands;
mod declare;
mod dialects;
mod effects;
mod expand;
mod feeders;
mod fetched;
mod filters;
mod gitfiles;
mod globs;
mod into;
mod invoke;
mod keyed;
mod load;
mod long;
mod look;
mod losses;
mod memo;
mod modules;
mod mounts;
mod packages;
mod params;
mod paths;
mod patterns;
mod pieces;
mod reads;
mod recode;
mod redirects;
mod results;
mod roles;
mod sed;
mod state;
mod tasks;
mod textlines;
mod tree;
mod unlisted;
mod uses;
mod value;

#[cfg(test)]
mod tests;

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;

use shell::Span;

use args::Args;
pub(crate) use filters::inflate;
use state::{Function, Log, Shared, State, Var};
pub(crate) use value::{Labels, Piece, Stream, UNKNOWN, Value};

use crate::effect::Tags;
use crate::facts::RoleKind;
use crate::places;
use crate::world::Recorder;
use crate::{Act, Answer, Loss, Target};

/// Commands that are looked at before the evaluator gives up.
const FUEL: u32 = 20_000;
/// Bytes of a long text for each that is looked at in it.
const BYTES_PER_COMMAND: usize = 2;
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
/// States that are followed side by side when it is not known what ran.
const MAX_STATES: usize = 6;
/// Bytes of a text that cannot be read that are looked at in pieces.
const MAX_TOKENS: usize = 64 << 10;
/// Words that may stand before a command.
const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "do", "while", "until", "{", "}", "!", "[[", "time", "coproc",
];
/// Bytes of text that are parsed a second time (`eval`, `sh -c`) in total.
const MAX_REPARSE: usize = 2 << 20;
/// Bytes of text that is too long for a tree, and is read a second time, in total.
const MAX_REREAD: usize = 8 << 20;

/// The evaluator.
pub(crate) struct Eval<'w> {
    pub(crate) world: &'w Recorder<'w>,
    pub(crate) workspace: String,
    pub(crate) effects: effects::Effects,
    /// Labels of every effect that comes.
    marks: Vec<effects::Mark>,
    state: Shared<State>,
    /// What is looked up in any state.
    log: Rc<Log>,
    /// Calls that were evaluated, by function.
    remembered: BTreeMap<usize, Vec<memo::Call>>,
    /// Commands that were evaluated, by their text.
    texts: memo::Texts,
    /// The lowest of the present calls that was found again further up and not followed.
    cut: usize,
    chain: Vec<String>,
    /// Inside text that does not stand literally in the request: the place that it came from.
    pin: Option<Span>,
    /// The same for text inside a file: its place in that file.
    file_pin: Option<Span>,
    /// Files whose text is being judged, each started by the one before.
    sources: Vec<Rc<look::Source>>,
    /// Files that were read.
    looked_into: Vec<String>,
    /// Variables that options give to the code that comes next: `awk -v x=y`.
    bindings: Vec<(String, Value)>,
    /// Projects whose manifests were read.
    listings: Vec<Rc<packages::Listing>>,
    /// Modules that code has loaded.
    modules: Vec<String>,
    /// Variables of the text that the present command was made of.
    uses: uses::Uses,
    /// Where the present command stands.
    here: Span,
    /// What ran so far may have changed what the world says about work that could be lost.
    disturbed: bool,
    /// Deleted in the text so far, and what of it is nowhere else.
    taken: Vec<(String, Loss)>,
    /// Branches or tags were moved or removed, so that commits may have lost what led to them.
    moved_refs: bool,
    /// Where protected files lead that are links; looked up when something is first written.
    linked: Option<Vec<(String, &'static [&'static str])>>,
    /// Words were left out of a list of very many.
    dropped: bool,
    /// Labels of paths.
    labelled: RefCell<paths::Labelled>,
    /// Other states in which what follows may run, beside `state`.
    forks: Vec<Shared<State>>,
    /// States after a `cd` that may have failed, until the end of the chain that it stands in.
    failed: Vec<Shared<State>>,
    /// States at a `return` or `exit`, until the function ends.
    left: Vec<Shared<State>>,
    /// States at a `break` or `continue`, until the loop ends.
    broken: Vec<Shared<State>>,
    /// Variables that the functions being called have made their own, and what they held before.
    scopes: Vec<Vec<(String, Option<Var>)>>,
    /// Texts of `trap`, run at the end.
    traps: Vec<Value>,
    /// Functions being called, with the state at the call: calling one again in the same state shows nothing new.
    calls: Vec<(String, Shared<State>)>,
    /// How many loops are around this place.
    loops: u32,
    /// How many of the constructs around this place are known not to run.
    idle: u32,
    /// The next call comes from another program: the shell's functions are not known there.
    external: bool,
    /// The words of every command that was started, while somebody wants to know them.
    noted: Option<Vec<String>>,
    /// What the code that the last call was given prints.
    printed: Option<Stream>,
    /// Labels of everything that the present call does.
    around: Vec<&'static str>,
    /// Whether the last command succeeded, where that is known.
    status: Option<bool>,
    fuel: u32,
    /// The most that there may be of it.
    pub(crate) most: u32,
    /// What is left for files, or, in a file, for the request.
    file_fuel: u32,
    /// A file is being judged.
    on_files: bool,
    /// The shell that the present text is for, where that is another one than bash: what cannot be read of it may mean
    /// something there.
    foreign: &'static str,
    /// Commands that were looked at since the present command of the whole text began.
    effort: u32,
    /// Words that were looked at since then.
    words: u32,
    /// Commands since the beginning.
    spent: u32,
    /// Bytes that were copied and are not yet paid for.
    debt: usize,
    /// Words that are handed from program to program.
    held: usize,
    nest: u32,
    depth: u32,
    reparsed: usize,
    reread: usize,
    exhausted: bool,
}

impl<'w> Eval<'w> {
    pub(crate) fn new(world: &'w Recorder<'w>, cwd: &str) -> Self {
        let cwd = places::clean(cwd, "/");
        let log = Rc::new(Log::default());
        let mut eval = Self {
            world,
            workspace: String::new(),
            effects: effects::Effects::default(),
            marks: Vec::new(),
            state: State::new(cwd.clone(), &log).into(),
            log,
            remembered: BTreeMap::new(),
            texts: memo::Texts::default(),
            cut: usize::MAX,
            chain: Vec::new(),
            pin: None,
            file_pin: None,
            sources: Vec::new(),
            looked_into: Vec::new(),
            bindings: Vec::new(),
            listings: Vec::new(),
            modules: Vec::new(),
            disturbed: false,
            taken: Vec::new(),
            moved_refs: false,
            uses: uses::Uses::default(),
            here: Span::default(),
            linked: None,
            dropped: false,
            labelled: RefCell::default(),
            forks: Vec::new(),
            failed: Vec::new(),
            left: Vec::new(),
            broken: Vec::new(),
            scopes: Vec::new(),
            traps: Vec::new(),
            calls: Vec::new(),
            loops: 0,
            idle: 0,
            external: false,
            around: Vec::new(),
            noted: None,
            printed: None,
            status: None,
            fuel: FUEL,
            most: u32::MAX,
            file_fuel: look::FILE_FUEL,
            on_files: false,
            foreign: "",
            effort: 0,
            words: 0,
            spent: 0,
            debt: 0,
            held: 0,
            nest: 0,
            depth: 0,
            reparsed: 0,
            reread: 0,
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
        self.text_for(text, stdin, true)
    }

    fn text_for(&mut self, text: &str, stdin: Stream, keep: bool) -> Stream {
        let (out, faulty) = self.scripts(shell::Scripts::new(text), &stdin, keep);
        if let Some(faulty) = faulty {
            // A file that cannot be read is no more and no less than one that was not read.
            if self.sources.is_empty() {
                self.faults(faulty);
            }
            self.tokens(text);
        }
        out
    }

    /// Work may be as long as the text that asks for it.
    fn refuel(&mut self, text: &str) {
        self.fuel = self
            .fuel
            .max(u32::try_from(text.len() / BYTES_PER_COMMAND).unwrap_or(u32::MAX))
            .min(self.most);
    }

    /// The whole text of a request: what it says, and then what it left to be done at its end.
    pub(crate) fn request(&mut self, text: &str) {
        self.session(text);
        self.refuel(text);
        self.text_for(text, Stream::unknown(Labels::NONE), false);
        self.leave_shell();
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
            self.give_up("too many texts in one another", span);
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

    fn give_up(&mut self, why: &str, span: Span) {
        if !self.exhausted && !self.on_files {
            self.exhausted = true;
            let mut tags = Tags::default();
            tags.add("limit");
            self.effect(
                Act::RunUnknown,
                "",
                Target::Unknown(alloc::format!("too much to work out: {why}")),
                tags,
                "",
                span,
            );
        }
    }

    fn spend(&mut self, steps: u32, span: Span) -> bool {
        let Some(left) = self.fuel.checked_sub(steps) else {
            self.give_up("too many commands", span);
            return false;
        };
        self.fuel = left;
        self.effort = self.effort.saturating_add(steps);
        self.spent = self.spent.saturating_add(steps);
        true
    }

    /// One more word is looked at, unless there were too many.
    fn is_spent(&mut self, span: Span) -> bool {
        self.spend_bytes(BYTES_PER_LOOK);
        self.words = self.words.saturating_add(1);
        if self.fuel == 0 || (self.exhausted && self.effects.is_full()) {
            self.give_up("too many words", span);
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
        self.effort = self.effort.saturating_add(steps);
    }

    /// Enters a construct, unless it lies too deep.
    fn deeper<T>(&mut self, span: Span, otherwise: T, f: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            self.give_up("too many constructs in one another", span);
            return otherwise;
        }
        self.depth += 1;
        let out = f(self);
        self.depth -= 1;
        out
    }

    /// A part that could not be read is an effect: nobody knows what it does.
    fn faults(&mut self, faulty: long::Faulty) {
        let mut tags = Tags::default();
        tags.add("unparsed");
        if faulty.limit {
            tags.add("limit");
        }
        if !self.foreign.is_empty() {
            tags.add("foreign");
        }
        let span = faulty.span();
        self.effect(
            Act::RunUnknown,
            "",
            Target::Unknown("a part that cannot be read".into()),
            tags,
            "",
            span,
        );
    }

    /// A copy of the state for a subshell; what happens in there is taken back, except files that it wrote, or may have
    /// written.
    fn subshell<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.spend_bytes(BYTES_PER_WORD);
        let saved = self.state.clone();
        let forks = core::mem::take(&mut self.forks);
        let failed = core::mem::take(&mut self.failed);
        let out = f(self);
        let ends = core::mem::replace(&mut self.forks, forks);
        self.failed = failed;
        let behind = |end: &Shared<State>| {
            let mut state = saved.clone();
            if !state.is(end) {
                state.keep_files(end);
            }
            state
        };
        self.state = behind(&self.state);
        ends.iter().for_each(|end| self.fork(behind(end)));
        out
    }

    /// Adds a state in which what follows may run, too.
    fn fork(&mut self, state: Shared<State>) {
        if state == self.state || self.forks.contains(&state) {
            return;
        }
        let most = self.most_states();
        if self.forks.len() + 1 < most {
            self.forks.push(state);
        } else if most < MAX_STATES
            && let Some(last) = self.forks.last_mut()
        {
            // Among few, the one that was left behind last says more about what follows.
            *last = state;
        }
    }

    /// Notes a state at a `return` or `exit`.
    fn leave(&mut self, state: Shared<State>) {
        if self.left.len() < MAX_STATES {
            self.left.push(state);
        }
    }

    /// Notes a state at a `break` or `continue`: what follows the loop may run in it.
    fn break_off(&mut self, state: Shared<State>) {
        if self.broken.len() < MAX_STATES && !self.broken.contains(&state) {
            self.broken.push(state);
        }
    }

    /// A loop, and behind it the states in which it was left.
    fn looped(&mut self, f: impl FnOnce(&mut Self) -> Stream) -> Stream {
        let outer = core::mem::take(&mut self.broken);
        self.loops += 1;
        let out = f(self);
        self.loops -= 1;
        let broken = core::mem::replace(&mut self.broken, outer);
        broken.into_iter().for_each(|state| self.fork(state));
        out
    }

    /// Runs `f` in the present state and in every fork; afterwards there are as many states as came out.
    fn in_every_state(&mut self, mut f: impl FnMut(&mut Self) -> Stream) -> Stream {
        let forks = core::mem::take(&mut self.forks);
        if forks.is_empty() {
            return f(self);
        }
        let mut traces = Vec::new();
        let mark = self.listen();
        let out = f(self);
        traces.extend(self.heard(mark, &out));
        let first = self.state.clone();
        let mut ends = core::mem::take(&mut self.forks);
        let status = self.status;
        let mut all = out;
        for (n, state) in forks.into_iter().enumerate() {
            if n > 0 && n + 1 >= self.most_states() {
                break;
            }
            self.state = state;
            let out = match traces.iter().find(|trace| trace.fits(&self.state)) {
                Some(trace) => self.repeat(trace),
                None => {
                    let mark = self.listen();
                    let out = f(self);
                    traces.extend(self.heard(mark, &out));
                    out
                }
            };
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
