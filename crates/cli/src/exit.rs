//! One table of exit codes for every command.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(
    dead_code,
    reason = "the table is whole; which rows are used depends on the commands"
)]
pub(crate) enum Exit {
    /// Done, allowed, clean; a warning too.
    Done = 0,
    /// Failed, or something was found.
    Failed = 1,
    /// A person has to decide first.
    Waiting = 10,
    /// Denied, or tampered with.
    Denied = 20,
    /// The command line is wrong.
    Usage = 64,
    /// The input data is wrong.
    Data = 65,
    /// There is no such input.
    NoInput = 66,
    /// A needed part is not there.
    Unavailable = 69,
    /// Reading or writing failed.
    Io = 74,
    /// It took too long.
    TimedOut = 124,
    /// Refused, or the configuration is broken; nothing ran.
    Refused = 125,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command could not do what it was asked: for people, one sentence and one hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The exit code.
    pub(crate) exit: Exit,
    /// What is wrong.
    pub(crate) sentence: String,
    /// What to do about it; empty where nothing can be said.
    pub(crate) hint: String,
}

impl Fault {
    /// A fault without a hint.
    pub(crate) fn new(exit: Exit, sentence: impl Into<String>) -> Self {
        Self {
            exit,
            sentence: sentence.into(),
            hint: String::new(),
        }
    }

    /// The same fault with a hint.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: hint.into(),
            ..self
        }
    }
}

impl From<broker::Error> for Fault {
    fn from(error: broker::Error) -> Self {
        let exit = match error {
            broker::Error::Ledger(_) => Exit::Io,
            broker::Error::NoHome | broker::Error::RelativePlace { .. } => Exit::Refused,
        };
        Self::new(exit, sentence(&error)).hint(error.hint())
    }
}

/// An error's words as a sentence.
pub(crate) fn sentence(error: &impl std::fmt::Display) -> String {
    let words = error.to_string();
    let mut chars = words.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).chain(['.']).collect()
}
