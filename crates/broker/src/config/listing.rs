//! Every key of the settings, with its value and where that comes from.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::keys::KEYS;
use super::layers::{Origin, Source};
use super::{ConfigError, Stored, line_at, stored, text};

/// A key of the settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its name, `TABLE.KEY`.
    pub key: String,
    /// What holds.
    pub value: toml::Value,
    /// What holds where nobody said anything.
    pub default: toml::Value,
    /// Who says so, and where.
    pub origin: Origin,
}

/// What the text of a person's settings file comes to. An empty text is all defaults.
///
/// # Errors
/// What is wrong with it, with the line.
pub fn of(path: &Path, text: &str) -> Result<Vec<Setting>, ConfigError> {
    let said = stored(path, text)?;
    let origin = |line: Option<usize>| match line {
        Some(line) => Origin {
            source: Source::User,
            place: path.to_path_buf(),
            line: Some(line),
        },
        None => Origin::BUILT_IN,
    };
    Ok(rows(&said, &lines(text).map(origin)))
}

/// The person's own settings file in `folder`, without any other layer: every key.
///
/// # Errors
/// When there is a file and it cannot be read, trusted or understood.
pub fn own(folder: &Path) -> Result<Vec<Setting>, ConfigError> {
    let (path, text) = text(folder)?;
    of(&path, &text.unwrap_or_default())
}

/// Every key with its value.
pub(super) fn rows(stored: &Stored, origins: &[Origin; KEYS.len()]) -> Vec<Setting> {
    let origin = |key: &str| {
        let mut found = KEYS.iter().zip(origins).filter(|(one, _)| one.name == key);
        found.next().map_or(Origin::BUILT_IN, |(_, origin)| origin.clone())
    };
    let defaults = keys(&Stored::default());
    let setting = |((key, value), (_, default)): ((String, toml::Value), (String, toml::Value))| Setting {
        origin: origin(&key),
        key,
        value,
        default,
    };
    keys(stored).into_iter().zip(defaults).map(setting).collect()
}

/// On which line a text names each of [`KEYS`].
pub(super) fn lines(text: &str) -> [Option<usize>; KEYS.len()] {
    let table = DeTable::parse(text).map(toml::Spanned::into_inner).unwrap_or_default();
    KEYS.map(|key| at(&table, key.name).map(|at| line_at(text, at)))
}

/// All keys with their values. Tables hold no tables.
fn keys(stored: &Stored) -> Vec<(String, toml::Value)> {
    let table = toml::Table::try_from(stored).unwrap_or_default();
    let mut keys = Vec::new();
    for (name, value) in table {
        match value {
            toml::Value::Table(inner) => {
                keys.extend(inner.into_iter().map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            value => keys.push((name, value)),
        }
    }
    keys
}

/// Where a key stands in the text.
fn at(table: &DeTable<'_>, key: &str) -> Option<usize> {
    let (name, rest) = match key.split_once('.') {
        Some((name, rest)) => (name, Some(rest)),
        None => (key, None),
    };
    let (found, value) = table.iter().find(|(said, _)| said.get_ref() == name)?;
    match (rest, value.get_ref()) {
        (None, _) => Some(found.span().start),
        (Some(rest), DeValue::Table(inner)) => at(inner, rest),
        (Some(_), _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let settings = of(Path::new("/c/config.toml"), text).unwrap();
        let line = |one: &Setting| {
            let line = one.origin.line?;
            Some(format!("{} = {} :{line}", one.key, one.value))
        };
        settings.iter().filter_map(line).collect()
    }

    #[test]
    fn every_key_stands_there_with_its_default() {
        let settings = of(Path::new("/c/config.toml"), "").unwrap();
        let rows: Vec<String> = settings
            .iter()
            .map(|one| format!("{} = {}", one.key, one.value))
            .collect();
        assert_eq!(
            rows,
            [
                "approvals.remember = true",
                "approvals.wait_seconds = 0",
                "breaker.cooldown_seconds = 300",
                "breaker.enabled = true",
                "breaker.threshold = 5",
                "breaker.window_seconds = 60",
                "ledger.flush = \"held\"",
                "ledger.on_full = \"deny\"",
                "paths.unprotected = []",
                "posture = \"guard\"",
                "rules.disabled = []",
                "snapshots.budget_mb = 256",
                "snapshots.days = 14",
                "snapshots.keep_mb = 4096",
                "snapshots.soften = true",
            ]
        );
        assert!(
            settings
                .iter()
                .all(|one| one.value == one.default && one.origin == Origin::BUILT_IN)
        );
        // What layers do with keys is said of every one of them.
        let names: Vec<&str> = settings.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(names, KEYS.map(|key| key.name));
    }

    #[test]
    fn a_key_is_found_however_it_is_written() {
        for text in [
            "\n[breaker]\nthreshold = 3\n",
            "\n\nbreaker.threshold = 3\n",
            "\n\nbreaker = { threshold = 3 }\n",
            "\n# threshold = 4\n\"breaker\".'threshold' = 3\n",
        ] {
            assert_eq!(lines(text), ["breaker.threshold = 3 :3"], "{text}");
        }
    }
}
