//! In and out of settings.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::home::{Home, inside_an_agent};

/// Settings as people have them.
const SHAPES: [&str; 9] = [
    "",
    "{}",
    "{}\n",
    "{\n}\n",
    "{\"model\":\"opus\"}",
    "{\r\n  \"model\": \"opus\"\r\n}\r\n",
    "\u{feff}{\n\t\"env\": {\"A\": \"1\"}\n}\n",
    "{\n  // mine\n  \"permissions\": {\"allow\": [\"Bash(ls)\",],},\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"theirs\"}]}\n    ],\n    \"Stop\": []\n  },\n  \"model\": \"opus\"\n}\n",
];

#[test]
fn uninstall_leaves_every_file_as_it_was() {
    if inside_an_agent() {
        return;
    }
    for shape in SHAPES {
        let home = Home::new();
        home.write(".claude/settings.json", shape);
        let before = home.foreign();
        let said = home.tollgate("install --agent claude");
        assert_eq!(said.code, 0, "{shape:?}");
        let with = home.read(".claude/settings.json").unwrap();
        assert_eq!(said.err.contains("strict JSON"), with.contains("// mine"), "{said:?}");
        for word in [
            "tollgate-hook",
            "\"--config\"",
            "\"--state\"",
            "\"--data\"",
            "\"onFailure\": \"block\"",
            "\"matcher\": \"*\"",
        ] {
            assert!(with.contains(word), "{with}");
        }
        assert_eq!(
            home.tollgate("install --agent claude")
                .code_saying(&["already installed"]),
            0
        );
        assert_eq!(
            home.read(".claude/settings.json").as_ref(),
            Some(&with),
            "a second time changes nothing"
        );
        assert_eq!(home.tollgate("uninstall --agent claude").code_saying(&["taken out"]), 0);
        assert_eq!(home.foreign(), before, "{shape:?}");
        assert!(!home.at(".local/share/tollgate/bin").exists());
        assert_eq!(home.tollgate("uninstall").code_saying(&["not installed"]), 0);
    }
}

#[test]
fn without_a_file_there_is_none_afterwards() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new();
    let before = home.foreign();
    assert_eq!(home.tollgate("install --agent claude").code, 0);
    assert_eq!(
        fs::metadata(home.at(".claude/settings.json"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o600
    );
    assert_eq!(home.tollgate("uninstall").code, 0);
    assert_eq!(home.foreign(), before);
}

#[test]
fn what_others_change_meanwhile_stays() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new();
    home.write(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    let said = home.tollgate("install --agent claude");
    assert_eq!(said.code_saying(&["what stood there is kept in"]), 0);
    let kept = said
        .out
        .lines()
        .find_map(|line| line.split_once("is kept in "))
        .unwrap()
        .1;
    assert_eq!(fs::read_to_string(kept).unwrap(), "{\n  \"model\": \"opus\"\n}\n");
    let changed = home.read(".claude/settings.json").unwrap().replace("opus", "haiku");
    home.write(".claude/settings.json", &changed);
    assert_eq!(home.tollgate("install --agent claude").code, 0);
    assert_eq!(home.tollgate("uninstall").code, 0);
    assert_eq!(
        home.read(".claude/settings.json").as_deref(),
        Some("{\n  \"model\": \"haiku\"\n}\n")
    );
}

#[test]
fn v_2618_an_entry_of_an_older_version_is_brought_up_to_date() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new();
    let old = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"/old/tollgate-hook claude"}]}]}}"#;
    home.write(".claude/settings.json", old);
    assert_eq!(home.tollgate("install --agent claude").code, 0);
    let with = home.read(".claude/settings.json").unwrap();
    assert_eq!(
        (with.matches("onFailure").count(), with.contains("/old/")),
        (1, false),
        "{with}"
    );
    assert_eq!(home.tollgate("uninstall").code, 0);
    assert_eq!(
        home.read(".claude/settings.json").as_deref(),
        Some("{}"),
        "the old entry was ours too"
    );
}

