//! Asks that wait for a person: what the agent hears, how a person answers, and that no agent can.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test may fail loudly"
)]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A command that asks and may be remembered.
const PUSH: &str = "git push --force origin topic";
/// A command that asks each time.
const WIPE: &str = "rm -rf ~";

/// A home with an agent in it: a process that starts the hook, and whatever else it is told to.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "work/.git", "config", "bin"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let home = Self { folder };
        let tollgate = std::env::var_os("CARGO_BIN_EXE_tollgate").unwrap();
        std::os::unix::fs::symlink(tollgate, home.at("bin/tollgate")).unwrap();
        home
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, program: &str) -> Command {
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
    fn person(&self, line: &str) -> (i32, String) {
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

    /// Runs a command line without a terminal.
    fn nobody(&self, line: &str) -> (i32, String) {
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

    fn agent(&self) -> Agent<'_> {
        Agent::start(self)
    }

    fn records(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.at("state/ledger/000001.ndjson")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn last(&self, kind: &str) -> Value {
        self.records()
            .into_iter()
            .rfind(|record| record["kind"] == kind)
            .unwrap()
    }

    fn configure(&self, text: &str) {
        fs::write(self.at("config/config.toml"), text).unwrap();
    }
}

/// A process that runs each line that it is given and says when it is done.
struct Agent<'h> {
    home: &'h Home,
    child: Child,
    say: ChildStdin,
    hear: BufReader<ChildStdout>,
}

impl<'h> Agent<'h> {
    fn start(home: &'h Home) -> Self {
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
    fn runs(&mut self, line: &str) -> (i32, String) {
        writeln!(self.say, "{line}").unwrap();
        let mut code = String::new();
        self.hear.read_line(&mut code).unwrap();
        let out = fs::read_to_string(self.home.at("work/out")).unwrap();
        (code.trim().parse().unwrap(), out)
    }

    /// Asks the hook about a command, as an agent does before it runs it: decision and reason.
    fn asks_as(&mut self, agent: &str, mode: &str, command: &str) -> (String, String) {
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

    fn asks(&mut self, command: &str) -> (String, String) {
        self.asks_as("codex", "default", command)
    }

    /// The name of the approval that a denied call waits for.
    fn waits(&mut self, command: &str) -> String {
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
fn people() -> bool {
    let can = std::path::Path::new("/usr/bin/script").exists() && std::env::var_os("CLAUDECODE").is_none();
    if !can {
        eprintln!("SKIPPED: needs `script`, which gives a terminal, and no agent above");
    }
    can
}

#[test]
fn m_52_a_call_that_a_person_approved_passes_once() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    let id = agent.waits(WIPE);
    let (code, out) = home.person(&format!("tollgate approvals approve {id} --yes"));
    assert_eq!(code, 0, "{out}");
    assert_eq!(home.last("approval")["decision"]["granted"], "once");
    // Codex takes silence for a yes.
    assert_eq!(agent.asks(WIPE).0, "");
    let record = home.last("decision");
    assert_eq!(
        (&record["verdict"], &record["decision"]["granted"]),
        (&json!("ask"), &json!("once"))
    );
    assert_eq!(record["decision"]["approval"], json!(id));
    assert_ne!(agent.waits(WIPE), id);
}

#[test]
fn ux_001_a_script_that_changed_after_the_yes_is_asked_about_again() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    fs::write(home.at("work/deploy.sh"), "git push --force\n").unwrap();
    let id = agent.waits("sh deploy.sh");
    fs::write(home.at("work/deploy.sh"), "git push --force  # and more\n").unwrap();
    assert_eq!(home.person(&format!("tollgate approvals approve {id} --yes")).0, 0);
    assert_ne!(agent.waits("sh deploy.sh"), id);
    fs::write(home.at("work/deploy.sh"), "git push --force\n").unwrap();
    assert_eq!(agent.asks("sh deploy.sh").0, "");
}

#[test]
fn ux_002_a_description_is_no_part_of_what_was_approved() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    let id = agent.waits(PUSH);
    assert_eq!(
        home.person(&format!("tollgate approvals approve {id} --days 3 --yes"))
            .0,
        0
    );
    assert_eq!(agent.asks(PUSH).0, "");
    let question = fs::read_to_string(home.at("question")).unwrap();
    fs::write(home.at("question"), question.replace("number ", "other words ")).unwrap();
    let line = format!("exec tollgate hook --agent codex < {}", home.at("question").display());
    assert_eq!(agent.runs(&line), (0, String::new()));
    assert_eq!(home.last("decision")["decision"]["cache_hit"], json!(id));
}

#[test]
fn v_3303_a_remembered_yes_holds_for_another_process_in_the_same_folder_only() {
    if !people() {
        return;
    }
    let home = Home::new();
    let id = home.agent().waits(PUSH);
    assert_eq!(
        home.person(&format!("tollgate approvals approve {id} --days 3 --yes"))
            .0,
        0
    );
    let mut other = home.agent();
    assert_eq!(other.asks(PUSH).0, "");
    assert_eq!(other.asks("cd .. && git push --force origin topic").0, "deny");
    // What stands in the way of another PATH is another program.
    let question = home.at("question");
    let line = format!(
        "PATH=/tmp:$PATH exec tollgate hook --agent codex < {}",
        question.display()
    );
    other.asks(PUSH);
    assert!(other.runs(&line).1.contains("\"deny\""));
}

#[test]
fn v_3304_what_destroys_is_approved_for_one_call_only() {
    if !people() {
        return;
    }
    let home = Home::new();
    let id = home.agent().waits(WIPE);
    for scope in ["--session", "--days 3"] {
        let (code, out) = home.person(&format!("tollgate approvals approve {id} {scope} --yes"));
        assert!(code == 1 && out.contains("for one call only"), "{code}: {out}");
    }
}

#[test]
fn v_3309_f_0502_claude_is_asked_at_once_and_a_grant_is_told_as_allow() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    let (told, reason) = agent.asks_as("claude", "default", PUSH);
    assert!(told == "ask" && !reason.contains("Approval `"), "{reason}");
    let (_, list) = home.person("tollgate approvals list --json");
    let list: Value = serde_json::from_str(list.trim()).unwrap();
    assert_eq!(list["approvals"][0]["native"], true);
    let id = list["approvals"][0]["id"].as_str().unwrap();
    assert_eq!(
        home.person(&format!("tollgate approvals approve {id} --session --yes"))
            .0,
        0
    );
    assert_eq!(agent.asks_as("claude", "default", PUSH).0, "allow");
    assert_eq!(agent.asks_as("claude", "default", PUSH).0, "allow");
    let (told, reason) = agent.asks_as("claude", "bypassPermissions", WIPE);
    assert!(
        told == "deny" && reason.contains("tollgate approvals approve"),
        "{reason}"
    );
}

#[test]
fn b_0510_f_0503_v_0502_the_card_shows_what_is_asked_and_a_no_is_kept() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    let id = agent.waits(PUSH);
    let (code, card) = home.person(&format!("tollgate approvals show {id}"));
    assert_eq!(code, 0);
    for part in [&id, PUSH, "git_push_force", "codex", "--days N", "Why:", "asked once"] {
        assert!(card.contains(part), "{part}: {card}");
    }
    let (code, _) = home.person(&format!("echo n | tollgate approvals approve {id}"));
    assert_eq!(code, 10);
    let (code, out) = home.person(&format!("tollgate approvals reject {id} --instead 'push a new branch'"));
    assert_eq!(code, 0, "{out}");
    assert_eq!(home.person(&format!("tollgate approvals wait {id}")).0, 20);
    let (code, out) = home.person(&format!("tollgate approvals approve {id} --yes"));
    assert!(code == 1 && out.contains("changes_requested already"), "{out}");
    assert_eq!(agent.asks(PUSH).0, "deny");
    let (code, _) = home.person(&format!("tollgate approvals wait {} --timeout 0", agent.waits(PUSH)));
    assert_eq!(code, 124);
    assert_eq!(home.person("tollgate approvals show aaaaaaaa").0, 66);
}

