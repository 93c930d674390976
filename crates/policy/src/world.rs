//! The questions that a judgement may ask about the machine.

use alloc::string::String;

/// What the world says. `Unknown` must never be read as harmless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<T> {
    /// It was looked at, and this is it.
    Known(T),
    /// It was looked at, and there is no such thing.
    Absent,
    /// It could not be looked at.
    Unknown,
}

/// What stands at a path, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// Anything else: a device, a socket, a pipe.
    Other,
}

/// The machine as a judgement sees it. Implemented by the broker for the real one, by tests from a table, by replay
/// from the answers kept in the record.
pub trait World {
    /// The home directory of the person, absolute, without a trailing slash.
    fn home(&self) -> &str;
    /// The login name of the person.
    fn user(&self) -> &str;
    /// A variable of the agent's environment. Only asked for variables that a command's meaning hangs on.
    fn var(&self, name: &str) -> Answer<String>;
    /// The path with every link of its longest existing part followed; `path` is absolute and lexically clean.
    fn real_path(&self, path: &str) -> Answer<String>;
    /// What stands at an absolute path, links followed.
    fn kind(&self, path: &str) -> Answer<FileKind>;
    /// Directories that belong to Tollgate itself (configuration, state, data), absolute. An agent may not write there.
    fn own_dirs(&self) -> &[String];
}

/// One question that was asked and its answer, kept in the record so that the judgement can be repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The path or variable.
    pub subject: String,
    /// What was looked at: `real_path`, `kind`, `var`.
    pub question: &'static str,
    /// The answer in words. Variables are recorded as `set`, `absent` or `unknown`, never with their value.
    pub answer: String,
}
