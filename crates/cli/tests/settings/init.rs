//! `tollgate init`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::home::{Home, no_agent, people};

/// A home in which Claude Code seems to be used, and the hook program stands beside `tollgate`.
fn with_claude() -> Home {
    let home = Home::new();
    fs::create_dir_all(home.at("home/.claude")).unwrap();
    fs::remove_file(home.at("bin/tollgate")).unwrap();
    let tollgate = std::env::var_os("CARGO_BIN_EXE_tollgate").unwrap();
    fs::hard_link(&tollgate, home.at("bin/tollgate"))
        .or_else(|_| fs::copy(&tollgate, home.at("bin/tollgate")).map(drop))
        .unwrap();
    home.write("bin/tollgate-hook", "#!/bin/sh\n# the hook\n");
    fs::set_permissions(home.at("bin/tollgate-hook"), fs::Permissions::from_mode(0o755)).unwrap();
    home
}

#[test]
fn without_questions_it_takes_the_defaults_and_shows_each_step() {
    if !no_agent() {
        return;
    }
    let home = with_claude();
    fs::create_dir_all(home.at("home/.gemini")).unwrap();
    let said = home.nobody("tollgate init --yes").is(
        0,
        &[
            "config.toml written; `posture` is `guard`",
            "starter.yml written; it holds no rule",
            "Claude Code: installed in",
            "`tollgate doctor`",
        ],
    );
    assert!(home.read("home/.claude/settings.json").contains("tollgate-hook"));
    assert!(home.read("home/.gemini/settings.json").contains("tollgate-hook"));
    assert_eq!(
        (said.text.matches("Hook: ").count(), said.text.matches("anew").count()),
        (1, 1)
    );
    home.nobody("tollgate config get posture").is(0, &["guard"]);
    home.nobody("tollgate policy doctor").is(0, &["0 rules, nothing wrong"]);
    assert_eq!(home.notes("config").len(), 2);
}

#[test]
fn what_is_there_stays_as_it_is() {
    if !no_agent() {
        return;
    }
    let home = with_claude();
    home.write("config/config.toml", "posture = \"strict\"\n");
    home.write("config/policies/own.yml", "# mine\n");
    let again = "tollgate init --yes";
    home.nobody(again).is(
        0,
        &["config.toml stays as it is", "policies stays as it is", "installed in"],
    );
    let settings = home.read("home/.claude/settings.json");
    home.nobody(again).is(0, &["already installed in"]);
    assert_eq!(home.read("config/config.toml"), "posture = \"strict\"\n");
    assert_eq!(home.read("config/policies/own.yml"), "# mine\n");
    assert_eq!(home.read("home/.claude/settings.json"), settings);
    assert!(!home.at("config/policies/starter.yml").exists());
    assert!(home.notes("config").is_empty());
}

#[test]
fn a_person_is_asked_about_each_step() {
    if !people() {
        return;
    }
    let home = with_claude();
    home.typing("tollgate init", "lax\nstrict\nno\nno\n").is(
        0,
        &[
            "It can be `guard`",
            "`posture` is `strict`",
            "Policy files: none",
            "Claude Code: left as it is",
        ],
    );
    home.nobody("tollgate config get posture").is(0, &["strict"]);
    assert!(!home.at("config/policies").exists() && !home.at("home/.claude/settings.json").exists());
}

#[test]
fn without_a_terminal_nothing_is_asked_and_no_agent_sets_it_up() {
    if !no_agent() {
        return;
    }
    let home = with_claude();
    home.nobody("tollgate init").is(64, &["There is no terminal", "--yes"]);
    let agent = with_claude().with("CLAUDECODE", "1");
    agent
        .nobody("tollgate init --yes")
        .is(20, &["No agent can set Tollgate up"]);
    for one in [&home, &agent] {
        assert!(!one.at("config/config.toml").exists() && !one.at("home/.claude/settings.json").exists());
    }
    assert_eq!(agent.notes("attempt").len(), 1);
}
