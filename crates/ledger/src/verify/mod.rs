//! Checking a ledger: every line against the one before it, every segment against the key that it was begun with, the
//! end against the head file.

mod report;
mod walk;
mod zeros;

use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use crate::anchors::Checkpoint;
use crate::append::runs;
use crate::epochs::Epochs;
use crate::error::LedgerError;
use crate::folder::Folder;
use crate::hash::Hash;
use crate::head::{Head, Stored};
use crate::key::Key;
use crate::lines::{Line, Lines};
use crate::stamp::boot_id;
pub use report::{Break, BreakKind, Expected, HeadFile, Report, RunReport};
use walk::{End, Walk};

/// How long a verification waits for the moment in which log and head file agree.
const WAIT: Duration = Duration::from_secs(3);

/// What a verification tells while it goes on: bytes read so far, and all bytes.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// Checks the ledger in `dir`. Reads only, in constant memory; appends go on meanwhile.
///
/// # Errors
/// When the ledger cannot be opened or read. A ledger that is not there is an empty one.
pub fn verify(dir: &Path, expect: Option<Hash>) -> Result<Report, LedgerError> {
    verify_with(dir, expect, &[], &mut |_, _| {})
}

/// As [`verify`], against checkpoints too, and telling how far it is.
///
/// # Errors
/// As [`verify`].
pub fn verify_with(
    dir: &Path,
    expect: Option<Hash>,
    anchors: &[Checkpoint],
    progress: Progress<'_>,
) -> Result<Report, LedgerError> {
    let Some(mut folder) = Folder::open(dir)? else {
        return Ok(Walk::new(End::ABSENT, expect, anchors).finish(0));
    };
    // The lock is held only for as long as it takes to see log and head file in one state.
    let locked = folder.lock(WAIT);
    let epochs = Epochs::read(&folder)?;
    let end = end(&folder, &epochs)?;
    let (segments, lengths) = lengths(&folder)?;
    folder.unlock();
    locked?;
    let all = lengths.iter().sum();
    let mut walk = Walk::new(end, expect, anchors);
    let mut done = 0;
    for (number, length) in segments.into_iter().zip(lengths) {
        walk.enter(number, length, epochs.of(number));
        if let Some(log) = folder.read_log(number)? {
            let length = log.len.min(length);
            let mut told = |bytes| progress(done + bytes, all);
            read(&mut walk, log.into_file().take(length), &mut told).map_err(LedgerError::io("read", dir))?;
            done += length;
        }
    }
    walk.epochs(epochs.lines.iter().filter(|line| line.is_none()).count() as u64 + u64::from(epochs.too_long));
    let length = walk.end_of_segment();
    let mut report = walk.finish(length);
    for name in folder.strangers()? {
        report.stranger(name?);
    }
    report.unknown.sort();
    Ok(report)
}

/// Checks the ledgers of all runs: those that `machine`, the report on the ledger of the state folder `state`, names,
/// against the last ends that were chained into it, and those that only lie there.
#[must_use]
pub fn verify_runs(state: &Path, machine: &Report) -> Vec<RunReport> {
    let chained = |(run, (seq, head, time)): (&String, &(u64, Hash, String))| {
        let end = Checkpoint {
            origin: run.clone(),
            size: *seq,
            root: Hash::GENESIS,
            seq: *seq,
            head: *head,
            time: time.clone(),
        };
        run_report(state, run, Some(end))
    };
    let mut reports: Vec<RunReport> = machine.runs.iter().map(chained).collect();
    let folders = std::fs::read_dir(runs(state)).into_iter().flatten().flatten();
    for folder in folders {
        let name = folder.file_name().to_string_lossy().into_owned();
        if !machine.runs.contains_key(&name) && folder.path().join("ledger").exists() {
            reports.push(run_report(state, &name, None));
        }
    }
    reports
}

fn run_report(state: &Path, run: &str, end: Option<Checkpoint>) -> RunReport {
    // A name that leads elsewhere is none of a run.
    let own = !run.is_empty() && run != "." && run != ".." && !run.contains('/');
    let chained = end.is_some();
    let ends: Vec<Checkpoint> = end.into_iter().collect();
    let report = if own {
        let dir = runs(state).join(run).join("ledger");
        verify_with(&dir, None, &ends, &mut |_, _| {}).map_err(|e| e.to_string())
    } else {
        Err(String::from("that is no name of a run"))
    };
    RunReport {
        run: run.into(),
        chained,
        report,
    }
}

/// The segments and how long they are now. Later appends are none of this verification's business.
fn lengths(folder: &Folder) -> Result<(Vec<u32>, Vec<u64>), LedgerError> {
    let segments = folder.segments()?;
    let mut lengths = Vec::new();
    for number in &segments {
        lengths.push(folder.read_log(*number)?.map_or(0, |log| log.len));
    }
    Ok((segments, lengths))
}

/// What head and key files say. A head is taken as sealed where either key fits it: a crash can leave the next key
/// beside the present one.
fn end(folder: &Folder, epochs: &Epochs) -> Result<End, LedgerError> {
    let text = match folder.read_head()? {
        Some(slot) => slot.read()?,
        None => Vec::new(),
    };
    let keys = [folder.key()?, folder.next_key()?];
    let last_epoch = epochs
        .lines
        .iter()
        .flatten()
        .map(|epoch| epoch.segment)
        .max()
        .unwrap_or(0);
    // The first key is put in its place when a head is on the disk.
    let beside = End {
        last_epoch,
        began: last_epoch > 1 || !folder.key()?.is_empty(),
        boot: boot_id(),
        ..End::ABSENT
    };
    if text.is_empty() {
        return Ok(beside);
    }
    let key = |head: &Head| {
        let mut fitting = keys.iter().filter_map(|text| Key::parse(text));
        fitting.find(|key| head.sealed(&text, key))
    };
    let sealed = Head::parse(&text).and_then(|head| key(&head).map(|key| (head, key)));
    Ok(match sealed {
        Some((head, key)) => End {
            epoch_key: epochs.of(head.segment).map(|epoch| epoch.key.clone()),
            stored: Stored::Valid(head),
            key: key.public().into(),
            ..beside
        },
        None => End {
            stored: Stored::Damaged,
            ..beside
        },
    })
}

/// Checks what `from` yields of one segment.
fn read(walk: &mut Walk, from: impl Read, progress: &mut dyn FnMut(u64)) -> io::Result<()> {
    /// How often the progress is told.
    const STEP: u64 = 8 << 20;
    let mut lines = Lines::new(from);
    let mut told = 0;
    loop {
        let offset = lines.offset();
        match lines.read_line()? {
            None => break,
            Some(Line::Whole(line)) => walk.line(line, offset),
            Some(Line::TooLong) => walk.malformed(offset, "it is longer than any record"),
            Some(Line::Rest(rest)) => walk.rest(rest, offset),
        }
        if lines.offset() - told >= STEP {
            told = lines.offset();
            progress(told);
        }
    }
    walk.read(lines.offset());
    Ok(())
}

/// Checks one segment in memory.
#[cfg(test)]
fn check(from: &[u8], end: End, expect: Option<Hash>) -> Report {
    let mut walk = Walk::new(end, expect, &[]);
    let epoch = tests::epoch();
    walk.enter(1, from.len() as u64, Some(&epoch));
    read(&mut walk, from, &mut |_| {}).unwrap();
    walk.finish(from.len() as u64)
}

#[cfg(test)]
mod attacks;
#[cfg(test)]
mod losses;
#[cfg(test)]
#[path = "../../tests/python/mod.rs"]
mod python;

#[cfg(test)]
mod tests;
