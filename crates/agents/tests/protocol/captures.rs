//! Every capture is read as it says, and every answer to it is heard as it says.

use std::fs;
use std::path::{Path, PathBuf};

use agents::json::{self, Json};
use agents::{Agent, Answer, Call};
use policy::{Request, Subject, Verdict};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../captures");

fn captures() -> Vec<(Agent, PathBuf, Json)> {
    let mut found = Vec::new();
    for agent in Agent::ALL {
        let folder = Path::new(FOLDER).join(agent.as_str());
        let mut files: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let capture = json::parse(&fs::read(&file).unwrap()).unwrap();
            found.push((agent, file, capture));
        }
    }
    found
}

fn summary(request: &Request) -> String {
    let subject = match &request.subject {
        Subject::Command(text) | Subject::Url(text) => text.clone(),
        Subject::File { path, delete: true, .. } => format!("{path}, deleted"),
        Subject::File {
            path,
            content: Some(text),
            ..
        } => format!("{path} | {text}"),
        Subject::File { path, .. } => path.clone(),
        Subject::Tool { name, input } => format!("{name} {input}"),
    };
    format!("{} {subject}", request.kind.as_str())
}

/// A call in the words of the captures.
fn describe(call: &Call) -> Json {
    let text = |text: &str| Json::String(text.to_owned());
    Json::Object(
        [
            ("event", text(&call.event)),
            ("tool", text(&call.tool)),
            ("unknown_tool", Json::Bool(call.unknown_tool)),
            (
                "requests",
                Json::Array(call.requests.iter().map(|r| text(&summary(r))).collect()),
            ),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into(),
    )
}

#[test]
fn every_capture_is_read_as_it_says() {
    let captures = captures();
    assert!(captures.len() >= 100);
    for (agent, file, capture) in captures {
        let stdin = capture.get("stdin").unwrap();
        let call = agents::read(agent, stdin.text().as_bytes()).unwrap();
        assert_eq!(Some(&describe(&call)), capture.get("call"), "{}", file.display());
        assert!(
            !call.session.is_empty() && call.cwd.starts_with('/'),
            "{}",
            file.display()
        );
        if call.is_question() {
            assert!(
                call.requests
                    .iter()
                    .all(|r| r.cwd == "/home/ann/shop" || r.cwd == call.cwd)
            );
        }
    }
}

/// The parts that Claude Code named, where an agent sends them under those names.
#[test]
fn the_common_parts_arrive_as_they_are() {
    for (agent, file, capture) in captures() {
        let stdin = capture.get("stdin").unwrap();
        let call = agents::read(agent, stdin.text().as_bytes()).unwrap();
        let same = |name: &str, part: &str| stdin.get(name).is_none_or(|value| value.as_str() == Some(part));
        assert!(
            same("session_id", &call.session) && same("cwd", &call.cwd),
            "{}",
            file.display()
        );
        assert!(same("permission_mode", &call.permission_mode), "{}", file.display());
        if call.is_question() && stdin.get("hook_event_name").is_some() && agent != Agent::Cursor {
            assert!(same("tool_use_id", &call.tool_use_id), "{}", file.display());
            assert_eq!(call.input_digest_source, stdin.get("tool_input").unwrap().text());
        }
    }
}

#[test]
fn v_2601_v_2607_every_answer_to_a_capture_is_heard_as_it_says() {
    for (agent, file, capture) in captures() {
        let call = agents::read(agent, capture.get("stdin").unwrap().text().as_bytes()).unwrap();
        let heard = |verdict, granted| {
            let answer = Answer {
                verdict,
                granted,
                reason: "Rule `x`: a \"reason\" with \\ and\nlines.".to_owned(),
            };
            Json::String(
                crate::clients::hear(agent, &agents::reply(agent, &call, &answer))
                    .word()
                    .to_owned(),
            )
        };
        let answers = Json::Object(
            [
                ("allow", heard(Verdict::Allow, false)),
                ("warn", heard(Verdict::Warn, false)),
                ("ask", heard(Verdict::Ask, false)),
                ("deny", heard(Verdict::Deny, false)),
                ("granted", heard(Verdict::Ask, true)),
            ]
            .map(|(key, value)| (key.to_owned(), value))
            .into(),
        );
        assert_eq!(Some(&answers), capture.get("answers"), "{}", file.display());
    }
}
