//! What a loss of power leaves in the middle of a log, and what only looks like it.

use std::fs;

use super::tests::compared;
use super::*;
use crate::record::Record;
use crate::stamp::tests::booted;

const PAGE: usize = 4096;

/// A ledger of which the last records were let through and not waited for.
struct Disk {
    _state: tempfile::TempDir,
    ledger: crate::Ledger,
    /// The open segment.
    segment: &'static str,
    /// Where what was waited for ends.
    flushed: usize,
    /// The log and the head as they were before the power went.
    whole: Vec<u8>,
    head: Vec<u8>,
}

impl Disk {
    fn new(unflushed: usize) -> Self {
        booted(1);
        let state = tempfile::tempdir().unwrap();
        let ledger = crate::Ledger::at(state.path());
        let mut disk = Self {
            ledger,
            _state: state,
            segment: "000001.ndjson",
            flushed: 0,
            whole: Vec::new(),
            head: Vec::new(),
        };
        (0..5).for_each(|n| disk.add("allow", n));
        disk.add("deny", 0);
        disk.flushed = disk.log().len();
        (0..unflushed).for_each(|n| disk.add("allow", n));
        disk.keep();
        disk
    }

    /// Another ledger like this one, to be damaged in another way.
    fn again(&self) -> Self {
        let state = tempfile::tempdir().unwrap();
        let ledger = crate::Ledger::at(state.path());
        fs::create_dir(ledger.dir()).unwrap();
        std::os::unix::fs::PermissionsExt::set_mode(&mut fs::metadata(ledger.dir()).unwrap().permissions(), 0o700);
        for entry in fs::read_dir(self.ledger.dir()).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), ledger.dir().join(entry.file_name())).unwrap();
        }
        Self {
            ledger,
            _state: state,
            segment: self.segment,
            flushed: self.flushed,
            whole: self.whole.clone(),
            head: self.head.clone(),
        }
    }

    fn keep(&mut self) {
        self.whole = self.log();
        self.head = fs::read(self.ledger.dir().join("head")).unwrap();
    }

    fn log(&self) -> Vec<u8> {
        fs::read(self.ledger.dir().join(self.segment)).unwrap()
    }

    fn put(&self, bytes: &[u8]) {
        fs::write(self.ledger.dir().join(self.segment), bytes).unwrap();
    }

    /// Writes zeros over a part of the log.
    fn zero(&self, from: usize, to: usize) {
        let mut bytes = self.log();
        let to = to.min(bytes.len());
        bytes[from..to].fill(0);
        self.put(&bytes);
    }

    fn add(&self, verdict: &str, nth: usize) {
        let record = Record {
            verdict: verdict.into(),
            // Lines of other lengths end at other places in a page.
            note: "n".repeat(40 + nth * 37 % 300),
            ..Record::default()
        };
        let _ = self.ledger.append(&record).unwrap();
    }

    fn verify(&self) -> Report {
        compared(self.ledger.dir())
    }

    fn kinds(&self) -> Vec<BreakKind> {
        self.verify().breaks.iter().map(|b| b.kind).collect()
    }

    /// Where each page begins and ends, of those that the power can have taken.
    fn pages(&self) -> Vec<(usize, usize)> {
        let first = self.flushed.next_multiple_of(PAGE);
        let mut pages = vec![(self.flushed, first)];
        pages.extend((first..self.whole.len()).step_by(PAGE).map(|at| (at, at + PAGE)));
        pages
    }
}

/// Every set of up to three neighbouring pages, with every length that the file may have got.
#[test]
fn pages_that_a_loss_of_power_took_are_called_lost_and_the_rest_stays() {
    let disk = Disk::new(60);
    let pages = disk.pages();
    assert!(pages.len() > 6, "{pages:?}");
    for first in 0..pages.len() {
        for last in first..pages.len().min(first + 3) {
            let lost = disk.again();
            booted(2);
            lost.zero(pages[first].0, pages[last].1);
            let what = format!("pages {first} to {last} of {}", pages.len());
            let report = lost.verify();
            assert!(report.only_lost(), "{what}: {:?}", report.breaks);
            lost.add("allow", 1);
            lost.add("deny", 2);
            let report = lost.verify();
            assert!(report.only_lost(), "{what}, and work went on: {:?}", report.breaks);
            assert_eq!(report.mended, 1, "{what}");
            // It is named in the next boot, too.
            booted(3);
            lost.add("allow", 1);
            let later = lost.verify();
            assert_eq!((later.breaks, later.mended), (report.breaks, 1), "{what}");
        }
    }
}

