//! Gemini CLI, Qwen Code, Copilot CLI, OpenCode and Cline, each in its most permissive mode.

use std::fs;
use std::process::Command;

use agents::{Agent, Step};
use live::Model;

use crate::namespace::alone;
use crate::stage::{BROKEN, KEY, Stage, assert_stopped, heard, step};

fn shell(agent: Agent, text: &str) -> Step {
    agent.drive().unwrap().shell(text)
}

fn write(agent: Agent, path: &str, text: &str) -> Step {
    agent.drive().unwrap().write(path, text)
}

fn read(agent: Agent, path: &str) -> Step {
    agent.drive().unwrap().read(path)
}

/// Cline leaves a process behind that outlives its run.
fn end_daemons(stage: &Stage) {
    let project = stage.project().display().to_string();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        let pid = entry.file_name().to_string_lossy().parse().unwrap_or(0);
        if line.contains("--cline-hub-daemon") && line.contains(&project) && pid > 1 {
            let _gone = Command::new("kill").arg(pid.to_string()).status();
        }
    }
}

/// Lets the client carry out a script, and says what its model heard.
fn play(driven: Agent, stage: &Stage, script: &[Step], sealed: bool) -> Vec<String> {
    if !driven.drive().unwrap().ends {
        let model = Model::start(script.to_vec()).unwrap();
        let client = stage.client(driven, &model);
        let output = stage.play(client, sealed);
        return heard(&model, script.len(), &output);
    }
    // Each call in a run of its own: the first stop would be the last call.
    let mut all = Vec::new();
    for step in script {
        let model = Model::start(vec![step.clone()]).unwrap();
        let client = stage.client(driven, &model);
        let _output = stage.play(client, sealed);
        end_daemons(stage);
        all.push(
            model
                .heard()
                .pop()
                .unwrap_or_else(|| "Tollgate ended the run".to_owned()),
        );
    }
    all
}

fn without_the_gate(driven: Agent, test: &str) {
    alone(test, driven, |_program| {
        let stage = Stage::new(&format!("{}-bare", driven.as_str()));
        let script = [shell(driven, "rm -rf ~/thesis.txt && echo gone")];
        let heard = play(driven, &stage, &script, false);
        assert!(heard[0].contains("gone"), "{heard:#?}");
        assert!(!stage.is_whole());
    });
}

fn where_it_would_do_harm(driven: Agent, test: &str) {
    alone(test, driven, |_program| {
        let stage = Stage::new(driven.as_str());
        stage.tollgate(&format!("install --agent {}", driven.as_str()));
        let at = |path: &str| stage.home.join(path).display().to_string();
        let script = [
            shell(driven, "echo made > made.txt && echo fine"),
            shell(driven, "rm -rf ~"),
            write(driven, &at(".bashrc"), "alias ls=true\n"),
            read(driven, &at(".ssh/id_rsa")),
            write(driven, &at("project/new.txt"), "alpha\n"),
            shell(driven, "cd ~ && find . -delete"),
        ];
        let heard = play(driven, &stage, &script, false);
        assert!(stage.is_whole(), "{heard:#?}");
        assert!(heard[0].contains("fine"), "{heard:#?}");
        for stopped in [1, 2, 3, 5] {
            assert_stopped(&heard[stopped]);
        }
        assert!(!heard.iter().any(|text| text.contains(KEY.lines().nth(1).unwrap())));
        assert_eq!(stage.read("project/made.txt").as_deref(), Some("made\n"));
        assert_eq!(
            stage.read("project/new.txt").as_deref().map(str::trim_end),
            Some("alpha")
        );
        assert_eq!(stage.verdicts(), ["allow", "ask", "ask", "ask", "allow", "ask"]);
        stage.tollgate("log verify");
    });
}

fn where_nothing_can_be_recorded(driven: Agent, test: &str) {
    alone(test, driven, |_program| {
        let stage = Stage::new(&format!("{} sealed", driven.as_str()));
        stage.tollgate(&format!("install --agent {}", driven.as_str()));
        let script = [shell(driven, "echo made > made.txt"), shell(driven, "rm -rf ~")];
        let heard = play(driven, &stage, &script, true);
        heard.iter().for_each(|text| assert_stopped(text));
        assert!(stage.is_whole() && stage.read("project/made.txt").is_none());
    });
}

