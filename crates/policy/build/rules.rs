//! `rules/verdicts/*.toml` and `rules/paths.toml`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::text::{act, list, lit};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VerdictFile {
    rule: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    id: String,
    /// Kinds of request it speaks about; all when absent.
    #[serde(default)]
    kind: Vec<String>,
    on: Vec<String>,
    #[serde(default)]
    what: Vec<String>,
    /// Alternatives; in each all labels must be there (`!x`: must not be there).
    #[serde(default)]
    any: Vec<String>,
    #[serde(default = "ask")]
    guard: String,
    #[serde(default = "deny")]
    strict: String,
    risk: String,
    why: String,
    instead: String,
    #[serde(default)]
    lost: String,
    #[serde(default, rename = "match")]
    matches: Vec<String>,
    #[serde(default)]
    not_match: Vec<String>,
}

fn ask() -> String {
    "ask".into()
}
fn deny() -> String {
    "deny".into()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PathFile {
    path: Vec<PathRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PathRow {
    /// Why these paths are special; for people who read the table.
    why: String,
    glob: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
    tags: Vec<String>,
}

pub(crate) fn generate(files: &[(String, String)], paths: &(String, String)) -> String {
    let mut seen = BTreeSet::new();
    let mut rows = Vec::new();
    for (name, text) in files {
        let file: VerdictFile = toml::from_str(text).unwrap_or_else(|e| panic!("{name}: {e}"));
        for rule in file.rule {
            let place = format!("{name}: {}", rule.id);
            assert!(seen.insert(rule.id.clone()), "{place}: the id is used twice");
            assert!(
                !rule.matches.is_empty(),
                "{place}: a rule carries an example that it matches"
            );
            rows.push(one(&rule, &place));
        }
    }
    format!(
        "/// All built-in rules, in evaluation order.\npub(crate) static RULES: &[Rule] = &[{}];\n{}",
        rows.join(",\n"),
        path_table(paths)
    )
}

fn one(rule: &Rule, place: &str) -> String {
    let acts: Vec<String> = rule.on.iter().map(|a| act(a, place)).collect();
    let any: Vec<String> = rule
        .any
        .iter()
        .map(|line| list(&line.split_whitespace().collect::<Vec<_>>()))
        .collect();
    format!(
        "Rule {{ id: {}, kinds: {}, acts: &[{}], whats: {}, any: &[{}], guard: {}, strict: {}, risk: {}, why: {}, instead: {}, lost: {}, matches: {}, not_matches: {} }}",
        lit(&rule.id),
        list(&rule.kind),
        acts.join(", "),
        list(&rule.what),
        any.join(", "),
        verdict(&rule.guard, place),
        verdict(&rule.strict, place),
        risk(&rule.risk, place),
        lit(&rule.why),
        lit(&rule.instead),
        lit(&rule.lost),
        list(&rule.matches),
        list(&rule.not_match),
    )
}

fn verdict(word: &str, place: &str) -> &'static str {
    match word {
        "allow" => "Verdict::Allow",
        "warn" => "Verdict::Warn",
        "ask" => "Verdict::Ask",
        "deny" => "Verdict::Deny",
        other => panic!("{place}: no verdict is called `{other}`"),
    }
}

fn risk(word: &str, place: &str) -> &'static str {
    match word {
        "low" => "Risk::Low",
        "medium" => "Risk::Medium",
        "high" => "Risk::High",
        "critical" => "Risk::Critical",
        other => panic!("{place}: no risk is called `{other}`"),
    }
}

fn path_table((name, text): &(String, String)) -> String {
    let file: PathFile = toml::from_str(text).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut globs = Vec::new();
    let mut rows = Vec::new();
    for (index, row) in file.path.iter().enumerate() {
        assert!(!row.why.is_empty(), "{name}: a row says why");
        globs.extend(row.glob.iter().map(|g| (g.clone(), index)));
        rows.push(format!(
            "PathRow {{ except: {}, tags: {} }}",
            list(&row.except),
            list(&row.tags)
        ));
    }
    let globs_text: Vec<String> = globs.iter().map(|(g, row)| format!("({}, {row})", lit(g))).collect();
    format!(
        "/// Rows of the path table.\npub(crate) static PATHS: &[PathRow] = &[{}];\n/// Its globs with their rows.\npub(crate) static GLOBS: &[(&str, usize)] = &[{}];\n{}",
        rows.join(",\n"),
        globs_text.join(", "),
        key_table(&globs)
    )
}

/// Globs by the longest name in them that stands there literally, so that a path is compared with few of them.
fn key_table(globs: &[(String, usize)]) -> String {
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
    let rows: Vec<String> = keys.iter().map(|(k, v)| format!("({}, &{v:?})", lit(k))).collect();
    format!(
        "/// Indices into [`GLOBS`] by a literal name in the glob, sorted.\npub(crate) static KEYS: &[(&str, &[usize])] = &[{}];\n/// Indices of globs without a literal name.\npub(crate) static KEYLESS: &[usize] = &{rest:?};\n",
        rows.join(", ")
    )
}
