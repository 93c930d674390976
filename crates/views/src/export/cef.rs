//! ArcSight's Common Event Format, version 0.

use std::io::{self, Write};

use super::{Record, Shape};
use crate::effects::{hosts, paths};

pub(super) struct Events;

impl Shape for Events {
    fn record(&mut self, record: &Record<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
        let entry = record.entry;
        let rule = if entry.rule().is_empty() {
            &entry.kind
        } else {
            entry.rule()
        };
        let name = format!("{} {}", entry.kind, entry.verdict);
        let head = [record.export.version, rule, name.trim()].map(|text| header(&record.safe(text)));
        write!(
            out,
            "CEF:0|Tollgate|tollgate|{}|{}|",
            head.join("|"),
            severity(entry.risk())
        )?;
        let pairs = pairs(record);
        let pairs = pairs.iter().filter(|(_, value)| !value.is_empty());
        let pairs: Vec<String> = pairs
            .map(|(key, value)| format!("{key}={}", extension(value)))
            .collect();
        writeln!(out, "{}", pairs.join(" "))
    }
}

fn pairs(record: &Record<'_, '_>) -> Vec<(&'static str, String)> {
    let entry = record.entry;
    let first = |list: Vec<String>| list.into_iter().next().unwrap_or_default();
    let mut pairs = vec![
        ("rt", record.ms.to_string()),
        ("externalId", entry.seq.to_string()),
        ("act", record.safe(&entry.verdict)),
        ("sproc", record.safe(&entry.agent.name)),
        ("spid", entry.agent.pid.map(|pid| pid.to_string()).unwrap_or_default()),
        ("filePath", record.safe(&first(paths(entry)))),
        ("dhost", record.safe(&first(hosts(entry)))),
        ("msg", record.safe(entry.subject())),
    ];
    for (key, label, label_key, value) in [
        ("cs1", "rule", "cs1Label", entry.rule()),
        ("cs2", "session", "cs2Label", &entry.session),
        ("cs3", "cwd", "cs3Label", &entry.cwd.path),
        ("cs4", "tool", "cs4Label", &entry.request.tool),
        ("cs5", "sha256", "cs5Label", &record.hash()),
    ] {
        if !value.is_empty() {
            pairs.push((key, record.safe(value)));
            pairs.push((label_key, label.to_owned()));
        }
    }
    pairs
}

/// From 0 to 10.
fn severity(risk: &str) -> u8 {
    match risk {
        "critical" => 10,
        "high" => 8,
        "medium" => 5,
        "low" => 3,
        _ => 1,
    }
}

/// A field of the head: it ends at `|`, and the head at the end of the line.
fn header(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace(['\n', '\r'], " ")
}

/// A value behind the head: the next key begins before `=`.
fn extension(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('=', "\\=");
    text.replace('\n', "\\n").replace('\r', "\\r")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_value_ends_a_field_or_begins_another() {
        assert_eq!(header("a|b\\c\nd=e"), "a\\|b\\\\c d=e");
        assert_eq!(extension("a|b\\c\nact=allow\r"), "a|b\\\\c\\nact\\=allow\\r");
    }
}
