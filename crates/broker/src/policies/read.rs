//! The text of one policy file, as its model.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Mistake;
use super::model::PolicyFile;

/// Nesting, aliases and repetitions that a file of rules never needs.
const MAX_DEPTH: usize = 16;
/// Things in one file: far more than a thousand rules have.
const MAX_NODES: usize = 200_000;

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
    if path.extension().is_some_and(|ending| ending == "toml") {
        toml(text)
    } else {
        yaml(text)
    }
}

fn toml<T: DeserializeOwned>(text: &str) -> Result<T, Mistake> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| line_at(text, span.start));
        Mistake {
            line,
            ..Mistake::of("", &one_line(error.message()))
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
            ..Mistake::of("", placeless(&one_line(&error.without_snippet().to_string())))
        }
    })
}

/// A mistake with its file and line. A rule without a line stands where its name does.
pub(super) fn fault(path: &Path, text: &str, mistake: Mistake) -> crate::ConfigError {
    let line = mistake.line.or_else(|| line_of(text, &mistake.rule));
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

/// The first line on which a rule's name or pattern stands.
pub(super) fn line_of(text: &str, rule: &str) -> Option<usize> {
    let name = ["system:", "user:", "project:"]
        .iter()
        .find_map(|layer| rule.strip_prefix(layer))
        .unwrap_or(rule);
    let name = name.strip_prefix("class.").unwrap_or(name);
    let at = text.lines().position(|line| !name.is_empty() && line.contains(name))?;
    Some(at + 1)
}

fn line_at(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}

/// The sentence without its place, which is said before it.
fn placeless(said: &str) -> &str {
    said.rsplit_once(" at line ").map_or(said, |(sentence, _)| sentence)
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
