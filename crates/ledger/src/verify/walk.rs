//! The walk along the chain.

use std::collections::VecDeque;

use super::report::{Break, BreakKind, Expected, HeadFile, NAMED, Report};
use crate::anchors::Checkpoint;
use crate::epochs::Epoch;
use crate::hash::Hash;
use crate::head::{Condition, Head, Stored};
use crate::holes::Scan;
use crate::lines::{Link, RunHead};
use crate::record::FORMAT;
use crate::recover;

/// How many hashes of records are kept, to know one that comes again.
const RECENT: usize = 4096;

/// How many runs are kept in mind.
const RUNS: usize = 10_000;

/// What the files beside the log say about its end.
#[derive(Clone)]
pub(super) struct End {
    pub(super) stored: Stored,
    /// The public key of the key that seals it.
    pub(super) key: String,
    /// The public key that the epochs name for the head's segment.
    pub(super) epoch_key: Option<String>,
    /// The last segment that the epochs name.
    pub(super) last_epoch: u32,
    /// Something beside the log shows that there was a head.
    pub(super) began: bool,
    /// The boot of now.
    pub(super) boot: String,
}

impl End {
    pub(super) const ABSENT: Self = Self {
        stored: Stored::Absent,
        key: String::new(),
        epoch_key: None,
        last_epoch: 0,
        began: false,
        boot: String::new(),
    };
}

/// The state of a check.
#[derive(Clone)]
pub(super) struct Walk {
    pub(super) report: Report,
    pub(super) end: End,
    expect: Option<Hash>,
    segment: u32,
    lines: u64,
    /// End of the last whole line of the segment.
    at: u64,
    /// The head file's record was met.
    met: bool,
    /// The public key of the segment.
    pub(super) key: Option<String>,
    mono_ns: u64,
    boot: String,
    recent: VecDeque<Hash>,
    /// Where among the breaks stands the first one of this segment after which the chain went on from something else.
    turned: Option<usize>,
    trailing: u64,
    /// Pages of zeros that a loss of power could have left.
    pub(super) zeros: Scan,
    /// Where among the breaks stand those that were met last, as long as no record came behind them.
    pub(super) hidden: Option<usize>,
    /// The checkpoints that were not met yet, by the number of their last record.
    anchors: VecDeque<(u64, Hash, String)>,
}

impl Walk {
    pub(super) fn new(end: End, expect: Option<Hash>, anchors: &[Checkpoint]) -> Self {
        let mut anchors: Vec<_> = anchors.iter().map(|c| (c.seq, c.head, c.time.clone())).collect();
        anchors.sort_by_key(|(seq, ..)| *seq);
        Self {
            report: Report::empty(expect.map_or(Expected::NotAsked, |_| Expected::NotFound)),
            end,
            expect,
            segment: 0,
            lines: 0,
            at: 0,
            met: false,
            key: None,
            mono_ns: 0,
            boot: String::new(),
            recent: VecDeque::new(),
            turned: None,
            trailing: 0,
            zeros: Scan::after(Some(0)),
            hidden: None,
            anchors: anchors.into(),
        }
    }

    /// Begins a segment: checks the seal on the one before.
    pub(super) fn enter(&mut self, segment: u32, length: u64, epoch: Option<&Epoch>) {
        let before = std::mem::replace(&mut self.segment, segment);
        let key = self.key.take();
        self.lines = 0;
        self.at = 0;
        self.hidden = None;
        self.zeros.turn();
        self.report.segments += 1;
        let Some(epoch) = epoch else {
            self.turned = None;
            // The first file is made before anything stands in it.
            if length > 0 || segment > 1 {
                let what = format!("no key is known that segment {segment} was begun with");
                self.at_once(BreakKind::Unvouched, what);
            }
            return;
        };
        match key {
            _ if !epoch.unsealed.is_empty() => {
                let what = format!("nothing seals segment {before}: {}", epoch.unsealed);
                self.at_once(BreakKind::Unvouched, what);
            }
            Some(key) if epoch.signed_by(&key) && before + 1 == segment => {
                self.report.sealed += 1;
                self.sealed(before, epoch);
            }
            Some(_) if before + 1 < segment => {
                let what = format!("segments {} to {} are missing", before + 1, segment - 1);
                self.at_once(BreakKind::Deleted, what);
            }
            Some(_) => {
                let what = format!("the seal on segment {before} is not that of the key it was begun with");
                self.at_once(BreakKind::WrongEpoch, what);
            }
            None if segment == 1 && !epoch.signed_by(&epoch.key) => {
                self.at_once(BreakKind::WrongEpoch, "the first key is not signed by itself".into());
            }
            None => {}
        }
        self.turned = None;
        self.key = Some(epoch.key.clone());
    }

