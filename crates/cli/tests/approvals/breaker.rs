//! An agent that is refused too often, and what status says of it.

use std::fs;

use serde_json::{Value, json};

use crate::home::{Home, WIPE, people};

#[test]
fn v_3101_v_3103_v_3110_an_agent_that_is_refused_too_often_may_only_read() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    for n in 0..5 {
        let (told, reason) = agent.asks(&format!("rm -rf ~/{n}"));
        assert!(told == "deny" && !reason.contains("circuit_breaker"), "{n}: {reason}");
    }
    assert_eq!(home.last("locked")["agent"]["name"], "codex");
    let (told, reason) = agent.asks("npm test");
    assert_eq!(told, "deny");
    for part in ["circuit_breaker", "5 calls", "60 seconds", "tollgate unlock"] {
        assert!(reason.contains(part), "{part}: {reason}");
    }
    for reads in ["git status", "cat README.md", "ls -la", "grep -rn x src"] {
        assert_eq!(agent.asks(reads).0, "", "{reads}");
    }
    // Another agent's process goes on.
    let mut other = home.agent();
    assert_eq!(other.asks("npm test").0, "");
    drop(other);
    let (code, out) = home.person("tollgate unlock");
    assert!(code == 0 && out.contains("Unlocked."), "{out}");
    assert_eq!(agent.asks("npm test").0, "");
    home.configure("[breaker]\nenabled = false\n");
    for n in 0..7 {
        agent.asks(&format!("rm -rf ~/{n}"));
    }
    assert_eq!(agent.asks("npm test").0, "");
}

#[test]
fn v_3106_what_a_person_is_asked_and_what_is_let_through_is_not_counted() {
    let home = Home::new();
    let mut agent = home.agent();
    for n in 0..7 {
        assert_eq!(agent.asks_as("claude", "default", &format!("rm -rf ~/{n}")).0, "ask");
        assert_eq!(agent.asks("ls").0, "");
    }
    assert_eq!(agent.asks_as("claude", "default", "npm test").0, "");
}

#[test]
fn status_says_what_waits_who_is_locked_and_what_is_broken() {
    let home = Home::new();
    let (code, out) = home.nobody("tollgate status");
    assert!(
        code == 0 && out.contains("posture      guard") && out.contains("nothing waits"),
        "{out}"
    );
    assert!(out.contains("not found here: Claude Code, Cline, Codex"), "{out}");
    let mut agent = home.agent();
    for n in 0..5 {
        agent.asks(&format!("rm -rf ~/{n}"));
    }
    fs::create_dir(home.at("config/policies")).unwrap();
    fs::write(home.at("config/policies/a.yml"), "actions: [").unwrap();
    let (code, out) = home.nobody("tollgate status --json");
    let status: Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert_eq!((code, status["waiting"].as_array().unwrap().len()), (125, 5));
    assert!(status["broken"][0].as_str().unwrap().contains("a.yml"), "{status}");
    assert!(
        status["locked"][0]["agent"]
            .as_str()
            .unwrap()
            .starts_with("codex (process "),
        "{status}"
    );
}

#[test]
fn v_3104_file_tools_count_and_are_refused_while_an_agent_is_locked() {
    let home = Home::new();
    let mut agent = home.agent();
    let mut edits = |path: &str, tool: &str| {
        let question = json!({
            "session_id": "s-1", "transcript_path": "/tmp/t", "cwd": home.at("work"), "permission_mode": "bypassPermissions",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_use_id": "t-1",
            "tool_input": {"file_path": path, "content": "x"},
        });
        fs::write(home.at("question"), question.to_string()).unwrap();
        let line = format!("exec tollgate hook --agent claude < {}", home.at("question").display());
        agent.runs(&line).1
    };
    for n in 0..5 {
        let path = home.at(&format!("home/.ssh/config{n}"));
        let said = edits(&path.to_string_lossy(), "Write");
        assert!(
            said.contains("deny") && !said.contains("circuit_breaker"),
            "{n}: {said}"
        );
    }
    let file = home.at("work/a.txt");
    assert!(edits(&file.to_string_lossy(), "Write").contains("circuit_breaker"));
    assert_eq!(edits(&file.to_string_lossy(), "Read"), "");
}

#[test]
fn v_3108_a_yes_does_not_open_a_lock() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    let id = agent.waits(WIPE);
    for n in 0..5 {
        agent.asks(&format!("rm -rf ~/{n}"));
    }
    home.approves(&id, "");
    let (told, reason) = agent.asks(WIPE);
    assert!(told == "deny" && reason.contains("circuit_breaker"), "{reason}");
    assert_eq!(home.person("tollgate unlock").0, 0);
    assert_eq!(agent.asks(WIPE).0, "", "the yes was not used up meanwhile");
}
