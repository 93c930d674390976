//! Turns `rules/agents.toml` into static tables, so that the hook parses no rules when it starts.

use std::error::Error;
use std::fmt::Write as _;
use std::{env, fs, path::Path};

const RULES: &str = "../../rules/agents.toml";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={RULES}");
    println!("cargo::rerun-if-changed=build.rs");
    let rules: toml::Table = fs::read_to_string(RULES)?.parse()?;
    let mut out = String::new();
    for (agent, rows) in &rules {
        let rows = rows.as_table().ok_or("an agent is a table")?;
        if agent == "unknown" {
            unknown(&mut out, rows)?;
            continue;
        }
        writeln!(out, "/// Tools of `{agent}`.")?;
        writeln!(out, "pub(crate) static {}: Table = Table {{", agent.to_uppercase())?;
        writeln!(out, "    mcp: {:?},", text(rows, "mcp")?)?;
        for key in ["patchers", "events", "asks", "programs", "marks"] {
            writeln!(out, "    {key}: &{:?},", list(rows, key)?)?;
        }
        writeln!(out, "    tools: &[")?;
        for tool in rows
            .get("tool")
            .and_then(toml::Value::as_array)
            .ok_or("an agent has tools")?
        {
            writeln!(out, "        {},", stanza(tool.as_table().ok_or("a tool is a table")?)?)?;
        }
        writeln!(out, "    ],\n}};")?;
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("tables.rs"), out)?;
    Ok(())
}

/// The words of tools that nobody knows. They are compared in small letters, so they must be so here.
fn unknown(out: &mut String, rows: &toml::Table) -> Result<(), Box<dyn Error>> {
    writeln!(out, "/// What fields and names of unknown tools say.")?;
    writeln!(out, "pub(crate) static UNKNOWN: Unknown = Unknown {{")?;
    for key in [
        "commands",
        "arguments",
        "folders",
        "scripts",
        "queries",
        "databases",
        "runners",
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
        match key.as_str() {
            "names" | "optional" | "content" | "flags" => {}
            "command" => write!(does, "Does::Command({:?})", text(tool, key)?)?,
            "read" => write!(does, "Does::Read({:?})", text(tool, key)?)?,
            "write" => write!(
                does,
                "Does::Write({:?}, &{:?})",
                text(tool, key)?,
                list(tool, "content")?
            )?,
            "url" => write!(does, "Does::Fetch({:?})", text(tool, key)?)?,
            "patch" => write!(does, "Does::Patch({:?})", text(tool, key)?)?,
            other => return Err(format!("rules/agents.toml: unknown key `{other}`").into()),
        }
    }
    if does.is_empty() {
        does.push_str("Does::Nothing");
    }
    let optional = tool.get("optional").and_then(toml::Value::as_bool).unwrap_or(false);
    Ok(format!(
        "Tool {{ names: &{:?}, does: {does}, optional: {optional}, flags: &{:?} }}",
        list(tool, "names")?,
        if tool.contains_key("flags") {
            list(tool, "flags")?
        } else {
            Vec::new()
        }
    ))
}

fn text<'t>(table: &'t toml::Table, key: &str) -> Result<&'t str, String> {
    table
        .get(key)
        .and_then(toml::Value::as_str)
        .ok_or_else(|| format!("rules/agents.toml: `{key}` must be a text"))
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
