//! One record on one line, and as an object.

use serde_json::{Value, json};
use views::Entry;

use crate::view;

/// The widest text of a request that is shown whole.
const WIDEST: usize = 120;

/// One record on one line, for people.
pub(super) fn line(bytes: &[u8]) -> String {
    let Some(entry) = Entry::parse(bytes) else {
        return view::one_line(&String::from_utf8_lossy(bytes));
    };
    let Entry { seq, time, .. } = &entry;
    let agent = &entry.agent.name;
    let mut line = format!("{seq:>6} {time} {:<6} {agent:<7}", entry.outcome());
    if !entry.rule().is_empty() {
        line.push_str(&format!(" [{}]", entry.rule()));
    }
    line.push(' ');
    line.push_str(&view::head(&entry.subject().replace('\n', "\u{23ce} "), WIDEST));
    view::one_line(&line)
}

/// A record for programs: all its fields, and no text that could steer a terminal.
pub(super) fn object(bytes: &[u8]) -> Value {
    match serde_json::from_slice(bytes) {
        Ok(record) => safe(record),
        Err(_) => json!({"unreadable": view::safe(&String::from_utf8_lossy(bytes))}),
    }
}

fn safe(value: Value) -> Value {
    match value {
        Value::String(text) => view::safe(&text).into(),
        Value::Array(list) => list.into_iter().map(safe).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (view::safe(&key), safe(value)))
            .collect(),
        other => other,
    }
}
