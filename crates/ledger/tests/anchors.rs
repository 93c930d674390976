//! What is stated elsewhere about the log: checkpoints, proofs, and a log that was set back.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may fail loudly"
)]

use std::fs;
use std::path::Path;

use ledger::{Anchors, BreakKind, Ledger, LedgerError, Line, Proof, ProofError, Proved, Record, show, verify_with};

fn add(ledger: &Ledger, count: usize) {
    for n in 0..count {
        let record = Record {
            verdict: "allow".into(),
            note: format!("note {n}"),
            ..Record::default()
        };
        let _ = ledger.append(&record).unwrap();
    }
}

fn line(ledger: &Ledger, seq: u64) -> Vec<u8> {
    let mut records = show(ledger.dir()).unwrap().unwrap();
    for _ in 1..seq {
        records.read_line().unwrap();
    }
    match records.read_line().unwrap().unwrap() {
        Line::Whole(line) => line.to_vec(),
        other => panic!("{other:?}"),
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_record_and_an_earlier_checkpoint_are_proved_without_the_log() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path()).in_segments_of(20_000);
    let anchors = Anchors::of(ledger.dir());
    assert!(anchors.prove(1).unwrap().is_none());
    add(&ledger, 300);
    let first = anchors.make().unwrap();
    add(&ledger, 450);
    let second = anchors.make().unwrap();
    assert_eq!((first.checkpoint.size, second.checkpoint.size), (300, 750));
    assert_eq!(first.verifier, second.verifier);

    for seq in [1, 2, 256, 257, 300, 301, 749, 750] {
        let proof = anchors.prove(seq).unwrap().unwrap();
        let proof = Proof::parse(&proof.text()).unwrap();
        assert_eq!(proof.seq(), Some(seq));
        let (own, other) = (line(&ledger, seq), line(&ledger, seq % 750 + 1));
        assert_eq!(
            proof.check(&second.verifier, Some(&own), None),
            Ok(Proved::Record(second.checkpoint.clone()))
        );
        assert_eq!(
            proof.check(&second.verifier, Some(&other), None),
            Err(ProofError::Wrong)
        );
        assert_eq!(proof.check(&second.verifier, None, None), Err(ProofError::Missing));
    }
    assert!(anchors.prove(0).unwrap().is_none() && anchors.prove(751).unwrap().is_none());

    let since = anchors.prove_since(300).unwrap().unwrap();
    let proved = Proof::parse(&since.text())
        .unwrap()
        .check(&second.verifier, None, Some(&first.note));
    assert!(matches!(proved, Ok(Proved::Beginning { .. })), "{proved:?}");
    assert_eq!(
        since.check(&second.verifier, None, Some(&second.note)),
        Err(ProofError::Wrong)
    );

    let first_hash = since.text().lines().nth(2).unwrap().to_owned();
    let longer = since
        .text()
        .replacen(&first_hash, &format!("{first_hash}\n{first_hash}"), 1);
    let longer = Proof::parse(&longer)
        .unwrap()
        .check(&second.verifier, None, Some(&first.note));
    assert_eq!(longer, Err(ProofError::Wrong));

    let other = tempfile::tempdir().unwrap();
    let other = Ledger::at(other.path());
    add(&other, 1);
    let foreign = Anchors::of(other.dir()).make().unwrap().verifier;
    assert_eq!(
        since.check(&foreign, None, Some(&first.note)),
        Err(ProofError::Unsigned)
    );
    assert_eq!(
        Proof::parse("c2sp.org/tlog-proof@v1\nindex x\n\n"),
        Err(ProofError::Malformed)
    );
}

#[test]
fn r4_an_older_whole_copy_is_found_through_an_anchor_kept_elsewhere() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    let anchors = Anchors::of(ledger.dir());
    add(&ledger, 5);
    let _ = anchors.make().unwrap();
    let old = state.path().join("old");
    copy(ledger.dir(), &old);
    add(&ledger, 5);
    let kept = anchors.make().unwrap();
    add(&ledger, 3);
    let (checkpoints, bad) = anchors.kept(&kept.note, Some(&kept.verifier)).unwrap();
    assert_eq!((checkpoints.len(), bad), (1, 0));

    let report = verify_with(ledger.dir(), None, &checkpoints, &mut |_, _| {}).unwrap();
    assert!(report.intact(), "{:?}", report.breaks);
    assert_eq!((report.anchored, report.records - report.anchored), (10, 3));

    // All files of the ledger, its own checkpoints among them, as they once were.
    fs::rename(ledger.dir(), state.path().join("new")).unwrap();
    fs::rename(&old, ledger.dir()).unwrap();
    let report = verify_with(ledger.dir(), None, &checkpoints, &mut |_, _| {}).unwrap();
    assert_eq!(report.breaks[0].kind, BreakKind::Truncated, "{:?}", report.breaks);
    let (own, _) = anchors.made().unwrap();
    assert!(verify_with(ledger.dir(), None, &own, &mut |_, _| {}).unwrap().intact());

    // And goes on from there: another record has the number.
    add(&ledger, 20);
    let report = verify_with(ledger.dir(), None, &checkpoints, &mut |_, _| {}).unwrap();
    assert_eq!(report.breaks[0].kind, BreakKind::Unexpected, "{:?}", report.breaks);
}

