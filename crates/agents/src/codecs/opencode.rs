//! OpenCode: its hooks are functions within it, so the hook is a small plugin that asks our program.

use alloc::string::String;

use crate::codecs::{Codec, Opinion, common, object};
use crate::json::Json;
use crate::settings::{Hook, Places, arguments};
use crate::{Agent, Reply};

pub(crate) const CODEC: Codec = Codec {
    read: common,
    say,
    hook,
};

/// The plugin refuses unless it is told `pass`: silence is no yes.
fn say(opinion: Opinion<'_>) -> Reply {
    match opinion {
        Opinion::None | Opinion::Allow(_) => object(&[("decision", "pass")]),
        Opinion::Ask(reason) | Opinion::Deny(reason) => object(&[("decision", "deny"), ("reason", reason)]),
    }
}

const PLUGIN: &str = include_str!("opencode.js");

fn hook(agent: Agent, places: &Places) -> Hook {
    let list = |words: alloc::vec::Vec<String>| Json::Array(words.into_iter().map(Json::String).collect()).text();
    let limit = Json::Number((u32::from(agent.patience()) * 1000).into()).text();
    let text = PLUGIN
        .replace("PROGRAM", &Json::String(places.hook.clone()).text())
        .replace("ARGUMENTS", &list(arguments(agent, places)))
        .replace("LIMIT", &limit);
    Hook::File { text, mode: 0o600 }
}
