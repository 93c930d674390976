//! The policy file that is written: every rule in it was read by the reader of policy files before it was taken.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use broker::policies::{self, Layer, PolicySet};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

/// The order in which people expect the keys of a rule; others come behind, by name.
const ORDER: &[&str] = &[
    "id",
    "description",
    "pattern",
    "glob",
    "on",
    "match",
    "label",
    "effect",
    "action",
    "reason",
    "message",
];

/// The file.
#[derive(Debug)]
pub(crate) struct Policy {
    path: PathBuf,
    layer: Layer,
    /// The names of rules that are in force already, and of those that were taken.
    names: BTreeSet<String>,
    lists: BTreeMap<&'static str, Vec<Value>>,
    classes: Map<String, Value>,
}

impl Policy {
    /// An empty one that will be written to `path`, beside the rules of `set`.
    pub(crate) fn new(path: &Path, layer: Layer, set: &PolicySet) -> Self {
        Self {
            path: path.to_path_buf(),
            layer,
            names: names(set),
            lists: BTreeMap::new(),
            classes: Map::new(),
        }
    }

    /// Adds a rule to one of its lists; to `classes`, a table with one class and its verdict.
    ///
    /// # Errors
    /// Why it cannot stand there.
    pub(crate) fn add(&mut self, list: &'static str, rule: Value) -> Result<(), String> {
        let alone = match list {
            "classes" => json!({ list: rule }),
            _ => json!({ list: [rule] }),
        };
        let read = self.read(&yaml(&alone)?)?;
        let fresh = names(&read);
        if let Some(name) = fresh.iter().find(|name| self.names.contains(*name)) {
            return Err(format!("there is a rule `{}` already", at_most(name)));
        }
        self.names.extend(fresh);
        match rule {
            Value::Object(class) if list == "classes" => self.classes.extend(class),
            rule => self.lists.entry(list).or_default().push(rule),
        }
        Ok(())
    }

    /// How many rules were taken.
    pub(crate) fn len(&self) -> usize {
        self.lists.values().map(Vec::len).sum::<usize>() + self.classes.len()
    }

    /// The whole file, read once more.
    ///
    /// # Errors
    /// Why the rules cannot stand in one file.
    pub(crate) fn text(&self, head: &str) -> Result<String, String> {
        let mut all = json!(self.lists);
        if let Some(table) = all.as_object_mut().filter(|_| !self.classes.is_empty()) {
            table.insert("classes".to_owned(), Value::Object(self.classes.clone()));
        }
        let text = format!("{head}\n{}", yaml(&all)?);
        self.read(&text).map(|_| text)
    }

    fn read(&self, text: &str) -> Result<PolicySet, String> {
        policies::alone(self.layer, &self.path, text).map_err(|error| {
            let hint = error.hint.trim_end_matches('.');
            match hint {
                "" => error.reason,
                hint => format!("{} ({hint})", error.reason),
            }
        })
    }
}

fn names(set: &PolicySet) -> BTreeSet<String> {
    let rules = set.rules.iter().map(|rule| rule.entry.id.clone());
    rules.chain(set.patches.ids().map(str::to_owned)).collect()
}

fn at_most(name: &str) -> String {
    super::at_most(name, 60)
}

fn yaml(value: &Value) -> Result<String, String> {
    serde_saphyr::to_string(&Ordered(value)).map_err(|e| e.to_string())
}

/// A value whose tables have their keys in [`ORDER`].
struct Ordered<'v>(&'v Value);

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(table) => {
                let place = |key: &str| ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len());
                let mut keys: Vec<(&String, &Value)> = table.iter().collect();
                keys.sort_by_key(|(key, _)| place(key));
                let mut map = to.serialize_map(Some(keys.len()))?;
                for (key, value) in keys {
                    map.serialize_entry(key, &Ordered(value))?;
                }
                map.end()
            }
            Value::Array(list) => to.collect_seq(list.iter().map(Ordered)),
            value => value.serialize(to),
        }
    }
}
