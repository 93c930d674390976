//! A hook that dies at any call while it uses up a yes.

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

#[test]
#[ignore = "the suite `kills` runs it"]
fn r2_a_hook_that_is_killed_at_any_call_uses_a_yes_up_once_or_not_at_all() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    let id = agent.waits(WIPE);
    home.approves(&id, "");
    let trace = home.at("trace");
    let (code, out) = traced(&mut agent, &home, &format!("-o {}", trace.display()));
    if code != 0 || !out.is_empty() {
        eprintln!("SKIPPED: `strace -D` does not work here ({code} {out})");
        return;
    }
    let text = fs::read_to_string(&trace).unwrap();
    let mut calls: Vec<(&str, usize)> = Vec::new();
    for name in text
        .lines()
        .filter_map(|line| line.split_once('(').map(|(name, _)| name))
    {
        if CALLS.contains(&name) {
            let nth = calls.iter().filter(|(n, _)| *n == name).count() + 1;
            calls.push((name, nth));
        }
    }
    assert!(calls.len() > 20, "{calls:?}");
    let (mut killed, mut kept) = (0, 0);
    for (name, nth) in calls {
        let id = agent.waits(WIPE);
        home.approves(&id, "");
        let place = format!("inject={name}:signal=KILL:when={nth}");
        let (code, out) = traced(&mut agent, &home, &format!("-o /dev/null -e {place}"));
        let passed = code == 0 && out.is_empty();
        killed += u32::from(code != 0);
        // The next call of the same: the yes is still there, or gone, and never both.
        let again = agent.asks(WIPE).0;
        assert!(
            !(passed && again.is_empty()),
            "{place}: a yes for one call let two through"
        );
        kept += u32::from(again.is_empty());
        let granted = home
            .records()
            .into_iter()
            .filter(|record| record["decision"]["approval"] == json!(id));
        let granted =
            granted.filter(|record| record["decision"]["granted"] == json!("once") && record["kind"] == "decision");
        let recorded = granted.count();
        assert!(
            recorded >= usize::from(passed) + usize::from(again.is_empty()),
            "{place}: {recorded}"
        );
        assert!(recorded <= 1, "{place}: {recorded} records of one yes");
        let (code, out) = home.nobody("tollgate log verify");
        assert_eq!(code, 0, "{place}: {out}");
    }
    assert!(killed > 10 && kept > 0, "{killed} killed, {kept} kept their yes");
}
