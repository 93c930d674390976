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
    assert!(captures.len() >= 38);
    for (agent, file, capture) in captures {
        let stdin = capture.get("stdin").unwrap();
        let call = agents::read(agent, stdin.text().as_bytes()).unwrap();
        assert_eq!(Some(&describe(&call)), capture.get("call"), "{}", file.display());
        let field = |name| stdin.get(name).and_then(Json::as_str).unwrap_or_default();
        assert_eq!(
            (call.session.as_str(), call.cwd.as_str()),
            (field("session_id"), field("cwd"))
        );
        assert_eq!(call.permission_mode, field("permission_mode"));
        if call.is_question() {
            assert_eq!(call.tool_use_id, field("tool_use_id"));
            assert_eq!(call.input_digest_source, stdin.get("tool_input").unwrap().text());
            assert!(call.requests.iter().all(|r| r.cwd == call.cwd));
        }
    }
}

#[test]
fn every_answer_to_a_capture_is_heard_as_it_says() {
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
