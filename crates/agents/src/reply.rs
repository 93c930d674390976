//! The bytes that go back to an agent.

use alloc::string::String;
use alloc::vec::Vec;

use policy::Verdict;

use crate::json::quote;
use crate::{Agent, Call, claude, codex};

/// What a hook process writes and returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// For standard output.
    pub stdout: Vec<u8>,
    /// For standard error.
    pub stderr: Vec<u8>,
    /// The exit code.
    pub code: u8,
}

/// What was decided about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// True only where a person's grant covers this call.
    pub granted: bool,
    /// The reason for the agent: rule, what would be lost, what to do instead. Already scrubbed.
    pub reason: String,
}

/// The answer in the agent's protocol.
#[must_use]
pub fn reply(agent: Agent, call: &Call, answer: &Answer) -> Reply {
    if !call.is_question() {
        return Reply::default();
    }
    match agent {
        Agent::Claude => claude::reply(answer),
        Agent::Codex => codex::reply(answer),
    }
}

/// A refusal in the agent's protocol. Pure, and cannot fail.
#[must_use]
pub fn refuse(agent: Agent, sentence: &str) -> Reply {
    match agent {
        Agent::Claude => opinion("deny", sentence),
        Agent::Codex => opinion("deny", sentence),
    }
}

/// The one object that both agents read, with exit 0. Codex drops the whole answer when a field is unknown to it or the
/// reason is empty, so nothing may be added here.
pub(crate) fn opinion(decision: &str, reason: &str) -> Reply {
    let reason = if reason.trim().is_empty() {
        "Tollgate refused this call."
    } else {
        reason
    };
    let mut out = String::from(r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"#);
    out.push_str(&quote(decision));
    out.push_str(r#","permissionDecisionReason":"#);
    out.push_str(&quote(reason));
    out.push_str("}}\n");
    Reply {
        stdout: out.into_bytes(),
        ..Reply::default()
    }
}
