//! Codex.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::settings::{Entry, Places, Value, arguments, shell_word};
use crate::{Agent, tools};

/// What its tools do.
pub(crate) const TOOLS: &tools::Table = &tools::CODEX;

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
            ("timeout", Value::Number(Agent::Codex.patience().into())),
        ],
    }
}
