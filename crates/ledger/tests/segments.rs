//! Segments: each with a key of its own, sealed by it at the end, and then out of anybody's reach.
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

use ed25519_dalek::{Signer as _, SigningKey};
use ledger::{BreakKind, Hash, HeadFile, Ledger, Line, Place, Record, Report, line_at, show, show_from, verify};

struct Bench {
    state: tempfile::TempDir,
    ledger: Ledger,
}

impl Bench {
    /// A ledger of short segments with this many records, openings aside.
    fn new(records: usize) -> Self {
        let state = tempfile::tempdir().unwrap();
        let ledger = Ledger::at(state.path()).in_segments_of(2000);
        let bench = Self { state, ledger };
        (0..records).for_each(|n| bench.append(&format!("note {n}")));
        bench
    }

    fn append(&self, note: &str) {
        let record = Record {
            verdict: "allow".into(),
            note: note.into(),
            ..Record::default()
        };
        let _ = self.ledger.append(&record).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.ledger.dir().join(name)
    }

    fn segment(&self, number: u32) -> PathBuf {
        self.path(&format!("{number:06}.ndjson"))
    }

    fn verify(&self) -> Report {
        let report = verify(self.ledger.dir(), None).unwrap();
        let breaks: Vec<String> = report.breaks.iter().map(ToString::to_string).collect();
        python::agrees(self.ledger.dir(), &breaks, &report.head.hex());
        report
    }

    fn kinds(&self) -> Vec<(BreakKind, u32)> {
        self.verify().breaks.iter().map(|b| (b.kind, b.segment)).collect()
    }

    /// All lines with their places.
    fn lines(&self) -> Vec<(Place, String)> {
        let mut records = show(self.ledger.dir()).unwrap().unwrap();
        let mut lines = Vec::new();
        loop {
            let Some(line) = records.read_line().unwrap() else {
                return lines;
            };
            let Line::Whole(line) = line else { panic!("{line:?}") };
            let line = String::from_utf8(line.to_vec()).unwrap();
            lines.push((records.place(), line));
        }
    }
}

#[test]
fn a_long_segment_is_sealed_and_the_next_one_begun() {
    let bench = Bench::new(40);
    let report = bench.verify();
    assert!(report.intact(), "{:?}", report.breaks);
    assert!(report.segments > 3, "{report:?}");
    assert_eq!(report.sealed, report.segments - 1);
    assert_eq!(
        (report.records, report.seq),
        (40, 40),
        "what opens a segment is no record"
    );
    assert_eq!(report.head_file, HeadFile::Agrees);
    let epochs = fs::read_to_string(bench.path("epochs")).unwrap();
    assert_eq!(epochs.lines().count() as u64, report.segments, "{epochs}");
}

#[test]
fn lines_are_read_across_segments_and_from_any_place() {
    let bench = Bench::new(30);
    let lines = bench.lines();
    let report = bench.verify();
    assert_eq!(lines.len() as u64, report.records);
    for (at, (place, line)) in lines.iter().enumerate() {
        assert_eq!(line_at(bench.ledger.dir(), *place).unwrap().unwrap(), line.as_bytes());
        let mut rest = show_from(bench.ledger.dir(), *place).unwrap().unwrap();
        let mut count = 0;
        while rest.read_line().unwrap().is_some() {
            count += 1;
        }
        assert_eq!(count, lines.len() - at);
    }
    let nowhere = Place { segment: 99, offset: 0 };
    assert_eq!(line_at(bench.ledger.dir(), nowhere).unwrap(), None);
}

#[test]
fn the_key_of_a_sealed_segment_is_nowhere_any_more() {
    let bench = Bench::new(1);
    let seed = |text: &str| text.split("seed=").nth(1).unwrap()[..64].to_owned();
    let old = seed(&fs::read_to_string(bench.path("key")).unwrap());
    (0..20).for_each(|_| bench.append("more"));
    for entry in fs::read_dir(bench.ledger.dir()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(&old), "{}", path.display());
    }
    assert!(!bench.path("key.next").exists());
}

