//! What the input of a tool that nobody knows carries: commands, scripts and files, by the names of its fields.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use policy::{Kind, Subject};

use crate::Refusal;
use crate::call::clean;
use crate::json::{self, Json};
use crate::patch;
use crate::settings::shell_word;
use crate::table::UNKNOWN;
use crate::tools::command_text;

/// Objects within the input, and in texts of it, are looked at this deep.
const DEEPEST: usize = 16;
/// A command is judged with this many folders and lists of arguments that stand beside it; further ones are refused.
const MOST_BESIDE: usize = 4;

/// Words of `[unknown]` in `rules/agents.toml`.
pub(crate) struct Unknown {
    pub(crate) commands: &'static [&'static str],
    pub(crate) arguments: &'static [&'static str],
    pub(crate) calls: &'static [&'static str],
    pub(crate) tools: &'static [&'static str],
    pub(crate) folders: &'static [&'static str],
    pub(crate) scripts: &'static [&'static str],
    pub(crate) queries: &'static [&'static str],
    pub(crate) databases: &'static [&'static str],
    pub(crate) runners: &'static [&'static str],
    pub(crate) shells: &'static [&'static str],
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
        let beside = Beside::of(fields, verb)?;
        for (key, value) in fields {
            let key = plain(key);
            self.commands(&key, value, &beside, found)?;
            if self.is_query(&key) {
                for query in texts(value) {
                    push_command(&key, &format!("psql -c {}", shell_word(query)), found)?;
                }
            }
            if key.ends_with("url") {
                for address in texts(value) {
                    found.extend(fetched(&key, address, beside.verb)?);
                }
            }
            let target = UNKNOWN.targets.contains(&key.as_str());
            if target || UNKNOWN.files.contains(&key.as_str()) {
                for path in texts(value) {
                    for path in beside.placed(path) {
                        let change = file(&key, &path, target, beside.verb)?;
                        let gone = change.as_ref().and_then(|(_, subject)| beside.gone(subject));
                        found.extend(change);
                        gone.map_or(Ok(()), |command| push_command(&key, &command, found))?;
                    }
                }
            }
            for text in texts(value) {
                self.patch(text, found)?;
            }
            self.within(&key, value, beside.verb, found, depth + 1)?;
        }
        Ok(())
    }

    /// What stands within a value: objects, lists of them, and the text of an object where a call of another tool is told.
    fn within(
        &self,
        key: &str,
        value: &Json,
        verb: Verb,
        found: &mut Vec<(Kind, Subject)>,
        depth: usize,
    ) -> Result<(), Refusal> {
        match value {
            Json::Object(_) => self.object(value, verb, found, depth),
            Json::Array(items) if depth < DEEPEST => items
                .iter()
                .try_for_each(|item| self.within(key, item, verb, found, depth + 1)),
            Json::String(text) if UNKNOWN.calls.contains(&key) && text.trim_start().starts_with('{') => {
                json::parse(text.as_bytes()).map_or(Ok(()), |packed| self.object(&packed, verb, found, depth))
            }
            _ => Ok(()),
        }
    }

    /// The commands and scripts of a field, with what stands beside them.
    fn commands(
        &self,
        key: &str,
        value: &Json,
        beside: &Beside<'_>,
        found: &mut Vec<(Kind, Subject)>,
    ) -> Result<(), Refusal> {
        let one = UNKNOWN.commands.contains(&key);
        let many = key.strip_suffix('s').is_some_and(|key| UNKNOWN.commands.contains(&key));
        let texts = if one || many {
            commands(value, many)
        } else if UNKNOWN.scripts.contains(&key) {
            value
                .as_str()
                .map_or_else(Vec::new, |script| self.scripts(script, &beside.languages))
        } else {
            Vec::new()
        };
        for text in &texts {
            for whole in beside.whole(text) {
                push_command(key, &whole, found)?;
            }
        }
        Ok(())
    }

    /// The files of a patch that stands in a text. A tool that is called after patches and gets one that cannot be read is
    /// refused; elsewhere such a text is just a text.
    fn patch(&self, text: &str, found: &mut Vec<(Kind, Subject)>) -> Result<(), Refusal> {
        if !text.contains(patch::BEGIN) {
            return Ok(());
        }
        match patch::read(text) {
            Ok(changes) => found.extend(changes.into_iter().map(|subject| (Kind::FileWrite, subject))),
            Err(refusal) if self.all.iter().any(|word| word == "patch") => return Err(refusal),
            Err(_) => {}
        }
        Ok(())
    }

    /// Whether the field holds statements for a database.
    fn is_query(&self, key: &str) -> bool {
        let database = || self.all.iter().any(|word| UNKNOWN.databases.contains(&word.as_str()));
        UNKNOWN.queries.contains(&key) && (key.contains("sql") || database())
    }

    /// The commands that run a script, where the tool runs any: as a field says in which language it is, and as the tool's
    /// name does. A program that reads its script one way whatever is said beside it must not be judged by that.
    fn scripts(&self, script: &str, said: &[String]) -> Vec<String> {
        if !self.all.iter().any(|word| UNKNOWN.runners.contains(&word.as_str())) {
            return Vec::new();
        }
        let mut commands: Vec<String> = Vec::new();
        let named = program(&self.all);
        for program in said.iter().map(|word| program(core::slice::from_ref(word))) {
            commands.extend(by(program, script));
        }
        if said.is_empty() || named.is_some() {
            commands.extend(by(named, script));
        }
        if self.all.iter().any(|word| UNKNOWN.shells.contains(&word.as_str())) {
            commands.push(String::from(script));
        }
        commands.sort();
        commands.dedup();
        commands
    }
}

