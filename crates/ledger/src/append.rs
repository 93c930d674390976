//! Writing one record.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::chain::Chain;
use crate::error::LedgerError;
use crate::folder::Folder;
use crate::hash::Hash;
use crate::head::{Condition, Head};
use crate::record::{ChainEnd, Event, Record};

/// How long an append waits for the lock: shorter than the hook's own deadline.
const WAIT: Duration = Duration::from_secs(3);
/// How long a segment becomes before the next one is begun.
const SEGMENT: u64 = 64 << 20;

/// What has to be on the disk before an append is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flush {
    /// All but what only lets something through: that is left to the system to write.
    #[default]
    Held,
    /// Every record.
    Full,
}

/// What happens to a request for whose record there is no space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFull {
    /// It is refused.
    #[default]
    Deny,
    /// A person is asked, where the asking itself could be recorded.
    Ask,
    /// It is refused, and so is whatever changes something from then on, until a person unlocks: [`Ledger::suspended`].
    Suspend,
}

/// A ledger by its place. Nothing is opened or made before the first append.
#[derive(Clone, Debug)]
pub struct Ledger {
    dir: PathBuf,
    wait: Duration,
    flush: Flush,
    segment: u64,
    on_full: OnFull,
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
            flush: Flush::default(),
            segment: SEGMENT,
            on_full: OnFull::default(),
        }
    }

    /// The own ledger of a supervised run, below the state folder `state`.
    #[must_use]
    pub fn of_run(state: &Path, run: &str) -> Self {
        Self::at(&runs(state).join(run))
    }

    /// Chains the end of a run's ledger into this one, so that nobody can change the run's without a trace here.
    ///
    /// # Errors
    /// As [`Self::append`], for either ledger.
    pub fn chain_run(&self, run: &str, of_run: &Self) -> Result<Receipt, LedgerError> {
        let end = crate::glance(of_run.dir())?;
        if !end.end.is_empty() {
            let path = of_run.dir().to_path_buf();
            return Err(LedgerError::Unsafe {
                path,
                why: "has an end that nothing vouches for",
            });
        }
        self.append(&Record {
            kind: Event::RunHead,
            run: run.into(),
            chain: Some(ChainEnd {
                seq: end.seq,
                head: end.head.hex(),
            }),
            version: env!("CARGO_PKG_VERSION").into(),
            ..Record::default()
        })
    }

    /// The same ledger with another longest wait for the lock.
    #[must_use]
    pub const fn waiting(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// The same ledger with another rule of what is flushed.
    #[must_use]
    pub const fn flushing(mut self, flush: Flush) -> Self {
        self.flush = flush;
        self
    }

    /// The same ledger with segments of another length in bytes.
    #[must_use]
    pub const fn in_segments_of(mut self, bytes: u64) -> Self {
        self.segment = bytes;
        self
    }

    /// The same ledger with another rule for a full disk.
    #[must_use]
    pub const fn on_full(mut self, on_full: OnFull) -> Self {
        self.on_full = on_full;
        self
    }

    /// Whether the disk was full, the rule for that is [`OnFull::Suspend`], and nobody has unlocked since. A ledger that
    /// cannot be read is not, since then there are no records either.
    #[must_use]
    pub fn suspended(&self) -> bool {
        let spent = || {
            let slot = Folder::open(&self.dir).ok()??.read_head().ok()??;
            Some(Head::parse(&slot.read().ok()?)?.condition == Condition::Spent)
        };
        self.on_full == OnFull::Suspend && spent() == Some(true)
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
        let mut folder = Folder::open_or_create(&self.dir)?;
        folder.lock(self.wait)?;
        let resumes = self.on_full != OnFull::Suspend;
        let mut chain = Chain::open(folder, resumes)?;
        let flush = self.flush == Flush::Full || record.must_reach_disk();
        match chain
            .turn_when_long(self.segment)
            .and_then(|()| chain.add(record, flush))
        {
            Ok(()) => Ok(receipt(&chain)),
            Err(error) if error.is_full() => {
                let verdict = if self.on_full == OnFull::Ask { "ask" } else { "deny" };
                let receipt = chain.refuse(record, verdict).then(|| receipt(&chain));
                let path = self.dir.clone();
                Err(LedgerError::Full { path, receipt })
            }
            Err(error) => Err(error),
        }
    }
}

/// Where the runs of a state folder are.
pub(crate) fn runs(state: &Path) -> PathBuf {
    state.join("runs")
}

fn receipt(chain: &Chain) -> Receipt {
    Receipt {
        seq: chain.head().seq,
        hash: chain.head().hash,
        read: chain.bytes_read(),
    }
}
