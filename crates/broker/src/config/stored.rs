//! What `config.toml` may say. Its schema, the list of its keys and their defaults are made from these types.

use std::num::NonZeroU32;

use policy::Posture;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::Spanned;

/// Globs that can be taken out of the built-in rows, and the bytes of one.
const MOST_GLOBS: usize = 200;
const LONGEST_GLOB: usize = 300;

/// The settings of Tollgate.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Settings"))]
#[serde(deny_unknown_fields, default)]
pub(super) struct Stored {
    /// What happens where no person wrote a rule: `guard` asks about what is dangerous, `strict` about much more and denies
    /// what is dangerous, `observe` holds nothing and records, `off` judges nothing.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "String", extend("enum" = Posture::ALL.map(Posture::as_str)))
    )]
    pub(super) posture: Word,
    /// The built-in rules.
    pub(super) rules: Rules,
    /// The built-in rows on paths.
    pub(super) paths: Paths,
    /// When an agent that was refused too often may only read.
    pub(super) breaker: Limits,
    /// How answers of a person are kept, and waited for.
    pub(super) approvals: Answers,
    /// What of the ledger has to be on the disk, and what happens when there is no space.
    pub(super) ledger: Keeping,
    /// What is kept before it is lost, and for how long.
    pub(super) snapshots: Snapshots,
}

/// What is kept before it is lost, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Snapshots {
    /// Whether nobody is asked about a loss that a snapshot holds.
    pub soften: bool,
    /// For how many days a snapshot is kept.
    pub days: NonZeroU32,
    /// How many megabytes one snapshot may keep.
    pub budget_mb: NonZeroU32,
    /// How many megabytes all of them may keep; the oldest go first.
    pub keep_mb: NonZeroU32,
}

impl Default for Snapshots {
    fn default() -> Self {
        let number = |n| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
        Self {
            soften: true,
            days: number(14),
            budget_mb: number(256),
            keep_mb: number(4096),
        }
    }
}

/// What of the ledger has to be on the disk, and what happens when there is no space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Ledger"))]
#[serde(deny_unknown_fields, default)]
pub struct Keeping {
    /// Which records are waited for until the disk holds them.
    pub flush: Flush,
    /// What happens to a request for whose record there is no space.
    pub on_full: OnFull,
}

/// Which records are waited for until the disk holds them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Flush {
    /// All but what only lets something through.
    #[default]
    Held,
    /// Every record.
    Full,
}

/// What happens to a request for whose record there is no space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnFull {
    /// It is refused.
    #[default]
    Deny,
    /// A person is asked, where the asking itself could be recorded.
    Ask,
    /// It is refused, and whatever changes something is, until `tollgate unlock`.
    Suspend,
}

impl Keeping {
    /// The ledger that is kept in this way.
    pub(crate) const fn apply(self, ledger: ledger::Ledger) -> ledger::Ledger {
        let flush = match self.flush {
            Flush::Held => ledger::Flush::Held,
            Flush::Full => ledger::Flush::Full,
        };
        let on_full = match self.on_full {
            OnFull::Deny => ledger::OnFull::Deny,
            OnFull::Ask => ledger::OnFull::Ask,
            OnFull::Suspend => ledger::OnFull::Suspend,
        };
        ledger.flushing(flush).on_full(on_full)
    }
}

/// The word of a posture.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Word(pub(super) Posture);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let said = String::deserialize(from)?;
        Posture::parse(&said).map(Self).ok_or_else(|| {
            let all = Posture::ALL.map(Posture::as_str).join("`, `");
            D::Error::custom(format!("`posture` is `{said}`; it can be `{all}`"))
        })
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0.as_str())
    }
}

/// The built-in rules.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub(super) struct Rules {
    /// The ids of built-in rules that are switched off, as `tollgate rules list` names them; none that guards Tollgate itself.
    #[cfg_attr(
        feature = "schema",
        schemars(
            with = "Vec<String>",
            extend("items" = serde_json::json!({"type": "string", "enum": can_be_disabled()}))
        )
    )]
    pub(super) disabled: Vec<Spanned<String>>,
}