/// The program that the words name for scripts; empty where the text is no business of ours.
fn program(words: &[String]) -> Option<&'static str> {
    let named = |word: &str| words.iter().any(|said| said == word);
    UNKNOWN
        .languages
        .iter()
        .find(|(word, _)| named(word))
        .map(|(_, program)| *program)
}

/// The command with which that program runs the script.
fn by(program: Option<&str>, script: &str) -> Option<String> {
    match program {
        None => Some(String::from(script)),
        Some("") => None,
        Some(program) => Some(format!("{program} {}", shell_word(script))),
    }
}

/// What stands beside the fields of an object and changes what they mean. A tool reads the field that it knows, so where
/// there are several of a kind each counts.
struct Beside<'j> {
    verb: Verb,
    arguments: Vec<&'j Json>,
    folders: Vec<&'j str>,
    languages: Vec<String>,
    target: Option<&'j str>,
}

impl<'j> Beside<'j> {
    fn of(fields: &'j BTreeMap<String, Json>, verb: Verb) -> Result<Self, Refusal> {
        let all = |names: &[&str]| {
            let named = fields.iter().filter(|(key, _)| names.contains(&plain(key).as_str()));
            named.map(|(_, value)| value).collect::<Vec<_>>()
        };
        let texts = |names: &[&str]| all(names).into_iter().filter_map(Json::as_str).collect::<Vec<_>>();
        let says = |word: &&str| is_word(word) && self::verb(&words(word)).is_some();
        let command = texts(UNKNOWN.commands).into_iter().find(says);
        // `{"name": "delete_file", "arguments": {..}}`: a call that another tool passes on.
        let passes_on = !all(UNKNOWN.calls).is_empty();
        let tool = texts(UNKNOWN.tools).into_iter().filter(|_| passes_on);
        let arguments = all(UNKNOWN.arguments);
        let arguments = arguments
            .into_iter()
            .filter(|value| has_words(value))
            .collect::<Vec<_>>();
        let folders = texts(UNKNOWN.folders);
        if arguments.len().max(folders.len()) > MOST_BESIDE {
            return Err(Refusal::new(
                "ambiguous",
                "The tool's input has too many fields for folders or arguments.",
            ));
        }
        let said = command.and_then(|word| self::verb(&words(word)));
        Ok(Self {
            verb: tool
                .filter_map(|name| self::verb(&words(name)))
                .next()
                .or(said)
                .unwrap_or(verb),
            arguments,
            folders: folders.into_iter().filter(|folder| !folder.is_empty()).collect(),
            target: texts(UNKNOWN.targets).into_iter().find(|target| !target.is_empty()),
            languages: texts(&["language", "lang"]).into_iter().map(plain).collect(),
        })
    }

    /// The command with each list of arguments, in each of the folders.
    fn whole(&self, command: &str) -> Vec<String> {
        let or_none = |n: usize| 0..n.max(1);
        let mut all = Vec::new();
        for folder in or_none(self.folders.len()) {
            for arguments in or_none(self.arguments.len()) {
                let (folder, arguments) = (self.folders.get(folder), self.arguments.get(arguments));
                all.push(whole(command, arguments.copied(), folder.copied()));
            }
        }
        all
    }

    /// The command that does the same, for what goes away: a tool for files takes folders, and all that is in them, too.
    fn gone(&self, subject: &Subject) -> Option<String> {
        match (subject, self.verb) {
            (Subject::File { path, delete: true, .. }, Verb::Delete) => Some(format!("rm -r -- {}", path_word(path))),
            (Subject::File { path, delete: true, .. }, _) => {
                let to = self.target.unwrap_or("moved");
                Some(format!("mv -- {} {}", path_word(path), path_word(to)))
            }
            _ => None,
        }
    }

    /// A path as it stands, and below each folder where it is relative.
    fn placed(&self, path: &str) -> Vec<String> {
        let mut all = Vec::from([String::from(path)]);
        if !path.starts_with(['/', '~']) && !path.contains("://") {
            let below = |folder: &&str| format!("{}/{path}", folder.trim_end_matches('/'));
            all.extend(self.folders.iter().map(below));
        }
        all
    }
}

/// Whether a value can be words behind a command.
fn has_words(value: &Json) -> bool {
    value.as_str().is_some() || command_text(value).is_some()
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
    if let Some(folder) = folder {
        text.push_str(&format!("cd {} && ", path_word(folder)));
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

/// A path as a word for a shell, in which a leading `~` is the home directory.
fn path_word(path: &str) -> String {
    match path.strip_prefix("~/") {
        _ if path == "~" => String::from("~"),
        Some("") => String::from("~/"),
        Some(rest) => format!("~/{}", shell_word(rest)),
        None => shell_word(path),
    }
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
