//! The text of one policy file, as its model.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Mistake;
use super::model::PolicyFile;
use crate::wording::plain;

/// Nesting that a file of rules never needs.
const MAX_DEPTH: usize = 16;
/// Keys, values and lists in one file: more than three thousand rules have.
const MAX_NODES: usize = 50_000;

/// A request, and what is expected of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// A command.
    pub command: Option<String>,
    /// A path that a file tool reads.
    pub read: Option<String>,
    /// A path that a file tool writes.
    pub write: Option<String>,
    /// A path that a file tool deletes.
    pub delete: Option<String>,
    /// An address that a web tool fetches.
    pub fetch: Option<String>,
    /// Where; the working directory when absent.
    pub cwd: Option<String>,
    /// The verdict.
    pub expect: String,
    /// A rule that must be found.
    pub rule: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    cases: Vec<Case>,
}

/// Reads a file of cases.
///
/// # Errors
/// What is wrong, with the line where it is known.
pub fn cases(path: &Path, text: &str) -> Result<Vec<Case>, crate::ConfigError> {
    let read: Result<Cases, Mistake> = any(path, text);
    read.map(|read| read.cases)
        .map_err(|mistake| fault(path, text, mistake))
}

/// Reads a policy file: YAML, or TOML where the name ends so.
pub(super) fn read(path: &Path, text: &str) -> Result<PolicyFile, Mistake> {
    any(path, text)
}

fn any<T: DeserializeOwned + Default>(path: &Path, text: &str) -> Result<T, Mistake> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
    {
        toml(text)
    } else {
        yaml(text)
    }
}

fn toml<T: DeserializeOwned>(text: &str) -> Result<T, Mistake> {
    // The reader has no bounds of its own, and a table takes a kilobyte.
    let marks = text.match_indices(['=', '[', '{', ',', '.']);
    if let Some((at, _)) = marks.map(|(at, _)| (at, ())).nth(MAX_NODES) {
        return Err(Mistake {
            line: Some(line_at(text, at)),
            ..Mistake::of("", &too_much())
        });
    }
    toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| line_at(text, span.start));
        Mistake {
            line,
            ..Mistake::of("", &plain(&one_line(error.message())))
        }
    })
}

fn yaml<T: DeserializeOwned + Default>(text: &str) -> Result<T, Mistake> {
    if text
        .lines()
        .all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
    {
        return Ok(T::default());
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            max_nodes: MAX_NODES,
            max_aliases: 0,
            max_anchors: 0,
            max_documents: 1,
        },
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let line = error
            .location()
            .map(|place| usize::try_from(place.line()).unwrap_or_default());
        Mistake {
            line,
            ..Mistake::of("", &plain(&said(&one_line(&error.without_snippet().to_string()))))
        }
    })
}

/// A mistake with its file and line. A rule without a line stands where its name does.
pub(super) fn fault(path: &Path, text: &str, mistake: Mistake) -> crate::ConfigError {
    let line = mistake.line.or_else(|| Lines::of(text).find(&mistake.rule));
    let reason = if mistake.rule.is_empty() {
        mistake.said
    } else {
        format!("`{}`: {}", short(&mistake.rule), mistake.said)
    };
    crate::ConfigError {
        file: path.to_path_buf(),
        line,
        reason,
        hint: mistake.hint,
    }
}

/// The lines on which names stand, found quickest in the order of the text.
pub(super) struct Lines<'t> {
    text: &'t str,
    /// Where the last one stood, and on which line.
    at: usize,
    line: usize,
}

impl<'t> Lines<'t> {
    pub(super) const fn of(text: &'t str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// The next line on which a rule's name or pattern stands, else the first.
    pub(super) fn find(&mut self, rule: &str) -> Option<usize> {
        let name = ["system:", "user:", "project:"]
            .iter()
            .find_map(|layer| rule.strip_prefix(layer))
            .unwrap_or(rule);
        let name = name.strip_prefix("class.").unwrap_or(name);
        let rest = self.text.get(self.at..).unwrap_or_default();
        let ahead = match rest.find(name) {
            _ if name.is_empty() => return None,
            Some(ahead) => ahead,
            None => {
                (self.at, self.line) = (0, 1);
                self.text.find(name)?
            }
        };
        let passed = self.text.get(self.at..self.at + ahead).unwrap_or_default();
        self.line += passed.matches('\n').count();
        self.at += ahead;
        Some(self.line)
    }
}

fn line_at(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}

/// What the reader of YAML says, without the place, which is said before it, and in words of ours where its own are for
/// programmers.
fn said(sentence: &str) -> String {
    let sentence = sentence
        .rsplit_once(" at line ")
        .map_or(sentence, |(sentence, _)| sentence);
    let Some(budget) = sentence.strip_prefix("budget breached: ") else {
        if sentence == "recursion limit exceeded" {
            return too_deep();
        }
        return sentence
            .split(", set DuplicateKeyPolicy")
            .next()
            .unwrap_or(sentence)
            .to_owned();
    };
    match budget.split([' ', '{']).next().unwrap_or_default() {
        "Documents" => "it holds more than one document".to_owned(),
        "Depth" => too_deep(),
        "Anchors" | "Aliases" => "it holds anchors (`&`) or aliases (`*`), and a policy file has none".to_owned(),
        _ => too_much(),
    }
}

fn too_deep() -> String {
    format!("it is nested more than {MAX_DEPTH} deep")
}

fn too_much() -> String {
    format!("it holds more than {MAX_NODES} keys, values and lists")
}

fn one_line(text: &str) -> String {
    let flat: Vec<&str> = text.split_whitespace().collect();
    cut(&flat.join(" "), 300)
}

/// As much of a name as a sentence can hold.
pub(super) fn short(name: &str) -> String {
    cut(name, 60)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => text.get(..at).unwrap_or_default().to_owned() + " …",
        None => text.to_owned(),
    }
}
