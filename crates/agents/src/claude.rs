//! Claude Code.

use alloc::string::String;
use alloc::vec;

use policy::Verdict;

use crate::reply::{Reply, opinion};
use crate::settings::{Entry, Places, Value, arguments};
use crate::{Agent, Answer, tools};

/// What its tools do.
pub(crate) const TOOLS: &tools::Table = &tools::CLAUDE;

/// Deny and ask as JSON with exit 0: exit 2 would block too, but shows the hook's command line to the model. An allow
/// would skip the client's own prompts, so it is said only where a person granted it.
pub(crate) fn reply(answer: &Answer) -> Reply {
    match (answer.verdict, answer.granted) {
        (Verdict::Deny, _) => opinion("deny", &answer.reason),
        (Verdict::Ask, false) => opinion("ask", &answer.reason),
        (_, true) => opinion("allow", &answer.reason),
        (Verdict::Allow | Verdict::Warn, false) => Reply::default(),
    }
}

/// The exec form starts the program without a shell, so that neither the client's nor a project's `PATH` matters. A hook
/// that is missing, fails or takes too long blocks the call, from version 2.1.295 on.
pub(crate) fn entry(places: &Places) -> Entry {
    let text = |text: &str| Value::Text(String::from(text));
    Entry {
        matcher: "*",
        handler: vec![
            ("type", text("command")),
            ("command", text(&places.hook)),
            ("args", Value::List(arguments(Agent::Claude, places))),
            ("timeout", Value::Number(60)),
            ("onFailure", text("block")),
        ],
    }
}
