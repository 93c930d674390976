//! Checking a ledger: every line against the one before it, the end against the head file.

use std::fmt;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use crate::error::LedgerError;
use crate::files::Folder;
use crate::hash::Hash;
use crate::head::{Head, Stored};
use crate::lines::{Line, Lines, Link};
use crate::record::FORMAT;

/// How many breaks and how many unknown files a report names; all are counted.
const NAMED: usize = 32;

/// How long a verification waits for the moment in which log and head file agree.
const WAIT: Duration = Duration::from_secs(3);

/// What kind of damage it is, as far as the lines tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakKind {
    /// A record was changed after it was written.
    Edited,
    /// Records are missing.
    Deleted,
    /// A line stands where it does not belong: put in, doubled or moved.
    Inserted,
    /// Two neighbours changed places.
    Swapped,
    /// A line is no record.
    Malformed,
    /// The end was cut off, or what stood there was acknowledged and is lost.
    Truncated,
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
            Self::Swapped => "swapped",
            Self::Malformed => "malformed",
            Self::Truncated => "truncated",
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
    /// The line, counted from 1.
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
            kind, line, time, what, ..
        } = self;
        write!(f, "line {line}: {}: {what}", kind.as_str())?;
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
    /// Records read.
    pub records: u64,
    /// Bytes read.
    pub bytes: u64,
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
    /// How often the end had to be mended.
    pub mended: u64,
    /// How often the clock went back between two records.
    pub clock_back: u64,
    /// Records at the end that were not flushed when they were written: what a power loss could take now.
    pub unflushed: u64,
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
    /// Whether nothing was changed.
    #[must_use]
    pub const fn intact(&self) -> bool {
        self.broken == 0
    }

    /// Whether nothing worse was found than that no head file vouches, or once vouched, for the end.
    #[must_use]
    pub fn only_unvouched(&self) -> bool {
        let unvouched = self.breaks.iter().filter(|b| b.kind == BreakKind::Unvouched).count() as u64;
        unvouched > 0 && unvouched == self.broken
    }
}

/// Checks the ledger in `dir`. Reads only, in constant memory; appends go on meanwhile.
///
/// # Errors
/// When the ledger cannot be opened or read. A ledger that is not there is an empty one.
pub fn verify(dir: &Path, expect: Option<Hash>) -> Result<Report, LedgerError> {
    let Some(folder) = Folder::open(dir)? else {
        return check(io::empty(), 0, Stored::Absent, expect).map_err(LedgerError::io("read", dir));
    };
    // The lock is held only for as long as it takes to see log and head file in one state.
    let locked = folder.lock(WAIT);
    let stored = folder.read_head()?;
    let log = folder.read_log()?;
    let (mut unknown, mut strangers) = (Vec::new(), 0);
    for name in folder.strangers()? {
        strangers += 1;
        if unknown.len() < NAMED {
            unknown.push(name?);
        }
    }
    unknown.sort();
    drop(folder);
    locked?;
    let checked = match log {
        None => check(io::empty(), 0, stored, expect),
        Some(log) => {
            let length = log.len;
            check(log.into_file().take(length), length, stored, expect)
        }
    };
    let report = checked.map_err(LedgerError::io("read", dir))?;
    Ok(Report {
        unknown,
        strangers,
        ..report
    })
}

/// Checks what `from` yields against the head file's content.
fn check(from: impl Read, length: u64, stored: Stored, expect: Option<Hash>) -> io::Result<Report> {
    let mut walk = Walk::new(stored, expect);
    let mut lines = Lines::new(from);
    loop {
        let offset = lines.offset();
        match lines.read_line()? {
            None => break,
            Some(Line::Whole(line)) => walk.line(line, offset),
            Some(Line::TooLong) => walk.malformed(offset, "it is longer than any record"),
            Some(Line::Rest(rest)) => walk.report.torn = rest.len() as u64,
        }
    }
    walk.report.bytes = lines.offset();
    Ok(walk.finish(length))
}

/// The state of a check.
struct Walk {
    report: Report,
    stored: Stored,
    expect: Option<Hash>,
    lines: u64,
    /// End of the last whole line.
    end: u64,
    /// The head file's record was met.
    met: bool,
}

impl Walk {
    fn new(stored: Stored, expect: Option<Hash>) -> Self {
        Self {
            report: Report {
                records: 0,
                bytes: 0,
                seq: 0,
                head: Hash::GENESIS,
                first: String::new(),
                last: String::new(),
                breaks: Vec::new(),
                broken: 0,
                torn: 0,
                mended: 0,
                clock_back: 0,
                unflushed: 0,
                unknown: Vec::new(),
                strangers: 0,
                head_file: HeadFile::Missing,
                expected: expect.map_or(Expected::NotAsked, |_| Expected::NotFound),
            },
            stored,
            expect,
            lines: 0,
            end: 0,
            met: false,
        }
    }

    fn line(&mut self, line: &[u8], offset: u64) {
        let Some(link) = Link::parse(line) else {
            return self.malformed(offset, "it is no record");
        };
        self.lines += 1;
        self.end = offset + line.len() as u64 + 1;
        if link.format != FORMAT {
            let what = format!("it has format {}, which this version does not know", link.format);
            self.broken(BreakKind::Malformed, offset, &link.time, what);
        }
        let hash = Hash::of(line);
        if self.follows(&link, hash, offset) {
            self.count(&link, hash);
            if link.kind == "unvouched" {
                let what = format!(
                    "the head file was missing or damaged when record {} was written: nothing vouches for the end of \
                     the log before it; records may have been removed there",
                    link.seq
                );
                self.broken(BreakKind::Unvouched, offset, &link.time, what);
            }
        }
    }

