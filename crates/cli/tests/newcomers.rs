//! What somebody meets who is new here: commands word by word, folders that are gone, columns of the log.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test may fail loudly, and these run the program itself"
)]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::json;

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("home/work")).unwrap();
        Self { folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.at("home"))
            .current_dir(self.at("home/work"));
        command
    }

    /// Exit code, standard output, standard error.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        said(&self.command(args).output().unwrap())
    }

    fn ask(&self, args: &[&str], question: &str) -> (i32, String, String) {
        let mut command = self.command(args);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(question.as_bytes());
        said(&child.wait_with_output().unwrap())
    }

    fn question(&self, command: &str) -> String {
        json!({
            "session_id": "s", "cwd": self.at("home/work"), "permission_mode": "default", "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": command},
        })
        .to_string()
    }
}

fn said(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        output.status.code().unwrap(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn a_command_can_be_typed_word_by_word() {
    let bench = Bench::new();
    for (words, code) in [
        (&["ls", "-la"][..], 0),
        (&["--", "ls", "-la"], 0),
        (&["git", "status"], 0),
        (&["rm", "-rf", "/"], 10),
        (&["--", "rm", "-rf", "/"], 10),
        (&["--json", "--", "rm", "-rf", "/"], 10),
        // A word is a word: what a shell would make of it was made before.
        (&["echo", "; rm -rf /"], 0),
        (&["echo", "$(rm -rf /)", "it's"], 0),
        (&["sh", "-c", "rm -rf /"], 10),
    ] {
        for name in ["check", "explain"] {
            let args = [&[name], words].concat();
            let (ended, out, err) = bench.run(&args);
            assert_eq!(ended, code, "{args:?} {out} {err}");
        }
    }
    let whole = bench.run(&["check", "ls -la"]);
    assert_eq!(bench.run(&["check", "ls", "-la"]), whole);
}

#[test]
fn who_only_looks_makes_no_secret() {
    let bench = Bench::new();
    for args in [
        &["approvals", "list"][..],
        &["approvals", "show", "a"],
        &["status"],
        &["check", "ls"],
        &["policy", "doctor"],
        &["doctor"],
        &["config", "show"],
    ] {
        bench.run(args);
        assert!(
            !bench.at("home/.local/state/tollgate/approval.secret").exists(),
            "{args:?}"
        );
    }
}

#[test]
fn records_stand_in_columns_whatever_they_are() {
    let bench = Bench::new();
    bench.ask(&["hook", "--agent", "claude"], &bench.question("ls"));
    bench.ask(&["hook", "--agent", "claude"], "{");
    bench.ask(&["hook", "--agent", "claude"], &bench.question("rm -rf /"));
    let (_, out, _) = bench.run(&["log", "show"]);
    let kinds: Vec<&str> = out.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
    assert!(kinds.contains(&"deny") && kinds.contains(&"allow"), "{out}");
    let agents: Vec<Option<usize>> = out
        .lines()
        .map(|line| line.find(" claude ").or(line.find(" tollgate ")))
        .collect();
    assert!(agents.iter().all(|at| at.is_some() && *at == agents[0]), "{out}");
}

#[test]
fn a_folder_that_is_gone_is_named() {
    let bench = Bench::new();
    fs::write(bench.at("home/v.toml"), "").unwrap();
    let import = format!("import vallum {} --dry-run", bench.at("home/v.toml").display());
    for words in ["check ls", "policy list", "config init --project", &import] {
        let line = format!("mkdir gone && cd gone && rmdir ../gone && exec \"$0\" {words}");
        let mut command = Command::new("sh");
        command.args(["-c", &line, env!("CARGO_BIN_EXE_tollgate")]);
        command
            .env_clear()
            .env("HOME", bench.at("home"))
            .current_dir(bench.at("home/work"));
        let (code, _, err) = said(&command.output().unwrap());
        assert!(
            code == 66 && err.contains("work/gone` cannot be used"),
            "{words}: {code} {err}"
        );
    }
}
