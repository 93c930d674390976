//! Why there is no decision.

use std::fmt;

use ledger::LedgerError;

/// A failure that leaves a request undecided. Whoever gets one has to refuse.
#[derive(Debug)]
pub enum Error {
    /// It is not known where settings and state are.
    NoHome,
    /// A place was named by a relative path.
    RelativePlace {
        /// Which place.
        name: &'static str,
        /// The path.
        path: String,
    },
    /// The decision could not be recorded.
    Ledger(LedgerError),
}

impl Error {
    /// What a person can do about it, one sentence.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::NoHome => {
                "Set HOME to the path of the home directory; TOLLGATE_HOME moves only Tollgate's own folders."
            }
            Self::RelativePlace { .. } => "Name it by an absolute path.",
            Self::Ledger(error) => error.hint(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHome => f.write_str("cannot find the home directory: HOME is not set to an absolute path"),
            Self::RelativePlace { name, path } => write!(f, "cannot use `{path}` as {name} folder: it is not absolute"),
            Self::Ledger(error) => write!(f, "cannot record the decision: {error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Ledger(error) => Some(error),
            _ => None,
        }
    }
}

impl From<LedgerError> for Error {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}
