//! Turns `rules/agents.toml` into static tables, so that the hook parses no rules when it starts.

use std::error::Error;
use std::fmt::Write as _;
use std::{env, fs, path::Path};

const RULES: &str = "../../rules/agents.toml";

/// What a table says beside its tools. An unknown key is an error: it would be a belief that nobody holds.
const TEXTS: [&str; 11] = [
    "title", "seen", "home", "moved_by", "settings", "project", "matcher", "mcp", "gap", "says", "managed",
];
const LISTS: [&str; 9] = [
    "programs",
    "marks",
    "questions",
    "events",
    "asks",
    "patchers",
    "paths",
    "urls",
    "pins",
];
const OTHERS: [&str; 12] = [
    "split", "comments", "form", "proof", "version", "patience", "switches", "tool", "drive", "replay", "hears", "top",
];
/// What a table says about running the real client.
const DRIVE: [&str; 11] = [
    "program", "packages", "args", "before", "env", "files", "drop", "shell", "write", "read", "ends",
];
/// What only a page for people says.
const PAGE: [&str; 8] = [
    "open",
    "flags_off",
    "fails_open",
    "keys",
    "rewrite",
    "output",
    "resume",
    "stream",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={RULES}");
    println!("cargo::rerun-if-changed=build.rs");
    let rules: toml::Table = fs::read_to_string(RULES)?.parse()?;
    let mut out = String::new();
    let mut agents = Vec::new();
    for (name, rows) in &rules {
        let rows = rows.as_table().ok_or("an agent is a table")?;
        if name == "unknown" {
            unknown(&mut out, rows)?;
        } else {
            table(&mut out, name, rows)?;
            agents.push((name.as_str(), text(rows, "title")?));
        }
    }
    list_of_agents(&mut out, &agents)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("tables.rs"), out)?;
    Ok(())
}

/// The enum of all agents, each with its table and the file of its name.
fn list_of_agents(out: &mut String, agents: &[(&str, &str)]) -> Result<(), Box<dyn Error>> {
    writeln!(out, "/// The agents whose hooks are understood.")?;
    writeln!(
        out,
        "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\npub enum Agent {{"
    )?;
    for (name, title) in agents {
        writeln!(out, "    /// {title}.\n    {},", variant(name))?;
    }
    writeln!(out, "}}\n\nimpl Agent {{")?;
    writeln!(out, "    /// All of them, in the order in which they are shown.")?;
    let all: Vec<String> = agents
        .iter()
        .map(|(name, _)| format!("Self::{}", variant(name)))
        .collect();
    writeln!(
        out,
        "    pub const ALL: [Self; {}] = [{}];\n",
        all.len(),
        all.join(", ")
    )?;
    writeln!(
        out,
        "    /// The word used on command lines and in records.\n    #[must_use]"
    )?;
    arms(out, "pub const fn as_str(self) -> &'static str", agents, |name| {
        format!("{name:?}")
    })?;
    writeln!(out, "    /// What is known of it.")?;
    arms(
        out,
        "pub(crate) const fn table(self) -> &'static Table",
        agents,
        |name| format!("&{}", name.to_uppercase()),
    )?;
    writeln!(out, "    /// How it is spoken with.")?;
    arms(
        out,
        "pub(crate) const fn codec(self) -> &'static Codec",
        agents,
        |name| format!("&codecs::{name}::CODEC"),
    )?;
    writeln!(out, "}}")?;
    Ok(())
}

fn arms(
    out: &mut String,
    signature: &str,
    agents: &[(&str, &str)],
    value: impl Fn(&str) -> String,
) -> Result<(), Box<dyn Error>> {
    writeln!(out, "    {signature} {{\n        match self {{")?;
    for (name, _) in agents {
        writeln!(out, "            Self::{} => {},", variant(name), value(name))?;
    }
    writeln!(out, "        }}\n    }}\n")?;
    Ok(())
}

