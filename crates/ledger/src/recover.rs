//! Finding the end of the chain, and mending what a crash left there.
//!
//! The head file says what was acknowledged. Bytes after that were promised to nobody: whole records that continue the
//! chain are taken in, the remains of one are set aside. What the head counts and the log does not hold is not mended:
//! the chain goes on from the acknowledged head, so that the gap stays visible to every later verification.

use crate::error::LedgerError;
use crate::files::{Folder, Log};
use crate::hash::Hash;
use crate::head::{Head, Stored};
use crate::lines::{Line, Lines, Link, MAX_LINE};
use crate::record::{Event, Record};

/// How much after the head is read line by line. More means that the head file is an old copy, and then the last line
/// says as much in one read.
const FOLLOW: u64 = 4 * MAX_LINE as u64;

/// Notes on what was found, for the record that tells of it.
#[derive(Default)]
struct Notes {
    event: Event,
    sentences: Vec<String>,
}

impl Notes {
    fn recovered(&mut self, sentence: String) {
        if !matches!(self.event, Event::Broken | Event::Unvouched) {
            self.event = Event::Recovered;
        }
        self.sentences.push(sentence);
    }

    /// What is broken breaks the chain too, so that the other word may stand on the record.
    fn broken(&mut self, sentence: String) {
        if self.event != Event::Unvouched {
            self.event = Event::Broken;
        }
        self.sentences.push(sentence);
    }

    fn unvouched(&mut self, state: &str) {
        self.event = Event::Unvouched;
        self.sentences.push(format!(
            "The head file was {state}: nothing vouched for the end of the log, and records may have been removed. \
             It was made again from the log."
        ));
    }

    fn record(self) -> Option<Record> {
        if self.sentences.is_empty() {
            return None;
        }
        Some(Record {
            kind: self.event,
            version: env!("CARGO_PKG_VERSION").into(),
            note: self.sentences.join(" "),
            ..Record::default()
        })
    }
}

/// The head to append after, and the record that has to come first, if any.
pub(crate) fn end(folder: &Folder, log: &mut Log, stored: Stored) -> Result<(Head, Option<Record>), LedgerError> {
    let mut notes = Notes::default();
    let mut torn = None;
    let head = match stored {
        Stored::Valid(head) if !counted(log, &head)? => {
            notes.broken(format!(
                "The log does not hold record {} as it was acknowledged ({}); it ends at byte {} instead of {}.",
                head.seq, head.hash, log.len, head.end
            ));
            head
        }
        Stored::Valid(head) if head.end == log.len => return Ok((head, None)),
        Stored::Valid(head) if log.len - head.end <= FOLLOW => follow(log, head, &mut torn, &mut notes)?,
        Stored::Absent if log.len == 0 => return Ok((Head::GENESIS, None)),
        other => {
            match other {
                Stored::Absent => notes.unvouched("missing"),
                Stored::Damaged if log.len > 0 => notes.unvouched("damaged"),
                Stored::Damaged => notes.recovered(String::from("The head file was damaged, and the log empty.")),
                Stored::Valid(_) => notes.recovered(String::from(
                    "The head file was an old one and was made again from the log.",
                )),
            }
            rebuild(log, &mut notes)?
        }
    };
    let whole = last_line_end(log, log.len)?;
    match torn.or(whole) {
        Some(whole) if whole < log.len => {
            let bytes = log.len - whole;
            let name = folder.set_aside(log, whole)?;
            notes.recovered(format!("{bytes} bytes of a broken append were set aside in `{name}`."));
        }
        Some(_) => {}
        // No record is that long, so nothing of ours is torn here. The line is ended where it stands.
        None => {
            log.append(b"\n")?;
            notes.broken(String::from("The log ended in a line longer than any record."));
        }
    }
    Ok((head, notes.record()))
}

