//! Qwen Code.

use alloc::vec;

use crate::Agent;
use crate::codecs::{Codec, codex, common};
use crate::settings::{Hook, Places, Value, guarded_line};

pub(crate) const CODEC: Codec = Codec {
    read: common,
    // It hears a denial as Codex does, and an allow changes nothing.
    say: codex::say,
    hook,
};

/// Its limit is in milliseconds.
pub(crate) fn hook(agent: Agent, places: &Places) -> Hook {
    Hook::Handler(vec![
        ("type", Value::text("command")),
        ("command", Value::Text(guarded_line(agent, places))),
        ("timeout", Value::Number(u32::from(agent.patience()) * 1000)),
    ])
}
