//! A scripted model on the loopback: it speaks enough of Anthropic's Messages, OpenAI's Responses and Chat
//! Completions, and Gemini's contents for one client to carry out a list of tool calls.
//!
//! Which step comes next is counted from the tool calls in the request itself, so repeated and side requests do not move
//! the script.

use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use agents::Step;
use agents::json::{self, Json};

use crate::wire;

/// How long a client may take for a request that it began.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest request that is read; clients send some hundred KiB.
const LONGEST: u64 = 32 << 20;

/// A running model.
#[derive(Debug)]
pub struct Model {
    url: String,
    requests: Arc<Mutex<Vec<Json>>>,
}

impl Model {
    /// Starts a model that calls these tools one after the other and then says that it is done.
    ///
    /// # Errors
    /// When no port of the loopback is to be had.
    pub fn start(script: Vec<Step>) -> io::Result<Self> {
        Self::start_with(script, Vec::new())
    }

    /// The same, with other scripts for subagents: each for the talks that begin with its words.
    ///
    /// # Errors
    /// When no port of the loopback is to be had.
    pub fn start_with(script: Vec<Step>, inner: Vec<(String, Vec<Step>)>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let url = format!("http://{}", listener.local_addr()?);
        let script = Arc::new(Script { main: script, inner });
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, seen) = (Arc::clone(&script), Arc::clone(&seen));
                thread::spawn(move || answer(stream, &script, &seen));
            }
        });
        Ok(Self { url, requests })
    }

    /// Its address, without a path.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What the model was told about each of its calls so far, in their order.
    #[must_use]
    pub fn heard(&self) -> Vec<String> {
        self.heard_about("")
    }

    /// The same in the talks that begin with these words.
    #[must_use]
    pub fn heard_about(&self, words: &str) -> Vec<String> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let about = requests.iter().filter(|request| is_about(request, words));
        about.map(results).max_by_key(Vec::len).unwrap_or_default()
    }
}

/// What the model does.
#[derive(Debug)]
struct Script {
    main: Vec<Step>,
    /// For talks that begin with these words: those of subagents.
    inner: Vec<(String, Vec<Step>)>,
}

impl Script {
    fn next(&self, request: &Json) -> Option<&Step> {
        let inner = self.inner.iter().find(|(words, _)| is_about(request, words));
        inner.map_or(&self.main, |(_, steps)| steps).get(results(request).len())
    }
}

/// Whether the words stand in what was said before the model said anything.
fn is_about(request: &Json, words: &str) -> bool {
    let items = ["messages", "input", "contents"].into_iter();
    let items = items.filter_map(|field| request.get(field)?.as_array()).flatten();
    let said = |item: &&Json| {
        let role = item.get("role").and_then(Json::as_str).unwrap_or_default();
        matches!(role, "assistant" | "model") || kind(item).ends_with("_call")
    };
    words.is_empty()
        || items
            .take_while(|item| !said(item))
            .any(|item| item.text().contains(words))
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

pub(crate) fn kind(item: &Json) -> &str {
    item.get("type").and_then(Json::as_str).unwrap_or_default()
}

/// Reads one request and answers it; the connection is closed behind the answer.
fn answer(stream: TcpStream, script: &Script, seen: &Mutex<Vec<Json>>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream.take(LONGEST));
    let (head, body) = request(&mut reader)?;
    let mut stream = reader.into_inner().into_inner();
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
    let step = if has_tools { script.next(&body) } else { None };
    let Some(text) = wire::answer(&path, step) else {
        return reply(
            &mut stream,
            "application/json",
            r#"{"object":"list","data":[],"models":[]}"#,
        );
    };
    if has_tools {
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(body);
    }
    reply(&mut stream, "text/event-stream", &text)
}

fn request(reader: &mut impl BufRead) -> io::Result<(String, Vec<u8>)> {
    let mut head = String::new();
    let mut length: u64 = 0;
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
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body)?;
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
