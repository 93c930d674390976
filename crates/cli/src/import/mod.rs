//! From the settings of other programs to policy files of ours.
//!
//! Rules that tighten are taken over; what would loosen is named and left to the person. Every setting of the file is
//! answered: taken over as what, the same here already, not taken and why, or without an equal and why.

mod policy;
mod vallum;
mod vibeflow;
mod vibestrate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use ::policy::Posture;
pub(crate) use policy::Policy;

use crate::exit::{Exit, Fault};
use crate::setup::files;

/// More than any settings need.
const LIMIT: usize = 1 << 20;

/// Built-in rules that keep secrets from being read.
const SECRETS: &[&str] = &["read_sensitive_creds", "file_read_sensitive"];

/// The program that the settings are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Source {
    /// `config.toml` or `.vallum.toml`.
    Vallum,
    /// `.vibestrate/project.yml` and `.vibestrate/policies/*.yml`.
    Vibestrate,
    /// `.vibeflow/SETTINGS.json`.
    Vibeflow,
}

impl Source {
    /// The word that the file of ours is named after.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Vallum => "vallum",
            Self::Vibestrate => "vibestrate",
            Self::Vibeflow => "vibeflow",
        }
    }

    /// The settings below a path: the file itself, or those in the folder that the program would read.
    pub(crate) fn files(self, path: &Path) -> Result<Vec<PathBuf>, Fault> {
        let found = match self {
            _ if path.is_file() => vec![path.to_path_buf()],
            Self::Vallum => there(path, &["config.toml", ".vallum.toml", ".vallum/config.toml"]),
            Self::Vibeflow => there(path, &["SETTINGS.json", ".vibeflow/SETTINGS.json"]),
            Self::Vibestrate => vibestrate::files(path)?,
        };
        if found.is_empty() {
            let sentence = format!("There are no settings of {} in `{}`.", self.name(), path.display());
            return Err(Fault::new(Exit::NoInput, sentence).hint("Name the file, or the folder that it is in."));
        }
        Ok(found)
    }

    /// Takes over what one file says.
    pub(crate) fn read(self, path: &Path, import: &mut Import) -> Result<(), Fault> {
        let text = files::read_text(path)?.unwrap_or_default();
        if text.len() > LIMIT {
            return Err(unreadable(path, "it is larger than 1 MiB"));
        }
        let parsed = match self {
            Self::Vallum => toml::from_str(&text).map_err(|e| e.message().to_owned()),
            Self::Vibestrate => vibestrate::parse(&text),
            Self::Vibeflow => serde_json::from_str(&text).map_err(|e| e.to_string()),
        };
        let value: Value = parsed.map_err(|why| unreadable(path, &why.replace('\n', " ")))?;
        match (self, &value) {
            (_, Value::Null) => {}
            (Self::Vallum, Value::Object(_)) => vallum::take(&value, import),
            (Self::Vibestrate, Value::Object(_)) => vibestrate::take(path, &value, import),
            (Self::Vibeflow, Value::Object(_)) => vibeflow::take(&value, import),
            _ => return Err(unreadable(path, "it holds no settings")),
        }
        Ok(())
    }
}

fn there(folder: &Path, names: &[&str]) -> Vec<PathBuf> {
    names
        .iter()
        .map(|name| folder.join(name))
        .filter(|path| path.is_file())
        .collect()
}

fn unreadable(path: &Path, why: &str) -> Fault {
    Fault::new(Exit::Data, format!("`{}` cannot be read: {why}.", path.display())).hint("Nothing was written.")
}

/// What became of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It stands in the file that is written.
    Taken,
    /// It holds here already.
    Same,
    /// It would loosen, cannot be read, or is the person's to set.
    NotTaken,
    /// There is nothing like it.
    NoEqual,
}

impl Fate {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Same => "same",
            Self::NotTaken => "not taken",
            Self::NoEqual => "no equal",
        }
    }
}

