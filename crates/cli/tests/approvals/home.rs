//! A home with an agent in it, and a person at a terminal.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A command that asks and may be remembered.
pub(crate) const PUSH: &str = "git push --force origin topic";
/// A command that asks each time.
pub(crate) const WIPE: &str = "rm -rf ~";

/// A home with an agent in it: a process that starts the hook, and whatever else it is told to.
pub(crate) struct Home {
    pub(crate) folder: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "work/.git", "config", "bin"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let home = Self { folder };
        let tollgate = std::env::var_os("CARGO_BIN_EXE_tollgate").unwrap();
        std::os::unix::fs::symlink(tollgate, home.at("bin/tollgate")).unwrap();
        home
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.at("home"))
            .env(
                "PATH",
                format!("{}:/usr/local/bin:/usr/bin:/bin", self.at("bin").display()),
            )
            .env("TOLLGATE_HOME", self.folder.path())
            .current_dir(self.at("work"));
        command
    }

    /// Runs a command line of a person in a terminal of their own.
    pub(crate) fn person(&self, line: &str) -> (i32, String) {
        let output = self
            .command("script")
            .args(["-qec", line, "/dev/null"])
            .stdin(Stdio::null())
            .output();
        let output = output.unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    }

    /// A person says yes, as far as `scope` says.
    pub(crate) fn approves(&self, id: &str, scope: &str) {
        let (code, out) = self.person(&format!("tollgate approvals approve {id} {scope} --yes"));
        assert_eq!(code, 0, "{out}");
    }

    /// Runs a command line without a terminal.
    pub(crate) fn nobody(&self, line: &str) -> (i32, String) {
        let output = self
            .command("setsid")
            .args(["-w", "sh", "-c", line])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (
            output.status.code().unwrap(),
            String::from_utf8_lossy(&text).into_owned(),
        )
    }

    pub(crate) fn agent(&self) -> Agent<'_> {
        Agent::start(self)
    }

    pub(crate) fn records(&self) -> Vec<Value> {
        let segment = |number: u32| fs::read_to_string(self.at(&format!("state/ledger/{number:06}.ndjson"))).ok();
        let text: String = (1..).map_while(segment).collect();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn last(&self, kind: &str) -> Value {
        self.records()
            .into_iter()
            .rfind(|record| record["kind"] == kind)
            .unwrap()
    }

    pub(crate) fn configure(&self, text: &str) {
        fs::write(self.at("config/config.toml"), text).unwrap();
    }
}

/// A process that runs each line that it is given and says when it is done.
pub(crate) struct Agent<'h> {
    home: &'h Home,
    child: Child,
    say: ChildStdin,
    hear: BufReader<ChildStdout>,
}

impl<'h> Agent<'h> {
    pub(crate) fn start(home: &'h Home) -> Self {
        let program = "while read -r line; do sh -c \"$line\" < /dev/null > out 2>&1; echo \"$?\"; done";
        fs::write(home.at("agent"), program).unwrap();
        let mut child = home
            .command("sh")
            .arg(home.at("agent"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            home,
            say: child.stdin.take().unwrap(),
            hear: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// Runs a line below the agent: exit code and output.
    pub(crate) fn runs(&mut self, line: &str) -> (i32, String) {
        writeln!(self.say, "{line}").unwrap();
        let mut code = String::new();
        self.hear.read_line(&mut code).unwrap();
        let out = fs::read_to_string(self.home.at("work/out")).unwrap();
        (code.trim().parse().unwrap(), out)
    }

    /// Asks the hook about a command, as an agent does before it runs it: decision and reason.
    pub(crate) fn asks_as(&mut self, agent: &str, mode: &str, command: &str) -> (String, String) {
        let question = json!({
            "session_id": "s-1", "transcript_path": "/tmp/t", "cwd": self.home.at("work"), "permission_mode": mode,
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t-1", "turn_id": "1", "model": "m",
            "tool_input": {"command": command, "description": format!("number {}", self.home.folder.path().display())},
        });
        fs::write(self.home.at("question"), question.to_string()).unwrap();
        let line = format!(
            "exec tollgate hook --agent {agent} < {}",
            self.home.at("question").display()
        );
        let (code, out) = self.runs(&line);
        assert_eq!(code, 0, "{out}");
        let said: Value = serde_json::from_str(&out).unwrap_or_default();
        let of = |name: &str| said["hookSpecificOutput"][name].as_str().unwrap_or_default().to_owned();
        (of("permissionDecision"), of("permissionDecisionReason"))
    }

    pub(crate) fn asks(&mut self, command: &str) -> (String, String) {
        self.asks_as("codex", "default", command)
    }

    /// The name of the approval that a denied call waits for.
    pub(crate) fn waits(&mut self, command: &str) -> String {
        let (told, reason) = self.asks(command);
        assert_eq!(told, "deny", "{reason}");
        let (_, rest) = reason.split_once("Approval `").unwrap();
        rest.split_once('`').unwrap().0.to_owned()
    }
}

impl Drop for Agent<'_> {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// Whether the tests can play a person: there is a program that gives a terminal, and no agent is above them.
pub(crate) fn people() -> bool {
    let can = std::path::Path::new("/usr/bin/script").exists() && std::env::var_os("CLAUDECODE").is_none();
    if !can {
        eprintln!("SKIPPED: needs `script`, which gives a terminal, and no agent above");
    }
    can
}