/// A hook that cannot answer stops the call, whatever the client makes of failed hooks.
fn where_the_hook_fails(driven: Agent, test: &str) {
    alone(test, driven, |_program| {
        for (name, text) in BROKEN {
            let stage = Stage::new(&format!("{}-{name}", driven.as_str()));
            stage.tollgate(&format!("install --agent {}", driven.as_str()));
            stage.replace_hook(text);
            let heard = play(
                driven,
                &stage,
                &[shell(driven, "rm -rf ~/thesis.txt && echo gone")],
                false,
            );
            assert!(stage.is_whole(), "{name}: {heard:#?}");
        }
    });
}

macro_rules! driven {
    ($($module:ident: $driven:ident),*) => {$(
        mod $module {
            const HERE: &str = concat!("others::", stringify!($module));

            #[test]
            #[ignore = "needs the real client: cargo xtask test agents"]
            fn without_the_gate_it_does_as_its_model_says() {
                super::without_the_gate(super::Agent::$driven, &format!("{HERE}::without_the_gate_it_does_as_its_model_says"));
            }

            #[test]
            #[ignore = "needs the real client: cargo xtask test agents"]
            fn it_is_stopped_where_it_would_do_harm() {
                super::where_it_would_do_harm(super::Agent::$driven, &format!("{HERE}::it_is_stopped_where_it_would_do_harm"));
            }

            #[test]
            #[ignore = "needs the real client: cargo xtask test agents"]
            fn it_is_stopped_where_the_hook_fails() {
                super::where_the_hook_fails(super::Agent::$driven, &format!("{HERE}::it_is_stopped_where_the_hook_fails"));
            }

            #[test]
            #[ignore = "needs the real client: cargo xtask test agents"]
            fn it_is_stopped_where_nothing_can_be_recorded() {
                super::where_nothing_can_be_recorded(
                    super::Agent::$driven,
                    &format!("{HERE}::it_is_stopped_where_nothing_can_be_recorded"),
                );
            }
        }
    )*};
}

driven!(gemini: Gemini, qwen: Qwen, copilot: Copilot, opencode: Opencode, cline: Cline);

/// It reads an escaped path, and looks for a relative file in all folders: both would lead to its own settings.
#[test]
#[ignore = "needs the real client: cargo xtask test agents"]
fn gemini_is_judged_by_the_path_that_it_reads() {
    alone(
        "others::gemini_is_judged_by_the_path_that_it_reads",
        Agent::Gemini,
        |_program| {
            let stage = Stage::new("gemini-paths");
            stage.tollgate("install --agent gemini");
            let own = "project/.gemini/settings.json";
            stage.merge(own, r#"{"ui":{"hideTips":true}}"#);
            let before = stage.read(own);
            let script = [
                write(Agent::Gemini, ".g%65mini/settings.json", "{}"),
                step(
                    "replace",
                    &[
                        ("file_path", "settings.json"),
                        ("instruction", "As asked"),
                        ("old_string", "hideTips"),
                        ("new_string", "hideTop"),
                    ],
                ),
                write(Agent::Gemini, "@types/a.d.ts", "alpha\n"),
            ];
            let heard = play(Agent::Gemini, &stage, &script, false);
            heard[..2].iter().for_each(|text| assert_stopped(text));
            assert_eq!(stage.read(own), before, "{heard:#?}");
            assert_eq!(stage.verdicts(), ["ask", "ask", "allow"]);
        },
    );
}

/// With some models it has a tool for patches, whose input is the patch and no object.
#[test]
#[ignore = "needs the real client: cargo xtask test agents"]
fn copilot_is_stopped_in_a_patch() {
    alone("others::copilot_is_stopped_in_a_patch", Agent::Copilot, |_program| {
        let stage = Stage::new("copilot-patch");
        stage.tollgate("install --agent copilot");
        let patch = |file: &str| {
            let patch = format!("*** Begin Patch\n*** Add File: {file}\n+alpha\n*** End Patch\n");
            step("apply_patch", &[("input", &patch)])
        };
        let script = [patch("new.txt"), patch(".github/hooks/x.json")];
        let model = Model::start(script.to_vec()).unwrap();
        let mut client = stage.client(Agent::Copilot, &model);
        client.env("COPILOT_MODEL", "gpt-5.2-codex");
        let output = stage.play(client, false);
        let heard = heard(&model, script.len(), &output);
        assert_stopped(&heard[1]);
        assert_eq!(
            stage.read("project/new.txt").as_deref().map(str::trim_end),
            Some("alpha"),
            "{heard:#?}"
        );
        assert_eq!(stage.read("project/.github/hooks/x.json"), None);
        assert_eq!(stage.verdicts(), ["allow", "ask"]);
    });
}
