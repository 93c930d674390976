//! The permission to start a program.

use std::path::{Path, PathBuf};

use ledger::Receipt;

/// A program of our own choosing that is started for a fixed purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// `codex app-server`, asked which hooks it sees.
    CodexAppServer,
    /// What a person names to take a checkpoint of the ledger.
    AnchorKeeper,
    /// `git`, to keep checkpoints of the ledger under a ref of its own.
    AnchorRef,
    /// This program again, for `doctor --live`: in a network of its own, where there can be one.
    Rehearsal,
    /// An agent's client, for `doctor --live`, in a home of its own and with a scripted model.
    Client,
}

impl Own {
    /// What is started, for the record.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CodexAppServer => "codex app-server",
            Self::AnchorKeeper => "log anchor --command",
            Self::AnchorRef => "log anchor --git",
            Self::Rehearsal => "doctor --live",
            Self::Client => "doctor --live: the client",
        }
    }
}

/// The permission to start one program once: recorded before it exists, used up by the runner, and made by nobody else.
///
/// ```compile_fail
/// let clearance = broker::Clearance { program: "/bin/sh".into(), receipt: todo!() };
/// ```
#[derive(Debug)]
#[must_use]
pub struct Clearance {
    program: PathBuf,
    receipt: Receipt,
}

impl Clearance {
    pub(crate) const fn new(program: PathBuf, receipt: Receipt) -> Self {
        Self { program, receipt }
    }

    /// The program that may be started.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The number of the record.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.receipt.seq()
    }
}
