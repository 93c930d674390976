//! Logs of OpenTelemetry, as the file exporter writes them: JSON lines, each with some records (`LogsData`).

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Record, Shape};

/// So many records are on a line, so that a reader need not hold all of them.
const BATCH: usize = 256;

/// Lines of records.
#[derive(Default)]
pub(super) struct Batches {
    on_the_line: usize,
}

impl Shape for Batches {
    fn record(&mut self, record: &Record<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
        if self.on_the_line == BATCH {
            self.end(out)?;
        }
        if self.on_the_line == 0 {
            let service = attribute("service.name", &json!("tollgate"));
            let version = json!(record.safe(record.export.version));
            write!(
                out,
                r#"{{"resourceLogs":[{{"resource":{{"attributes":[{service},{}]}},"scopeLogs":[{{"scope":{{"name":"tollgate.ledger"}},"logRecords":["#,
                attribute("service.version", &version)
            )?;
        } else {
            out.write_all(b",")?;
        }
        self.on_the_line += 1;
        write!(out, "{}", log_record(record))
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::take(&mut self.on_the_line) > 0 {
            out.write_all(b"]}]}]}\n")?;
        }
        Ok(())
    }
}

fn log_record(record: &Record<'_, '_>) -> Value {
    let entry = record.entry;
    let nanos = format!("{}000000", record.ms);
    let (number, text) = severity(entry.outcome());
    let rules: Vec<Value> = entry
        .findings
        .iter()
        .map(|finding| json!(record.safe(&finding.rule)))
        .collect();
    let effects: Vec<Value> = entry
        .effects
        .iter()
        .map(|effect| json!(record.safe(effect.as_str())))
        .collect();
    let said = |text: &str| json!(record.safe(text));
    let attributes = [
        ("tollgate.seq", json!(entry.seq)),
        ("tollgate.sha256", json!(record.hash())),
        ("tollgate.kind", said(&entry.kind)),
        ("tollgate.verdict", said(&entry.verdict)),
        ("tollgate.agent", said(&entry.agent.name)),
        ("process.pid", json!(entry.agent.pid)),
        ("session.id", said(&entry.session)),
        ("tollgate.call", said(&entry.call)),
        ("tollgate.tool", said(&entry.request.tool)),
        ("tollgate.rules", Value::Array(rules)),
        ("tollgate.risk", said(entry.risk())),
        ("tollgate.effects", Value::Array(effects)),
        ("process.working_directory", said(&entry.cwd.path)),
        ("tollgate.note", said(&entry.note)),
    ];
    let attributes: Vec<Value> = attributes
        .iter()
        .filter(|(_, value)| !is_empty(value))
        .map(|(key, value)| attribute(key, value))
        .collect();
    json!({
        "timeUnixNano": nanos,
        "observedTimeUnixNano": nanos,
        "severityNumber": number,
        "severityText": text,
        "eventName": format!("tollgate.{}", record.safe(&entry.kind)),
        "body": any(&said(entry.subject())),
        "attributes": attributes,
    })
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

fn attribute(key: &str, value: &Value) -> Value {
    json!({"key": key, "value": any(value)})
}

/// A value as OTLP writes it: whole numbers are texts.
fn any(value: &Value) -> Value {
    match value {
        Value::Array(list) => json!({"arrayValue": {"values": list.iter().map(any).collect::<Vec<_>>()}}),
        Value::Number(number) => json!({"intValue": number.to_string()}),
        other => json!({"stringValue": other}),
    }
}

fn severity(outcome: &str) -> (u8, &'static str) {
    match outcome {
        "deny" => (17, "ERROR"),
        "ask" => (14, "WARN2"),
        "warn" => (13, "WARN"),
        _ => (9, "INFO"),
    }
}
