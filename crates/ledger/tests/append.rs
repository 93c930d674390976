//! Appending: the chain, the permissions, the writers at once, the cost.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test may fail loudly"
)]

mod python;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use ledger::{Event, Hash, HeadFile, Ledger, LedgerError, Line, Record, Report, verify};

fn decision(verdict: &str) -> Record {
    Record {
        verdict: verdict.into(),
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

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn records_form_one_chain_with_private_files() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(&state.path().join("not").join("there"));
    let first = ledger.append(&decision("allow")).unwrap();
    let second = ledger.append(&decision("deny")).unwrap();
    assert_eq!((first.seq(), second.seq()), (1, 2));

    let text = fs::read_to_string(ledger.dir().join("000001.ndjson")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains(&format!("\"prev\":\"{}\"", Hash::GENESIS)));
    assert_eq!(Hash::of(lines[0].as_bytes()), first.hash());
    assert!(lines[1].contains(&format!("\"prev\":\"{}\"", first.hash())));
    assert!(lines[1].starts_with("{\"format\":1,\"seq\":2,"), "{}", lines[1]);

    assert_eq!(mode(ledger.dir()), 0o700);
    assert_eq!(mode(&ledger.dir().join("000001.ndjson")), 0o600);
    for name in ["head", "key", "epochs", "reserve"] {
        assert_eq!(mode(&ledger.dir().join(name)), 0o600, "{name}");
    }
    let report = verify(ledger.dir(), Some(second.hash())).unwrap();
    assert!(report.intact());
    assert_eq!(report.head_file, HeadFile::Agrees);
}

#[test]
fn every_line_is_shown_as_it_is_stored() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    assert!(ledger::show(ledger.dir()).unwrap().is_none());
    for _ in 0..3 {
        let _ = ledger.append(&decision("allow")).unwrap();
    }
    let mut lines = ledger::show(ledger.dir()).unwrap().unwrap();
    let mut shown = Vec::new();
    while let Some(Line::Whole(line)) = lines.read_line().unwrap() {
        shown.extend_from_slice(line);
        shown.push(b'\n');
    }
    assert_eq!(shown, fs::read(ledger.dir().join("000001.ndjson")).unwrap());
}

#[test]
fn the_cost_of_an_append_does_not_depend_on_the_log() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    let _ = ledger.append(&decision("allow")).unwrap();
    let early = ledger.append(&decision("allow")).unwrap().bytes_read();
    for _ in 0..2000 {
        let _ = ledger.append(&decision("allow")).unwrap();
    }
    let late = ledger.append(&decision("allow")).unwrap().bytes_read();
    // The last line is read, and its sequence number has more digits now.
    assert!(late <= early + 3, "{early} then {late}");
}

#[test]
fn only_what_was_let_through_is_not_flushed() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    let unflushed = || compared(&ledger).unflushed;
    // The record that begins the ledger is flushed, and whatever comes with it.
    let _ = ledger.append(&decision("allow")).unwrap();
    for (verdict, expected) in [("allow", 1), ("warn", 2), ("ask", 0), ("allow", 1), ("deny", 0)] {
        assert_eq!(decision(verdict).must_reach_disk(), expected == 0);
        let _ = ledger.append(&decision(verdict)).unwrap();
        assert_eq!(unflushed(), expected, "{verdict}");
    }
    let start = Record {
        kind: Event::Start,
        verdict: "allow".into(),
        ..Record::default()
    };
    assert!(start.must_reach_disk());
}

#[test]
fn a_record_too_long_to_read_back_is_refused_and_leaves_nothing() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    let _ = ledger.append(&decision("allow")).unwrap();
    let long = Record {
        note: "\u{1}".repeat(1 << 20),
        ..Record::default()
    };
    assert!(matches!(ledger.append(&long), Err(LedgerError::TooLong { .. })));
    assert_eq!(ledger.append(&decision("allow")).unwrap().seq(), 2);
    assert!(compared(&ledger).intact());
}

#[test]
fn links_and_open_permissions_are_refused() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    let _ = ledger.append(&decision("allow")).unwrap();
    let refused = |what: &str| {
        let error = ledger.append(&decision("allow")).unwrap_err();
        assert!(
            matches!(error, LedgerError::Unsafe { .. } | LedgerError::Io { .. }),
            "{what}: {error}"
        );
        assert!(verify(ledger.dir(), None).is_err() || what == "none", "{what}");
    };
    for name in ["000001.ndjson", "head"] {
        let path = ledger.dir().join(name);
        let away = state.path().join("away");

        fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).unwrap();
        refused("writable by the group");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();

        fs::hard_link(&path, &away).unwrap();
        refused("second name");
        fs::remove_file(&away).unwrap();

        fs::rename(&path, &away).unwrap();
        symlink(&away, &path).unwrap();
        refused("symlink");
        fs::remove_file(&path).unwrap();

        fs::create_dir(&path).unwrap();
        refused("directory");
        fs::remove_dir(&path).unwrap();

        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        refused("pipe");
        fs::remove_file(&path).unwrap();
        fs::rename(&away, &path).unwrap();
    }
    fs::set_permissions(ledger.dir(), fs::Permissions::from_mode(0o702)).unwrap();
    refused("folder writable by all");
    fs::set_permissions(ledger.dir(), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(ledger.append(&decision("allow")).unwrap().seq(), 2);

    let real = state.path().join("real");
    fs::rename(ledger.dir(), &real).unwrap();
    symlink(&real, ledger.dir()).unwrap();
    refused("the folder is a symlink");
}

