//! `log show`, `follow`, `search`, `stats` and `export`, as a person or a script runs them.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test may fail loudly, and these run the program itself"
)]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A home with decisions of the hook.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("work")).unwrap();
        Self(folder)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.args(args).env_clear().env("HOME", self.0.path());
        command.current_dir(self.0.path().join("work"));
        command
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let output = self.command(args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn lines(&self, args: &[&str]) -> Vec<String> {
        let (code, out, err) = self.run(args);
        assert_eq!(code, 0, "{args:?} {err}");
        out.lines().map(str::to_owned).collect()
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.run(args).1).unwrap()
    }

    /// Asks the hook, as an agent does.
    fn ask(&self, tool: &str, input: &Value) {
        let question = json!({
            "session_id": "s-1", "cwd": self.0.path().join("work"), "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
        });
        let mut command = self.command(&["hook", "--agent", "claude"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(question.to_string().as_bytes())
            .unwrap();
        child.wait_with_output().unwrap();
    }

    fn bash(&self, command: &str) {
        self.ask("Bash", &json!({"command": command}));
    }

    fn state(&self) -> PathBuf {
        self.0.path().join(".local/state/tollgate")
    }

    fn ledger(&self) -> PathBuf {
        self.state().join("ledger/000001.ndjson")
    }

    /// Adds a record that nobody decided. Reading does not verify.
    fn forge(&self, record: &Value) {
        let mut file = fs::OpenOptions::new().append(true).open(self.ledger()).unwrap();
        file.write_all(format!("{record}\n").as_bytes()).unwrap();
    }

    fn with_decisions() -> Self {
        let home = Self::new();
        home.bash("git status");
        home.bash("rm -rf ~");
        home.bash("curl https://api.example.org/x");
        home.ask(
            "Write",
            &json!({"file_path": home.0.path().join("work/notes/a.md"), "content": "x"}),
        );
        home
    }
}

/// The numbers at the beginning of lines.
fn numbers(lines: &[String]) -> Vec<&str> {
    lines.iter().filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn f_2401_log_show_finds_commands_files_and_hosts_by_what_is_asked() {
    let home = Home::with_decisions();
    let notes = home.0.path().join("work/notes");
    for (args, wanted) in [
        (&[][..], &["1", "2", "3", "4"][..]),
        (&["--last", "2"], &["3", "4"]),
        (&["--verdict", "ask"], &["2"]),
        (&["--agent", "claude", "--last", "1"], &["4"]),
        (&["--agent", "codex"], &[]),
        (&["--rule", "rm_rf_root"], &["2"]),
        (&["--host", "example.org"], &["3"]),
        (&["--path", notes.to_str().unwrap()], &["4"]),
        (&["--path", "notes/../notes"], &["4"]),
        (
            &["--session", "s-1", "--kind", "decision", "--since", "1h"],
            &["1", "2", "3", "4"],
        ),
        (&["--until", "1h"], &[]),
        (&["--kind", "approval"], &[]),
    ] {
        let args = [&["log", "show"], args].concat();
        assert_eq!(numbers(&home.lines(&args)), wanted, "{args:?}");
    }
    let text = fs::read_to_string(home.ledger()).unwrap();
    let stored: Vec<&str> = text.lines().collect();
    assert_eq!(home.lines(&["log", "show", "--jsonl"]), stored);
    assert_eq!(home.lines(&["log", "show", "--jsonl", "--last", "1"]), [stored[3]]);
    assert_eq!(home.lines(&["log", "show", "--jsonl", "--verdict", "ask"]), [stored[1]]);
    let records = home.json(&["log", "show", "--json", "--verdict", "ask"]);
    assert_eq!(records["records"][0], serde_json::from_str::<Value>(stored[1]).unwrap());
    for args in [
        &["log", "show", "--since", "soon"][..],
        &["log", "show", "--verdict", "denied"],
        &["log", "export", "--format", "xml"],
    ] {
        assert_eq!(home.run(args).0, 64, "{args:?}");
    }
}

#[test]
fn log_search_finds_words_the_newest_first_and_keeps_its_index_to_itself() {
    let home = Home::with_decisions();
    home.bash("git log");
    assert_eq!(numbers(&home.lines(&["log", "search", "GIT"])), ["5", "1"]);
    assert_eq!(numbers(&home.lines(&["log", "search", "git", "--limit", "1"])), ["5"]);
    assert_eq!(
        numbers(&home.lines(&["log", "search", "rm -rf", "--verdict", "ask"])),
        ["2"]
    );
    assert_eq!(
        home.run(&["log", "search", "no such words"]),
        (0, String::new(), "Nothing that was recorded fits.\n".into())
    );
    let mode = |path: &str| fs::metadata(home.state().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode("index"), mode("index/ledger.sqlite"), mode("index/lock")),
        (0o700, 0o600, 0o600)
    );
}

#[test]
fn log_stats_counts_and_draws_bars() {
    let home = Home::with_decisions();
    let stats = home.json(&["log", "stats", "--json"]);
    assert_eq!(stats["records"], 4);
    assert_eq!(stats["verdicts"]["ask"], 1);
    assert_eq!(stats["agents"]["claude"], 4);
    assert_eq!(stats["rules"]["rm_rf_root"], 1);
    assert_eq!(stats["refused"][0], json!({"text": "rm -rf ~", "count": 1}));
    let text = home.lines(&["log", "stats"]).join("\n");
    assert!(
        text.contains("by verdict\n") && text.contains("\u{2588}") && text.contains("rm -rf ~"),
        "{text}"
    );
    assert_eq!(
        home.json(&["log", "stats", "--json", "--verdict", "deny"])["records"],
        0
    );
    assert_eq!(
        home.lines(&["log", "stats", "--verdict", "deny"]),
        ["Nothing that was recorded fits."]
    );
    assert_eq!(
        Home::new().lines(&["log", "stats"]),
        ["Nothing that was recorded fits."]
    );
}

#[test]
fn log_export_writes_every_form_to_a_file_of_its_own() {
    let home = Home::with_decisions();
    for format in ["ndjson", "csv", "sarif", "ocsf", "cef", "otlp", "policy-log"] {
        let out = home.0.path().join(format!("out.{format}"));
        let args = ["log", "export", "--format", format, "--out", out.to_str().unwrap()];
        let (code, said, err) = home.run(&args);
        assert_eq!(
            (code, said.as_str(), err.as_str()),
            (0, "", "4 records were written.\n"),
            "{format}"
        );
        assert_eq!(fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o600);
        let written = fs::read_to_string(&out).unwrap();
        assert_eq!(home.run(&args[..4]).1, written, "{format}");
        assert!(
            written.contains("rm_rf_root") && written.contains("rm -rf ~"),
            "{format}: {written}"
        );
        // What is there is not written over.
        assert_eq!(home.run(&args).0, 74, "{format}");
        assert_eq!(fs::read_to_string(&out).unwrap(), written);
    }
    assert_eq!(
        fs::read_to_string(home.0.path().join("out.ndjson")).unwrap(),
        fs::read_to_string(home.ledger()).unwrap()
    );
    let (_, out, _) = home.run(&["log", "export", "--format", "ndjson", "--verdict", "ask"]);
    assert_eq!(out.lines().count(), 1);
    let sarif = home.json(&["log", "export", "--format", "sarif"]);
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().clone();
    assert!(
        rules
            .iter()
            .any(|rule| rule["id"] == "rm_rf_root" && rule["shortDescription"]["text"] != "rm_rf_root")
    );
}

#[test]
fn nothing_steers_a_terminal_in_any_view() {
    let home = Home::with_decisions();
    let evil = "a\u{1b}]0;x\u{7}\u{202e}b\u{9b}1m\nlast";
    for (seq, verdict) in [(5, evil), (6, "ask")] {
        home.forge(&json!({
            "format": 1, "seq": seq, "time": evil, "kind": "decision", "verdict": verdict, "agent": {"name": evil}, "session": evil,
            "request": {"tool": evil, "parts": [{"kind": "command.run", "text": evil}]},
            "findings": [{"rule": evil, "text": evil, "lost": evil, "chain": [evil]}],
            "effects": [format!("read /{evil} by x")], "note": evil, "cwd": {"path": format!("/{evil}")}, "repository": evil, evil: evil,
        }));
    }
    fs::OpenOptions::new()
        .append(true)
        .open(home.ledger())
        .unwrap()
        .write_all(b"no \x1b[31m record\n")
        .unwrap();
    for args in [
        &["log", "show"][..],
        &["log", "show", "--json"],
        &["log", "show", "--kind", "decision"],
        &["log", "search", "b"],
        &["log", "search", "b", "--json"],
        &["log", "stats"],
        &["log", "stats", "--json"],
        &["log", "export", "--format", "csv"],
        &["log", "export", "--format", "sarif"],
        &["log", "export", "--format", "ocsf"],
        &["log", "export", "--format", "cef"],
        &["log", "export", "--format", "otlp"],
        &["log", "export", "--format", "policy-log"],
    ] {
        let (code, out, _) = home.run(args);
        assert_eq!(code, 0, "{args:?}");
        assert!(
            !out.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{9b}']),
            "{args:?}: {out:?}"
        );
        assert!(out.contains("last"), "{args:?}: {out:?}");
    }
    // One line a record, whatever stands in it.
    assert_eq!(home.lines(&["log", "show"]).len(), 7);
    assert_eq!(home.lines(&["log", "export", "--format", "cef"]).len(), 6);
}

#[test]
fn log_follow_shows_new_records_and_ends_when_nobody_reads() {
    let home = Home::with_decisions();
    for args in [
        &["log", "follow"][..],
        &["log", "follow", "--jsonl", "--verdict", "ask"],
    ] {
        let mut child = home.command(args).stdout(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(500));
        home.bash("rm -rf ~/x");
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert!(
            line.contains("rm -rf ~/x") && !line.contains("git status"),
            "{args:?} {line}"
        );
        drop(out);
        let from = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if from.elapsed() > Duration::from_secs(20) {
                child.kill().unwrap();
                panic!("{args:?} goes on without a reader");
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        assert!(status.success(), "{args:?}");
    }
}

#[test]
fn output_that_is_lost_is_an_error_and_a_reader_that_goes_away_is_none() {
    let home = Home::with_decisions();
    let full = || {
        fs::OpenOptions::new()
            .write(true)
            .custom_flags(0)
            .open("/dev/full")
            .unwrap()
    };
    for args in [
        &["log", "show", "--json"][..],
        &["log", "show", "--jsonl", "--verdict", "ask"],
        &["log", "search", "git"],
        &["log", "stats"],
        &["log", "export", "--format", "csv"],
        &["log", "export", "--format", "sarif"],
    ] {
        assert_eq!(
            home.command(args).stdout(full()).output().unwrap().status.code(),
            Some(74),
            "{args:?}"
        );
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = home.command(args).stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{args:?}");
    }
    let file = ["log", "export", "--format", "csv", "--out", "no/such/folder"];
    assert_eq!(home.run(&file).0, 74);
}
