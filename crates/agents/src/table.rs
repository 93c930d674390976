//! What is known of each agent, from `rules/agents.toml`.

use crate::carried::Unknown;
use crate::codecs::{self, Codec};
use crate::drive::{Drive, Replay};
use crate::news::Role;
use crate::tools::{Does, Tool};

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// One agent.
pub(crate) struct Table {
    /// The name that its maker gives it.
    pub(crate) title: &'static str,
    /// The version whose behaviour this is, or from where it is known.
    pub(crate) seen: &'static str,
    /// Whether the suite runs the real client.
    pub(crate) driven: bool,
    /// Names under which the agent's process runs.
    pub(crate) programs: &'static [&'static str],
    /// Variables that the agent sets for what it starts.
    pub(crate) marks: &'static [&'static str],
    /// Its settings folder below the home directory.
    pub(crate) home: &'static str,
    /// The variable with which a person moves that folder, and `/` and what stands below it; empty where there is none.
    pub(crate) moved_by: &'static str,
    /// The file below that folder which tells it about hooks.
    pub(crate) settings: &'static str,
    /// The same in a project; empty where there is none.
    pub(crate) project: &'static str,
    /// What that file is.
    pub(crate) form: Form,
    /// Whether each question is a kind of call of its own.
    pub(crate) split: bool,
    /// Whether it says `"version": 1`.
    pub(crate) version: bool,
    /// The file of the administrator; empty where none is known.
    pub(crate) managed: &'static str,
    /// Switches that this file has to pin.
    pub(crate) pins: &'static [&'static str],
    /// Whether events stand at the top of that file.
    pub(crate) top: bool,
    /// Whether it reads past comments in that file.
    pub(crate) comments: bool,
    /// The text that matches every tool; empty where the form has none.
    pub(crate) matcher: &'static str,
    /// Seconds that it waits for its hook.
    pub(crate) patience: u16,
    /// Events that wait for an opinion.
    pub(crate) questions: &'static [&'static str],
    /// Events that are no questions.
    pub(crate) events: &'static [&'static str],
    /// Permission modes in which an ask holds the call.
    pub(crate) asks: &'static [&'static str],
    /// How the names of MCP tools start; empty where nothing tells them apart.
    pub(crate) mcp: &'static str,
    /// Programs that apply a patch which stands in the command.
    pub(crate) patchers: &'static [&'static str],
    /// What its file tools make of a path before they use it.
    pub(crate) paths: &'static [&'static str],
    /// Events that it is installed for beside the questions, and what they are.
    pub(crate) hears: &'static [(&'static str, Role)],
    /// The field of an answer at the start of a session that a person is shown.
    pub(crate) says: &'static str,
    /// Variables that lead to another model's address, each with the hosts of the maker.
    pub(crate) urls: &'static [&'static str],
    /// How hooks are switched off in a file.
    pub(crate) switches: &'static [Switch],
    /// What no hook sees.
    pub(crate) gap: &'static str,
    /// How its real client is run.
    pub(crate) drive: Option<&'static Drive>,
    /// What its hook is asked where its client cannot be run.
    pub(crate) replay: Option<&'static Replay>,
    /// What its tools do.
    pub(crate) tools: &'static [Tool],
}

/// What a file that tells an agent about hooks is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON: a list of groups for each event, each with a matcher and handlers.
    Groups,
    /// JSON: a list of handlers for each event.
    Handlers,
    /// The file is the hook.
    File,
}

/// An entry of a file that switches hooks off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Below which folder.
    pub place: Place,
    /// The file.
    pub file: &'static str,
    /// The key, with dots between tables.
    pub key: &'static str,
    /// Whether the key holds a list that must not have the value, rather than the value.
    pub list: bool,
    /// The value, as it is written.
    pub value: &'static str,
}

/// Where a [`Switch`] stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Below the agent's settings folder.
    Home,
    /// Below a project's folder.
    Project,
    /// Anywhere; the file is an absolute path.
    Machine,
}
