//! The ledger from the outside: what vouches for it, what is said when something is gone, what a full disk does.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test may fail loudly"
)]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

const TOLLGATE: &str = env!("CARGO_BIN_EXE_tollgate");

/// A home of its own.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(home.at("work")).unwrap();
        home
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn ledger(&self) -> PathBuf {
        self.at("state/ledger")
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(TOLLGATE);
        command.args(words).current_dir(self.at("work")).env_clear();
        command.env("HOME", self.0.path()).env("TOLLGATE_HOME", self.0.path());
        command.env("PATH", std::env::var_os("PATH").unwrap());
        command
    }

    /// Exit code and standard output.
    fn run(&self, words: &[&str]) -> (i32, String) {
        let output = self.command(words).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code().unwrap(), text)
    }

    fn json(&self, words: &[&str]) -> (i32, Value) {
        let (code, text) = self.run(words);
        (code, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// What the hook answers.
    fn ask(&self, command: &str) -> String {
        let question = json!({
            "session_id": "s", "cwd": self.at("work"), "permission_mode": "default", "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": command},
        });
        let mut hook = self.command(&["hook", "--agent", "claude"]);
        let mut hook = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let _ = hook.stdin.take().unwrap().write_all(question.to_string().as_bytes());
        String::from_utf8_lossy(&hook.wait_with_output().unwrap().stdout).into_owned()
    }
}

#[test]
fn a_checkpoint_goes_to_a_file_a_ref_and_a_program_and_vouches_from_there() {
    let home = Home::new();
    (0..3).for_each(|_| drop(home.ask("ls")));
    let (code, report) = home.json(&["log", "verify", "--json"]);
    assert_eq!(
        (code, &report["anchored"], &report["unanchored"]),
        (0, &json!(0), &json!(3))
    );

    let kept = home.at("kept");
    let (code, note) = home.run(&["log", "anchor", "--to", kept.to_str().unwrap()]);
    assert_eq!((code, &note), (0, &fs::read_to_string(&kept).unwrap()));
    let (code, told) = home.run(&["log", "anchor", "--command", "sh", "-c", "cat > got"]);
    assert_eq!((code, told), (0, fs::read_to_string(home.at("work/got")).unwrap()));
    assert_eq!(home.run(&["log", "anchor", "--command", "sh", "-c", "exit 3"]).0, 1);
    assert_eq!(home.run(&["log", "anchor", "--command", "no-such-program"]).0, 69);

    let git = |words: &[&str]| {
        let output = Command::new("git").args(words).current_dir(home.at("work")).output();
        output
            .map(|o| String::from_utf8_lossy(&o.stdout).into_owned())
            .unwrap_or_default()
    };
    if git(&["init", "-q", "."]).is_empty() && home.at("work/.git").exists() {
        assert_eq!(home.run(&["log", "anchor", "--git"]).0, 0);
        assert!(git(&["cat-file", "-p", "refs/tollgate/anchors"]).starts_with(&note));
        assert_eq!(git(&["status", "--porcelain", "--untracked-files=no"]), "");
    } else {
        println!("skipped: `git` does not work here");
    }

    let anchor = ["log", "verify", "--json", "--anchor", kept.to_str().unwrap()];
    let (code, report) = home.json(&anchor);
    assert_eq!(code, 0, "{report}");
    // Somebody puts another log there, with everything that is made beside it.
    fs::rename(home.ledger(), home.at("old")).unwrap();
    (0..5).for_each(|_| drop(home.ask("pwd")));
    assert_eq!(home.run(&["log", "anchor"]).0, 0);
    assert_eq!(home.json(&["log", "verify", "--json"]).0, 0);
    assert_eq!(home.json(&anchor).0, 20, "the key here is another one");
    let key = note_key(&home.at("old"));
    let (code, report) = home.json(&[&anchor[..], &["--key", &key]].concat());
    assert_eq!(
        (code, &report["breaks"][0]["kind"]),
        (20, &json!("unexpected")),
        "{report}"
    );
}

/// The machine's public key of a ledger that was moved away, in the form that `log anchor` prints.
fn note_key(ledger: &Path) -> String {
    let home = Home::new();
    fs::create_dir_all(home.at("state")).unwrap();
    fs::rename(ledger, home.ledger()).unwrap();
    let (code, made) = home.json(&["log", "anchor", "--json"]);
    assert_eq!(code, 0, "{made}");
    made["key"].as_str().unwrap().to_owned()
}

