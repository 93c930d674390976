//! Fail closed: every question that cannot be read, judged, recorded or answered stops the call in the agent's own
//! protocol. The program itself is run, as an agent runs it.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use std::fs;
use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const AGENTS: [&str; 2] = ["claude", "codex"];

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The hook as it runs without arguments: places by HOME.
    fn hook(&self, agent: &str) -> Command {
        let mut hook = Command::new(env!("CARGO_BIN_EXE_tollgate-hook"));
        hook.arg(agent).env_clear().env("HOME", self.at("home"));
        hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        hook
    }

    fn records(&self) -> Vec<Value> {
        let log = self.at("home/.local/state/tollgate/ledger/000001.ndjson");
        let text = fs::read_to_string(log).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn question(&self, command: &str) -> Value {
        json!({
            "session_id": "s", "transcript_path": "/t.jsonl", "cwd": self.at("home"), "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t1",
        })
    }
}

/// Hands the bytes over. A hook that stops reading is no fault of the agent.
fn ask(mut hook: Command, question: &[u8]) -> Output {
    let mut child = hook.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let question = question.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&question)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// What the agent does with the output, by the rules seen on the real clients. The reason, where the call is stopped.
fn stopped(output: &Output) -> Option<String> {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(output.status.signal().is_none(), "killed by a signal lets the call run");
    if output.status.code() == Some(2) {
        return (!text.trim().is_empty()).then_some(text);
    }
    if output.status.code() != Some(0) {
        return None;
    }
    let answer: Value = serde_json::from_slice(&output.stdout).ok()?;
    let fields = answer.as_object()?;
    let said = fields.get("hookSpecificOutput")?;
    let exact = fields.len() == 1 && said.as_object()?.len() == 3 && said["hookEventName"] == "PreToolUse";
    let reason = said["permissionDecisionReason"].as_str()?.to_owned();
    (exact && said["permissionDecision"] == "deny" && !reason.trim().is_empty()).then_some(reason)
}

