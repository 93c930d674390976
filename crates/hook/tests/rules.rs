//! A person's own rules: what they teach the hook, and what happens while they cannot be read.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// A tool that only this person has.
const TOOL: &str = r#"
source = "the tool's --help"

[[program]]
name = "acmectl"
options = "--env = value\n--dry-run = flag"
operands = "value"
examples = ["acmectl status => run acmectl"]

[[program.sub]]
name = "nuke"
operands = "name..."
does = ["do acme.nuke @operands when !--dry-run"]
examples = ["acmectl nuke shop => do acme.nuke shop"]

[[rule]]
id = "acme_nuke"
kind = ["command.run"]
on = ["do"]
what = ["acme.nuke"]
risk = "critical"
why = "it takes a running service down for good"
instead = "try it with `--dry-run`, and let the person run it"
lost = "the service {target}"
match = ["acmectl nuke shop"]
not_match = ["acmectl nuke --dry-run shop"]

[[rule]]
id = "read_vault"
on = ["read"]
any = ["vault"]
guard = "deny"
risk = "high"
why = "the vault is nobody's business"
instead = "ask the person for what is needed"
match = ["cat ~/vault/x"]

[[path]]
why = "notes that no agent reads"
glob = ["~/vault", "~/vault/**"]
tags = ["vault"]
"#;

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new(files: &[(&str, &str)]) -> Self {
        let bench = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(bench.at("home/work")).unwrap();
        fs::create_dir_all(bench.rules()).unwrap();
        for (name, text) in files {
            fs::write(bench.rules().join(name), text).unwrap();
            mode(&bench.rules().join(name), 0o600);
        }
        bench
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn rules(&self) -> PathBuf {
        self.at("home/.config/tollgate/rules")
    }

    /// What the hook tells Claude Code about a tool's input: the decision and its reason; empty for silence.
    fn told(&self, tool: &str, input: &Value) -> (String, String) {
        let question = json!({
            "session_id": "s", "transcript_path": "/t.jsonl", "cwd": self.at("home/work"), "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "t1",
        });
        let mut hook = Command::new(env!("CARGO_BIN_EXE_tollgate-hook"));
        hook.arg("claude").env_clear().env("HOME", self.at("home"));
        hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = hook.spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(question.to_string().as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        if output.stdout.is_empty() {
            return (String::new(), String::new());
        }
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let said = &answer["hookSpecificOutput"];
        let text = |field: &str| said[field].as_str().unwrap_or_default().to_owned();
        (text("permissionDecision"), text("permissionDecisionReason"))
    }

    fn command(&self, command: &str) -> (String, String) {
        self.told("Bash", &json!({"command": command}))
    }

    /// The last record.
    fn record(&self) -> Value {
        let log = fs::read_to_string(self.at("home/.local/state/tollgate/ledger/000001.ndjson")).unwrap();
        serde_json::from_str(log.lines().last().unwrap()).unwrap()
    }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_tool_that_was_taught_is_understood_in_every_disguise() {
    let bench = Bench::new(&[("acme.toml", TOOL)]);
    for (command, decision) in [
        ("acmectl status", ""),
        ("acmectl nuke --dry-run shop", ""),
        ("acmectl nuke shop", "ask"),
        ("acmectl --env prod nuke shop", "ask"),
        ("x=acmectl; sudo $x nuke shop", "ask"),
        ("bash -c 'acmectl nuke shop'", "ask"),
        ("echo acmectl nuke shop", ""),
        ("cat ~/vault/plan.txt", "deny"),
        ("rm -rf ~", "ask"),
    ] {
        let (told, reason) = bench.command(command);
        assert_eq!(told, decision, "{command}: {reason}");
    }
    let (_, reason) = bench.command("acmectl nuke shop");
    assert!(
        reason.contains("`acme_nuke`") && reason.contains("the service shop"),
        "{reason}"
    );
    let path = bench.at("home/vault/plan.txt");
    assert_eq!(
        bench.told("Read", &json!({"file_path": path})).0,
        "deny",
        "file tools meet the same table"
    );
}

#[test]
fn without_the_file_the_tool_is_a_stranger() {
    let bench = Bench::new(&[]);
    assert_eq!(bench.command("acmectl nuke shop").0, "");
}

#[test]
fn the_record_names_the_rules() {
    let bench = Bench::new(&[]);
    let digest = || {
        bench.command("ls");
        bench.record()["policy_digest"].as_str().unwrap().to_owned()
    };
    let before = digest();
    assert_eq!(before, digest());
    let file = bench.rules().join("acme.toml");
    fs::write(&file, TOOL).unwrap();
    mode(&file, 0o600);
    let with = digest();
    fs::write(&file, format!("{TOOL}\n# changed\n")).unwrap();
    let changed = digest();
    assert!(before != with && with != changed, "{before} {with} {changed}");
}

#[test]
fn rules_that_cannot_be_read_deny_whatever_changes_something() {
    for (text, named) in [
        ("= =", "bad.toml`, line 1"),
        (
            "[[program]]\nname = \"x\"\noptions = \"-o = wriite\"\n",
            "bad.toml`, line 3: `x`: no role is called `wriite` (Known are `flag`",
        ),
        (
            "[[program]]\nname = \"git\"\n",
            "line 2: `git`: there are built-in facts about this program (Say `replace = true`",
        ),
        ("[[rule]]\nid = \"x\"\n", "line 1: missing field"),
    ] {
        let bench = Bench::new(&[("acme.toml", TOOL), ("bad.toml", text)]);
        let (told, reason) = bench.command("touch x");
        assert_eq!(told, "deny", "{text}");
        assert!(
            reason.contains("`policy.set.broken`") && reason.contains(named),
            "{text}: {reason}"
        );
        assert!(
            bench.record()["decision"]["broken"]
                .as_str()
                .unwrap()
                .contains("bad.toml")
        );
        assert_eq!(bench.command("ls").0, "", "what changes nothing passes");
        assert_eq!(bench.command("rm -rf ~").0, "deny");
        assert_eq!(bench.command("cat ~/vault/x").0, "deny", "the other files still count");
    }
}

#[test]
fn rules_that_others_can_change_are_not_trusted() {
    let bench = Bench::new(&[("acme.toml", TOOL)]);
    let file = bench.rules().join("acme.toml");
    for (path, bits) in [(&file, 0o666), (&file, 0o620), (&bench.rules(), 0o777)] {
        mode(path, bits);
        let (told, reason) = bench.command("touch x");
        assert_eq!(told, "deny", "{bits:o}");
        assert!(reason.contains("`policy.set.broken`"), "{reason}");
        mode(path, 0o700);
        assert_eq!(bench.command("touch x").0, "");
    }
}

#[test]
fn rules_of_another_user_are_not_trusted() {
    let bench = Bench::new(&[("acme.toml", TOOL)]);
    for path in [bench.rules().join("acme.toml"), bench.rules()] {
        if std::os::unix::fs::chown(&path, Some(4711), None).is_err() {
            // Only root can give a file away.
            return;
        }
        let (told, reason) = bench.command("touch x");
        assert_eq!(told, "deny", "{}", path.display());
        assert!(
            reason.contains("other users") || reason.contains("belongs to user 4711"),
            "{reason}"
        );
        std::os::unix::fs::chown(&path, Some(0), None).unwrap();
    }
}

#[test]
fn a_rule_of_a_person_silences_no_built_in_one() {
    let same = "[[rule]]\nid = \"mine\"\non = [\"delete\"]\nguard = \"allow\"\nstrict = \"allow\"\nrisk = \"low\"\nwhy = \"w\"\ninstead = \"i\"\nmatch = [\"rm x\"]\n";
    let bench = Bench::new(&[("mine.toml", same)]);
    let (told, reason) = bench.command("rm -rf ~");
    assert_eq!(told, "ask", "{reason}");
}

#[test]
fn an_agent_may_not_teach_it_anything() {
    let bench = Bench::new(&[]);
    let rules = bench.rules();
    for command in [
        "printf x > ~/.config/tollgate/rules/mine.toml",
        "cp mine.toml ~/.config/tollgate/rules/",
        "cd ~/.config/tollgate && mkdir -p rules && cp /tmp/a.toml rules/a.toml",
        "rm ~/.config/tollgate/rules/acme.toml",
        "mv ~/.config/tollgate/rules ~/old",
        "ln -s /tmp/x ~/.config/tollgate/rules",
    ] {
        assert_eq!(bench.command(command).0, "ask", "{command}");
    }
    let file = rules.join("mine.toml");
    assert_eq!(
        bench.told("Write", &json!({"file_path": file, "content": "x"})).0,
        "ask"
    );
}