    /// Compares the end of the segment before with what its key has signed.
    fn sealed(&mut self, before: u32, epoch: &Epoch) {
        let arrived = epoch.head == self.report.head.hex();
        if !arrived && self.turned.is_none() {
            let what = format!(
                "segment {before} does not end as its key has sealed it, with record {}",
                epoch.seq
            );
            let kind = if self.report.seq < epoch.seq {
                BreakKind::Deleted
            } else {
                BreakKind::Edited
            };
            self.at_once(kind, what);
        }
        self.spliced(arrived);
    }

    /// Something that is wrong with a segment as a whole.
    fn at_once(&mut self, kind: BreakKind, what: String) {
        let last = self.report.last.clone();
        self.broken(kind, 0, &last, what);
    }

    /// Lines of the file of epochs that are none.
    pub(super) fn epochs(&mut self, lines: u64) {
        if lines > 0 {
            self.at_once(
                BreakKind::Malformed,
                format!("{lines} lines of the file of epochs are none"),
            );
        }
    }

    /// What was found so far.
    #[cfg(test)]
    pub(super) const fn report(&self) -> &Report {
        &self.report
    }

    /// All of a segment was read.
    pub(super) const fn read(&mut self, bytes: u64) {
        self.report.bytes += bytes;
    }

    /// Where the last whole line of the segment ends.
    pub(super) const fn end_of_segment(&self) -> u64 {
        self.at
    }

    pub(super) fn line(&mut self, line: &[u8], offset: u64) {
        let Some(link) = Link::parse(line) else {
            return self.no_record(line, offset);
        };
        self.lines += 1;
        self.at = offset + line.len() as u64 + 1;
        if link.format != FORMAT {
            let what = format!("it has format {}, which this version does not know", link.format);
            self.broken(BreakKind::Malformed, offset, &link.time, what);
        }
        let hash = Hash::of(line);
        if !self.follows(&link, hash, offset) {
            return;
        }
        self.told_of_zeros(&link, line);
        if matches!(&*link.kind, "recovered" | "lost" | "broken" | "unvouched" | "suspect") {
            self.mend(&link, line, offset);
        }
        if link.kind == "run_head" {
            self.run(&link, line, offset);
        }
        self.clock(&link, offset);
        self.count(&link, hash);
        self.anchored(&link, hash, offset);
    }

    /// Compares a record with what checkpoints say of its number.
    fn anchored(&mut self, link: &Link<'_>, hash: Hash, offset: u64) {
        while let Some((seq, head, time)) = self.anchors.pop_front_if(|(seq, ..)| *seq <= link.seq) {
            if (seq, head) == (link.seq, hash) || seq == 0 {
                self.report.anchored = seq;
            } else {
                let what = format!("the checkpoint of {time} says that record {seq} has the hash {head}");
                self.broken(BreakKind::Unexpected, offset, &link.time, what);
            }
        }
    }

    /// Whether the chain goes on with `link`. Damage is noted; a line out of place is not followed.
    fn follows(&mut self, link: &Link<'_>, hash: Hash, offset: u64) -> bool {
        let expected = self.report.seq.saturating_add(1);
        let chained = link.prev() == Some(self.report.head);
        if chained && link.seq == expected {
            return true;
        }
        if link.seq < expected {
            self.out_of_place(link, hash, offset);
            return false;
        }
        let hidden = self.hidden.take().and_then(|at| self.report.breaks.get_mut(at));
        if link.seq > expected {
            let last = link.seq - 1;
            if let Some(found) = hidden {
                found.what = format!("zeros stand where records {expected} to {last} were");
                return true;
            }
            let kind = if link.kind == "lost" {
                BreakKind::LostAcknowledged
            } else {
                BreakKind::Deleted
            };
            let what = match kind {
                BreakKind::LostAcknowledged => format!("records {expected} to {last} were acknowledged and are lost"),
                _ => format!("records {expected} to {last} are missing"),
            };
            self.broken(kind, offset, &link.time, what);
        } else {
            let before = self.report.seq;
            let what = format!("record {before} or {expected} is not what it was when {expected} was written");
            self.broken(BreakKind::Edited, offset, &link.time, what);
            self.turned = self.turned.or(self.report.breaks.len().checked_sub(1));
        }
        true
    }

    fn out_of_place(&mut self, link: &Link<'_>, hash: Hash, offset: u64) {
        if self.swapped(link.seq) {
            return;
        }
        if self.recent.contains(&hash) {
            let what = format!("record {} stands here a second time", link.seq);
            return self.broken(BreakKind::Duplicated, offset, &link.time, what);
        }
        let expected = self.report.seq.saturating_add(1);
        let what = format!("record {} stands where record {expected} belongs", link.seq);
        self.broken(BreakKind::Inserted, offset, &link.time, what);
    }

