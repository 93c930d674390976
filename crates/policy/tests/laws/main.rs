//! Laws: what must hold for every command, however it is put.
//!
//! The commands are the cases of `spec/`. Everything here is the same in every run: the generators start from a fixed
//! seed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test stops where something is wrong"
)]

mod bounds;
mod known;
mod long;
#[path = "../support/mod.rs"]
mod support;
mod wrappers;

use policy::{Posture, Settings, Verdict, judge};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use support::{Machine, cases, command, judged, rules, shown};
use wrappers::{CODES, DECOYS, Subject, TEXTS, WORDS, Wrapper};

/// Commands that the laws are tried on, at least: fewer would mean that the cases are not found any more.
const ENOUGH: usize = 150;

/// Commands of the cases whose verdict is one of these, with that verdict.
fn commands(wanted: &[Verdict]) -> Vec<(Subject, Verdict)> {
    let texts = cases::all().into_iter().filter_map(|case| case.plain_command());
    let judged = texts.map(|text| {
        let verdict = judged(&text).verdict();
        (text, verdict)
    });
    let commands: Vec<_> = judged
        .filter(|(_, verdict)| wanted.contains(verdict))
        .filter_map(|(text, verdict)| Some((Subject::new(&text)?, verdict)))
        .collect();
    assert!(commands.len() >= ENOUGH, "only {} commands", commands.len());
    commands
}

/// Commands that ask for what they do. One that asks for how it looks may do so no more when it looks different.
fn dangerous() -> Vec<(Subject, Verdict)> {
    let mut commands = commands(&[Verdict::Ask, Verdict::Deny]);
    commands.retain(|(subject, _)| rules(&judged(&subject.text)) != ["hidden_characters"]);
    commands
}

fn wrappers() -> impl Iterator<Item = &'static Wrapper> {
    TEXTS.iter().chain(CODES).chain(WORDS)
}

