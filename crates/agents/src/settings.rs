//! How each agent is told about its hook.
//!
//! The places of an installed hook are written as absolute arguments: a repository can set an agent's environment, so no
//! variable may move what an installed hook uses.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::json::Json;
use crate::{Agent, claude, codex};

/// The file name of the hook program; an entry that runs a program of this name is ours.
pub const PROGRAM: &str = "tollgate-hook";

/// The event that the hook is installed for.
pub const EVENT: &str = "PreToolUse";

/// What an installed hook uses, as absolute paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The hook program.
    pub hook: String,
    /// The directory of the configuration.
    pub config: String,
    /// The directory of the ledger.
    pub state: String,
    /// The directory of the installed programs.
    pub data: String,
}

/// One entry below [`EVENT`]: a group with a matcher and one handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Which tools it is called for.
    pub matcher: &'static str,
    /// The handler's fields, in the order in which they are written.
    pub handler: Vec<(&'static str, Value)>,
}

/// The value of a handler's field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A string.
    Text(String),
    /// A list of strings.
    List(Vec<String>),
    /// A whole number.
    Number(u32),
}

impl Agent {
    /// The name that its maker gives it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
        }
    }

    /// The variable with which a person moves its settings folder.
    #[must_use]
    pub const fn folder_variable(self) -> &'static str {
        match self {
            Self::Claude => "CLAUDE_CONFIG_DIR",
            Self::Codex => "CODEX_HOME",
        }
    }

    /// Its settings folder below the home directory.
    #[must_use]
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Claude => ".claude",
            Self::Codex => ".codex",
        }
    }

    /// The file below its settings folder that holds hooks.
    #[must_use]
    pub const fn settings_file(self) -> &'static str {
        match self {
            Self::Claude => "settings.json",
            Self::Codex => "hooks.json",
        }
    }

    /// The file of a project that holds hooks of one person. Not the shared one: the paths in the entry are this
    /// machine's, and everybody else's calls would be blocked by them. Codex has none that runs without a second trust.
    #[must_use]
    pub const fn project_file(self) -> Option<&'static str> {
        match self {
            Self::Claude => Some(".claude/settings.local.json"),
            Self::Codex => None,
        }
    }

    /// How many seconds it waits for its hook, as the entry asks it to.
    #[must_use]
    pub const fn patience(self) -> u16 {
        match self {
            Self::Claude => 60,
            Self::Codex => 600,
        }
    }

    /// The entry that calls the hook for every tool.
    #[must_use]
    pub fn entry(self, places: &Places) -> Entry {
        match self {
            Self::Claude => claude::entry(places),
            Self::Codex => codex::entry(places),
        }
    }

    /// Whether a handler in its settings runs our hook.
    #[must_use]
    pub fn runs_us(self, handler: &Json) -> bool {
        let command = handler.get("command").and_then(Json::as_str).unwrap_or_default();
        let program = if handler.get("args").is_some() {
            command
        } else {
            first_word(command)
        };
        program.rsplit('/').next() == Some(PROGRAM)
    }
}

impl Entry {
    /// The handler as a value to compare with.
    #[must_use]
    pub fn handler_json(&self) -> Json {
        let field = |(name, value): &(&str, Value)| (String::from(*name), value.json());
        Json::Object(self.handler.iter().map(field).collect())
    }
}

impl Value {
    fn json(&self) -> Json {
        match self {
            Self::Text(text) => Json::String(text.clone()),
            Self::List(items) => Json::Array(items.iter().cloned().map(Json::String).collect()),
            Self::Number(n) => Json::Number((*n).into()),
        }
    }
}

/// The arguments that every entry hands to the hook.
pub(crate) fn arguments(agent: Agent, places: &Places) -> Vec<String> {
    let Places {
        hook: _,
        config,
        state,
        data,
    } = places;
    let words = [agent.as_str(), "--config", config, "--state", state, "--data", data];
    words.into_iter().map(String::from).collect()
}

/// A word that every shell reads as exactly this text.
pub(crate) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return String::from(word);
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The first word of a command line, out of its quotes.
fn first_word(command: &str) -> &str {
    let command = command.trim_start();
    match command.chars().next() {
        Some(quote @ ('\'' | '"')) => command.split(quote).nth(1).unwrap_or_default(),
        _ => command.split_ascii_whitespace().next().unwrap_or_default(),
    }
}
