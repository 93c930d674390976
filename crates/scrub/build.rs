//! Turns `rules/secrets.toml` into static tables, so that nothing is read or compiled when the program starts.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use toml::{Table, Value};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let rules = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../rules/secrets.toml");
    println_for_cargo(&rules);
    let table: Table = fs::read_to_string(&rules)?.parse()?;
    let mut out = String::new();
    tokens(&mut out, list(&table, "token")?)?;
    names(
        &mut out,
        table.get("names").and_then(Value::as_table).ok_or("no [names]")?,
    )?;
    options(&mut out, list(&table, "option")?)?;
    commands(&mut out, "VERBS", list(&table, "verb")?)?;
    commands(&mut out, "INPUTS", list(&table, "stdin")?)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("tables.rs"), out)?;
    Ok(())
}

fn println_for_cargo(rules: &Path) {
    println!("cargo::rerun-if-changed={}", rules.display());
}

fn list<'a>(table: &'a Table, name: &str) -> Result<Vec<&'a Table>> {
    let items = table
        .get(name)
        .and_then(Value::as_array)
        .ok_or_else(|| format!("no [[{name}]]"))?;
    Ok(items.iter().filter_map(Value::as_table).collect())
}

fn text<'a>(table: &'a Table, name: &str) -> Result<&'a str> {
    let value = table.get(name).and_then(Value::as_str);
    Ok(value.ok_or_else(|| format!("no text `{name}` in {table}"))?)
}

fn texts<'a>(table: &'a Table, name: &str) -> Result<Vec<&'a str>> {
    let values = table
        .get(name)
        .and_then(Value::as_array)
        .ok_or_else(|| format!("no list `{name}`"))?;
    Ok(values.iter().filter_map(Value::as_str).collect())
}

/// One `[[token]]` becomes one entry a form. Entries are sorted by first byte, so that a form is looked for only where
/// its first byte stands.
fn tokens(out: &mut String, stanzas: Vec<&Table>) -> Result<()> {
    let mut forms = Vec::new();
    let mut examples = String::new();
    for stanza in stanzas {
        let id = text(stanza, "id")?;
        let flag = |name| stanza.get(name).and_then(Value::as_bool).unwrap_or_default();
        for form in texts(stanza, "forms")? {
            let mut parts = parts(form).map_err(|why| format!("form `{form}` of {id}: {why}"))?;
            let before = if matches!(parts.first(), Some(Part::Run(..))) {
                Some(parts.remove(0))
            } else {
                None
            };
            let Some(Part::Text(first)) = parts.first() else {
                return Err(format!("form `{form}` of {id} has no fixed text").into());
            };
            let first = first.bytes().next().unwrap_or_default();
            let before = before.map_or_else(|| String::from("None"), |p| format!("Some({})", p.run()));
            let parts: Vec<String> = parts.iter().map(Part::code).collect();
            forms.push((
                first,
                format!(
                    "Form {{ id: {id:?}, before: {before}, parts: &[{}], mixed: {}, inside: {} }},",
                    parts.join(", "),
                    flag("mixed"),
                    flag("inside")
                ),
            ));
        }
        writeln!(examples, "    ({id:?}, &{:?}),", texts(stanza, "example")?)?;
    }
    // Longer fixed texts first: `sk-ant-` before `sk-`.
    forms.sort_by_key(|(first, code)| (*first, std::cmp::Reverse(code.find("Run").unwrap_or(0))));
    writeln!(out, "pub(crate) static FORMS: &[Form] = &[")?;
    for (_, code) in &forms {
        writeln!(out, "    {code}")?;
    }
    writeln!(out, "];")?;
    writeln!(out, "/// Where in `FORMS` the forms of a first byte start and end.")?;
    writeln!(out, "pub(crate) static BY_FIRST: [(u8, u8); 128] = [")?;
    for byte in 0..128_u8 {
        let start = forms.partition_point(|(first, _)| *first < byte);
        let end = forms.partition_point(|(first, _)| *first <= byte);
        writeln!(out, "    ({}, {}),", u8::try_from(start)?, u8::try_from(end)?)?;
    }
    writeln!(out, "];")?;
    writeln!(
        out,
        "#[cfg(test)]\npub(crate) static EXAMPLES: &[(&str, &[&str])] = &[\n{examples}];"
    )?;
    Ok(())
}

enum Part {
    Text(String),
    Run(u128, usize, usize),
}

impl Part {
    fn code(&self) -> String {
        match self {
            Self::Text(text) => format!("Part::Text({text:?})"),
            Self::Run(..) => format!("Part::Run({})", self.run()),
        }
    }

    fn run(&self) -> String {
        match self {
            Self::Text(_) => String::new(),
            Self::Run(set, min, max) => format!("Run {{ set: {set}, min: {min}, max: {max} }}"),
        }
    }
}

