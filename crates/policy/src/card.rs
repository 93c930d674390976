//! What a person sees of the packages that a command installs, beside the question: name and version, what the project knows
//! of them, whether their scripts run (spec F-1503, M-105).

use alloc::string::String;
use alloc::vec::Vec;

use crate::{Act, Effect, Target};

/// Packages that are told one by one.
const MOST: usize = 4;

/// One line on all packages of a request; empty where none is named.
pub(crate) fn words(effects: &[Effect]) -> String {
    let is_package = |effect: &&Effect| effect.act == Act::Do && effect.what == "install.package";
    let packages: Vec<&Effect> = effects.iter().filter(is_package).collect();
    let mut told: Vec<String> = packages
        .iter()
        .take(MOST)
        .filter_map(|package| one(package, effects))
        .collect();
    if let Some(more) = packages.len().checked_sub(MOST).filter(|more| *more > 0) {
        told.push(alloc::format!("and {more} more"));
    }
    told.join("; ")
}

/// `lodash (no version is pinned, named by the project, its install scripts are switched off)`.
fn one(package: &Effect, effects: &[Effect]) -> Option<String> {
    let Target::Text(name) = &package.target else {
        return None;
    };
    let has = |label| package.tags.has(label);
    let mut facts = Vec::from([
        if has("pinned") {
            "pinned"
        } else {
            "no version is pinned"
        },
        if has("listed") {
            "named by the project"
        } else {
            "new to the project"
        },
    ]);
    if has("npm") {
        facts.push(match (has("scripts-off"), has("has-scripts"), has("no-scripts")) {
            (true, ..) => "install scripts are switched off",
            (_, true, _) => "it has install scripts, and they would run",
            (.., true) => "the version that is known has no install scripts",
            _ => "install scripts would run",
        });
    }
    let mut words = facts.join(", ");
    let from = |effect: &&Effect| effect.act == Act::Fetch && effect.program == package.program;
    if let Some(Target::Host(host)) = effects.iter().find(from).map(|effect| &effect.target) {
        words.push_str(&alloc::format!(", from {host}"));
    }
    Some(alloc::format!("{name} ({words})"))
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::sync::Arc;
    use alloc::vec::Vec;

    use super::words;
    use crate::effect::Tags;
    use crate::{Act, Effect, Loss, Target};

    fn effect(act: Act, what: &'static str, target: Target, labels: &[&'static str], program: &str) -> Effect {
        let mut tags = Tags::default();
        labels.iter().for_each(|label| tags.add(label));
        Effect {
            act,
            what,
            target,
            tags,
            program: program.into(),
            span: shell::Span::default(),
            chain: Vec::new(),
            uses: Arc::default(),
            dir: Arc::default(),
            loss: Loss::default(),
        }
    }

    fn package(name: &str, labels: &[&'static str]) -> Effect {
        effect(Act::Do, "install.package", Target::Text(name.into()), labels, "npm")
    }

    #[test]
    fn only_packages_are_told() {
        let other = |act, what| effect(act, what, Target::Text("x".into()), &[], "npm");
        assert_eq!(
            words(&[other(Act::Do, "push.force"), other(Act::Send, "install.package")]),
            ""
        );
        assert_eq!(
            words(&[effect(Act::Do, "install.package", Target::None, &[], "npm")]),
            ""
        );
        assert_eq!(words(&[]), "");
    }

    #[test]
    fn a_package_is_told_with_what_is_known_of_it() {
        for (labels, expected) in [
            (&[][..], "x (no version is pinned, new to the project)"),
            (&["pinned", "listed"], "x (pinned, named by the project)"),
            (
                &["npm"],
                "x (no version is pinned, new to the project, install scripts would run)",
            ),
            (
                &["npm", "has-scripts"],
                "x (no version is pinned, new to the project, it has install scripts, and they would run)",
            ),
            (
                &["npm", "no-scripts"],
                "x (no version is pinned, new to the project, the version that is known has no install scripts)",
            ),
            (
                &["npm", "scripts-off", "has-scripts"],
                "x (no version is pinned, new to the project, install scripts are switched off)",
            ),
        ] {
            assert_eq!(words(&[package("x", labels)]), expected);
        }
    }

    #[test]
    fn the_host_is_that_of_the_same_program() {
        let host = |act, program| effect(act, "", Target::Host("h.example".into()), &[], program);
        let told = |effects: &[Effect]| words(effects).ends_with(", from h.example)");
        assert!(told(&[host(Act::Fetch, "npm"), package("x", &[])]));
        assert!(!told(&[host(Act::Fetch, "curl"), package("x", &[])]));
        assert!(!told(&[host(Act::Connect, "npm"), package("x", &[])]));
    }

    #[test]
    fn of_many_only_the_first_ones_are_told() {
        let of = |count: usize| {
            let all: Vec<Effect> = (0..count).map(|n| package(&alloc::format!("p{n}"), &[])).collect();
            words(&all)
        };
        assert_eq!(of(4).matches(';').count(), 3);
        assert!(of(4).contains("p3 ") && !of(4).contains("more"));
        let five: String = of(5);
        assert!(five.ends_with("; and 1 more") && !five.contains("p4"));
    }
}
