//! What is wanted.

use alloc::string::String;

use crate::Kind;

/// One thing that is wanted, before anybody has an opinion on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Which kind.
    pub kind: Kind,
    /// What it is about.
    pub subject: Subject,
    /// The absolute working directory in which it would happen, as the agent gave it.
    pub cwd: String,
}

/// What a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The text that a shell would run.
    Command(String),
    /// A file, as the agent named it (may be relative to the working directory or start with `~`).
    File {
        /// The path.
        path: String,
        /// True when the file would be removed or moved away.
        delete: bool,
        /// The new text, where the tool carries it.
        content: Option<String>,
    },
    /// A web address.
    Url(String),
    /// A tool by name, with its arguments as JSON text.
    Tool {
        /// The name that the agent uses.
        name: String,
        /// The arguments.
        input: String,
    },
}
