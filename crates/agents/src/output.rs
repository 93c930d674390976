//! Another output in the place of the one that a call had, in exactly the shape that each agent takes. What it does not take in
//! this shape it does not take at all, and its model sees the original.

use alloc::string::String;

use crate::codecs::object;
use crate::json::{Json, quote};
use crate::{Agent, Reply};

/// The answer after a call that puts `change` of every text of the output into its place: `result` is what the agent told the
/// hook. `None` where nothing is changed by it, or where the agent takes no other output.
#[must_use]
pub fn replaced(agent: Agent, event: &str, result: &Json, change: &dyn Fn(&str) -> String) -> Option<Reply> {
    let changed = each(result, change);
    if changed == *result {
        return None;
    }
    let text = |value: &Json| value.as_str().map_or_else(|| value.text(), String::from);
    match (agent, event) {
        // In the shape of the tool: a text in its place is ignored.
        (Agent::Claude, "PostToolUse") => Some(json(alloc::format!(
            r#"{{"hookSpecificOutput":{{"hookEventName":{},"updatedToolOutput":{}}}}}"#,
            quote(event),
            changed.text()
        ))),
        (Agent::Codex, "PostToolUse") => Some(object(&[("decision", "block"), ("reason", &text(&changed))])),
        (Agent::Gemini, "AfterTool") => {
            let shown = changed.get("llmContent").unwrap_or(&changed);
            Some(object(&[("decision", "deny"), ("reason", &text(shown))]))
        }
        (Agent::Copilot, "postToolUse") => Some(json(alloc::format!(r#"{{"modifiedResult":{}}}"#, changed.text()))),
        // The plugin puts it into its place.
        (Agent::Opencode, "tool.execute.after") => Some(object(&[
            ("decision", "pass"),
            ("output", &text(changed.get("output")?)),
        ])),
        _ => None,
    }
}

/// Every text in a value, changed.
fn each(value: &Json, change: &dyn Fn(&str) -> String) -> Json {
    match value {
        Json::String(text) => Json::String(change(text)),
        Json::Array(items) => Json::Array(items.iter().map(|item| each(item, change)).collect()),
        Json::Object(fields) => Json::Object(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), each(value, change)))
                .collect(),
        ),
        other => other.clone(),
    }
}

fn json(text: String) -> Reply {
    Reply {
        stdout: alloc::format!("{text}\n").into_bytes(),
        ..Reply::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn said(agent: Agent, event: &str, result: &str) -> Option<String> {
        let result = json::parse(result.as_bytes()).unwrap();
        let reply = replaced(agent, event, &result, &|text| text.replace("secret", "[taken out]"))?;
        Some(String::from_utf8(reply.stdout).unwrap().trim_end().into())
    }

    #[test]
    fn each_agent_gets_the_shape_that_it_takes() {
        for (agent, event, result, expected) in [
            (
                Agent::Claude,
                "PostToolUse",
                r#"{"stdout":"a secret","stderr":"","interrupted":false}"#,
                Some(
                    r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"interrupted":false,"stderr":"","stdout":"a [taken out]"}}}"#,
                ),
            ),
            (
                Agent::Codex,
                "PostToolUse",
                r#""secret\n""#,
                Some(r#"{"decision":"block","reason":"[taken out]\n"}"#),
            ),
            (
                Agent::Gemini,
                "AfterTool",
                r#"{"llmContent":"secret","returnDisplay":"secret"}"#,
                Some(r#"{"decision":"deny","reason":"[taken out]"}"#),
            ),
            (
                Agent::Copilot,
                "postToolUse",
                r#"{"resultType":"success","textResultForLlm":"secret"}"#,
                Some(r#"{"modifiedResult":{"resultType":"success","textResultForLlm":"[taken out]"}}"#),
            ),
            (
                Agent::Opencode,
                "tool.execute.after",
                r#"{"output":"secret"}"#,
                Some(r#"{"decision":"pass","output":"[taken out]"}"#),
            ),
            // A failed call of Claude Code cannot be rewritten, and these take nothing.
            (Agent::Claude, "PostToolUseFailure", r#""secret""#, None),
            (Agent::Qwen, "PostToolUse", r#"{"llmContent":"secret"}"#, None),
            (Agent::Cline, "tool_result", r#""secret""#, None),
            (
                Agent::Claude,
                "PostToolUse",
                r#"{"stdout":"nothing of that kind"}"#,
                None,
            ),
        ] {
            assert_eq!(said(agent, event, result).as_deref(), expected, "{}", agent.as_str());
        }
    }
}
