//! What the input of a tool that nobody knows carries: commands, scripts and files, by the names of its fields.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use policy::{Kind, Subject};

use crate::Refusal;
use crate::call::clean;
use crate::json::Json;
use crate::settings::shell_word;
use crate::table::UNKNOWN;
use crate::tools::command_text;

/// Objects within the input are looked at this deep.
const DEEPEST: usize = 4;

/// Words of `[unknown]` in `rules/agents.toml`.
pub(crate) struct Unknown {
    pub(crate) commands: &'static [&'static str],
    pub(crate) arguments: &'static [&'static str],
    pub(crate) folders: &'static [&'static str],
    pub(crate) scripts: &'static [&'static str],
    pub(crate) queries: &'static [&'static str],
    pub(crate) databases: &'static [&'static str],
    pub(crate) runners: &'static [&'static str],
    pub(crate) languages: &'static [(&'static str, &'static str)],
    pub(crate) files: &'static [&'static str],
    pub(crate) targets: &'static [&'static str],
    pub(crate) deletes: &'static [&'static str],
    pub(crate) moves: &'static [&'static str],
    pub(crate) copies: &'static [&'static str],
    pub(crate) writes: &'static [&'static str],
    pub(crate) reads: &'static [&'static str],
}

/// What happens to the files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Delete,
    Move,
    Copy,
    Write,
    Read,
}

/// Kinds and subjects of what the input carries. `name` is the tool's, without the mark of MCP tools.
pub(crate) fn subjects(name: &str, input: &Json) -> Result<Vec<(Kind, Subject)>, Refusal> {
    let tool = Tool {
        all: words(name),
        // `server__tool`: what a server is called says what reads a script, not what happens to a file.
        verb: verb(&words(name.rsplit("__").next().unwrap_or(name))).unwrap_or(Verb::Read),
    };
    let mut found = Vec::new();
    tool.object(input, tool.verb, &mut found, 0)?;
    Ok(found)
}

struct Tool {
    all: Vec<String>,
    verb: Verb,
}

