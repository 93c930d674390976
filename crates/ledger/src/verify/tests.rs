use super::report::NAMED;
use super::*;
use crate::epochs::Epoch;
use crate::record::{Record, line};
use crate::stamp::Stamp;

/// A log in memory: its lines, and the head that the head file would hold.
struct Log {
    lines: Vec<Vec<u8>>,
}

/// The key that the segment is begun with.
fn key() -> Key {
    static KEY: std::sync::OnceLock<Key> = std::sync::OnceLock::new();
    KEY.get_or_init(|| Key::new(1).unwrap()).clone()
}

fn end(stored: Stored) -> End {
    let key: String = key().public().into();
    let epoch_key = Some(key.clone());
    End {
        stored,
        key,
        epoch_key,
        ..End::ABSENT
    }
}

pub(super) fn epoch() -> Epoch {
    Epoch::after(&Head::GENESIS, &key(), None, "")
}

impl Log {
    fn new(records: u64) -> Self {
        let mut hash = Hash::GENESIS;
        let mut lines = Vec::new();
        for seq in 1..=records {
            let record = Record {
                verdict: String::from(if seq % 3 == 0 { "ask" } else { "allow" }),
                note: format!("r{seq}"),
                ..Record::default()
            };
            let text = line(&record, &stamp(seq), seq, &hash).unwrap();
            hash = Hash::of(&text[..text.len() - 1]);
            lines.push(text);
        }
        Self { lines }
    }

    fn bytes(&self) -> Vec<u8> {
        self.lines.concat()
    }

    fn head(&self) -> Head {
        let last = self.lines.last().unwrap();
        let end = self.bytes().len() as u64;
        let seq = self.lines.len() as u64;
        Head {
            segment: 1,
            seq,
            flushed: seq / 3 * 3,
            start: end - last.len() as u64,
            end,
            hash: Hash::of(&last[..last.len() - 1]),
            ..Head::GENESIS
        }
    }
}

/// A verification, and what `docs/verify.py` says beside it.
pub(super) fn compared(dir: &Path) -> Report {
    let report = crate::verify(dir, None).unwrap();
    let breaks: Vec<String> = report.breaks.iter().map(ToString::to_string).collect();
    python::agrees(dir, &breaks, &report.head.hex());
    report
}

pub(super) fn stamp(seq: u64) -> Stamp {
    Stamp {
        time: crate::rfc3339(1_800_000_000_000 + seq * 7),
        mono_ns: seq,
        boot_id: String::from("b"),
        clock_back: false,
    }
}

fn look(bytes: &[u8], stored: Stored, expect: Option<Hash>) -> Report {
    check(bytes, end(stored), expect)
}

fn kinds(bytes: &[u8], head: &Head) -> Vec<(BreakKind, u64)> {
    let report = look(bytes, Stored::Valid(head.clone()), None);
    report.breaks.iter().map(|b| (b.kind, b.line)).collect()
}

#[test]
fn an_untouched_log_is_intact() {
    let log = Log::new(30);
    let report = look(&log.bytes(), Stored::Valid(log.head()), Some(log.head().hash));
    assert!(report.intact(), "{:?}", report.breaks);
    assert_eq!((report.records, report.seq, report.head), (30, 30, log.head().hash));
    assert_eq!(report.head_file, HeadFile::Agrees);
    assert_eq!(report.expected, Expected::Found { later: 0 });
    assert_eq!(report.unflushed, 0, "the last record asks, so it was flushed");
    let early = Hash::of(log.lines[9].strip_suffix(b"\n").unwrap());
    let report = look(&log.bytes(), Stored::Absent, Some(early));
    assert_eq!(report.expected, Expected::Found { later: 20 });
}

#[test]
fn every_flipped_bit_is_found() {
    let log = Log::new(30);
    let (bytes, head) = (log.bytes(), log.head());
    for bit in 0..bytes.len() * 8 {
        let mut bad = bytes.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        assert!(!look(&bad, Stored::Valid(head.clone()), None).intact(), "bit {bit}");
    }
}

#[test]
fn every_deletion_doubling_and_swap_is_found_and_named() {
    let log = Log::new(12);
    let head = log.head();
    for i in 0..11 {
        let line = i as u64 + 1;
        let mut bad = Log {
            lines: log.lines.clone(),
        };
        bad.lines.remove(i);
        assert_eq!(
            kinds(&bad.bytes(), &head)[0],
            (BreakKind::Deleted, line),
            "delete {line}"
        );

        let mut bad = Log {
            lines: log.lines.clone(),
        };
        bad.lines.insert(i, log.lines[i].clone());
        assert_eq!(
            kinds(&bad.bytes(), &head)[0],
            (BreakKind::Duplicated, line + 1),
            "double {line}"
        );

        let mut bad = Log {
            lines: log.lines.clone(),
        };
        bad.lines.swap(i, i + 1);
        let found = kinds(&bad.bytes(), &head);
        assert_eq!(found[0], (BreakKind::Swapped, line), "swap {line}: {found:?}");
    }
}

