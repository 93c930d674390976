//! Open files of a ledger: a segment, and a small file of fixed length.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use crate::error::LedgerError;

/// More than any head or key file holds.
const SLOT_LIMIT: usize = 1024;

/// An open segment.
pub(crate) struct Log {
    file: File,
    path: PathBuf,
    /// Its length.
    pub(crate) len: u64,
    /// How many bytes were read of it.
    pub(crate) read: Cell<u64>,
}

impl Log {
    pub(crate) const fn new(file: File, len: u64, path: PathBuf) -> Self {
        let read = Cell::new(0);
        Self { file, path, len, read }
    }

    /// The file's name.
    pub(crate) fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// The bytes of a range that lies within the segment.
    pub(crate) fn read(&self, start: u64, end: u64) -> Result<Vec<u8>, LedgerError> {
        let mut bytes = vec![0; usize::try_from(end.saturating_sub(start)).unwrap_or_default()];
        let read = self.file.read_exact_at(&mut bytes, start);
        read.map_err(LedgerError::io("read", &self.path))?;
        self.read.set(self.read.get() + bytes.len() as u64);
        Ok(bytes)
    }

    /// Adds bytes at the end with one call. When that fails, what was written of them is cut off again; if that fails
    /// too, the next append finds a torn line.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), LedgerError> {
        if let Err(e) = self.file.write_all(bytes) {
            let _ = self.file.set_len(self.len);
            return Err(LedgerError::io("write", &self.path)(e));
        }
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Flushes the segment to the disk.
    pub(crate) fn sync(&self) -> Result<(), LedgerError> {
        self.file.sync_data().map_err(LedgerError::io("flush", &self.path))
    }

    /// Cuts off what stands behind `to`.
    pub(crate) fn truncate(&mut self, to: u64) -> Result<(), LedgerError> {
        self.file.set_len(to).map_err(LedgerError::io("cut", &self.path))?;
        self.len = to;
        Ok(())
    }

    /// The file from its start, for reading in a stream.
    pub(crate) fn into_file(self) -> File {
        self.file
    }
}

/// An open file that is written over in place: a rename would cost three calls more, and its few bytes lie in one sector,
/// which a disk writes as a whole or not at all.
pub(crate) struct Slot {
    file: File,
    path: PathBuf,
    len: u64,
}

impl Slot {
    pub(crate) const fn new(file: File, len: u64, path: PathBuf) -> Self {
        Self { file, path, len }
    }

    /// How long it was when it was opened, within what such a file may hold.
    pub(crate) fn len(&self) -> usize {
        usize::try_from(self.len).unwrap_or(SLOT_LIMIT).min(SLOT_LIMIT)
    }

    /// What it holds; of one that is too long the beginning.
    pub(crate) fn read(&self) -> Result<Vec<u8>, LedgerError> {
        let mut bytes = vec![0; SLOT_LIMIT];
        let mut filled = 0;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.file.read_at(rest, filled as u64) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(LedgerError::io("read", &self.path)(e)),
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    /// Writes over the old content.
    pub(crate) fn write(&self, text: &str) -> Result<(), LedgerError> {
        let write = self.file.write_all_at(text.as_bytes(), 0);
        write.map_err(LedgerError::io("write", &self.path))
    }

    /// Cuts off what stands behind the text: what was damaged may have been longer.
    pub(crate) fn cut(&self, text: &str) -> Result<(), LedgerError> {
        let cut = self.file.set_len(text.len() as u64);
        cut.map_err(LedgerError::io("cut", &self.path))
    }

    /// Flushes it to the disk.
    pub(crate) fn sync(&self) -> Result<(), LedgerError> {
        self.file.sync_all().map_err(LedgerError::io("flush", &self.path))
    }
}
