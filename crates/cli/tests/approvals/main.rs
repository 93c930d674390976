//! Asks that wait for a person: what the agent hears, how a person answers, and that no agent can.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test may fail loudly"
)]

mod breaker;
mod history;
mod home;
mod kills;
mod rule;
mod trust;

use std::fs;

use serde_json::{Value, json};

use crate::home::{Home, PUSH, WIPE, people};

#[test]
fn m_52_a_call_that_a_person_approved_passes_once() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    let id = agent.waits(WIPE);
    home.approves(&id, "");
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
    home.approves(&id, "");
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
    home.approves(&id, "--days 3");
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
    home.approves(&id, "--days 3");
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
    home.approves(id, "--session");
    let (told, reason) = agent.asks_as("claude", "default", PUSH);
    assert!(
        told == "allow" && reason.starts_with("A person allowed this call"),
        "{reason}"
    );
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
    let (told, reason) = agent.asks(PUSH);
    assert_eq!(told, "deny");
    assert!(
        reason.contains("A person said no") && reason.contains("Instead: push a new branch."),
        "{reason}"
    );
    assert!(!reason.contains("Approval `"), "nobody is asked again: {reason}");
    let (told, reason) = agent.asks_as("claude", "default", PUSH);
    assert!(told == "ask", "another agent's call is another one: {reason}");
    let (code, _) = home.person(&format!("tollgate approvals wait {} --timeout 0", agent.waits(WIPE)));
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
        "tollgate trust --yes".into(),
        "tollgate trust --remove".into(),
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
            let heard = agent.asks(WIPE);
            assert_eq!(person.join().unwrap(), 0);
            heard
        });
        assert_eq!(waiting.0, told, "{answer}");
        assert_eq!(waiting.1.contains("A person said no"), told == "deny", "{}", waiting.1);
    }
    // Nobody answers: the wait ends by itself.
    home.configure("[approvals]\nwait_seconds = 1\n");
    assert_eq!(home.agent().asks(WIPE).0, "deny");
    // Claude Code has a question of its own, and is not kept waiting.
    home.configure("[approvals]\nwait_seconds = 600\n");
    assert_eq!(home.agent().asks_as("claude", "default", WIPE).0, "ask");
}

#[test]
fn v_3306_a_yes_is_for_one_folder_by_whatever_name() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    let id = agent.waits(PUSH);
    home.approves(&id, "--days 2");
    // The folder is another one now, though its name is the same.
    fs::rename(home.at("work"), home.at("old")).unwrap();
    fs::create_dir_all(home.at("work/.git")).unwrap();
    let mut other = home.agent();
    assert_eq!(other.asks(PUSH).0, "deny");
}

#[test]
fn r_13_what_a_call_uses_is_part_of_what_was_approved() {
    if !people() {
        return;
    }
    let home = Home::new();
    // More is refused here than an agent may be.
    home.configure("[breaker]\nenabled = false\n");
    let mut agent = home.agent();
    let file = |name: &str, text: &str| fs::write(home.at("work").join(name), text).unwrap();
    file("jobs", "0 4 * * * true\n");
    file("hook", "true\n");
    file("branch", "topic\n");
    for (command, used) in [
        ("crontab jobs", "jobs"),
        ("crontab < jobs", "jobs"),
        ("cat jobs | crontab -", "jobs"),
        ("cp hook .git/hooks/pre-commit", "hook"),
        ("git push --force origin $(cat branch)", "branch"),
    ] {
        let id = agent.waits(command);
        home.approves(&id, "--days 3");
        assert_eq!(agent.asks(command).0, "", "{command}");
        file(used, "other\n");
        assert_eq!(agent.asks(command).0, "deny", "{command}");
        file(used, "0 4 * * * true\n");
        home.nobody("tollgate approvals clear");
    }
}

#[test]
fn r_13_where_a_link_leads_is_part_of_what_was_approved() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    let link = home.at("work/link");
    let to = |name: &str| {
        let _absent = fs::remove_file(&link);
        std::os::unix::fs::symlink(home.at("home").join(name), &link).unwrap();
    };
    for name in [".bashrc", ".profile"] {
        fs::write(home.at("home").join(name), "").unwrap();
    }
    to(".bashrc");
    let id = agent.waits("echo x >> link");
    home.approves(&id, "");
    to(".profile");
    assert_eq!(agent.asks("echo x >> link").0, "deny");
    to(".bashrc");
    assert_eq!(agent.asks("echo x >> link").0, "");
}

#[test]
fn r_14_nobody_answers_from_another_namespace() {
    if !people() {
        return;
    }
    let home = Home::new();
    let id = home.agent().waits(PUSH);
    let inside = |line: &str| {
        let line = format!("unshare --user --map-root-user --fork --pid --mount-proc {line}");
        home.person(&line)
    };
    if inside("true").0 != 0 {
        eprintln!("SKIPPED: needs `unshare` and namespaces of users");
        return;
    }
    let (code, out) = inside(&format!("tollgate approvals approve {id} --yes"));
    assert!(code == 20 && out.contains("cannot be told who asks"), "{code}: {out}");
}
