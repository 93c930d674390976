//! The built-in rules: the tables made from `rules/verdicts/*.toml` and `rules/paths.toml` at build time.

use alloc::string::String;

use crate::places::PathRow;
use crate::{Act, Effect, Finding, Kind, Posture, Risk, Settings, Target, Verdict};

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
include!(concat!(env!("OUT_DIR"), "/digest.rs"));

/// One rule.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    kinds: &'static [&'static str],
    acts: &'static [Act],
    whats: &'static [&'static str],
    any: &'static [&'static [&'static str]],
    guard: Verdict,
    strict: Verdict,
    risk: Risk,
    why: &'static str,
    pub(crate) instead: &'static str,
    lost: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are run as tests"))]
    pub(crate) matches: &'static [&'static str],
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are run as tests"))]
    pub(crate) not_matches: &'static [&'static str],
}

impl Rule {
    /// Whether the rule speaks about this effect of a request of this kind.
    pub(crate) fn matches(&self, kind: Kind, effect: &Effect) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&kind.as_str()))
            && self.acts.contains(&effect.act)
            && (self.whats.is_empty() || self.whats.contains(&effect.what))
            && (self.any.is_empty() || self.any.iter().any(|tags| tags.iter().all(|t| holds(t, effect))))
    }

    /// The finding for an effect that the rule matches.
    pub(crate) fn finding(&self, kind: Kind, effect: &Effect, settings: &Settings) -> Finding {
        let verdict = match settings.posture {
            Posture::Guard => self.guard,
            Posture::Strict => self.strict,
        };
        Finding {
            rule: self.id.into(),
            verdict,
            risk: self.risk,
            why: self.why.into(),
            instead: self.instead.into(),
            lost: lost(self.lost, effect),
            span: (kind == Kind::CommandRun).then_some(effect.span),
            chain: effect.chain.clone(),
        }
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
