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

pub(crate) fn hear(agent: Agent, reply: &Reply) -> Heard {
    match (reply.code, agent) {
        (2, _) if !reply.stderr.trim_ascii().is_empty() => {
            Heard::Deny(String::from_utf8_lossy(&reply.stderr).into_owned())
        }
        (2, Agent::Claude) => Heard::Deny(String::new()),
        (0, _) if reply.stdout.trim_ascii().is_empty() => Heard::Nothing,
        (0, Agent::Claude) => claude(&reply.stdout),
        (0, Agent::Codex) => codex(&reply.stdout),
        _ => Heard::Failed,
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
