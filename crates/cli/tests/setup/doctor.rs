//! What doctor finds.

use std::fs;

use crate::home::{Home, inside_an_agent};

/// A home in which Claude Code is installed and everything is fine.
fn healthy() -> Home {
    let home = Home::new();
    assert_eq!(home.tollgate("install --agent claude").code, 0);
    assert_eq!(
        home.tollgate("doctor")
            .code_saying(&["Claude Code: partial (", "not found here: Cline, Codex"]),
        0
    );
    home
}

#[test]
fn where_nothing_is_installed_nothing_is_bad() {
    let home = Home::new();
    let said = home.tollgate("doctor").code_saying(&["note binary", "is not there"]);
    assert_eq!(said, 0);
}

#[test]
fn every_way_to_lose_the_hook_is_a_finding() {
    if inside_an_agent() {
        return;
    }
    type Harm = fn(&Home);
    let edit = |home: &Home, from: &str, to: &str| {
        let text = home.read(".claude/settings.json").unwrap();
        assert!(text.contains(from));
        home.write(".claude/settings.json", &text.replace(from, to));
    };
    let cases: [(Harm, &str); 8] = [
        (
            |home| fs::remove_file(home.at(".local/share/tollgate/bin/tollgate-hook")).unwrap(),
            "is not there",
        ),
        (
            |home| home.script(".local/share/tollgate/bin/tollgate-hook", "#!/bin/sh\nexit 0\n"),
            "not the hook of this version",
        ),
        (|home| home.write(".claude/settings.json", "{}"), "does not stand in"),
        (
            |home| fs::remove_file(home.at(".claude/settings.json")).unwrap(),
            "There is no",
        ),
        (
            |home| home.write("work/.claude/settings.json", "{\"disableAllHooks\": true}"),
            "`disableAllHooks` in",
        ),
        (
            |home| home.write("work/.claude/settings.local.json", "{\"disableAllHooks\": true}"),
            "settings.local.json",
        ),
        (
            |home| home.write("work/.claude/settings.json", "{\"permissions\": {\"allow\": \"x\"}}"),
            "permissions.allow",
        ),
        (
            |home| {
                fs::remove_dir_all(home.at(".local/state/tollgate"))
                    .and_then(|()| fs::write(home.at(".local/state/tollgate"), ""))
                    .unwrap()
            },
            "cannot be written",
        ),
    ];
    for (harm, finding) in cases {
        let home = healthy();
        harm(&home);
        assert_eq!(home.tollgate("doctor").code_saying(&[finding, "hint: "]), 1);
    }
    for (from, to, finding) in [
        ("{", "{ // note\n", "at all: it is not strict JSON"),
        ("\"*\"", "\"Bash\"", "not the one of this version"),
        ("\"block\"", "\"allow\"", "not the one of this version"),
        ("\"--config\"", "\"--konfig\"", "not the one of this version"),
        ("{\n", "{\n\"disableAllHooks\": true,\n", "`disableAllHooks` in"),
        ("{\n", "{\n\"permissions\": [],\n", "`permissions` has the wrong form"),
    ] {
        let home = healthy();
        edit(&home, from, to);
        assert_eq!(
            home.tollgate("doctor").code_saying(&["Claude Code: none (", finding]),
            1
        );
    }
}

#[test]
fn a_client_that_lets_calls_run_when_the_hook_fails_is_a_finding() {
    if inside_an_agent() {
        return;
    }
    for (version, code, said) in [
        ("2.1.332", 0, "Version 2.1.332 blocks"),
        ("2.1.197", 1, "Update Claude Code to 2.1.295"),
    ] {
        let home = healthy();
        home.script("path/claude", "#!/bin/sh\n");
        home.write(
            "path/package.json",
            &format!("{{\"name\": \"@anthropic-ai/claude-code\", \"version\": \"{version}\"}}"),
        );
        assert_eq!(home.tollgate("doctor").code_saying(&[said]), code);
    }
}

#[test]
fn a_broken_configuration_is_named_with_its_line() {
    let home = Home::new();
    home.write(".config/tollgate/config.toml", "# mine\nposture = \"wild\"\n");
    assert_eq!(
        home.tollgate("doctor").code_saying(&["config.toml`, line 2: ", "wild"]),
        125
    );
}

