//! Factory Droid, by its documentation.

use alloc::string::String;

use crate::codecs::{Asked, Codec, codex, optional, windsurf};
use crate::json::Json;
use crate::tools::string;
use crate::{Refusal, Reply};

pub(crate) const CODEC: Codec = Codec {
    read,
    say,
    // A line for a shell, with a limit in seconds.
    hook: codex::hook,
};

/// The names of Claude Code, which some of its own pages write in another way.
fn read(question: &Json) -> Result<Asked, Refusal> {
    let named = |name: &str, other: &str| match question.get(name) {
        None if question.get(other).is_some() => string(question, other),
        _ => string(question, name),
    };
    Ok(Asked {
        event: named("hook_event_name", "hookEventName")?,
        session: named("session_id", "sessionId")?,
        cwd: string(question, "cwd")?,
        tool: optional(question, "tool_name")?,
        input: question.get("tool_input").cloned(),
        id: optional(question, "tool_use_id")?,
        mode: optional(question, "permission_mode").map(|mode| match question.get("permissionMode") {
            Some(Json::String(other)) if mode.is_empty() => String::from(other),
            _ => mode,
        })?,
        ..Asked::default()
    })
}

/// Exit 2 with the reason on standard error: of the documented ways to say no it is the one that hangs on no field.
fn say(opinion: crate::codecs::Opinion<'_>) -> Reply {
    windsurf::say(opinion)
}
