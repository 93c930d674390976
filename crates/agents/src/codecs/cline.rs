//! Cline: its hooks are programs named after the event.

use alloc::format;
use alloc::string::String;

use crate::codecs::{Asked, Codec, Opinion, first, optional};
use crate::json::{Json, quote};
use crate::settings::{Hook, Places, command_line};
use crate::tools::{string, wrong_type};
use crate::{Agent, Refusal, Reply};

pub(crate) const CODEC: Codec = Codec { read, say, hook };

/// It names no working directory: commands run in the first folder of the workspace.
fn read(question: &Json) -> Result<Asked, Refusal> {
    let mut asked = Asked {
        event: string(question, "hookName")?,
        session: string(question, "taskId")?,
        cwd: first(question, "workspaceRoots")?,
        ..Asked::default()
    };
    if let Some(call) = question.get("tool_call") {
        if call.as_object().is_none() {
            return Err(wrong_type("tool_call", call));
        }
        asked.tool = optional(call, "name")?;
        asked.id = optional(call, "id")?;
        asked.input = call.get("input").cloned();
    }
    Ok(asked)
}

/// Exit codes mean nothing to it. A stop ends the run, and a person has to start it again.
fn say(opinion: Opinion<'_>) -> Reply {
    match opinion {
        Opinion::None | Opinion::Allow(_) => Reply::default(),
        Opinion::Ask(reason) | Opinion::Deny(reason) => Reply {
            stdout: format!("{{\"cancel\":true,\"errorMessage\":{}}}\n", quote(reason)).into_bytes(),
            ..Reply::default()
        },
    }
}

/// A failed hook lets the call run, so the script itself says no when our program does not end well.
fn hook(agent: Agent, places: &Places) -> Hook {
    const REFUSAL: &str = r#"{"cancel":true,"errorMessage":"Tollgate refused this call: its hook failed."}"#;
    let line = command_line(agent, places);
    let text: String = format!(
        "#!/bin/sh\n# Written by `tollgate install`, and removed by `tollgate uninstall`.\nif said=$({line}); then\n  printf '%s\\n' \"$said\"\nelse\n  printf '%s\\n' '{REFUSAL}'\nfi\n"
    );
    Hook::File { text, mode: 0o700 }
}