/// Cuts a form into fixed texts and runs.
fn parts(form: &str) -> std::result::Result<Vec<Part>, &'static str> {
    let mut parts = Vec::new();
    let mut rest = form;
    while let Some(c) = rest.chars().next() {
        if c == '[' {
            let (class, after) = rest
                .get(1..)
                .and_then(|r| r.split_once("]{"))
                .ok_or("a run without length")?;
            let (length, after) = after.split_once('}').ok_or("a length without end")?;
            let (min, max) = length.split_once(',').unwrap_or((length, length));
            let number = |text: &str| text.parse::<usize>().map_err(|_| "a length that is no number");
            let max = if max.is_empty() {
                usize::from(u16::MAX)
            } else {
                number(max)?
            };
            parts.push(Part::Run(set(class)?, number(min)?, max));
            rest = after;
        } else if let Some(after) = rest.strip_prefix("={0,2}") {
            parts.push(Part::Run(1 << b'=', 0, 2));
            rest = after;
        } else {
            let end = rest.find('[').unwrap_or(rest.len());
            let end = rest.find("={").map_or(end, |at| at.min(end));
            let (fixed, after) = rest.split_at(end);
            parts.push(Part::Text(String::from(fixed)));
            rest = after;
        }
    }
    Ok(parts)
}

/// The characters of a class as bits. A `-` at the end stands for itself.
fn set(class: &str) -> std::result::Result<u128, &'static str> {
    let bytes = class.as_bytes();
    let mut set = 0;
    let mut at = 0;
    while let Some(first) = bytes.get(at) {
        let last = match (bytes.get(at + 1), bytes.get(at + 2)) {
            (Some(b'-'), Some(last)) => {
                at += 2;
                last
            }
            _ => first,
        };
        if !first.is_ascii() || !last.is_ascii() || first > last {
            return Err("a class that is not ASCII or runs backwards");
        }
        (*first..=*last).for_each(|b| set |= 1_u128 << b);
        at += 1;
    }
    Ok(set)
}

fn names(out: &mut String, table: &Table) -> Result<()> {
    for list in [
        "password",
        "secret",
        "pairs",
        "glued",
        "neutral",
        "never",
        "always",
        "headers",
        "schemes",
        "query",
        "plain",
        "prose",
        "assigned",
        "variables",
        "options",
        "stdin",
        "wrappers",
    ] {
        let values = texts(table, list)?;
        if let Some(bad) = values.iter().find(|v| **v != v.to_lowercase()) {
            return Err(format!("`{bad}` in `{list}` is not lowercase").into());
        }
        let name = match list {
            "options" => String::from("OPTION_NAMES"),
            "stdin" => String::from("STDIN_OPTIONS"),
            _ => list.to_uppercase(),
        };
        writeln!(out, "pub(crate) static {name}: &[&str] = &{values:?};")?;
    }
    Ok(())
}

fn options(out: &mut String, stanzas: Vec<&Table>) -> Result<()> {
    writeln!(out, "pub(crate) static OPTIONS: &[Choice] = &[")?;
    let mut examples = String::new();
    for stanza in stanzas {
        let how = match text(stanza, "how")? {
            "glued" => "Glued",
            "next" => "Next",
            "user" => "User",
            "percent" => "Percent",
            "prefixed" => "Prefixed",
            "pair" => "Pair",
            "comma" => "Comma",
            "value" => "Value",
            other => return Err(format!("`how = {other}` is not known").into()),
        };
        let after = stanza.get("only_after").and_then(Value::as_table);
        let after: Vec<(&str, &str)> = after
            .into_iter()
            .flatten()
            .filter_map(|(k, v)| Some((k.as_str(), v.as_str()?)))
            .collect();
        let (programs, flags) = (texts(stanza, "programs")?, texts(stanza, "flags")?);
        writeln!(
            out,
            "    Choice {{ programs: &{programs:?}, flags: &{flags:?}, how: How::{how}, only_after: &{after:?} }},"
        )?;
        writeln!(examples, "    &{:?},", texts(stanza, "example")?)?;
    }
    writeln!(
        out,
        "];\n#[cfg(test)]\npub(crate) static OPTION_EXAMPLES: &[&[&str]] = &[\n{examples}];"
    )?;
    Ok(())
}

/// Commands that take a secret as a word or from standard input.
fn commands(out: &mut String, name: &str, stanzas: Vec<&Table>) -> Result<()> {
    writeln!(out, "pub(crate) static {name}: &[Taker] = &[")?;
    let mut examples = String::new();
    for stanza in stanzas {
        let words: Vec<&str> = text(stanza, "words")?.split_whitespace().collect();
        let takes = words.iter().any(|w| w.contains('X') && !w.starts_with("-*"));
        if takes != (name == "VERBS") {
            return Err(format!("`words = {words:?}`: a verb has an X, what reads its input has none").into());
        }
        let after = stanza
            .get("after")
            .and_then(Value::as_str)
            .and_then(|a| a.bytes().next());
        writeln!(
            out,
            "    Taker {{ programs: &{:?}, words: &{words:?}, after: {after:?} }},",
            texts(stanza, "programs")?
        )?;
        writeln!(examples, "    &{:?},", texts(stanza, "example")?)?;
    }
    writeln!(
        out,
        "];\n#[cfg(test)]\npub(crate) static {name}_EXAMPLES: &[&[&str]] = &[\n{examples}];"
    )?;
    Ok(())
}
