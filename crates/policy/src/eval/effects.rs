//! The effects that were found so far, each once.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::ops::Deref;

use shell::Span;

use super::{Eval, losses};
use crate::effect::Tags;
use crate::{Act, Effect, Loss, Target};

/// Effects that are kept one by one. After that only those are that a rule could tell from all before: rules look at the
/// act, its name and the labels, so another target with the same labels changes no verdict.
const KEPT: usize = 1024;
/// Effects that are kept at all.
const MOST: usize = 8192;

/// Effects that the present one is compared with before all others: commands come again in the same order.
const RECENT: usize = 8;

/// The name of what a formatter does to the files of a project.
const REWRITES: &str = "work.rewrite";

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    list: Vec<Effect>,
    /// Places in the list by a hash of what stands there.
    places: BTreeMap<u64, usize>,
    /// Places in the list by a hash of what rules look at, one of each kind, once there are many.
    classes: BTreeMap<u64, Vec<usize>>,
    /// Those that the last ones were like, the last one first.
    recent: Vec<usize>,
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
    pub(super) dir: &'e str,
}

impl Effects {
    /// Whether an effect says nothing that is not said already, however it was reached.
    pub(super) fn says_nothing_new(&mut self, new: &New<'_>) -> bool {
        if self.list.len() < KEPT {
            let again = |e: &Effect| {
                e.span == new.span
                    && e.program == new.program
                    && e.target == *new.target
                    && *e.dir == *new.dir
                    && is_like(e, new)
            };
            return self
                .places
                .get(&new.hash())
                .is_some_and(|at| self.list.get(*at).is_some_and(again));
        }
        let like = |at: &usize| self.list.get(*at).is_some_and(|e| is_like(e, new));
        if let Some(at) = self.recent.iter().position(like) {
            if let Some(recent) = self.recent.get_mut(..=at) {
                recent.rotate_right(1);
            }
            return true;
        }
        if self.classes.is_empty() {
            for (at, effect) in self.list.iter().enumerate() {
                let places = self
                    .classes
                    .entry(class(effect.act, effect.what, &effect.tags))
                    .or_default();
                places.push(at);
            }
        }
        let places = self.classes.get(&class(new.act, new.what, new.tags));
        let same = |at: &&usize| self.list.get(**at).is_some_and(|e| is_same(e, new));
        let found = places.into_iter().flatten().find(same).copied();
        if let Some(at) = found {
            self.recent.truncate(RECENT - 1);
            self.recent.insert(0, at);
        }
        found.is_some()
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
                dir: &effect.dir,
            };
            self.places.insert(new.hash(), self.list.len());
        } else {
            let places = self
                .classes
                .entry(class(effect.act, effect.what, &effect.tags))
                .or_default();
            places.push(self.list.len());
        }
        self.list.push(effect);
    }

    pub(crate) fn into_list(self) -> Vec<Effect> {
        self.list
    }
}

impl Eval<'_> {
    /// An effect that costs no work.
    pub(crate) fn effect(
        &mut self,
        act: Act,
        what: &'static str,
        target: Target,
        tags: Tags,
        program: &str,
        span: Span,
    ) {
        let mut tags = tags;
        self.effect_with(act, what, target, &mut tags, program, span, Loss::default());
    }

    /// The same with what would be lost. The labels are left as they were.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of an effect")]
    pub(super) fn effect_with(
        &mut self,
        act: Act,
        what: &'static str,
        target: Target,
        tags: &mut Tags,
        program: &str,
        span: Span,
        loss: Loss,
    ) {
        let given = tags.len();
        self.label_around(act, tags);
        self.keep_effect(act, what, target, tags, program, span, loss);
        tags.truncate(given);
    }

    /// Labels that an effect has because of what stands around the call.
    fn label_around(&self, act: Act, tags: &mut Tags) {
        if act == Act::Do || act == Act::Delete {
            // What a container shares with the machine is not only the container's.
            let shared = tags.has("mounted");
            let around = self.around.iter().filter(|tag| !shared || **tag != "contained");
            around.for_each(|tag| tags.add(tag));
        }
        if !self.sources.is_empty() {
            tags.add("in-file");
        }
        for mark in &self.marks {
            mark.put(act, tags);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "they are the parts of an effect")]
    fn keep_effect(
        &mut self,
        act: Act,
        what: &'static str,
        target: Target,
        tags: &Tags,
        program: &str,
        span: Span,
        loss: Loss,
    ) {
        // What was put together from elsewhere has no place of its own; the command that it is in has one.
        let at = self
            .pin
            .unwrap_or(if span.start == span.end { self.here } else { span });
        let dir = match (act, what) {
            (Act::Discard, _) | (Act::Do, REWRITES) => self.state.cwd.as_deref().unwrap_or_default(),
            _ => "",
        };
        let new = New {
            dir,
            act,
            what,
            target: &target,
            tags,
            program,
            span: at,
        };
        self.moved_refs |= losses::moves_refs(act, what);
        self.disturbed |= losses::disturbs(act, what, &target, tags);
        if self.effects.says_nothing_new(&new) {
            return;
        }
        // A long beginning must not hide what comes after it.
        if self.effects.is_full() && !tags.has("limit") {
            return self.give_up("too many effects", span);
        }
        let mut chain = self.chain.clone();
        if let Some(source) = self.sources.last() {
            chain.push(source.place(self.file_pin.unwrap_or(span)));
        }
        self.effects.push(Effect {
            act,
            what,
            target,
            tags: tags.clone(),
            program: program.into(),
            span: at,
            chain,
            uses: self.uses.words(),
            dir: dir.into(),
            loss,
        });
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
        self.dir.hash(&mut hasher);
        (self.span.start, self.span.end).hash(&mut hasher);
        hasher.finish()
    }
}

fn is_like(effect: &Effect, new: &New<'_>) -> bool {
    effect.act == new.act && same_text(effect.what, new.what) && effect.tags.same(new.tags)
}

/// Names of acts are mostly literally the same text.
fn same_text(a: &'static str, b: &'static str) -> bool {
    core::ptr::eq(a, b) || a == b
}

/// Whether a rule could not tell the two apart.
fn is_same(effect: &Effect, new: &New<'_>) -> bool {
    let tags = (&effect.tags, new.tags);
    effect.act == new.act
        && effect.what == new.what
        && tags.0.iter().count() == tags.1.iter().count()
        && tags.0.iter().all(|tag| tags.1.has(tag))
}

/// A hash of what rules look at; the order of labels is none of it.
fn class(act: Act, what: &'static str, tags: &Tags) -> u64 {
    let hash = |text: &str| {
        let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
        text.hash(&mut hasher);
        hasher.finish()
    };
    let tags = tags.iter().fold(0_u64, |all, tag| all.wrapping_add(hash(tag)));
    hash(act.as_str())
        .wrapping_mul(3)
        .wrapping_add(hash(what))
        .wrapping_mul(3)
        .wrapping_add(tags)
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