/// The name of the agent in the enum.
fn variant(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// One agent.
fn table(out: &mut String, name: &str, rows: &toml::Table) -> Result<(), Box<dyn Error>> {
    if let Some(key) = rows
        .keys()
        .find(|key| ![&TEXTS[..], &LISTS, &OTHERS, &PAGE].concat().contains(&key.as_str()))
    {
        return Err(format!("rules/agents.toml: `{name}` has the unknown key `{key}`").into());
    }
    writeln!(out, "/// What is known of `{name}`.")?;
    writeln!(out, "pub(crate) static {}: Table = Table {{", name.to_uppercase())?;
    for key in TEXTS {
        let absent = matches!(key, "project" | "matcher") && !rows.contains_key(key);
        writeln!(out, "    {key}: {:?},", if absent { "" } else { text(rows, key)? })?;
    }
    for key in LISTS {
        let absent = matches!(key, "paths" | "pins") && !rows.contains_key(key);
        writeln!(
            out,
            "    {key}: &{:?},",
            if absent { Vec::new() } else { list(rows, key)? }
        )?;
    }
    writeln!(out, "    form: Form::{},", variant(text(rows, "form")?))?;
    writeln!(out, "    driven: {},", text(rows, "proof")? == "driven")?;
    for key in ["version", "comments", "split", "top"] {
        writeln!(out, "    {key}: {},", flag(rows, key))?;
    }
    let patience = rows.get("patience").and_then(toml::Value::as_integer);
    writeln!(out, "    patience: {},", patience.ok_or("an agent has patience")?)?;
    writeln!(out, "    hears: &[")?;
    for line in list(rows, "hears")? {
        let (event, role) = line
            .split_once(' ')
            .ok_or("rules/agents.toml: what is heard is an event and what it is")?;
        if !list(rows, "events")?.contains(&event) {
            return Err(format!("rules/agents.toml: `{event}` is none of the events of `{name}`").into());
        }
        writeln!(out, "        ({event:?}, Role::{}),", variant(role))?;
    }
    writeln!(out, "    ],")?;
    writeln!(out, "    switches: &[")?;
    for line in list(rows, "switches")? {
        writeln!(out, "        {},", switch(line)?)?;
    }
    writeln!(out, "    ],\n    drive: {},", drive(rows)?)?;
    writeln!(out, "    replay: {},", replay(rows)?)?;
    writeln!(out, "    tools: &[")?;
    let tools = rows
        .get("tool")
        .and_then(toml::Value::as_array)
        .ok_or("an agent has tools")?;
    for tool in tools {
        writeln!(out, "        {},", stanza(tool.as_table().ok_or("a tool is a table")?)?)?;
    }
    writeln!(out, "    ],\n}};")?;
    Ok(())
}

/// How the real client is run; nothing where it cannot be.
fn drive(rows: &toml::Table) -> Result<String, Box<dyn Error>> {
    let Some(drive) = rows.get("drive").and_then(toml::Value::as_table) else {
        return Ok("None".into());
    };
    if let Some(key) = drive.keys().find(|key| !DRIVE.contains(&key.as_str())) {
        return Err(format!("rules/agents.toml: `drive` has the unknown key `{key}`").into());
    }
    let maybe = |key| {
        if drive.contains_key(key) {
            list(drive, key)
        } else {
            Ok(Vec::new())
        }
    };
    let tool = |key| match list(drive, key)?[..] {
        [tool, input] => Ok((tool, input)),
        _ => Err(format!("rules/agents.toml: `{key}` is a tool and its input")),
    };
    let files: Vec<(&String, &str)> = match drive.get("files").and_then(toml::Value::as_table) {
        Some(files) => files
            .iter()
            .map(|(path, _)| Ok((path, text(files, path)?)))
            .collect::<Result<_, String>>()?,
        None => Vec::new(),
    };
    Ok(format!(
        "Some(&Drive {{ program: {:?}, packages: &{:?}, args: &{:?}, before: &{:?}, env: &{:?}, files: &{files:?}, drop: &{:?}, \
         shell: {:?}, write: {:?}, read: {:?}, ends: {} }})",
        text(drive, "program")?,
        list(drive, "packages")?,
        list(drive, "args")?,
        maybe("before")?,
        list(drive, "env")?,
        maybe("drop")?,
        tool("shell")?,
        tool("write")?,
        tool("read")?,
        flag(drive, "ends"),
    ))
}

/// What its hook is asked in its place.
fn replay(rows: &toml::Table) -> Result<String, Box<dyn Error>> {
    let Some(replay) = rows.get("replay").and_then(toml::Value::as_table) else {
        return Ok("None".into());
    };
    let pairs: Option<Vec<(&str, &str)>> = list(replay, "blocked")?
        .into_iter()
        .map(|line| line.split_once(' '))
        .collect();
    Ok(format!(
        "Some(&Replay {{ question: {:?}, blocked: &{:?} }})",
        text(replay, "question")?,
        pairs.ok_or("rules/agents.toml: `blocked` is a field and its value")?
    ))
}

/// `PLACE FILE KEY = VALUE`, or `has` for a list.
fn switch(line: &str) -> Result<String, Box<dyn Error>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [place, file, key, how @ ("=" | "has"), value] = words[..] else {
        return Err(format!("rules/agents.toml: `{line}` is no switch").into());
    };
    Ok(format!(
        "Switch {{ place: Place::{}, file: {file:?}, key: {key:?}, list: {}, value: {value:?} }}",
        variant(place),
        how == "has"
    ))
}

