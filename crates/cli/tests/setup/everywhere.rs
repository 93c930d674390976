//! Every agent's settings, in every state in which a person may have left them: in and out, and nothing is lost.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use agents::{Agent, Form};

use crate::home::{Home, inside_an_agent};

/// The file that tells an agent about hooks, below the home directory.
fn settings(agent: Agent) -> String {
    format!("{}/{}", agent.folder(), agent.settings_file())
}

/// Files as people have them. `EVENT` stands for the agent's event, `FOREIGN` for a hook of somebody else.
fn prepared(agent: Agent) -> Vec<String> {
    let texts = [
        "{}",
        "{}\n",
        "{ }\n",
        "{\n}\n",
        "\n\n{\n  \"a\": 1\n}\n\n\n",
        "{\"a\":1}",
        "{\"a\":1,\"b\":[1,2,{\"c\":null}]}\n",
        "{\n  \"model\": \"x\"\n}\n",
        "{\n\t\"model\": \"x\",\n\t\"env\": {\n\t\t\"A\": \"1\"\n\t}\n}\n",
        "{\n        \"model\": \"x\"\n}",
        "{\r\n  \"model\": \"x\",\r\n  \"b\": 2\r\n}\r\n",
        "\u{feff}{\n  \"model\": \"x\"\n}\n",
        "// top\n{\n  // in\n  \"a\": 1 /* behind */\n  // end\n}\n// bottom\n",
        "/* a\n   b */\n{\n  \"a\": 1\n}\n",
        "{\n  \"a\": 1,\n}\n",
        "{\n  \"hooks\": {}\n}\n",
        "{\n  \"hooks\": {\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"EVENT\": []\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"Another\": []\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"EVENT\": [\n      FOREIGN\n    ]\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"EVENT\": [FOREIGN]\n  },\n  \"z\": 1\n}\n",
        "{\n  \"hooks\": {\n    \"EVENT\": [\n      FOREIGN,\n      FOREIGN\n    ],\n    \"Another\": [\n      FOREIGN\n    ]\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"EVENT\": [\n      FOREIGN, // theirs\n      FOREIGN,\n    ], // all\n  },\n}\n",
        "{\"hooks\":{\"EVENT\":[FOREIGN]}}",
        "{\n  \"hooks\": { \"Another\": [FOREIGN] },\n  \"text\": \"tollgate-hook is mentioned\"\n}\n",
        "{\n  \"version\": 1,\n  \"hooks\": {\n    \"EVENT\": [FOREIGN]\n  }\n}\n",
        "{\n  \"version\": 2\n}\n",
        "{\n  \"unicode\": \"\u{1F600} \\u00e9 \u{202E}\",\n  \"long\": \"LONG\"\n}\n",
        "{\n  \"$schema\": \"https://example.org/s.json\",\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls)\"\n    ]\n  }\n}\n",
        "{\n  \"a\": 1\n\n\n}\n",
        "",
        "   \n",
    ];
    let foreign = match agent.form() {
        Form::Groups => r#"{"matcher": "x", "hooks": [{"type": "command", "command": "/opt/other 'a b'"}]}"#,
        _ => r#"{"command": "/opt/other 'a b'", "bash": "/opt/other"}"#,
    };
    let long = "x".repeat(300_000);
    texts
        .map(|text| {
            text.replace("EVENT", agent.event())
                .replace("FOREIGN", foreign)
                .replace("LONG", &long)
        })
        .into()
}

fn in_json() -> impl Iterator<Item = Agent> {
    // Codex wants a trust that only Codex can give: its own tests have that.
    let with_trust = |agent: &Agent| *agent != Agent::Codex;
    Agent::ALL
        .into_iter()
        .filter(with_trust)
        .filter(|agent| agent.form() != Form::File)
}

#[test]
fn v_2615_v_2617_whatever_stands_in_the_settings_comes_back_byte_by_byte() {
    if inside_an_agent() {
        return;
    }
    for agent in in_json() {
        let home = Home::new();
        let (file, name) = (settings(agent), agent.as_str());
        let texts = prepared(agent);
        assert!(texts.len() >= 30);
        for text in texts {
            home.write(&file, &text);
            let before = home.foreign();
            let said = home.tollgate(&format!("install --agent {name}"));
            assert_eq!(said.code, 0, "{name}: {said:?}\n{text:.300}");
            let with = home.read(&file).unwrap();
            let heard = if agent.form() == Form::File {
                0
            } else {
                agent.hears().count()
            };
            let entries = agent.events().len() + heard;
            assert_eq!(
                with.matches("/bin/tollgate-hook").count(),
                entries,
                "{name}: {with:.600}"
            );
            assert_eq!(with.matches("/opt/other").count(), text.matches("/opt/other").count());
            // A second time changes nothing.
            assert_eq!(home.tollgate(&format!("install --agent {name}")).code, 0);
            assert_eq!(home.read(&file).as_deref(), Some(with.as_str()));
            assert_eq!(home.tollgate(&format!("uninstall --agent {name}")).code, 0);
            assert!(home.foreign() == before, "{name}: {:?}", home.read(&file));
        }
    }
}

