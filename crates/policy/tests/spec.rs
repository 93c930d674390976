//! Runs the cases of `spec/`, and checks that they speak about everything.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops where something is wrong"
)]

mod support;

use std::collections::BTreeSet;

use support::cases::{self, Case};

/// Cases that there must be at least.
const ENOUGH: usize = 1200;

/// The rule that is no row of `rules/verdicts`: it speaks when the person's own configuration cannot be read.
const BROKEN: &str = "policy.set.broken";

/// The first lines of cases that say what should be, while the evaluator or the facts do not do it yet.
const PENDING: &[&str] = &[];

#[test]
fn every_case_is_judged_as_it_says() {
    let faults: Vec<String> = judged()
        .filter(|(case, _)| !pending(case))
        .filter_map(|(_, fault)| fault)
        .collect();
    assert!(faults.is_empty(), "{} wrong:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn what_is_pending_is_still_wrong() {
    let right: Vec<String> = judged()
        .filter(|(case, fault)| pending(case) && fault.is_none())
        .map(|(case, _)| format!("{}: `{}` is right now: take it off the list", case.place, case.text))
        .collect();
    assert_eq!(right, Vec::<String>::new());
}

fn judged() -> impl Iterator<Item = (Case, Option<String>)> {
    cases::all().into_iter().map(|case| {
        let fault = case.fault(&case.judge());
        (case, fault)
    })
}

fn pending(case: &Case) -> bool {
    case.text.lines().next().is_some_and(|line| PENDING.contains(&line))
}

#[test]
fn there_are_enough_cases() {
    let count = cases::all().len();
    assert!(count >= ENOUGH, "only {count}");
}

#[test]
fn every_file_is_read_and_has_cases() {
    for file in cases::files() {
        assert!(
            file.extension().is_some_and(|end| end == "md"),
            "{} is not read",
            file.display()
        );
        assert!(!cases::read(&file).is_empty(), "{} has no cases", file.display());
    }
}

#[test]
fn every_rule_has_a_case_that_it_matches_and_a_near_miss() {
    let all = cases::all();
    let with: BTreeSet<&str> = all.iter().flat_map(|case| &case.with).map(String::as_str).collect();
    let without: BTreeSet<&str> = all.iter().flat_map(|case| &case.without).map(String::as_str).collect();
    let ids = policy::rule_ids();
    let missing = |set: &BTreeSet<&str>| ids.iter().copied().filter(|id| !set.contains(id)).collect::<Vec<_>>();
    assert_eq!(missing(&with), Vec::<&str>::new(), "rules without a case");
    assert_eq!(missing(&without), Vec::<&str>::new(), "rules without a near miss");
}

#[test]
fn every_rule_that_is_named_exists() {
    let ids = policy::rule_ids();
    let known = |rule: &str| rule == BROKEN || ids.contains(&rule);
    let all = cases::all();
    let unknown: Vec<String> = all
        .iter()
        .flat_map(|case| case.with.iter().chain(&case.without).map(move |rule| (case, rule)))
        .filter(|(_, rule)| !known(rule))
        .map(|(case, rule)| format!("{}: {rule}", case.place))
        .collect();
    assert_eq!(unknown, Vec::<String>::new());
}

#[test]
fn no_case_stands_twice() {
    let mut seen = BTreeSet::new();
    let twice: Vec<String> = cases::all()
        .into_iter()
        .filter(|case| case.plain_command().is_some_and(|text| !seen.insert(text)))
        .map(|case| format!("{}: `{}`", case.place, case.text))
        .collect();
    assert_eq!(twice, Vec::<String>::new());
}
