//! Codex.

use alloc::vec;

use crate::codecs::{Codec, Opinion, claude, common};
use crate::settings::{Hook, Places, Value, guarded_line};
use crate::{Agent, Reply};

pub(crate) const CODEC: Codec = Codec {
    read: common,
    say,
    hook,
};

/// A bare allow counts as a failed hook, and so does an ask: the call would run.
pub(crate) fn say(opinion: Opinion<'_>) -> Reply {
    match opinion {
        Opinion::None | Opinion::Allow(_) => Reply::default(),
        Opinion::Ask(reason) | Opinion::Deny(reason) => claude::decision("deny", reason),
    }
}

/// One string that a login shell runs. Codex lets the call run when the hook takes too long, so the limit is the longest
/// that it takes by itself.
pub(crate) fn hook(agent: Agent, places: &Places) -> Hook {
    Hook::Handler(vec![
        ("type", Value::text("command")),
        ("command", Value::Text(guarded_line(agent, places))),
        ("timeout", Value::Number(agent.patience().into())),
    ])
}