#[test]
fn r_14_no_agent_answers() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    let id = agent.waits(PUSH);
    let mut tried = 0;
    for command in [
        format!("tollgate approvals approve {id} --yes"),
        format!("tollgate approvals reject {id}"),
        "tollgate approvals clear".into(),
        "tollgate unlock".into(),
        "tollgate uninstall".into(),
        "tollgate install --agent claude".into(),
    ] {
        for way in [
            "{}",
            "script -qec '{}' /dev/null",
            "setsid -w {}",
            "setsid -w script -qec '{}' /dev/null",
            "env -i HOME=$HOME PATH=$PATH TOLLGATE_HOME=$TOLLGATE_HOME {}",
            "env -i HOME=$HOME PATH=$PATH TOLLGATE_HOME=$TOLLGATE_HOME script -qec '{}' /dev/null",
            "yes | {}",
            "sh -c 'exec {}'",
            "nohup {}",
        ] {
            let line = way.replace("{}", &command);
            let (code, out) = agent.runs(&line);
            assert!(
                out.contains("no agent can") || out.contains("No agent can"),
                "{line}: {code} {out}"
            );
            assert_ne!(code, 0, "{line}");
            tried += 1;
        }
    }
    assert_eq!(agent.waits(PUSH), id, "it waits still");
    let attempts = home
        .records()
        .iter()
        .filter(|record| record["kind"] == "attempt")
        .count();
    assert_eq!(attempts, tried);
}