#[test]
fn a_made_up_record_is_found_wherever_it_is_put() {
    let log = Log::new(8);
    for at in 0..=8 {
        let before = match at {
            0 => Hash::GENESIS,
            _ => Hash::of(log.lines[at - 1].strip_suffix(b"\n").unwrap()),
        };
        let record = Record {
            note: String::from("never happened"),
            ..Record::default()
        };
        let fake = line(&record, &stamp(at as u64), at as u64 + 1, &before).unwrap();
        let mut bad = Log {
            lines: log.lines.clone(),
        };
        bad.lines.insert(at, fake);
        let report = look(&bad.bytes(), Stored::Valid(log.head()), None);
        // One that continues the chain after the head is what a crash leaves too; it hides nothing.
        assert_eq!(report.intact(), at == 8, "at {at}: {:?}", report.breaks);
    }
}

#[test]
fn a_cut_end_is_found_by_the_head_file_or_an_expected_head() {
    let log = Log::new(9);
    let (bytes, head) = (log.bytes(), log.head());
    for end in 0..bytes.len() {
        let cut = &bytes[..end];
        let report = look(cut, Stored::Valid(head.clone()), None);
        // Records that the disk held do not go away by themselves; the last one may be called lost.
        let kept = bytes[..end].iter().filter(|b| **b == b'\n').count();
        let kind = if kept >= 8 {
            BreakKind::LostAcknowledged
        } else {
            BreakKind::Truncated
        };
        assert_eq!(report.breaks.last().unwrap().kind, kind, "first {end} bytes");
        assert_eq!((report.torn, report.head_file), (0, HeadFile::Disagrees));
        assert!(
            !look(cut, Stored::Absent, Some(head.hash)).intact(),
            "first {end} bytes"
        );
    }
}

#[test]
fn a_shorter_valid_log_in_place_of_the_whole_is_found() {
    let (log, other) = (Log::new(9), Log::new(4));
    assert!(!look(&other.bytes(), Stored::Valid(log.head()), None).intact());
    // And one that was written anew from the first line, as long as the first.
    let mut forged = Log::new(9);
    forged.lines[0] = forged.lines[0]
        .iter()
        .map(|b| if *b == b'1' { b'2' } else { *b })
        .collect();
    assert!(!look(&forged.bytes(), Stored::Valid(log.head()), None).intact());
}

#[test]
fn a_torn_append_is_no_break() {
    let log = Log::new(5);
    let (bytes, head) = (
        log.bytes(),
        Log {
            lines: log.lines[..4].to_vec(),
        }
        .head(),
    );
    for end in head.end as usize + 1..bytes.len() {
        let report = look(&bytes[..end], Stored::Valid(head.clone()), None);
        assert!(report.intact(), "{:?}", report.breaks);
        assert_eq!((report.records, report.torn), (4, end as u64 - head.end));
    }
    let report = look(&bytes, Stored::Valid(head), None);
    assert!(report.intact());
    assert_eq!((report.records, report.head_file), (5, HeadFile::Behind));
}

#[test]
fn hostile_bytes_are_damage_and_nothing_worse() {
    let deep = [b'['; 200_000];
    for bytes in [
        &b"\n"[..],
        b"{}\n",
        b"null\n",
        b"\xff\xfe\n",
        b"\0\0\0\0",
        &deep,
        b"{\"format\":1}\n",
    ] {
        let report = look(bytes, Stored::Absent, None);
        assert_eq!(report.records, 0);
    }
    let long = vec![b'x'; 9 << 20];
    let report = look(&long, Stored::Absent, None);
    assert_eq!(report.breaks[0].kind, BreakKind::Malformed);
    let many = "x\n".repeat(1000);
    let report = look(many.as_bytes(), Stored::Absent, None);
    // All of them, and the end for which no head vouches.
    assert_eq!((report.broken, report.breaks.len()), (1001, NAMED));
}

#[test]
fn fields_of_a_later_version_are_read_over() {
    let mut log = Log::new(3);
    let text = String::from_utf8(log.lines[2].clone()).unwrap();
    log.lines[2] = text
        .replace("\"kind\"", "\"new_field\":{\"a\":[1,2]},\"kind\"")
        .into_bytes();
    assert!(look(&log.bytes(), Stored::Valid(log.head()), None).intact());
    log.lines[2] = text.replace("\"format\":1", "\"format\":2").into_bytes();
    let report = look(&log.bytes(), Stored::Valid(log.head()), None);
    assert_eq!(report.breaks[0].kind, BreakKind::Malformed);
}

#[test]
fn records_of_another_chain_are_called_so() {
    let (log, other) = (Log::new(12), Log::new(12));
    // The other chain is one of other records.
    let mut lines = other.lines.clone();
    let mut hash = Hash::GENESIS;
    for (at, line) in lines.iter_mut().enumerate() {
        let record = Record {
            note: format!("other {at}"),
            ..Record::default()
        };
        *line = super::super::record::line(&record, &stamp(at as u64 + 1), at as u64 + 1, &hash).unwrap();
        hash = Hash::of(&line[..line.len() - 1]);
    }
    let spliced = Log {
        lines: [&log.lines[..5], &lines[5..]].concat(),
    };
    assert_eq!(
        kinds(&spliced.bytes(), &log.head())[0],
        (BreakKind::Spliced, 6),
        "{:?}",
        kinds(&spliced.bytes(), &log.head())
    );
    // One record put in the place of another is a changed record.
    let mut lines_with_one = log.lines.clone();
    lines_with_one[5] = lines[5].clone();
    let changed = Log { lines: lines_with_one };
    assert_eq!(kinds(&changed.bytes(), &log.head())[0].0, BreakKind::Edited);
}

