//! How the real clients read a hook's answer, as measured with their real programs.

use agents::json::{self, Json};
use agents::{Agent, Reply};

/// What a client makes of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// No opinion: the client's own rules go on.
    Nothing,
    /// The call runs without the client's own question.
    Allow,
    /// A person is asked.
    Ask(String),
    /// The call does not run.
    Deny(String),
    /// A failed hook: the call runs.
    Failed,
}

impl Heard {
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Allow => "allow",
            Self::Ask(_) => "ask",
            Self::Deny(_) => "deny",
            Self::Failed => "failed",
        }
    }
}

/// What the client makes of the exit code and what stands on the two streams.
pub(crate) fn hear(agent: Agent, reply: &Reply) -> Heard {
    let (out, err) = (reply.stdout.trim_ascii(), reply.stderr.trim_ascii());
    let words = || Heard::Deny(String::from_utf8_lossy(err).into_owned());
    match (agent, reply.code) {
        (Agent::Cline, _) => cline(out),
        (Agent::Opencode, 0) => opencode(out),
        (Agent::Opencode, _) => Heard::Deny("its plugin throws".to_owned()),
        (Agent::Copilot, 0) => copilot(out),
        (Agent::Copilot, _) => Heard::Deny("its hook failed".to_owned()),
        (Agent::Cursor, 0) => cursor(out),
        (Agent::Cursor, 2) if !out.is_empty() => Heard::Deny(String::from_utf8_lossy(out).into_owned()),
        // With `failClosed` every other failure is a denial.
        (Agent::Cursor, _) => words(),
        (Agent::Windsurf | Agent::Droid, 2) => words(),
        (Agent::Windsurf | Agent::Droid, 0) => Heard::Nothing,
        (Agent::Gemini, 0) if out.is_empty() && !err.is_empty() => gemini(err),
        (_, 2) if !err.is_empty() => words(),
        (Agent::Claude, 2) => Heard::Deny(String::new()),
        (Agent::Gemini, code) if code > 2 && !err.is_empty() => words(),
        (_, 0) if out.is_empty() => Heard::Nothing,
        (Agent::Claude, 0) => claude(out),
        (Agent::Codex, 0) => codex(out),
        (Agent::Gemini, 0) => gemini(out),
        (Agent::Qwen, 0) => qwen(out),
        _ => Heard::Failed,
    }
}

/// The string of that name.
fn text<'j>(answer: &'j Json, name: &str) -> &'j str {
    answer.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn gemini(answer: &[u8]) -> Heard {
    let Ok(answer @ Json::Object(_)) = json::parse(answer) else {
        return Heard::Failed;
    };
    match text(&answer, "decision") {
        "deny" | "block" => Heard::Deny(text(&answer, "reason").to_owned()),
        // Its dialog waits for ever where there is no terminal.
        "ask" => Heard::Ask(text(&answer, "reason").to_owned()),
        _ => Heard::Nothing,
    }
}

/// It reads Claude Code's object.
fn qwen(answer: &[u8]) -> Heard {
    match claude(answer) {
        Heard::Nothing => Heard::Failed,
        heard => heard,
    }
}

fn copilot(answer: &[u8]) -> Heard {
    let Ok(answer @ Json::Object(_)) = json::parse(answer) else {
        return Heard::Nothing;
    };
    let reason = text(&answer, "permissionDecisionReason").to_owned();
    match text(&answer, "permissionDecision") {
        "allow" => Heard::Allow,
        "ask" => Heard::Ask(reason),
        "deny" => Heard::Deny(reason),
        _ => Heard::Nothing,
    }
}

fn cline(answer: &[u8]) -> Heard {
    match json::parse(answer) {
        Ok(answer) if answer.get("cancel") == Some(&Json::Bool(true)) => {
            Heard::Deny(text(&answer, "errorMessage").to_owned())
        }
        _ => Heard::Nothing,
    }
}

/// The plugin that we write: everything but a plain `pass` throws.
fn opencode(answer: &[u8]) -> Heard {
    let answer = json::parse(answer).unwrap_or(Json::Null);
    match text(&answer, "decision") {
        "pass" => Heard::Nothing,
        "deny" => Heard::Deny(text(&answer, "reason").to_owned()),
        _ => Heard::Deny("its plugin throws".to_owned()),
    }
}

