//! Pages of a log that hold zeros, as a loss of power leaves them where the system had not written them yet.
//!
//! Zeros alone show nothing: whoever can write here can write them too. What sets a loss apart is where they stand (whole
//! pages, behind the last record that was waited for, in the last records of one boot) and that the first append of the next
//! boot found them there and signed that. Zeros that come later were put there by somebody.

use crate::epochs::Epochs;
use crate::error::LedgerError;
use crate::files::Log;
use crate::folder::Folder;
use crate::head::Head;
use crate::lines::Link;

/// What the system writes at once. Larger pages are made of whole ones of these.
const PAGE: u64 = 4096;
/// How much of the end is looked through once in a boot. The system writes by itself what is older than half a minute.
const LOOK_BACK: u64 = 4 << 20;
/// What comes before the ranges in the sentence of a record.
const SAID: &str = "zeros stand in bytes ";

/// A line in which pages of zeros stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Zeros {
    /// The ranges, the first byte and the one behind the last.
    runs: Vec<(u64, u64)>,
    /// The last record before them.
    pub(crate) after: u64,
    /// A number of the caller's own.
    pub(crate) tag: usize,
    /// The first record behind them, once it was met.
    next: Option<u64>,
}

impl Zeros {
    /// Whether all of them are among these ranges.
    pub(crate) fn among(&self, named: &[(u64, u64)]) -> bool {
        self.runs.iter().all(|run| named.contains(run))
    }

    /// Whether a record stood there.
    pub(crate) fn hide(&self, seq: u64) -> bool {
        seq > self.after && self.next.is_some_and(|next| seq < next)
    }
}

/// Goes along the lines and keeps in mind the zeros that a loss of power could have left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    boot: String,
    /// The last record; `None` where reading began in the middle.
    seq: Option<u64>,
    open: Vec<Zeros>,
}

impl Scan {
    /// From behind a record on.
    pub(crate) fn after(seq: Option<u64>) -> Self {
        Self { seq, ..Self::default() }
    }

    /// A line that is no record. Says whether the zeros in it are such as a loss of power leaves.
    pub(crate) fn no_record(&mut self, line: &[u8], offset: u64, tag: usize) -> bool {
        let (Some(runs), Some(after)) = (runs(line, offset), self.seq) else {
            return false;
        };
        let next = None;
        self.open.push(Zeros { runs, after, tag, next });
        true
    }

    /// A record. Where it is the first of another boot, returns what it could tell about.
    pub(crate) fn record(&mut self, link: &Link<'_>) -> Vec<Zeros> {
        // Zeros between two records that follow each other have taken none away.
        if self.seq.is_some_and(|seq| link.seq <= seq.saturating_add(1)) {
            self.open.retain(|zeros| zeros.next.is_some());
        }
        let mut told = Vec::new();
        if !link.boot_id.is_empty() && *link.boot_id != *self.boot {
            told.clone_from(&self.open);
            // Those right before it can be of its own boot, and the loss be yet to come.
            self.open.retain(|zeros| zeros.next.is_none());
            self.boot = link.boot_id.to_string();
        }
        let next = Some(link.seq);
        self.open.iter_mut().for_each(|zeros| zeros.next = zeros.next.or(next));
        self.seq = Some(link.seq);
        // What was waited for took all that stood before it to the disk.
        if link.waited_for() {
            self.open.clear();
        }
        told
    }

    /// Another segment begins: all before was flushed.
    pub(crate) fn turn(&mut self) {
        self.open.clear();
    }

    /// What stands at the end with nothing behind it that was waited for, as far as nobody waited for it either.
    pub(crate) fn unflushed(self, flushed: u64) -> impl Iterator<Item = Zeros> {
        self.open.into_iter().filter(move |zeros| zeros.after >= flushed)
    }
}

/// The runs of zeros in a line, where each is made of whole pages, but for the rest of a page of which the beginning had been
/// written before. `None` where there is none, or another one.
fn runs(line: &[u8], offset: u64) -> Option<Vec<(u64, u64)>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(from) = line.get(at..)?.iter().position(|b| *b == 0).map(|n| at + n) {
        let length = line.get(from..)?.iter().position(|b| *b != 0);
        let to = length.map_or(line.len(), |n| from + n);
        let (start, end) = (offset + from as u64, offset + to as u64);
        if (start % PAGE != 0 && from != 0) || end % PAGE != 0 {
            return None;
        }
        found.push((start, end));
        at = to;
    }
    // A whole record that stands behind them on the same line, and that was waited for, was waited for with all before it.
    let waited = Link::parse(line.get(at..)?).is_some_and(|link| link.waited_for());
    (!found.is_empty() && !waited).then_some(found)
}

/// Whether the zeros of a line are such as a loss of power leaves.
pub(crate) fn are_pages(line: &[u8], offset: u64) -> bool {
    runs(line, offset).is_some()
}

