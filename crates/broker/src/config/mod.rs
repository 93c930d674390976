//! The settings: `config.toml` of each layer, and what can be wrong with any file of a person.

mod keys;
mod layers;
mod listing;
mod stored;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};

use rulebook::Fault;

pub(crate) use layers::{InForce, Layers, ProjectFile};
pub use layers::{Origin, Source};
pub use listing::{Setting, of, own};
use stored::Stored;
pub use stored::{Answers, Flush, Keeping, Limits, OnFull, Snapshots};

use crate::trusted;
use crate::wording::plain;

/// The file's name in the settings folder.
pub const FILE: &str = "config.toml";

/// The JSON Schema of `config.toml`.
#[cfg(feature = "schema")]
#[must_use]
pub fn schema() -> String {
    serde_json::to_string_pretty(&schemars::schema_for!(Stored)).unwrap_or_default()
}

/// Why the settings could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong with it.
    pub reason: String,
    /// What to do about it, one sentence; empty where nothing can be said.
    pub hint: String,
}

impl ConfigError {
    pub(crate) fn of(file: &Path, reason: String) -> Self {
        Self {
            file: file.to_path_buf(),
            line: None,
            reason,
            hint: String::new(),
        }
    }

    /// The error with its hint, without a full stop.
    pub(crate) fn whole(&self) -> String {
        match self.hint.trim_end_matches('.') {
            "" => self.to_string(),
            hint => format!("{self} ({hint})"),
        }
    }
}

impl From<Fault> for ConfigError {
    fn from(fault: Fault) -> Self {
        let reason = match fault.stanza.as_str() {
            "" => fault.sentence,
            stanza => format!("`{stanza}`: {}", fault.sentence),
        };
        Self {
            file: fault.file.into(),
            line: fault.line,
            reason,
            hint: fault.hint,
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A name that came with a clone must not look like lines of our own.
        let name = self.file.to_string_lossy().replace('\n', "\\n").replace('\t', "\\t");
        write!(f, "`{name}`")?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for ConfigError {}

/// The text of the person's settings and its path; no text where there is no file.
fn text(folder: &Path) -> Result<(PathBuf, Option<String>), ConfigError> {
    let path = folder.join(FILE);
    match trusted::folder(folder).and_then(|()| trusted::file(&path)) {
        Ok(text) => Ok((path, text)),
        Err(reason) => Err(ConfigError::of(&path, reason)),
    }
}

fn stored(path: &Path, text: &str) -> Result<Stored, ConfigError> {
    let fault = |at: Option<usize>, reason: String| ConfigError {
        line: at.map(|at| line_at(text, at)),
        ..ConfigError::of(path, reason)
    };
    let stored: Stored =
        toml::from_str(text).map_err(|e| fault(e.span().map(|s| s.start), plain(&e.message().replace('\n', " "))))?;
    match stored.rules.wrong().or_else(|| stored.paths.wrong()) {
        None => Ok(stored),
        Some((at, reason)) => Err(fault(Some(at), reason)),
    }
}

/// The line of a place in a text, counted from 1.
fn line_at(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}
