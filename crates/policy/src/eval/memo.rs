//! Evaluations that need not be done twice.
//!
//! Where the same commands are looked at in several states, most of these states differ in something that the commands
//! never look at. What was looked up is noted, and a state that agrees in all of it is led to the same end without
//! another evaluation. The effects are there already.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use shell::Item;

use super::state::{Function, Kind, Read, Shared, State};
use super::{Eval, Stream};

/// Calls of one function that are remembered.
const MAX_CALLS: usize = 32;
/// Functions whose calls are remembered.
const MAX_FUNCTIONS: usize = 64;

/// What one evaluation came to.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    reads: Vec<(Kind, Rc<str>)>,
    before: Shared<State>,
    after: Shared<State>,
    forks: Vec<Shared<State>>,
    left: Vec<Shared<State>>,
    broken: Vec<Shared<State>>,
    out: Stream,
    status: Option<bool>,
}

/// Where somebody began to listen to what is looked up.
pub(super) struct Mark {
    before: Shared<State>,
    at: usize,
    base: usize,
    all: bool,
    left: usize,
    broken: usize,
}

/// A call of a function that was evaluated.
#[derive(Clone, Debug)]
pub(super) struct Call {
    function: Function,
    stdin: Stream,
    piped: bool,
    context: Vec<String>,
    around: Vec<&'static str>,
    trace: Trace,
}

/// Texts of commands that are remembered as having been seen, and those of which it is known what they come to.
const MAX_SEEN: usize = 8 << 10;
const MAX_TEXTS: usize = 4 << 10;
/// States in which that is known of one text.
const MAX_STATES_OF_TEXT: usize = 4;
/// Bytes of the shortest text that is worth it.
const SHORTEST: usize = 16;

/// Commands of a long text that come again, as where a script is pasted twice.
#[derive(Debug, Default)]
pub(super) struct Texts {
    seen: BTreeSet<u64>,
    known: BTreeMap<u64, (String, Vec<Trace>)>,
}

