//! `log export --otlp-endpoint` against a collector in this test: what is sent, where to, and what is said when it fails.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test may fail loudly, and these run the program itself"
)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::thread::JoinHandle;

use ledger::{Ledger, Record};
use serde_json::Value;

/// What came in: the first line, the headers, the body.
type Request = (String, String, Vec<u8>);

/// A collector that answers each connection's requests with `answer` until it has seen `count` of them.
fn collector(count: usize, answer: &'static str) -> (String, JoinHandle<Vec<Request>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let serving = std::thread::spawn(move || {
        let mut seen = Vec::new();
        while seen.len() < count {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            while let Some(request) = read(&mut reader) {
                seen.push(request);
                let mut stream = &stream;
                stream.write_all(answer.as_bytes()).unwrap();
            }
        }
        seen
    });
    (address, serving)
}

fn read(from: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut first = String::new();
    if from.read_line(&mut first).ok()? == 0 {
        return None;
    }
    let (mut headers, mut line) = (String::new(), String::new());
    while from.read_line(&mut line).ok()? > 0 && line != "\r\n" {
        headers.push_str(&line.to_lowercase());
        line.clear();
    }
    let length = headers.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    from.read_exact(&mut body).ok()?;
    if length.is_none() {
        body = chunks(from);
    }
    Some((first.trim_end().into(), headers, body))
}

fn chunks(from: &mut BufReader<TcpStream>) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let mut size = String::new();
        from.read_line(&mut size).unwrap();
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        let mut chunk = vec![0; size + 2];
        from.read_exact(&mut chunk).unwrap();
        if size == 0 {
            return body;
        }
        body.extend(&chunk[..size]);
    }
}

const FINE: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";

fn state(records: usize) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(&home.path().join("state"));
    for n in 0..records {
        let record = Record {
            verdict: "allow".into(),
            note: format!("note {n}"),
            ..Record::default()
        };
        let _ = ledger.append(&record).unwrap();
    }
    home
}

fn send(home: &Path, address: &str, more: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(["log", "export", "--otlp-endpoint", address]).args(more);
    command.env_clear().env("HOME", home).env("TOLLGATE_HOME", home);
    // A proxy that somebody put into the environment is none of ours.
    command
        .env("http_proxy", "http://127.0.0.1:9")
        .env("ALL_PROXY", "http://127.0.0.1:9");
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn records_are_sent_as_otlp_logs_in_json() {
    let home = state(600);
    let (address, serving) = collector(3, FINE);
    let (code, out, err) = send(home.path(), &address, &[]);
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    assert!(err.contains("600 records were sent."), "{err}");
    let requests = serving.join().unwrap();
    let mut bodies = Vec::new();
    for (first, headers, body) in requests {
        assert_eq!(first, "POST /v1/logs HTTP/1.1");
        assert!(headers.contains("content-type: application/json\r\n"), "{headers}");
        let body: Value = serde_json::from_slice(&body).unwrap();
        let logs = body["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
            .as_array()
            .unwrap()
            .clone();
        bodies.push(logs.len());
        assert!(logs[0]["timeUnixNano"].is_string(), "{}", logs[0]);
    }
    assert_eq!(bodies, [256, 256, 88]);
    // What is sent is what the file has.
    let (address, serving) = collector(1, FINE);
    let (code, ..) = send(home.path(), &format!("{address}/a/b"), &["--until", "2020-01-01"]);
    assert_eq!(code, 0, "nothing fits, so nothing is sent");
    let file = home.path().join("day.jsonl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(["log", "export", "--format", "otlp", "--out"]).arg(&file);
    command
        .env_clear()
        .env("HOME", home.path())
        .env("TOLLGATE_HOME", home.path());
    assert!(command.output().unwrap().status.success());
    let file = fs::read_to_string(file).unwrap();
    let small = state(3);
    assert_eq!(file.lines().count(), 3);
    assert_eq!(send(small.path(), &format!("{address}/a/b"), &[]).0, 0);
    assert_eq!(serving.join().unwrap()[0].0, "POST /a/b HTTP/1.1");
}

#[test]
fn what_an_endpoint_does_not_take_is_said() {
    let home = state(3);
    for (answer, said) in [
        (
            "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n",
            "it answered 401",
        ),
        ("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", "it answered 503"),
        (
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n",
            "did not take the records",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 79\r\n\r\n{\"partialSuccess\":{\"rejectedLogRecords\":\"2\",\"errorMessage\":\"too old\\u001b[1m\"}}",
            "did not keep 2 of the records: too old\\x1b[1m",
        ),
        ("nonsense\r\n\r\n", "did not take the records"),
    ] {
        let (address, serving) = collector(1, answer);
        let (code, out, err) = send(home.path(), &address, &[]);
        assert!(
            code == 74 && out.is_empty() && err.contains(said),
            "{answer}: {code} {err}"
        );
        drop(serving);
    }
    // Nobody there.
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (code, _, err) = send(home.path(), &format!("http://{closed}"), &[]);
    assert!(code == 74 && err.contains("did not take the records"), "{code} {err}");
}

#[test]
fn nothing_leaves_the_machine_in_clear_or_without_the_flag() {
    let home = state(3);
    for address in [
        "http://otel.example",
        "https://ann:secret@otel.example",
        "otel.example",
        "ftp://127.0.0.1",
    ] {
        let (code, _, err) = send(home.path(), address, &[]);
        assert!(
            code == 64 && err.contains("`--otlp-endpoint` cannot be used"),
            "{address}: {code} {err}"
        );
    }
    for more in [&["--out", "x"][..], &["--format", "otlp"]] {
        assert_eq!(send(home.path(), "http://127.0.0.1:9", more).0, 64);
    }
    // With https nothing is said to a server that is none.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}", listener.local_addr().unwrap());
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut first = [0; 3];
        stream.read_exact(&mut first).unwrap();
        first
    });
    let (code, _, err) = send(home.path(), &address, &[]);
    assert_eq!(code, 74, "{err}");
    if err.contains("names no certificates") {
        println!("skipped: this machine trusts no certificates");
        return;
    }
    assert_eq!(serving.join().unwrap()[..2], [0x16, 3], "a TLS handshake");
}
