//! From a tool call to requests, by the tables of `rules/agents.toml`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use policy::{Kind, Request, Subject};

use crate::call::{clean, named};
use crate::carried;
use crate::json::Json;
use crate::settings::shell_word;
use crate::table::Table;
use crate::{Refusal, inline, patch, paths, typed};

/// One stanza.
pub(crate) struct Tool {
    pub(crate) names: &'static [&'static str],
    pub(crate) does: Does,
    pub(crate) optional: bool,
    /// Whether its input is about things of the agent's own, whatever its fields are called.
    pub(crate) apart: bool,
    /// The field with the folder in which a command runs; empty where there is none.
    pub(crate) folder: &'static str,
    /// Fields that widen what the tool may do.
    pub(crate) flags: &'static [&'static str],
}

/// What a tool does, and which field of its input says to what.
pub(crate) enum Does {
    Nothing,
    Command(&'static str),
    Each(&'static str),
    Typed(&'static str),
    Read(&'static [&'static str]),
    Write(&'static str, &'static [&'static str]),
    Delete(&'static str),
    Fetch(&'static str),
    Prose(&'static [&'static str]),
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
    /// Whether a tool runs commands.
    pub(crate) fn runs_commands(&self, name: &str) -> bool {
        let known = self.tools.iter().find(|tool| tool.names.contains(&name));
        known.is_some_and(|tool| matches!(tool.does, Does::Command(_) | Does::Each(_)))
    }

    /// Works out what the call of `name` with `input` wants.
    pub(crate) fn wanted(&self, name: &str, input: &Json, cwd: &str) -> Result<Wanted, Refusal> {
        let known = self.tools.iter().find(|tool| tool.names.contains(&name));
        let cwd = known.map_or(Ok(String::from(cwd)), |tool| tool.folder(input, cwd))?;
        let request = |kind, subject| Request {
            kind,
            subject,
            cwd: cwd.clone(),
        };
        let tool_call = || Subject::Tool {
            name: String::from(name),
            input: input.text(),
        };
        let mut wanted = Wanted::default();
        match known {
            Some(tool) => {
                let subjects = paths::read_as(self, tool.subjects(input)?)?;
                wanted.requests = subjects.into_iter().map(|(k, s)| request(k, s)).collect();
            }
            None if self.is_mcp(name) => wanted.requests.push(request(Kind::McpCall, tool_call())),
            None => {
                wanted.unknown = true;
                wanted.requests.push(request(Kind::ToolOther, tool_call()));
            }
        }
        if known.is_none_or(|tool| matches!(tool.does, Does::Nothing) && !tool.apart) {
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

    /// The field of a tool that takes its patch as it is written, in no field at all.
    pub(crate) fn patch_field(&self, name: &str) -> Option<&'static str> {
        match self.tools.iter().find(|tool| tool.names.contains(&name))?.does {
            Does::Patch(field) => Some(field),
            _ => None,
        }
    }

    fn is_mcp(&self, name: &str) -> bool {
        !self.mcp.is_empty() && name.starts_with(self.mcp)
    }
}

impl Tool {
    /// Where the call happens: in the folder that it names, from the working directory on.
    fn folder(&self, input: &Json, cwd: &str) -> Result<String, Refusal> {
        if self.folder.is_empty() || matches!(input.get(self.folder), None | Some(Json::Null)) {
            return Ok(String::from(cwd));
        }
        let folder = clean(self.folder, string(input, self.folder)?)?;
        Ok(match folder.as_str() {
            "" => String::from(cwd),
            absolute if absolute.starts_with('/') => folder,
            relative => format!("{}/{relative}", cwd.trim_end_matches('/')),
        })
    }

    /// Kinds and subjects of one call of a known tool.
    fn subjects(&self, input: &Json) -> Result<Vec<(Kind, Subject)>, Refusal> {
        let file = |path, delete, content| Subject::File { path, delete, content };
        let one = |kind, subject| Ok(Vec::from([(kind, subject)]));
        let run = |field, text| Ok((Kind::CommandRun, Subject::Command(clean(field, text)?)));
        match self.does {
            Does::Nothing => Ok(Vec::new()),
            Does::Command(field) => Ok(Vec::from([run(field, command(field, present(input, field)?)?)?])),
            Does::Each(field) => {
                let commands = each(input, field)?;
                commands.into_iter().map(|text| run(field, text)).collect()
            }
            Does::Typed(field) => {
                let readings = typed::readings(&string(input, field)?);
                readings.into_iter().map(|text| run(field, text)).collect()
            }
            Does::Read(fields) => {
                let mut found = Vec::new();
                for field in given(input, fields, self.optional)? {
                    let paths = paths(input, field)?.into_iter();
                    found.extend(paths.map(|path| (Kind::FileRead, file(path, false, None))));
                }
                Ok(found)
            }
            Does::Write(field, content) => {
                let text = new_text(input, content)?;
                one(Kind::FileWrite, file(path(field, &string(input, field)?)?, false, text))
            }
            Does::Delete(field) => one(Kind::FileWrite, file(path(field, &string(input, field)?)?, true, None)),
            Does::Fetch(field) => addresses(input, field),
            Does::Prose(fields) => {
                let mut found = Vec::new();
                for field in given(input, fields, self.optional)? {
                    let text = clean(field, string(input, field)?)?;
                    let connect = |url| (Kind::NetConnect, Subject::Url(String::from(url)));
                    found.extend(carried::links(&text).map(connect));
                }
                Ok(found)
            }
            Does::Patch(field) => {
                let changes = patch::read(&string(input, field)?)?;
                Ok(changes.into_iter().map(|subject| (Kind::FileWrite, subject)).collect())
            }
        }
    }
}

/// A field that must be there.
fn present<'j>(input: &'j Json, field: &str) -> Result<&'j Json, Refusal> {
    input.get(field).ok_or_else(|| missing(field))
}

/// Those of the fields that are given, where null is nothing. One has to be, unless the tool does without.
fn given(input: &Json, fields: &[&'static str], optional: bool) -> Result<Vec<&'static str>, Refusal> {
    let is_given = |field: &&&str| !matches!(input.get(field), None | Some(Json::Null));
    let given: Vec<&str> = fields.iter().filter(is_given).copied().collect();
    match fields.first() {
        Some(first) if given.is_empty() && !optional => Err(missing(first)),
        _ => Ok(given),
    }
}

/// The commands of a list; one that is no list counts as one. Cline takes a here-document whose lines stand in the list one
/// by one for one command, so commands with the sign of one are judged together too.
fn each(input: &Json, field: &str) -> Result<Vec<String>, Refusal> {
    let value = present(input, field)?;
    let items = match value.as_array() {
        Some([]) => return Err(wrong_type(field, value)),
        Some(items) => items,
        None => core::slice::from_ref(value),
    };
    let mut commands: Vec<String> = items
        .iter()
        .map(|item| command(field, item))
        .collect::<Result<_, _>>()?;
    if commands.len() > 1 && commands.iter().any(|text| text.contains("<<")) {
        commands.push(commands.join("\n"));
    }
    Ok(commands)
}

/// A command, also where an object holds it, alone or with its arguments: then it is one word, and no shell reads it.
fn command(field: &str, value: &Json) -> Result<String, Refusal> {
    let inner = value.get("command").unwrap_or(value);
    let text = command_text(inner).ok_or_else(|| wrong_type(field, value))?;
    let Some(args) = value.get("args").filter(|args| !matches!(args, Json::Null)) else {
        return Ok(text);
    };
    let words = match args.as_array() {
        Some([]) => String::new(),
        _ => command_text(args).ok_or_else(|| wrong_type(field, value))?,
    };
    let program = if inner.as_str().is_some() {
        shell_word(&text)
    } else {
        text
    };
    Ok(format!("{program} {words}"))
}

/// The files of a field: one, or a list of them, by themselves or as the `path` of an object.
fn paths(input: &Json, field: &'static str) -> Result<Vec<String>, Refusal> {
    let named = |value: &Json| {
        let value = value.get("path").unwrap_or(value);
        let text = value.as_str().ok_or_else(|| wrong_type(field, value))?;
        path(field, text)
    };
    let value = present(input, field)?;
    match value.as_array() {
        Some(items) => items.iter().map(named).collect(),
        None => Ok(Vec::from([named(value)?])),
    }
}

/// The addresses of a field: one, or the `url` of each object of a list.
fn addresses(input: &Json, field: &'static str) -> Result<Vec<(Kind, Subject)>, Refusal> {
    let connect = |value: &Json| {
        let value = value.get("url").unwrap_or(value);
        let text = value.as_str().ok_or_else(|| wrong_type(field, value))?;
        Ok((Kind::NetConnect, Subject::Url(clean(field, String::from(text))?)))
    };
    let value = present(input, field)?;
    match value.as_array() {
        Some(items) => items.iter().map(connect).collect(),
        None => Ok(Vec::from([connect(value)?])),
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
fn path(field: &'static str, text: &str) -> Result<String, Refusal> {
    let path = clean(field, String::from(text))?;
    if path.is_empty() {
        return Err(Refusal::new(
            "empty-path",
            format!("The field `{field}` names no file."),
        ));
    }
    Ok(path)
}

/// All new text that a call carries. `edits.new_string` reads `new_string` of every item of `edits`. `None` where the call
/// names none of its fields: what it writes then is not known.
fn new_text(input: &Json, fields: &[&'static str]) -> Result<Option<String>, Refusal> {
    let mut parts = Vec::new();
    for field in fields {
        match field.split_once('.') {
            None if input.get(field).is_none() => {}
            None => parts.push(string(input, field)?),
            Some((list, item)) => {
                let value = input.get(list).ok_or_else(|| missing(list))?;
                for entry in value.as_array().ok_or_else(|| wrong_type(list, value))? {
                    parts.push(string(entry, item)?);
                }
            }
        }
    }
    Ok((!parts.is_empty()).then(|| parts.join("\n")))
}

/// A field that must be there and must be a string.
pub(crate) fn string(object: &Json, field: &str) -> Result<String, Refusal> {
    let value = object.get(field).ok_or_else(|| missing(field))?;
    value.as_str().map(String::from).ok_or_else(|| wrong_type(field, value))
}

/// The refusal for a field that is not there.
pub(crate) fn missing(field: &str) -> Refusal {
    Refusal::new("missing-field", format!("{} is missing.", named(field)))
}

/// The refusal for a field of the wrong type.
pub(crate) fn wrong_type(field: &str, value: &Json) -> Refusal {
    Refusal::new("wrong-type", format!("{} is {}.", named(field), value.kind()))
}