/// Questions that must not be answered with anything but no.
fn bad_questions(bench: &Bench) -> Vec<(&'static str, Vec<u8>)> {
    let good = bench.question("ls").to_string();
    let with = |field: &str, value: Value| {
        let mut question = bench.question("ls");
        question[field] = value;
        question.to_string().into_bytes()
    };
    let without = |field: &str| {
        let mut question = bench.question("ls");
        question.as_object_mut().unwrap().remove(field);
        question.to_string().into_bytes()
    };
    let raw = |from: &str, to: &[u8]| {
        let at = good.find(from).unwrap();
        [&good.as_bytes()[..at], to, &good.as_bytes()[at + from.len()..]].concat()
    };
    let deep = |open: &str, close: &str, n: usize| format!("{}{}", open.repeat(n), close.repeat(n)).into_bytes();
    vec![
        ("empty", Vec::new()),
        ("spaces", b" \n\t ".to_vec()),
        ("no json", b"hello".to_vec()),
        ("an array", format!("[{good}]").into_bytes()),
        ("a string", b"\"ls\"".to_vec()),
        ("null", b"null".to_vec()),
        ("a number", b"1".to_vec()),
        ("truncated", good.as_bytes()[..good.len() - 1].to_vec()),
        ("half", good.as_bytes()[..good.len() / 2].to_vec()),
        ("trailing bytes", format!("{good} x").into_bytes()),
        ("two questions", format!("{good}{good}").into_bytes()),
        ("byte order mark", [b"\xef\xbb\xbf", good.as_bytes()].concat()),
        ("UTF-16", good.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("invalid UTF-8", raw("ls", b"l\xffs")),
        ("overlong UTF-8", raw("ls", b"\xc0\xaf")),
        ("a surrogate as bytes", raw("ls", b"\xed\xa0\x80")),
        ("a lone surrogate", raw("\"ls\"", b"\"ls \\ud800\"")),
        ("NUL as an escape", raw("\"ls\"", b"\"ls\\u0000\"")),
        ("NUL as a byte", raw("ls", b"ls\0")),
        ("NUL behind the end", [good.as_bytes(), b"\0"].concat()),
        ("a control character", raw("\"ls\"", b"\"ls\\u001b[2K\"")),
        ("a bare newline in a string", raw("ls", b"ls\n")),
        (
            "a duplicate key",
            raw("\"tool_name\"", b"\"tool_name\":\"Read\",\"tool_name\""),
        ),
        (
            "a duplicate command",
            raw("\"command\"", b"\"command\":\"true\",\"command\""),
        ),
        (
            "a duplicate key spelt otherwise",
            raw("\"command\"", b"\"c\\u006fmmand\":\"true\",\"command\""),
        ),
        ("a comment", raw("\"ls\"", b"\"ls\" /* x */")),
        ("a trailing comma", raw("\"ls\"}", b"\"ls\",}")),
        ("single quotes", good.replace('"', "'").into_bytes()),
        ("NaN", raw("\"ls\"", b"NaN")),
        ("no tool", without("tool_name")),
        ("no input", without("tool_input")),
        ("no event", without("hook_event_name")),
        ("no folder", without("cwd")),
        ("no session", without("session_id")),
        ("tool is a number", with("tool_name", json!(3))),
        ("tool is empty", with("tool_name", json!(""))),
        ("input is a string", with("tool_input", json!("ls"))),
        ("input is null", with("tool_input", json!(null))),
        ("command is a number", with("tool_input", json!({"command": 3}))),
        (
            "command is an object",
            with("tool_input", json!({"command": {"x": "ls"}})),
        ),
        ("no command", with("tool_input", json!({}))),
        ("folder is relative", with("cwd", json!("work"))),
        ("folder is a list", with("cwd", json!(["/"]))),
        ("event is unknown", with("hook_event_name", json!("BeforeToolUse"))),
        ("event is a list", with("hook_event_name", json!(["PreToolUse"]))),
        ("10 MB", bench.question(&"a".repeat(10 << 20)).to_string().into_bytes()),
        (
            "just too long",
            bench.question(&"a".repeat(2 << 20)).to_string().into_bytes(),
        ),
        ("10 MB of spaces", vec![b' '; 10 << 20]),
        ("depth 200,000 of arrays", deep("[", "]", 200_000)),
        ("depth 100,000 of objects", deep("{\"a\":", "}", 100_000)),
        ("depth 200,000 unclosed", deep("[", "", 200_000)),
        (
            "depth 129 within the input",
            with("tool_input", serde_json::from_slice(&deep("[", "]", 100)).unwrap()),
        ),
    ]
}

#[test]
fn every_question_that_is_not_one_is_refused_and_recorded() {
    for agent in AGENTS {
        let bench = Bench::new();
        let bad = bad_questions(&bench);
        assert!(bad.len() >= 40);
        let count = bad.len();
        for (what, question) in bad {
            let output = ask(bench.hook(agent), &question);
            let reason = stopped(&output).unwrap_or_else(|| panic!("{agent}: {what}: {output:?}"));
            assert_eq!(output.status.code(), Some(0), "{agent}: {what}");
            assert!(
                reason.starts_with("Tollgate refused this call"),
                "{agent}: {what}: {reason}"
            );
            assert!(output.stderr.is_empty(), "{agent}: {what}");
        }
        let records = bench.records();
        assert_eq!(records.len(), count);
        assert!(
            records
                .iter()
                .all(|r| r["kind"] == "malformed" && r["verdict"] == "deny")
        );
    }
}

#[test]
fn a_harmless_question_is_answered_with_silence_and_recorded() {
    for agent in AGENTS {
        let bench = Bench::new();
        let output = ask(bench.hook(agent), bench.question("git status").to_string().as_bytes());
        assert_eq!(
            (output.status.code(), output.stdout.len(), output.stderr.len()),
            (Some(0), 0, 0)
        );
        assert_eq!(bench.records()[0]["verdict"], "allow");
    }
}

#[test]
fn a_dangerous_question_is_stopped() {
    for agent in AGENTS {
        let bench = Bench::new();
        let mut question = bench.question("cd / && rm -rf ~");
        question["permission_mode"] = json!("bypassPermissions");
        let output = ask(bench.hook(agent), question.to_string().as_bytes());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let decision = answer["hookSpecificOutput"]["permissionDecision"].as_str().unwrap();
        assert!(decision == "deny" || agent == "claude" && decision == "ask", "{answer}");
        assert!(
            answer["hookSpecificOutput"]["permissionDecisionReason"]
                .as_str()
                .unwrap()
                .contains("rm_rf_root")
        );
    }
}

#[test]
fn news_is_taken_in_silence() {
    let bench = Bench::new();
    let mut news = bench.question("ls");
    news["hook_event_name"] = json!("PostToolUse");
    let output = ask(bench.hook("claude"), news.to_string().as_bytes());
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    let records = bench.records();
    assert_eq!((records.len(), records[0]["kind"].as_str()), (1, Some("evidence")));
}

#[test]
fn without_home_or_with_a_wrong_command_line_everything_is_refused() {
    let bench = Bench::new();
    let question = bench.question("ls").to_string();
    for agent in AGENTS {
        let mut hook = bench.hook(agent);
        hook.env_remove("HOME");
        let reason = stopped(&ask(hook, question.as_bytes())).unwrap();
        assert!(reason.contains("HOME"), "{reason}");
        let mut hook = bench.hook(agent);
        hook.env("HOME", "relative");
        assert!(stopped(&ask(hook, question.as_bytes())).is_some());
        for args in [
            &["--config"][..],
            &["--config", "relative"],
            &["--allow-all"],
            &["extra"],
        ] {
            let mut hook = bench.hook(agent);
            hook.args(args);
            let reason = stopped(&ask(hook, question.as_bytes())).unwrap_or_else(|| panic!("{args:?}"));
            assert!(reason.contains("Tollgate refused this call"), "{reason}");
        }
    }
    for agent in ["", "aider"] {
        let output = ask(bench.hook(agent), question.as_bytes());
        assert_eq!(output.status.code(), Some(2));
        assert!(stopped(&output).is_some());
    }
}

#[test]
fn a_state_that_cannot_be_written_refuses_everything() {
    for agent in AGENTS {
        let bench = Bench::new();
        let state = bench.at("home/.local/state/tollgate");
        let question = bench.question("ls").to_string();
        // Not chmod: it does not bind root.
        fs::create_dir_all(state.parent().unwrap()).unwrap();
        fs::write(&state, "a file where the folder should be").unwrap();
        let reason = stopped(&ask(bench.hook(agent), question.as_bytes())).unwrap();
        assert!(reason.contains("cannot record the decision"), "{reason}");
        fs::remove_file(&state).unwrap();
        // The log is a device that is always full.
        fs::create_dir_all(state.join("ledger")).unwrap();
        std::os::unix::fs::symlink("/dev/full", state.join("ledger/000001.ndjson")).unwrap();
        assert!(stopped(&ask(bench.hook(agent), question.as_bytes())).is_some());
        // Malformed questions are refused all the same.
        assert!(stopped(&ask(bench.hook(agent), b"{")).is_some());
    }
}

#[test]
fn files_that_may_not_grow_refuse_the_call() {
    for agent in AGENTS {
        // In blocks: nothing at all, a part of a record, and a log that is full after some records.
        for limit in ["0", "1", "4"] {
            let bench = Bench::new();
            let question = bench.question("ls").to_string();
            let refused = (0..30).any(|_| {
                let script = format!("ulimit -f {limit} && exec \"$0\" {agent}");
                let mut hook = Command::new("sh");
                hook.args(["-c", &script])
                    .arg(env!("CARGO_BIN_EXE_tollgate-hook"))
                    .env_clear()
                    .env("HOME", bench.at("home"));
                hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
                let output = ask(hook, question.as_bytes());
                let allowed = output.status.code() == Some(0) && output.stdout.is_empty();
                let reason = stopped(&output);
                assert!(allowed || reason.is_some(), "{limit}: {output:?}");
                reason.is_some_and(|reason| reason.contains("cannot record the decision"))
            });
            assert!(refused, "{agent} {limit}");
            // Nothing half-written is left, and without the limit the work goes on.
            let before = bench.records().len();
            assert_eq!(stopped(&ask(bench.hook(agent), question.as_bytes())), None);
            assert_eq!(bench.records().len(), before + 1, "{limit}");
        }
    }
}

#[test]
fn an_answer_that_cannot_be_written_blocks_by_exit_code() {
    for agent in AGENTS {
        let bench = Bench::new();
        let question = bench.question("rm -rf ~").to_string();
        // Closed, as a shell closes it.
        let script = format!("exec \"$0\" {agent} >&-");
        let mut closed = Command::new("sh");
        closed
            .args(["-c", &script])
            .arg(env!("CARGO_BIN_EXE_tollgate-hook"))
            .env("HOME", bench.at("home"));
        closed.stdin(Stdio::piped()).stderr(Stdio::piped());
        let output = ask(closed, question.as_bytes());
        assert_eq!(output.status.code(), Some(2));
        assert!(stopped(&output).unwrap().contains("rm_rf_root"));
        // Full.
        let mut full = bench.hook(agent);
        full.stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
        assert_eq!(ask(full, question.as_bytes()).status.code(), Some(2));
        // A pipe that nobody reads.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut gone = bench.hook(agent);
        gone.stdout(writer);
        let output = ask(gone, b"{");
        assert_eq!(output.status.code(), Some(2));
        assert!(stopped(&output).is_some());
        assert_eq!(bench.records().len(), 3);
    }
}

#[test]
fn a_question_that_never_ends_is_refused_in_time() {
    // What the program does, with less patience than it has.
    let (reader, writer) = std::io::pipe().unwrap();
    let from = Instant::now();
    let error = hook::read(reader.as_fd(), Duration::from_millis(80)).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    assert!(from.elapsed() < Duration::from_secs(2));
    drop(writer);

    // One byte now and then does not keep it waiting either.
    let (reader, mut writer) = std::io::pipe().unwrap();
    let drip = std::thread::spawn(move || {
        for _ in 0..40 {
            if writer.write_all(b" ").is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    assert!(hook::read(reader.as_fd(), Duration::from_millis(80)).is_err());
    drop(reader);
    drip.join().unwrap();
}

#[test]
fn the_largest_question_is_judged_and_one_byte_more_is_not() {
    let bench = Bench::new();
    let frame = bench.question("").to_string().len();
    for (length, expected) in [(hook::LIMIT, "decision"), (hook::LIMIT + 1, "malformed")] {
        let question = bench.question(&"#".repeat(length - frame)).to_string();
        assert_eq!(question.len(), length);
        let from = Instant::now();
        let _ = ask(bench.hook("claude"), question.as_bytes());
        assert!(from.elapsed() < Duration::from_secs(10));
        assert_eq!(bench.records().last().unwrap()["kind"], expected);
    }
}

#[test]
fn hard_texts_are_answered_in_time_and_never_by_a_crash() {
    let n = 100_000;
    for (what, command) in [
        ("substitutions", "$(".repeat(n)),
        ("parentheses", "(".repeat(n)),
        ("braces", "{ ".repeat(n)),
        ("ifs", "if ".repeat(n)),
        ("backticks", "`".repeat(n)),
        ("quotes", "\"$(".repeat(n)),
        ("expansions", "${x:-".repeat(n)),
        ("brace lists", "{a,".repeat(n)),
        ("brace product", "{a,b}".repeat(60)),
        ("pipes", "a|".repeat(n)),
        ("here-documents", "cat <<E\n".repeat(n)),
        ("functions", "f(){ f;};f;".repeat(n / 10)),
        ("aliases", "alias a=b;".repeat(n / 10)),
        ("evals", "eval ".repeat(n)),
        ("sudos", "sudo ".repeat(n)),
        ("assignments", "a=$a$a;".repeat(n / 10)),
        ("loops", "for i in {1..99}; do ".repeat(n / 100)),
        ("secrets", "password=\"".repeat(n / 10)),
    ] {
        let bench = Bench::new();
        let from = Instant::now();
        let output = ask(bench.hook("claude"), bench.question(&command).to_string().as_bytes());
        assert!(from.elapsed() < Duration::from_secs(20), "{what}: {:?}", from.elapsed());
        assert_eq!(
            (output.status.code(), output.status.signal()),
            (Some(0), None),
            "{what}: {output:?}"
        );
        assert_eq!(bench.records().len(), 1, "{what}");
    }
}