#[test]
fn a_record_is_proved_where_the_log_is_not() {
    let home = Home::new();
    assert_eq!(home.run(&["log", "prove", "1"]).0, 66);
    (0..4).for_each(|_| drop(home.ask("ls")));
    let (_, first) = home.json(&["log", "anchor", "--json"]);
    (0..4).for_each(|_| drop(home.ask("ls")));
    let (_, second) = home.json(&["log", "anchor", "--json"]);
    let key = second["key"].as_str().unwrap();
    let record = fs::read_to_string(home.ledger().join("000001.ndjson")).unwrap();
    let elsewhere = Home::new();
    let put = |name: &str, text: &str| {
        fs::write(elsewhere.at(name), text).unwrap();
        elsewhere.at(name).to_str().unwrap().to_owned()
    };
    let line = put("line", record.lines().nth(2).unwrap());
    let other = put("other", record.lines().nth(3).unwrap());
    let earlier = put("earlier", first["note"].as_str().unwrap());
    let proof = put("proof", &home.run(&["log", "prove", "3"]).1);
    let since = put("since", &home.run(&["log", "prove", "--since", "4"]).1);
    for (code, words) in [
        (0, vec!["--proof", &proof, "--key", key, "--record", &line]),
        (20, vec!["--proof", &proof, "--key", key, "--record", &other]),
        (64, vec!["--proof", &proof, "--record", &line]),
        (64, vec!["--proof", &proof, "--key", key]),
        (0, vec!["--proof", &since, "--key", key, "--earlier", &earlier]),
        (64, vec!["--proof", &since, "--key", key]),
        (65, vec!["--proof", &line, "--key", key]),
        (66, vec!["--proof", "no-such-file", "--key", key]),
    ] {
        let all = [&["log", "verify"][..], &words].concat();
        assert_eq!(elsewhere.run(&all).0, code, "{words:?}");
    }
    assert_eq!(home.run(&["log", "prove", "9"]).0, 66);
    assert_eq!(home.run(&["log", "prove"]).0, 64);
}

#[test]
fn behind_a_loss_a_proof_names_the_record_by_its_own_number() {
    let home = Home::new();
    (0..4).for_each(|_| drop(home.ask("ls")));
    let log = home.ledger().join("000001.ndjson");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, &text[..text.len() - 20]).unwrap();
    (0..2).for_each(|_| drop(home.ask("ls")));
    assert_eq!(home.run(&["log", "anchor"]).0, 20, "it is not intact");
    assert_eq!(home.run(&["log", "anchor", "--despite-damage"]).0, 0);
    let proof = home.at("proof");
    fs::write(&proof, home.run(&["log", "prove", "6"]).1).unwrap();
    let (code, out) = home.run(&["log", "verify", "--proof", proof.to_str().unwrap()]);
    assert!(code == 0 && out.starts_with("proved: record 6 is"), "{out}");
}

#[test]
fn what_was_acknowledged_and_is_lost_is_named_by_verify_and_status_for_ever() {
    let home = Home::new();
    (0..4).for_each(|_| drop(home.ask("ls")));
    let log = home.ledger().join("000001.ndjson");
    let text = fs::read_to_string(&log).unwrap();
    let kept = text[..text.len() - 20].to_owned();
    fs::write(&log, &kept).unwrap();
    for appended in [false, true, true] {
        if appended {
            assert_eq!(home.ask("ls"), "", "work goes on");
        }
        let (code, out) = home.run(&["log", "verify"]);
        assert!(code == 20 && out.starts_with("LOST-ACKNOWLEDGED\n"), "{out}");
        let (_, report) = home.json(&["log", "verify", "--json"]);
        assert_eq!(report["breaks"][0]["kind"], "lost-acknowledged", "{report}");
        let (_, status) = home.json(&["status", "--json"]);
        assert_eq!(status["ledger"].as_array().unwrap().len(), 1, "{status}");
    }
    let (_, out) = home.run(&["status"]);
    assert!(out.contains("acknowledged records were lost or changed"), "{out}");
}

