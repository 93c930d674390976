//! Checkpoints while every call fails, and whatever is interrupted while a signal comes again and again.

use super::*;

/// Making a checkpoint changes nothing of the log, and one that did not get finished is made the next time.
#[test]
fn r2_killed_at_every_call_of_an_anchor() {
    if !works("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    (0..3).for_each(|_| drop(ledger.append(&record("allow")).unwrap()));
    let fresh = tempfile::tempdir().unwrap();
    let _ = Ledger::at(fresh.path()).append(&record("allow")).unwrap();
    let mut acknowledged = 0;
    for (name, nth) in calls(fresh.path(), ANCHOR) {
        let place = format!("inject={name}:signal=KILL:when={nth}");
        let output = traced(state.path(), ANCHOR, &["-o", "/dev/null", "-e", &place]);
        acknowledged += u32::from(output.stdout.starts_with(b"seq "));
        let anchors = Anchors::of(ledger.dir());
        let made = anchors.make().unwrap_or_else(|e| panic!("{place}: {e}"));
        let (all, unsigned) = anchors.made().unwrap();
        assert_eq!((unsigned, all.last()), (0, Some(&made.checkpoint)), "{place}");
        let report = verify_with(ledger.dir(), None, &all, &mut |_, _| {}).unwrap();
        assert!(report.intact() && report.anchored == report.seq, "{place}: {report:?}");
        let _ = ledger.append(&record("allow")).unwrap();
    }
    assert!(acknowledged > 0, "the last calls come after the acknowledgement");
}

/// A disk that fails while a checkpoint is made: none is acknowledged that is not kept, and the next one is made.
#[test]
#[ignore = "the suite `kills` runs it"]
fn r8_an_error_of_every_call_of_an_anchor() {
    if !works("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    (0..3).for_each(|_| drop(ledger.append(&record("allow")).unwrap()));
    let anchors = Anchors::of(ledger.dir());
    let _ = anchors.make().unwrap();
    let _ = ledger.append(&record("allow")).unwrap();
    let wanted = [&WRITING[..], &READING[..], &["mkdir", "rename"]].concat();
    // What a first anchor and a later one call.
    let fresh = tempfile::tempdir().unwrap();
    let _ = Ledger::at(fresh.path()).append(&record("allow")).unwrap();
    let mut all = [calls(fresh.path(), ANCHOR), calls(state.path(), ANCHOR)].concat();
    all.sort();
    all.dedup();
    all.retain(|(name, _)| wanted.contains(&name.as_str()));
    assert!(all.len() > 40, "{all:?}");
    for error in ["ENOSPC", "EIO", "EROFS"] {
        let (mut acknowledged, mut refused) = (0, 0);
        for (name, nth) in &all {
            for first in [false, true] {
                let other = tempfile::tempdir().unwrap();
                let of_first = Ledger::at(other.path());
                let (state, ledger) = if first {
                    (other.path(), &of_first)
                } else {
                    (state.path(), &ledger)
                };
                if first {
                    let _ = ledger.append(&record("allow")).unwrap();
                }
                let anchors = Anchors::of(ledger.dir());
                let place = format!("inject={name}:error={error}:when={nth}");
                let output = traced(state, ANCHOR, &["-o", "/dev/null", "-e", &place]);
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                let (made, unsigned) = anchors.made().unwrap();
                assert_eq!(unsigned, 0, "{place}");
                if let Some(seq) = said.strip_prefix("seq ") {
                    let seq = seq.trim().parse::<u64>().unwrap();
                    acknowledged += 1;
                    assert_eq!(made.last().map(|last| last.seq), Some(seq), "{place}");
                } else {
                    refused += 1;
                }
                let made = anchors.make().unwrap_or_else(|e| panic!("{place}: {e}"));
                let (all, unsigned) = anchors.made().unwrap();
                assert_eq!((unsigned, all.last()), (0, Some(&made.checkpoint)), "{place}");
                let report = verify_with(ledger.dir(), None, &all, &mut |_, _| {}).unwrap();
                assert!(report.intact() && report.anchored == report.seq, "{place}: {report:?}");
                let _ = ledger.append(&record("allow")).unwrap();
            }
        }
        println!("{error}: {refused} without a checkpoint, {acknowledged} with one");
        assert!(acknowledged > 0 && refused > 0);
    }
}

/// A signal may come at any call, and at the same one again and again.
#[test]
#[ignore = "the suite `kills` runs it"]
fn r8_interrupted_calls_are_made_again() {
    if !works("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    let _ = ledger.append(&record("allow")).unwrap();
    let anchors = Anchors::of(ledger.dir());
    let loading = calls(state.path(), NOTHING);
    for append in [DENY, ALLOW, TURN, ANCHOR] {
        let mut names: Vec<(String, usize)> = calls(state.path(), append);
        // The system's loader gives up where it is interrupted; what it calls comes first.
        let loaders = |name: &str| loading.iter().filter(|(called, _)| called == name).count();
        names.retain(|(name, nth)| INTERRUPTED.contains(&name.as_str()) && *nth > loaders(name));
        for (name, nth) in names {
            // Once, and at every other call from there on.
            for when in [format!("{nth}"), format!("{nth}+2")] {
                let place = format!("inject={name}:error=EINTR:when={when}");
                let output = traced(state.path(), append, &["-o", "/dev/null", "-e", &place]);
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                let seq = said.strip_prefix("seq ").and_then(|seq| seq.trim().parse::<u64>().ok());
                let report = compared(&ledger);
                assert_eq!(seq, Some(report.seq), "{append:?}, {place}: {output:?}");
                let (made, unsigned) = anchors.made().unwrap();
                let report = verify_with(ledger.dir(), None, &made, &mut |_, _| {}).unwrap();
                assert!(
                    report.intact() && report.mended == 0 && unsigned == 0,
                    "{place}: {report:?}"
                );
            }
        }
    }
}
