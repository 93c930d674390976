//! Claude Code.

use alloc::format;
use alloc::string::String;
use alloc::vec;

use crate::codecs::{Codec, Opinion, common};
use crate::json::quote;
use crate::settings::{Hook, Places, Value, arguments};
use crate::{Agent, Reply};

pub(crate) const CODEC: Codec = Codec {
    read: common,
    say,
    hook,
};

/// Allow and warn are no opinion, so that the client's own questions stay; a person's yes skips them.
fn say(opinion: Opinion<'_>) -> Reply {
    match opinion {
        Opinion::None => Reply::default(),
        Opinion::Allow(reason) => decision("allow", reason),
        Opinion::Ask(reason) => decision("ask", reason),
        Opinion::Deny(reason) => decision("deny", reason),
    }
}

/// The object with exit 0: exit 2 would block too, but shows the hook's command line to the model. Codex and Qwen Code read
/// it too. Codex drops the whole answer when a field is unknown to it or the reason is empty, so nothing may be added here.
pub(crate) fn decision(word: &str, reason: &str) -> Reply {
    let text = format!(
        "{{\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":{},\"permissionDecisionReason\":{}}}}}\n",
        quote(word),
        quote(reason)
    );
    Reply {
        stdout: text.into_bytes(),
        ..Reply::default()
    }
}

/// The exec form starts the program without a shell, so that neither the client's nor a project's `PATH` matters. A hook
/// that is missing, fails or takes too long blocks the call, from version 2.1.295 on.
fn hook(agent: Agent, places: &Places) -> Hook {
    let text = |text: &str| Value::Text(String::from(text));
    Hook::Handler(vec![
        ("type", text("command")),
        ("command", text(&places.hook)),
        ("args", Value::List(arguments(agent, places))),
        ("timeout", Value::Number(agent.patience().into())),
        ("onFailure", text("block")),
    ])
}
