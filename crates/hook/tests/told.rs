//! What an agent tells without asking, by the program itself: what is recorded, what a person is told, what is let go.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use agents::{Agent, Hook};
use serde_json::{Value, json};

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("home/shop/.git")).unwrap();
        Self { folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join("home").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The hook hears something, with these variables.
    fn hear(&self, agent: &str, news: &str, variables: &[(&str, &str)]) -> Output {
        let mut hook = Command::new(env!("CARGO_BIN_EXE_tollgate-hook"));
        hook.args([agent, "--news"]).env_clear().env("HOME", self.at(""));
        hook.envs(variables.iter().copied());
        hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = hook.spawn().unwrap();
        child.stdin.take().unwrap().write_all(news.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    fn start(&self, variables: &[(&str, &str)]) -> String {
        let output = self.hear(
            "claude",
            &self.news("SessionStart", json!({"source": "startup"})),
            variables,
        );
        assert!(output.status.success());
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            self.last()["note"].as_str().is_some(),
            said["systemMessage"].as_str().unwrap().contains("Warning")
        );
        said["systemMessage"].as_str().unwrap().to_owned()
    }

    fn news(&self, event: &str, more: Value) -> String {
        let mut news = json!({"session_id": "s", "cwd": self.at("shop"), "hook_event_name": event});
        news.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        news.to_string()
    }

    fn records(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.at(".local/state/tollgate/ledger/000001.ndjson")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn last(&self) -> Value {
        self.records().pop().unwrap()
    }

    /// The settings as `install` writes them, with another handler beside ours.
    fn settings(&self, change: impl Fn(&mut Value)) {
        let at = |name: &str| self.at(name).to_string_lossy().into_owned();
        let hook: Hook = Agent::Claude.hook(&agents::Places {
            hook: at(".local/share/tollgate/bin/tollgate-hook"),
            config: at(".config/tollgate"),
            state: at(".local/state/tollgate"),
            data: at(".local/share/tollgate"),
        });
        let handler: Value = serde_json::from_str(&hook.handler_json().text()).unwrap();
        let mut settings = json!({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [handler]}]}});
        change(&mut settings);
        self.write(".claude/settings.json", &format!("// mine\n{settings}"));
    }
}

#[test]
fn a_session_begins_with_a_line_and_nothing_else_where_all_is_well() {
    let bench = Bench::new();
    bench.settings(|_| ());
    assert_eq!(bench.start(&[]), "Tollgate guards this session (posture guard).");
    let record = bench.last();
    assert_eq!(
        (record["kind"].as_str(), record["request"]["event"].as_str()),
        (Some("news"), Some("SessionStart"))
    );
    bench.write(".config/tollgate/config.toml", "posture = \"observe\"\n");
    assert!(
        bench
            .start(&[])
            .contains("holds nothing in this session (posture observe)")
    );
}

#[test]
fn a_session_begins_with_a_warning_where_the_gate_is_passed_by() {
    let bench = Bench::new();
    let warns = |said: &str, variables: &[(&str, &str)]| {
        let line = bench.start(variables);
        assert!(line.contains("Warning: ") && line.contains(said), "{line}");
        assert!(bench.last()["note"].as_str().unwrap().contains(said));
    };
    bench.settings(|_| ());
    warns(
        "`ANTHROPIC_BASE_URL` leads the agent to `evil.example`",
        &[("ANTHROPIC_BASE_URL", "https://evil.example/v1")],
    );
    bench.settings(|all| all["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = 1.into());
    warns("is not the one of this version", &[]);
    bench.settings(|all| {
        let other = json!({"hooks": [{"type": "command", "command": "/opt/other"}]});
        all["hooks"]["PreToolUse"].as_array_mut().unwrap().push(other);
    });
    warns("somebody else is asked about calls, too: `/opt/other`", &[]);
    bench.settings(|_| ());
    bench.write(
        "shop/.claude/settings.json",
        "{\n  \"disableAllHooks\": true, // for now\n}",
    );
    warns("`disableAllHooks` in", &[]);
}

#[test]
fn what_a_call_came_to_is_recorded_and_never_what_came_out() {
    let bench = Bench::new();
    let call =
        json!({"tool_name": "Bash", "tool_input": {"command": "cat notes"}, "tool_use_id": "t1", "duration_ms": 63});
    let with = |more: Value| {
        let mut news = call.clone();
        news.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        news
    };
    let done = bench.news(
        "PostToolUse",
        with(json!({"tool_response": {"stdout": "the hidden words", "stderr": ""}})),
    );
    let output = bench.hear("claude", &done, &[]);
    assert!(output.status.success() && output.stdout.is_empty());
    let failed = bench.news(
        "PostToolUseFailure",
        with(json!({"error": "Exit code 3\nthe hidden words"})),
    );
    bench.hear("claude", &failed, &[]);
    let prompt = bench.news("UserPromptSubmit", json!({"prompt": "the hidden words"}));
    bench.hear("claude", &prompt, &[]);
    let records = bench.records();
    let outcomes: Vec<&Value> = records.iter().map(|record| &record["outcome"]).collect();
    assert_eq!(outcomes[0]["failed"], false);
    assert_eq!(
        (outcomes[0]["ms"].as_u64(), outcomes[0]["bytes"].as_u64()),
        (Some(63), Some(41))
    );
    assert_eq!(
        (&outcomes[1]["failed"], outcomes[1]["exit"].as_i64()),
        (&Value::Bool(true), Some(3))
    );
    assert_eq!(records[0]["call"], "t1");
    assert_eq!(records[2]["request"]["parts"][0]["bytes"], 16);
    assert!(!records.iter().any(|record| record.to_string().contains("hidden")));
    // The decision about the call has the same digest.
    let question = json!({"tool_name": "Bash", "tool_input": {"command": "cat notes"}, "tool_use_id": "t1"});
    bench.hear("claude", &bench.news("PreToolUse", question), &[]);
    assert_eq!(bench.last()["request"]["digest"], records[0]["request"]["digest"]);
}

#[test]
fn changed_settings_are_decided_like_a_write() {
    let bench = Bench::new();
    let change = |file: &str| {
        let news = json!({"source": "project_settings", "file_path": bench.at(file)});
        let output = bench.hear("claude", &bench.news("ConfigChange", news), &[]);
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let said: Value = serde_json::from_str(&change("shop/.claude/settings.json")).unwrap();
    assert_eq!(said["decision"], "block");
    assert!(said["reason"].as_str().unwrap().contains("Tollgate"), "{said}");
    let record = bench.last();
    assert_eq!(
        (record["kind"].as_str(), record["request"]["event"].as_str()),
        (Some("decision"), Some("ConfigChange"))
    );
    assert_eq!(change("shop/notes.md"), "");
}

#[test]
fn news_that_cannot_be_read_or_recorded_stops_nothing_and_a_question_still_is_one() {
    let bench = Bench::new();
    for news in ["", "{", "[]", r#"{"hook_event_name":"PostToolUse"}"#] {
        let output = bench.hear("claude", news, &[]);
        assert!(
            output.status.success() && output.stdout.is_empty(),
            "{news}: {output:?}"
        );
    }
    // Where it stands before a call, it is asked.
    let deadly = json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf ~"}, "permission_mode": "plan"});
    let output = bench.hear("claude", &bench.news("PreToolUse", deadly), &[]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("deny"), "{output:?}");
    fs::write(bench.at(".local/state/tollgate/ledger/000001.ndjson"), "").unwrap();
    let output = bench.hear("claude", &bench.news("Stop", json!({})), &[]);
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
}