/// A page that the power took is told apart from one that somebody wiped out, on the first call of the next boot.
#[test]
fn a_page_lost_with_the_power_is_called_so() {
    let (home, boot) = (Home::new(), "11345678-9abc-def0-1234-56789abcdef0\n");
    fs::write(home.at("boot"), boot).unwrap();
    // All of it in a boot of its own; what comes behind is in the machine's.
    let asked = json!({
        "session_id": "s", "cwd": home.at("work"), "permission_mode": "default", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": "ls"},
    });
    fs::write(home.at("question"), asked.to_string()).unwrap();
    let script = "mount --bind \"$HOME/boot\" /proc/sys/kernel/random/boot_id && \
                  for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do \"$0\" hook --agent claude < \"$HOME/question\"; done";
    let mut before = Command::new("unshare");
    before.args(["-rm", "sh", "-c", script, TOLLGATE]).env_clear();
    before.env("HOME", home.0.path()).env("TOLLGATE_HOME", home.0.path());
    before.env("PATH", std::env::var_os("PATH").unwrap());
    if !before.output().is_ok_and(|o| o.status.success()) {
        println!("skipped: `unshare` does not work here");
        return;
    }
    let log = home.ledger().join("000001.ndjson");
    let mut bytes = fs::read(&log).unwrap();
    assert!(bytes.len() > 3 * 4096, "{}", bytes.len());
    bytes[4096..8192].fill(0);
    fs::write(&log, &bytes).unwrap();
    for asked in [false, true, true] {
        if asked {
            assert_eq!(home.ask("ls"), "", "work goes on");
        }
        let (code, out) = home.run(&["log", "verify"]);
        assert!(code == 20 && out.starts_with("LOST-UNFLUSHED\n"), "{out}");
        assert_eq!(out.contains("could have done it too"), !asked, "{out}");
    }
    let (_, report) = home.json(&["log", "verify", "--json"]);
    assert_eq!(
        (&report["broken"], &report["breaks"][0]["kind"]),
        (&json!(1), &json!("lost-unflushed"))
    );
    bytes = fs::read(&log).unwrap();
    bytes[8192..12288].fill(0);
    fs::write(&log, &bytes).unwrap();
    let (code, out) = home.run(&["log", "verify"]);
    assert!(code == 20 && out.starts_with("TAMPERED\n"), "{out}");
}

/// Runs the test below in a mount namespace where its home is on a small disk.
#[test]
fn a_full_disk_does_what_the_settings_say() {
    let works = Command::new("unshare").args(["-rm", "true"]).output();
    if !works.is_ok_and(|output| output.status.success()) {
        println!("skipped: `unshare` does not work here");
        return;
    }
    for on_full in ["deny", "ask", "suspend"] {
        let folder = tempfile::tempdir().unwrap();
        let script = "mount -t tmpfs -o size=1m small \"$D\" && exec \"$0\" --exact inside_a_small_disk --nocapture";
        let output = Command::new("unshare")
            .args(["-rm", "sh", "-c", script])
            .arg(std::env::current_exe().unwrap())
            .env("D", folder.path())
            .env("ON_FULL", on_full)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{on_full}: {text}{error}"
        );
    }
}

#[test]
fn inside_a_small_disk() {
    let (Some(folder), Ok(on_full)) = (std::env::var_os("D"), std::env::var("ON_FULL")) else {
        return;
    };
    let home = Home(tempfile::tempdir_in(folder).unwrap());
    fs::create_dir_all(home.at("work")).unwrap();
    fs::create_dir_all(home.at("config")).unwrap();
    fs::write(
        home.at("config/config.toml"),
        format!("[ledger]\non_full = \"{on_full}\"\n"),
    )
    .unwrap();
    assert_eq!(home.ask("touch x"), "");
    let filler = home.at("filler");
    // All but some KiB, for the log is written on.
    let mut space = 1000;
    while fs::write(&filler, vec![0; space << 10]).is_err() {
        space -= 8;
    }
    let answer = (0..200)
        .map(|_| home.ask("touch x"))
        .find(|answer| !answer.is_empty())
        .unwrap();
    let asked = answer.contains("\"permissionDecision\":\"ask\"");
    assert!(
        asked == (on_full == "ask") && (asked || answer.contains("\"deny\"")),
        "{on_full}: {answer}"
    );
    assert!(answer.contains("disk is full"), "{answer}");
    let (_, status) = home.json(&["status", "--json"]);
    assert!(status["ledger"].to_string().contains("the disk was full"), "{status}");
    fs::remove_file(&filler).unwrap();
    let (read, write) = (home.ask("ls"), home.ask("touch x"));
    assert_eq!(
        (read.as_str(), write.is_empty()),
        ("", on_full != "suspend"),
        "{on_full}: {write}"
    );
    assert_eq!(home.run(&["log", "verify"]).0, 0);
}
