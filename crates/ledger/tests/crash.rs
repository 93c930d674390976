//! What crashes, lost head files and tampering leave, and what the next append makes of it.
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
use std::path::{Path, PathBuf};

use ledger::{BreakKind, HeadFile, Ledger, Record, Report, verify};

/// A ledger whose files can be set back.
struct Bench {
    _state: tempfile::TempDir,
    ledger: Ledger,
}

impl Bench {
    fn new(records: usize) -> Self {
        let state = tempfile::tempdir().unwrap();
        let bench = Self {
            ledger: Ledger::at(state.path()),
            _state: state,
        };
        (0..records).for_each(|_| bench.append());
        bench
    }

    fn append(&self) {
        let record = Record {
            verdict: "allow".into(),
            note: "a note".into(),
            ..Record::default()
        };
        let _ = self.ledger.append(&record).unwrap();
    }

    fn log(&self) -> PathBuf {
        self.ledger.dir().join("000001.ndjson")
    }
    fn head(&self) -> PathBuf {
        self.ledger.dir().join("head")
    }
    fn verify(&self) -> Report {
        let report = verify(self.ledger.dir(), None).unwrap();
        let breaks: Vec<String> = report.breaks.iter().map(ToString::to_string).collect();
        python::agrees(self.ledger.dir(), &breaks, &report.head.hex());
        report
    }
    fn torn_files(&self) -> Vec<PathBuf> {
        let names = fs::read_dir(self.ledger.dir()).unwrap().map(|e| e.unwrap().path());
        names.filter(|p| p.to_string_lossy().contains(".torn-")).collect()
    }
    fn last_lines(&self, n: usize) -> String {
        let text = fs::read_to_string(self.log()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(n)..].join("\n")
    }
}

/// Writes over a file in place, as a crash or a hand would leave it.
fn put(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
}

#[test]
fn every_prefix_of_an_unacknowledged_record_is_torn_and_set_aside() {
    let bench = Bench::new(4);
    let (before, head) = (fs::read(bench.log()).unwrap(), fs::read(bench.head()).unwrap());
    bench.append();
    let after = fs::read(bench.log()).unwrap();
    for end in before.len() + 1..after.len() {
        put(&bench.log(), &after[..end]);
        put(&bench.head(), &head);
        let report = bench.verify();
        assert!(
            report.intact() && report.torn == (end - before.len()) as u64,
            "{end}: {report:?}"
        );

        bench.append();
        let report = bench.verify();
        assert!(report.intact(), "{end}: {:?}", report.breaks);
        assert_eq!((report.records, report.mended, report.torn), (6, 1, 0), "{end}");
        let aside = bench.torn_files();
        assert_eq!(aside.len(), 1);
        assert_eq!(fs::read(&aside[0]).unwrap(), &after[before.len()..end]);
        let mending = bench.last_lines(2);
        assert!(mending.contains("\"kind\":\"recovered\""), "{mending}");
        assert!(
            mending.contains(aside[0].file_name().unwrap().to_str().unwrap()),
            "{mending}"
        );
        fs::remove_file(&aside[0]).unwrap();
    }
}

#[test]
fn the_same_prefix_is_named_lost_where_the_head_counts_the_record() {
    let bench = Bench::new(4);
    let whole = fs::read(bench.log()).unwrap();
    let third = whole.len() - bench.last_lines(1).len() - 1;
    for end in third..whole.len() {
        put(&bench.log(), &whole[..end]);
        let report = bench.verify();
        assert_eq!(report.breaks[0].kind, BreakKind::LostAcknowledged, "{end}");
        assert_eq!(report.head_file, HeadFile::Disagrees);
    }
    // Work goes on, and the loss stays visible for ever.
    bench.append();
    bench.append();
    let report = bench.verify();
    assert_eq!(
        report.breaks[0].kind,
        BreakKind::LostAcknowledged,
        "{:?}",
        report.breaks
    );
    assert!(report.only_lost());
    assert!(
        report.breaks[0]
            .what
            .contains("records 4 to 4 were acknowledged and are lost"),
        "{:?}",
        report.breaks
    );
    assert_eq!((report.broken, report.head_file), (1, HeadFile::Agrees));
    assert!(bench.last_lines(3).contains("\"kind\":\"lost\""));
}

