//! Disks that fail, and processes that die at any moment.
//!
//! Needs `unshare` and `strace`. Where one is missing the test says so and passes: what it proves holds on the machines
//! that have them.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test may fail loudly"
)]

mod anchors;
#[path = "../python/mod.rs"]
mod python;
mod turn;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ledger::{Anchors, Ledger, LedgerError, OnFull, Record, Report, verify, verify_with};

/// The example that appends one record, built beside the tests.
fn append_one() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let example = test.parent().unwrap().parent().unwrap().join("examples/append_one");
    assert!(example.exists(), "build the examples too");
    example
}

fn record(verdict: &str) -> Record {
    Record {
        verdict: verdict.into(),
        note: "n".repeat(300),
        ..Record::default()
    }
}

/// A verification, and what `docs/verify.py` says beside it.
fn compared(ledger: &Ledger) -> Report {
    let report = verify(ledger.dir(), None).unwrap();
    let breaks: Vec<String> = report.breaks.iter().map(ToString::to_string).collect();
    python::agrees(ledger.dir(), &breaks, &report.head.hex());
    report
}

fn works(program: &str, args: &[&str]) -> bool {
    let works = Command::new(program)
        .args(args)
        .output()
        .is_ok_and(|o| o.status.success());
    if !works {
        println!("skipped: `{program}` does not work here");
    }
    works
}