/// The answer to one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) key: String,
    pub(crate) fate: Fate,
    pub(crate) why: String,
}

/// What is taken over, and the answers.
#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) answers: Vec<Answer>,
    pub(crate) policy: Policy,
    /// The person's settings as they are.
    settings: BTreeMap<String, Value>,
}

impl Import {
    pub(crate) fn new(policy: Policy, settings: &[broker::config::Setting]) -> Self {
        let value = |one: &broker::config::Setting| serde_json::to_value(&one.value).unwrap_or_default();
        Self {
            answers: Vec::new(),
            policy,
            settings: settings.iter().map(|one| (one.key.clone(), value(one))).collect(),
        }
    }

    fn answer(&mut self, key: &str, fate: Fate, why: impl Into<String>) {
        self.answers.push(Answer {
            key: key.to_owned(),
            fate,
            why: why.into(),
        });
    }

    fn same(&mut self, key: &str, why: &str) {
        self.answer(key, Fate::Same, why);
    }

    fn not_taken(&mut self, key: &str, why: impl Into<String>) {
        self.answer(key, Fate::NotTaken, why);
    }

    fn no_equal(&mut self, key: &str, why: &str) {
        self.answer(key, Fate::NoEqual, why);
    }

    /// A rule that tightens.
    fn rule(&mut self, key: &str, list: &'static str, rule: Value, told: &str) {
        match self.policy.add(list, rule) {
            Ok(()) => self.answer(key, Fate::Taken, format!("as {told} in `{list}`")),
            Err(why) => self.not_taken(key, why),
        }
    }

    /// What built-in rules do, as long as nobody switched them off.
    fn built_in(&mut self, key: &str, rules: &[&str], why: &str) {
        let posture = self.settings.get("posture").and_then(Value::as_str).unwrap_or_default();
        let holds = Posture::parse(posture).is_some_and(Posture::holds);
        let disabled = self.settings.get("rules.disabled").and_then(Value::as_array);
        let off = disabled
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .find(|id| rules.contains(id));
        match off {
            _ if !holds => self.not_taken(
                key,
                format!("posture `{posture}` holds nothing; `tollgate config set posture guard`"),
            ),
            Some(rule) => self.not_taken(key, format!("`{rule}` is switched off in `[rules] disabled`")),
            None => self.same(key, why),
        }
    }

    /// A setting that has an equal in `config.toml`, which the person sets: it may loosen, and the file may be there.
    fn mirror(&mut self, key: &str, ours: &str, value: &Value) {
        if self.settings.get(ours) == Some(value) {
            self.same(key, &format!("as `{ours}`"));
        } else {
            self.not_taken(key, format!("`tollgate config set {ours} {value}` sets it"));
        }
    }
}

/// Every setting with its whole name; a list is one.
fn leaves(value: &Value) -> Vec<(String, &Value)> {
    fn walk<'v>(name: &str, value: &'v Value, out: &mut Vec<(String, &'v Value)>) {
        match value.as_object().filter(|table| !table.is_empty()) {
            None => out.push((name.to_owned(), value)),
            Some(table) => table.iter().for_each(|(key, value)| {
                let dot = if name.is_empty() { "" } else { "." };
                walk(&format!("{name}{dot}{key}"), value, out);
            }),
        }
    }
    let mut out = Vec::new();
    walk("", value, &mut out);
    out.retain(|(name, _)| !name.is_empty());
    out
}

/// The entries of a list, each with its name; a value that is no list is its only entry.
fn entries<'v>(name: &str, value: &'v Value) -> Vec<(String, &'v Value)> {
    match value.as_array() {
        None => vec![(name.to_owned(), value)],
        Some(list) => list
            .iter()
            .enumerate()
            .map(|(i, entry)| (format!("{name}[{i}]"), entry))
            .collect(),
    }
}

/// A text of a table; empty where there is none.
fn text<'v>(table: &'v Value, key: &str) -> &'v str {
    table.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The first letters of a text.
fn at_most(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
