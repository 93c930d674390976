//! The statics that the evaluator looks things up in.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rulebook::{Book, Example, NameLists, RoleTables};

use crate::print::Print;

/// A static slice. What is said of it in `doc` stands above it.
fn table(doc: &str, name: &str, kind: &str, rows: &[String]) -> String {
    format!(
        "/// {doc}\npub(crate) static {name}: &[{kind}] = &[{}];\n",
        rows.join(",\n")
    )
}

/// The places of names in a table.
fn index<'n>(doc: &str, name: &str, names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    let slots: Vec<String> = rulebook::index(&names).iter().map(ToString::to_string).collect();
    table(doc, name, "u16", &slots)
}

/// The same for tests only: examples cost a program room and time, and are for the tests.
fn examples(doc: &str, name: &str, kind: &str, rows: &[String]) -> String {
    format!("#[cfg(test)]\n{}", table(doc, name, kind, rows))
}

pub(crate) fn programs(book: &Book, settings: &RoleTables, calls: &RoleTables) -> String {
    let mut text = String::new();
    let mut names = BTreeMap::new();
    let mut tried = Vec::new();
    for (index, entry) in book.programs.iter().enumerate() {
        let program = entry.says.program;
        let _ = writeln!(text, "static P{index}: Program = {};", program.print());
        names.extend(program.names.iter().map(|name| (*name, index)));
        for example in &entry.examples {
            if let Example::Effect { command, effect } = example {
                tried.push((command, effect).print());
            }
        }
    }
    let rows: Vec<String> = names
        .iter()
        .map(|(name, index)| format!("({}, &P{index})", name.print()))
        .collect();
    text += &table("All programs by name, sorted.", "PROGRAMS", "(&str, &Program)", &rows);
    text += &index(
        "Places in [`PROGRAMS`] by name.",
        "PROGRAM_INDEX",
        names.keys().copied(),
    );
    text += &examples(
        "Commands, and what one of their effects contains.",
        "EXAMPLES",
        "(&str, &str)",
        &tried,
    );
    text += &roles("Settings that run something, by table.", "SETTINGS", settings);
    text += &by_name("SETTINGS", settings);
    text += &roles(
        "Calls of programming languages that do something, by language.",
        "CALLS",
        calls,
    );
    text + &by_name("CALLS", calls)
}

/// For each table of `name` where in its rows a name stands, and which rows are patterns.
fn by_name(name: &str, tables: &RoleTables) -> String {
    let rows = tables.values().map(|rows| {
        let names: Vec<&str> = rows.keys().map(String::as_str).collect();
        let slots: Vec<usize> = rulebook::index(&names).into_iter().map(usize::from).collect();
        let patterns = names
            .iter()
            .enumerate()
            .filter(|(_, name)| name.contains(['*', '?', '[']));
        let patterns: Vec<usize> = patterns.map(|(at, _)| at).collect();
        (slots.as_slice(), patterns.as_slice()).print()
    });
    let longest = tables.values().flat_map(|rows| rows.keys().map(String::len)).max();
    table(
        &format!("Places in the rows of each table of [`{name}`] by name, and the places of patterns."),
        &format!("{name}_BY_NAME"),
        "(&[u16], &[usize])",
        &rows.collect::<Vec<_>>(),
    ) + &format!(
        "/// Bytes of the longest name in [`{name}`].\npub(crate) const {name}_LONGEST: usize = {};\n",
        longest.unwrap_or_default()
    )
}

fn roles(doc: &str, name: &str, tables: &RoleTables) -> String {
    let rows = tables.iter().map(|(key, rows)| {
        let rows: Vec<_> = rows.iter().collect();
        (key, rows.as_slice()).print()
    });
    table(doc, name, "(&str, &[(&str, Role)])", &rows.collect::<Vec<_>>())
}

