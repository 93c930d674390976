//! Reading the stored lines of all segments, in order.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Take};
use std::path::Path;

use crate::error::LedgerError;
use crate::folder::Folder;
use crate::lines::{Line, Lines};

/// Where a record stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The segment, counted from 1.
    pub segment: u32,
    /// The first byte of its line in the segment's file.
    pub offset: u64,
}

/// The stored lines from some place to what is the end when they are opened. Appends go on meanwhile.
pub struct Records {
    folder: Folder,
    /// What is still to be read, the next one last.
    ahead: Vec<u32>,
    open: Option<Lines<Take<File>>>,
    segment: u32,
    /// Where in the open segment reading began.
    base: u64,
    place: Place,
}

impl Records {
    /// The next line; `None` at the end. An incomplete line at the end of a segment is a [`Line::Rest`].
    ///
    /// # Errors
    /// When a segment cannot be opened or read.
    pub fn read_line(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let offset = self.base + self.open.as_ref().map_or(0, Lines::offset);
            let step = match &mut self.open {
                Some(lines) => lines.step()?,
                None => None,
            };
            if let Some(step) = step {
                let segment = self.segment;
                self.place = Place { segment, offset };
                return Ok(self.open.as_ref().map(|lines| lines.line(step)));
            }
            let Some(next) = self.ahead.pop() else {
                return Ok(None);
            };
            self.enter(next, 0)?;
        }
    }

    /// Where the line stands that was read last.
    #[must_use]
    pub const fn place(&self) -> Place {
        self.place
    }

    /// Where the line after it will stand, as far as this segment goes.
    #[must_use]
    pub fn next_place(&self) -> Place {
        Place {
            segment: self.segment,
            offset: self.base + self.open.as_ref().map_or(0, Lines::offset),
        }
    }

    fn enter(&mut self, segment: u32, offset: u64) -> io::Result<()> {
        self.segment = segment;
        self.base = offset;
        self.open = None;
        if let Some(log) = self.folder.read_log(segment).map_err(io::Error::other)? {
            let rest = log.len.saturating_sub(offset);
            let mut file = log.into_file();
            file.seek(SeekFrom::Start(offset))?;
            self.open = Some(Lines::new(file.take(rest)));
        }
        Ok(())
    }
}

/// The stored lines of the ledger in `dir`, as they are; `None` where there is no ledger.
///
/// # Errors
/// When the ledger cannot be opened.
pub fn show(dir: &Path) -> Result<Option<Records>, LedgerError> {
    show_from(dir, Place::default())
}

/// The stored lines from `from` on, which has to be the beginning of a line.
///
/// # Errors
/// When the ledger cannot be opened.
pub fn show_from(dir: &Path, from: Place) -> Result<Option<Records>, LedgerError> {
    let Some(folder) = Folder::open(dir)? else {
        return Ok(None);
    };
    let mut ahead = folder.segments()?;
    ahead.retain(|segment| *segment >= from.segment);
    ahead.reverse();
    if ahead.is_empty() {
        return Ok(None);
    }
    let mut records = Records {
        folder,
        ahead,
        open: None,
        segment: 0,
        base: 0,
        place: from,
    };
    if records.ahead.last() == Some(&from.segment) {
        records.ahead.pop();
        let entered = records.enter(from.segment, from.offset);
        entered.map_err(LedgerError::io("read", dir))?;
    }
    Ok(Some(records))
}

/// The line that begins at `place`, without its newline; `None` where there is none.
///
/// # Errors
/// When the ledger cannot be opened or read.
pub fn line_at(dir: &Path, place: Place) -> Result<Option<Vec<u8>>, LedgerError> {
    let Some(mut records) = show_from(dir, place)? else {
        return Ok(None);
    };
    let line = records.read_line().map_err(LedgerError::io("read", dir))?;
    let line = match line {
        Some(Line::Whole(line)) => Some(line.to_vec()),
        _ => None,
    };
    Ok(line.filter(|_| records.place() == place))
}
