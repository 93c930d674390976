//! The Open Cybersecurity Schema Framework: each record is a Detection Finding (class 2004) with the profile
//! `security_control`. It is the class that holds who did something, which rule spoke, and what was done about it.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Record, Shape, object};
use crate::effects::{hosts, paths};

pub(super) struct Events;

impl Shape for Events {
    fn record(&mut self, record: &Record<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", event(record))
    }
}

fn event(record: &Record<'_, '_>) -> Value {
    let entry = record.entry;
    let (severity_id, severity) = severity(entry.risk());
    let ((action_id, action), (disposition_id, disposition)) = outcome(&entry.verdict);
    json!({
        "class_uid": 2004, "class_name": "Detection Finding",
        "category_uid": 2, "category_name": "Findings",
        "activity_id": 1, "activity_name": "Create",
        "type_uid": 200_401, "type_name": "Detection Finding: Create",
        "time": record.ms,
        "severity_id": severity_id, "severity": severity,
        "action_id": action_id, "action": action,
        "disposition_id": disposition_id, "disposition": disposition,
        "is_alert": matches!(entry.verdict.as_ref(), "ask" | "deny"),
        "message": record.title(),
        "metadata": metadata(record),
        "finding_info": finding(record),
        "actor": actor(record),
        "evidences": evidences(record),
        "unmapped": {
            "kind": record.safe(&entry.kind),
            "verdict": record.safe(&entry.verdict),
            "rules": entry.findings.iter().map(|finding| record.safe(&finding.rule)).collect::<Vec<_>>(),
            "classes": entry.classes.iter().map(|class| record.safe(class.as_str())).collect::<Vec<_>>(),
            "cwd": record.safe(&entry.cwd.path),
            "note": record.safe(&entry.note),
        },
    })
}

fn metadata(record: &Record<'_, '_>) -> Value {
    let entry = record.entry;
    json!({
        "version": "1.4.0",
        "profiles": ["security_control"],
        "product": {"name": "tollgate", "vendor_name": "Tollgate", "version": record.safe(&entry.version)},
        "log_name": "ledger",
        "uid": record.hash(),
        "sequence": entry.seq,
        "correlation_uid": record.safe(&entry.session),
        "original_time": record.safe(&entry.time),
    })
}

fn finding(record: &Record<'_, '_>) -> Value {
    let rule = record.entry.rule();
    let uid = record.safe(rule);
    let analytic = (!rule.is_empty()).then(|| json!({"uid": uid, "name": uid, "type_id": 1, "type": "Rule"}));
    let why = (record.export.about)(rule).map(|why| record.safe(&why));
    object([
        ("uid", json!(record.hash())),
        ("title", json!(record.title())),
        ("created_time", json!(record.ms)),
        ("analytic", json!(analytic)),
        ("desc", json!(why)),
    ])
}

fn actor(record: &Record<'_, '_>) -> Value {
    let agent = &record.entry.agent;
    let name = record.safe(&agent.name);
    let process = agent.pid.map(|pid| json!({"pid": pid, "name": name}));
    object([
        ("app_name", json!(name)),
        ("session", json!({"uid": record.safe(&record.entry.session)})),
        ("process", json!(process)),
    ])
}

/// What was asked for, what it would touch.
fn evidences(record: &Record<'_, '_>) -> Vec<Value> {
    let entry = record.entry;
    let parts = entry.request.parts.iter().map(|part| {
        let text = record.safe(&part.text);
        match part.kind.as_ref() {
            "command.run" => json!({"process": {"cmd_line": text}}),
            _ => json!({"data": {"kind": record.safe(&part.kind), "text": text}}),
        }
    });
    let files = paths(entry).into_iter().map(|path| {
        let name = path.rsplit('/').next().unwrap_or_default();
        json!({"file": {"path": record.safe(&path), "name": record.safe(name), "type_id": 0}})
    });
    let hosts = hosts(entry)
        .into_iter()
        .map(|host| json!({"dst_endpoint": {"hostname": record.safe(&host)}}));
    parts.chain(files).chain(hosts).collect()
}

fn severity(risk: &str) -> (u8, &'static str) {
    match risk {
        "low" => (2, "Low"),
        "medium" => (3, "Medium"),
        "high" => (4, "High"),
        "critical" => (5, "Critical"),
        _ => (1, "Informational"),
    }
}

/// Action and disposition. An ask is neither allowed nor denied: what became of it is another record.
fn outcome(verdict: &str) -> ((u8, &'static str), (u8, &'static str)) {
    match verdict {
        "allow" | "warn" => ((1, "Allowed"), (1, "Allowed")),
        "deny" => ((2, "Denied"), (2, "Blocked")),
        "ask" => ((99, "Asked"), (99, "Asked")),
        _ => ((3, "Observed"), (17, "Logged")),
    }
}
