//! Codex, without its sandbox and without its own questions.

use std::fs;

use agents::{Agent, Step};
use live::Model;

use crate::namespace::alone;
use crate::stage::{BROKEN, KEY, PROFILE, Stage, assert_stopped, heard};

const CLIENT: Agent = Agent::Codex;

fn shell(command: &str) -> Step {
    CLIENT.drive().unwrap().shell(command)
}

fn patch(lines: &str) -> Step {
    Step {
        tool: "apply_patch".into(),
        input: format!("*** Begin Patch\n{lines}\n*** End Patch\n"),
    }
}

fn model(script: Vec<Step>) -> Model {
    Model::start(script).unwrap()
}

/// Settings with the scripted model as the only provider.
fn configure(stage: &Stage, model: &Model) {
    let _client = stage.client(CLIENT, model);
}

#[test]
#[ignore = "needs the real client: cargo xtask test agents"]
fn codex_without_the_gate_does_as_its_model_says() {
    alone(
        "codex::codex_without_the_gate_does_as_its_model_says",
        CLIENT,
        |_program| {
            let stage = Stage::new("codex-bare");
            let model = model(vec![shell("find ~/thesis.txt -delete && echo gone")]);
            configure(&stage, &model);
            let output = stage.play(stage.client(CLIENT, &model), false);
            assert!(heard(&model, 1, &output)[0].contains("gone"));
            assert!(!stage.is_whole());
        },
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test agents"]
fn codex_is_stopped_where_it_would_do_harm() {
    alone("codex::codex_is_stopped_where_it_would_do_harm", CLIENT, |_program| {
        let mut stage = Stage::new("codex with a blank");
        stage.install_client(CLIENT);
        let at = |path: &str| stage.home.join(path).display().to_string();
        let profile = format!(
            "*** Update File: {}\n@@\n {}\n+alias ls=true",
            at(".bashrc"),
            PROFILE.trim_end()
        );
        let script = vec![
            shell("echo made > made.txt && echo fine"),
            shell("find ~ -delete"),
            patch(&profile),
            shell("cat ~/.ssh/id_rsa"),
            patch("*** Add File: new.txt\n+alpha"),
            // The client takes this patch out of the command and applies it itself.
            shell(&format!(
                "apply_patch <<'EOF'\n*** Begin Patch\n{profile}\n*** End Patch\nEOF"
            )),
        ];
        let steps = script.len();
        let model = model(script);
        configure(&stage, &model);
        stage.tollgate("install --agent codex --trust");
        let output = stage.play(stage.client(CLIENT, &model), false);
        let heard = heard(&model, steps, &output);
        assert!(stage.is_whole(), "{heard:#?}");
        assert!(heard[0].contains("fine"));
        [1, 2, 3, 5]
            .into_iter()
            .for_each(|stopped| assert_stopped(&heard[stopped]));
        assert!(!heard.iter().any(|text| text.contains(KEY.lines().nth(1).unwrap())));
        assert_eq!(stage.read("project/made.txt").as_deref(), Some("made\n"));
        assert_eq!(stage.read("project/new.txt").as_deref(), Some("alpha\n"));
        assert_eq!(stage.verdicts(), ["allow", "ask", "ask", "ask", "allow", "ask"]);
        stage.tollgate("log verify");
    });
}

#[test]
#[ignore = "needs the real client: cargo xtask test agents"]
fn codex_is_stopped_where_nothing_can_be_recorded() {
    alone(
        "codex::codex_is_stopped_where_nothing_can_be_recorded",
        CLIENT,
        |_program| {
            let mut stage = Stage::new("codex sealed");
            stage.install_client(CLIENT);
            let model = model(vec![shell("echo made > made.txt"), shell("find ~ -delete")]);
            configure(&stage, &model);
            stage.tollgate("install --agent codex --trust");
            let output = stage.play(stage.client(CLIENT, &model), true);
            heard(&model, 2, &output).iter().for_each(|text| assert_stopped(text));
            assert!(stage.is_whole() && stage.read("project/made.txt").is_none());
        },
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test agents"]
fn codex_is_stopped_where_the_hook_fails() {
    alone("codex::codex_is_stopped_where_the_hook_fails", CLIENT, |_program| {
        for (name, text) in BROKEN {
            let mut stage = Stage::new(&format!("codex-{name}"));
            stage.install_client(CLIENT);
            let model = model(vec![shell("find ~/thesis.txt -delete && echo gone")]);
            configure(&stage, &model);
            stage.tollgate("install --agent codex --trust");
            stage.replace_hook(text);
            let output = stage.play(stage.client(CLIENT, &model), false);
            let heard = heard(&model, 1, &output);
            assert!(stage.is_whole(), "{name}: {heard:#?}");
        }
    });
}

#[test]
#[ignore = "needs the real client: cargo xtask test agents"]
fn codex_gets_its_settings_back() {
    alone("codex::codex_gets_its_settings_back", CLIENT, |_program| {
        let mut stage = Stage::new("codex-back");
        stage.install_client(CLIENT);
        let model = model(Vec::new());
        configure(&stage, &model);
        let before = stage.read(".codex/config.toml");
        stage.tollgate("install --agent codex --trust");
        assert!(stage.tollgate("doctor").contains("Codex trusts the hook"));
        stage.tollgate("uninstall --agent codex");
        assert_eq!(stage.read(".codex/config.toml"), before);
        assert!(!fs::exists(stage.home.join(".codex/hooks.json")).unwrap());
    });
}
