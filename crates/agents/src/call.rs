//! What an agent asks.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use policy::Request;

use crate::json::{self, Json};
use crate::tools::{Table, missing, string, wrong_type};
use crate::{Refusal, claude, codex};

/// The agents whose hooks are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
}

impl Agent {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 2] = [Self::Claude, Self::Codex];

    /// The agent of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.as_str() == name)
    }

    /// The word used on command lines and in records.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// Names under which the agent's process runs.
    #[must_use]
    pub const fn programs(self) -> &'static [&'static str] {
        self.tools().programs
    }

    /// Variables that the agent sets for everything it starts.
    #[must_use]
    pub const fn marks(self) -> &'static [&'static str] {
        self.tools().marks
    }

    /// Whether it holds a call in that permission mode when its hook asks.
    #[must_use]
    pub fn holds_asks(self, permission_mode: &str) -> bool {
        self.tools().asks.contains(&permission_mode)
    }

    /// Why an ask is told as a denial in that permission mode, as a clause; `None` where the agent holds the call.
    #[must_use]
    pub fn cannot_ask(self, permission_mode: &str) -> Option<String> {
        if self.holds_asks(permission_mode) {
            return None;
        }
        let title = self.title();
        Some(if self.tools().asks.is_empty() {
            format!("{title} cannot ask a person on a hook's word")
        } else {
            format!("{title} does not hold a call for a question in its mode `{permission_mode}`")
        })
    }

    const fn tools(self) -> &'static Table {
        match self {
            Self::Claude => claude::TOOLS,
            Self::Codex => codex::TOOLS,
        }
    }
}

/// One call of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who asks.
    pub agent: Agent,
    /// The agent's name for the moment: `PreToolUse` is a question, everything else is news.
    pub event: String,
    /// The agent's session.
    pub session: String,
    /// The absolute working directory.
    pub cwd: String,
    /// The tool, as the agent names it; empty where no tool is called.
    pub tool: String,
    /// The agent's id of this call; empty in versions that send none.
    pub tool_use_id: String,
    /// The agent's permission mode, as it names it; empty in versions that send none.
    pub permission_mode: String,
    /// What carrying the call out would take.
    pub requests: Vec<Request>,
    /// True when nobody has said what this tool does.
    pub unknown_tool: bool,
    /// The tool's input as JSON text with sorted keys: what a digest of the call is made from.
    pub input_digest_source: String,
}

impl Call {
    /// Whether the agent waits for an opinion.
    #[must_use]
    pub fn is_question(&self) -> bool {
        self.event == QUESTION
    }
}

/// The one event that can hold a call, in both agents.
const QUESTION: &str = "PreToolUse";

/// Reads what an agent wrote to its hook.
///
/// # Errors
/// A [`Refusal`] for everything that is not exactly one well-formed question: it must be answered with
/// [`crate::refuse`], because silence lets the call run.
pub fn read(agent: Agent, stdin: &[u8]) -> Result<Call, Refusal> {
    let question = json::parse(stdin)?;
    if question.as_object().is_none() {
        return Err(Refusal::new(
            "wrong-type",
            format!("The question is {}, not an object.", question.kind()),
        ));
    }
    let mut call = Call {
        agent,
        event: word(&question, "hook_event_name")?,
        session: word(&question, "session_id")?,
        cwd: directory(&question)?,
        tool: String::new(),
        tool_use_id: optional(&question, "tool_use_id")?,
        permission_mode: optional(&question, "permission_mode")?,
        requests: Vec::new(),
        unknown_tool: false,
        input_digest_source: String::new(),
    };
    if call.is_question() {
        ask(&mut call, &question)?;
    } else if !agent.tools().events.contains(&call.event.as_str()) {
        return Err(Refusal::new(
            "unknown-event",
            format!("The event `{}` is not known.", call.event),
        ));
    }
    Ok(call)
}

/// Fills in what only a question has: the tool and what it would take.
fn ask(call: &mut Call, question: &Json) -> Result<(), Refusal> {
    call.tool = word(question, "tool_name")?;
    let input = question.get("tool_input").ok_or_else(|| missing("tool_input"))?;
    if input.as_object().is_none() {
        return Err(wrong_type("tool_input", input));
    }
    let wanted = call.agent.tools().wanted(&call.tool, input, &call.cwd)?;
    call.requests = wanted.requests;
    call.unknown_tool = wanted.unknown;
    call.input_digest_source = input.text();
    Ok(())
}

/// A clean string that is not empty.
fn word(question: &Json, field: &str) -> Result<String, Refusal> {
    let text = clean(field, string(question, field)?)?;
    if text.is_empty() {
        return Err(Refusal::new("missing-field", format!("The field `{field}` is empty.")));
    }
    Ok(text)
}

/// A clean string, or nothing where the field is absent or null.
fn optional(question: &Json, field: &str) -> Result<String, Refusal> {
    match question.get(field) {
        None | Some(Json::Null) => Ok(String::new()),
        Some(_) => clean(field, string(question, field)?),
    }
}

/// The working directory, which must be absolute: everything relative hangs on it.
fn directory(question: &Json) -> Result<String, Refusal> {
    let cwd = word(question, "cwd")?;
    if !cwd.starts_with('/') {
        return Err(Refusal::new(
            "relative-cwd",
            "The working directory `cwd` is not absolute.",
        ));
    }
    Ok(cwd)
}

/// Passes text on unless it holds a control character other than tab and line ends. A NUL ends the text for the program
/// that runs it and not for the one that judges it; the others can hide text from the person who reads it.
pub(crate) fn clean(field: &str, text: String) -> Result<String, Refusal> {
    match text
        .chars()
        .find(|c| c.is_control() && !matches!(c, '\t' | '\n' | '\r'))
    {
        None => Ok(text),
        Some(c) => Err(Refusal::new(
            "control-character",
            format!(
                "The field `{field}` holds the control character U+{:04X}.",
                u32::from(c)
            ),
        )),
    }
}