#[test]
fn r_14_who_left_its_agent_has_no_terminal() {
    if !people() {
        return;
    }
    let home = Home::new();
    let id = home.agent().waits(PUSH);
    for command in [&format!("tollgate approvals approve {id} --yes"), "tollgate unlock"] {
        let (code, out) = home.nobody(command);
        assert!(code == 20 && out.contains("there is no terminal"), "{code}: {out}");
    }
    // To take answers back needs none, nor does taking the gate out.
    assert_eq!(home.nobody("tollgate approvals clear").0, 0);
    assert_eq!(home.nobody("tollgate uninstall").0, 0);
}

#[test]
fn r_14_a_mark_of_an_agent_in_the_terminal_counts() {
    if !people() {
        return;
    }
    let home = Home::new();
    let id = home.agent().waits(PUSH);
    // The mark is gone from the process, but not from what its terminal was started with.
    let line = format!("env -u CLAUDECODE tollgate approvals approve {id} --yes");
    let output = home
        .command("script")
        .env("CLAUDECODE", "1")
        .args(["-qec", &line, "/dev/null"])
        .output()
        .unwrap();
    assert_eq!(
        output.status.code(),
        Some(20),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

#[test]
fn v_3101_v_3103_v_3110_an_agent_that_is_refused_too_often_may_only_read() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    for n in 0..5 {
        let (told, reason) = agent.asks(&format!("rm -rf ~/{n}"));
        assert!(told == "deny" && !reason.contains("circuit_breaker"), "{n}: {reason}");
    }
    assert_eq!(home.last("locked")["agent"]["name"], "codex");
    let (told, reason) = agent.asks("npm test");
    assert_eq!(told, "deny");
    for part in ["circuit_breaker", "5 calls", "60 seconds", "tollgate unlock"] {
        assert!(reason.contains(part), "{part}: {reason}");
    }
    for reads in ["git status", "cat README.md", "ls -la", "grep -rn x src"] {
        assert_eq!(agent.asks(reads).0, "", "{reads}");
    }
    // Another agent's process goes on.
    let mut other = home.agent();
    assert_eq!(other.asks("npm test").0, "");
    drop(other);
    let (code, out) = home.person("tollgate unlock");
    assert!(code == 0 && out.contains("Unlocked."), "{out}");
    assert_eq!(agent.asks("npm test").0, "");
    home.configure("[breaker]\nenabled = false\n");
    for n in 0..7 {
        agent.asks(&format!("rm -rf ~/{n}"));
    }
    assert_eq!(agent.asks("npm test").0, "");
}

#[test]
fn v_3106_what_a_person_is_asked_and_what_is_let_through_is_not_counted() {
    let home = Home::new();
    let mut agent = home.agent();
    for n in 0..7 {
        assert_eq!(agent.asks_as("claude", "default", &format!("rm -rf ~/{n}")).0, "ask");
        assert_eq!(agent.asks("ls").0, "");
    }
    assert_eq!(agent.asks_as("claude", "default", "npm test").0, "");
}

#[test]
fn status_says_what_waits_who_is_locked_and_what_is_broken() {
    let home = Home::new();
    let (code, out) = home.nobody("tollgate status");
    assert!(
        code == 0 && out.contains("posture      guard") && out.contains("nothing waits"),
        "{out}"
    );
    assert!(
        out.contains("Claude Code  none") && out.contains("Codex        none"),
        "{out}"
    );
    let mut agent = home.agent();
    for n in 0..5 {
        agent.asks(&format!("rm -rf ~/{n}"));
    }
    fs::create_dir(home.at("config/policies")).unwrap();
    fs::write(home.at("config/policies/a.yml"), "actions: [").unwrap();
    let (code, out) = home.nobody("tollgate status --json");
    let status: Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert_eq!((code, status["waiting"].as_array().unwrap().len()), (125, 5));
    assert!(status["broken"][0].as_str().unwrap().contains("a.yml"), "{status}");
    assert!(
        status["locked"][0]["agent"]
            .as_str()
            .unwrap()
            .starts_with("codex (process "),
        "{status}"
    );
}

#[test]
fn m_52_m_21_where_it_is_set_the_hook_waits_for_the_answer() {
    if !people() {
        return;
    }
    let home = Home::new();
    home.configure("[approvals]\nwait_seconds = 30\n");
    for (answer, told) in [("approve --yes", ""), ("reject", "deny")] {
        let mut agent = home.agent();
        let waiting = std::thread::scope(|scope| {
            let person = scope.spawn(|| {
                loop {
                    let (_, list) = home.nobody("tollgate approvals list --json");
                    let list: Value = serde_json::from_str(list.trim()).unwrap();
                    let pending = |one: &&Value| one["status"] == "pending";
                    let waits = list["approvals"].as_array().unwrap().iter().find(pending);
                    if let Some(id) = waits.and_then(|one| one["id"].as_str()) {
                        return home.person(&format!("tollgate approvals {answer} {id}")).0;
                    }
                }
            });
            let heard = agent.asks(WIPE).0;
            assert_eq!(person.join().unwrap(), 0);
            heard
        });
        assert_eq!(waiting, told, "{answer}");
    }
    // Nobody answers: the wait ends by itself.
    home.configure("[approvals]\nwait_seconds = 1\n");
    assert_eq!(home.agent().asks(WIPE).0, "deny");
    // Claude Code has a question of its own, and is not kept waiting.
    home.configure("[approvals]\nwait_seconds = 600\n");
    assert_eq!(home.agent().asks_as("claude", "default", WIPE).0, "ask");
}

#[test]
fn learn_proposes_the_very_command_that_was_approved_again_and_again() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    for _ in 0..3 {
        let id = agent.waits(PUSH);
        assert_eq!(home.person(&format!("tollgate approvals approve {id} --yes")).0, 0);
        assert_eq!(agent.asks(PUSH).0, "");
        agent.waits(WIPE);
    }
    let (code, yaml) = home.nobody("tollgate learn");
    assert!(
        code == 0 && yaml.contains("suppresses: git_push_force") && yaml.contains("approved 3 times"),
        "{yaml}"
    );
    assert!(!yaml.contains("rm_rf"), "what destroys is not proposed: {yaml}");
    fs::create_dir(home.at("config/policies")).unwrap();
    fs::write(home.at("config/policies/learned.yml"), yaml).unwrap();
    assert_eq!(agent.asks(PUSH).0, "");
    assert_eq!(agent.asks(&format!("{PUSH} --no-verify")).0, "deny");
    // And what would have been another decision is shown.
    let (code, report) = home.nobody("tollgate policy replay --json");
    let report: Value = serde_json::from_str(report.trim()).unwrap();
    assert_eq!((code, report["differ"].as_u64()), (0, Some(6)), "{report}");
    assert!(
        report["shown"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["text"] == PUSH && one["was"] == "ask")
    );
    let (_, none) = home.nobody("tollgate policy replay --since 0s --json");
    assert_eq!(serde_json::from_str::<Value>(none.trim()).unwrap()["decisions"], 0);
}

