//! The answers of a model, as the clients' protocols stream them: Anthropic's Messages, OpenAI's Responses and Chat
//! Completions, and Gemini's contents.

use agents::Step;
use agents::json::{self, quote};

use crate::model::kind;

/// The stream that answers a request at this path: the call of a step, or that all is done. `None` where no protocol asks there.
pub(crate) fn answer(path: &str, step: Option<&Step>) -> Option<String> {
    Some(match path.rsplit('/').next()? {
        "messages" => events(&messages(step)),
        "responses" => events(&responses(step)),
        "completions" => format!("{}data: [DONE]\n\n", data(&completions(step))),
        last if last.ends_with("GenerateContent") => data(&contents(step)),
        _ => return None,
    })
}

/// Server-sent events out of JSON objects, named by their `type`.
fn events(objects: &[String]) -> String {
    let name = |object: &str| {
        json::parse(object.as_bytes())
            .map(|object| kind(&object).to_owned())
            .unwrap_or_default()
    };
    objects
        .iter()
        .map(|object| format!("event: {}\ndata: {object}\n\n", name(object)))
        .collect()
}

/// Server-sent events without names.
fn data(objects: &[String]) -> String {
    objects.iter().map(|object| format!("data: {object}\n\n")).collect()
}

/// An answer as OpenAI's Chat Completions stream it.
fn completions(step: Option<&Step>) -> Vec<String> {
    let n = serial();
    let (delta, end) = match step {
        None => (r#"{"role":"assistant","content":"All done."}"#.to_owned(), "stop"),
        Some(Step { tool, input }) => (
            format!(
                r#"{{"role":"assistant","content":null,"tool_calls":[{{"index":0,"id":"call_{n}","type":"function","function":{{"name":{},"arguments":{}}}}}]}}"#,
                quote(tool),
                quote(input)
            ),
            "tool_calls",
        ),
    };
    let chunk = |delta: &str, end: &str| {
        format!(
            r#"{{"id":"chat_{n}","object":"chat.completion.chunk","created":1,"model":"scripted","choices":[{{"index":0,"delta":{delta},"finish_reason":{end}}}],"usage":{{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}}}"#
        )
    };
    vec![chunk(&delta, "null"), chunk("{}", &quote(end))]
}

/// An answer as Gemini streams it.
fn contents(step: Option<&Step>) -> Vec<String> {
    let part = match step {
        None => r#"{"text":"All done."}"#.to_owned(),
        Some(Step { tool, input }) => format!(r#"{{"functionCall":{{"name":{},"args":{input}}}}}"#, quote(tool)),
    };
    vec![format!(
        r#"{{"candidates":[{{"content":{{"role":"model","parts":[{part}]}},"finishReason":"STOP","index":0}}],"usageMetadata":{{"promptTokenCount":9,"candidatesTokenCount":9,"totalTokenCount":18}},"modelVersion":"scripted"}}"#
    )]
}

/// An answer as Anthropic's Messages stream it.
fn messages(step: Option<&Step>) -> Vec<String> {
    const USAGE: &str =
        r#"{"input_tokens":9,"output_tokens":9,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}"#;
    let (block, delta, stop) = match step {
        None => (
            r#"{"type":"text","text":""}"#.to_owned(),
            r#"{"type":"text_delta","text":"All done."}"#.to_owned(),
            "end_turn",
        ),
        Some(Step { tool, input }) => (
            format!(
                r#"{{"type":"tool_use","id":"toolu_{}","name":{},"input":{{}}}}"#,
                serial(),
                quote(tool)
            ),
            format!(r#"{{"type":"input_json_delta","partial_json":{}}}"#, quote(input)),
            "tool_use",
        ),
    };
    vec![
        format!(
            r#"{{"type":"message_start","message":{{"id":"msg_{}","type":"message","role":"assistant","model":"scripted","content":[],"stop_reason":null,"stop_sequence":null,"usage":{USAGE}}}}}"#,
            serial()
        ),
        format!(r#"{{"type":"content_block_start","index":0,"content_block":{block}}}"#),
        format!(r#"{{"type":"content_block_delta","index":0,"delta":{delta}}}"#),
        r#"{"type":"content_block_stop","index":0}"#.to_owned(),
        format!(
            r#"{{"type":"message_delta","delta":{{"stop_reason":"{stop}","stop_sequence":null}},"usage":{USAGE}}}"#
        ),
        r#"{"type":"message_stop"}"#.to_owned(),
    ]
}

/// An answer as OpenAI's Responses stream it.
fn responses(step: Option<&Step>) -> Vec<String> {
    let n = serial();
    let item = match step {
        None => format!(
            r#"{{"type":"message","id":"msg_{n}","role":"assistant","status":"completed","content":[{{"type":"output_text","text":"All done.","annotations":[]}}]}}"#
        ),
        Some(Step { tool, input }) if input.starts_with('{') => {
            // Tools of a server stand in a space of their own: `space/tool`.
            let (space, tool) = match tool.split_once('/') {
                Some((space, tool)) => (format!(r#""namespace":{},"#, quote(space)), tool),
                None => (String::new(), tool.as_str()),
            };
            format!(
                r#"{{"type":"function_call","id":"fc_{n}","call_id":"call_{n}",{space}"name":{},"arguments":{},"status":"completed"}}"#,
                quote(tool),
                quote(input)
            )
        }
        Some(Step { tool, input }) => format!(
            r#"{{"type":"custom_tool_call","id":"ctc_{n}","call_id":"call_{n}","name":{},"input":{},"status":"completed"}}"#,
            quote(tool),
            quote(input)
        ),
    };
    let response = |status: &str, output: &str| {
        format!(
            r#"{{"id":"resp_{n}","object":"response","created_at":1,"status":"{status}","model":"scripted","output":[{output}],"usage":{{"input_tokens":9,"input_tokens_details":{{"cached_tokens":0}},"output_tokens":9,"output_tokens_details":{{"reasoning_tokens":0}},"total_tokens":18}},"error":null,"incomplete_details":null,"tools":[],"parallel_tool_calls":false,"tool_choice":"auto","instructions":null,"metadata":{{}}}}"#
        )
    };
    vec![
        format!(
            r#"{{"type":"response.created","sequence_number":0,"response":{}}}"#,
            response("in_progress", "")
        ),
        format!(r#"{{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{item}}}"#),
        format!(r#"{{"type":"response.output_item.done","sequence_number":2,"output_index":0,"item":{item}}}"#),
        format!(
            r#"{{"type":"response.completed","sequence_number":3,"response":{}}}"#,
            response("completed", &item)
        ),
    ]
}

/// A number that no other answer has.
fn serial() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
