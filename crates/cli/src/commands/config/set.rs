//! `tollgate config set`.

use std::fs::File;
use std::path::Path;

use broker::config::{self, FILE, Setting};
use broker::{Broker, Person, Places};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

use super::{bare, broken, find, show};
use crate::exit::{Exit, Fault};
use crate::setup::{files, places};
use crate::ui::Ui;
use crate::view::safe;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The name of the setting, such as `breaker.threshold`.
    key: String,
    /// Its value; a list as `a,b` or `["a", "b"]`.
    #[arg(allow_hyphen_values = true)]
    value: String,
}

/// Any setting can weaken the gate, so that each change is a person's.
pub(super) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let places = places::find()?;
    let broker = Broker::open(places.clone());
    let person = broker.person("change a setting")?;
    files::make_folder(&places.config)?;
    // Two changes at once would both begin with the same text. The lock goes with the handle.
    let folder = File::open(&places.config).map_err(|e| files::io_fault("open", &places.config, &e))?;
    folder.lock().map_err(|e| files::io_fault("lock", &places.config, &e))?;
    let path = files::target(&places.config.join(FILE));
    let before = files::read_text(&path)?;
    let was = before.as_deref().unwrap_or_default();
    let after = edited(&path, was, args)?;
    let settings = config::of(&path, &after).map_err(|e| not_so(&path, was, args, &e))?;
    let setting = find(&settings, &args.key)?;
    let from = former(&path, was, &args.key);
    if before.as_deref() == Some(after.as_str()) {
        ui.line(safe(&format!("{} is {} already", args.key, bare(&setting.value))));
        return Ok(Exit::Done);
    }
    record(&broker, &person, setting, &from)?;
    files::replace_as(&path, before.as_deref().map(str::as_bytes), after.as_bytes(), 0o600)?;
    ui.line(safe(&format!("{}: {from} -> {}", args.key, bare(&setting.value))));
    overruled(&places, setting, ui);
    Ok(Exit::Done)
}

/// Says so where another layer has the last word here.
fn overruled(places: &Places, setting: &Setting, ui: &mut Ui) {
    let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
    let all = Broker::open(places.clone()).config_in(&here);
    if let Some(counts) = all
        .settings
        .iter()
        .find(|one| one.key == setting.key && one.value != setting.value)
    {
        let (value, from) = (bare(&counts.value), show::origin(counts));
        ui.note(safe(&format!(
            "It does not count here: `{}` is `{value}`, as {from} says.",
            setting.key
        )));
    }
}

/// The text with the setting in it. Comments and order stay.
fn edited(path: &Path, text: &str, args: &Args) -> Result<String, Fault> {
    let defaults = config::of(path, "").map_err(|e| broken(&e))?;
    let value = value(&find(&defaults, &args.key)?.default, &args.value);
    let mut document: DocumentMut = text.parse().map_err(|_| match config::of(path, text) {
        Err(error) => broken(&error),
        Ok(_) => Fault::new(Exit::Refused, format!("`{}` cannot be edited.", path.display())),
    })?;
    // Where there are only comments, they stay the head of the file.
    let head = if document.is_empty() { text.trim_end() } else { "" };
    if document.is_empty() {
        document = DocumentMut::new();
    }
    let (table, key) = match args.key.rsplit_once('.') {
        None => (document.as_table_mut() as &mut dyn TableLike, args.key.as_str()),
        Some((name, key)) => {
            let item = document.entry(name).or_insert_with(|| Item::Table(Table::new()));
            let no_table = || Fault::new(Exit::Refused, format!("`{name}` in `{}` is no table.", path.display()));
            (item.as_table_like_mut().ok_or_else(no_table)?, key)
        }
    };
    put(table, key, value);
    Ok(match head {
        "" => document.to_string(),
        head => format!("{head}\n\n{document}"),
    })
}