/// Runs one of the `inside_` tests below in a mount namespace of its own after `prepare`, with `$D` as its folder.
fn inside(test: &str, prepare: &str) {
    if !works("unshare", &["-rm", "true"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = format!("{prepare} && exec \"$0\" --exact {test} --nocapture");
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c", &script])
        .arg(std::env::current_exe().unwrap())
        .env("D", folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn given() -> Option<PathBuf> {
    std::env::var_os("D").map(PathBuf::from)
}

#[test]
fn a_full_disk_is_an_error_and_leaves_the_chain_whole() {
    inside("inside_small_disk", "mount -t tmpfs -o size=1m small \"$D\"");
}

#[test]
fn inside_small_disk() {
    let Some(folder) = given() else { return };
    // A file of ever other size moves the moment at which the space runs out.
    let (filler, ledger) = (folder.join("filler"), Ledger::at(&folder));
    let _ = ledger.append(&record("allow")).unwrap();
    let (mut failures, mut told) = (0, 0);
    for pages in [220, 195, 170, 160, 155, 130, 120] {
        fs::write(&filler, vec![0; pages * 4096]).unwrap();
        for verdict in ["allow", "deny"].iter().cycle().take(200) {
            match ledger.append(&record(verdict)) {
                Ok(_) => {}
                Err(LedgerError::Full { receipt, .. }) => {
                    let recorded = receipt.is_some();
                    failures += 1;
                    told += u64::from(recorded);
                    if !recorded {
                        break;
                    }
                }
                Err(other) => panic!("{other}"),
            }
        }
        let report = compared(&ledger);
        assert!(report.intact() && report.torn == 0, "{report:?}");
    }
    assert!(failures >= 5 && told >= 8, "{failures}, {told} of them recorded");
    let text = fs::read_to_string(ledger.dir().join("000001.ndjson")).unwrap();
    assert_eq!(text.matches("\"kind\":\"full\"").count() as u64, told);
    fs::remove_file(&filler).unwrap();
    let before = compared(&ledger).records;
    let _ = ledger.append(&record("allow")).unwrap();
    let report = compared(&ledger);
    assert!(report.intact());
    assert_eq!((report.records, report.mended), (before + 1, 0));
    let reserve = fs::metadata(ledger.dir().join("reserve")).unwrap().len();
    assert_eq!(reserve, 64 << 10, "it is made whole when there is space again");
}

#[test]
fn a_full_disk_suspends_until_somebody_resumes() {
    inside("inside_suspended", "mount -t tmpfs -o size=512k small \"$D\"");
}

#[test]
fn inside_suspended() {
    let Some(folder) = given() else { return };
    let (filler, ledger) = (folder.join("filler"), Ledger::at(&folder).on_full(OnFull::Suspend));
    let _ = ledger.append(&record("allow")).unwrap();
    assert!(!ledger.suspended());
    fs::write(&filler, vec![0; 400 << 10]).unwrap();
    let full = (0..400).find_map(|_| ledger.append(&record("allow")).err()).unwrap();
    assert!(matches!(full, LedgerError::Full { receipt: Some(_), .. }), "{full}");
    assert!(ledger.suspended());
    fs::remove_file(&filler).unwrap();
    let _ = ledger.append(&record("allow")).unwrap();
    assert!(ledger.suspended(), "space alone ends it not");
    let _ = ledger.clone().on_full(OnFull::Deny).append(&record("allow")).unwrap();
    assert!(!ledger.suspended());
    assert!(compared(&ledger).intact());
}

#[test]
fn a_read_only_folder_is_an_error_for_append_and_none_for_verify() {
    inside(
        "inside_read_only",
        "\"$0\" --exact inside_prepare >/dev/null && mount --bind \"$D\" \"$D\" && mount -o remount,ro,bind \"$D\"",
    );
}

#[test]
fn inside_prepare() {
    let Some(folder) = given() else { return };
    let _ = Ledger::at(&folder).append(&record("allow")).unwrap();
}

#[test]
fn inside_read_only() {
    let Some(folder) = given() else { return };
    let ledger = Ledger::at(&folder);
    match ledger.append(&record("allow")) {
        Err(LedgerError::Io { source, .. }) => assert_eq!(source.kind(), std::io::ErrorKind::ReadOnlyFilesystem),
        other => panic!("{other:?}"),
    }
    assert!(Ledger::at(&folder.join("new")).append(&record("allow")).is_err());
    assert_eq!(compared(&ledger).records, 1);
}

/// What the traced append is to do.
#[derive(Clone, Copy, Debug)]
struct Append {
    verdict: &'static str,
    /// How long a segment may get: with one byte every append begins a new one.
    segment: &'static str,
}

const DENY: Append = Append {
    verdict: "deny",
    segment: "1000000",
};
const ALLOW: Append = Append {
    verdict: "allow",
    ..DENY
};
const ANCHOR: Append = Append {
    verdict: "anchor",
    ..DENY
};
const NOTHING: Append = Append {
    verdict: "nothing",
    ..DENY
};
const TURN: Append = Append { segment: "1", ..ALLOW };

/// Runs the example under `strace`.
fn traced(state: &Path, append: Append, args: &[&str]) -> Output {
    Command::new("strace")
        .args(["-f", "-qq"])
        .args(args)
        .arg(append_one())
        .arg(state)
        .args([append.verdict, append.segment])
        .env_clear()
        .output()
        .unwrap()
}

/// Every system call of an append, as its name and how often that name was called before it, plus one.
fn calls(state: &Path, append: Append) -> Vec<(String, usize)> {
    let trace = state.join("trace");
    let _ = traced(state, append, &["-o", trace.to_str().unwrap()]);
    let text = fs::read_to_string(&trace).unwrap();
    let names = text
        .lines()
        .filter_map(|l| l.split_once(' ')?.1.trim_start().split_once('(').map(|(name, _)| name));
    let mut calls: Vec<(String, usize)> = Vec::new();
    for name in names {
        let nth = calls.iter().filter(|(n, _)| n == name).count() + 1;
        calls.push((name.into(), nth));
    }
    calls
}

/// Injects `fault` at every system call of an append whose name is in `only` (all, when that is empty).
fn sweep(append: Append, fault: &str, only: &[&str]) {
    if !works("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    let _ = ledger.append(&record("allow")).unwrap();
    let (mut acknowledged, mut refused) = (0, 0);
    for (name, nth) in calls(state.path(), append) {
        if !only.is_empty() && !only.contains(&name.as_str()) {
            continue;
        }
        let before = compared(&ledger);
        let place = format!("inject={name}:{fault}:when={nth}");
        let output = traced(state.path(), append, &["-o", "/dev/null", "-e", &place]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let report = compared(&ledger);
        assert!(report.intact(), "{place}: {:?}", report.breaks);
        if let Some(seq) = said.strip_prefix("seq ") {
            acknowledged += 1;
            assert_eq!(report.seq, seq.trim().parse::<u64>().unwrap(), "{place}");
        } else {
            refused += 1;
            // At most a mending, an opening and the record, which nobody was promised.
            assert!(report.records <= before.records + 3, "{place}");
        }
        // The next append works, whatever was left behind.
        let _ = ledger.append(&record("allow")).unwrap();
        let after = compared(&ledger);
        assert!(after.intact(), "{place}: {:?}", after.breaks);
        assert!(after.records > report.records);
    }
    println!("{fault}: {refused} without an acknowledgement, {acknowledged} with one");
    assert!(refused + acknowledged > 10);
}

#[test]
fn killed_at_every_call() {
    sweep(DENY, "signal=KILL", &[]);
    sweep(ALLOW, "signal=KILL", &[]);
    sweep(TURN, "signal=KILL", &[]);
}

/// A first start that dies leaves no log without a head: that would look as if somebody had taken the head away.
#[test]
fn killed_at_every_call_of_the_first_append() {
    if !works("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let fresh = tempfile::tempdir().unwrap();
    for (name, nth) in calls(fresh.path(), DENY) {
        for fault in ["signal=KILL", "error=ENOSPC"] {
            if fault != "signal=KILL" && !WRITING.contains(&name.as_str()) {
                continue;
            }
            let state = tempfile::tempdir().unwrap();
            let ledger = Ledger::at(state.path());
            let place = format!("inject={name}:{fault}:when={nth}");
            let _ = traced(state.path(), DENY, &["-o", "/dev/null", "-e", &place]);
            for _ in 0..2 {
                let report = compared(&ledger);
                assert!(report.intact(), "{place}: {:?}", report.breaks);
                let _ = ledger.append(&record("allow")).unwrap();
            }
        }
    }
}

const WRITING: [&str; 9] = [
    "fallocate",
    "renameat",
    "openat",
    "write",
    "pwrite64",
    "ftruncate",
    "fdatasync",
    "fsync",
    "close",
];
/// Calls that a signal can interrupt.
const INTERRUPTED: [&str; 11] = [
    "openat",
    "read",
    "pread64",
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "ftruncate",
    "fallocate",
    "flock",
    "getrandom",
];
const READING: [&str; 6] = ["open", "read", "pread64", "statx", "flock", "fcntl"];

#[test]
fn an_error_of_every_call() {
    for error in ["ENOSPC", "EDQUOT", "EIO", "EROFS", "ENOLCK", "EMFILE", "EINTR"] {
        for append in [DENY, TURN] {
            let calls = [&WRITING[..], &READING[..]].concat();
            sweep(append, &format!("error={error}"), &calls);
        }
    }
}

/// A process in a time namespace counts from elsewhere since the same boot.
#[test]
fn r9_a_boot_clock_that_is_ahead_or_behind_is_no_tampering() {
    let shift = |seconds: &str| {
        ["-r", "-T", "--fork", "--boottime"]
            .map(String::from)
            .into_iter()
            .chain([seconds.into()])
    };
    let words: Vec<String> = shift("5").chain(["true".into()]).collect();
    if !works("unshare", &words.iter().map(String::as_str).collect::<Vec<_>>()) {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    for seconds in ["1000000", "0", "31536000", "60"] {
        let mut ahead = Command::new("unshare");
        ahead
            .args(shift(seconds))
            .arg(append_one())
            .arg(state.path())
            .arg("deny");
        assert!(ahead.status().unwrap().success(), "{seconds}");
        let _ = ledger.append(&record("allow")).unwrap();
    }
    let report = compared(&ledger);
    assert!(report.intact(), "{:?}", report.breaks);
    assert_eq!(report.records, 8);
}

/// A failed flush closes the segment: what it holds may not be on the disk, however clean the system calls it.
#[test]
fn r8_a_failed_flush_closes_the_segment() {
    if !works("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    let _ = ledger.append(&record("allow")).unwrap();
    let output = traced(
        state.path(),
        DENY,
        &["-o", "/dev/null", "-e", "inject=fdatasync:error=EIO:when=1+"],
    );
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
    let _ = ledger.append(&record("allow")).unwrap();
    let second = fs::read_to_string(ledger.dir().join("000002.ndjson")).unwrap();
    assert!(
        second.contains("\"kind\":\"suspect\"") && second.contains("segment 1 failed"),
        "{second}"
    );
    let report = compared(&ledger);
    assert!(report.intact() && report.sealed == 1, "{report:?}");
    assert_eq!(report.records, 3, "what was not acknowledged was set aside");
    assert!(
        ledger
            .dir()
            .join("000001.torn-".to_owned() + &first_end(&ledger))
            .exists()
    );
}

/// Where the first segment ends now.
fn first_end(ledger: &Ledger) -> String {
    fs::metadata(ledger.dir().join("000001.ndjson"))
        .unwrap()
        .len()
        .to_string()
}
