//! Gemini CLI.

use crate::Reply;
use crate::codecs::{Codec, Opinion, common, object, qwen};

pub(crate) const CODEC: Codec = Codec {
    read: common,
    say,
    // Its limit is in milliseconds too. Without a name the hook cannot be switched off by one that is guessed.
    hook: qwen::hook,
};

/// The answer of Claude Code is not understood: the call would run.
fn say(opinion: Opinion<'_>) -> Reply {
    match opinion {
        Opinion::None | Opinion::Allow(_) => Reply::default(),
        Opinion::Ask(reason) | Opinion::Deny(reason) => object(&[("decision", "deny"), ("reason", reason)]),
    }
}
