//! Writing one record.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::LedgerError;
use crate::files::{Folder, Log};
use crate::hash::Hash;
use crate::head::{Head, Stored};
use crate::lines::MAX_LINE;
use crate::record::{self, Record};
use crate::recover;
use crate::stamp::Stamp;

/// How long an append waits for the lock: shorter than the hook's own deadline.
const WAIT: Duration = Duration::from_secs(3);

/// A ledger by its place. Nothing is opened or made before the first append.
#[derive(Clone, Debug)]
pub struct Ledger {
    dir: PathBuf,
    wait: Duration,
}

/// The proof that a record is in the ledger. Nothing else can make one, and without one nobody may answer allow.
#[derive(Debug)]
#[must_use]
pub struct Receipt {
    seq: u64,
    hash: Hash,
    read: u64,
}

impl Receipt {
    /// The record's sequence number.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }
    /// The record's hash: the head of the chain at that moment.
    #[must_use]
    pub const fn hash(&self) -> Hash {
        self.hash
    }
    /// How many bytes of the log were read to append the record.
    #[must_use]
    pub const fn bytes_read(&self) -> u64 {
        self.read
    }
}

impl Ledger {
    /// The ledger in the state folder `state`.
    #[must_use]
    pub fn at(state: &Path) -> Self {
        Self {
            dir: state.join("ledger"),
            wait: WAIT,
        }
    }

    /// The same ledger with another longest wait for the lock.
    #[must_use]
    pub const fn waiting(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// The folder of the ledger's files.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Adds a record.
    ///
    /// # Errors
    /// A [`LedgerError`] where the record may not be in the ledger, or not safely so.
    pub fn append(&self, record: &Record) -> Result<Receipt, LedgerError> {
        let folder = Folder::open_or_create(&self.dir)?;
        folder.lock(self.wait)?;
        let mut log = folder.log()?;
        let slot = folder.head()?;
        let mut stored = slot.read()?;
        if stored == Stored::Absent && log.len == 0 {
            // A head stands there before the first byte of the log does, so that no crash leaves a log without one:
            // where it is missing beside records, somebody took it away.
            slot.begin()?;
            folder.sync()?;
            stored = Stored::Valid(Head::GENESIS);
        }
        let (mut head, mend) = recover::end(&folder, &mut log, stored)?;
        let new = head == Head::GENESIS;
        if let Some(mend) = &mend {
            head = write(&mut log, &head, mend)?;
        }
        head = write(&mut log, &head, record)?;
        if mend.is_some() || record.must_reach_disk() {
            log.sync()?;
        }
        slot.write(&head)?;
        if stored == Stored::Damaged {
            slot.cut(&head)?;
        }
        if new {
            folder.sync()?;
        }
        Ok(Receipt {
            seq: head.seq,
            hash: head.hash,
            read: log.read.get(),
        })
    }
}

/// Writes one line after `head` and returns the head that it makes.
fn write(log: &mut Log, head: &Head, record: &Record) -> Result<Head, LedgerError> {
    let seq = head.seq + 1;
    // A record is plain strings and numbers; serde_json has no way to fail on it but running out of memory.
    let line = record::line(record, &Stamp::now(), seq, &head.hash).map_err(|_| LedgerError::TooLong { bytes: 0 })?;
    if line.len() > MAX_LINE {
        return Err(LedgerError::TooLong { bytes: line.len() });
    }
    let start = log.len;
    log.append(&line)?;
    let text = line.strip_suffix(b"\n").unwrap_or(&line);
    Ok(Head {
        seq,
        start,
        end: log.len,
        hash: Hash::of(text),
    })
}
