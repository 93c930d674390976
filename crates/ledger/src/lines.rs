//! Reading the log line by line, in constant memory whatever it holds.

use std::io::{self, Read};

use serde::Deserialize;

use crate::hash::Hash;
use crate::record::ChainEnd;

/// The longest line that is written or read, newline included.
pub const MAX_LINE: usize = 4 << 20;

/// What is read at a time.
const CHUNK: usize = 256 << 10;

/// One line of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A whole line, without its newline.
    Whole(&'a [u8]),
    /// A line longer than [`MAX_LINE`]; its bytes were skipped.
    TooLong,
    /// What stands after the last newline.
    Rest(&'a [u8]),
}

/// Where in the buffer a line stands.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    Whole { start: usize, length: usize },
    TooLong,
    Rest { start: usize, length: usize },
}

/// The lines of a reader.
pub struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    /// What of the buffer was handed out.
    used: usize,
    /// How far the buffer was searched for a newline.
    searched: usize,
    /// Where the next line starts in the whole input.
    offset: u64,
    ended: bool,
}

impl<R: Read> Lines<R> {
    /// Reads lines from `from`.
    pub const fn new(from: R) -> Self {
        Self {
            from,
            buffer: Vec::new(),
            used: 0,
            searched: 0,
            offset: 0,
            ended: false,
        }
    }

    /// Where the next line starts.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// When the reader fails.
    pub fn read_line(&mut self) -> io::Result<Option<Line<'_>>> {
        Ok(self.step()?.map(|step| self.line(step)))
    }

    /// Goes on to the next line.
    pub(crate) fn step(&mut self) -> io::Result<Option<Step>> {
        let mut skipping = false;
        loop {
            if let Some(length) = self.newline() {
                let start = self.advance(length + 1);
                let whole = Step::Whole { start, length };
                return Ok(Some(if skipping { Step::TooLong } else { whole }));
            }
            if self.ended {
                return Ok(self.rest(skipping));
            }
            if self.buffer.len() - self.used >= MAX_LINE {
                skipping = true;
                self.advance(self.buffer.len() - self.used);
            }
            self.fill()?;
        }
    }

    /// The line that was just gone on to.
    pub(crate) fn line(&self, step: Step) -> Line<'_> {
        let bytes = |start, length| self.buffer.get(start..start + length).unwrap_or_default();
        match step {
            Step::TooLong => Line::TooLong,
            Step::Whole { start, length } => Line::Whole(bytes(start, length)),
            Step::Rest { start, length } => Line::Rest(bytes(start, length)),
        }
    }

    /// The length of the line that starts at `used`, when its newline is in the buffer.
    fn newline(&mut self) -> Option<usize> {
        let fresh = self.buffer.get(self.searched..)?;
        match memchr::memchr(b'\n', fresh) {
            Some(at) => Some(self.searched + at - self.used),
            None => {
                self.searched = self.buffer.len();
                None
            }
        }
    }

    /// Hands out `n` bytes and returns where in the buffer they start.
    fn advance(&mut self, n: usize) -> usize {
        let start = self.used;
        self.used += n;
        self.searched = self.searched.max(self.used);
        self.offset += n as u64;
        start
    }

    fn rest(&mut self, skipping: bool) -> Option<Step> {
        let length = self.buffer.len() - self.used;
        let start = self.advance(length);
        match length {
            _ if skipping => Some(Step::TooLong),
            0 => None,
            _ => Some(Step::Rest { start, length }),
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.used);
        self.searched -= self.used;
        self.used = 0;
        let had = self.buffer.len();
        let read = self.from.by_ref().take(CHUNK as u64).read_to_end(&mut self.buffer)?;
        self.ended = read == 0;
        debug_assert_eq!(self.buffer.len(), had + read);
        Ok(())
    }
}

/// What a reader needs of a record to follow the chain. Other fields are skipped.
#[derive(Debug, Deserialize)]
pub(crate) struct Link<'a> {
    pub(crate) format: u32,
    pub(crate) seq: u64,
    #[serde(borrow)]
    prev: &'a str,
    #[serde(borrow)]
    pub(crate) time: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) kind: std::borrow::Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) verdict: std::borrow::Cow<'a, str>,
    #[serde(default)]
    pub(crate) mono_ns: u64,
    #[serde(borrow, default)]
    pub(crate) boot_id: std::borrow::Cow<'a, str>,
    #[serde(default)]
    pub(crate) clock_back: bool,
}

impl<'a> Link<'a> {
    /// Reads one line.
    pub(crate) fn parse(line: &'a [u8]) -> Option<Self> {
        serde_json::from_slice::<Self>(line)
            .ok()
            .filter(|link| link.prev().is_some())
    }

    /// Whether it was waited for until the disk held it, and all before it. What was only let through may not have been.
    pub(crate) fn waited_for(&self) -> bool {
        self.kind != "decision" || !matches!(&*self.verdict, "allow" | "warn")
    }

    /// The hash of the record before it; always there after [`Self::parse`].
    pub(crate) fn prev(&self) -> Option<Hash> {
        Hash::parse(self.prev)
    }
}

/// What a reader needs of a record about the end of a run's ledger.
#[derive(Debug, Deserialize)]
pub(crate) struct RunHead {
    pub(crate) run: String,
    pub(crate) chain: ChainEnd,
}

impl RunHead {
    /// Reads one line.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

/// What a reader needs of a record about the ledger itself.
#[derive(Debug, Deserialize)]
pub(crate) struct Mend {
    #[serde(default)]
    pub(crate) note: String,
    #[serde(default)]
    pub(crate) signature: String,
}

impl Mend {
    /// Reads one line.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<(u64, Option<Vec<u8>>, bool)> {
        let mut lines = Lines::new(bytes);
        let mut out = Vec::new();
        loop {
            let offset = lines.offset();
            match lines.read_line().unwrap() {
                None => return out,
                Some(Line::Whole(line)) => out.push((offset, Some(line.to_vec()), true)),
                Some(Line::Rest(rest)) => out.push((offset, Some(rest.to_vec()), false)),
                Some(Line::TooLong) => out.push((offset, None, true)),
            }
        }
    }

    #[test]
    fn lines_are_cut_at_newlines_whatever_the_chunk() {
        let long = vec![b'a'; CHUNK + 7];
        let mut bytes = b"x\n\n".to_vec();
        bytes.extend_from_slice(&long);
        bytes.extend_from_slice(b"\nrest");
        let lines = all(&bytes);
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[0], (0, Some(b"x".to_vec()), true));
        assert_eq!(lines[1], (2, Some(Vec::new()), true));
        assert_eq!(lines[2], (3, Some(long), true));
        assert_eq!(lines[3], (3 + CHUNK as u64 + 8, Some(b"rest".to_vec()), false));
    }

    #[test]
    fn an_endless_line_is_skipped_and_the_next_one_read() {
        let mut bytes = vec![b'a'; 3 * MAX_LINE];
        bytes.extend_from_slice(b"\nnext\n");
        let lines = all(&bytes);
        assert_eq!(lines[0], (0, None, true));
        assert_eq!(lines[1], (3 * MAX_LINE as u64 + 1, Some(b"next".to_vec()), true));
        assert_eq!(all(&vec![b'a'; MAX_LINE + 1]), [(0, None, true)]);
    }
}
