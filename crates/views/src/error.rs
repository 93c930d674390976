//! What can go wrong.

use std::fmt;
use std::io;
use std::path::PathBuf;

use ledger::LedgerError;

/// Why the ledger could not be shown.
#[derive(Debug)]
pub enum ViewError {
    /// The ledger could not be opened or read.
    Ledger(LedgerError),
    /// A line of it could not be read.
    Read(io::Error),
    /// What was made of it could not be written.
    Write(io::Error),
    /// The index could not be made or read.
    Index {
        /// Its file.
        path: PathBuf,
        /// What was said about it.
        why: String,
    },
}

impl ViewError {
    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Ledger(error) => error.hint(),
            Self::Read(_) => "`tollgate log verify` says more about the ledger.",
            Self::Write(_) => "What was written is not whole.",
            Self::Index { .. } => "The index is made from the ledger: its folder can be deleted.",
        }
    }
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ledger(error) => write!(f, "the ledger cannot be used: {error}"),
            Self::Read(error) => write!(f, "the ledger could not be read: {error}"),
            Self::Write(error) => write!(f, "the output could not be written: {error}"),
            Self::Index { path, why } => write!(f, "the index `{}` cannot be used: {why}", path.display()),
        }
    }
}

impl std::error::Error for ViewError {}

impl From<LedgerError> for ViewError {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}
