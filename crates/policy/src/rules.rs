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
        reversible: false,
        span: (kind == Kind::CommandRun).then_some(effect.span),
        chain: effect.chain.clone(),
    }
}

/// Whether a snapshot brings back what the effect would lose.
pub(crate) fn is_reversible(rule: &Rule, effect: &Effect) -> bool {
    rule.reversible
        .iter()
        .any(|tags| tags.iter().all(|tag| holds(tag, effect)))
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

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;
    use alloc::vec::Vec;

    use super::{RULES, lost, matches, patterns};
    use crate::classes::Classes;
    use crate::effect::Tags;
    use crate::{Act, Effect, Kind, Loss, Target};

    fn effect(act: Act, what: &'static str, labels: &[&'static str]) -> Effect {
        let mut tags = Tags::default();
        labels.iter().for_each(|label| tags.add(label));
        Effect {
            act,
            what,
            target: Target::Path("/x".into()),
            tags,
            program: "rm".into(),
            span: shell::Span::default(),
            chain: Vec::new(),
            uses: Arc::default(),
            dir: Arc::default(),
            loss: Loss::default(),
        }
    }

    /// Every condition of every rule has to hold: without one of them the rule is silent.
    #[test]
    fn all_that_a_rule_asks_for_has_to_be_there() {
        let mut seen = 0;
        for rule in RULES
            .iter()
            .filter(|rule| rule.class.is_empty() && !rule.any.is_empty())
        {
            let Some(line) = rule.any.first() else { continue };
            let labels: Vec<&'static str> = line.iter().copied().filter(|label| !label.starts_with('!')).collect();
            let kind = rule.kinds.first().copied().unwrap_or(Kind::CommandRun);
            let (Some(act), what) = (rule.acts.first(), rule.whats.first().copied().unwrap_or_default()) else {
                continue;
            };
            let speaks = |kind, effect: &Effect| matches(rule, kind, effect, Classes::default());
            let right = effect(*act, what, &labels);
            assert!(speaks(kind, &right), "{}", rule.id);
            seen += 1;
            let other = Act::ALL.iter().find(|act| !rule.acts.contains(act));
            if let Some(other) = other {
                assert!(
                    !speaks(kind, &effect(*other, what, &labels)),
                    "{} on {other:?}",
                    rule.id
                );
            }
            if !rule.whats.is_empty() {
                assert!(!speaks(kind, &effect(*act, "nothing.known", &labels)), "{}", rule.id);
            }
            if !rule.kinds.is_empty() && !rule.kinds.contains(&Kind::ToolOther) {
                assert!(!speaks(Kind::ToolOther, &right), "{}", rule.id);
            }
            if rule
                .any
                .iter()
                .all(|line| line.iter().any(|label| !label.starts_with('!')))
            {
                assert!(!speaks(kind, &effect(*act, what, &[])), "{} without labels", rule.id);
            }
        }
        assert!(seen > 40, "{seen}");
    }

    #[test]
    fn what_is_lost_is_what_the_world_says_or_the_target() {
        let mut one = effect(Act::Delete, "", &[]);
        assert_eq!(lost("all of {target}", &one), "all of /x");
        assert_eq!(lost("", &one), "");
        one.loss.changed = 1;
        assert_eq!(lost("all of {target}", &one), "1 file with uncommitted changes");
        assert_eq!(lost("", &one), "");
        one.loss.changed = 0;
        one.target = Target::None;
        assert_eq!(lost("a{target}", &one), "a");
        one.target = Target::Unknown("why".into());
        assert_eq!(lost("{target}", &one), "whatever it names when it runs");
    }

    #[test]
    fn patterns_of_a_label_come_with_their_exceptions() {
        let (globs, except) = patterns("env-file");
        assert!(globs.iter().any(|glob| glob.contains(".env")), "{globs:?}");
        assert!(except.iter().any(|glob| glob.contains("example")), "{except:?}");
        assert_eq!(patterns("no-such-label"), (Vec::new(), Vec::new()));
    }
}