#[test]
fn whole_records_after_the_head_are_taken_in() {
    let bench = Bench::new(3);
    let head = fs::read(bench.head()).unwrap();
    bench.append();
    bench.append();
    put(&bench.head(), &head);
    assert_eq!(bench.verify().head_file, HeadFile::Behind);
    bench.append();
    let report = bench.verify();
    assert!(report.intact());
    assert_eq!(
        (report.records, report.mended, report.head_file),
        (7, 1, HeadFile::Agrees)
    );
    assert!(bench.last_lines(2).contains("2 whole records"));
}

#[test]
fn a_log_without_a_head_is_never_intact_again() {
    let unvouched = |report: &Report| {
        let kinds: Vec<_> = report.breaks.iter().map(|b| b.kind).collect();
        assert!(kinds.iter().all(|kind| *kind == BreakKind::Unvouched), "{kinds:?}");
        assert!(
            report.breaks.iter().all(|b| b.what.contains("nothing vouches")),
            "{:?}",
            report.breaks
        );
        kinds.len()
    };
    for damage in [None, Some(&b""[..]), Some(b"x"), Some(&[0; 300]), Some(&[b'h'; 4000])] {
        for cut in [0, 1, 2, 4] {
            let bench = Bench::new(5);
            match damage {
                None => fs::remove_file(bench.head()).unwrap(),
                Some(bytes) => put(&bench.head(), bytes),
            }
            // The last records go with it.
            let text = fs::read_to_string(bench.log()).unwrap();
            let kept: String = text.lines().take(5 - cut).map(|line| format!("{line}\n")).collect();
            put(&bench.log(), kept.as_bytes());
            assert_eq!(unvouched(&bench.verify()), 1);
            bench.append();
            bench.append();
            let report = bench.verify();
            assert_eq!(unvouched(&report), 1, "the mark stays");
            assert_eq!(
                (report.records, report.mended, report.head_file),
                (8 - cut as u64, 1, HeadFile::Agrees)
            );
            assert!(bench.last_lines(3).contains("\"kind\":\"unvouched\""));

            // Taking the mark away takes the same again.
            let marked = fs::read_to_string(bench.log()).unwrap();
            put(&bench.log(), kept.as_bytes());
            assert!(matches!(
                bench.verify().breaks[0].kind,
                BreakKind::Truncated | BreakKind::LostAcknowledged
            ));
            fs::remove_file(bench.head()).unwrap();
            assert_eq!(unvouched(&bench.verify()), 1);
            put(&bench.log(), marked.as_bytes());

            // Torn line and lost head at once.
            let torn = [marked.as_bytes(), b"{\"format\":1,\"se"].concat();
            put(&bench.log(), &torn);
            assert_eq!(unvouched(&bench.verify()), 2);
            bench.append();
            assert_eq!((unvouched(&bench.verify()), bench.torn_files().len()), (2, 1));
        }
    }
}

#[test]
fn a_torn_first_record_without_a_head_is_not_intact_either() {
    let bench = Bench::new(1);
    let text = fs::read(bench.log()).unwrap();
    put(&bench.log(), &text[..text.len() / 2]);
    fs::remove_file(bench.head()).unwrap();
    for _ in 0..2 {
        assert_eq!(bench.verify().breaks[0].kind, BreakKind::Unvouched);
        bench.append();
    }
}

#[test]
fn an_empty_log_needs_no_head() {
    for head in [None, Some(&b""[..]), Some(b"x")] {
        let bench = Bench::new(0);
        fs::create_dir_all(bench.ledger.dir()).unwrap();
        put(&bench.log(), b"");
        head.into_iter().for_each(|bytes| put(&bench.head(), bytes));
        assert!(bench.verify().intact());
        bench.append();
        let report = bench.verify();
        assert!(report.intact(), "{head:?}: {:?}", report.breaks);
        assert_eq!(report.head_file, HeadFile::Agrees);
    }
}

#[test]
fn files_that_are_no_part_of_a_ledger_are_named() {
    let bench = Bench::new(3);
    assert_eq!(bench.verify().unknown, Vec::<String>::new());
    // What we make ourselves is known.
    put(&bench.ledger.dir().join("000001.torn-77"), b"");
    put(&bench.ledger.dir().join("000001.torn-77.2"), b"");
    let strange = [
        "000000.ndjson",
        "000001.torn-",
        "000001.torn-x",
        "head.old",
        "zz.ndjson",
    ];
    for name in strange {
        put(&bench.ledger.dir().join(name), b"{}\n");
    }
    let report = bench.verify();
    assert_eq!(
        (report.unknown, report.strangers),
        (strange.map(String::from).to_vec(), 5)
    );
    for n in 0..100 {
        put(&bench.ledger.dir().join(format!("x{n}")), b"");
    }
    let report = bench.verify();
    assert_eq!((report.unknown.len(), report.strangers), (32, 105));
}

