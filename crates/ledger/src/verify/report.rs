//! What a verification found.

use std::collections::BTreeMap;
use std::fmt;

use crate::hash::Hash;

/// How many breaks and how many unknown files a report names; all are counted.
pub(super) const NAMED: usize = 32;

/// What kind of damage it is, as far as the lines tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakKind {
    /// A record was changed after it was written.
    Edited,
    /// Records are missing.
    Deleted,
    /// A line stands where it does not belong: put in or moved.
    Inserted,
    /// A record stands there a second time.
    Duplicated,
    /// Two neighbours changed places.
    Swapped,
    /// A line is no record.
    Malformed,
    /// Records that are of another chain stand there.
    Spliced,
    /// What was on the disk at the end was cut off.
    Truncated,
    /// The end was acknowledged and is not there, and a loss of power can do that to what had not been flushed.
    LostAcknowledged,
    /// Pages of zeros stand where records were that had been let through and not waited for: the machine stopped before the
    /// system had written them.
    LostUnflushed,
    /// It was not written when it says it was: its time or its signature is not that of the segment's key.
    WrongEpoch,
    /// The expected head is not in the chain.
    Unexpected,
    /// There is, or was, no head file to say where the log ends, as no crash leaves it.
    Unvouched,
}

impl BreakKind {
    /// The word used in outputs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Edited => "edited",
            Self::Deleted => "deleted",
            Self::Inserted => "inserted",
            Self::Duplicated => "duplicated",
            Self::Swapped => "swapped",
            Self::Malformed => "malformed",
            Self::Spliced => "spliced",
            Self::Truncated => "truncated",
            Self::LostAcknowledged => "lost-acknowledged",
            Self::LostUnflushed => "lost-unflushed",
            Self::WrongEpoch => "wrong-epoch",
            Self::Unexpected => "unexpected",
            Self::Unvouched => "unvouched",
        }
    }
}

/// One place where the chain does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// The kind.
    pub kind: BreakKind,
    /// The segment, counted from 1.
    pub segment: u32,
    /// The line in it, counted from 1.
    pub line: u64,
    /// Its first byte.
    pub offset: u64,
    /// The time that it (or the last good line before it) carries.
    pub time: String,
    /// What is wrong, one sentence.
    pub what: String,
}

impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            segment,
            line,
            time,
            what,
            ..
        } = self;
        write!(f, "segment {segment}, line {line}: {}: {what}", kind.as_str())?;
        if time.is_empty() {
            Ok(())
        } else {
            write!(f, " ({time})")
        }
    }
}

/// What the head file says about the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadFile {
    /// Its last record is the log's last.
    Agrees,
    /// The log goes on after it, as after a crash.
    Behind,
    /// It counts something that the log does not hold.
    Disagrees,
    /// There is none: beside records that is a break, because a cut at the end could not be seen.
    Missing,
    /// It cannot be read; the same holds.
    Damaged,
}

impl HeadFile {
    /// The word used in outputs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Behind => "behind",
            Self::Disagrees => "disagrees",
            Self::Missing => "missing",
            Self::Damaged => "damaged",
        }
    }
}

/// What a verification found in a run's own ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// The run.
    pub run: String,
    /// Whether an end of it is chained into the machine's ledger.
    pub chained: bool,
    /// What was found, or why nothing could be.
    pub report: Result<Report, String>,
}

impl RunReport {
    /// Whether nothing was changed.
    #[must_use]
    pub fn intact(&self) -> bool {
        self.report.as_ref().is_ok_and(Report::intact)
    }
}

/// Where the expected head was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// None was given.
    NotAsked,
    /// It is the head, or an earlier one after which this many records followed.
    Found {
        /// Records after it.
        later: u64,
    },
    /// No record has this hash.
    NotFound,
}

/// The result of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Records read; the lines that open segments are none.
    pub records: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Segments read.
    pub segments: u64,
    /// Segments that their own key has sealed.
    pub sealed: u64,
    /// Sequence number of the last record.
    pub seq: u64,
    /// Hash of the last record: the head.
    pub head: Hash,
    /// Time of the first record.
    pub first: String,
    /// Time of the last record.
    pub last: String,
    /// The first breaks.
    pub breaks: Vec<Break>,
    /// All breaks.
    pub broken: u64,
    /// Bytes of an append that was never acknowledged, at the end. The next append sets them aside.
    pub torn: u64,
    /// The last record that a checkpoint vouches for; 0 where none does.
    pub anchored: u64,
    /// How often the end had to be mended.
    pub mended: u64,
    /// How often the clock went back between two records.
    pub clock_back: u64,
    /// Records at the end that nobody waited for the disk to hold: what a power loss could take now.
    pub unflushed: u64,
    /// The last ends of runs' ledgers that are chained into this one: number, hash and time, by run.
    pub runs: BTreeMap<String, (u64, Hash, String)>,
    /// Records on further runs, which are not looked at.
    pub runs_left: u64,
    /// The first names in the folder that are no part of a ledger: nothing checks what stands in them.
    pub unknown: Vec<String>,
    /// All such names.
    pub strangers: u64,
    /// The head file.
    pub head_file: HeadFile,
    /// The expected head.
    pub expected: Expected,
}

impl Report {
    /// Of a ledger without a record.
    pub(super) const fn empty(expected: Expected) -> Self {
        Self {
            records: 0,
            bytes: 0,
            segments: 0,
            sealed: 0,
            seq: 0,
            head: Hash::GENESIS,
            first: String::new(),
            last: String::new(),
            breaks: Vec::new(),
            broken: 0,
            torn: 0,
            anchored: 0,
            mended: 0,
            clock_back: 0,
            unflushed: 0,
            runs: BTreeMap::new(),
            runs_left: 0,
            unknown: Vec::new(),
            strangers: 0,
            head_file: HeadFile::Missing,
            expected,
        }
    }

    /// Counts a file that is no part of a ledger.
    pub(super) fn stranger(&mut self, name: String) {
        self.strangers += 1;
        if self.unknown.len() < NAMED {
            self.unknown.push(name);
        }
    }

    /// Whether nothing was changed.
    #[must_use]
    pub const fn intact(&self) -> bool {
        self.broken == 0
    }

    /// Whether nothing worse was found than that acknowledged records at some end are gone, as a loss of power takes them.
    #[must_use]
    pub fn only_lost(&self) -> bool {
        self.only(|kind| matches!(kind, BreakKind::LostAcknowledged | BreakKind::LostUnflushed))
    }

    /// Whether nothing worse was found than that records are gone that nobody had waited for.
    #[must_use]
    pub fn only_unflushed(&self) -> bool {
        self.only(|kind| kind == BreakKind::LostUnflushed)
    }

    /// Whether nothing worse was found than that no head file vouches, or once vouched, for the end.
    #[must_use]
    pub fn only_unvouched(&self) -> bool {
        self.only(|kind| kind == BreakKind::Unvouched)
    }

    /// Whether there are breaks, and all are of these kinds. Those that are not named could be of any.
    fn only(&self, of: impl Fn(BreakKind) -> bool) -> bool {
        self.broken > 0 && self.breaks.iter().filter(|b| of(b.kind)).count() as u64 == self.broken
    }
}
