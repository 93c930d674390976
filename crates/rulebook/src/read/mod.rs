//! From the text of rule files to a [`Book`].

mod keep;
mod notation;
mod source;
mod stanzas;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use serde::Deserialize;

use crate::{Fault, PathRow, Program, Role, Rule};
use source::{Source, Wrong};

/// A stanza that was read, and where it stands.
#[derive(Clone, Debug)]
pub struct Entry<T> {
    /// The file, as its reader named it.
    pub file: String,
    /// The line that it begins on, counted from 1.
    pub line: usize,
    /// What it says.
    pub says: T,
    /// Its examples.
    pub examples: Vec<Example>,
}

/// An example that has to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Example {
    /// One of the command's effects contains a text.
    Effect {
        /// The command.
        command: String,
        /// The text.
        effect: String,
    },
    /// The rule matches this.
    Match(String),
    /// The rule does not match this.
    NotMatch(String),
}

/// A stanza about a program.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// The facts.
    pub program: &'static Program,
    /// They stand in for built-in facts about the same name.
    pub replace: bool,
}

/// A stanza about paths.
#[derive(Clone, Debug)]
pub struct Place {
    /// Why these paths are special.
    pub why: String,
    /// Which they are.
    pub globs: &'static [&'static str],
    /// Their labels.
    pub row: PathRow,
}

/// What rule files say, in their order.
#[derive(Clone, Debug, Default)]
pub struct Book {
    /// Facts about programs.
    pub programs: Vec<Entry<Fact>>,
    /// Opinions.
    pub rules: Vec<Entry<Rule>>,
    /// Special paths.
    pub paths: Vec<Entry<Place>>,
}

impl Book {
    /// Whether it says nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.programs.is_empty() && self.rules.is_empty() && self.paths.is_empty()
    }

    /// Adds what a file says.
    ///
    /// # Errors
    /// When the text is not in the notation, or describes something that another file describes.
    pub fn add(&mut self, file: &str, text: &str) -> Result<(), Fault> {
        let mut new = stanzas::file(Source { file, text })?;
        self.no_twins(&new)?;
        self.programs.append(&mut new.programs);
        self.rules.append(&mut new.rules);
        self.paths.append(&mut new.paths);
        Ok(())
    }

    /// Nothing is described twice: which of the two would count?
    fn no_twins(&self, new: &Self) -> Result<(), Fault> {
        let mut programs: BTreeMap<&str, &Entry<Fact>> = BTreeMap::new();
        for entry in self.programs.iter().chain(&new.programs) {
            for name in entry.says.program.names {
                if let Some(first) = programs.insert(name, entry) {
                    return Err(twin(entry, name, first));
                }
            }
        }
        let mut rules: BTreeMap<&str, &Entry<Rule>> = BTreeMap::new();
        for entry in self.rules.iter().chain(&new.rules) {
            if let Some(first) = rules.insert(entry.says.id, entry) {
                return Err(twin(entry, entry.says.id, first));
            }
        }
        Ok(())
    }
}

fn twin<T>(second: &Entry<T>, name: &str, first: &Entry<T>) -> Fault {
    Fault {
        file: second.file.clone(),
        line: Some(second.line),
        stanza: name.to_string(),
        sentence: format!("it stands in `{}`, line {}, already", first.file, first.line),
        hint: "Keep one of the two.".to_string(),
    }
}

/// `[table] "key" = "role"`, in the order of their names.
pub type RoleTables = BTreeMap<String, BTreeMap<String, Role>>;

/// Reads tables of roles: the settings that run something, the calls of a language.
///
/// # Errors
/// When the text is not in the notation.
pub fn role_tables(file: &str, text: &str) -> Result<RoleTables, Fault> {
    let source = Source { file, text };
    let tables: BTreeMap<String, BTreeMap<String, toml::Spanned<String>>> = source.toml()?;
    let role = |table: &str, (key, value): (String, toml::Spanned<String>)| {
        let fault = |wrong: Wrong| source.fault(Some(value.span()), table, wrong);
        Ok((key, notation::role(value.get_ref()).map_err(fault)?))
    };
    let table = |(table, rows): (String, BTreeMap<_, _>)| {
        let rows = rows
            .into_iter()
            .map(|row| role(&table, row))
            .collect::<Result<_, _>>()?;
        Ok((table, rows))
    };
    tables.into_iter().map(table).collect()
}

/// Lists of names, by what they are names of.
pub type NameLists = BTreeMap<String, Vec<String>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredLists {
    /// Where the names are from; for people.
    source: toml::Spanned<String>,
    names: BTreeMap<String, toml::Spanned<String>>,
}

/// Reads lists of names that are parted by spaces: the well-known packages of each registry.
///
/// # Errors
/// When the text is not in the notation, does not say where the names are from, or when a list is not sorted.
pub fn name_lists(file: &str, text: &str) -> Result<NameLists, Fault> {
    let source = Source { file, text };
    let stored: StoredLists = source.toml()?;
    if stored.source.get_ref().is_empty() {
        let wrong = Wrong::new("", "it does not say where the names are from");
        return Err(source.fault(Some(stored.source.span()), "source", wrong));
    }
    let list = |(name, text): (String, toml::Spanned<String>)| {
        let names: Vec<String> = text.get_ref().split_whitespace().map(str::to_string).collect();
        let after = |pair: &&[String]| matches!(pair, [first, second] if first >= second);
        match names.windows(2).find(after) {
            Some([.., second]) => {
                let sentence = format!("`{second}` does not come after the name before it");
                let wrong = Wrong::new(second, sentence).hint("Names are sorted, and none stands twice.");
                Err(source.fault(Some(text.span()), &name, wrong))
            }
            _ => Ok((name, names)),
        }
    };
    stored.names.into_iter().map(list).collect()
}

#[cfg(test)]
mod tests;
