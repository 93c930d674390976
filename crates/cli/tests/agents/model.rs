//! A scripted model on the loopback: it speaks enough of Anthropic's Messages, OpenAI's Responses and Chat
//! Completions, and Gemini's contents for one client to carry out a list of tool calls.
//!
//! Which step comes next is counted from the tool calls in the request itself, so repeated and side requests do not move
//! the script.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use agents::json::{self, Json, quote};

/// One tool call of the script.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The tool.
    pub(crate) tool: &'static str,
    /// Its input: a JSON object, or plain text for a tool that takes text.
    pub(crate) input: String,
}

/// A running model.
pub(crate) struct Model {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Json>>>,
}

impl Model {
    /// Starts a model that calls these tools one after the other and then says that it is done.
    pub(crate) fn start(script: Vec<Step>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, seen) = (script.clone(), Arc::clone(&seen));
                thread::spawn(move || answer(stream, &script, &seen));
            }
        });
        Self { url, requests }
    }

    /// What the model was told about each of its calls so far, in their order.
    pub(crate) fn heard(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests.iter().map(results).max_by_key(Vec::len).unwrap_or_default()
    }
}

/// The results of tool calls in a request, as text.
fn results(request: &Json) -> Vec<String> {
    let items = |field: &str| request.get(field).and_then(Json::as_array).unwrap_or_default().iter();
    let is_output = |item: &&Json| kind(item).ends_with("_output");
    let blocks = items("messages")
        .filter_map(|message| message.get("content")?.as_array())
        .flatten();
    let claude = blocks
        .filter(|block| kind(block) == "tool_result")
        .filter_map(|block| block.get("content"));
    let codex = items("input").filter(is_output).filter_map(|item| item.get("output"));
    let is_tool = |item: &&Json| item.get("role").and_then(Json::as_str) == Some("tool");
    let chat = items("messages")
        .filter(is_tool)
        .filter_map(|message| message.get("content"));
    let parts = items("contents")
        .filter_map(|content| content.get("parts")?.as_array())
        .flatten();
    let gemini = parts.filter_map(|part| part.get("functionResponse"));
    claude
        .chain(codex)
        .chain(chat)
        .chain(gemini)
        .map(|value| value.as_str().map_or_else(|| value.text(), str::to_owned))
        .collect()
}

fn kind(item: &Json) -> &str {
    item.get("type").and_then(Json::as_str).unwrap_or_default()
}

/// Reads one request and answers it; the connection is closed behind the answer.
fn answer(stream: TcpStream, script: &[Step], seen: &Mutex<Vec<Json>>) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (head, body) = request(&mut reader)?;
    let mut stream = reader.into_inner();
    let path = head
        .split(' ')
        .nth(1)
        .unwrap_or_default()
        .split('?')
        .next()
        .unwrap_or_default()
        .to_owned();
    let body = json::parse(&body).unwrap_or(Json::Null);
    let has_tools = body
        .get("tools")
        .and_then(Json::as_array)
        .is_some_and(|tools| !tools.is_empty());
    let step = if has_tools {
        script.get(results(&body).len())
    } else {
        None
    };
    let text = if path.ends_with("/messages") {
        events(&messages(step))
    } else if path.ends_with("/responses") {
        events(&responses(step))
    } else if path.ends_with("/chat/completions") {
        format!("{}data: [DONE]\n\n", data(&completions(step)))
    } else if path.ends_with("GenerateContent") {
        data(&contents(step))
    } else {
        return reply(
            &mut stream,
            "application/json",
            r#"{"object":"list","data":[],"models":[]}"#,
        );
    };
    if has_tools {
        seen.lock().unwrap().push(body);
    }
    reply(&mut stream, "text/event-stream", &text)
}

fn request(reader: &mut BufReader<TcpStream>) -> io::Result<(String, Vec<u8>)> {
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((head, body))
}

fn reply(stream: &mut TcpStream, kind: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )?;
    stream.flush()
}

/// Server-sent events out of JSON objects, named by their `type`.
fn events(objects: &[String]) -> String {
    let name = |object: &str| kind(&json::parse(object.as_bytes()).unwrap()).to_owned();
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
        Some(Step { tool, input }) if input.starts_with('{') => format!(
            r#"{{"type":"function_call","id":"fc_{n}","call_id":"call_{n}","name":{},"arguments":{},"status":"completed"}}"#,
            quote(tool),
            quote(input)
        ),
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
