//! How each agent is told about its hook.
//!
//! The places of an installed hook are written as absolute arguments: a repository can set an agent's environment, so no
//! variable may move what an installed hook uses.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::Agent;
use crate::json::Json;
use crate::table::{Form, Switch};

/// The file name of the hook program; an entry that runs a program of this name is ours.
pub const PROGRAM: &str = "tollgate-hook";

/// The argument of a hook for events that are no questions.
pub const NEWS: &str = "--news";

/// The argument of a hook that an administrator installs for everybody: its places are those of whoever runs it.
pub const EVERYBODY: &str = "--everybody";

/// What an installed hook uses, as absolute paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The hook program.
    pub hook: String,
    /// The directory of the configuration; empty in an entry for everybody, whose places are those of whoever runs it.
    pub config: String,
    /// The directory of the ledger.
    pub state: String,
    /// The directory of the installed programs.
    pub data: String,
}

/// What an agent's settings say about us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hook {
    /// A handler among others: its fields, in the order in which they are written.
    Handler(Vec<(&'static str, Value)>),
    /// A file of our own.
    File {
        /// All of it.
        text: String,
        /// Its permission bits.
        mode: u32,
    },
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
    /// Yes or no.
    Bool(bool),
}

impl Agent {
    /// The name that its maker gives it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.table().title
    }

    /// The variable with which a person moves its settings folder, and what the folder is called below the one that it
    /// names; empty where it names the folder itself.
    #[must_use]
    pub fn folder_variable(self) -> Option<(&'static str, &'static str)> {
        let moved_by = present(self.table().moved_by)?;
        Some(moved_by.split_once('/').unwrap_or((moved_by, "")))
    }

    /// Its settings folder below the home directory.
    #[must_use]
    pub const fn folder(self) -> &'static str {
        self.table().home
    }

    /// The file below its settings folder that holds hooks.
    #[must_use]
    pub const fn settings_file(self) -> &'static str {
        self.table().settings
    }

    /// The file of a project that holds hooks of one person. Not the shared one: the paths in the entry are this
    /// machine's, and everybody else's calls would be blocked by them.
    #[must_use]
    pub fn project_file(self) -> Option<&'static str> {
        present(self.table().project)
    }

    /// What the file with hooks is.
    #[must_use]
    pub const fn form(self) -> Form {
        self.table().form
    }

    /// Whether that file says `"version": 1`.
    #[must_use]
    pub const fn is_versioned(self) -> bool {
        self.table().version
    }

    /// The file of the administrator, where it has the form of the person's.
    #[must_use]
    pub fn managed_file(self) -> Option<&'static str> {
        present(self.table().managed).filter(|file| file.ends_with(".json"))
    }

    /// What an administrator's file has to say beside the entry, so that nobody's else switches hooks off.
    #[must_use]
    pub const fn pins(self) -> &'static [&'static str] {
        self.table().pins
    }

    /// Whether events stand at the top of that file, and not below `hooks`.
    #[must_use]
    pub const fn has_events_on_top(self) -> bool {
        self.table().top
    }

    /// Whether it reads past comments in that file.
    #[must_use]
    pub const fn reads_comments(self) -> bool {
        self.table().comments
    }

    /// The first event that the hook is installed for.
    #[must_use]
    pub fn event(self) -> &'static str {
        self.events().first().copied().unwrap_or_default()
    }

    /// The events that the hook is installed for, so that every call is asked about, and none twice.
    #[must_use]
    pub fn events(self) -> &'static [&'static str] {
        let questions = self.table().questions;
        if self.table().split {
            questions
        } else {
            questions.get(..1).unwrap_or_default()
        }
    }

    /// The text that matches every tool, where the form has one.
    #[must_use]
    pub fn matcher(self) -> Option<&'static str> {
        present(self.table().matcher)
    }

    /// How many seconds it waits for its hook, as the entry asks it to.
    #[must_use]
    pub const fn patience(self) -> u16 {
        self.table().patience
    }

    /// How hooks are switched off in a file.
    #[must_use]
    pub const fn switches(self) -> &'static [Switch] {
        self.table().switches
    }

    /// What no hook of this agent sees; empty where nothing is known.
    #[must_use]
    pub const fn gap(self) -> &'static str {
        self.table().gap
    }

    /// The version whose behaviour is known, or from where it is known.
    #[must_use]
    pub const fn seen(self) -> &'static str {
        self.table().seen
    }

    /// Whether our suite runs the real client; else it is known from its code or documentation alone.
    #[must_use]
    pub const fn is_driven(self) -> bool {
        self.table().driven
    }

    /// What its settings say about us.
    #[must_use]
    pub fn hook(self, places: &Places) -> Hook {
        (self.codec().hook)(self, places)
    }

    /// Whether a handler in its settings runs our hook.
    #[must_use]
    pub fn runs_us(self, handler: &Json) -> bool {
        let field = |name| handler.get(name).and_then(Json::as_str);
        let command = field("command").or_else(|| field("bash")).unwrap_or_default();
        let program = if handler.get("args").is_some() {
            command
        } else {
            first_word(unguarded(command))
        };
        program.rsplit('/').next() == Some(PROGRAM)
    }
}

