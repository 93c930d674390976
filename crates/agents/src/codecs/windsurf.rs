//! Windsurf.

use alloc::format;
use alloc::string::String;
use alloc::vec;

use crate::codecs::{Asked, Codec, Opinion, optional, unpacked};
use crate::json::Json;
use crate::settings::{Hook, Places, Value, guarded_line};
use crate::tools::{missing, string};
use crate::{Agent, Refusal, Reply};

pub(crate) const CODEC: Codec = Codec { read, say, hook };

/// Each kind of call is an event of its own, which is taken for the tool. Only a command names a working directory.
fn read(question: &Json) -> Result<Asked, Refusal> {
    let event = string(question, "agent_action_name")?;
    let info = question.get("tool_info").ok_or_else(|| missing("tool_info"))?;
    let (mut tool, mut input) = (event.clone(), info.clone());
    if event == "pre_mcp_tool_use" {
        tool = format!(
            "mcp:{}__{}",
            string(info, "mcp_server_name")?,
            string(info, "mcp_tool_name")?
        );
        let arguments = info.get("mcp_tool_arguments").unwrap_or(&Json::Null);
        input = unpacked("mcp_tool_arguments", arguments)?;
        if matches!(input, Json::Null) {
            input = Json::Object([].into());
        }
    }
    Ok(Asked {
        session: string(question, "trajectory_id")?,
        cwd: folder(&event, info)?,
        event,
        tool,
        input: Some(input),
        id: optional(question, "execution_id")?,
        ..Asked::default()
    })
}

/// Where the call is about: the command's folder, else the file's; the root where it names neither.
fn folder(event: &str, info: &Json) -> Result<String, Refusal> {
    if event == "pre_run_command" {
        return string(info, "cwd");
    }
    let (cwd, file) = (optional(info, "cwd")?, optional(info, "file_path")?);
    Ok(match file.rsplit_once('/') {
        _ if !cwd.is_empty() => cwd,
        // A path that is relative to nobody knows what stays one, and is refused.
        None if !file.is_empty() => file,
        None | Some(("", _)) => String::from("/"),
        Some((folder, _)) => String::from(folder),
    })
}

/// Exit 2 with the reason on standard error; nothing else is heard.
pub(crate) fn say(opinion: Opinion<'_>) -> Reply {
    match opinion {
        Opinion::None | Opinion::Allow(_) => Reply::default(),
        Opinion::Ask(reason) | Opinion::Deny(reason) => Reply {
            stdout: vec![],
            stderr: format!("{reason}\n").into_bytes(),
            code: 2,
        },
    }
}

fn hook(agent: Agent, places: &Places) -> Hook {
    Hook::Handler(vec![
        ("command", Value::Text(guarded_line(agent, places))),
        ("show_output", Value::Bool(true)),
    ])
}