/// Puts a value where another stood, with the blanks and the comment around that.
fn put(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

/// What was typed, as a value of the default's type. What is no such value is kept as it is: the check says so.
fn value(default: &toml::Value, typed: &str) -> Value {
    let parsed = typed.parse::<Value>().ok();
    match (default, parsed) {
        (toml::Value::String(_), Some(Value::String(word))) => Value::String(word),
        (toml::Value::String(_), _) => Value::from(typed),
        (toml::Value::Array(_), Some(Value::Array(list))) => Value::Array(list),
        (toml::Value::Array(_), _) => {
            let words = typed.split(',').map(str::trim).filter(|word| !word.is_empty());
            Value::Array(words.collect::<Array>())
        }
        (_, parsed) => parsed.unwrap_or_else(|| Value::from(typed)),
    }
}

/// Why the changed file would be no settings: the new value, or what was wrong before.
fn not_so(path: &Path, was: &str, args: &Args, error: &broker::ConfigError) -> Fault {
    if let Err(before) = config::of(path, was) {
        return broken(&before);
    }
    let sentence = format!("`{}` cannot be `{}`: {}.", args.key, args.value, error.reason);
    Fault::new(Exit::Data, safe(&sentence)).hint("Nothing was changed. `tollgate schema config` says what it can be.")
}

/// The value before; that of a broken file is not known.
fn former(path: &Path, was: &str, key: &str) -> String {
    let settings = config::of(path, was).unwrap_or_default();
    find(&settings, key).map_or_else(|_| "(broken)".to_owned(), |one| bare(&one.value))
}

fn record(broker: &Broker, person: &Person, setting: &Setting, from: &str) -> Result<(), Fault> {
    let to = bare(&setting.value);
    let text = format!("`{}` from `{from}` to `{to}` at {}", setting.key, person.terminal());
    Ok(broker.settings_change(&text)?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

    use super::*;

    fn set(text: &str, key: &str, value: &str) -> String {
        let args = Args {
            key: key.into(),
            value: value.into(),
        };
        edited(Path::new("c"), text, &args).unwrap()
    }

    #[test]
    fn comments_and_order_stay() {
        let text = "# mine\nposture = \"guard\" # why\n\n[breaker]\n# few\nthreshold = 5   # five\nenabled = true\n";
        assert_eq!(set(text, "breaker.threshold", "3"), text.replace("= 5 ", "= 3 "));
        assert_eq!(set(text, "posture", "strict"), text.replace("guard", "strict"));
        assert_eq!(
            set(text, "approvals.remember", "false"),
            format!("{text}\n[approvals]\nremember = false\n")
        );
    }

    #[test]
    fn a_value_is_typed_as_it_is_said() {
        for (key, typed, written) in [
            ("posture", "strict", "posture = \"strict\"\n"),
            ("posture", "\"strict\"", "posture = \"strict\"\n"),
            ("posture", "3", "posture = \"3\"\n"),
            ("rules.disabled", "a, b", "[rules]\ndisabled = [\"a\", \"b\"]\n"),
            ("rules.disabled", "['a']", "[rules]\ndisabled = ['a']\n"),
            ("rules.disabled", "[]", "[rules]\ndisabled = []\n"),
            ("rules.disabled", "", "[rules]\ndisabled = []\n"),
            ("breaker.threshold", "many", "[breaker]\nthreshold = \"many\"\n"),
        ] {
            assert_eq!(set("", key, typed), written, "{key} {typed}");
        }
    }

    #[test]
    fn a_file_of_comments_keeps_its_head() {
        let text = "#:schema ./x.json\n\n# posture = \"guard\"\n";
        assert_eq!(
            set(text, "posture", "strict"),
            format!("{text}\nposture = \"strict\"\n")
        );
    }

    #[test]
    fn a_table_is_found_however_it_is_written() {
        assert_eq!(
            set("breaker.enabled = true\n", "breaker.threshold", "3"),
            "breaker.enabled = true\nbreaker.threshold = 3\n"
        );
        assert_eq!(
            set("breaker = { enabled = true }\n", "breaker.threshold", "3"),
            "breaker = { enabled = true , threshold = 3 }\n"
        );
    }
}
