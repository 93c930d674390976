//! The bytes that go back to an agent.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use policy::Verdict;

use crate::codecs::Opinion;
use crate::news::keep_out;
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
        return say(agent, Opinion::None);
    }
    if call.is_change() {
        return match (answer.verdict, answer.granted) {
            (Verdict::Deny | Verdict::Ask, false) | (Verdict::Deny, true) => keep_out(&answer.reason),
            _ => say(agent, Opinion::None),
        };
    }
    match (answer.verdict, answer.granted) {
        (Verdict::Deny, _) => say(agent, Opinion::Deny(&answer.reason)),
        (Verdict::Ask, false) => match agent.cannot_ask(&call.permission_mode) {
            None => say(agent, Opinion::Ask(&answer.reason)),
            Some(why) => say(agent, Opinion::Deny(&refused_here(&why, &answer.reason))),
        },
        (_, true) => say(agent, Opinion::Allow(&answer.reason)),
        (Verdict::Allow | Verdict::Warn, false) => say(agent, Opinion::None),
    }
}

/// The reason of an ask that becomes a denial: first that it is one, and why.
fn refused_here(why: &str, reason: &str) -> String {
    format!("Tollgate refuses this here, because {why}; a person can run it in a terminal.\n{reason}")
}

/// A refusal in the agent's protocol. Pure, and cannot fail.
#[must_use]
pub fn refuse(agent: Agent, sentence: &str) -> Reply {
    say(agent, Opinion::Deny(sentence))
}

/// No opinion in the agent's protocol: what it did not ask goes on.
#[must_use]
pub fn pass(agent: Agent) -> Reply {
    say(agent, Opinion::None)
}

/// The agent's own words. An agent may take an empty reason for no answer at all.
fn say(agent: Agent, opinion: Opinion<'_>) -> Reply {
    const WORDLESS: &str = "Tollgate refused this call.";
    let empty = |reason: &str| reason.trim().is_empty();
    let opinion = match opinion {
        Opinion::Deny(reason) if empty(reason) => Opinion::Deny(WORDLESS),
        Opinion::Ask(reason) if empty(reason) => Opinion::Ask("Tollgate asks about this call."),
        Opinion::Allow(reason) if empty(reason) => Opinion::Allow("A person allowed this call."),
        other => other,
    };
    (agent.codec().say)(opinion)
}