impl Tool {
    fn object(&self, object: &Json, verb: Verb, found: &mut Vec<(Kind, Subject)>, depth: usize) -> Result<(), Refusal> {
        let Some(fields) = object.as_object().filter(|_| depth < DEEPEST) else {
            return Ok(());
        };
        let of = |names: &[&str]| {
            fields
                .iter()
                .find(|(key, _)| names.contains(&plain(key).as_str()))
                .map(|(_, v)| v)
        };
        let word = of(UNKNOWN.commands).and_then(Json::as_str);
        let verb = word
            .and_then(|w| self::verb(&words(w)).filter(|_| is_word(w)))
            .unwrap_or(verb);
        let (arguments, folder) = (of(UNKNOWN.arguments), of(UNKNOWN.folders).and_then(Json::as_str));
        for (key, value) in fields {
            let key = plain(key);
            let one = UNKNOWN.commands.contains(&key.as_str());
            let many = key.strip_suffix('s').is_some_and(|key| UNKNOWN.commands.contains(&key));
            if one || many {
                for command in commands(value, many) {
                    push_command(&key, &whole(&command, arguments, folder), found)?;
                }
            } else if UNKNOWN.scripts.contains(&key.as_str())
                && let Some(script) = value
                    .as_str()
                    .and_then(|script| self.script(script, of(&["language", "lang"])))
            {
                push_command(&key, &whole(&script, arguments, folder), found)?;
            }
            if self.is_query(&key) {
                for query in texts(value) {
                    push_command(&key, &format!("psql -c {}", shell_word(query)), found)?;
                }
            }
            if key.ends_with("url") {
                for address in texts(value) {
                    found.extend(fetched(&key, address, verb)?);
                }
            }
            let target = UNKNOWN.targets.contains(&key.as_str());
            if target || UNKNOWN.files.contains(&key.as_str()) {
                for path in texts(value) {
                    found.extend(file(&key, path, target, verb)?);
                }
            }
            match value {
                Json::Object(_) => self.object(value, verb, found, depth + 1)?,
                Json::Array(items) => {
                    for item in items {
                        self.object(item, verb, found, depth + 1)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether the field holds statements for a database.
    fn is_query(&self, key: &str) -> bool {
        let database = || self.all.iter().any(|word| UNKNOWN.databases.contains(&word.as_str()));
        UNKNOWN.queries.contains(&key) && (key.contains("sql") || database())
    }

    /// The command that runs a script, where the tool runs any.
    fn script(&self, script: &str, language: Option<&Json>) -> Option<String> {
        if !self.all.iter().any(|word| UNKNOWN.runners.contains(&word.as_str())) {
            return None;
        }
        let language = language.and_then(Json::as_str).map(plain);
        let said = match &language {
            Some(language) => core::slice::from_ref(language),
            None => self.all.as_slice(),
        };
        let program = UNKNOWN
            .languages
            .iter()
            .find(|(word, _)| said.iter().any(|said| said == word))
            .map(|(_, program)| *program);
        match program {
            None => Some(String::from(script)),
            Some("") => None,
            Some(program) => Some(format!("{program} {}", shell_word(script))),
        }
    }
}

/// An address that a tool is given: a file where it names one, else somewhere to fetch from.
fn fetched(key: &str, address: &str, verb: Verb) -> Result<Option<(Kind, Subject)>, Refusal> {
    match address.strip_prefix("file:") {
        Some(path) => file(key, path.strip_prefix("//").unwrap_or(path), false, verb),
        None if address.contains("://") => Ok(Some((Kind::NetConnect, Subject::Url(clean(key, address.into())?)))),
        None => Ok(None),
    }
}

/// The addresses that stand in a text, without the marks around them.
pub(crate) fn links(text: &str) -> impl Iterator<Item = &str> {
    let apart = |c: char| c.is_whitespace() || "\"'<>()[]{},;`".contains(c);
    text.split(apart)
        .filter(|word| word.contains("://"))
        .map(|word| word.trim_end_matches(['.', '!', '?', ':']))
}

fn push_command(key: &str, command: &str, found: &mut Vec<(Kind, Subject)>) -> Result<(), Refusal> {
    let command = clean(key, String::from(command))?;
    found.push((Kind::CommandRun, Subject::Command(command)));
    Ok(())
}

/// The commands of a field: one text or argument vector, or many of them.
fn commands(value: &Json, many: bool) -> Vec<String> {
    match value {
        Json::Array(items) if many => items.iter().filter_map(command_text).collect(),
        _ => command_text(value).into_iter().collect(),
    }
}

/// The command with its arguments, in its folder.
fn whole(command: &str, arguments: Option<&Json>, folder: Option<&str>) -> String {
    let mut text = String::new();
    if let Some(folder) = folder.filter(|f| !f.is_empty()) {
        let (home, rest) = folder.strip_prefix("~/").map_or(("", folder), |rest| ("~/", rest));
        text.push_str(&format!("cd {home}{} && ", shell_word(rest)));
    }
    text.push_str(command);
    match arguments {
        Some(Json::String(more)) => {
            text.push(' ');
            text.push_str(more);
        }
        Some(value) => {
            if let Some(more) = command_text(value) {
                text.push(' ');
                text.push_str(&more);
            }
        }
        None => {}
    }
    text
}

/// A string, or those of a list.
fn texts(value: &Json) -> Vec<&str> {
    match value {
        Json::String(text) => Vec::from([text.as_str()]),
        Json::Array(items) => items.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    }
}

/// What happens to one file; `None` for text that names none.
fn file(key: &str, path: &str, target: bool, verb: Verb) -> Result<Option<(Kind, Subject)>, Refusal> {
    let path = match path.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file") => rest,
        Some(_) => return Ok(None),
        None => path,
    };
    let text = path.contains('\n') && !path.starts_with(['/', '~', '.']);
    if path.is_empty() || text {
        return Ok(None);
    }
    let path = clean(key, String::from(path))?;
    let delete = verb == Verb::Delete || verb == Verb::Move && !target;
    let reads = matches!(verb, Verb::Read | Verb::Copy) && !target;
    let kind = if reads { Kind::FileRead } else { Kind::FileWrite };
    let content = None;
    Ok(Some((kind, Subject::File { path, delete, content })))
}

/// What the words say, the strictest first.
fn verb(words: &[String]) -> Option<Verb> {
    let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let verbs = [
        (UNKNOWN.deletes, Verb::Delete),
        (UNKNOWN.moves, Verb::Move),
        (UNKNOWN.copies, Verb::Copy),
        (UNKNOWN.writes, Verb::Write),
        (UNKNOWN.reads, Verb::Read),
    ];
    verbs.into_iter().find(|(list, _)| says(list)).map(|(_, verb)| verb)
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A field's name in small letters, without `_` and `-`.
fn plain(key: &str) -> String {
    key.chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// The words of a tool's name, in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut small = false;
    for c in name.chars() {
        if (!c.is_alphanumeric() || c.is_uppercase() && small) && !word.is_empty() {
            words.push(core::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        small = c.is_lowercase() || c.is_ascii_digit();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
