//! Ledgers that somebody without the key, or with an old copy, made look whole.

use super::tests::{compared, stamp};
use super::*;
use crate::epochs::Epoch;
use crate::record::{Record, line};

/// A ledger of two segments on a disk.
struct Disk {
    _state: tempfile::TempDir,
    ledger: crate::Ledger,
}

impl Disk {
    fn new() -> Self {
        let state = tempfile::tempdir().unwrap();
        let disk = Self {
            ledger: crate::Ledger::at(state.path()),
            _state: state,
        };
        (0..5).for_each(|_| disk.add("deny"));
        let _ = disk
            .ledger
            .clone()
            .in_segments_of(1)
            .append(&Record::default())
            .unwrap();
        (0..2).for_each(|_| disk.add("deny"));
        disk
    }

    fn add(&self, verdict: &str) {
        let record = Record {
            verdict: verdict.into(),
            ..Record::default()
        };
        let _ = self.ledger.append(&record).unwrap();
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.ledger.dir().join(name)
    }

    /// Cuts the first segment down to so many records, and returns the head that it has then.
    fn cut(&self, keep: usize) -> Head {
        let text = std::fs::read_to_string(self.at("000001.ndjson")).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').take(keep).collect();
        std::fs::write(self.at("000001.ndjson"), lines.concat()).unwrap();
        let last = lines.last().unwrap();
        let end = lines.concat().len() as u64;
        let link = crate::lines::Link::parse(last.trim_end().as_bytes()).unwrap();
        Head {
            seq: link.seq,
            flushed: link.seq,
            start: end - last.len() as u64,
            end,
            hash: Hash::of(last.trim_end().as_bytes()),
            time: link.time.to_string(),
            ..Head::GENESIS
        }
    }

    /// Puts a head there, sealed by a key of one's own.
    fn forge(&self, head: &Head) {
        let own = Key::new(head.segment).unwrap();
        std::fs::write(self.at("key"), own.text()).unwrap();
        std::fs::write(self.at("head"), head.text(&own)).unwrap();
    }

    fn broken(&self, what: &str) {
        let report = compared(self.ledger.dir());
        assert!(!report.intact(), "{what}: {report:?}");
        self.add("allow");
        let after = compared(self.ledger.dir());
        assert!(!after.intact(), "{what}, and work went on: {after:?}");
    }
}

#[test]
fn a_head_of_ones_own_key_is_none_whatever_segment_it_names() {
    for (segment, left) in [(2, false), (2, true), (1, false), (3, false)] {
        let disk = Disk::new();
        let head = disk.cut(2);
        std::fs::remove_file(disk.at("000002.ndjson")).unwrap();
        let epochs = std::fs::read_to_string(disk.at("epochs")).unwrap();
        let kept: Vec<&str> = epochs.split_inclusive('\n').take(1 + usize::from(left)).collect();
        std::fs::write(disk.at("epochs"), kept.concat()).unwrap();
        let head = if segment == 1 { head } else { head.turned(segment) };
        disk.forge(&head);
        disk.broken(&format!("segment {segment}, epochs left {left}"));
    }
    // An empty file that no epoch names does not end the check of the key.
    let disk = Disk::new();
    let head = disk.cut(2);
    std::fs::remove_file(disk.at("000002.ndjson")).unwrap();
    disk.forge(&head);
    let stray = std::fs::File::create(disk.at("000099.ndjson")).unwrap();
    std::os::unix::fs::PermissionsExt::set_mode(&mut stray.metadata().unwrap().permissions(), 0o600);
    disk.broken("a stray segment");
}

#[test]
fn an_emptied_ledger_is_not_a_new_one() {
    for (removed, emptied) in [(true, false), (false, true), (true, true)] {
        let disk = Disk::new();
        for name in ["000001.ndjson", "000002.ndjson"] {
            if emptied {
                std::fs::write(disk.at(name), "").unwrap();
            } else {
                std::fs::remove_file(disk.at(name)).unwrap();
            }
        }
        if removed {
            std::fs::remove_file(disk.at("head")).unwrap();
        } else {
            std::fs::write(disk.at("head"), "x").unwrap();
        }
        disk.broken(&format!("head removed {removed}, files kept {emptied}"));
    }
    // Older copies of head, key and log, beside epochs that name a later segment.
    let disk = Disk::new();
    let head = disk.cut(3);
    std::fs::remove_file(disk.at("000002.ndjson")).unwrap();
    disk.forge(&head);
    disk.broken("older copies");
}