/// Writes segment `number` anew with other contents, so that its own chain holds, and carries the change on into the
/// next segment's first record, sealed with the key that is stolen now.
fn rewrite(bench: &Bench, number: u32, seal: bool) {
    let text = fs::read_to_string(bench.segment(number)).unwrap();
    let (mut hash, mut out) = (None::<Hash>, String::new());
    for line in text.lines() {
        let mut line = line.replace("note ", "nope ");
        if let Some(hash) = hash {
            let at = line.find("\"prev\":\"").unwrap() + 8;
            line.replace_range(at..at + 64, &hash.hex());
        }
        hash = Some(Hash::of(line.as_bytes()));
        out.push_str(&line);
        out.push('\n');
    }
    fs::write(bench.segment(number), out).unwrap();
    let hash = hash.unwrap();
    let next = fs::read_to_string(bench.segment(number + 1)).unwrap();
    let at = next.find("\"prev\":\"").unwrap() + 8;
    fs::write(
        bench.segment(number + 1),
        format!("{}{hash}{}", &next[..at], &next[at + 64..]),
    )
    .unwrap();

    let epochs = fs::read_to_string(bench.path("epochs")).unwrap();
    let mut lines: Vec<String> = epochs.lines().map(String::from).collect();
    let line = &mut lines[number as usize];
    let epoch: serde_json::Value = serde_json::from_str(line).unwrap();
    let field = |name: &str| epoch[name].to_string().replace('"', "");
    *line = line.replace(&field("head"), &hash.hex());
    if seal {
        let text = format!(
            "tollgate-epoch 1\nsegment={}\nkey={}\nseq={}\nhead={hash}\ntime={}\nunsealed={}\n",
            field("segment"),
            field("key"),
            field("seq"),
            field("time"),
            Hash::of(b""),
        );
        let signature = stolen(bench).sign(text.as_bytes()).to_bytes();
        let signature: String = signature.iter().map(|b| format!("{b:02x}")).collect();
        *line = line.replace(&field("signature"), &signature);
    }
    fs::write(bench.path("epochs"), lines.join("\n") + "\n").unwrap();
}

/// The key of now.
fn stolen(bench: &Bench) -> SigningKey {
    let text = fs::read_to_string(bench.path("key")).unwrap();
    let seed = text.split("seed=").nth(1).unwrap()[..64].to_owned();
    let byte = |i: usize| u8::from_str_radix(&seed[2 * i..2 * i + 2], 16).unwrap();
    SigningKey::from_bytes(&std::array::from_fn(byte))
}

/// CVE-2023-31439: journald's verification took old entries that were written anew and sealed again with the key of
/// now, because it never asked whether that key was the one of their time.
#[test]
fn r5_an_old_segment_sealed_again_with_the_key_of_now_is_refused() {
    for seal in [true, false] {
        let bench = Bench::new(40);
        rewrite(&bench, 2, seal);
        let kinds = bench.kinds();
        assert_eq!(kinds[0], (BreakKind::WrongEpoch, 3), "{kinds:?}");
        // Work goes on and the place stays named.
        bench.append("later");
        assert_eq!(bench.kinds()[0], (BreakKind::WrongEpoch, 3));
    }
}

#[test]
fn r5_a_record_of_now_with_a_time_of_then_is_refused() {
    let bench = Bench::new(3);
    let text = fs::read_to_string(bench.segment(1)).unwrap();
    let last = text.lines().last().unwrap();
    let mut record: serde_json::Value = serde_json::from_str(last).unwrap();
    record["seq"] = 4.into();
    record["prev"] = Hash::of(last.as_bytes()).hex().into();
    record["time"] = "2020-01-01T00:00:00.000Z".into();
    fs::write(bench.segment(1), format!("{text}{record}\n")).unwrap();
    assert_eq!(bench.kinds(), [(BreakKind::WrongEpoch, 1)]);
}

