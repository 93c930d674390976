//! The built-in rules: the tables made from `rules/verdicts/*.toml` and `rules/paths.toml` at build time.

use alloc::string::String;
use alloc::vec::Vec;

use rulebook::{PathRow, Rule};

use crate::classes::Classes;
use crate::{Effect, Finding, Kind, Origin, Posture, Settings, Target};

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
include!(concat!(env!("OUT_DIR"), "/digest.rs"));

/// The patterns of the table of paths that give a label, and those that are excepted.
#[must_use]
pub fn patterns(label: &str) -> (Vec<&'static str>, Vec<&'static str>) {
    let labels = |row: &usize| PATHS.get(*row).is_some_and(|row| row.tags.contains(&label));
    let globs = GLOBS.iter().filter(|(_, row)| labels(row)).map(|(glob, _)| *glob);
    let rows = PATHS.iter().filter(|row| row.tags.contains(&label));
    (
        globs.collect(),
        rows.flat_map(|row| row.except.iter().copied()).collect(),
    )
}

/// Whether a rule speaks about this effect of a request of this kind.
pub(crate) fn matches(rule: &Rule, kind: Kind, effect: &Effect, classes: Classes) -> bool {
    (rule.kinds.is_empty() || rule.kinds.contains(&kind))
        && rule.acts.contains(&effect.act)
        && (rule.whats.is_empty() || rule.whats.contains(&effect.what))
        && (rule.class.is_empty() || classes.has(rule.class))
        && (rule.any.is_empty() || rule.any.iter().any(|tags| tags.iter().all(|t| holds(t, effect))))
}

/// The finding for an effect that a rule matches.
pub(crate) fn finding(rule: &Rule, origin: Origin, kind: Kind, effect: &Effect, settings: &Settings) -> Finding {
    let verdict = match settings.posture {
        Posture::Guard | Posture::Observe | Posture::Off => rule.guard,
        Posture::Strict => rule.strict,
    };
    Finding {
        rule: rule.id.into(),
        origin,
        verdict,
        risk: rule.risk,
        why: rule.why.into(),
        instead: rule.instead.into(),
        lost: lost(rule.lost, effect),
        span: (kind == Kind::CommandRun).then_some(effect.span),
        chain: effect.chain.clone(),
    }
}

fn holds(tag: &str, effect: &Effect) -> bool {
    match tag.strip_prefix('!') {
        Some(absent) => !effect.tags.has(absent),
        None => effect.tags.has(tag),
    }
}

/// What the world said, else the template with the target in words for `{target}`.
fn lost(template: &str, effect: &Effect) -> String {
    if !template.is_empty() && !effect.loss.is_nothing() {
        return effect.loss.words();
    }
    let target = match &effect.target {
        Target::None => "",
        Target::Path(t) | Target::Host(t) | Target::Text(t) => t.as_str(),
        Target::Unknown(_) => "whatever it names when it runs",
    };
    template.replace("{target}", target)
}

/// Ids of the built-in rules that guard the gate itself (spec M-41): they cannot be switched off, and no exception silences
/// them.
#[must_use]
pub fn lasting_rules() -> Vec<&'static str> {
    RULES.iter().filter(|rule| rule.lasting).map(|rule| rule.id).collect()
}
