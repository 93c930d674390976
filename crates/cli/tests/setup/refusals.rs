//! What install and uninstall refuse, and with which code.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::home::{Home, inside_an_agent};

#[test]
fn a_wrong_command_line_is_one_sentence_and_a_hint() {
    let home = Home::new();
    for words in [
        "",
        "instal",
        "install --foo",
        "install --agent nobody",
        "install --project --agent codex",
        "doctor x",
    ] {
        let said = home.tollgate(words);
        assert_eq!(
            (said.code, said.out.as_str(), said.err.lines().count()),
            (64, "", 2),
            "{words}: {said:?}"
        );
        let lines: Vec<&str> = said.err.lines().collect();
        assert!(
            lines[0].starts_with("tollgate: ") && lines[0].ends_with('.') && lines[1].starts_with("hint: "),
            "{said:?}"
        );
    }
    assert_eq!(
        home.tollgate("--help").code_saying(&["install", "uninstall", "doctor"]),
        0
    );
}

#[test]
fn settings_that_cannot_be_read_are_left_alone() {
    if inside_an_agent() {
        return;
    }
    for broken in [
        "[]",
        "{\"hooks\": 3}",
        "{'a': 1}",
        "{\"a\": 1",
        "{\"hooks\": {\"PreToolUse\": \"x\"}}",
    ] {
        let home = Home::new();
        home.write(".claude/settings.json", broken);
        assert_eq!(
            home.tollgate("install --agent claude")
                .code_saying(&["settings.json", "Nothing was changed"]),
            65
        );
        assert_eq!(home.read(".claude/settings.json").as_deref(), Some(broken));
        assert!(!home.at(".local").exists());
    }
}

#[test]
fn no_agent_can_install_or_uninstall() {
    for mark in ["CLAUDECODE", "CLAUDE_PID", "CODEX_THREAD_ID"] {
        let home = Home::new().with(mark, "1");
        for words in ["install --agent claude", "install --agent codex --trust", "uninstall"] {
            assert_eq!(home.tollgate(words).code_saying(&["No agent can", mark]), 20);
        }
        assert!(!home.at(".claude").exists());
        assert_ne!(home.tollgate("doctor").code, 20);
    }
}

#[test]
fn a_cleared_environment_does_not_hide_an_agent() {
    let home = Home::new();
    for agent in ["claude", "codex"] {
        let tollgate = home.at("bin/tollgate");
        home.script(
            &format!("path/{agent}"),
            &format!("#!/bin/sh\nenv -i HOME=/ {} uninstall\nexit $?\n", tollgate.display()),
        );
        assert_eq!(
            home.run(&home.at(&format!("path/{agent}")), "")
                .code_saying(&["No agent can uninstall"]),
            20
        );
    }
}

#[test]
fn places_that_others_can_write_to_are_refused() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new();
    fs::create_dir(home.at("open")).unwrap();
    let open = home.at("open/gate").display().to_string();
    let home = home.with("TOLLGATE_HOME", open);
    let mode = |mode| fs::set_permissions(home.at("open"), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o777);
    for words in ["install --agent claude", "install --agent claude --dry-run"] {
        assert_eq!(
            home.tollgate(words)
                .code_saying(&["is not safe", "everybody may write"]),
            125,
            "{words}"
        );
    }
    mode(0o1777);
    assert_eq!(
        home.tollgate("install --agent claude").code_saying(&["is not safe"]),
        125,
        "nothing of ours is there yet"
    );
    fs::create_dir(home.at("open/gate")).unwrap();
    assert_eq!(
        home.tollgate("install --agent claude").code,
        0,
        "an entry of ours below a sticky folder is held"
    );
    assert!(
        home.read(".claude/settings.json")
            .unwrap()
            .contains("open/gate/data/bin/tollgate-hook")
    );
}

#[test]
fn the_folder_of_another_user_is_refused() {
    let home = Home::new();
    fs::create_dir(home.at("theirs")).unwrap();
    // Only root can give a folder away.
    if inside_an_agent() || std::os::unix::fs::chown(home.at("theirs"), Some(12345), None).is_err() {
        return;
    }
    let theirs = home.at("theirs").display().to_string();
    let home = home.with("TOLLGATE_HOME", theirs);
    assert_eq!(
        home.tollgate("install --agent claude")
            .code_saying(&["it belongs to user 12345"]),
        125
    );
    assert!(!home.at(".claude").exists());
}

#[test]
fn a_place_that_cannot_be_written_into_a_command_is_refused() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new();
    let odd = home.at("it's").display().to_string();
    let home = home.with("TOLLGATE_HOME", odd);
    assert_eq!(
        home.tollgate("install --agent codex")
            .code_saying(&["cannot be written into settings safely"]),
        125
    );
}

#[test]
fn without_the_hook_program_nothing_is_installed() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new();
    fs::remove_file(home.at("bin/tollgate-hook")).unwrap();
    assert_eq!(
        home.tollgate("install --agent claude")
            .code_saying(&["tollgate-hook` is not there"]),
        69
    );
    assert!(!home.at(".claude").exists());
}

#[test]
fn without_a_home_nothing_is_guessed() {
    let home = Home::new().with("HOME", "");
    for words in ["install --dry-run", "uninstall", "doctor"] {
        assert_eq!(home.tollgate(words).code_saying(&["HOME is not set", "hint: "]), 125);
    }
}

#[test]
fn a_pipe_in_place_of_a_settings_file_keeps_nobody_waiting() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new();
    fs::create_dir_all(home.at(".claude")).unwrap();
    let file = home.at(".claude/settings.json");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&file)
            .status()
            .unwrap()
            .success()
    );
    for words in ["install --agent claude", "install --agent claude --dry-run"] {
        assert_eq!(
            home.tollgate(words).code_saying(&["it is no regular file"]),
            74,
            "{words}"
        );
    }
    assert_ne!(home.tollgate("doctor").code, 0);
}