#[test]
fn what_was_waited_for_is_neither_torn_nor_lost() {
    let lines = |disk: &Disk| {
        let text = std::fs::read_to_string(disk.at("000001.ndjson")).unwrap();
        text.split_inclusive('\n').map(String::from).collect::<Vec<_>>()
    };
    let denials = || {
        let state = tempfile::tempdir().unwrap();
        let disk = Disk {
            ledger: crate::Ledger::at(state.path()),
            _state: state,
        };
        (0..6).for_each(|_| disk.add("deny"));
        let old = std::fs::read(disk.at("head")).unwrap();
        (0..4).for_each(|_| disk.add("deny"));
        std::fs::write(disk.at("head"), old).unwrap();
        disk
    };
    // With an old head: the ends of the last records are taken away, or one of them gets a zero.
    let disk = denials();
    let all = lines(&disk);
    let joined: String = all[6..].iter().map(|line| line.trim_end()).collect();
    std::fs::write(disk.at("000001.ndjson"), all[..6].concat() + &joined).unwrap();
    disk.broken("joined");
    let disk = denials();
    let text = lines(&disk).concat().replacen("\"seq\":7", "\"seq\":\0", 1);
    std::fs::write(disk.at("000001.ndjson"), text).unwrap();
    disk.broken("a zero before records that were waited for");

    // With the newest head: all are gone, and the disk had held them.
    let disk = Disk::new();
    std::fs::write(disk.at("000002.ndjson"), "").unwrap();
    let head = compared(disk.ledger.dir());
    assert_eq!(head.breaks[0].kind, BreakKind::Truncated, "{head:?}");
    disk.add("allow");
    let report = compared(disk.ledger.dir());
    assert!(!report.only_lost(), "{report:?}");
}

#[test]
fn the_largest_number_is_no_reason_to_stop() {
    let state = tempfile::tempdir().unwrap();
    let disk = Disk {
        ledger: crate::Ledger::at(state.path()),
        _state: state,
    };
    disk.add("deny");
    let text = std::fs::read_to_string(disk.at("000001.ndjson")).unwrap();
    let prev = Hash::of(text.trim_end().as_bytes());
    let record = line(&Record::default(), &stamp(1), u64::MAX, &prev).unwrap();
    let text = [text.as_bytes(), &record, &record].concat();
    std::fs::write(disk.at("000001.ndjson"), text).unwrap();
    disk.broken("the largest number");
    std::fs::remove_file(disk.at("head")).unwrap();
    disk.broken("the largest number without a head");
}

#[test]
fn a_record_about_the_ledger_that_its_key_did_not_sign_is_named() {
    let disk = Disk::new();
    std::fs::remove_file(disk.at("head")).unwrap();
    disk.add("allow");
    let text = std::fs::read_to_string(disk.at("000002.ndjson")).unwrap();
    let (before, after) = text.split_once("\"signature\":\"").unwrap();
    let other = if after.starts_with('0') { "1" } else { "0" };
    let after: String = after.chars().skip(1).collect();
    std::fs::write(
        disk.at("000002.ndjson"),
        format!("{before}\"signature\":\"{other}{after}"),
    )
    .unwrap();
    let report = compared(disk.ledger.dir());
    assert!(
        report.breaks.iter().any(|b| b.kind == BreakKind::WrongEpoch),
        "{report:?}"
    );
}

/// The first key is named by nobody but itself: without its signature anybody could have named it.
#[test]
fn the_first_line_of_the_epochs_is_signed_by_its_own_key() {
    let (disk, other) = (Disk::new(), Disk::new());
    let epochs = std::fs::read_to_string(disk.at("epochs")).unwrap();
    let (first, rest) = epochs.split_once('\n').unwrap();
    let mut epoch: Epoch = serde_json::from_str(first).unwrap();
    assert!(epoch.signed_by(&epoch.key));
    let good = epoch.clone();
    let put = |epoch: &Epoch| {
        let line = serde_json::to_string(epoch).unwrap();
        std::fs::write(disk.at("epochs"), format!("{line}\n{rest}")).unwrap();
        let report = compared(disk.ledger.dir());
        report.breaks.iter().map(|b| (b.kind, b.segment)).collect::<Vec<_>>()
    };
    assert_eq!(put(&epoch), []);
    let wrong = [(BreakKind::WrongEpoch, 1)];
    // Another time, another signature, the signature of another ledger's first key, and none.
    epoch.time = "2020-01-01T00:00:00.000Z".into();
    assert_eq!(put(&epoch), wrong);
    let foreign = std::fs::read_to_string(other.at("epochs")).unwrap();
    let foreign: Epoch = serde_json::from_str(foreign.lines().next().unwrap()).unwrap();
    for signature in [foreign.signature.clone(), "0".repeat(128), String::new()] {
        let epoch = Epoch {
            signature,
            ..good.clone()
        };
        assert_eq!(put(&epoch), wrong);
    }
    // Another key with its own signature: then what it has sealed is not by it.
    let mut kinds = put(&foreign);
    kinds.dedup();
    assert!(
        !kinds.is_empty() && kinds.iter().all(|(kind, _)| *kind == BreakKind::WrongEpoch),
        "{kinds:?}"
    );
    assert_eq!(put(&good), []);
}