/// The words of tools that nobody knows. They are compared in small letters, so they must be so here.
fn unknown(out: &mut String, rows: &toml::Table) -> Result<(), Box<dyn Error>> {
    writeln!(out, "/// What fields and names of unknown tools say.")?;
    writeln!(out, "pub(crate) static UNKNOWN: Unknown = Unknown {{")?;
    for key in [
        "commands",
        "arguments",
        "calls",
        "tools",
        "folders",
        "scripts",
        "queries",
        "databases",
        "runners",
        "shells",
        "files",
        "targets",
        "deletes",
        "moves",
        "copies",
        "writes",
        "reads",
    ] {
        let words = list(rows, key)?;
        let odd = |w: &&&str| w.bytes().any(|b| !b.is_ascii_lowercase());
        if let Some(word) = words.iter().find(odd) {
            return Err(format!("rules/agents.toml: `{word}` in `{key}` is not in small letters").into());
        }
        writeln!(out, "    {key}: &{words:?},")?;
    }
    let mut languages = Vec::new();
    for pair in list(rows, "languages")? {
        languages.push(
            pair.split_once('=')
                .ok_or("rules/agents.toml: a language is `word=program`")?,
        );
    }
    writeln!(out, "    languages: &{languages:?},\n}};")?;
    Ok(())
}

/// One stanza as a Rust expression. An unknown key is an error: it would be a rule that never holds.
fn stanza(tool: &toml::Table) -> Result<String, Box<dyn Error>> {
    let mut does = String::new();
    for key in tool.keys() {
        let name = match key.as_str() {
            "names" | "optional" | "apart" | "content" | "flags" | "folder" => continue,
            "write" => {
                write!(
                    does,
                    "Does::Write({:?}, &{:?})",
                    text(tool, key)?,
                    list(tool, "content")?
                )?;
                continue;
            }
            "read" | "prose" => {
                write!(does, "Does::{}(&{:?})", variant(key), texts(tool, key)?)?;
                continue;
            }
            "command" => "Command",
            "each" => "Each",
            "typed" => "Typed",
            "delete" => "Delete",
            "url" => "Fetch",
            "patch" => "Patch",
            other => return Err(format!("rules/agents.toml: unknown key `{other}`").into()),
        };
        write!(does, "Does::{name}({:?})", text(tool, key)?)?;
    }
    if does.is_empty() {
        does.push_str("Does::Nothing");
    }
    let flags = if tool.contains_key("flags") {
        list(tool, "flags")?
    } else {
        Vec::new()
    };
    let folder = if tool.contains_key("folder") {
        text(tool, "folder")?
    } else {
        ""
    };
    Ok(format!(
        "Tool {{ names: &{:?}, does: {does}, optional: {}, apart: {}, folder: {folder:?}, flags: &{flags:?} }}",
        list(tool, "names")?,
        flag(tool, "optional"),
        flag(tool, "apart"),
    ))
}

fn flag(table: &toml::Table, key: &str) -> bool {
    table.get(key).and_then(toml::Value::as_bool).unwrap_or(false)
}

fn text<'t>(table: &'t toml::Table, key: &str) -> Result<&'t str, String> {
    table
        .get(key)
        .and_then(toml::Value::as_str)
        .ok_or_else(|| format!("rules/agents.toml: `{key}` must be a text"))
}

/// One text, or a list of them.
fn texts<'t>(table: &'t toml::Table, key: &str) -> Result<Vec<&'t str>, String> {
    text(table, key).map_or_else(|_| list(table, key), |one| Ok(vec![one]))
}

fn list<'t>(table: &'t toml::Table, key: &str) -> Result<Vec<&'t str>, String> {
    let items = table
        .get(key)
        .and_then(toml::Value::as_array)
        .ok_or_else(|| format!("rules/agents.toml: no `{key}`"))?;
    items
        .iter()
        .map(|i| {
            i.as_str()
                .ok_or_else(|| format!("rules/agents.toml: `{key}` must hold texts"))
        })
        .collect()
}
