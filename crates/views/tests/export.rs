//! The forms in which records leave, as other programs read them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

mod home;

use home::Home;
use ledger::Hash;
use serde_json::{Value, json};
use views::{Export, Filter, Format};

fn export(home: &Home, format: Format, filter: &Filter) -> String {
    let export = Export {
        safe: &|text| text.replace('\u{1b}', "\\x1b"),
        about: &|rule| (rule == "a").then(|| "it is dangerous".into()),
        version: "1.2.3",
    };
    let mut out = Vec::new();
    home.views().export(format, export, filter, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn all(home: &Home, format: Format) -> String {
    export(home, format, &Filter::default())
}

/// What was asked about, denied by way of a file, silenced by an exception, answered from memory, and simply let through.
fn home() -> Home {
    let home = Home::new();
    let time = "2026-11-30T15:41:58.866Z";
    let command = "rm -rf \"x\" | a=b\n\u{1b}, done";
    for record in [
        json!({"seq": 1, "time": time, "kind": "decision", "agent": {"name": "claude", "pid": 7}, "session": "s", "call": "c", "verdict": "ask",
            "request": {"tool": "Bash", "parts": [{"kind": "command.run", "text": command}]}, "cwd": {"path": "/home/ann"},
            "findings": [{"rule": "a", "verdict": "ask", "risk": "critical", "text": "rm -rf", "lost": "all of it", "chain": ["one", "two"]}, {"rule": "b", "verdict": "warn", "risk": "low"}],
            "effects": ["delete /home/ann/x (force) by rm", "fetch example.org by curl"]}),
        json!({"seq": 2, "time": time, "kind": "decision", "agent": {"name": "codex"}, "verdict": "deny", "cwd": {"path": "/w"},
            "request": {"tool": "Write", "parts": [{"kind": "file.write", "text": "ü b"}]}, "findings": [{"rule": "b", "verdict": "deny", "risk": "high"}]}),
        json!({"seq": 3, "time": time, "kind": "decision", "agent": {"name": "claude"}, "verdict": "allow", "decision": {"exception": "b"},
            "request": {"parts": [{"kind": "command.run", "text": "=cmd|' /C calc'!A0"}]}}),
        json!({"seq": 4, "time": time, "kind": "decision", "agent": {"name": "claude"}, "verdict": "ask", "decision": {"granted": "here"}, "findings": [{"rule": "a", "verdict": "ask"}],
            "request": {"parts": [{"kind": "command.run", "text": "x"}]}}),
        json!({"seq": 5, "time": time, "kind": "decision", "agent": {"name": "claude"}, "verdict": "allow", "request": {"parts": [{"kind": "command.run", "text": "ls"}]}}),
        json!({"seq": 6, "time": time, "kind": "config", "note": "posture"}),
    ] {
        home.record(1, &record);
    }
    home
}

#[test]
fn ndjson_is_what_is_stored() {
    let home = home();
    home.raw(1, b"no record\n");
    assert_eq!(all(&home, Format::Ndjson), home.text(1));
    let asked = Filter {
        verdict: Some("ask".into()),
        ..Filter::default()
    };
    let lines = export(&home, Format::Ndjson, &asked);
    assert_eq!(lines.lines().count(), 2);
    assert!(home.text(1).starts_with(lines.lines().next().unwrap()));
}

/// Reads a table as RFC 4180 says.
fn table(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    rows
}

#[test]
fn csv_is_a_table_without_formulas() {
    let rows = table(&all(&home(), Format::Csv));
    assert_eq!(rows.len(), 7);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let column = |name: &str| rows[0].iter().position(|column| column == name).unwrap();
    let cell = |row: usize, name: &str| rows[row][column(name)].as_str();
    assert_eq!(cell(1, "subject"), "rm -rf \"x\" | a=b\n\\x1b, done");
    assert_eq!((cell(1, "rules"), cell(1, "risk")), ("a b", "critical"));
    assert_eq!((cell(1, "paths"), cell(1, "hosts")), ("/home/ann/x", "example.org"));
    assert_eq!(cell(3, "subject"), "'=cmd|' /C calc'!A0");
    let home = home();
    let first = Hash::of(home.text(1).lines().next().unwrap().as_bytes()).hex();
    assert_eq!(cell(1, "sha256"), first);
}

#[test]
fn sarif_holds_findings_as_results_and_lists_the_rules() {
    let log: Value = serde_json::from_str(&all(&home(), Format::Sarif)).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(
        rules
            .iter()
            .map(|rule| rule["id"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ["a", "b"]
    );
    assert_eq!(rules[0]["shortDescription"]["text"], "it is dangerous");
    let results = run["results"].as_array().unwrap();
    let levels: Vec<_> = results.iter().map(|result| result["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["warning", "note", "error", "warning"]);
    for result in results {
        let place = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[place]["id"], result["ruleId"]);
    }
    assert_eq!(results[0]["message"]["text"], "a: rm -rf (at stake: all of it)");
    let uri = |at: usize| {
        results[at]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            .as_str()
            .unwrap()
    };
    assert_eq!((uri(0), uri(2)), ("file:///home/ann/", "file:///w/%C3%BC%20b"));
    // An empty log is a log.
    let empty: Value = serde_json::from_str(&all(&Home::new(), Format::Sarif)).unwrap();
    assert_eq!(empty["runs"][0]["results"], json!([]));
}

#[test]
fn ocsf_is_a_detection_finding_a_line() {
    let text = all(&home(), Format::Ocsf);
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.len(), 6);
    for event in &events {
        let uid = |key: &str| event[key].as_u64().unwrap();
        assert_eq!(
            (uid("class_uid"), uid("category_uid"), uid("type_uid")),
            (2004, 2, 200_401)
        );
        assert_eq!(uid("type_uid"), uid("class_uid") * 100 + uid("activity_id"));
        assert!(event["finding_info"]["title"].is_string() && event["metadata"]["product"]["vendor_name"].is_string());
        assert_eq!(event["time"], 1_796_053_318_866_u64);
    }
    assert_eq!(
        (
            &events[0]["severity_id"],
            &events[0]["action_id"],
            &events[0]["is_alert"]
        ),
        (&json!(5), &json!(99), &json!(true))
    );
    assert_eq!(
        (&events[1]["action_id"], &events[1]["disposition_id"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(
        (
            &events[4]["severity_id"],
            &events[4]["action_id"],
            &events[4]["is_alert"]
        ),
        (&json!(1), &json!(1), &json!(false))
    );
    assert_eq!(events[0]["finding_info"]["analytic"]["uid"], "a");
    assert_eq!(events[0]["actor"]["process"]["pid"], 7);
    assert!(events[4]["finding_info"].get("analytic").is_none());
}

#[test]
fn cef_keeps_one_event_a_line_and_its_fields_apart() {
    let text = all(&home(), Format::Cef);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6);
    assert!(
        lines[0].starts_with("CEF:0|Tollgate|tollgate|1.2.3|a|decision ask|10|rt=1796053318866 externalId=1 act=ask "),
        "{}",
        lines[0]
    );
    assert!(
        lines[0].contains(r#"msg=rm -rf "x" | a\=b\n\\x1b, done "#),
        "{}",
        lines[0]
    );
    assert!(
        lines[0].contains("filePath=/home/ann/x dhost=example.org"),
        "{}",
        lines[0]
    );
    assert!(lines[5].contains("|config|config|1|"), "{}", lines[5]);
}

#[test]
fn otlp_is_lines_of_log_records() {
    let mut home = home();
    home.write(1, 300);
    let text = all(&home, Format::Otlp);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let records = |line: &Value| {
        line["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
            .as_array()
            .unwrap()
            .clone()
    };
    assert_eq!(
        lines.iter().map(|line| records(line).len()).collect::<Vec<_>>(),
        [256, 50]
    );
    let first = &records(&lines[0])[0];
    assert_eq!(first["timeUnixNano"], "1796053318866000000");
    assert_eq!(
        (&first["severityNumber"], &first["body"]["stringValue"]),
        (&json!(14), &json!("rm -rf \"x\" | a=b\n\\x1b, done"))
    );
    let attribute = |key: &str| {
        first["attributes"]
            .as_array()
            .unwrap()
            .iter()
            .find(|a| a["key"] == key)
            .unwrap()["value"]
            .clone()
    };
    assert_eq!(attribute("tollgate.seq"), json!({"intValue": "1"}));
    assert_eq!(
        attribute("tollgate.rules"),
        json!({"arrayValue": {"values": [{"stringValue": "a"}, {"stringValue": "b"}]}})
    );
    assert_eq!(
        lines[1]["resourceLogs"][0]["resource"]["attributes"][0]["value"]["stringValue"],
        "tollgate"
    );
    assert_eq!(all(&Home::new(), Format::Otlp), "");
}

#[test]
fn m_61_v_2401_v_2402_the_text_form_is_chained_blocks_of_what_was_not_simply_let_through() {
    let text = all(&home(), Format::PolicyLog);
    let blocks: Vec<&str> = text.split("---\n").filter(|block| !block.is_empty()).collect();
    assert_eq!(blocks.len(), 4);
    let mut prev = "0".repeat(64);
    for block in &blocks {
        let (body, chain) = block.split_once("Chain: ").unwrap();
        prev = Hash::of(format!("{prev}{body}").as_bytes()).hex();
        assert_eq!(chain.trim_end(), prev);
        assert_eq!(block.lines().count(), 4, "line ends are escaped: {block}");
    }
}

#[test]
fn v_2403_v_2404_a_block_says_verdict_rule_and_agent_and_what_silenced_a_rule() {
    let text = all(&home(), Format::PolicyLog);
    let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("Command: ")).collect();
    assert_eq!(
        commands,
        [
            "ASK [a] agent=claude",
            "DENY [b] agent=codex",
            "ALLOW [allow_exception:b] agent=claude",
            "ALLOW [approval_cache:a] agent=claude"
        ]
    );
    let outputs: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("Output: ")).collect();
    assert_eq!(outputs[0], r#"rm -rf "x" | a=b\n\\x1b, done"#);
}
