//! A home of its own, in which a person, nobody or an agent runs `tollgate`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

pub(crate) struct Home {
    folder: tempfile::TempDir,
    variables: Vec<(&'static str, String)>,
}

/// What a command ended with and said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) text: String,
}

impl Said {
    /// Fails where the command ended in another way or did not say one of the texts.
    pub(crate) fn is(self, code: i32, texts: &[&str]) -> Self {
        let missing = texts.iter().find(|text| !self.text.contains(*text));
        assert!(
            self.code == code && missing.is_none(),
            "ended with {}, not {code}, or lacks {missing:?}: {}",
            self.code,
            self.text
        );
        self
    }
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "work/.git", "config", "bin"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let home = Self {
            folder,
            variables: Vec::new(),
        };
        let tollgate = std::env::var_os("CARGO_BIN_EXE_tollgate").unwrap();
        std::os::unix::fs::symlink(tollgate, home.at("bin/tollgate")).unwrap();
        home
    }

    /// The same with a variable set.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_default()
    }

    /// Runs a command line in a terminal of its own.
    pub(crate) fn person(&self, line: &str) -> Said {
        self.run(Command::new("script").args(["-qec", line, "/dev/null"]), "")
    }

    /// The same with what is typed there.
    pub(crate) fn typing(&self, line: &str, typed: &str) -> Said {
        self.run(Command::new("script").args(["-qec", line, "/dev/null"]), typed)
    }

    /// Runs a command line without a terminal.
    pub(crate) fn nobody(&self, line: &str) -> Said {
        self.run(Command::new("setsid").args(["-w", "sh", "-c", line]), "")
    }

    /// Asks the hook about a command: the decision, empty where it has no opinion.
    pub(crate) fn hook(&self, command: &str) -> String {
        let question = serde_json::json!({
            "session_id": "s", "transcript_path": "/tmp/t", "cwd": self.at("work"), "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t",
            "tool_input": {"command": command},
        });
        let line = "tollgate hook --agent claude";
        let said = self.run(Command::new("sh").args(["-c", line]), &question.to_string());
        let said: Value = serde_json::from_str(&said.text).unwrap_or_default();
        let decision = said["hookSpecificOutput"]["permissionDecision"].as_str();
        decision.unwrap_or_default().to_owned()
    }

    fn run(&self, command: &mut Command, typed: &str) -> Said {
        let input = self.at("typed");
        fs::write(&input, typed).unwrap();
        let output = command
            .env_clear()
            .env("HOME", self.at("home"))
            .env(
                "PATH",
                format!("{}:/usr/local/bin:/usr/bin:/bin", self.at("bin").display()),
            )
            .env("TOLLGATE_HOME", self.folder.path())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.at("work"))
            .stdin(Stdio::from(fs::File::open(&input).unwrap()))
            .output()
            .unwrap();
        Said {
            code: output.status.code().unwrap(),
            text: String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(),
        }
    }

    /// The notes of the ledger's records of a kind.
    pub(crate) fn notes(&self, kind: &str) -> Vec<String> {
        let text = self.read("state/ledger/000001.ndjson");
        let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        records
            .filter(|record| record["kind"] == kind)
            .map(|record| record["note"].as_str().unwrap_or_default().to_owned())
            .collect()
    }
}

/// Whether the tests can play a person: there is a program that gives a terminal, and no agent is above them.
pub(crate) fn people() -> bool {
    let can = Path::new("/usr/bin/script").exists() && no_agent();
    if !can {
        eprintln!("SKIPPED: needs `script`, which gives a terminal, and no agent above");
    }
    can
}

/// Whether no agent is above the tests: one may not change settings.
pub(crate) fn no_agent() -> bool {
    let none = std::env::var_os("CLAUDECODE").is_none();
    if !none {
        eprintln!("SKIPPED: needs that no agent is above");
    }
    none
}