#[test]
fn settings_that_would_be_misread_are_left_alone() {
    if inside_an_agent() {
        return;
    }
    for agent in in_json() {
        let home = Home::new();
        let (file, name) = (settings(agent), agent.as_str());
        let event = agent.event();
        for text in [
            "[]".to_owned(),
            "3".to_owned(),
            "{".to_owned(),
            "{\"a\": 'x'}".to_owned(),
            "{\"a\": 1} trailing".to_owned(),
            "{\"hooks\": []}".to_owned(),
            "{\"hooks\": {}, \"hooks\": {}}".to_owned(),
            format!("{{\"hooks\": {{\"{event}\": {{}}}}}}"),
            format!("{{\"hooks\": {{\"{event}\": [], \"{event}\": []}}}}"),
            format!("{{\"{event}\": {{}}}}"),
            format!("{{\"{event}\": [], \"{event}\": []}}"),
        ] {
            // Where events stand at the top, `hooks` is a key like any other, and elsewhere the event is one.
            let elsewhere = if agent.has_events_on_top() {
                "\"hooks\""
            } else {
                "{\"EVENT\""
            };
            if text.starts_with(&elsewhere.replace("EVENT", event))
                || agent.has_events_on_top() && text.contains(elsewhere)
            {
                continue;
            }
            home.write(&file, &text);
            let said = home.tollgate(&format!("install --agent {name}"));
            assert_eq!(said.code, 65, "{name}: {said:?} {text}");
            assert!(said.err.contains("Nothing was changed"), "{said:?}");
            assert_eq!(home.read(&file), Some(text));
        }
    }
}

#[test]
fn files_of_our_own_come_and_go_and_never_replace_another() {
    if inside_an_agent() {
        return;
    }
    for agent in [Agent::Cline, Agent::Opencode] {
        let home = Home::new();
        let (file, name) = (settings(agent), agent.as_str());
        let before = home.foreign();
        assert_eq!(home.tollgate(&format!("install --agent {name}")).code, 0);
        assert!(home.read(&file).unwrap().contains("tollgate-hook"));
        let mode = fs::metadata(home.at(&file)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, if agent == Agent::Cline { 0o700 } else { 0o600 });
        assert_eq!(home.tollgate(&format!("uninstall --agent {name}")).code, 0);
        assert!(home.foreign() == before);
        // Somebody else's hook is no place for ours.
        home.write(&file, "#!/bin/sh\necho mine\n");
        let said = home.tollgate(&format!("install --agent {name}"));
        assert_eq!(said.code_saying(&["somebody else"]), 65);
        assert_eq!(home.tollgate(&format!("uninstall --agent {name}")).code, 0);
        assert_eq!(home.read(&file).as_deref(), Some("#!/bin/sh\necho mine\n"));
    }
}

/// What a person added to a file of ours is not ours.
#[test]
fn a_file_of_ours_that_somebody_changed_is_kept() {
    if inside_an_agent() {
        return;
    }
    for agent in [Agent::Cline, Agent::Opencode] {
        let (file, name) = (settings(agent), agent.as_str());
        for words in ["install", "uninstall"] {
            let home = Home::new();
            let run = |words: &str| home.tollgate(&format!("{words} --agent {name}"));
            assert_eq!(run("install").code, 0);
            let changed = format!("{}\n# mine\n", home.read(&file).unwrap());
            home.write(&file, &changed);
            let said = run(words);
            assert_eq!(said.code_saying(&["is kept in "]), 0);
            let line = said.out.lines().find_map(|line| line.split_once("is kept in "));
            assert_eq!(fs::read_to_string(line.unwrap().1).unwrap(), changed);
            // What is as it was written is not.
            if words == "install" {
                assert!(!run("uninstall").out.contains("is kept in"));
            }
            assert_eq!(home.read(&file), None);
        }
    }
}

#[test]
fn a_link_to_nothing_is_left_alone() {
    if inside_an_agent() {
        return;
    }
    for agent in Agent::ALL {
        let home = Home::new();
        let (file, name) = (settings(agent), agent.as_str());
        fs::create_dir_all(home.at(&file).parent().unwrap()).unwrap();
        symlink(home.at("not/there"), home.at(&file)).unwrap();
        let said = home.tollgate(&format!("install --agent {name}"));
        assert_eq!(said.code_saying(&["is a link"]), 74, "{name}");
        // Where nothing of ours can stand, nothing keeps the others from being taken out.
        assert_eq!(home.tollgate("uninstall").code, 0, "{name}");
        assert!(home.at(&file).is_symlink());
    }
}

