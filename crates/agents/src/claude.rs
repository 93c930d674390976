//! Claude Code.

use alloc::string::String;
use alloc::vec;

use crate::settings::{Entry, Places, Value, arguments};
use crate::{Agent, tools};

/// What its tools do.
pub(crate) const TOOLS: &tools::Table = &tools::CLAUDE;

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
            ("timeout", Value::Number(Agent::Claude.patience().into())),
            ("onFailure", text("block")),
        ],
    }
}
