//! The bytes that go back to an agent.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use policy::Verdict;

use crate::json::quote;
use crate::{Agent, Call};

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
///
/// Allow and warn are no opinion, so that the agent's own questions stay. An ask where the agent would not hold the call
/// is a denial that says how a person can go on.
#[must_use]
pub fn reply(agent: Agent, call: &Call, answer: &Answer) -> Reply {
    if !call.is_question() {
        return Reply::default();
    }
    match (answer.verdict, answer.granted) {
        (Verdict::Deny, _) => opinion("deny", &answer.reason),
        (Verdict::Ask, false) => match agent.cannot_ask(&call.permission_mode) {
            None => opinion("ask", &answer.reason),
            Some(why) => opinion("deny", &refused_here(&why, &answer.reason)),
        },
        (_, true) => granted(agent, answer),
        (Verdict::Allow | Verdict::Warn, false) => Reply::default(),
    }
}

/// A grant skips Claude Code's own question; Codex takes a bare allow for a failed hook, and needs none.
fn granted(agent: Agent, answer: &Answer) -> Reply {
    match agent {
        Agent::Claude => opinion("allow", &answer.reason),
        Agent::Codex => Reply::default(),
    }
}

/// The reason of an ask that becomes a denial: first that it is one, and why.
fn refused_here(why: &str, reason: &str) -> String {
    format!("Tollgate refuses this here, because {why}; a person can run it in a terminal.\n{reason}")
}

/// A refusal in the agent's protocol. Pure, and cannot fail. Both agents read the same object.
#[must_use]
pub fn refuse(agent: Agent, sentence: &str) -> Reply {
    match agent {
        Agent::Claude | Agent::Codex => opinion("deny", sentence),
    }
}

/// The one object that both agents read, with exit 0: exit 2 would block too, but shows the hook's command line to the
/// model. Codex drops the whole answer when a field is unknown to it or the
/// reason is empty, so nothing may be added here.
fn opinion(decision: &str, reason: &str) -> Reply {
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