/// Each client has its own variable, and what it names is not the same everywhere.
#[test]
fn a_settings_folder_that_was_moved_is_found() {
    if inside_an_agent() {
        return;
    }
    for (agent, variable, file) in [
        (Agent::Gemini, "GEMINI_CLI_HOME", "moved/.gemini/settings.json"),
        (Agent::Qwen, "QWEN_HOME", "moved/settings.json"),
        (Agent::Copilot, "COPILOT_HOME", "moved/hooks/tollgate.json"),
        (Agent::Cline, "CLINE_DIR", "moved/hooks/PreToolUse"),
        (Agent::Opencode, "XDG_CONFIG_HOME", "moved/opencode/plugin/tollgate.js"),
    ] {
        let home = Home::new();
        let moved = home.at("moved").display().to_string();
        let home = home.with(variable, moved);
        let said = home.tollgate(&format!("install --agent {}", agent.as_str()));
        assert_eq!(said.code_saying(&["installed in"]), 0, "{variable}");
        assert!(home.read(file).unwrap().contains("tollgate-hook"), "{variable}");
    }
}

#[test]
fn comments_do_not_hide_an_entry_where_the_agent_reads_past_them() {
    if inside_an_agent() {
        return;
    }
    for (name, code) in [("gemini", 0), ("qwen", 0), ("copilot", 1)] {
        let agent = Agent::parse(name).unwrap();
        let home = Home::new();
        home.write(&settings(agent), "{\n  // mine\n  \"a\": 1\n}\n");
        assert_eq!(home.tollgate(&format!("install --agent {name}")).code, 0);
        assert_eq!(home.tollgate("doctor").code, code, "{name}");
    }
}

#[test]
fn links_stay_links_and_read_only_files_stay_read_only() {
    if inside_an_agent() {
        return;
    }
    for agent in in_json() {
        let home = Home::new();
        let (file, name) = (settings(agent), agent.as_str());
        home.write("dotfiles/settings", "{\n  \"a\": 1\n}\n");
        fs::set_permissions(home.at("dotfiles/settings"), fs::Permissions::from_mode(0o440)).unwrap();
        fs::create_dir_all(home.at(&file).parent().unwrap()).unwrap();
        symlink(home.at("dotfiles/settings"), home.at(&file)).unwrap();
        let before = home.foreign();
        assert_eq!(home.tollgate(&format!("install --agent {name}")).code, 0);
        let mode = |path: &str| fs::metadata(home.at(path)).unwrap().permissions().mode() & 0o777;
        assert!(home.at(&file).is_symlink());
        assert_eq!(mode("dotfiles/settings"), 0o440);
        assert_eq!(home.tollgate(&format!("uninstall --agent {name}")).code, 0);
        assert!(home.at(&file).is_symlink() && home.foreign() == before);
    }
}

#[test]
fn a_dry_run_is_about_any_agent_and_writes_nothing() {
    for agent in Agent::ALL {
        let home = Home::new();
        let before = home.foreign();
        let said = home.tollgate(&format!("install --agent {} --dry-run", agent.as_str()));
        assert_eq!(said.code, 0, "{said:?}");
        assert!(
            said.out.contains("tollgate-hook") && said.out.contains("Nothing was changed"),
            "{said:?}"
        );
        // Every kind of call that is an event of its own has an entry.
        let told = |event: &&str| agent.form() == Form::File || said.out.contains(*event);
        assert!(agent.events().iter().all(told), "{said:?}");
        assert!(home.foreign() == before);
    }
}

#[test]
fn doctor_finds_what_switches_hooks_off() {
    if inside_an_agent() {
        return;
    }
    let cases = [
        (
            "gemini",
            ".gemini/settings.json",
            "{\"hooksConfig\": {\"enabled\": false}}",
            "hooksConfig.enabled",
        ),
        (
            "gemini",
            "work/.gemini/settings.json",
            "{\"hooksConfig\": {\"enabled\": false}}",
            "hooksConfig.enabled",
        ),
        (
            "gemini",
            "work/.gemini/settings.json",
            "{\"hooksConfig\": {\"disabled\": [\"/x/tollgate-hook gemini\"]}}",
            "hooksConfig.disabled",
        ),
        (
            "qwen",
            "work/.qwen/settings.json",
            "{\"disableAllHooks\": true}",
            "disableAllHooks",
        ),
        (
            "gemini",
            "work/.gemini/settings.json",
            "{\"hooksConfig\": {/* off */ \"enabled\": false}}",
            "hooksConfig.enabled",
        ),
        (
            "qwen",
            "work/.qwen/settings.json",
            "{\"disableAllHooks\": false, \"disableAllHooks\": true}",
            "disableAllHooks",
        ),
        (
            "copilot",
            "work/.github/copilot/settings.json",
            "{\"disableAllHooks\": true}",
            "disableAllHooks",
        ),
    ];
    for (name, file, text, key) in cases {
        let home = Home::new();
        home.write(file, text);
        assert_eq!(home.tollgate(&format!("install --agent {name}")).code, 0);
        assert_eq!(
            home.tollgate("doctor").code_saying(&[key, "switches the hook off"]),
            1,
            "{name}"
        );
        home.write(file, "{}");
        assert_eq!(home.tollgate(&format!("install --agent {name}")).code, 0);
        assert_eq!(home.tollgate("doctor").code, 0, "{name}");
    }
}