impl Eval<'_> {
    /// Commands of the request itself, whose text may have been evaluated before.
    pub(super) fn items_again(&mut self, text: &str, items: &[Item], stdin: &Stream) -> Stream {
        if self.nest > 0 || text.len() < SHORTEST || self.exhausted {
            return self.items(items, stdin);
        }
        let hash = hash(text);
        if !self.texts.seen.contains(&hash) {
            if self.texts.seen.len() < MAX_SEEN {
                self.texts.seen.insert(hash);
            }
            return self.items(items, stdin);
        }
        self.in_every_state(|eval| eval.items_once(hash, text, items, stdin))
    }

    fn items_once(&mut self, hash: u64, text: &str, items: &[Item], stdin: &Stream) -> Stream {
        let known = self.texts.known.get(&hash).filter(|(known, _)| known == text);
        if let Some(trace) = known.and_then(|(_, traces)| traces.iter().find(|t| t.fits(&self.state))) {
            let trace = trace.clone();
            return self.repeat(&trace);
        }
        let mark = self.listen();
        let out = self.items(items, stdin);
        let trace = self.heard(mark, &out);
        if self.texts.known.len() >= MAX_TEXTS {
            self.texts.known.clear();
        }
        if let Some(trace) = trace {
            let (known, traces) = self
                .texts
                .known
                .entry(hash)
                .or_insert_with(|| (text.into(), Vec::new()));
            if known == text && traces.len() < MAX_STATES_OF_TEXT {
                traces.push(trace);
            }
        }
        out
    }

    /// Begins to note what is looked up. Has to be followed by [`Eval::heard`].
    pub(super) fn listen(&self) -> Mark {
        let log = &self.log;
        log.listeners.set(log.listeners.get() + 1);
        let at = log.reads.borrow().len();
        Mark {
            before: self.state.clone(),
            at,
            base: log.base.replace(at),
            all: log.all.replace(false),
            left: self.left.len(),
            broken: self.broken.len(),
        }
    }

    /// What came of the evaluation since `mark`; `None` if it cannot be told what it depended on.
    pub(super) fn heard(&self, mark: Mark, out: &Stream) -> Option<Trace> {
        let log = &self.log;
        log.listeners.set(log.listeners.get().saturating_sub(1));
        let mut reads = log.reads.borrow_mut();
        let from = mark.at.min(reads.len());
        let mut mine = reads.split_off(from);
        // Names that are there are shared, so their addresses tell them apart.
        mine.sort_unstable_by(|a, b| order(a).cmp(&order(b)));
        mine.dedup_by(|a, b| order(a) == order(b));
        if log.listeners.get() > 0 {
            reads.extend(mine.iter().cloned());
        }
        log.base.set(mark.base);
        let all = log.all.get();
        log.all.set(all || mark.all);
        if all || self.exhausted || self.fuel == 0 {
            return None;
        }
        // A name that was set before it was looked up does not count.
        let first = mine
            .into_iter()
            .filter(|(kind, name, address)| mark.before.address_of(*kind, name) == *address);
        Some(Trace {
            reads: first.map(|(kind, name, _)| (kind, name)).collect(),
            before: mark.before,
            after: self.state.clone(),
            forks: self.forks.clone(),
            left: self.left.get(mark.left..).unwrap_or_default().to_vec(),
            broken: self.broken.get(mark.broken..).unwrap_or_default().to_vec(),
            out: out.clone(),
            status: self.status,
        })
    }

    /// Leads the present state, which [`Trace::fits`], to the same end.
    pub(super) fn repeat(&mut self, trace: &Trace) -> Stream {
        self.spend_bytes(super::BYTES_PER_WORD);
        let state = self.state.clone();
        if self.log.listeners.get() > 0 {
            let again = trace
                .reads
                .iter()
                .map(|(kind, name)| (*kind, name.clone(), state.address_of(*kind, name)));
            self.log.reads.borrow_mut().extend(again);
        }
        self.state = state.following(&trace.before, &trace.after).into();
        for fork in &trace.forks {
            self.fork(state.following(&trace.before, fork).into());
        }
        for left in &trace.left {
            self.leave(state.following(&trace.before, left).into());
        }
        for broken in &trace.broken {
            self.break_off(state.following(&trace.before, broken).into());
        }
        self.status = trace.status;
        trace.out.clone()
    }

    /// The same call as one before, in a state that makes no difference to it.
    pub(super) fn known_call(&self, function: &Function, stdin: &Stream, piped: bool) -> Option<Trace> {
        let calls = self.remembered.get(&key(function))?;
        let call = calls.iter().find(|call| {
            call.piped == piped
                && call.stdin == *stdin
                && call.trace.fits(&self.state)
                && call.function.source == function.source
                && call.around == self.around
                && call.context.iter().eq(self.context())
        })?;
        Some(call.trace.clone())
    }

    /// Remembers a call.
    pub(super) fn remember_call(&mut self, function: &Function, stdin: Stream, piped: bool, trace: Trace) {
        let call = Call {
            function: function.clone(),
            stdin,
            piped,
            context: self.context().cloned().collect(),
            around: self.around.clone(),
            trace,
        };
        if self.remembered.len() < MAX_FUNCTIONS || self.remembered.contains_key(&key(function)) {
            let calls = self.remembered.entry(key(function)).or_default();
            if calls.len() < MAX_CALLS {
                calls.push(call);
            }
        }
    }

    /// Makes room where there are many.
    pub(super) fn forget_calls(&mut self) {
        if self.remembered.len() >= MAX_FUNCTIONS / 2 && self.calls.is_empty() {
            self.remembered.clear();
        }
    }

    /// How this place was reached, calls of functions aside: whoever feeds or wraps commands has a say in their effects.
    fn context(&self) -> impl Iterator<Item = &String> {
        self.chain.iter().filter(|why| !why.starts_with("function "))
    }
}

fn order((kind, name, address): &Read) -> (usize, Kind, usize, &str) {
    let text = if *address == 0 { name.as_ref() } else { "" };
    let place = if *address == 0 {
        0
    } else {
        Rc::as_ptr(name).cast::<u8>().addr()
    };
    (*address, *kind, place, text)
}

/// FNV-1a. What has the same hash is compared.
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Remembered functions are kept alive, so no other one gets this address.
fn key(function: &Function) -> usize {
    Rc::as_ptr(&function.body).addr()
}

impl Trace {
    /// Whether evaluating in `state` would come to the same.
    pub(super) fn fits(&self, state: &State) -> bool {
        self.before.same_place(state)
            && self
                .reads
                .iter()
                .all(|(kind, name)| self.before.agrees(state, *kind, name))
    }
}