#[test]
fn two_places_and_a_lost_end_are_named_each() {
    let disk = Disk::new(60);
    let pages = disk.pages();
    booted(2);
    disk.zero(pages[1].0, pages[1].1);
    disk.zero(pages[3].0, pages[3].1);
    let unflushed = [BreakKind::LostUnflushed; 2];
    assert_eq!(disk.kinds(), unflushed);
    let said = disk.verify().breaks[0].what.clone();
    assert!(said.contains("could have done it too"), "{said}");
    disk.add("allow", 1);
    assert_eq!(disk.kinds(), unflushed);
    let report = disk.verify();
    assert!(report.only_unflushed() && !report.intact());
    let said = &report.breaks[0].what;
    assert!(
        said.starts_with("zeros stand where records ") && said.contains("the first record after that says"),
        "{said}"
    );

    let disk = Disk::new(60);
    booted(2);
    disk.zero(pages[1].0, pages[1].1);
    disk.put(&disk.log()[..disk.whole.len() - 10]);
    disk.add("allow", 1);
    assert_eq!(disk.kinds(), [BreakKind::LostUnflushed, BreakKind::LostAcknowledged]);
    assert!(disk.verify().only_lost());
}

/// With a head that is older than the log, what stands behind the zeros was promised to nobody.
#[test]
fn an_old_head_and_zeros_behind_it_lose_nothing_that_it_counts() {
    let mut disk = Disk::new(30);
    let (early, old) = (disk.log().len(), disk.head.clone());
    (0..30).for_each(|n| disk.add("allow", n));
    disk.keep();
    booted(2);
    let page = early.next_multiple_of(PAGE) + PAGE;
    disk.zero(page, page + PAGE);
    fs::write(disk.ledger.dir().join("head"), &old).unwrap();
    disk.add("allow", 1);
    assert!(disk.verify().intact(), "{:?}", disk.verify().breaks);

    // Zeros before the head as well.
    disk.put(&disk.whole);
    let (first, end) = disk.pages()[1];
    disk.zero(first, end);
    disk.zero(page, page + PAGE);
    fs::write(disk.ledger.dir().join("head"), &old).unwrap();
    disk.add("allow", 1);
    assert_eq!(disk.kinds(), [BreakKind::LostUnflushed]);
}

/// Whatever is not what a loss of power leaves stays tampering, before and after the next append.
#[test]
fn zeros_that_no_loss_of_power_leaves_are_tampering() {
    type Damage = fn(&Disk);
    let cases: [(&str, Damage); 7] = [
        ("over the record of an old head, in the same boot", |disk| {
            (0..30).for_each(|n| disk.add("allow", n));
            let page = (disk.whole.len() - 1) / PAGE * PAGE;
            disk.zero(page, page + PAGE);
            fs::write(disk.ledger.dir().join("head"), &disk.head).unwrap();
        }),
        ("in the same boot", |disk| {
            let (from, to) = disk.pages()[2];
            disk.zero(from, to);
        }),
        ("less than a page", |disk| {
            booted(2);
            let (from, to) = disk.pages()[2];
            disk.zero(from, to - 1);
        }),
        ("from within a line on", |disk| {
            booted(2);
            let (from, to) = disk.pages()[2];
            disk.zero(from + 1, to);
        }),
        ("what was waited for", |disk| {
            booted(2);
            disk.zero(0, PAGE);
        }),
        ("before a record that was waited for", |disk| {
            disk.add("deny", 1);
            booted(2);
            let (from, to) = disk.pages()[2];
            disk.zero(from, to);
        }),
        ("a page put in", |disk| {
            booted(2);
            let mut bytes = disk.log();
            let line = disk.flushed + bytes[disk.flushed..].iter().position(|b| *b == b'\n').unwrap() + 1;
            let fill = line.next_multiple_of(PAGE) - line;
            let mut zeros = vec![0; fill];
            zeros.push(b'\n');
            bytes.splice(line..line, zeros);
            disk.put(&bytes);
        }),
    ];
    for (what, damage) in cases {
        let disk = Disk::new(60);
        damage(&disk);
        for _ in 0..2 {
            let report = disk.verify();
            assert!(!report.intact() && !report.only_lost(), "{what}: {:?}", report.breaks);
            disk.add("allow", 1);
        }
    }
}