#[test]
fn a_missing_segment_a_doubled_one_and_one_of_another_ledger_are_named() {
    let bench = Bench::new(40);
    let away = bench.state.path().join("away");
    fs::rename(bench.segment(2), &away).unwrap();
    assert_eq!(bench.kinds()[0].0, BreakKind::Deleted);

    fs::copy(bench.segment(1), bench.segment(2)).unwrap();
    assert_eq!(bench.kinds()[0].0, BreakKind::Duplicated);

    let other = Bench::new(40);
    fs::copy(other.segment(2), bench.segment(2)).unwrap();
    let kinds = bench.kinds();
    assert!(!kinds.is_empty() && kinds[0].1 == 2, "{kinds:?}");

    fs::rename(&away, bench.segment(2)).unwrap();
    assert!(bench.verify().intact());

    // The newest one: what it held had been acknowledged.
    let last = bench.verify().segments;
    let last = bench.segment(u32::try_from(last).unwrap());
    fs::rename(&last, &away).unwrap();
    assert!(!bench.verify().intact());
}

#[test]
fn a_lost_key_is_named_for_ever_and_work_goes_on_in_a_new_segment() {
    for damage in ["remove", "zeros", "another"] {
        let (bench, other) = (Bench::new(3), Bench::new(1));
        match damage {
            "remove" => fs::remove_file(bench.path("key")).unwrap(),
            "zeros" => fs::write(bench.path("key"), [b'0'; 200]).unwrap(),
            _ => fs::copy(other.path("key"), bench.path("key")).map(|_| ()).unwrap(),
        }
        assert_eq!(bench.kinds(), [(BreakKind::Unvouched, 1)], "{damage}");
        bench.append("on");
        bench.append("and on");
        let report = bench.verify();
        assert!(report.only_unvouched(), "{damage}: {:?}", report.breaks);
        assert_eq!((report.segments, report.sealed, report.seq), (2, 0, 6), "{damage}");
    }
}

/// Head and key of another ledger: both fit each other, and neither is this chain's.
#[test]
fn a_head_that_another_key_seals_is_no_head() {
    let bench = Bench::new(3);
    let text = fs::read_to_string(bench.segment(1)).unwrap();
    let keep: String = text.lines().take(3).map(|line| format!("{line}\n")).collect();
    fs::write(bench.segment(1), &keep).unwrap();
    // A head for the shortened log, sealed by a key of the thief's own.
    let forged = tempfile::tempdir().unwrap();
    let own = Ledger::at(forged.path());
    for _ in 0..2 {
        let _ = own.append(&Record::default()).unwrap();
    }
    for name in ["head", "key"] {
        fs::copy(own.dir().join(name), bench.path(name)).unwrap();
    }
    assert!(!bench.verify().intact());
    bench.append("on");
    assert!(!bench.verify().intact());
}

/// All files set back to what they were once: that fits together in itself, and only what is kept elsewhere can tell.
#[test]
fn r4_an_older_whole_copy_is_found_through_a_head_kept_elsewhere() {
    let bench = Bench::new(10);
    let copy = bench.state.path().join("copy");
    fs::create_dir(&copy).unwrap();
    let all = |from: &Path, to: &Path| {
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    };
    all(bench.ledger.dir(), &copy);
    bench.append("what shall be forgotten");
    let noted = bench.verify().head;
    all(&copy, bench.ledger.dir());
    assert!(bench.verify().intact());
    assert!(!verify(bench.ledger.dir(), Some(noted)).unwrap().intact());
}

#[test]
fn a_segment_in_the_middle_that_lost_its_end_is_named() {
    let bench = Bench::new(40);
    let text = fs::read(bench.segment(2)).unwrap();
    fs::write(bench.segment(2), &text[..text.len() - 10]).unwrap();
    let kinds = bench.kinds();
    assert_eq!(kinds[0], (BreakKind::Malformed, 2), "{kinds:?}");
}
