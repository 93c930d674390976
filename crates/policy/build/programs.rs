//! `rules/programs/*.toml`, `rules/settings.toml` and `rules/calls.toml`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

use crate::text::{conds, does, list, lit, mentioned, option_names, options, role, slots};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Where the facts were looked up.
    source: String,
    #[serde(default)]
    program: Vec<Program>,
}

impl Default for Names {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    name: Names,
    #[serde(default)]
    style: String,
    #[serde(default)]
    options: String,
    #[serde(default)]
    operands: String,
    #[serde(default)]
    alternates: Vec<String>,
    #[serde(default)]
    does: Vec<String>,
    #[serde(default)]
    stdin: Vec<String>,
    /// `LABEL [when CONDS]` or `filter NAME`; the first whose conditions hold counts.
    #[serde(default)]
    stdout: Names,
    #[serde(default)]
    class: String,
    /// `command => text that one of its effects contains`, run as tests.
    #[serde(default)]
    examples: Vec<String>,
    #[serde(default)]
    sub: Vec<Program>,
}

pub(crate) fn generate(files: &[(String, String)], settings: &(String, String), calls: &(String, String)) -> String {
    let mut programs = String::new();
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    let mut examples = Vec::new();
    let mut count = 0;
    for (name, text) in files {
        let file: File = toml::from_str(text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(!file.source.is_empty(), "{name}: say where the facts are from");
        for program in file.program {
            let place = format!("{name}: {}", names(&program.name).join("/"));
            writeln!(
                programs,
                "static P{count}: Program = {};",
                one(&program, &place, &[], &mut examples)
            )
            .unwrap();
            for n in names(&program.name) {
                assert!(
                    index.insert(n.clone(), count).is_none(),
                    "{place}: `{n}` is described twice"
                );
            }
            count += 1;
        }
    }
    let rows: Vec<String> = index.iter().map(|(n, i)| format!("({}, &P{i})", lit(n))).collect();
    writeln!(
        programs,
        "/// All programs by name, sorted.\npub(crate) static PROGRAMS: &[(&str, &Program)] = &[{}];",
        rows.join(", ")
    )
    .unwrap();
    writeln!(
        programs,
        "#[cfg(test)]\npub(crate) static EXAMPLES: &[(&str, &str)] = &[{}];",
        examples.join(", ")
    )
    .unwrap();
    programs
        + &role_tables("SETTINGS", "Settings that run something, by table.", settings)
        + &role_tables(
            "CALLS",
            "Calls of programming languages that do something, by language.",
            calls,
        )
}

fn names(names: &Names) -> Vec<String> {
    match names {
        Names::One(n) => vec![n.clone()],
        Names::Many(n) => n.clone(),
    }
}

/// A condition on an option that nobody declared could never hold.
fn check_options(program: &Program, place: &str, inherited: &[String]) -> Vec<String> {
    let mut declared = inherited.to_vec();
    declared.extend(option_names(&program.options));
    let lines = program.does.iter().chain(&program.alternates).chain(&program.stdin);
    for name in lines.flat_map(|l| mentioned(l)) {
        assert!(
            declared.contains(&name),
            "{place}: `{name}` is used in a condition but is not among the options"
        );
    }
    declared
}

fn one(program: &Program, place: &str, inherited: &[String], examples: &mut Vec<String>) -> String {
    let declared = check_options(program, place, inherited);
    let style = match program.style.as_str() {
        "" | "gnu" => "Gnu",
        "abbreviated" => "Abbreviated",
        "posix" => "Posix",
        "long" => "Long",
        "pairs" => "Pairs",
        "bundle" => "Bundle",
        "plain" => "Plain",
        other => panic!("{place}: no style is called `{other}`"),
    };
    for example in &program.examples {
        let (command, effect) = example
            .split_once(" => ")
            .unwrap_or_else(|| panic!("{place}: `{example}` is not `command => effect`"));
        examples.push(format!("({}, {})", lit(command), lit(effect)));
    }
    let alternates: Vec<String> = program.alternates.iter().map(|a| alternate(a, place)).collect();
    let stdin: Vec<String> = program.stdin.iter().map(|s| stdin_row(s, place)).collect();
    let stdout: Vec<String> = names(&program.stdout).iter().map(|s| stdout_row(s, place)).collect();
    let acts: Vec<String> = program
        .does
        .iter()
        .flat_map(|d| either(d))
        .map(|d| does(&d, place))
        .collect();
    let subs: Vec<String> = program
        .sub
        .iter()
        .map(|s| one(s, &format!("{place} {}", names(&s.name).join("/")), &declared, examples))
        .collect();
    format!(
        "Program {{ names: {}, style: Style::{style}, options: {}, operands: {}, alternates: &[{}], subs: &[{}], does: &[{}], stdin: &[{}], stdout: &[{}], class: {} }}",
        list(&names(&program.name)),
        options(&program.options, place),
        slots(&program.operands, place),
        alternates.join(", "),
        subs.join(", "),
        acts.join(", "),
        stdin.join(", "),
        stdout.join(", "),
        lit(&program.class),
    )
}

/// `X when A or B` is two rows.
fn either(row: &str) -> Vec<String> {
    match row.split_once(" when ") {
        Some((head, when)) => when.split(" or ").map(|w| format!("{head} when {w}")).collect(),
        None => vec![row.to_owned()],
    }
}

/// `CONDS => SLOTS`
fn alternate(text: &str, place: &str) -> String {
    let (when, then) = text
        .split_once("=>")
        .unwrap_or_else(|| panic!("{place}: `{text}` is not `conditions => operands`"));
    format!("({}, {})", conds(when.trim(), place), slots(then, place))
}

/// `ROLE [when CONDS]`
fn stdin_row(text: &str, place: &str) -> String {
    let (what, when) = text.split_once(" when ").unwrap_or((text, ""));
    format!("({}, {})", role(what.trim(), place), conds(when, place))
}

/// `LABEL [when CONDS]`
fn stdout_row(text: &str, place: &str) -> String {
    let (what, when) = text.split_once(" when ").unwrap_or((text, ""));
    format!("({}, {})", lit(what.trim()), conds(when, place))
}

/// `[table] "key" = "role"`: the settings that run something, the calls of a language.
fn role_tables(constant: &str, doc: &str, (name, text): &(String, String)) -> String {
    let tables: BTreeMap<String, BTreeMap<String, String>> =
        toml::from_str(text).unwrap_or_else(|e| panic!("{name}: {e}"));
    let table = |(table, rows): (&String, &BTreeMap<String, String>)| {
        let row =
            |(key, value): (&String, &String)| format!("({}, {})", lit(key), role(value, &format!("{name}: {table}")));
        let rows: Vec<String> = rows.iter().map(row).collect();
        format!("({}, &[{}])", lit(table), rows.join(", "))
    };
    let all: Vec<String> = tables.iter().map(table).collect();
    format!(
        "/// {doc}\npub(crate) static {constant}: &[(&str, &[(&str, Role)])] = &[{}];\n",
        all.join(", ")
    )
}