#[test]
fn a_log_that_was_written_anew_is_not_signed_again() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    let anchors = Anchors::of(ledger.dir());
    add(&ledger, 300);
    let made = anchors.make().unwrap();
    let proof = anchors.prove(7).unwrap().unwrap();
    // The tree is made of the log: what is missing of it is made again.
    fs::remove_file(ledger.dir().join("anchors/tile/0/000")).unwrap();
    assert_eq!(anchors.prove(7).unwrap().unwrap(), proof);
    assert_eq!(anchors.make().unwrap().checkpoint.root, made.checkpoint.root);
    let log = ledger.dir().join("000001.ndjson");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replacen("note 7\"", "note 8\"", 1)).unwrap();
    assert!(matches!(anchors.make(), Err(LedgerError::Changed { .. })));
    fs::write(&log, &text).unwrap();
    assert!(anchors.make().is_ok());
}

#[test]
fn first_anchors_at_once_have_one_key() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    add(&ledger, 5);
    let makers: Vec<_> = (0..12)
        .map(|_| {
            let dir = ledger.dir().to_path_buf();
            std::thread::spawn(move || Anchors::of(&dir).make().unwrap().verifier)
        })
        .collect();
    let keys: std::collections::HashSet<String> = makers.into_iter().map(|maker| maker.join().unwrap()).collect();
    assert_eq!(keys.len(), 1);
    let (made, bad) = Anchors::of(ledger.dir()).made().unwrap();
    assert_eq!((made.len(), bad), (12, 0));
}

#[test]
fn files_that_are_no_files_of_ours_are_not_read() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    add(&ledger, 2);
    let anchors = Anchors::of(ledger.dir());
    let _ = anchors.make().unwrap();
    for name in ["checkpoints", "machine.key"] {
        let path = ledger.dir().join("anchors").join(name);
        let whole = fs::read(&path).unwrap();
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(3 << 30)
            .unwrap();
        assert!(anchors.made().is_err(), "{name}: a long one");
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", &path).unwrap();
        assert!(anchors.made().is_err(), "{name}: a link");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(anchors.made().is_err(), "{name}: a folder");
        fs::remove_dir(&path).unwrap();
        fs::write(&path, whole).unwrap();
    }
    assert!(anchors.made().is_ok());
}

#[test]
fn anchors_are_no_strangers_and_only_what_was_acknowledged_is_signed() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    add(&ledger, 3);
    let head = fs::read(ledger.dir().join("head")).unwrap();
    add(&ledger, 1);
    fs::write(ledger.dir().join("head"), head).unwrap();
    let made = Anchors::of(ledger.dir()).make().unwrap();
    assert_eq!(made.checkpoint.size, 3);
    let report = ledger::verify(ledger.dir(), None).unwrap();
    assert_eq!(report.strangers, 0, "{:?}", report.unknown);
}

#[test]
fn m_60_the_ends_of_runs_are_chained_into_the_ledger_of_the_machine() {
    let state = tempfile::tempdir().unwrap();
    let machine = Ledger::at(state.path());
    let runs = ["one", "two"].map(|run| Ledger::of_run(state.path(), run));
    for (name, run) in ["one", "two"].iter().zip(&runs) {
        add(run, 5);
        let _ = machine.chain_run(name, run).unwrap();
        add(run, 2);
        let _ = machine.chain_run(name, run).unwrap();
    }
    let check = || {
        let report = verify_with(machine.dir(), None, &[], &mut |_, _| {}).unwrap();
        let reports = ledger::verify_runs(state.path(), &report);
        let intact: Vec<bool> = reports.iter().map(ledger::RunReport::intact).collect();
        (report.intact(), intact)
    };
    assert_eq!(check(), (true, vec![true, true]));
    // A run's ledger goes on after its last chained end.
    add(&runs[0], 1);
    assert_eq!(check(), (true, vec![true, true]));
    // One that was made anew, as long and whole in itself, is another one.
    fs::rename(runs[1].dir(), state.path().join("away")).unwrap();
    assert_eq!(check(), (true, vec![true, false]), "it is gone");
    add(&runs[1], 7);
    assert_eq!(check(), (true, vec![true, false]));
}
