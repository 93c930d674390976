//! Very long texts: lists that are read command by command, and words that are told apart only as far as a rule could.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::{FaultKind, Raw, Script, Scripts, Span};

use super::{Eval, Labels, Stream, Value};
use crate::effect::Tags;
use crate::{Target, places};

/// Words of a kind that are kept where there are very many.
const KEPT: usize = 16;
/// The same for ordinary names, which may each be the only copy of something.
const KEPT_NAMES: usize = 2048;
/// Kinds of words that are told apart.
const MAX_KINDS: usize = 512;
/// Values of a loop beyond the first ones that are looked at.
const MAX_OTHERS: usize = 32;
/// Words that are remembered to find one that comes again.
const MAX_TEXTS: usize = 1024;

/// What is wrong with a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Faulty {
    span: Span,
    /// It is only too much for us.
    pub(super) limit: bool,
}

impl Faulty {
    pub(super) fn of(script: &Script) -> Option<Self> {
        script.has_faults().then(|| Self {
            span: script.faults.first().map_or_else(Span::default, |f| f.span),
            // bash would refuse a text that is malformed, but it runs one that is only too much for us.
            limit: script.any_fault(|f| matches!(f.kind, FaultKind::TooDeep | FaultKind::TooLong)),
        })
    }

    /// The whole of a text.
    pub(super) fn all() -> Self {
        Self {
            span: Span::default(),
            limit: false,
        }
    }

    pub(super) const fn span(self) -> Span {
        self.span
    }
}

/// What a rule could tell words apart by, and where the same word may mean something else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A name in the working directory without labels of its own.
    Name,
    /// An option, or something with a key.
    Option(String),
    /// Anything else: the characters that mean something to somebody, where it came from, the labels of the path.
    Other(Vec<char>, Vec<&'static str>, Vec<&'static str>),
}

/// Which of very many words are kept.
#[derive(Default)]
struct Kept {
    counts: BTreeMap<Kind, usize>,
    dropped: bool,
}

impl Kept {
    fn admits(&mut self, kind: Kind) -> bool {
        let most = if kind == Kind::Name { KEPT_NAMES } else { KEPT };
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        self.dropped |= *count > most;
        *count <= most
    }
}

impl Eval<'_> {
    /// The commands of a text one after the other, and what is wrong with it. `keep` says whether its output is asked for.
    pub(super) fn scripts(&mut self, mut scripts: Scripts<'_>, stdin: &Stream, keep: bool) -> (Stream, Option<Faulty>) {
        let mut out = Stream::empty();
        let mut faulty: Option<Faulty> = None;
        let outer = core::mem::take(&mut self.forks);
        let mut last = "";
        let mut stands = None;
        while let Some(script) = scripts.next() {
            let text = scripts.last_text();
            let again = text == last;
            last = text;
            if again && stands == Some(true) {
                continue;
            }
            if let Some(fault) = Faulty::of(&script) {
                let limit = fault.limit || faulty.is_some_and(|f| f.limit);
                faulty = Some(Faulty {
                    limit,
                    ..faulty.unwrap_or(fault)
                });
            }
            // What changes nothing the second time changes nothing the third time.
            let before = (again && !keep).then(|| self.state.clone());
            let written = self.items_again(text, &script.items, stdin);
            stands = before.map(|before| self.forks.is_empty() && before == self.state);
            if keep {
                out = out.then(written);
            }
        }
        let inner = core::mem::replace(&mut self.forks, outer);
        inner.into_iter().for_each(|state| self.fork(state));
        (out, faulty)
    }

    /// More of a list than is kept as a tree.
    pub(super) fn more(&mut self, raw: &Raw, stdin: &Stream) -> Stream {
        if !self.reads_again(raw) {
            return Stream::unknown(Labels::RUNTIME);
        }
        self.scripts(raw.scripts(), stdin, true).0
    }

    /// Reading text again costs what reading it costs.
    pub(super) fn reads_again(&mut self, raw: &Raw) -> bool {
        self.reread += raw.text.len();
        if self.reread > super::MAX_REREAD {
            self.give_up("too much text", raw.span);
        }
        self.reread <= super::MAX_REREAD
    }

    /// Very many words, as the fields that make a difference.
    pub(super) fn many_fields(&mut self, raw: &Raw) -> Vec<Value> {
        let mut out = Vec::new();
        let mut kept = Kept::default();
        let mut texts: BTreeSet<&str> = BTreeSet::new();
        if !self.reads_again(raw) {
            return out;
        }
        for next in raw.words() {
            if texts.contains(next.text) {
                kept.dropped = true;
                continue;
            }
            if texts.len() < MAX_TEXTS {
                texts.insert(next.text);
            }
            let fields = match &next.word {
                None => alloc::vec![Value::text(next.text)],
                Some(word) => self.fields(word),
            };
            for value in fields {
                if self.is_spent(raw.span) || kept.counts.len() > MAX_KINDS {
                    self.give_up("too many words", raw.span);
                    return out;
                }
                let kind = self.kind(&value);
                if kept.admits(kind) {
                    out.push(value.at(raw.span));
                }
            }
        }
        self.dropped |= kept.dropped;
        out
    }

    /// One value of each kind.
    pub(super) fn one_of_each(&self, values: &[Value], most: usize) -> Vec<Value> {
        let mut kinds = BTreeSet::new();
        let mut out = Vec::new();
        for value in values {
            if out.len() < most.min(MAX_OTHERS) && kinds.insert(self.kind(value)) {
                out.push(value.clone());
            }
        }
        out
    }

    fn kind(&self, value: &Value) -> Kind {
        let text = value.pattern();
        if text.starts_with(['-', '+']) || text.contains('=') {
            let end = text.find('=').map_or(text.len(), |at| at + 1);
            return Kind::Option(text.get(..end).unwrap_or_default().to_string());
        }
        // A pattern may mean anything.
        if value.has_glob() {
            return Kind::Option(text.into_owned());
        }
        let special = |c: &char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.' | '/' | ',');
        let mut marks: Vec<char> = text.chars().filter(special).collect();
        marks.sort_unstable();
        marks.dedup();
        if marks.is_empty() && value.known().is_some() && self.is_ordinary(&text) {
            return Kind::Name;
        }
        let mut labels: Vec<&'static str> = value.labels.names().collect();
        let mut tags = Tags::default();
        if let Target::Path(path) = self.resolve(value) {
            places::label(&path, &self.workspace, self.world, &mut tags);
        } else {
            labels.push("elsewhere");
        }
        let mut tags: Vec<&'static str> = tags.iter().collect();
        tags.sort_unstable();
        Kind::Other(marks, labels, tags)
    }

    /// Whether a name in the working directory is like most names there.
    fn is_ordinary(&self, name: &str) -> bool {
        let deep = |cwd: &String| cwd.matches('/').count() >= 3;
        !name.contains('/')
            && !name.starts_with('.')
            && self.state.cwd.as_ref().is_some_and(deep)
            && self.state.links.is_empty()
            && places::is_ordinary(name, self.world)
    }
}