/// Whether the log holds the last record that the head counts.
fn counted(log: &Log, head: &Head) -> Result<bool, LedgerError> {
    if head.seq == 0 {
        return Ok(*head == Head::GENESIS);
    }
    if head.end > log.len || head.end - head.start > MAX_LINE as u64 {
        return Ok(false);
    }
    let line = log.read(head.start, head.end)?;
    Ok(line.strip_suffix(b"\n").is_some_and(|text| Hash::of(text) == head.hash))
}

/// Takes in the whole records after `head`. A line with a NUL in it was torn by a crash of the whole machine, which can
/// leave zeros where bytes had not reached the disk: no record has one.
fn follow(log: &Log, head: Head, torn: &mut Option<u64>, notes: &mut Notes) -> Result<Head, LedgerError> {
    let bytes = log.read(head.end, log.len)?;
    let mut lines = Lines::new(bytes.as_slice());
    let (mut end, mut start, mut taken) = (head, head.end, 0_u64);
    while let Some(line) = lines
        .read_line()
        .map_err(LedgerError::io("read", std::path::Path::new("the log")))?
    {
        let Line::Whole(text) = line else { break };
        let length = text.len() as u64 + 1;
        match Link::parse(text) {
            Some(link) if link.seq == end.seq + 1 && link.prev() == Some(end.hash) => {
                taken += 1;
                end = Head {
                    seq: link.seq,
                    start,
                    end: start + length,
                    hash: Hash::of(text),
                };
            }
            _ if text.contains(&0) => {
                *torn = Some(start);
                break;
            }
            _ => {
                notes.broken(format!(
                    "After record {} stands a line that does not continue the chain.",
                    end.seq
                ));
                break;
            }
        }
        start += length;
    }
    if taken > 0 {
        notes.recovered(format!(
            "{taken} whole records that the head file did not count were taken in."
        ));
    }
    Ok(end)
}

/// Works out the head from the log alone.
fn rebuild(log: &Log, notes: &mut Notes) -> Result<Head, LedgerError> {
    let end = last_line_end(log, log.len)?.unwrap_or(0);
    if end == 0 {
        return Ok(Head::GENESIS);
    }
    let start = last_line_end(log, end - 1)?.unwrap_or(0);
    let line = log.read(start, end)?;
    let text = line.strip_suffix(b"\n").unwrap_or(&line);
    if let Some(link) = Link::parse(text) {
        return Ok(Head {
            seq: link.seq,
            start,
            end,
            hash: Hash::of(text),
        });
    }
    notes.broken(String::from("The last line of the log is no record."));
    last_record(log)
}

/// The last line that is a record, found by reading the whole log. Only for a log whose end is damaged and whose head
/// is lost: nothing shorter would give a number that no record has.
fn last_record(log: &Log) -> Result<Head, LedgerError> {
    let mut head = Head::GENESIS;
    let mut at = 0;
    let mut carry = Vec::new();
    while at < log.len {
        let chunk = log.read(at, log.len.min(at + 65_536))?;
        at += chunk.len() as u64;
        carry.extend_from_slice(&chunk);
        while let Some(newline) = carry.iter().position(|b| *b == b'\n') {
            let line: Vec<u8> = carry.drain(..=newline).collect();
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            if let Some(link) = Link::parse(text) {
                head = Head {
                    seq: head.seq.max(link.seq),
                    hash: Hash::of(text),
                    ..head
                };
            }
        }
        if carry.len() > MAX_LINE {
            carry.clear();
        }
    }
    Ok(head)
}

/// The offset after the last newline before `end`; 0 when there is none, `None` when none was found within the longest
/// line.
fn last_line_end(log: &Log, end: u64) -> Result<Option<u64>, LedgerError> {
    let mut upper = end;
    let lowest = end.saturating_sub(MAX_LINE as u64 + 1);
    let mut step = 4096;
    while upper > lowest {
        let lower = upper.saturating_sub(step).max(lowest);
        let bytes = log.read(lower, upper)?;
        if let Some(at) = bytes.iter().rposition(|b| *b == b'\n') {
            return Ok(Some(lower + at as u64 + 1));
        }
        upper = lower;
        step *= 4;
    }
    Ok((lowest == 0).then_some(0))
}