#[test]
fn a_linked_settings_file_stays_a_link() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new();
    home.write("dotfiles/claude.json", "{\n  \"model\": \"opus\"\n}\n");
    fs::create_dir(home.at(".claude")).unwrap();
    std::os::unix::fs::symlink("../dotfiles/claude.json", home.at(".claude/settings.json")).unwrap();
    assert_eq!(home.tollgate("install --agent claude").code, 0);
    assert!(home.at(".claude/settings.json").is_symlink());
    assert!(home.read("dotfiles/claude.json").unwrap().contains("tollgate-hook"));
    assert_eq!(home.tollgate("uninstall").code, 0);
    assert_eq!(
        home.read("dotfiles/claude.json").as_deref(),
        Some("{\n  \"model\": \"opus\"\n}\n")
    );
}

#[test]
fn a_dry_run_shows_the_change_and_makes_none() {
    let home = Home::new().with("CLAUDECODE", "1");
    home.write(".claude/settings.json", "{}");
    let before = home.foreign();
    for words in [
        "install --dry-run",
        "install --dry-run --agent claude",
        "install --dry-run --project",
    ] {
        assert_eq!(
            home.tollgate(words)
                .code_saying(&["+++ ", "tollgate-hook", "Nothing was changed"]),
            0
        );
    }
    assert_eq!(
        home.tollgate("install --dry-run --agent codex")
            .code_saying(&["hooks.json", "+            \"timeout\""]),
        0
    );
    assert_eq!(home.tollgate("uninstall --dry-run").code, 0);
    assert_eq!(home.foreign(), before);
    assert!(!home.at(".local").exists() && !home.at(".config").exists());
}

#[test]
fn a_project_gets_the_file_that_is_not_shared() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new();
    let before = home.foreign();
    assert_eq!(
        home.tollgate("install --project")
            .code_saying(&["work/.claude/settings.local.json"]),
        0
    );
    assert!(
        home.read("work/.claude/settings.local.json")
            .unwrap()
            .contains("tollgate-hook")
    );
    assert_eq!(home.tollgate("uninstall --project").code, 0);
    assert_eq!(home.foreign(), before);
}

#[test]
fn v_2620_uninstall_finds_what_was_installed_in_projects_too() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new();
    let before = home.foreign();
    assert_eq!(home.tollgate("install --project").code, 0);
    assert_eq!(home.tollgate("install --agent claude").code, 0);
    assert_eq!(
        home.tollgate("uninstall")
            .code_saying(&["taken out of", "work/.claude/settings.local.json"]),
        0
    );
    assert_eq!(home.foreign(), before);
    assert!(!home.at(".local/share/tollgate/bin/tollgate-hook").exists());
}

#[test]
fn v_2619_codex_is_trusted_after_a_yes_and_forgotten_afterwards() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new().with_codex();
    home.write(".codex/config.toml", "model = \"x\" # mine\n");
    home.write(
        ".codex/hooks.json",
        "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"theirs\"}]}]}}",
    );
    let before = home.foreign();
    let said = home.tollgate("install --agent codex");
    assert_eq!(said.code_saying(&["sha256:feed", "not trusted", "--trust"]), 10);
    assert_eq!(
        home.read(".codex/config.toml").as_deref(),
        Some("model = \"x\" # mine\n")
    );
    assert_eq!(home.tollgate("doctor").code_saying(&["`untrusted`"]), 1);
    assert_eq!(
        home.tollgate("install --agent codex --trust")
            .code_saying(&["Codex: trusted from now on"]),
        0
    );
    let config = home.read(".codex/config.toml").unwrap();
    assert!(config.contains("hooks.json:pre_tool_use:1:0\"]") && config.contains("trusted_hash = \"sha256:feed\""));
    assert_eq!(
        home.tollgate("install --agent codex")
            .code_saying(&["already installed", "is trusted"]),
        0
    );
    assert_eq!(home.tollgate("doctor").code_saying(&["Codex trusts the hook"]), 0);
    assert_eq!(home.tollgate("uninstall").code, 0);
    assert_eq!(home.foreign(), before);
}