    /// Corrects the last break when the one record that it missed follows at once.
    fn swapped(&mut self, seq: u64) -> bool {
        let missing = format!("records {seq} to {seq} are missing");
        match self.report.breaks.last_mut() {
            Some(last)
                if last.kind == BreakKind::Deleted
                    && (last.segment, last.line + 1) == (self.segment, self.lines)
                    && last.what == missing =>
            {
                last.kind = BreakKind::Swapped;
                last.what = format!("records {seq} and {} have changed places", seq.saturating_add(1));
                true
            }
            _ => false,
        }
    }

    /// At the end of a segment: a chain that went on from something else and led elsewhere was no changed record, but
    /// one of other records.
    fn spliced(&mut self, arrived: bool) {
        if let Some(at) = self.turned.take()
            && !arrived
            && let Some(found) = self.report.breaks.get_mut(at)
        {
            found.kind = BreakKind::Spliced;
            found.what = format!("from here on stand records of another chain; {}", found.what);
        }
    }

    /// Checks a record about the ledger itself.
    fn mend(&mut self, link: &Link<'_>, line: &[u8], offset: u64) {
        if !self.is_signed(link, line) {
            let what = format!("the record `{}` is not signed by the key of its segment", link.kind);
            self.broken(BreakKind::WrongEpoch, offset, &link.time, what);
        }
        // Mostly the chain shows what was broken; where that was set aside, this record alone tells of it.
        let shown = |b: &Break| b.segment == self.segment && b.line + 1 >= self.lines;
        if link.kind == "broken" && !self.report.breaks.last().is_some_and(shown) {
            let what = format!(
                "what stood before record {} was not as it had been written, and was set aside",
                link.seq
            );
            self.broken(BreakKind::Truncated, offset, &link.time, what);
        }
        if link.kind == "unvouched" {
            let what = format!(
                "the head file was missing or damaged when record {} was written: nothing vouches for the end of the log \
                 before it; records may have been removed there",
                link.seq
            );
            self.broken(BreakKind::Unvouched, offset, &link.time, what);
        }
    }

    /// Notes where a run's ledger ended.
    fn run(&mut self, link: &Link<'_>, line: &[u8], offset: u64) {
        let parsed = RunHead::parse(line).and_then(|run| Some((Hash::parse(&run.chain.head)?, run)));
        match parsed {
            Some((head, run)) if self.report.runs.len() < RUNS || self.report.runs.contains_key(&run.run) => {
                let seq = run.chain.seq;
                let end = (seq, head, link.time.to_string());
                self.report.runs.insert(run.run, end);
            }
            Some(_) => self.report.runs_left += 1,
            None => self.broken(
                BreakKind::Malformed,
                offset,
                &link.time,
                "it names no end of a run".into(),
            ),
        }
    }

    /// Checks that a record was written after the one before it: the writer marks a wall clock that went back, and keeps
    /// the boot clock going forward.
    fn clock(&mut self, link: &Link<'_>, offset: u64) {
        let boot = &*link.boot_id;
        let back = *link.time < *self.report.last;
        let why = if back && !link.clock_back {
            "its time is before that of the record before it, and no clock was set back"
        } else if !boot.is_empty() && boot == self.boot && link.mono_ns < self.mono_ns {
            "it says that it was written before the record before it"
        } else {
            ""
        };
        if !why.is_empty() {
            self.broken(BreakKind::WrongEpoch, offset, &link.time, why.into());
        }
        // The system may have failed to say which boot it was.
        if !boot.is_empty() {
            self.boot.clear();
            self.boot.push_str(boot);
            self.mono_ns = link.mono_ns;
        }
        self.report.clock_back += u64::from(back);
    }

    fn count(&mut self, link: &Link<'_>, hash: Hash) {
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(hash);
        let report = &mut self.report;
        report.records += 1;
        report.seq = link.seq;
        report.head = hash;
        if report.first.is_empty() {
            report.first = link.time.to_string();
        }
        report.last.clear();
        report.last.push_str(&link.time);
        self.trailing = if link.waited_for() { 0 } else { self.trailing + 1 };
        report.mended += u64::from(matches!(
            &*link.kind,
            "recovered" | "lost" | "broken" | "unvouched" | "suspect"
        ));
        if self.expect == Some(hash) {
            report.expected = Expected::Found { later: 0 };
        } else if let Expected::Found { later } = &mut report.expected {
            *later += 1;
        }
        if let Stored::Valid(head) = &self.end.stored {
            self.met |= head.hash == hash && head.seq == link.seq;
        }
    }