impl Hook {
    /// The handler for events that are no questions. One that fails there must stop nothing: after a stop it would make the
    /// model go on for ever, and before a prompt Gemini CLI would not send it.
    #[must_use]
    pub fn hears(&self) -> Vec<(&'static str, Value)> {
        let Self::Handler(fields) = self else { return Vec::new() };
        let fields = fields
            .iter()
            .filter(|(name, _)| !matches!(*name, "onFailure" | "failClosed"));
        let mut fields: Vec<_> = fields.cloned().collect();
        let has_args = fields.iter().any(|(name, _)| *name == "args");
        for (name, value) in &mut fields {
            match (*name, value) {
                ("args", Value::List(args)) => args.push(String::from(NEWS)),
                ("command" | "bash", Value::Text(line)) if !has_args => {
                    *line = format!("{} {NEWS} 2>/dev/null || :", unguarded(line))
                }
                _ => {}
            }
        }
        fields
    }

    /// A handler as a value to compare with; null where the hook is a file.
    #[must_use]
    pub fn handler_json(&self) -> Json {
        let field = |(name, value): &(&str, Value)| (String::from(*name), value.json());
        match self {
            Self::Handler(fields) => Json::Object(fields.iter().map(field).collect()),
            Self::File { .. } => Json::Null,
        }
    }
}

impl Value {
    pub(crate) fn text(text: &str) -> Self {
        Self::Text(String::from(text))
    }

    fn json(&self) -> Json {
        match self {
            Self::Text(text) => Json::String(text.clone()),
            Self::List(items) => Json::Array(items.iter().cloned().map(Json::String).collect()),
            Self::Number(n) => Json::Number((*n).into()),
            Self::Bool(yes) => Json::Bool(*yes),
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
    let everybody = [agent.as_str(), EVERYBODY];
    let words = [agent.as_str(), "--config", config, "--state", state, "--data", data];
    let words = if config.is_empty() { &everybody[..] } else { &words };
    words.iter().copied().map(String::from).collect()
}

/// The hook as one line for a shell; every word is quoted.
pub(crate) fn command_line(agent: Agent, places: &Places) -> String {
    let words: Vec<String> = [places.hook.clone()]
        .into_iter()
        .chain(arguments(agent, places))
        .map(|word| shell_word(&word))
        .collect();
    words.join(" ")
}

/// Starts the program, and says no in its place where it fails, is killed or is not there: exit 2 with words on standard
/// error stops a call in every agent that listens to exit codes. In `sh`, because a person's own shell may be none.
const GUARD: &str =
    r#"/bin/sh -c '"$0" "$@" || { [ $? = 2 ] || echo "Tollgate refused this call: its hook failed." >&2; exit 2; }' "#;

/// The same line for an agent that takes a failed hook for a yes.
pub(crate) fn guarded_line(agent: Agent, places: &Places) -> String {
    format!("{GUARD}{}", command_line(agent, places))
}

/// A text of the table that stands there.
fn present(text: &'static str) -> Option<&'static str> {
    (!text.is_empty()).then_some(text)
}

/// A word that every shell reads as exactly this text.
pub(crate) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return String::from(word);
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// What a guard starts; the whole line where there is none.
fn unguarded(command: &str) -> &str {
    let script = command.strip_prefix("/bin/sh -c '");
    script
        .and_then(|rest| rest.split_once("' "))
        .map_or(command, |(_, line)| line)
}

/// The first word of a command line, out of its quotes.
fn first_word(command: &str) -> &str {
    let command = command.trim_start();
    match command.chars().next() {
        Some(quote @ ('\'' | '"')) => command.split(quote).nth(1).unwrap_or_default(),
        _ => command.split_ascii_whitespace().next().unwrap_or_default(),
    }
}
