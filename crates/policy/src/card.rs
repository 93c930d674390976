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
