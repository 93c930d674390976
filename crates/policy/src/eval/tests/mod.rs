//! What texts print, and what they do, compared word for word.

mod answers;
mod bounds;
mod builtins;
mod calls;
mod deeds;
mod expansions;
mod files;
mod filters;
mod limits;
mod lists;
mod sed;
mod states;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Eval, Stream};
use crate::Settings;
use crate::tests::Table;
use crate::world::Recorder;

/// What is made of an evaluation of `text` in the project.
fn evaluated<T>(text: &str, of: impl FnOnce(&mut Eval<'_>, Stream) -> T) -> T {
    evaluated_on(Table::new(), text, of)
}

/// The same on another machine.
fn evaluated_on<T>(table: Table, text: &str, of: impl FnOnce(&mut Eval<'_>, Stream) -> T) -> T {
    let settings = Settings::default();
    let recorder = Recorder::new(&table, &settings);
    let mut eval = Eval::new(&recorder, "/home/ann/proj");
    let out = eval.text(text, Stream::empty());
    of(&mut eval, out)
}

/// What a text prints; `None` where that is not known.
fn printed(text: &str) -> Option<String> {
    evaluated(text, |_, out| out.text)
}

/// Each text prints what stands beside it.
#[track_caller]
fn print(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(text, expected)| (text, expected, printed(text)))
        .filter(|(_, expected, got)| got.as_deref() != Some(**expected))
        .map(|(text, expected, got)| alloc::format!("{text}\n  wants {expected:?}\n  gets  {got:?}"))
        .collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// It is not worked out what these texts print.
#[track_caller]
fn print_unknown(cases: &[&str]) {
    let known: Vec<String> = cases
        .iter()
        .filter_map(|text| Some(alloc::format!("{text}: {:?}", printed(text)?)))
        .collect();
    assert!(known.is_empty(), "known:\n{}", known.join("\n"));
}

/// The effects of a text in short.
fn effects(text: &str) -> Vec<String> {
    effects_on(Table::new(), text)
}

fn effects_on(table: Table, text: &str) -> Vec<String> {
    evaluated_on(table, text, |eval, _| {
        eval.effects.iter().map(crate::Effect::summary).collect()
    })
}

/// The verb and the target of every effect, each once.
fn deeds(text: &str) -> Vec<String> {
    deeds_on(Table::new(), text)
}

fn deeds_on(table: Table, text: &str) -> Vec<String> {
    let short = |line: String| line.split(" (").next().unwrap_or_default().to_string();
    let mut all: Vec<String> = Vec::new();
    for deed in effects_on(table, text).into_iter().map(short) {
        if !all.contains(&deed) {
            all.push(deed);
        }
    }
    all
}
