//! Cursor.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;

use crate::codecs::{Asked, Codec, Opinion, first, object, optional, unpacked};
use crate::json::Json;
use crate::settings::{Hook, Places, Value, command_line};
use crate::tools::string;
use crate::{Agent, Refusal, Reply};

pub(crate) const CODEC: Codec = Codec { read, say, hook };

/// Its older events each have a form of their own, and become calls of the tools that `preToolUse` names.
fn read(question: &Json) -> Result<Asked, Refusal> {
    let cwd = match optional(question, "cwd")? {
        cwd if cwd.is_empty() => first(question, "workspace_roots")?,
        cwd => cwd,
    };
    let mut asked = Asked {
        event: string(question, "hook_event_name")?,
        session: string(question, "conversation_id")?,
        cwd,
        tool: optional(question, "tool_name")?,
        input: question
            .get("tool_input")
            .map(|input| unpacked("tool_input", input))
            .transpose()?,
        id: optional(question, "tool_use_id")?,
        ..Asked::default()
    };
    let (tool, field) = match asked.event.as_str() {
        "beforeShellExecution" => ("Shell", "command"),
        "beforeReadFile" | "beforeTabFileRead" => ("Read", "file_path"),
        "subagentStart" => ("Task", ""),
        "beforeMCPExecution" => {
            asked.tool = format!("MCP:{}", asked.tool);
            return Ok(asked);
        }
        _ => return Ok(asked),
    };
    asked.tool = String::from(tool);
    let input = question.get(field).map(|value| (String::from(field), value.clone()));
    asked.input = Some(Json::Object(input.into_iter().collect::<BTreeMap<_, _>>()));
    Ok(asked)
}

/// Always an object: with `failClosed` no answer is a denial. Before a tool it hears a denial, and no question.
fn say(opinion: Opinion<'_>) -> Reply {
    match opinion {
        Opinion::None | Opinion::Allow(_) => object(&[]),
        Opinion::Ask(reason) | Opinion::Deny(reason) => object(&[
            ("permission", "deny"),
            ("user_message", reason),
            ("agent_message", reason),
        ]),
    }
}

fn hook(agent: Agent, places: &Places) -> Hook {
    Hook::Handler(vec![
        ("command", Value::Text(command_line(agent, places))),
        ("timeout", Value::Number(agent.patience().into())),
        ("failClosed", Value::Bool(true)),
    ])
}
