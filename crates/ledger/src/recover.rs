//! Finding the end of the chain, and mending what a crash left there.
//!
//! The head file says what was acknowledged. Bytes after that were promised to nobody: whole records that continue the
//! chain are taken in, the remains of one are set aside. What the head counts and the log does not hold is not mended:
//! the chain goes on from the acknowledged head, so that the gap stays visible to every later verification.

use std::path::Path;

use crate::error::LedgerError;
use crate::files::Log;
use crate::folder::Folder;
use crate::hash::Hash;
use crate::head::Head;
use crate::holes;
use crate::lines::{Line, Lines, Link, MAX_LINE};
use crate::record::{Event, Record};
use crate::stamp::boot_id;

/// How much after the head is read line by line. More means that the head file is an old copy, and then the last line
/// says as much in one read.
const FOLLOW: u64 = 4 * MAX_LINE as u64;

/// Notes on what was found, for the record that tells of it.
#[derive(Default)]
pub(crate) struct Notes {
    event: Event,
    sentences: Vec<String>,
}

impl Notes {
    /// Nothing says where the chain ended.
    pub(crate) fn unvouched(state: &str) -> Self {
        let mut notes = Self::default();
        notes.add(
            Event::Unvouched,
            format!(
                "The head file was {state}, or the key that seals it was: nothing vouched for the end of the log, and \
                 records may have been removed. It was made again from the log."
            ),
        );
        notes
    }

    /// A flush failed.
    pub(crate) fn suspect(segment: u32) -> Self {
        let mut notes = Self::default();
        notes.add(
            Event::Suspect,
            format!("A flush of segment {segment} failed: what it holds may not be on the disk. It was closed."),
        );
        notes
    }

    /// The gravest word stands on the record; whatever is lost or broken breaks the chain as well.
    fn add(&mut self, event: Event, sentence: String) {
        if weight(event) > weight(self.event) {
            self.event = event;
        }
        self.sentences.push(sentence);
    }