/// Only root can give a file away.
#[test]
fn what_belongs_to_somebody_else_is_refused() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    let _ = ledger.append(&decision("deny")).unwrap();
    let own = std::os::unix::fs::MetadataExt::uid(&fs::metadata(ledger.dir()).unwrap());
    let nobody = 65_534;
    if own != 0 || chown(ledger.dir(), Some(nobody), None).is_err() {
        println!("SKIPPED: only root can give files to somebody else");
        return;
    }
    let refused = |what: &str| {
        // The epochs are read where a segment is begun.
        let turning = ledger.clone().in_segments_of(1);
        for error in [
            turning.append(&decision("allow")).unwrap_err(),
            verify(ledger.dir(), None).unwrap_err(),
        ] {
            let why = "belongs to another user";
            assert!(
                matches!(error, LedgerError::Unsafe { why: said, .. } if said == why),
                "{what}: {error}"
            );
        }
    };
    refused("the folder");
    chown(ledger.dir(), Some(own), None).unwrap();
    for name in ["000001.ndjson", "head", "key", "epochs"] {
        chown(ledger.dir().join(name), Some(nobody), None).unwrap();
        refused(name);
        chown(ledger.dir().join(name), Some(own), None).unwrap();
    }
    assert_eq!(ledger.append(&decision("deny")).unwrap().seq(), 2);
    assert!(compared(&ledger).intact());
}

#[test]
fn a_reserve_that_was_taken_away_is_made_again_by_the_next_append_that_is_waited_for() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    let _ = ledger.append(&decision("allow")).unwrap();
    let reserve = ledger.dir().join("reserve");
    let blocks = || fs::metadata(&reserve).map_or(0, |meta| std::os::unix::fs::MetadataExt::blocks(&meta) * 512);
    for damage in ["removed", "emptied"] {
        match damage {
            "removed" => fs::remove_file(&reserve).unwrap(),
            _ => fs::write(&reserve, "").unwrap(),
        }
        let _ = ledger.append(&decision("allow")).unwrap();
        assert_eq!(blocks(), 0, "{damage}: what is let through waits for nothing");
        let _ = ledger.append(&decision("deny")).unwrap();
        assert_eq!((mode(&reserve), blocks()), (0o600, 64 << 10), "{damage}");
        fs::remove_file(&reserve).unwrap();
        let _ = ledger.clone().in_segments_of(1).append(&decision("allow")).unwrap();
        assert_eq!(blocks(), 64 << 10, "{damage}: with a segment, too");
    }
}

#[test]
fn a_held_lock_is_waited_for_and_not_for_ever() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path()).waiting(Duration::from_millis(50));
    let _ = ledger.append(&decision("allow")).unwrap();
    let folder = fs::File::open(ledger.dir()).unwrap();
    folder.lock().unwrap();
    assert!(matches!(
        ledger.append(&decision("allow")),
        Err(LedgerError::Busy { .. })
    ));
    let patient = ledger.clone().waiting(Duration::from_secs(20));
    let waiting = std::thread::spawn(move || patient.append(&decision("allow")).unwrap().seq());
    std::thread::sleep(Duration::from_millis(20));
    drop(folder);
    assert_eq!(waiting.join().unwrap(), 2);
}

const WRITERS: usize = 8;
const EACH: usize = 100;

#[test]
fn threads_at_once_write_one_chain() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path()).waiting(Duration::from_secs(60));
    let threads: Vec<_> = (0..WRITERS)
        .map(|_| {
            let ledger = ledger.clone();
            std::thread::spawn(move || {
                (0..EACH)
                    .map(|_| ledger.append(&decision("allow")).unwrap().seq())
                    .collect()
            })
        })
        .collect();
    let acknowledged: Vec<u64> = threads
        .into_iter()
        .flat_map(|t: std::thread::JoinHandle<Vec<u64>>| t.join().unwrap())
        .collect();
    all_there(&ledger, acknowledged);
}

/// Run again by [`processes_at_once_write_one_chain`] as a writer.
#[test]
fn writer() {
    let Some(state) = std::env::var_os("LEDGER_TEST_STATE") else {
        return;
    };
    let ledger = Ledger::at(Path::new(&state)).waiting(Duration::from_secs(60));
    for _ in 0..EACH {
        println!("seq {}", ledger.append(&decision("allow")).unwrap().seq());
    }
}

#[test]
fn processes_at_once_write_one_chain() {
    let state = tempfile::tempdir().unwrap();
    let children: Vec<_> = (0..WRITERS)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "writer", "--nocapture"])
                .env("LEDGER_TEST_STATE", state.path())
                .stdout(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut acknowledged = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        acknowledged.extend(text.lines().filter_map(|l| l.split("seq ").nth(1)?.parse::<u64>().ok()));
    }
    all_there(&Ledger::at(state.path()), acknowledged);
}

/// Every acknowledged record is in the chain, once.
fn all_there(ledger: &Ledger, mut acknowledged: Vec<u64>) {
    acknowledged.sort_unstable();
    let all: Vec<u64> = (1..=(WRITERS * EACH) as u64).collect();
    assert_eq!(acknowledged, all);
    let report = compared(ledger);
    assert!(report.intact(), "{:?}", report.breaks);
    assert_eq!((report.records, report.mended), (all.len() as u64, 0));
}