/// Whether the machine was started anew since a head was written. Without that no power was lost.
pub(crate) fn stopped(head: &Head, boot: &str) -> bool {
    !boot.is_empty() && !head.boot.is_empty() && head.boot != boot
}

/// The zeros that the last boot has left in the open segment, as a sentence that [`named`] reads.
pub(crate) fn left_by_a_stop(
    folder: &Folder,
    log: &Log,
    head: &Head,
    boot: &str,
) -> Result<Option<String>, LedgerError> {
    if !stopped(head, boot) || head.flushed >= head.seq {
        return Ok(None);
    }
    let before = Epochs::read(folder)?.of(head.segment).map(|epoch| epoch.seq);
    let mut window = 64 << 10;
    loop {
        let from = log.len.saturating_sub(window);
        let (first, scan) = along(&log.read(from, log.len)?, from, before);
        if from > 0 && window < LOOK_BACK && first.is_none_or(|seq| seq > head.flushed) {
            window *= 4;
            continue;
        }
        let ranges: Vec<String> = scan
            .unflushed(head.flushed)
            .flat_map(|zeros| zeros.runs)
            .map(|(from, to)| format!("{from}-{to}"))
            .collect();
        return Ok((!ranges.is_empty()).then(|| {
            let ranges = ranges.join(", ");
            format!("The machine stopped before records that were let through had reached the disk: {SAID}{ranges}.")
        }));
    }
}

/// Goes along the bytes of a segment from `from` on; `before` is the last record before the segment. Returns the first record
/// met, too.
fn along(bytes: &[u8], from: u64, before: Option<u64>) -> (Option<u64>, Scan) {
    let mut scan = Scan::after(before.filter(|_| from == 0));
    let (mut first, mut at) = (None, from);
    for (nth, line) in bytes.split_inclusive(|b| *b == b'\n').enumerate() {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        // Where reading begins in the middle, the first line is a part of one.
        if nth > 0 || from == 0 {
            match Link::parse(text) {
                Some(link) => {
                    first = first.or(Some(link.seq));
                    let _of_another_boot = scan.record(&link);
                }
                None => {
                    let _named_by_verify = scan.no_record(text, at, 0);
                }
            }
        }
        at += line.len() as u64;
    }
    (first, scan)
}

/// The number of the last record before a place in a segment, as far as it is near; 0 where none is.
pub(crate) fn last_before(folder: &Folder, log: &Log, segment: u32, upto: u64) -> Result<u64, LedgerError> {
    let before = Epochs::read(folder)?.of(segment).map(|epoch| epoch.seq);
    let mut window = 64 << 10;
    loop {
        let from = upto.saturating_sub(window);
        let (_, scan) = along(&log.read(from, upto)?, from, before);
        if scan.seq.is_some() || from == 0 || window >= LOOK_BACK {
            return Ok(scan.seq.unwrap_or(0));
        }
        window *= 4;
    }
}

/// The ranges that the sentence of a record names.
pub(crate) fn named(note: &str) -> Vec<(u64, u64)> {
    let said = note.split_once(SAID).map_or("", |(_, rest)| rest);
    let ranges = said.split_once('.').map_or("", |(ranges, _)| ranges);
    let range = |text: &str| {
        let (from, to) = text.split_once('-')?;
        Some((from.parse().ok()?, to.parse().ok()?))
    };
    ranges.split(", ").filter_map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_pages_count_and_the_rest_of_one() {
        let line = |before: usize, zeros: usize, behind: usize| {
            [vec![b'x'; before], vec![0; zeros], vec![b'y'; behind]].concat()
        };
        assert_eq!(runs(&line(96, 4096, 9), 8096), Some(vec![(8192, 12288)]));
        assert_eq!(
            runs(&line(0, 4192, 9), 8096),
            Some(vec![(8096, 12288)]),
            "from a line's beginning on"
        );
        assert_eq!(runs(&line(0, 96, 9), 8096), Some(vec![(8096, 8192)]));
        assert_eq!(runs(&line(95, 4096, 9), 8096), None, "begins within a page");
        assert_eq!(runs(&line(96, 4095, 9), 8096), None, "ends within a page");
        assert_eq!(runs(&line(96, 0, 9), 8096), None, "no zeros");
        let two = [line(96, 4096, 4096), line(0, 8192, 1)].concat();
        assert_eq!(runs(&two, 8096), Some(vec![(8192, 12288), (16384, 24576)]));
    }

    #[test]
    fn ranges_are_read_back_from_a_sentence() {
        let note = format!("Before. It stopped: {SAID}8192-12288, 16384-24576. And 7 bytes more.");
        assert_eq!(named(&note), [(8192, 12288), (16384, 24576)]);
        assert_eq!(named("zeros"), []);
        assert_eq!(named(&format!("{SAID}x-9, 4-, 5")), []);
    }
}
