//! The effects that were found so far, each once.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::ops::Deref;

use shell::Span;

use crate::effect::Tags;
use crate::{Act, Effect, Target};

/// Effects that are kept one by one. After that only those are that a rule could tell from all before: rules look at the
/// act, its name and the labels, so another target with the same labels changes no verdict.
const KEPT: usize = 1024;
/// Effects that are kept at all.
const MOST: usize = 8192;

/// What rules look at.
type Class = (&'static str, &'static str, Vec<&'static str>);

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    list: Vec<Effect>,
    /// Places in the list by a hash of what stands there.
    places: BTreeMap<u64, usize>,
    /// The classes of all of the list, once there are many.
    classes: BTreeSet<Class>,
}

/// A label that effects get because of what stands around the call that has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) label: &'static str,
    /// Effects of this act only.
    pub(super) only: Option<Act>,
    /// No effect that has this label.
    pub(super) unless: &'static str,
}

impl Mark {
    /// A label for all of them.
    pub(super) const fn all(label: &'static str) -> Self {
        Self {
            label,
            only: None,
            unless: "",
        }
    }

    pub(super) fn put(&self, act: Act, tags: &mut Tags) {
        if self.only.is_none_or(|only| only == act) && !tags.has(self.unless) {
            tags.add(self.label);
        }
    }
}

/// An effect about to be added.
pub(super) struct New<'e> {
    pub(super) act: Act,
    pub(super) what: &'static str,
    pub(super) target: &'e Target,
    pub(super) tags: &'e Tags,
    pub(super) program: &'e str,
    pub(super) span: Span,
}

impl Effects {
    /// Whether an effect says nothing that is not said already, however it was reached.
    pub(super) fn says_nothing_new(&mut self, new: &New<'_>) -> bool {
        if self.list.len() < KEPT {
            let again = |e: &Effect| {
                e.span == new.span && e.program == new.program && e.target == *new.target && is_like(e, new)
            };
            return self
                .places
                .get(&new.hash())
                .is_some_and(|at| self.list.get(*at).is_some_and(again));
        }
        if self.list.last().is_some_and(|last| is_like(last, new)) {
            return true;
        }
        if self.classes.is_empty() {
            self.classes = self.list.iter().map(|e| class(e.act, e.what, &e.tags)).collect();
        }
        self.classes.contains(&class(new.act, new.what, new.tags))
    }

    /// Whether no more can be kept.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= MOST
    }

    pub(super) fn push(&mut self, effect: Effect) {
        if self.list.len() < KEPT {
            let new = New {
                act: effect.act,
                what: effect.what,
                target: &effect.target,
                tags: &effect.tags,
                program: &effect.program,
                span: effect.span,
            };
            self.places.insert(new.hash(), self.list.len());
        } else {
            self.classes.insert(class(effect.act, effect.what, &effect.tags));
        }
        self.list.push(effect);
    }

    pub(crate) fn into_list(self) -> Vec<Effect> {
        self.list
    }
}

impl Deref for Effects {
    type Target = [Effect];

    fn deref(&self) -> &[Effect] {
        &self.list
    }
}

impl New<'_> {
    fn hash(&self) -> u64 {
        let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
        self.act.hash(&mut hasher);
        self.what.hash(&mut hasher);
        match self.target {
            Target::None => {}
            Target::Path(text) | Target::Host(text) | Target::Text(text) | Target::Unknown(text) => {
                text.hash(&mut hasher);
            }
        }
        self.program.hash(&mut hasher);
        (self.span.start, self.span.end).hash(&mut hasher);
        hasher.finish()
    }
}

fn is_like(effect: &Effect, new: &New<'_>) -> bool {
    effect.act == new.act && effect.what == new.what && effect.tags.same(new.tags)
}

fn class(act: Act, what: &'static str, tags: &Tags) -> Class {
    let mut tags: Vec<&'static str> = tags.iter().collect();
    tags.sort_unstable();
    (act.as_str(), what, tags)
}

/// FNV-1a. Two effects with the same hash are only kept twice.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
