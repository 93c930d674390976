//! A day's work in many ecosystems: what an agent sends, step after step, must hardly ever ask.
//!
//! `spec/workflows/*.txt`: a step a line, `| ` continues the step before, `#` is a heading. A step that ends with `# ask`
//! is one about which a person wants to be asked. `# must WHY` marks those that a requirement (`V-2816`) or a collection of
//! dangerous commands wants asked, whatever a person thinks of it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops where something is wrong"
)]

mod support;

use std::fs;
use std::path::Path;

use policy::{Verdict, judge};
use support::{Machine, command, guard, shown};

/// Steps that there must be at least, of all ecosystems together.
const ENOUGH: usize = 1200;
/// Ecosystems that there must be at least.
const KINDS: usize = 8;
/// One step in so many may ask without need.
const ONE_IN: usize = 100;
/// Steps that a requirement wants asked, at most.
const MUST: usize = 40;

struct Step {
    place: String,
    text: String,
    asks: bool,
    must: bool,
}

fn steps() -> Vec<Step> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/workflows");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() >= KINDS, "only {} ecosystems", files.len());
    let mut steps: Vec<Step> = Vec::new();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            if let Some(more) = line.strip_prefix("| ").or_else(|| (line == "|").then_some("")) {
                let last = steps.last_mut().expect("a step goes before its second line");
                last.text = format!("{}\n{more}", last.text);
            } else if !line.is_empty() && !line.starts_with('#') {
                let place = format!("spec/workflows/{name}:{}", number + 1);
                steps.push(Step {
                    place,
                    text: line.into(),
                    asks: false,
                    must: false,
                });
            }
        }
    }
    for step in &mut steps {
        if let Some(text) = step.text.strip_suffix("# ask") {
            step.text = text.trim_end().into();
            step.asks = true;
        } else if let Some((text, why)) = step.text.rsplit_once("# must ") {
            assert!(why.starts_with("V-") || why == "corpus", "{}: {why}", step.place);
            step.text = text.trim_end().into();
            step.must = true;
        }
    }
    steps
}

/// In a project whose tree is clean, as after a commit.
fn asks(step: &Step) -> Option<String> {
    asks_on(&Machine::new().with_loss("nothing"), step)
}

fn asks_on(machine: &Machine, step: &Step) -> Option<String> {
    let judgement = judge(&command(&step.text), machine, &guard());
    (judgement.verdict() >= Verdict::Ask).then(|| format!("{}: {}\n  {}", step.place, step.text, shown(&judgement)))
}

#[test]
fn a_day_of_work_is_hardly_ever_interrupted() {
    let steps = steps();
    assert!(steps.len() >= ENOUGH, "only {} steps", steps.len());
    let unwanted: Vec<String> = steps.iter().filter(|s| !s.asks && !s.must).filter_map(asks).collect();
    assert!(
        unwanted.len() * ONE_IN <= steps.len(),
        "{} of {} steps ask without need:\n{}",
        unwanted.len(),
        steps.len(),
        unwanted.join("\n")
    );
}

/// Work lies about everywhere: what may be lost asks, and a snapshot spares the question where it can bring all of it back.
#[test]
fn a_snapshot_spares_the_questions_about_what_it_brings_back() {
    let machine = Machine::new().with_loss("changed:3,untracked:4");
    let (mut asked, mut left) = (0, Vec::new());
    let clean = Machine::new().with_loss("nothing");
    for step in steps() {
        // What asks in a clean tree, too, is about something else.
        if asks_on(&machine, &step).is_none() || asks_on(&clean, &step).is_some() {
            continue;
        }
        asked += 1;
        let judgement = judge(&command(&step.text), &machine, &guard());
        let mut asks = judgement
            .findings
            .iter()
            .filter(|finding| finding.verdict == Verdict::Ask);
        if !asks.all(|finding| finding.reversible) {
            left.push(format!("{}: {}\n  {}", step.place, step.text, shown(&judgement)));
        }
    }
    println!("{} of {asked} questions about work are left", left.len());
    assert!(asked > 20, "{asked}");
    assert!(
        left.len() * 2 <= asked,
        "{} of {asked} are left:\n{}",
        left.len(),
        left.join("\n")
    );
}

#[test]
fn what_a_person_wants_to_be_asked_about_asks() {
    let steps = steps();
    // In a tree of which nothing is known.
    let machine = Machine::new();
    let silent: Vec<&str> = steps
        .iter()
        .filter(|s| (s.asks || s.must) && asks_on(&machine, s).is_none())
        .map(|s| s.text.as_str())
        .collect();
    assert_eq!(silent, Vec::<&str>::new());
    assert!(
        steps.iter().filter(|s| s.must).count() <= MUST,
        "too many steps are left to requirements"
    );
}
