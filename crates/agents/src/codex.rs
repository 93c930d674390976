//! Codex.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use policy::Verdict;

use crate::reply::{Reply, opinion};
use crate::settings::{Entry, Places, Value, arguments, shell_word};
use crate::{Agent, Answer, tools};

/// What its tools do.
pub(crate) const TOOLS: &tools::Table = &tools::CODEX;

/// Codex knows only deny: `ask` and a bare `allow` count as a failed hook, and then the command runs. An ask therefore
/// denies and says how a person can go on; allow is silence.
pub(crate) fn reply(answer: &Answer) -> Reply {
    match (answer.verdict, answer.granted) {
        (Verdict::Deny, _) => opinion("deny", &answer.reason),
        (Verdict::Ask, false) => opinion(
            "deny",
            &format!(
                "{} Codex cannot ask a person, so it was not run; a person can run it in a terminal of their own.",
                answer.reason
            ),
        ),
        (Verdict::Ask, true) | (Verdict::Allow | Verdict::Warn, _) => Reply::default(),
    }
}

/// One string that a login shell runs. Codex lets the call run when the hook takes too long, so the limit is the longest
/// that it takes by itself.
pub(crate) fn entry(places: &Places) -> Entry {
    let words: Vec<String> = [places.hook.clone()]
        .into_iter()
        .chain(arguments(Agent::Codex, places))
        .map(|word| shell_word(&word))
        .collect();
    Entry {
        matcher: "*",
        handler: vec![
            ("type", Value::Text(String::from("command"))),
            ("command", Value::Text(words.join(" "))),
            ("timeout", Value::Number(600)),
        ],
    }
}