/// Before a tool it knows `deny`, and takes what is no object for one; an `ask` would run.
fn cursor(answer: &[u8]) -> Heard {
    let Ok(answer @ Json::Object(_)) = json::parse(answer) else {
        return Heard::Deny("an invalid answer".to_owned());
    };
    match text(&answer, "permission") {
        "" | "allow" => Heard::Nothing,
        "ask" => Heard::Failed,
        "deny" => Heard::Deny(text(&answer, "agent_message").to_owned()),
        _ => Heard::Deny("an invalid answer".to_owned()),
    }
}

fn claude(stdout: &[u8]) -> Heard {
    // Text that is no JSON object counts as no opinion, not as a failure.
    let Ok(Json::Object(answer)) = json::parse(stdout) else {
        return Heard::Nothing;
    };
    let Some(opinion) = answer.get("hookSpecificOutput") else {
        return Heard::Nothing;
    };
    if opinion.get("hookEventName").and_then(Json::as_str) != Some("PreToolUse") {
        return Heard::Failed;
    }
    let reason = opinion
        .get("permissionDecisionReason")
        .and_then(Json::as_str)
        .unwrap_or_default()
        .to_owned();
    match opinion.get("permissionDecision").and_then(Json::as_str) {
        Some("allow") => Heard::Allow,
        Some("ask") => Heard::Ask(reason),
        Some("deny") => Heard::Deny(reason),
        _ => Heard::Failed,
    }
}

fn codex(stdout: &[u8]) -> Heard {
    let Ok(Json::Object(answer)) = json::parse(stdout) else {
        return Heard::Failed;
    };
    let Some(opinion) = answer.get("hookSpecificOutput").and_then(Json::as_object) else {
        return Heard::Failed;
    };
    let known = ["hookEventName", "permissionDecision", "permissionDecisionReason"];
    if answer.len() > 1 || !opinion.keys().all(|key| known.contains(&key.as_str())) {
        return Heard::Failed;
    }
    let text = |key| opinion.get(key).and_then(Json::as_str).unwrap_or_default();
    let reason = text("permissionDecisionReason");
    match (
        text("hookEventName"),
        text("permissionDecision"),
        reason.trim().is_empty(),
    ) {
        ("PreToolUse", "deny", false) => Heard::Deny(reason.to_owned()),
        _ => Heard::Failed,
    }
}

/// One harmless question of each agent, as its client writes it: an event, a session, a folder `/w`, a shell, and `ls`.
pub(crate) fn question(agent: Agent) -> &'static str {
    match agent {
        Agent::Droid => {
            r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"Execute","tool_input":{"command":"ls"}}"#
        }
        Agent::Claude | Agent::Codex => {
            r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"Bash","tool_input":{"command":"ls"}}"#
        }
        Agent::Gemini => {
            r#"{"hook_event_name":"BeforeTool","session_id":"s","cwd":"/w","tool_name":"run_shell_command","tool_input":{"command":"ls"}}"#
        }
        Agent::Qwen => {
            r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"run_shell_command","tool_input":{"command":"ls"}}"#
        }
        Agent::Opencode => {
            r#"{"hook_event_name":"tool.execute.before","session_id":"s","cwd":"/w","tool_name":"bash","tool_input":{"command":"ls"}}"#
        }
        Agent::Copilot => r#"{"sessionId":"s","cwd":"/w","toolName":"bash","toolArgs":{"command":"ls"}}"#,
        Agent::Cline => {
            r#"{"hookName":"tool_call","taskId":"s","workspaceRoots":["/w"],"tool_call":{"name":"run_commands","input":{"commands":["ls"]}}}"#
        }
        Agent::Cursor => {
            r#"{"hook_event_name":"preToolUse","conversation_id":"s","cwd":"/w","tool_name":"Shell","tool_input":{"command":"ls"}}"#
        }
        Agent::Windsurf => {
            r#"{"agent_action_name":"pre_run_command","trajectory_id":"s","tool_info":{"cwd":"/w","command_line":"ls"}}"#
        }
    }
}
