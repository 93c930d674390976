//! Which rules are in force: those of the files, as they were read before where nothing changed since; and while the files
//! do not count as a whole, those of the last set that did as well.
//!
//! A set counts as a whole when nothing is wrong with it and nobody changed it for a moment. Until then it can only add: a
//! rule that is gone stays, an exception that is new waits. So nothing that is half written, broken or just taken away makes
//! a verdict milder than it was.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use ledger::Hash;

use super::cache::Cache;
use super::layers::{Excepted, PolicySet, own_layers, project_layers};
use super::stamps::Stamps;
use super::store::Store;
use super::stored::{Placed, Rule, Silence};
use super::{Layer, Place};
use crate::places::Places;

/// What the files are read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// For a judgement: what was read before is enough.
    Quickly,
    /// For people, who want to see every rule and every mistake.
    Fully,
}

/// One way in which the files differ from the last set that loaded whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The rule, or the built-in rule that an exception is from.
    pub name: String,
    /// Where it stands, or stood.
    pub place: Place,
    /// How it differs.
    pub change: Change,
}

/// How a rule or an exception differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The rule is not in the files any more, and stays in force.
    Gone,
    /// The rule says something else now. Both are in force.
    Changed,
    /// The rule was not there, and is in force.
    New,
    /// The exception is not in the files any more, and does not count.
    Ended,
    /// The exception was not there, and does not count.
    Waits,
}

impl Change {
    /// The rest of a sentence that begins with the name.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Gone => "is gone from the files and stays in force",
            Self::Changed => "says something else than before; both are in force",
            Self::New => "is new and in force",
            Self::Ended => "is no longer excepted from: the exception is gone from the files",
            Self::Waits => "is not excepted from: the exception is new",
        }
    }

    /// The word for programs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Changed => "changed",
            Self::New => "new",
            Self::Ended => "ended",
            Self::Waits => "waits",
        }
    }
}

impl PolicySet {
    /// What is in force of the layers of the machine and the person.
    pub(crate) fn in_force(places: &Places, how: How, now: SystemTime) -> Self {
        in_force(&places.state, &own_layers(&places.system, &places.config), how, now)
    }

    /// What is in force of the project around `cwd`, by itself.
    pub(crate) fn of_project(places: &Places, cwd: &Path, how: How, now: SystemTime) -> Self {
        let mut project = in_force(&places.state, &project_layers(cwd), how, now);
        // They are few, and their names are compared with all others.
        if let Some(cache) = project.cache.take() {
            match (cache.rules(), cache.patches()) {
                (Some(rules), Some(patches)) => {
                    project.rules = rules.iter().map(Placed::standing).collect();
                    patches.iter().for_each(|patch| project.patches.add_stored(patch));
                }
                _ => project = Self::of(&project_layers(cwd), now),
            }
        }
        project
    }
}

fn in_force(state: &Path, layers: &[(Layer, std::path::PathBuf)], how: How, now: SystemTime) -> PolicySet {
    let store = Store::of(state, layers);
    let (before, cache) = (Stamps::look(layers), store.open());
    match (&before, cache) {
        (Some(stamps), None) if stamps.files.is_empty() => PolicySet::default(),
        (Some(stamps), Some(cache)) if how == How::Quickly && cache.is_of(stamps) => PolicySet::kept(cache, now),
        (_, cache) => {
            let set = PolicySet::of(layers, now);
            let after = Stamps::look(layers).filter(|after| before.as_ref() == Some(after) && after.is_quiet(now));
            match (after, cache) {
                (Some(stamps), _) if set.is_whole() => {
                    if how == How::Quickly {
                        store.keep(&set, &stamps);
                    }
                    set
                }
                (_, Some(cache)) => set.beside(&cache, now),
                (_, None) => set,
            }
        }
    }
}

impl PolicySet {
    /// A set that was read before.
    fn kept(cache: Cache, now: SystemTime) -> Self {
        Self {
            exceptions: cache.exceptions(now),
            loosening: cache.loosening(),
            digest: cache.digest().to_owned(),
            texts: cache.digest().to_owned(),
            cache: Some(Arc::new(cache)),
            ..Self::default()
        }
    }

    /// Puts the last set that loaded whole beside this one: all rules of both, and the exceptions that both have.
    fn beside(mut self, last: &Cache, now: SystemTime) -> Self {
        self.keep_rules(&last.rules().unwrap_or_default());
        self.keep_patches(last);
        self.keep_exceptions(&last.exceptions(now));
        self.digest = Hash::of(format!("{}\nbeside {}", self.digest, last.digest()).as_bytes()).hex();
        self
    }

    fn keep_rules(&mut self, last: &[Placed<Rule>]) {
        let mut here = BTreeMap::<String, Vec<(Rule, Place)>>::new();
        for rule in &self.rules {
            let says = (Rule::of(&rule.entry), rule.place.clone());
            here.entry(rule.entry.id.clone()).or_default().push(says);
        }
        for rule in last {
            let same_name = here.remove(&rule.says.id);
            let alike = |found: &Vec<(Rule, Place)>| found.iter().any(|(says, _)| *says == rule.says);
            if same_name.as_ref().is_some_and(alike) {
                continue;
            }
            let change = same_name.map_or(Change::Gone, |_| Change::Changed);
            self.differ(&rule.says.id, rule.place(), change);
            self.rules.push(rule.standing());
        }
        for (name, found) in here {
            for (_, place) in found {
                self.differ(&name, place, Change::New);
            }
        }
    }

    fn keep_patches(&mut self, last: &Cache) {
        let here = self.patches.stored().unwrap_or_default();
        for patch in last.patches().unwrap_or_default() {
            if here.iter().any(|other| other.says == patch.says) {
                continue;
            }
            let same_name = here.iter().any(|other| other.says.id == patch.says.id);
            let change = if same_name { Change::Changed } else { Change::Gone };
            self.differ(&patch.says.id, patch.place(), change);
            self.patches.add_stored(&patch);
        }
    }

    fn keep_exceptions(&mut self, last: &[Excepted]) {
        let (here, before) = (says(&self.exceptions), says(last));
        let mut at = 0;
        let (counting, waiting): (Vec<_>, Vec<_>) = core::mem::take(&mut self.exceptions).into_iter().partition(|_| {
            at += 1;
            here.get(at - 1).is_some_and(|one| before.contains(one))
        });
        self.exceptions = counting;
        for one in waiting {
            self.differ(&one.exception.suppresses, one.place, Change::Waits);
        }
        for (one, _) in last.iter().zip(&before).filter(|(_, says)| !here.contains(says)) {
            self.differ(&one.exception.suppresses, one.place.clone(), Change::Ended);
        }
    }

    fn differ(&mut self, name: &str, place: Place, change: Change) {
        self.differences.push(Difference {
            name: name.to_owned(),
            place,
            change,
        });
    }
}

fn says(exceptions: &[Excepted]) -> Vec<Silence> {
    exceptions.iter().map(Silence::of).collect()
}