/// A log whose records have these stamps.
fn stamped(stamps: &[(u64, u64, &str, bool)]) -> Log {
    let mut log = Log::new(1);
    for (ms, mono_ns, boot, clock_back) in stamps {
        let stamp = Stamp {
            time: crate::rfc3339(1_800_000_000_000 + ms),
            mono_ns: *mono_ns,
            boot_id: String::from(*boot),
            clock_back: *clock_back,
        };
        let last = log.lines.last().unwrap();
        let hash = Hash::of(&last[..last.len() - 1]);
        let seq = log.lines.len() as u64 + 1;
        log.lines.push(line(&Record::default(), &stamp, seq, &hash).unwrap());
    }
    log
}

#[test]
fn a_time_that_does_not_fit_is_found_and_a_clock_that_was_set_back_is_none() {
    let found = |stamps: &[(u64, u64, &str, bool)]| {
        let log = stamped(stamps);
        let report = look(&log.bytes(), Stored::Valid(log.head()), None);
        let kinds: Vec<_> = report.breaks.iter().map(|b| b.kind).collect();
        (kinds, report.clock_back)
    };
    let wrong = vec![BreakKind::WrongEpoch];
    assert_eq!(found(&[(8, 8, "b", false), (9, 9, "b", false)]), (vec![], 0));
    assert_eq!(
        found(&[(900, 8, "b", false), (9, 9, "b", true)]),
        (vec![], 1),
        "set back"
    );
    assert_eq!(
        found(&[(900, 8, "b", false), (9, 9, "b", false)]),
        (wrong.clone(), 1),
        "backdated"
    );
    assert_eq!(
        found(&[(9, 9, "b", false), (10, 8, "b", false)]),
        (wrong.clone(), 0),
        "before the one before"
    );
    assert_eq!(
        found(&[(9, 9, "b", false), (10, 1, "c", false)]),
        (vec![], 0),
        "a new boot"
    );
    assert_eq!(
        found(&[(9, 9, "b", false), (10, 1, "", false), (11, 10, "b", false)]),
        (vec![], 0),
        "unsaid"
    );
    assert_eq!(
        found(&[(9, 9, "b", false), (10, 1, "", false), (11, 8, "b", false)]),
        (wrong, 0)
    );
}

/// All bits of a thousand records. A change of one line shows in that line or the next one, so each is tried from the
/// state before it.
#[test]
#[ignore = "the suite `bits` runs it"]
fn r4_every_flipped_bit_of_a_thousand_records_is_found() {
    let log = Log::new(1000);
    let head = log.head();
    let end = end(Stored::Valid(head.clone()));
    let mut walk = Walk::new(end, None, &[]);
    walk.enter(1, head.end, Some(&epoch()));
    let (mut offset, mut flips) = (0, 0_u64);
    for (at, line) in log.lines.iter().enumerate() {
        for bit in 0..line.len() * 8 {
            let mut bad = line.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            let mut bytes = bad;
            bytes.extend(log.lines.get(at + 1).into_iter().flatten());
            let mut now = walk.clone();
            let mut lines = Lines::new(bytes.as_slice());
            while let Some(read) = lines.read_line().unwrap() {
                match read {
                    Line::Whole(line) => now.line(line, offset),
                    Line::TooLong => now.malformed(offset, ""),
                    Line::Rest(rest) => now.rest(rest, offset),
                }
            }
            let last = at + 1 == log.lines.len();
            let broken = if last {
                now.finish(head.end)
            } else {
                now.report().clone()
            };
            assert!(!broken.intact(), "bit {bit} of line {at}");
            flips += 1;
        }
        walk.line(&line[..line.len() - 1], offset);
        offset += line.len() as u64;
    }
    assert!(walk.finish(head.end).intact() && flips > 1_000_000, "{flips}");
}

/// 1 GiB without an end of line, and the same after whole records.
#[test]
#[ignore = "the suite `bits` runs it"]
fn r6_an_endless_line_is_read_over() {
    let state = tempfile::tempdir().unwrap();
    let ledger = crate::Ledger::at(state.path());
    let _ = ledger.append(&Record::default()).unwrap();
    let log = std::fs::File::options()
        .write(true)
        .open(ledger.dir().join("000001.ndjson"))
        .unwrap();
    log.set_len(1 << 30).unwrap();
    let report = crate::verify(ledger.dir(), None).unwrap();
    assert_eq!((report.records, report.intact(), report.bytes), (1, false, 1 << 30));
    let _ = ledger.append(&Record::default()).unwrap();
    assert_eq!(crate::verify(ledger.dir(), None).unwrap().records, 3);
}
