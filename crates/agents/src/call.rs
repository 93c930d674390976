//! What an agent asks.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use policy::Request;

use crate::codecs::Asked;
use crate::tools::{missing, wrong_type};
use crate::{Agent, News, Refusal, Role};
use crate::{json, news};

impl Agent {
    /// The agent of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.as_str() == name)
    }

    /// Names under which the agent's process runs.
    #[must_use]
    pub const fn programs(self) -> &'static [&'static str] {
        self.table().programs
    }

    /// Variables that the agent sets for everything it starts.
    #[must_use]
    pub const fn marks(self) -> &'static [&'static str] {
        self.table().marks
    }

    /// Whether it holds a call in that permission mode when its hook asks.
    #[must_use]
    pub fn holds_asks(self, permission_mode: &str) -> bool {
        self.table().asks.contains(&permission_mode)
    }

    /// Why an ask is told as a denial in that permission mode, as a clause; `None` where the agent holds the call.
    #[must_use]
    pub fn cannot_ask(self, permission_mode: &str) -> Option<String> {
        if self.holds_asks(permission_mode) {
            return None;
        }
        let title = self.title();
        Some(if self.table().asks.is_empty() {
            format!("{title} cannot ask a person on a hook's word")
        } else {
            format!("{title} does not hold a call for a question in its mode `{permission_mode}`")
        })
    }
}

/// One call of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who asks.
    pub agent: Agent,
    /// The agent's name for the moment: its questions want an opinion, everything else is news.
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
    /// What was told, where it is news that somebody asked for.
    pub news: Option<News>,
    /// The tool's input as JSON text with sorted keys: what a digest of the call is made from.
    pub input_digest_source: String,
}

impl Call {
    /// Whether the agent waits for an opinion.
    #[must_use]
    pub fn is_question(&self) -> bool {
        self.agent.table().questions.contains(&self.event.as_str()) || self.is_change()
    }

    /// Whether it tells that settings changed, and waits for an opinion about that.
    #[must_use]
    pub fn is_change(&self) -> bool {
        self.news.as_ref().is_some_and(|news| news.role == Role::Change) && !self.requests.is_empty()
    }
}

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
    let asked = (agent.codec().read)(&question)?;
    let mut call = Call {
        agent,
        event: word("the event", &asked.event)?,
        session: word("the session", &asked.session)?,
        cwd: directory(&asked.cwd)?,
        tool: String::new(),
        tool_use_id: clean("the call's id", asked.id.clone())?,
        permission_mode: clean("the permission mode", asked.mode.clone())?,
        requests: Vec::new(),
        unknown_tool: false,
        news: None,
        input_digest_source: String::new(),
    };
    if agent.table().questions.contains(&call.event.as_str()) {
        ask(&mut call, &asked)?;
    } else if !agent.table().events.contains(&call.event.as_str()) {
        return Err(Refusal::new(
            "unknown-event",
            format!("The event `{}` is not known.", call.event),
        ));
    } else {
        news::tell(&mut call, &asked)?;
    }
    Ok(call)
}

/// Fills in what only a question has: the tool and what it would take.
fn ask(call: &mut Call, asked: &Asked) -> Result<(), Refusal> {
    call.tool = word("the tool's name", &asked.tool)?;
    let input = asked.input.as_ref().ok_or_else(|| missing("the tool's input"))?;
    if input.as_object().is_none() {
        return Err(wrong_type("the tool's input", input));
    }
    let wanted = call.agent.table().wanted(&call.tool, input, &call.cwd)?;
    call.requests = wanted.requests;
    call.unknown_tool = wanted.unknown;
    call.input_digest_source = input.text();
    Ok(())
}

/// A clean text that is not empty.
fn word(what: &str, text: &str) -> Result<String, Refusal> {
    if text.is_empty() {
        return Err(missing(what));
    }
    clean(what, String::from(text))
}

/// The working directory, which must be absolute: everything relative hangs on it.
fn directory(cwd: &str) -> Result<String, Refusal> {
    let cwd = word("the working directory", cwd)?;
    if !cwd.starts_with('/') {
        return Err(Refusal::new("relative-cwd", "The working directory is not absolute."));
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
            format!("{} holds the control character U+{:04X}.", named(field), u32::from(c)),
        )),
    }
}

/// A field by its name, or a part by what it is, to begin a sentence with.
pub(crate) fn named(field: &str) -> String {
    match field.strip_prefix("the ") {
        Some(part) => format!("The {part}"),
        None => format!("The field `{field}`"),
    }
}
