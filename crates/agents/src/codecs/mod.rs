//! One file per agent: where the parts of its question stand, and the words that it understands.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::json::{self, Json, quote};
use crate::settings::{Hook, Places};
use crate::tools::{missing, string, wrong_type};
use crate::{Agent, Refusal, Reply};

pub(crate) mod claude;
pub(crate) mod cline;
pub(crate) mod codex;
pub(crate) mod copilot;
pub(crate) mod cursor;
pub(crate) mod droid;
pub(crate) mod gemini;
pub(crate) mod opencode;
pub(crate) mod qwen;
pub(crate) mod windsurf;

/// How one agent is spoken with.
pub(crate) struct Codec {
    /// The parts of what it wrote.
    pub(crate) read: fn(&Json) -> Result<Asked, Refusal>,
    /// The bytes that it takes for this opinion.
    pub(crate) say: fn(Opinion<'_>) -> Reply,
    /// What its settings say about us.
    pub(crate) hook: fn(Agent, &Places) -> Hook,
}

/// What is told to an agent. A reason is never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opinion<'r> {
    /// Its own rules go on.
    None,
    /// A person said yes.
    Allow(&'r str),
    /// A person has to be asked.
    Ask(&'r str),
    /// No.
    Deny(&'r str),
}

/// The parts of a question, under the same names whoever asks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) event: String,
    pub(crate) session: String,
    pub(crate) cwd: String,
    /// Empty where no tool is called.
    pub(crate) tool: String,
    /// The tool's input; absent where no tool is called.
    pub(crate) input: Option<Json>,
    /// Empty where the agent sends none.
    pub(crate) id: String,
    /// Empty where the agent sends none.
    pub(crate) mode: String,
    /// What a call came to; absent where the agent does not tell.
    pub(crate) result: Option<Json>,
    /// Why a call failed; empty where it did not.
    pub(crate) error: String,
    /// How long it took, in milliseconds.
    pub(crate) ms: Option<u64>,
    /// What a person said, or the file that was changed.
    pub(crate) words: String,
}

/// The names that Claude Code gave the parts, and others took over.
pub(crate) fn common(question: &Json) -> Result<Asked, Refusal> {
    Ok(Asked {
        event: string(question, "hook_event_name")?,
        session: string(question, "session_id")?,
        cwd: string(question, "cwd")?,
        tool: optional(question, "tool_name")?,
        input: question.get("tool_input").cloned(),
        id: optional(question, "tool_use_id")?,
        mode: optional(question, "permission_mode")?,
        result: question.get("tool_response").cloned(),
        error: told(question, "error"),
        ms: question.get("duration_ms").and_then(|ms| ms.text().parse().ok()),
        words: told(question, "prompt") + &told(question, "file_path"),
    })
}

/// A text that news may have: of another type it is none.
pub(crate) fn told(object: &Json, field: &str) -> String {
    object
        .get(field)
        .and_then(Json::as_str)
        .map(String::from)
        .unwrap_or_default()
}

/// A string, or nothing where the field is absent or null.
pub(crate) fn optional(object: &Json, field: &str) -> Result<String, Refusal> {
    match object.get(field) {
        None | Some(Json::Null) => Ok(String::new()),
        Some(_) => string(object, field),
    }
}

/// The first text of a list that must be there.
pub(crate) fn first(object: &Json, field: &str) -> Result<String, Refusal> {
    let value = object.get(field).ok_or_else(|| missing(field))?;
    let items = value.as_array().ok_or_else(|| wrong_type(field, value))?;
    let item = items.first().ok_or_else(|| missing(field))?;
    item.as_str().map(String::from).ok_or_else(|| wrong_type(field, item))
}

/// An input that some versions write as JSON within a text.
pub(crate) fn unpacked(field: &str, value: &Json) -> Result<Json, Refusal> {
    match value {
        Json::String(text) => json::parse_of(&format!("The field `{field}`"), text.as_bytes()),
        other => Ok(other.clone()),
    }
}

/// One JSON object on standard output, with exit 0.
pub(crate) fn object(fields: &[(&str, &str)]) -> Reply {
    let fields: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{}:{}", quote(name), quote(value)))
        .collect();
    Reply {
        stdout: format!("{{{}}}\n", fields.join(",")).into_bytes(),
        ..Reply::default()
    }
}