#[test]
fn codex_findings() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new().with_codex();
    assert_eq!(home.tollgate("install --agent codex --trust").code, 0);
    assert_eq!(home.tollgate("doctor").code_saying(&["Codex: partial ("]), 0);
    let trusted = home.read(".codex/config.toml").unwrap();
    home.write(".codex/config.toml", &format!("{trusted}\n[features]\nhooks = false\n"));
    assert_eq!(
        home.tollgate("doctor")
            .code_saying(&["Codex: none (", "`features.hooks = false`"]),
        1
    );
    home.write(".codex/config.toml", "a = \n");
    assert_eq!(home.tollgate("doctor").code_saying(&["line 1", "`untrusted`"]), 1);
    home.write(".codex/config.toml", &trusted);
    home.write("work/.codex/config.toml", "[features]\nhooks = false\n");
    assert_eq!(home.tollgate("doctor").code_saying(&["work/.codex/config.toml"]), 1);
}

#[test]
fn json_says_the_same() {
    let home = Home::new();
    home.write(".claude/settings.json", "{}");
    let said = home.tollgate("doctor --json");
    let value = agents::json::parse(said.out.as_bytes()).unwrap();
    assert_eq!(
        (said.code, value.get("format").map(|f| f.text()).as_deref()),
        (1, Some("1"))
    );
    let agents = value.get("agents").unwrap().as_array().unwrap();
    assert_eq!(agents.len(), agents::Agent::ALL.len());
    let claude = agents
        .iter()
        .find(|agent| agent.get("agent").and_then(agents::json::Json::as_str) == Some("claude"));
    assert!(
        claude
            .unwrap()
            .get("protection")
            .unwrap()
            .as_str()
            .unwrap()
            .starts_with("none (")
    );
}

#[test]
fn project_settings_count_from_here_up_to_the_root_of_the_repository() {
    let deep = "work/a/b";
    for (file, text, said) in [
        (
            ".claude/settings.json",
            "{\"disableAllHooks\": true}",
            "`disableAllHooks` in",
        ),
        (
            ".claude/settings.local.json",
            "{\"disableAllHooks\": true}",
            "settings.local.json",
        ),
        (
            ".codex/config.toml",
            "[features]\nhooks = false\n",
            "`features.hooks = false`",
        ),
    ] {
        for folder in ["work", "work/a", "work/a/b"] {
            let home = Home::new().with_codex();
            home.write(".claude/settings.json", "{}");
            home.write(&format!("{folder}/{file}"), text);
            fs::create_dir_all(home.at(deep)).unwrap();
            assert_eq!(
                home.tollgate_in(deep, "doctor")
                    .code_saying(&[said, &format!("{folder}/{file}")]),
                1
            );
        }
        // Above the repository nobody looks, and without a repository only here.
        let home = Home::new().with_codex();
        home.write(".claude/settings.json", "{}");
        home.write(&format!("loose/{file}"), text);
        fs::create_dir_all(home.at("loose/a/.git")).unwrap();
        fs::create_dir_all(home.at("loose/b")).unwrap();
        for (folder, found) in [("loose/a", false), ("loose/b", false), ("loose", true)] {
            assert_eq!(
                home.tollgate_in(folder, "doctor")
                    .out
                    .contains(&format!("loose/{file}")),
                found,
                "{folder}"
            );
        }
    }
}

#[test]
fn with_a_broken_configuration_the_hook_is_stricter_and_not_absent() {
    if inside_an_agent() {
        return;
    }
    let home = healthy();
    home.write(".config/tollgate/config.toml", "posture = \"wild\"\n");
    assert_eq!(
        home.tollgate("doctor").code_saying(&[
            "Claude Code: stricter (whatever is not known to be harmless is refused: ",
            "wild"
        ]),
        125
    );
    home.write(".claude/settings.json", "{}");
    assert_eq!(
        home.tollgate("doctor")
            .code_saying(&["Claude Code: none (The hook does not stand"]),
        125
    );
}

#[test]
fn an_entry_in_a_project_is_switched_off_by_the_person_too() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new();
    assert_eq!(home.tollgate("install --project").code, 0);
    assert_eq!(home.tollgate("doctor").code_saying(&["Claude Code: partial ("]), 0);
    home.write(".claude/settings.json", "{\"disableAllHooks\": true}");
    assert_eq!(home.tollgate("doctor").code_saying(&["`disableAllHooks` in"]), 1);
}

#[test]
fn a_posture_that_holds_nothing_is_named() {
    if inside_an_agent() {
        return;
    }
    let home = healthy();
    for (posture, said) in [
        ("observe", "Every call passes"),
        ("off", "Every call passes"),
        ("strict", "The posture is `strict`"),
    ] {
        home.write(".config/tollgate/config.toml", &format!("posture = \"{posture}\"\n"));
        assert_eq!(home.tollgate("doctor").code_saying(&[said]), 0, "{posture}");
    }
}
