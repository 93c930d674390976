//! Why a record could not be written or the ledger not be read.

use std::path::PathBuf;
use std::{error, fmt, io};

use crate::append::Receipt;

/// A failure of the ledger. Whoever gets one may not answer allow.
#[derive(Debug)]
pub enum LedgerError {
    /// An operation on a file failed: no space, read-only, not permitted, bad disk.
    Io {
        /// What was tried, as in "cannot `open` ...".
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The place cannot be trusted.
    Unsafe {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong with it, as in "it `belongs to another user`".
        why: &'static str,
    },
    /// Another process held the lock for too long.
    Busy {
        /// The locked directory.
        path: PathBuf,
    },
    /// The disk is full.
    Full {
        /// The ledger's folder.
        path: PathBuf,
        /// The record of kind `full` that names the request, where there was place for it.
        receipt: Option<Receipt>,
    },
    /// The system has no random bytes, so no key can be made.
    NoRandomness,
    /// The log is not what the machine once signed.
    Changed {
        /// The folder of the anchors.
        path: PathBuf,
        /// The last record that was signed.
        seq: u64,
        /// When.
        time: String,
    },
    /// The record is longer than a reader accepts.
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
}

impl LedgerError {
    /// What a person can do about it, one sentence.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Io { .. } => "Free space or correct the permissions, then run `tollgate log verify`.",
            Self::Unsafe { .. } => "Correct owner and permissions (0700 for the folder, 0600 for its files).",
            Self::Busy { .. } => "Look for a hung tollgate process, then try again.",
            Self::Full { .. } => "Free space, then try again.",
            Self::NoRandomness => "The system is not ready; try again.",
            Self::Changed { .. } => "Look at `tollgate log verify`, and keep the old checkpoints.",
            Self::TooLong { .. } => "Make the request shorter.",
        }
    }

    /// Whether the disk, or what the user may fill of it, is full.
    pub(crate) fn is_full(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        matches!(self, Self::Io { source, .. } if matches!(source.kind(), StorageFull | QuotaExceeded))
    }

    /// The failure of `action` on `path`, for `map_err`.
    pub(crate) fn io<'a>(action: &'static str, path: &'a std::path::Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| Self::Io {
            action,
            path: path.to_path_buf(),
            source,
        }
    }
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { action, path, source } => write!(f, "cannot {action} `{}`: {source}", path.display()),
            Self::Unsafe { path, why } => write!(f, "cannot trust `{}`: it {why}", path.display()),
            Self::Busy { path } => write!(f, "cannot lock `{}`: another process holds it", path.display()),
            Self::Full { path, .. } => write!(f, "cannot write to `{}`: the disk is full", path.display()),
            Self::NoRandomness => f.write_str("cannot make a key: the system has no random bytes"),
            Self::Changed { path, seq, time } => {
                let path = path.display();
                write!(
                    f,
                    "cannot sign in `{path}`: records up to {seq} are not those that were signed at {time}"
                )
            }
            Self::TooLong { bytes } => write!(f, "cannot record a request of {bytes} bytes"),
        }
    }
}

impl error::Error for LedgerError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
