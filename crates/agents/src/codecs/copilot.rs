//! Copilot CLI.

use alloc::string::String;
use alloc::vec;

use crate::codecs::{Asked, Codec, Opinion, object, optional, told, unpacked};
use crate::json::Json;
use crate::settings::{Hook, Places, Value, command_line};
use crate::tools::string;
use crate::{Agent, Refusal, Reply};

pub(crate) const CODEC: Codec = Codec { read, say, hook };

/// The events that are written without their name are told apart by what else stands there.
fn read(question: &Json) -> Result<Asked, Refusal> {
    let named = optional(question, "hookName")?;
    let event = match (named.as_str(), question.get("toolArgs"), question.get("toolResult")) {
        ("", Some(_), None) if question.get("error").is_none() => "preToolUse",
        ("", _, Some(_)) => "postToolUse",
        ("", Some(_), None) => "postToolUseFailure",
        ("", None, None) => ["prompt", "initialPrompt", "source", "stopReason"]
            .into_iter()
            .find(|field| question.get(field).is_some())
            .map_or("", |field| match field {
                "prompt" => "userPromptSubmitted",
                "stopReason" => "agentStop",
                _ => "sessionStart",
            }),
        (name, ..) => name,
    };
    let tool = optional(question, "toolName")?;
    Ok(Asked {
        event: String::from(event),
        session: string(question, "sessionId")?,
        cwd: string(question, "cwd")?,
        input: question.get("toolArgs").map(|args| input(&tool, args)).transpose()?,
        tool,
        result: question
            .get("toolResult")
            .and_then(|result| result.get("textResultForLlm"))
            .cloned(),
        error: error(question),
        words: told(question, "prompt"),
        ..Asked::default()
    })
}

/// Why a call failed: it says so in place of a result, or in it.
fn error(question: &Json) -> String {
    let kind = question.get("toolResult").map(|result| told(result, "resultType"));
    match kind.as_deref() {
        None => told(question, "error"),
        Some("success" | "") => String::new(),
        Some(kind) => String::from(kind),
    }
}

/// An object, in older versions as JSON within a text. A patch is a text by itself.
fn input(tool: &str, args: &Json) -> Result<Json, Refusal> {
    match (args, Agent::Copilot.table().patch_field(tool)) {
        (Json::String(text), Some(field)) if !text.trim_start().starts_with('{') => {
            Ok(Json::Object([(String::from(field), args.clone())].into()))
        }
        _ => unpacked("toolArgs", args),
    }
}

/// A person's yes skips the client's own question.
fn say(opinion: Opinion<'_>) -> Reply {
    let decision = |word, reason| object(&[("permissionDecision", word), ("permissionDecisionReason", reason)]);
    match opinion {
        Opinion::None => Reply::default(),
        Opinion::Allow(reason) => decision("allow", reason),
        Opinion::Ask(reason) => decision("ask", reason),
        Opinion::Deny(reason) => decision("deny", reason),
    }
}

/// A hook that fails or is missing blocks the call without a word in the settings.
fn hook(agent: Agent, places: &Places) -> Hook {
    Hook::Handler(vec![
        ("type", Value::text("command")),
        ("bash", Value::Text(command_line(agent, places))),
        ("timeoutSec", Value::Number(agent.patience().into())),
    ])
}
