//! From a tool call to requests, by the tables of `rules/agents.toml`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use policy::{Kind, Request, Subject};

use crate::call::clean;
use crate::carried::{self, Unknown};
use crate::json::Json;
use crate::settings::shell_word;
use crate::{Refusal, inline, patch};

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// The tools of one agent.
pub(crate) struct Table {
    /// How the names of MCP tools start.
    mcp: &'static str,
    /// Programs that apply a patch which stands in the command.
    patchers: &'static [&'static str],
    /// Events that are no questions.
    pub(crate) events: &'static [&'static str],
    /// Permission modes in which an ask holds the call.
    pub(crate) asks: &'static [&'static str],
    /// Names under which the agent's process runs.
    pub(crate) programs: &'static [&'static str],
    /// Variables that the agent sets for what it starts.
    pub(crate) marks: &'static [&'static str],
    tools: &'static [Tool],
}

/// One stanza.
struct Tool {
    names: &'static [&'static str],
    does: Does,
    optional: bool,
    /// Fields that widen what the tool may do.
    flags: &'static [&'static str],
}

/// What a tool does, and which field of its input says to what.
enum Does {
    Nothing,
    Command(&'static str),
    Read(&'static str),
    Write(&'static str, &'static [&'static str]),
    Fetch(&'static str),
    Patch(&'static str),
}

/// What a tool call wants.
#[derive(Default)]
pub(crate) struct Wanted {
    /// The requests, in the order in which they would happen.
    pub(crate) requests: Vec<Request>,
    /// True when the tool is in no table.
    pub(crate) unknown: bool,
}

impl Table {
    /// Works out what the call of `name` with `input` wants.
    pub(crate) fn wanted(&self, name: &str, input: &Json, cwd: &str) -> Result<Wanted, Refusal> {
        let known = self.tools.iter().find(|tool| tool.names.contains(&name));
        let request = |kind, subject| Request {
            kind,
            subject,
            cwd: String::from(cwd),
        };
        let tool_call = || Subject::Tool {
            name: String::from(name),
            input: input.text(),
        };
        let mut wanted = Wanted::default();
        match known {
            Some(tool) => wanted.requests = tool.subjects(input)?.into_iter().map(|(k, s)| request(k, s)).collect(),
            None if name.starts_with(self.mcp) => wanted.requests.push(request(Kind::McpCall, tool_call())),
            None => {
                wanted.unknown = true;
                wanted.requests.push(request(Kind::ToolOther, tool_call()));
            }
        }
        if known.is_none_or(|tool| matches!(tool.does, Does::Nothing)) {
            let carried = carried::subjects(name.strip_prefix(self.mcp).unwrap_or(name), input)?;
            wanted
                .requests
                .extend(carried.into_iter().map(|(kind, subject)| request(kind, subject)));
        }
        for flag in known.map_or([].as_slice(), |tool| tool.flags) {
            if !matches!(input.get(flag), None | Some(Json::Null | Json::Bool(false))) {
                let subject = Subject::Tool {
                    name: format!("{name}({flag})"),
                    input: input.text(),
                };
                wanted.requests.push(request(Kind::ToolOther, subject));
            }
        }
        let mut patched = Vec::new();
        for request in &wanted.requests {
            if let Subject::Command(text) = &request.subject {
                patched.extend(inline::patches(text, &request.cwd, self.patchers)?);
            }
        }
        wanted.requests.extend(patched);
        Ok(wanted)
    }
}

impl Tool {
    /// Kinds and subjects of one call of a known tool.
    fn subjects(&self, input: &Json) -> Result<Vec<(Kind, Subject)>, Refusal> {
        let file = |path, content| Subject::File {
            path,
            delete: false,
            content,
        };
        let one = |kind, subject| Ok(Vec::from([(kind, subject)]));
        match self.does {
            Does::Nothing => Ok(Vec::new()),
            Does::Command(field) => {
                let value = input.get(field).ok_or_else(|| missing(field))?;
                let command = command_text(value).ok_or_else(|| wrong_type(field, value))?;
                one(Kind::CommandRun, Subject::Command(clean(field, command)?))
            }
            Does::Read(field) if self.optional && input.get(field).is_none() => Ok(Vec::new()),
            Does::Read(field) => one(Kind::FileRead, file(path(input, field)?, None)),
            Does::Write(field, content) => one(
                Kind::FileWrite,
                file(path(input, field)?, Some(new_text(input, content)?)),
            ),
            Does::Fetch(field) => one(Kind::NetConnect, Subject::Url(clean(field, string(input, field)?)?)),
            Does::Patch(field) => {
                let changes = patch::read(&string(input, field)?)?;
                Ok(changes.into_iter().map(|subject| (Kind::FileWrite, subject)).collect())
            }
        }
    }
}

/// The text that a shell would run: a string as it is, an argument vector quoted word by word.
pub(crate) fn command_text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Array(words) if !words.is_empty() => {
            let words: Option<Vec<String>> = words.iter().map(|w| w.as_str().map(shell_word)).collect();
            words.map(|words| words.join(" "))
        }
        _ => None,
    }
}

/// A path: a clean string that is not empty.
fn path(input: &Json, field: &'static str) -> Result<String, Refusal> {
    let path = clean(field, string(input, field)?)?;
    if path.is_empty() {
        return Err(Refusal::new(
            "empty-path",
            format!("The field `{field}` names no file."),
        ));
    }
    Ok(path)
}

/// All new text that a call carries. `edits.new_string` reads `new_string` of every item of `edits`.
fn new_text(input: &Json, fields: &[&'static str]) -> Result<String, Refusal> {
    let mut parts = Vec::new();
    for field in fields {
        match field.split_once('.') {
            None => parts.push(string(input, field)?),
            Some((list, item)) => {
                let value = input.get(list).ok_or_else(|| missing(list))?;
                for entry in value.as_array().ok_or_else(|| wrong_type(list, value))? {
                    parts.push(string(entry, item)?);
                }
            }
        }
    }
    Ok(parts.join("\n"))
}

/// A field that must be there and must be a string.
pub(crate) fn string(object: &Json, field: &str) -> Result<String, Refusal> {
    let value = object.get(field).ok_or_else(|| missing(field))?;
    value.as_str().map(String::from).ok_or_else(|| wrong_type(field, value))
}

/// The refusal for a field that is not there.
pub(crate) fn missing(field: &str) -> Refusal {
    Refusal::new("missing-field", format!("The question has no field `{field}`."))
}

/// The refusal for a field of the wrong type.
pub(crate) fn wrong_type(field: &str, value: &Json) -> Refusal {
    Refusal::new("wrong-type", format!("The field `{field}` is {}.", value.kind()))
}