/// Pages of what the boot before wrote, once the next boot has looked at them.
#[test]
fn zeros_that_come_after_the_first_record_of_the_next_boot_are_tampering() {
    for noted in [false, true] {
        let disk = Disk::new(60);
        let pages = disk.pages();
        booted(2);
        if noted {
            disk.zero(pages[2].0, pages[2].1);
        }
        disk.add("allow", 1);
        assert_eq!(disk.kinds().len(), usize::from(noted));
        disk.zero(pages[4].0, pages[4].1);
        for boot in [2, 3] {
            booted(boot);
            let report = disk.verify();
            assert!(
                !report.intact() && !report.only_lost(),
                "noted {noted}: {:?}",
                report.breaks
            );
            let named = report
                .breaks
                .iter()
                .filter(|b| b.kind == BreakKind::LostUnflushed)
                .count();
            assert_eq!(named, usize::from(noted), "the other place is still what it was");
            disk.add("allow", 1);
        }
    }
}

/// A record that tells of zeros and that no key has signed vouches for nothing.
#[test]
fn a_note_of_zeros_without_its_signature_excuses_nothing() {
    let disk = Disk::new(60);
    let pages = disk.pages();
    booted(2);
    disk.zero(pages[2].0, pages[2].1);
    disk.add("allow", 1);
    assert_eq!(disk.kinds(), [BreakKind::LostUnflushed]);
    let mut bytes = disk.log();
    let at = memchr::memmem::rfind(&bytes, b"\"signature\":\"").unwrap() + 13;
    bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
    disk.put(&bytes);
    assert!(!disk.verify().only_lost());
}

/// What the disk may hold after the power went: of each page the state after some append, of the length and the head too. All
/// that was waited for is there. Whatever comes out of it is no tampering, and what was waited for is never among the losses.
#[test]
fn no_state_that_the_disk_can_be_left_in_is_called_tampering() {
    any_state(Disk::new(0), 6);
}

/// The same where a segment was begun just before: nothing in it was waited for.
#[test]
fn no_state_that_a_new_segment_can_be_left_in_is_called_tampering() {
    let mut disk = Disk::new(0);
    let short = disk.ledger.clone().in_segments_of(1);
    let _ = short
        .append(&Record {
            verdict: "allow".into(),
            ..Record::default()
        })
        .unwrap();
    (disk.segment, disk.flushed) = ("000002.ndjson", 0);
    disk.keep();
    any_state(disk, 6);
}

fn any_state(mut disk: Disk, flushed: u64) {
    let (mut lengths, mut heads) = (vec![disk.flushed], vec![disk.head.clone()]);
    for n in 0..60 {
        disk.add(if n % 7 == 0 { "warn" } else { "allow" }, n);
        disk.keep();
        lengths.push(disk.whole.len());
        heads.push(disk.head.clone());
    }
    let mut state = 1_u64;
    let mut below = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % n
    };
    let (mut lost, mut whole) = (0, 0);
    for round in 0..400 {
        let left = disk.again();
        // Most pages were written as they were at the end, as they are when only some are missing.
        let mut when = |rare: usize| {
            if below(rare) == 0 {
                below(lengths.len())
            } else {
                lengths.len() - 1
            }
        };
        let length = lengths[when(3)];
        let mut bytes = disk.whole[..length].to_vec();
        for page in (0..length).step_by(PAGE) {
            let until = lengths[when(4)].clamp(page, page + PAGE).min(length);
            bytes[until..(page + PAGE).min(length)].fill(0);
        }
        left.put(&bytes);
        fs::write(left.ledger.dir().join("head"), &heads[when(3)]).unwrap();
        booted(2);
        let report = left.verify();
        assert!(report.intact() || report.only_lost(), "{round}: {:?}", report.breaks);
        left.add("allow", 1);
        let report = left.verify();
        assert!(
            report.intact() || report.only_lost(),
            "{round}, and work went on: {:?}",
            report.breaks
        );
        assert!(left.log().starts_with(&disk.whole[..disk.flushed]), "{round}");
        assert!(report.seq > flushed, "{round}");
        lost += u32::from(!report.intact());
        whole += u32::from(report.intact());
        booted(1);
    }
    assert!(lost > 50 && whole > 50, "{lost} with losses, {whole} without");
}