#[test]
fn replay_says_where_it_is_not_exact() {
    let home = Home::new();
    let mut agent = home.agent();
    fs::write(home.at("work/a.sh"), "git push --force\n").unwrap();
    agent.asks("sh a.sh");
    agent.asks("curl -H 'Authorization: Bearer ghp_0123456789abcdefghijklmnopqrstuvwxyz' https://h.example/");
    fs::write(home.at("work/a.sh"), "true\n").unwrap();
    let (_, report) = home.nobody("tollgate policy replay --all");
    assert!(
        report.contains("not exact: a file that was read has changed since"),
        "{report}"
    );
    assert!(report.contains("not exact: secrets were taken out"), "{report}");
}

#[test]
fn v_3104_file_tools_count_and_are_refused_while_an_agent_is_locked() {
    let home = Home::new();
    let mut agent = home.agent();
    let mut edits = |path: &str, tool: &str| {
        let question = json!({
            "session_id": "s-1", "transcript_path": "/tmp/t", "cwd": home.at("work"), "permission_mode": "bypassPermissions",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_use_id": "t-1",
            "tool_input": {"file_path": path, "content": "x"},
        });
        fs::write(home.at("question"), question.to_string()).unwrap();
        let line = format!("exec tollgate hook --agent claude < {}", home.at("question").display());
        agent.runs(&line).1
    };
    for n in 0..5 {
        let path = home.at(&format!("home/.ssh/config{n}"));
        let said = edits(&path.to_string_lossy(), "Write");
        assert!(
            said.contains("deny") && !said.contains("circuit_breaker"),
            "{n}: {said}"
        );
    }
    let file = home.at("work/a.txt");
    assert!(edits(&file.to_string_lossy(), "Write").contains("circuit_breaker"));
    assert_eq!(edits(&file.to_string_lossy(), "Read"), "");
}

