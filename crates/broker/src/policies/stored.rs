//! Rules in the form in which they are kept between two calls: what was read and checked, and nothing that the day decides.

use std::path::PathBuf;

use policy::{Act, CLASSES, Exception, Kind, Pattern, Verdict, Wanted, WrittenRule};
use serde::{Deserialize, Serialize};

use super::compile::Entry;
use super::layers::{Excepted, Standing};
use super::{Layer, Place};

/// The lists of a file that rules on requests stand in.
const LISTS: &[&str] = &["actions", "commands", "paths", "effects", "classes"];
const LAYERS: [Layer; 3] = [Layer::System, Layer::User, Layer::Project];

/// Something with the place where it stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Placed<T> {
    layer: u8,
    file: String,
    line: Option<usize>,
    /// What it says, wherever it stands.
    pub(super) says: T,
}

/// A rule on requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rule {
    pub(super) id: String,
    list: u8,
    verdict: u8,
    about: String,
    holds: Option<Holds>,
}

/// When it holds, and why; absent where nothing raises its kinds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Holds {
    why: String,
    kinds: Vec<u8>,
    command: Option<Expression>,
    effect: Option<Effect>,
}

/// A checked expression.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Expression {
    text: String,
    ignore_case: bool,
    needle: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Effect {
    acts: Vec<u8>,
    targets: Vec<String>,
    hosts: Vec<String>,
    labels: Vec<String>,
    class: Option<u8>,
}

/// An exception. Whether its day is over is asked each time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Silence {
    pattern: Expression,
    pub(super) suppresses: String,
    cwd: Option<String>,
    reason: String,
    pub(super) expires: Option<String>,
}

/// A rule on patches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Patch {
    pub(super) id: String,
    pub(super) message: String,
    pub(super) surfaces: Vec<bool>,
    pub(super) added: Option<Expression>,
    pub(super) touched: Option<String>,
}

impl<T> Placed<T> {
    /// `None` where the name of the file is no text.
    pub(super) fn of(place: &Place, says: T) -> Option<Self> {
        Some(Self {
            layer: place.layer as u8,
            file: place.file.to_str()?.to_owned(),
            line: place.line,
            says,
        })
    }

    pub(super) fn place(&self) -> Place {
        Place {
            layer: layer(self.layer),
            file: PathBuf::from(&self.file),
            line: self.line,
        }
    }
}

impl Rule {
    pub(super) fn of(entry: &Entry) -> Self {
        Self {
            id: entry.id.clone(),
            list: number(LISTS, &entry.list),
            verdict: number(Verdict::ALL, &entry.verdict),
            about: entry.about.clone(),
            holds: entry.rule.as_ref().map(Holds::of),
        }
    }

    pub(super) fn entry(&self, layer: Layer) -> Entry {
        Entry {
            rule: self.rule(layer),
            id: self.id.clone(),
            list: LISTS.get(usize::from(self.list)).copied().unwrap_or_default(),
            verdict: self.verdict(),
            about: self.about.clone(),
            positive: Vec::new(),
            negative: Vec::new(),
        }
    }

    /// The rule as it is held against requests.
    pub(super) fn rule(&self, layer: Layer) -> Option<WrittenRule> {
        let holds = self.holds.as_ref()?;
        Some(WrittenRule {
            id: self.id.clone(),
            origin: layer.origin(),
            verdict: self.verdict(),
            why: holds.why.clone(),
            kinds: named(Kind::ALL, &holds.kinds),
            command: holds.command.as_ref().map(Expression::pattern),
            effect: holds.effect.as_ref().map(Effect::wanted),
        })
    }

    /// A verdict that nobody knows is the strictest.
    fn verdict(&self) -> Verdict {
        Verdict::ALL
            .get(usize::from(self.verdict))
            .copied()
            .unwrap_or(Verdict::Deny)
    }
}

impl Placed<Rule> {
    pub(super) fn standing(&self) -> Standing {
        let place = self.place();
        Standing {
            entry: self.says.entry(place.layer),
            place,
        }
    }
}

impl Holds {
    fn of(rule: &WrittenRule) -> Self {
        Self {
            why: rule.why.clone(),
            kinds: rule.kinds.iter().map(|kind| number(Kind::ALL, kind)).collect(),
            command: rule.command.as_ref().map(Expression::of),
            effect: rule.effect.as_ref().map(Effect::of),
        }
    }
}

impl Expression {
    pub(super) fn of(pattern: &Pattern) -> Self {
        Self {
            text: pattern.text().to_owned(),
            ignore_case: pattern.ignores_case(),
            needle: pattern.needle().to_owned(),
        }
    }

    pub(super) fn pattern(&self) -> Pattern {
        Pattern::checked(&self.text, self.ignore_case, &self.needle)
    }
}

impl Effect {
    fn of(wanted: &Wanted) -> Self {
        Self {
            acts: wanted.acts.iter().map(|act| number(Act::ALL, act)).collect(),
            targets: wanted.targets.clone(),
            hosts: wanted.hosts.clone(),
            labels: wanted.labels.clone(),
            class: wanted.class.map(|class| number(&CLASSES, &class)),
        }
    }

    fn wanted(&self) -> Wanted {
        Wanted {
            acts: named(Act::ALL, &self.acts),
            targets: self.targets.clone(),
            hosts: self.hosts.clone(),
            labels: self.labels.clone(),
            // One that nobody knows leaves the rule to speak about all of them.
            class: self.class.and_then(|at| CLASSES.get(usize::from(at)).copied()),
        }
    }
}

impl Silence {
    pub(super) fn of(one: &Excepted) -> Self {
        Self {
            pattern: Expression::of(&one.exception.pattern),
            suppresses: one.exception.suppresses.clone(),
            cwd: one.exception.cwd.clone(),
            reason: one.reason.clone(),
            expires: one.expires.clone(),
        }
    }
}

impl Placed<Silence> {
    pub(super) fn excepted(&self) -> Excepted {
        Excepted {
            exception: Exception {
                pattern: self.says.pattern.pattern(),
                suppresses: self.says.suppresses.clone(),
                cwd: self.says.cwd.clone(),
            },
            reason: self.says.reason.clone(),
            expires: self.says.expires.clone(),
            place: self.place(),
        }
    }
}

fn layer(number: u8) -> Layer {
    LAYERS.get(usize::from(number)).copied().unwrap_or(Layer::Project)
}

/// The place of a word in its list.
fn number<T: PartialEq>(all: &[T], one: &T) -> u8 {
    let at = all.iter().position(|other| other == one);
    at.and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
}

fn named<T: Copy>(all: &[T], numbers: &[u8]) -> Vec<T> {
    numbers
        .iter()
        .filter_map(|at| all.get(usize::from(*at)).copied())
        .collect()
}