pub(crate) fn rules(book: &Book) -> String {
    let rules: Vec<String> = book.rules.iter().map(|entry| entry.says.print()).collect();
    let mut tried = Vec::new();
    for entry in &book.rules {
        for example in &entry.examples {
            let (command, matches) = match example {
                Example::Match(command) => (command, true),
                Example::NotMatch(command) => (command, false),
                Example::Effect { .. } => continue,
            };
            tried.push((entry.says.id, (command, matches)).print());
        }
    }
    table("All built-in rules, in evaluation order.", "RULES", "Rule", &rules)
        + &examples(
            "Ids of rules, and commands that they match or do not match.",
            "TRIED",
            "(&str, (&str, bool))",
            &tried,
        )
        + &paths(book)
}

/// Names by what they are names of.
pub(crate) fn packages(lists: &NameLists) -> String {
    let rows = lists.iter().map(|(registry, names)| (registry, names).print());
    table(
        "Well-known packages by registry, sorted.",
        "PACKAGES",
        "(&str, &[&str])",
        &rows.collect::<Vec<_>>(),
    )
}

fn paths(book: &Book) -> String {
    let rows: Vec<String> = book.paths.iter().map(|entry| entry.says.row.print()).collect();
    let globs = book.paths.iter().enumerate();
    let globs: Vec<(&str, usize)> = globs
        .flat_map(|(row, entry)| entry.says.globs.iter().map(move |g| (*g, row)))
        .collect();
    let (keys, rest) = keys(&globs);
    let places = index(
        "Places in [`KEYS`] by name.",
        "KEY_INDEX",
        keys.keys().map(String::as_str),
    );
    let keys: Vec<String> = keys
        .iter()
        .map(|(key, globs)| (key, globs.as_slice()).print())
        .collect();
    let rest = rest.iter().filter_map(|at| Some((*at, literal(globs.get(*at)?.0))));
    let rest: Vec<String> = rest.map(|(at, pairs)| format!("({at}, {pairs:#x})")).collect();
    table("Rows of the path table.", "PATHS", "PathRow", &rows)
        + &table(
            "Its globs with their rows.",
            "GLOBS",
            "(&str, usize)",
            &globs.iter().map(Print::print).collect::<Vec<_>>(),
        )
        + &table(
            "The names in each of [`GLOBS`], and whether each is a pattern.",
            "GLOB_NAMES",
            "&[(&str, bool)]",
            &globs.iter().map(|(glob, _)| names_in(glob).print()).collect::<Vec<_>>(),
        )
        + &table(
            "Indices into [`GLOBS`] by a literal name in the glob, sorted.",
            "KEYS",
            "(&str, &[usize])",
            &keys,
        )
        + &places
        + &table(
            "Indices of globs without a literal name, and the pairs of letters in what is literal in each.",
            "KEYLESS",
            "(usize, u64)",
            &rest,
        )
}

/// The names in a glob, without those that stand for any number of folders.
fn names_in(glob: &str) -> Vec<(&str, bool)> {
    let names = glob.split('/').filter(|n| !n.is_empty() && *n != "~" && *n != "**");
    names.map(|name| (name, name.contains(['*', '?', '[']))).collect()
}

/// The pairs of letters in what every path has that a glob matches.
fn literal(glob: &str) -> u64 {
    let plain = glob.split('[').next().unwrap_or_default();
    let texts = plain.split(['*', '?', '/', '~']);
    texts.map(rulebook::pairs).fold(0, |all, pairs| all | pairs)
}

/// Globs by the longest name in them that stands there literally, so that a path is compared with few of them; and the rest.
fn keys(globs: &[(&str, usize)]) -> (BTreeMap<String, Vec<usize>>, Vec<usize>) {
    let mut keys: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut rest = Vec::new();
    for (index, (glob, _)) in globs.iter().enumerate() {
        let names = glob
            .split('/')
            .filter(|n| !n.is_empty() && *n != "~" && !n.contains(['*', '?', '[']));
        match names.max_by_key(|n| n.len()) {
            Some(key) => keys.entry(key.to_ascii_lowercase()).or_default().push(index),
            None => rest.push(index),
        }
    }
    (keys, rest)
}
