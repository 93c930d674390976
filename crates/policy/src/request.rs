//! What is wanted.

use alloc::string::String;

/// The kinds of request, each raised at a checkpoint that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A shell command.
    CommandRun,
    /// A file tool reads.
    FileRead,
    /// A file tool creates, changes or deletes.
    FileWrite,
    /// A web tool fetches.
    NetConnect,
    /// An MCP tool is called.
    McpCall,
    /// A tool whose meaning is not known.
    ToolOther,
}

impl Kind {
    /// The name in files and outputs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CommandRun => "command.run",
            Self::FileRead => "file.read",
            Self::FileWrite => "file.write",
            Self::NetConnect => "net.connect",
            Self::McpCall => "mcp.call",
            Self::ToolOther => "tool.other",
        }
    }
}

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