#[test]
fn a_person_says_yes_on_a_terminal() {
    let home = Home::new().with_codex();
    if inside_an_agent() || !std::path::Path::new("/usr/bin/script").exists() {
        eprintln!("SKIPPED: needs `script`, which gives a terminal");
        return;
    }
    let answer = |word: &str| {
        let line = format!(
            "echo {word} | script -qec '{} install --agent codex' /dev/null",
            home.at("bin/tollgate").display()
        );
        home.script("say", &format!("#!/bin/sh\n{line}\n"));
        home.run(&home.at("say"), "")
    };
    assert_eq!(answer("n").code_saying(&["Trust it? [y/N]", "not trusted"]), 10);
    assert_eq!(home.read(".codex/config.toml"), None);
    assert_eq!(
        answer("y").code_saying(&["Trust it? [y/N]", "Codex: trusted from now on"]),
        0
    );
}

#[test]
fn without_codex_nobody_can_trust_its_hook() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new();
    assert_eq!(
        home.tollgate("install --agent codex --trust")
            .code_saying(&["Codex is not installed"]),
        69
    );
    assert_eq!(home.tollgate("uninstall --agent codex").code, 0);
    assert!(!home.at(".codex").exists());
}

#[test]
fn bare_install_takes_the_agents_that_are_there() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new();
    assert_eq!(
        home.tollgate("install")
            .code_saying(&["No agent was found", "--agent NAME", "windsurf"]),
        69
    );
    fs::create_dir(home.at(".claude")).unwrap();
    assert_eq!(home.tollgate("install").code_saying(&["Claude Code: installed"]), 0);
    assert!(!home.at(".codex").exists());
}

#[test]
fn variables_that_move_the_agents_are_followed() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new();
    let moved = home.at("elsewhere").display().to_string();
    let home = home.with("CLAUDE_CONFIG_DIR", moved);
    assert_eq!(home.tollgate("install --agent claude").code, 0);
    assert!(home.read("elsewhere/settings.json").unwrap().contains("tollgate-hook"));
}

/// The administrator's settings, below a folder that stands for the machine's root.
#[test]
fn an_administrator_installs_for_everybody() {
    if inside_an_agent() {
        return;
    }
    for (agent, file) in [
        ("claude", "etc/claude-code/managed-settings.json"),
        ("gemini", "etc/gemini-cli/settings.json"),
        ("cursor", "etc/cursor/hooks.json"),
        ("windsurf", "etc/windsurf/hooks.json"),
    ] {
        let home = Home::new();
        let root = home.at("machine");
        let file = format!("machine/{file}");
        let before = "{\n  \"theirs\": true\n}\n";
        home.write(&file, before);
        let words = format!("--agent {agent} --managed --root {}", root.display());
        let dry = home.tollgate(&format!("install {words} --dry-run"));
        assert_eq!(dry.code, 0, "{dry:?}");
        assert!(dry.out.contains("--everybody"), "{dry:?}");
        assert_eq!(home.read(&file).as_deref(), Some(before));
        assert_eq!(home.tollgate(&format!("install {words}")).code, 0);
        let with = home.read(&file).unwrap();
        // Everybody's hook, and no place of the person who installed it.
        assert!(
            with.contains("/usr/local/lib/tollgate/tollgate-hook") && with.contains("--everybody"),
            "{with}"
        );
        assert!(
            with.contains("theirs") && !with.contains(home.dir.to_str().unwrap()),
            "{with}"
        );
        assert_eq!(with.contains("\"enabled\": true"), agent == "gemini", "{with}");
        let program = home.at("machine/usr/local/lib/tollgate/tollgate-hook");
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&program), mode(program.parent().unwrap())), (0o755, 0o755));
        assert_eq!(home.tollgate(&format!("uninstall {words}")).code, 0);
        assert_eq!(home.read(&file).as_deref(), Some(before));
    }
}

#[test]
fn an_administrator_is_named_where_one_is_needed() {
    if inside_an_agent() {
        return;
    }
    let home = Home::new();
    let said = home.tollgate("install --agent codex --managed --dry-run");
    assert_eq!(said.code, 64, "{said:?}");
    assert!(said.err.contains("no settings of an administrator"), "{said:?}");
    assert_eq!(home.tollgate("install --managed").code, 64);
    if !rustix::process::geteuid().is_root() {
        assert_eq!(
            home.tollgate("install --agent claude --managed")
                .code_saying(&["root's"]),
            125
        );
    }
}
