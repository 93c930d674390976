//! A hook that dies, or whose calls fail, while it uses up a yes.

use std::collections::BTreeMap;
use std::fs;

use serde_json::json;

use crate::home::{Agent, Home, WIPE, people};

/// What changes something on the disk, or holds others up.
const CALLS: [&str; 13] = [
    "openat",
    "write",
    "pwrite64",
    "rename",
    "renameat",
    "unlink",
    "unlinkat",
    "linkat",
    "fsync",
    "fdatasync",
    "flock",
    "ftruncate",
    "mkdir",
];

/// One call of the hook under `strace`, which stands beside it: the agent stays its parent.
fn traced(agent: &mut Agent<'_>, home: &Home, how: &str) -> (i32, String) {
    let question = home.at("question");
    let line = format!(
        "exec strace -D -qq {how} tollgate hook --agent codex < {}",
        question.display()
    );
    agent.runs(&line)
}

/// The calls of a hook that uses up a yes, by name and number; `None` where they cannot be traced here. The system's loader
/// comes first and is left out: it gives up on its own.
fn calls(agent: &mut Agent<'_>, home: &Home) -> Option<Vec<(&'static str, usize)>> {
    let id = agent.waits(WIPE);
    home.approves(&id, "");
    let trace = home.at("trace");
    let (code, out) = traced(agent, home, &format!("-o {}", trace.display()));
    if code != 0 || !out.is_empty() {
        eprintln!("SKIPPED: `strace -D` does not work here ({code} {out})");
        return None;
    }
    let text = fs::read_to_string(&trace).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let loader = lines
        .iter()
        .rposition(|line| line.contains(".so"))
        .map_or(0, |at| at + 1);
    let mut calls = Vec::new();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = line
            .split_once('(')
            .and_then(|(name, _)| CALLS.iter().find(|known| **known == name))
        else {
            continue;
        };
        let nth = seen.entry(name).or_default();
        *nth += 1;
        if at >= loader {
            calls.push((*name, *nth));
        }
    }
    assert!(calls.len() > 20, "{calls:?}");
    Some(calls)
}

/// What became of one yes.
struct Outcome {
    /// The answer of the hook that was disturbed.
    code: i32,
    /// It let the call pass.
    passed: bool,
    /// The yes let another one pass after that.
    kept: bool,
}

/// Gives a yes, disturbs the hook that uses it up, and looks whether it counted once at most, with a record for each call that
/// passed, in a ledger that is whole.
fn disturbed(agent: &mut Agent<'_>, home: &Home, place: &str) -> Outcome {
    let id = agent.waits(WIPE);
    home.approves(&id, "");
    let (code, out) = traced(agent, home, &format!("-o /dev/null -e {place}"));
    let passed = code == 0 && out.is_empty();
    // The next call of the same: the yes is still there, or gone, and never both.
    let kept = agent.asks(WIPE).0.is_empty();
    assert!(!(passed && kept), "{place}: a yes for one call let two through");
    let granted = home.records().into_iter().filter(|record| {
        record["decision"]["approval"] == json!(id)
            && record["decision"]["granted"] == json!("once")
            && record["kind"] == "decision"
    });
    let recorded = granted.count();
    assert!(
        recorded >= usize::from(passed) + usize::from(kept),
        "{place}: {recorded}"
    );
    assert!(recorded <= 1, "{place}: {recorded} records of one yes");
    let (code_of_verify, out) = home.nobody("tollgate log verify");
    assert_eq!(code_of_verify, 0, "{place}: {out}");
    Outcome { code, passed, kept }
}

#[test]
#[ignore = "the suite `kills` runs it"]
fn r2_a_hook_that_is_killed_at_any_call_uses_a_yes_up_once_or_not_at_all() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    let Some(calls) = calls(&mut agent, &home) else { return };
    let (mut killed, mut kept) = (0, 0);
    for (name, nth) in calls {
        let outcome = disturbed(&mut agent, &home, &format!("inject={name}:signal=KILL:when={nth}"));
        killed += u32::from(outcome.code != 0);
        kept += u32::from(outcome.kept);
    }
    assert!(killed > 10 && kept > 0, "{killed} killed, {kept} kept their yes");
}

/// A disk that is full, fails or cannot be written at any call: what is let through was recorded, and the yes counts once.
#[test]
#[ignore = "the suite `kills` runs it"]
fn r8_a_call_that_fails_while_a_yes_is_used_up_lets_nothing_through_unrecorded() {
    if !people() {
        return;
    }
    for error in ["ENOSPC", "EIO", "EROFS"] {
        let home = Home::new();
        let mut agent = home.agent();
        let Some(calls) = calls(&mut agent, &home) else { return };
        let (mut passed, mut kept, mut lost) = (0, 0, 0);
        for (name, nth) in &calls {
            let outcome = disturbed(&mut agent, &home, &format!("inject={name}:error={error}:when={nth}"));
            passed += u32::from(outcome.passed);
            kept += u32::from(outcome.kept);
            lost += u32::from(!outcome.passed && !outcome.kept);
        }
        println!(
            "{error}: {passed} passed, {kept} kept their yes, {lost} lost it, of {} calls",
            calls.len()
        );
        assert!(passed > 0 && kept > 0, "{error}: {passed}, {kept}");
    }
}

/// A signal that interrupts a call, once or again and again, changes nothing: the yes is used and the call passes.
#[test]
#[ignore = "the suite `kills` runs it"]
fn r8_interrupted_calls_are_made_again_while_a_yes_is_used_up() {
    /// Those that a signal can interrupt.
    const INTERRUPTED: [&str; 7] = [
        "openat",
        "write",
        "pwrite64",
        "fsync",
        "fdatasync",
        "flock",
        "ftruncate",
    ];
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    let Some(mut calls) = calls(&mut agent, &home) else {
        return;
    };
    calls.retain(|(name, _)| INTERRUPTED.contains(name));
    let mut failed = Vec::new();
    for (name, nth) in calls {
        for when in [format!("{nth}"), format!("{nth}+2")] {
            let place = format!("inject={name}:error=EINTR:when={when}");
            let outcome = disturbed(&mut agent, &home, &place);
            if !outcome.passed {
                failed.push(place);
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