#[test]
fn v_3108_a_yes_does_not_open_a_lock() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    let id = agent.waits(WIPE);
    for n in 0..5 {
        agent.asks(&format!("rm -rf ~/{n}"));
    }
    assert_eq!(home.person(&format!("tollgate approvals approve {id} --yes")).0, 0);
    let (told, reason) = agent.asks(WIPE);
    assert!(told == "deny" && reason.contains("circuit_breaker"), "{reason}");
    assert_eq!(home.person("tollgate unlock").0, 0);
    assert_eq!(agent.asks(WIPE).0, "", "the yes was not used up meanwhile");
}

#[test]
fn v_3306_a_yes_is_for_one_folder_by_whatever_name() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    let id = agent.waits(PUSH);
    assert_eq!(
        home.person(&format!("tollgate approvals approve {id} --days 2 --yes"))
            .0,
        0
    );
    // The folder is another one now, though its name is the same.
    fs::rename(home.at("work"), home.at("old")).unwrap();
    fs::create_dir_all(home.at("work/.git")).unwrap();
    let mut other = home.agent();
    assert_eq!(other.asks(PUSH).0, "deny");
}

#[test]
fn v_3503_check_judges_as_the_hook_does() {
    let home = Home::new();
    let mut agent = home.agent();
    for (command, told, code) in [
        (PUSH, "ask", 10),
        (WIPE, "ask", 10),
        ("git status", "", 0),
        ("tollgate unlock", "deny", 20),
    ] {
        assert_eq!(agent.asks_as("claude", "default", command).0, told, "{command}");
        assert_eq!(home.nobody(&format!("tollgate check '{command}'")).0, code, "{command}");
    }
    home.configure("posture = \"off\"\n");
    assert_eq!(home.nobody(&format!("tollgate check '{PUSH}'")).0, 0);
}
