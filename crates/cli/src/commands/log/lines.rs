//! One record on one line, and as an object.

use serde_json::{Value, json};
use views::Entry;

use crate::view;

/// The widest text of a request that is shown whole.
const WIDEST: usize = 120;
/// As wide as the longest kind of record, and as most names of agents.
const OUTCOME: usize = 9;
const AGENT: usize = 8;

/// One record on one line, for people.
pub(super) fn line(bytes: &[u8]) -> String {
    let Some(entry) = Entry::parse(bytes) else {
        return view::one_line(&String::from_utf8_lossy(bytes));
    };
    let Entry { seq, time, .. } = &entry;
    let (outcome, who) = said(&entry);
    let mut line = format!("{seq:>6} {time} {outcome:<OUTCOME$} {who:<AGENT$}");
    if !entry.rule().is_empty() {
        line.push_str(&format!(" [{}]", entry.rule()));
    }
    line.push(' ');
    line.push_str(&view::head(&entry.subject().replace('\n', "\u{23ce} "), WIDEST));
    view::one_line(&line)
}

/// What came of it and who wanted it; a person's answer is a person's.
fn said<'e>(entry: &'e Entry<'_>) -> (&'e str, &'e str) {
    match (entry.kind.as_ref(), entry.verdict.as_ref()) {
        ("approval", "allow") => ("yes", "person"),
        ("approval", "deny") => ("no", "person"),
        _ => (entry.outcome(), &entry.agent.name),
    }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

    use serde_json::json;

    use super::line;

    fn shown(kind: &str, verdict: &str, agent: &str) -> String {
        let record = json!({
            "format": 1, "seq": 7, "time": "2026-01-01T00:00:00.000Z", "kind": kind, "verdict": verdict, "agent": {"name": agent},
            "prev": "", "hash": "",
        });
        line(record.to_string().as_bytes())
    }

    #[test]
    fn kinds_of_any_length_leave_the_columns_where_they_are() {
        let at = |shown: String| shown.find("claude").unwrap();
        let usual = at(shown("decision", "ask", "claude"));
        for kind in ["unvouched", "recovered", "malformed", "run_head"] {
            assert_eq!(at(shown(kind, "", "claude")), usual, "{kind}");
        }
    }

    #[test]
    fn a_persons_answer_is_a_persons() {
        assert!(shown("approval", "allow", "tollgate").contains("yes       person"));
        assert!(shown("approval", "deny", "tollgate").contains("no        person"));
        assert!(shown("decision", "allow", "claude").contains("allow     claude"));
    }
}