    /// The record that tells of it; none where there is nothing to tell.
    pub(crate) fn record(self) -> Option<Record> {
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

const fn weight(event: Event) -> u8 {
    match event {
        Event::Recovered => 1,
        Event::Suspect => 2,
        Event::Lost => 3,
        Event::Broken => 4,
        Event::Unvouched => 5,
        _ => 0,
    }
}

/// Corrects the head by what stands after it, and sets aside what is no record. Returns the record that has to come
/// first, if any.
pub(crate) fn end(folder: &Folder, log: &mut Log, head: &mut Head) -> Result<Option<Record>, LedgerError> {
    let mut notes = Notes::default();
    if let Some((event, what)) = missing(folder, log, head)? {
        notes.add(event, what);
        let zeros = zeros_over(folder, log, head)?;
        if zeros.is_some_and(|(_, kept)| kept < head.flushed) {
            let what = "Zeros stand where the disk had held records.";
            notes.add(Event::Broken, what.into());
        }
        set_aside(folder, log, zeros.map(|(from, _)| from), &mut notes)?;
    } else if head.end < log.len {
        let torn = if log.len - head.end <= FOLLOW {
            follow(log, head, &mut notes)?
        } else {
            notes.add(
                Event::Recovered,
                "The head file was an old one and was made again from the log.".into(),
            );
            *head = last_line(log, head)?.unwrap_or_else(|| head.clone());
            None
        };
        set_aside(folder, log, torn, &mut notes)?;
    }
    if let Some(what) = holes::left_by_a_stop(folder, log, head, &boot_id())? {
        notes.add(Event::Lost, what);
    }
    Ok(notes.record())
}

/// Sets aside what stands after the head.
pub(crate) fn cut(folder: &Folder, log: &mut Log, head: &Head, notes: &mut Notes) -> Result<(), LedgerError> {
    if head.end < log.len {
        aside(folder, log, head.end, notes)?;
    }
    Ok(())
}

/// Why the log does not hold the last record that the head counts; `None` where it does.
pub(crate) fn missing(folder: &Folder, log: &Log, head: &Head) -> Result<Option<(Event, String)>, LedgerError> {
    // A segment without a record of its own has nothing that could be missing.
    if head.end == 0 {
        return Ok(None);
    }
    let as_it_was = format!("record {} as it was acknowledged ({})", head.seq, head.hash);
    if head.end > log.len {
        let (len, end) = (log.len, head.end);
        let what = format!("The log does not hold {as_it_was}; it ends at byte {len} instead of {end}.");
        // What the disk held does not go away by itself. One record less may be a disk that lied.
        let kept = holes::last_before(folder, log, head.segment, log.len)?;
        let lost = kept >= head.flushed || kept + 1 >= head.seq;
        return Ok(Some((if lost { Event::Lost } else { Event::Broken }, what)));
    }
    let line = log.read(head.start, head.end.min(head.start + MAX_LINE as u64))?;
    if line.strip_suffix(b"\n").is_some_and(|text| Hash::of(text) == head.hash) {
        return Ok(None);
    }
    // After a loss of power a file can have its length and zeros where bytes had not reached the disk.
    let event = if line.contains(&0) { Event::Lost } else { Event::Broken };
    Ok(Some((event, format!("The log does not hold {as_it_was}."))))
}

/// Where the line begins in which pages of zeros have taken the head's record, and the last record before it, unless something
/// behind them was waited for. What stands there no head vouches for: nothing links it to what was before the zeros.
fn zeros_over(folder: &Folder, log: &Log, head: &Head) -> Result<Option<(u64, u64)>, LedgerError> {
    if !holes::stopped(head, &boot_id()) || head.end > log.len || log.len - head.start > FOLLOW {
        return Ok(None);
    }
    let Some(from) = last_line_end(log, head.start)? else {
        return Ok(None);
    };
    let bytes = log.read(from, log.len)?;
    let line = bytes.split(|b| *b == b'\n').next().unwrap_or_default();
    let taken = holes::are_pages(line, from) && !waited_for(behind_zeros(&bytes, 0, line.len() as u64));
    Ok(taken.then_some((from, holes::last_before(folder, log, head.segment, from)?)))
}

/// Sets aside the rest of a broken append: from `torn` on, or what stands after the last newline.
fn set_aside(folder: &Folder, log: &mut Log, torn: Option<u64>, notes: &mut Notes) -> Result<(), LedgerError> {
    let whole = last_line_end(log, log.len)?;
    match torn.or(whole) {
        Some(whole) if whole < log.len => {
            let bytes = log.read(whole, log.len.min(whole + MAX_LINE as u64))?;
            if any_joined(&bytes, whole) {
                notes.add(
                    Event::Broken,
                    "The log ended in several records without their ends.".into(),
                );
            }
            aside(folder, log, whole, notes)
        }
        Some(_) => Ok(()),
        // No record is that long, so nothing of ours is torn here. The line is ended where it stands.
        None => {
            notes.add(Event::Broken, "The log ended in a line longer than any record.".into());
            log.append(b"\n")
        }
    }
}

fn aside(folder: &Folder, log: &mut Log, from: u64, notes: &mut Notes) -> Result<(), LedgerError> {
    let bytes = log.len - from;
    let name = folder.set_aside(log, from)?;
    let what = format!("{bytes} bytes of a broken append were set aside in `{name}`.");
    notes.add(Event::Recovered, what);
    Ok(())
}

/// Takes in the whole records after the head, and returns where a torn one begins. A line with a NUL in it was torn by
/// a loss of power: no record has one.
fn follow(log: &Log, head: &mut Head, notes: &mut Notes) -> Result<Option<u64>, LedgerError> {
    let bytes = log.read(head.end, log.len)?;
    let mut lines = Lines::new(bytes.as_slice());
    let head_end = head.end;
    let (mut torn, mut taken, mut start) = (None, 0_u64, head.end);
    while let Some(Line::Whole(text)) = lines
        .read_line()
        .map_err(LedgerError::io("read", Path::new("the log")))?
    {
        let end = start + text.len() as u64 + 1;
        match after(text, head, start, end) {
            Some(next) => {
                taken += 1;
                *head = next;
            }
            None if text.contains(&0) && !waited_for(behind_zeros(&bytes, start - head_end, end - head_end)) => {
                torn = Some(start);
            }
            None => {
                let last = head.seq;
                let what = format!("After record {last} stands a line that does not continue the chain.");
                notes.add(Event::Broken, what);
                break;
            }
        }
        if torn.is_some() {
            break;
        }
        start = end;
    }
    if taken > 0 {
        let what = format!("{taken} whole records that the head file did not count were taken in.");
        notes.add(Event::Recovered, what);
    }
    Ok(torn)
}

/// What stands behind the last zero of a line: a record may have lost the end of the line before it.
fn behind_zeros(bytes: &[u8], start: u64, end: u64) -> &[u8] {
    let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let line = bytes.get(at(start)..at(end)).unwrap_or_default();
    let zeros = line.iter().rposition(|b| *b == 0).map_or(0, |last| last + 1);
    bytes.get(at(start) + zeros..).unwrap_or_default()
}

/// Whether a record stands there that was waited for until the disk held it: then the disk held what came before, and
/// what is missing of that no loss of power has taken.
fn waited_for(rest: &[u8]) -> bool {
    let flushed = |line: &[u8]| Link::parse(line).is_some_and(|link| link.waited_for());
    rest.split(|b| *b == b'\n').any(flushed)
}

/// Whether a line that has no end holds more than one record: their ends were taken away. Pages of zeros take ends with them.
pub(crate) fn joined(torn: &[u8], offset: u64) -> bool {
    memchr::memmem::find_iter(torn, b"{\"format\":").nth(1).is_some() && !holes::are_pages(torn, offset)
}

/// Whether that is so of any line.
fn any_joined(torn: &[u8], mut offset: u64) -> bool {
    torn.split_inclusive(|b| *b == b'\n').any(|line| {
        let at = offset;
        offset += line.len() as u64;
        joined(line.strip_suffix(b"\n").unwrap_or(line), at)
    })
}

/// The head that a line makes, when it continues the chain.
fn after(text: &[u8], head: &Head, start: u64, end: u64) -> Option<Head> {
    let link =
        Link::parse(text).filter(|link| Some(link.seq) == head.seq.checked_add(1) && link.prev() == Some(head.hash))?;
    Some(made(&link, text, head, start, end))
}

fn made(link: &Link<'_>, text: &[u8], head: &Head, start: u64, end: u64) -> Head {
    Head {
        seq: link.seq,
        start,
        end,
        hash: Hash::of(text),
        time: link.time.to_string(),
        mono_ns: link.mono_ns,
        boot: link.boot_id.to_string(),
        ..head.clone()
    }
}

/// The head that the newest record makes, from the segments alone; torn remains at the end are set aside.
pub(crate) fn last(folder: &Folder, log: &mut Log, newest: u32, notes: &mut Notes) -> Result<Head, LedgerError> {
    set_aside(folder, log, None, notes)?;
    let base = Head {
        segment: newest,
        ..Head::GENESIS
    };
    if let Some(head) = last_line(log, &base)? {
        return Ok(head);
    }
    if log.len > 0 {
        notes.add(Event::Broken, "The last line of the log is no record.".into());
    }
    // The newest segment has no record at its end: the highest number that stands anywhere counts.
    let mut head = last_record(log, base)?;
    for number in folder.segments()?.into_iter().rev().filter(|number| *number < newest) {
        if head.seq > 0 {
            break;
        }
        if let Some(older) = folder.read_log(number)? {
            head = last_record(&older, head)?;
        }
    }
    // It is written after what stands there, wherever the record was found.
    Ok(Head {
        start: log.len,
        end: log.len,
        ..head
    })
}

/// The head that the last line makes, where it is a record.
fn last_line(log: &Log, base: &Head) -> Result<Option<Head>, LedgerError> {
    let end = last_line_end(log, log.len)?.unwrap_or(0);
    if end == 0 {
        return Ok(None);
    }
    let start = last_line_end(log, end - 1)?.unwrap_or(0);
    let line = log.read(start, end)?;
    let text = line.strip_suffix(b"\n").unwrap_or(&line);
    Ok(Link::parse(text).map(|link| made(&link, text, base, start, end)))
}

/// The last line that is a record, found by reading a whole segment. Only for a log whose end is damaged and whose head
/// is lost: nothing shorter would give a number that no record has.
fn last_record(log: &Log, mut head: Head) -> Result<Head, LedgerError> {
    let mut at = 0;
    let mut carry = Vec::new();
    while at < log.len {
        let chunk = log.read(at, log.len.min(at + 65_536))?;
        at += chunk.len() as u64;
        carry.extend_from_slice(&chunk);
        while let Some(newline) = carry.iter().position(|b| *b == b'\n') {
            let line: Vec<u8> = carry.drain(..=newline).collect();
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            if let Some(link) = Link::parse(text).filter(|link| link.seq >= head.seq) {
                head = made(&link, text, &head, 0, 0);
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