/// A runner that tries the same things every time.
fn runner(tries: u32) -> TestRunner {
    let config = Config {
        cases: tries,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// The complaint about a text that is judged more mildly than it has to be.
fn milder(how: &str, text: &str, least: Verdict) -> Option<String> {
    let judgement = judged(text);
    (judgement.verdict() < least).then(|| {
        format!(
            "{how}: at least {}, not {}\n  {text:?}",
            least.as_str(),
            shown(&judgement)
        )
    })
}

fn none(broken: &[String]) {
    assert!(broken.is_empty(), "{} times:\n{}", broken.len(), broken.join("\n"));
}

/// Every command in every wrapper, or, to be quick, every command in each wrapper whose turn it is.
fn wrapped(
    commands: &[(Subject, Verdict)],
    one_in: usize,
    check: impl Fn(&Wrapper, &Subject, Verdict, &str) -> Option<String>,
) {
    let mut broken = Vec::new();
    for (i, (subject, verdict)) in commands.iter().enumerate() {
        for (_, wrapper) in wrappers().enumerate().filter(|(j, _)| (i + j) % one_in == 0) {
            if let Some(text) = (wrapper.wrap)(subject) {
                broken.extend(check(wrapper, subject, *verdict, &text));
            }
        }
    }
    none(&broken);
}

fn never_milder(one_in: usize) {
    wrapped(&dangerous(), one_in, |wrapper, subject, verdict, text| {
        let known = known::milder(wrapper.name, &subject.text);
        if known {
            None
        } else {
            milder(wrapper.name, text, verdict)
        }
    });
}

fn still_allowed(one_in: usize) {
    wrapped(&commands(&[Verdict::Allow]), one_in, |wrapper, subject, _, text| {
        let judgement = judged(text);
        let right = !wrapper.transparent || judgement.verdict() == Verdict::Allow;
        let known = known::stricter(wrapper.name, &subject.text);
        (!right && !known).then(|| format!("{}: {}\n  {text:?}", wrapper.name, shown(&judgement)))
    });
}

#[test]
fn there_are_enough_wrappers() {
    let transparent = wrappers().filter(|wrapper| wrapper.transparent).count();
    assert!(
        wrappers().count() >= 100 && transparent >= 80,
        "{transparent} transparent"
    );
}

#[test]
fn a_wrapper_never_makes_a_verdict_milder() {
    never_milder(4);
}

#[test]
fn a_transparent_wrapper_leaves_what_is_allowed_allowed() {
    still_allowed(4);
}

#[test]
fn a_decoy_never_makes_a_verdict_milder() {
    let mut broken = Vec::new();
    for (i, (subject, verdict)) in dangerous().iter().enumerate() {
        for (_, decoy) in DECOYS.iter().enumerate().filter(|(j, _)| (i + j) % 4 == 0) {
            broken.extend((decoy.wrap)(subject).and_then(|text| milder(decoy.name, &text, *verdict)));
        }
    }
    none(&broken);
}

#[test]
fn no_wrapper_at_all_changes_a_verdict() {
    never_milder(1);
    still_allowed(1);
}

/// Commands in wrappers in wrappers, picked at random: never judged more mildly than the command alone.
fn nested(tries: u32, depth: usize) {
    let commands = dangerous();
    let all: Vec<&Wrapper> = wrappers().collect();
    let picks = (any::<Index>(), proptest::collection::vec(any::<Index>(), 1..=depth));
    let tried = runner(tries).run(&picks, |(which, picks)| {
        let (subject, verdict) = which.get(&commands);
        let chosen: Vec<&&Wrapper> = picks.iter().map(|pick| pick.get(&all)).collect();
        if chosen.iter().any(|w| known::milder(w.name, &subject.text)) {
            return Ok(());
        }
        let text = chosen
            .iter()
            .enumerate()
            .try_fold(subject.text.clone(), |text, (level, wrapper)| {
                // The end of an inner here-document is not that of the outer one.
                let text = text.replace("END_OF_IT", &format!("END_{level}"));
                Subject::new(&text).and_then(|s| (wrapper.wrap)(&s))
            });
        let how: Vec<&str> = chosen.iter().map(|w| w.name).collect();
        text.and_then(|text| milder(&how.join(" in "), &text, *verdict))
            .map_or(Ok(()), |why| Err(TestCaseError::fail(why)))
    });
    tried.unwrap();
}

#[test]
fn wrappers_in_wrappers_do_not_either() {
    nested(1500, 3);
}

/// The same as above, often: the suite `laws`.
#[test]
#[ignore = "takes a while; `cargo xtask suite laws`"]
fn two_hundred_thousand_nestings() {
    nested(200_000, 3);
}

/// A text made into another that does the same.
type Change = fn(&str) -> String;

#[test]
fn what_changes_nothing_changes_no_finding() {
    let changes: [(&str, Change); 5] = [
        ("a comment behind", |text| format!("{text}\n# rm -rf /; curl x | sh")),
        ("a comment before", |text| format!("# git push --force\n{text}")),
        ("lines around", |text| format!("\n\n{text}\n\n")),
        ("blanks before", |text| format!("  \t{text}")),
        ("another command behind", |text| format!("{text}\ntrue")),
    ];
    let mut broken = Vec::new();
    for (subject, _) in &commands(&[Verdict::Allow, Verdict::Warn, Verdict::Ask]) {
        let plain = judged(&subject.text);
        for (how, change) in changes {
            let changed = judged(&change(&subject.text));
            if rules(&changed) != rules(&plain) {
                broken.push(format!(
                    "{how}: {:?}\n  {}\n  {}",
                    subject.text,
                    shown(&plain),
                    shown(&changed)
                ));
            }
        }
    }
    none(&broken);
}

/// Texts with a variable of which only the name is left open.
const NAMED: &[&str] = &[
    "@=rm; $@ -rf /",
    "@=/; rm -rf \"${@}\"",
    "@=(-r -f); rm \"${@[@]}\" ~",
    "for @ in ~ x; do rm -rf \"$@\"; done",
    "f() { local @=$1; rm -rf \"$@\"; }; f /",
    "read -r @ <<< /; rm -rf $@",
    "printf -v @ %s rm; $@ -rf /",
    "while read -r @; do rm -rf \"$@\"; done <<< /",
    "declare -n @=other; other=rm; $@ -rf ~",
    "((@ = 1)); rm -rf /$((@ - 1 ? 9 : 0))../etc",
    "mapfile -t @ <<< rm; \"${@[0]}\" -rf /",
    "@=build; rm -rf \"$@\"",
    "for @ in *.c; do cc -c \"$@\"; done",
];

#[test]
fn the_name_of_a_variable_means_nothing() {
    let tried = runner(300).run(&("v_[a-z0-9]{0,12}", any::<Index>()), |(name, which)| {
        let text = which.get(NAMED);
        let usual = judged(&text.replace('@', "name"));
        let named = judged(&text.replace('@', &name));
        prop_assert_eq!(rules(&usual), rules(&named), "{}", text);
        Ok(())
    });
    tried.unwrap();
}

#[test]
fn a_list_is_as_strict_as_its_strictest_part() {
    let all = commands(&[Verdict::Allow, Verdict::Warn, Verdict::Ask]);
    let joints = ["\n", "\n; ", " &\n", "\n&& ", "\n|| "];
    let parts = (any::<Index>(), any::<Index>(), any::<Index>());
    let tried = runner(1500).run(&parts, |(first, second, joint)| {
        let ((first, one), (second, two)) = (first.get(&all), second.get(&all));
        let joint = joint.get(&joints).trim_start_matches('\n');
        // In brackets, the first cannot change what the second means.
        let text = format!("(\n{}\n){joint}{{\n{}\n}}", first.text, second.text);
        let joint = if joint.is_empty() { "a new line" } else { joint };
        let text = if joint == "a new line" {
            text.replacen("){", ")\n{", 1)
        } else {
            text
        };
        milder(joint, &text, (*one).max(*two)).map_or(Ok(()), |why| Err(TestCaseError::fail(why)))
    });
    tried.unwrap();
}

#[test]
fn strict_is_never_milder_than_guard_and_a_rule_less_never_stricter() {
    let strict = Settings {
        posture: Posture::Strict,
        ..Settings::default()
    };
    for (subject, verdict) in &commands(&[Verdict::Allow, Verdict::Warn, Verdict::Ask]) {
        let request = command(&subject.text);
        let strictly = judge(&request, &Machine::new(), &strict);
        assert!(
            strictly.verdict() >= *verdict,
            "{:?}: {}",
            subject.text,
            shown(&strictly)
        );
        let full = judged(&subject.text);
        assert_eq!(full, judged(&subject.text), "the same every time");
        for rule in rules(&full) {
            let mut fewer = support::guard();
            fewer.disabled.push(rule.into());
            let judgement = judge(&request, &Machine::new(), &fewer);
            assert!(judgement.verdict() <= *verdict, "{:?} without {rule}", subject.text);
            assert!(!rules(&judgement).contains(&rule), "{rule} is switched off");
        }
    }
}

/// What stands in front of a command, however long, takes nothing of it away.
#[test]
fn a_long_beginning_hides_nothing() {
    let names = |count: usize, form: fn(usize) -> String| (0..count).map(form).collect::<String>();
    let beginnings = [
        "ls;".repeat(600),
        "ls;".repeat(25_000),
        names(700, |n| format!("cat f{n};")),
        names(700, |n| format!("echo x > f{n}\n")),
        format!("touch {}\n", names(700, |n| format!("f{n} "))),
        "for i in {1..700}; do cat \"f$i\"; done\n".into(),
        "for i in {1..20}; do for j in {1..20}; do for k in {1..20}; do :; done; done; done\n".into(),
    ];
    let mut broken = Vec::new();
    for (i, (subject, verdict)) in dangerous().iter().enumerate().step_by(7) {
        let text = format!("{}{}", beginnings[i % beginnings.len()], subject.text);
        broken.extend(milder(&subject.text, &text, *verdict).map(|why| why.chars().take(200).collect::<String>()));
    }
    none(&broken);
}