    pub(super) fn malformed(&mut self, offset: u64, what: &str) {
        self.lines += 1;
        let time = self.report.last.clone();
        self.broken(BreakKind::Malformed, offset, &time, String::from(what));
    }

    /// What stands after the last newline of a segment. In a segment that the head is past it is no torn append.
    pub(super) fn rest(&mut self, rest: &[u8], offset: u64) {
        if recover::joined(rest, offset) {
            return self.malformed(offset, "it is several records whose ends were taken away");
        }
        let length = rest.len() as u64;
        match &self.end.stored {
            Stored::Valid(head) if self.segment < head.segment => {
                self.malformed(offset, "the segment ends in the middle of a record");
            }
            _ => self.report.torn += length,
        }
    }

    fn broken(&mut self, kind: BreakKind, offset: u64, time: &str, what: String) {
        self.report.broken += 1;
        if self.report.breaks.len() < NAMED {
            self.report.breaks.push(Break {
                kind,
                segment: self.segment,
                line: self.lines,
                offset,
                time: String::from(time),
                what,
            });
        }
    }

    /// Checks the end against the head file and the expected head.
    pub(super) fn finish(mut self, length: u64) -> Report {
        self.report.unflushed = self.trailing;
        let head_file = match &self.end.stored {
            Stored::Absent => self.without(HeadFile::Missing),
            Stored::Damaged => self.without(HeadFile::Damaged),
            Stored::Valid(head) => {
                let head = head.clone();
                let hidden = self.untold_zeros(&head);
                self.against(&head, length, hidden)
            }
        };
        self.report.head_file = head_file;
        while let Some((seq, _, time)) = self.anchors.pop_front() {
            if seq > 0 {
                let what = format!("the checkpoint of {time} counts record {seq}, and the log ends before it");
                self.broken(BreakKind::Truncated, length, "", what);
            }
        }
        if self.report.expected == Expected::NotFound {
            let expected = self.expect.unwrap_or(Hash::GENESIS);
            self.lines += 1;
            let what = format!("no record has the expected hash {expected}");
            self.broken(BreakKind::Unexpected, length, "", what);
        }
        self.report
    }

    /// The end of a log without a head. An empty log has no end that somebody could have cut off.
    fn without(&mut self, head_file: HeadFile) -> HeadFile {
        if self.report.bytes > 0 || self.end.began {
            let last = self.report.last.clone();
            self.lines += 1;
            let which = if head_file == HeadFile::Missing {
                "head file"
            } else {
                "head file or key"
            };
            let what = format!(
                "{which} {}: nothing vouches for the end of the log; records may have been removed",
                head_file.as_str()
            );
            self.broken(BreakKind::Unvouched, self.at, &last, what);
        }
        head_file
    }

    /// The end against the head; `hidden` says that the head's record stood where a loss of power has left zeros.
    fn against(&mut self, head: &Head, length: u64, hidden: bool) -> HeadFile {
        let last = self.report.last.clone();
        // A segment that is being begun may stand among the epochs already.
        let begun = u32::from(matches!(head.condition, Condition::Turning | Condition::Suspect));
        if self.end.last_epoch > head.segment + begun {
            let what = format!(
                "segment {} was begun, and the head file counts segment {} as the last",
                self.end.last_epoch, head.segment
            );
            self.broken(BreakKind::Truncated, self.at, &last, what);
        }
        if self.met || head.seq == 0 || hidden {
            if self.end.epoch_key.as_ref() != Some(&self.end.key) {
                let what = format!(
                    "the head is sealed by a key that segment {} does not name",
                    head.segment
                );
                self.broken(BreakKind::WrongEpoch, head.start, &last, what);
            }
            self.report.unflushed = self.report.seq.saturating_sub(head.flushed);
            return if hidden {
                HeadFile::Disagrees
            } else if self.report.seq == head.seq {
                HeadFile::Agrees
            } else {
                HeadFile::Behind
            };
        }
        self.spliced(false);
        if self.report.seq < head.seq {
            // What is left of a record that was acknowledged is no torn append.
            self.report.torn = 0;
            self.lines += 1;
            let what = format!(
                "record {} was acknowledged and is not there; segment {} should have {} bytes and has {length}",
                head.seq, head.segment, head.end
            );
            // Only what the disk did not hold yet can get lost without somebody's doing. One record less is called so
            // in any case: a disk may lie.
            let unflushed = self.report.seq >= head.flushed || self.report.seq + 1 == head.seq;
            let kind = if unflushed {
                BreakKind::LostAcknowledged
            } else {
                BreakKind::Truncated
            };
            self.broken(kind, self.at, &last, what);
        } else {
            let what = format!("record {} is not the one that the head file counts", head.seq);
            self.broken(BreakKind::Edited, head.start, &last, what);
        }
        HeadFile::Disagrees
    }
}