#[test]
fn an_old_head_file_over_a_long_log_costs_one_read_and_loses_nothing() {
    let bench = Bench::new(1);
    let old = fs::read(bench.head()).unwrap();
    let long = Record {
        note: "n".repeat(3 << 20),
        ..Record::default()
    };
    for _ in 0..7 {
        let _ = bench.ledger.append(&long).unwrap();
    }
    bench.append();
    put(&bench.head(), &old);
    let record = Record {
        verdict: "allow".into(),
        ..Record::default()
    };
    let read = bench.ledger.append(&record).unwrap().bytes_read();
    assert!(read < 1 << 20, "{read}");
    assert!(bench.verify().intact());
    assert_eq!(bench.verify().records, 11);
}

#[test]
fn zeros_left_by_a_power_loss_are_torn() {
    let bench = Bench::new(3);
    let mut text = fs::read(bench.log()).unwrap();
    text.extend_from_slice(&[0; 4096]);
    put(&bench.log(), &text);
    assert_eq!(bench.verify().torn, 4096);
    bench.append();
    text.truncate(text.len() - 4096);
    assert!(bench.verify().intact());

    let bench = Bench::new(3);
    let mut text = fs::read(bench.log()).unwrap();
    text.extend_from_slice(b"{\"format\":1\0\0\0\0}\n");
    put(&bench.log(), &text);
    bench.append();
    assert!(bench.verify().intact(), "{:?}", bench.verify().breaks);
    assert_eq!(bench.torn_files().len(), 1);
}

#[test]
fn v_3506_changed_bytes_stay_named_after_work_went_on() {
    // The last record, while the head file counts it.
    let bench = Bench::new(4);
    let text = fs::read_to_string(bench.log()).unwrap();
    let at = text.rfind("a note").unwrap();
    let changed = format!("{}b{}", &text[..at], &text[at + 1..]);
    put(&bench.log(), changed.as_bytes());
    bench.append();
    let told = bench.last_lines(2);
    assert!(told.contains(r#""kind":"broken""#), "{told}");
    assert!(told.contains("does not hold record 4 as it was acknowledged"), "{told}");
    bench.append();
    let report = bench.verify();
    assert_eq!(
        (report.broken, report.breaks[0].kind),
        (1, BreakKind::Edited),
        "{:?}",
        report.breaks
    );

    // A line put in behind the last record.
    let bench = Bench::new(4);
    let mut text = fs::read(bench.log()).unwrap();
    text.extend_from_slice(b"{\"format\":1,\"seq\":77}\n");
    put(&bench.log(), &text);
    bench.append();
    let report = bench.verify();
    assert_eq!(
        (report.broken, report.breaks[0].kind),
        (1, BreakKind::Malformed),
        "{:?}",
        report.breaks
    );

    // The same with the head file gone.
    fs::remove_file(bench.head()).unwrap();
    let mut text = fs::read(bench.log()).unwrap();
    text.extend_from_slice(b"nonsense\n");
    put(&bench.log(), &text);
    bench.append();
    let report = bench.verify();
    assert_eq!(report.broken, 3, "{:?}", report.breaks);
    assert_eq!(report.seq, 8, "no number is given twice");
}

#[test]
fn an_emptied_or_removed_log_is_named() {
    for remove in [false, true] {
        let bench = Bench::new(4);
        if remove {
            fs::remove_file(bench.log()).unwrap();
        } else {
            put(&bench.log(), b"");
        }
        assert!(!bench.verify().intact());
        bench.append();
        let report = bench.verify();
        assert!(!report.intact());
        assert_eq!(report.seq, 6, "the chain goes on from what was acknowledged");
    }
}

#[test]
fn an_endless_last_line_does_not_stop_the_work() {
    let bench = Bench::new(2);
    let mut text = fs::read(bench.log()).unwrap();
    text.extend_from_slice(&vec![b'x'; 9 << 20]);
    put(&bench.log(), &text);
    bench.append();
    let report = bench.verify();
    assert_eq!((report.records, report.broken), (4, 1), "{:?}", report.breaks);
}

#[test]
fn a_ledger_that_is_not_there_is_empty() {
    let state = tempfile::tempdir().unwrap();
    let report = verify(&state.path().join("ledger"), None).unwrap();
    assert!(report.intact());
    assert_eq!(report.records, 0);
    let head = ledger::Hash::of(b"x");
    assert!(!verify(&state.path().join("ledger"), Some(head)).unwrap().intact());
}
