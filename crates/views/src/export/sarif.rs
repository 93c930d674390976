//! SARIF 2.1.0: each finding is a result. The rules stand behind the results, so that only their names have to be kept.

use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Export, Record, Shape, object};
use crate::entry::Finding;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A log of one run.
pub(super) struct Log<'a> {
    export: Export<'a>,
    /// The rules in the order in which they came, and the place of each.
    rules: Vec<String>,
    places: HashMap<String, usize>,
    some: bool,
}

impl<'a> Log<'a> {
    pub(super) fn new(export: Export<'a>) -> Self {
        Self {
            export,
            rules: Vec::new(),
            places: HashMap::new(),
            some: false,
        }
    }

    fn place(&mut self, rule: &str) -> usize {
        if let Some(place) = self.places.get(rule) {
            return *place;
        }
        let place = self.rules.len();
        self.rules.push(rule.to_owned());
        self.places.insert(rule.to_owned(), place);
        place
    }

    fn rule(&self, id: &str) -> Value {
        let why = (self.export.about)(id);
        let text = (self.export.safe)(why.as_deref().unwrap_or(id));
        let id = (self.export.safe)(id);
        json!({"id": id, "shortDescription": {"text": text}})
    }
}

impl Shape for Log<'_> {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, r#"{{"$schema":"{SCHEMA}","version":"2.1.0","runs":[{{"results":["#)
    }

    fn record(&mut self, record: &Record<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
        for (number, finding) in record.entry.findings.iter().enumerate() {
            let place = self.place(&finding.rule);
            if std::mem::replace(&mut self.some, true) {
                out.write_all(b",\n")?;
            }
            write!(out, "{}", result(record, number, finding, place))?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let rules: Vec<Value> = self.rules.iter().map(|id| self.rule(id)).collect();
        let driver = json!({"name": "tollgate", "version": self.export.version, "rules": rules});
        writeln!(
            out,
            r#"],"tool":{{"driver":{driver}}},"columnKind":"unicodeCodePoints"}}]}}"#
        )
    }
}

fn result(record: &Record<'_, '_>, number: usize, finding: &Finding<'_>, place: usize) -> Value {
    let entry = record.entry;
    let said = if finding.text.is_empty() {
        entry.subject()
    } else {
        &finding.text
    };
    let mut message = format!("{}: {}", record.safe(&finding.rule), record.safe(said));
    if !finding.lost.is_empty() {
        message.push_str(&format!(" (at stake: {})", record.safe(&finding.lost)));
    }
    json!({
        "ruleId": record.safe(&finding.rule),
        "ruleIndex": place,
        "level": level(&finding.verdict),
        "message": {"text": message},
        "locations": [location(record, finding)],
        "partialFingerprints": {"tollgateFinding/v1": format!("{}:{number}", record.hash())},
        "properties": {
            "seq": entry.seq,
            "time": record.safe(&entry.time),
            "agent": record.safe(&entry.agent.name),
            "session": record.safe(&entry.session),
            "subject": record.safe(entry.subject()),
            "verdict": record.safe(&finding.verdict),
            "risk": record.safe(&finding.risk),
            "chain": finding.chain.iter().map(|step| record.safe(step.as_str())).collect::<Vec<_>>(),
        },
    })
}

/// The file that was asked for, or the folder in which the command would have run.
fn location(record: &Record<'_, '_>, finding: &Finding<'_>) -> Value {
    let entry = record.entry;
    let names = [entry.agent.name.as_ref(), &entry.session, &entry.call];
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    let logical = json!([{
        "name": record.safe(&entry.request.tool), "fullyQualifiedName": record.safe(&names.join("/")),
    }]);
    let part = entry.request.parts.get(finding.part);
    let file = part
        .filter(|part| part.kind.starts_with("file."))
        .map(|part| part.text.as_ref());
    let cwd = entry.cwd.path.trim_end_matches('/');
    let path = match file {
        Some(file) if file.starts_with('/') => file.to_owned(),
        Some(file) => format!("{cwd}/{file}"),
        None => format!("{cwd}/"),
    };
    let uri = path.starts_with('/').then(|| uri(&record.safe(&path)));
    let physical = uri.map(|uri| json!({"artifactLocation": {"uri": uri}}));
    object([("logicalLocations", logical), ("physicalLocation", json!(physical))])
}

/// The address of a file, with every byte escaped that is no part of a plain name.
fn uri(path: &str) -> String {
    let mut uri = String::from("file://");
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn level(verdict: &str) -> &'static str {
    match verdict {
        "deny" => "error",
        "ask" => "warning",
        "warn" => "note",
        _ => "none",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_holds_nothing_that_means_something_there() {
        assert_eq!(uri("/a b/ü#?%"), "file:///a%20b/%C3%BC%23%3F%25");
    }
}
