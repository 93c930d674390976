//! Qwen Code.

use alloc::vec;

use crate::codecs::{Codec, Opinion, claude, common};
use crate::settings::{Hook, Places, Value, guarded_line};
use crate::{Agent, Reply};

pub(crate) const CODEC: Codec = Codec {
    read: common,
    say,
    hook,
};

/// A call that is not denied needs no words: they would change nothing.
fn say(opinion: Opinion<'_>) -> Reply {
    match opinion {
        Opinion::None | Opinion::Allow(_) => Reply::default(),
        Opinion::Ask(reason) | Opinion::Deny(reason) => claude::decision("deny", reason),
    }
}

/// Its limit is in milliseconds.
pub(crate) fn hook(agent: Agent, places: &Places) -> Hook {
    Hook::Handler(vec![
        ("type", Value::text("command")),
        ("command", Value::Text(guarded_line(agent, places))),
        ("timeout", Value::Number(u32::from(agent.patience()) * 1000)),
    ])
}