/// Where something is wrong, and what.
pub(super) type Wrong = (usize, String);

impl Rules {
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.disabled.iter().map(|id| id.get_ref().as_str())
    }

    /// What is wrong with them: each has to be a built-in rule, and none that guards Tollgate itself.
    pub(super) fn wrong(&self) -> Option<Wrong> {
        let (known, lasting) = (policy::rule_ids(), policy::lasting_rules());
        let wrong = |name: &str| {
            if !known.contains(&name) {
                Some(format!("there is no rule `{name}` to disable"))
            } else if lasting.contains(&name) {
                Some(format!("`{name}` guards Tollgate itself and cannot be disabled"))
            } else {
                None
            }
        };
        let mut ids = self.disabled.iter();
        ids.find_map(|id| Some((id.span().start, wrong(id.get_ref())?)))
    }
}

#[cfg(feature = "schema")]
fn can_be_disabled() -> Vec<&'static str> {
    let lasting = policy::lasting_rules();
    let ids = policy::rule_ids();
    ids.iter().copied().filter(|id| !lasting.contains(id)).collect()
}

/// The built-in rows on paths.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub(super) struct Paths {
    /// Paths that the built-in rows on protected parts of a project say nothing about; at most 200.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Unprotected>"))]
    pub(super) unprotected: Vec<Spanned<Unprotected>>,
}

/// Paths that are taken out of the built-in rows on protected parts of a project.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Unprotected {
    /// Which paths, 1 to 300 bytes.
    pub(super) glob: String,
    /// Why.
    reason: String,
}

impl Unprotected {
    fn fault(&self) -> Option<&'static str> {
        if self.glob.is_empty() || self.glob.len() > LONGEST_GLOB {
            return Some("a glob has 1 to 300 bytes");
        }
        // Letters have to stand in it: what names everything names nothing.
        if !self.glob.contains(char::is_alphanumeric) {
            return Some("the glob names everything; name the paths");
        }
        self.reason.trim().is_empty().then_some("it gives no reason")
    }
}

impl Paths {
    pub(super) fn globs(&self) -> impl Iterator<Item = &str> {
        self.unprotected.iter().map(|one| one.get_ref().glob.as_str())
    }

    /// What is wrong with them.
    pub(super) fn wrong(&self) -> Option<Wrong> {
        let all = self.unprotected.iter().enumerate();
        let (at, wrong) = all
            .filter_map(|(count, one)| {
                let (glob, fault) = (&one.get_ref().glob, one.get_ref().fault());
                let wrong = fault.map(|fault| format!("`{glob}`: {fault}"));
                let many = (count >= MOST_GLOBS).then(|| format!("there are more than {MOST_GLOBS} globs"));
                Some((one.span().start, wrong.or(many)?))
            })
            .next()?;
        Some((at, format!("in `unprotected`, {wrong}")))
    }
}

/// How many refusals in which time lock an agent, and for how long (spec V-3102).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Breaker"))]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Whether there is a breaker at all.
    pub enabled: bool,
    /// How many refusals.
    pub threshold: NonZeroU32,
    /// In how many seconds.
    pub window_seconds: NonZeroU32,
    /// For how many seconds the agent may only read then.
    pub cooldown_seconds: NonZeroU32,
}

impl Default for Limits {
    fn default() -> Self {
        let number = |n| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
        Self {
            enabled: true,
            threshold: number(5),
            window_seconds: number(60),
            cooldown_seconds: number(300),
        }
    }
}

/// How answers of a person are kept, and waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Approvals"))]
#[serde(deny_unknown_fields, default)]
pub struct Answers {
    /// Whether a yes may hold for longer than one call (spec V-3305).
    pub remember: bool,
    /// How many seconds the hook waits for an answer where the agent cannot ask by itself.
    pub wait_seconds: u32,
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            remember: true,
            wait_seconds: 0,
        }
    }
}