    /// Whether the chain goes on with `link`. Damage is noted; a line out of place is not followed.
    fn follows(&mut self, link: &Link<'_>, hash: Hash, offset: u64) -> bool {
        let expected = self.report.seq + 1;
        let chained = link.prev() == Some(self.report.head);
        if chained && link.seq == expected {
            return true;
        }
        if link.seq < expected {
            if self.swapped(link.seq) {
                return false;
            }
            let what = if hash == self.report.head {
                format!("record {} stands here a second time", link.seq)
            } else {
                format!("record {} stands where record {expected} belongs", link.seq)
            };
            self.broken(BreakKind::Inserted, offset, &link.time, what);
            return false;
        }
        if link.seq > expected {
            let what = format!("records {expected} to {} are missing", link.seq - 1);
            self.broken(BreakKind::Deleted, offset, &link.time, what);
        } else {
            let before = self.report.seq;
            let what = format!("record {before} or {expected} is not what it was when {expected} was written");
            self.broken(BreakKind::Edited, offset, &link.time, what);
        }
        true
    }

    /// Corrects the last break when the one record that it missed follows at once.
    fn swapped(&mut self, seq: u64) -> bool {
        let missing = format!("records {seq} to {seq} are missing");
        match self.report.breaks.last_mut() {
            Some(last) if last.kind == BreakKind::Deleted && last.line + 1 == self.lines && last.what == missing => {
                last.kind = BreakKind::Swapped;
                last.what = format!("records {seq} and {} have changed places", seq + 1);
                true
            }
            _ => false,
        }
    }

    fn count(&mut self, link: &Link<'_>, hash: Hash) {
        let report = &mut self.report;
        report.records += 1;
        report.seq = link.seq;
        report.head = hash;
        if report.first.is_empty() {
            report.first = link.time.to_string();
        }
        if *link.time < *report.last {
            report.clock_back += 1;
        }
        report.last = link.time.to_string();
        let let_through = link.kind == "decision" && matches!(&*link.verdict, "allow" | "warn");
        report.unflushed = if let_through { report.unflushed + 1 } else { 0 };
        report.mended += u64::from(matches!(&*link.kind, "recovered" | "broken" | "unvouched"));
        if self.expect == Some(hash) {
            report.expected = Expected::Found { later: 0 };
        } else if let Expected::Found { later } = &mut report.expected {
            *later += 1;
        }
        if let Stored::Valid(head) = self.stored {
            self.met |= head.hash == hash && head.seq == link.seq;
        }
    }

    fn malformed(&mut self, offset: u64, what: &str) {
        self.lines += 1;
        let time = self.report.last.clone();
        self.broken(BreakKind::Malformed, offset, &time, String::from(what));
    }

    fn broken(&mut self, kind: BreakKind, offset: u64, time: &str, what: String) {
        self.report.broken += 1;
        if self.report.breaks.len() < NAMED {
            self.report.breaks.push(Break {
                kind,
                line: self.lines,
                offset,
                time: String::from(time),
                what,
            });
        }
    }

    /// Checks the end against the head file and the expected head.
    fn finish(mut self, length: u64) -> Report {
        let head_file = match self.stored {
            Stored::Absent => self.without(HeadFile::Missing, length),
            Stored::Damaged => self.without(HeadFile::Damaged, length),
            Stored::Valid(head) => self.against(head, length),
        };
        self.report.head_file = head_file;
        if self.report.expected == Expected::NotFound {
            let expected = self.expect.unwrap_or(Hash::GENESIS);
            self.lines += 1;
            let what = format!("no record has the expected hash {expected}");
            self.broken(BreakKind::Unexpected, length, "", what);
        }
        self.report
    }

    /// The end of a log without a head. An empty log has no end that somebody could have cut off.
    fn without(&mut self, head_file: HeadFile, length: u64) -> HeadFile {
        if length > 0 {
            let last = self.report.last.clone();
            self.lines += 1;
            let what = format!(
                "head file {}: nothing vouches for the end of the log; records may have been removed",
                head_file.as_str()
            );
            self.broken(BreakKind::Unvouched, self.end, &last, what);
        }
        head_file
    }

    fn against(&mut self, head: Head, length: u64) -> HeadFile {
        if self.met || head == Head::GENESIS {
            return if self.report.seq == head.seq {
                HeadFile::Agrees
            } else {
                HeadFile::Behind
            };
        }
        let last = self.report.last.clone();
        if self.report.seq < head.seq {
            // What is left of a record that was acknowledged is no torn append.
            self.report.torn = 0;
            self.lines += 1;
            let what = format!(
                "record {} was acknowledged and is not there; the log should have {} bytes and has {length}",
                head.seq, head.end
            );
            self.broken(BreakKind::Truncated, self.end, &last, what);
        } else {
            let what = format!("record {} is not the one that the head file counts", head.seq);
            self.broken(BreakKind::Edited, head.start, &last, what);
        }
        HeadFile::Disagrees
    }
}

#[cfg(test)]
mod tests;
