//! `doctor --live` with every client: what it proves, and what ends a proof.

use std::fs;

use agents::Agent;

use crate::namespace::alone;
use crate::stage::Stage;

/// A person's home with this client, and the gate in front of it.
fn guarded(agent: Agent, name: &str) -> Stage {
    let mut stage = Stage::new(&format!("{}-{name}", agent.as_str()));
    stage.install_client(agent);
    let trust = if agent == Agent::Codex { " --trust" } else { "" };
    stage.tollgate(&format!("install --agent {}{trust}", agent.as_str()));
    stage
}

fn status(stage: &Stage, agent: Agent) -> String {
    let text = stage.tollgate("status");
    let line = text.lines().find(|line| line.starts_with(agent.title()));
    line.unwrap_or_default().to_owned()
}

/// What a try says that must not prove anything.
fn unproved(stage: &Stage, agent: Agent) -> String {
    let output = stage
        .command(env!("CARGO_BIN_EXE_tollgate"))
        .args(["doctor", "--live", "--agent", agent.as_str()])
        .output()
        .unwrap();
    assert!(!output.status.success(), "{output:?}");
    assert!(!status(stage, agent).contains("protected (proved"), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn it_is_proved_until_something_changes(agent: Agent, test: &str) {
    alone(test, agent, |program| {
        let stage = guarded(agent, "proof");
        assert!(status(&stage, agent).contains("partial (unproved"));
        let temp = stage.home.with_extension("tmp");
        fs::create_dir_all(&temp).unwrap();
        let mut doctor = stage.command(env!("CARGO_BIN_EXE_tollgate"));
        doctor.args(["doctor", "--live", "--agent", agent.as_str()]);
        let output = doctor.env("TMPDIR", &temp).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("protected (proved with "), "{said}");
        let line = status(&stage, agent);
        assert!(line.contains("protected (proved with "), "{line}");
        let version = line
            .split("proved with ")
            .nth(1)
            .unwrap()
            .split([';', ')'])
            .next()
            .unwrap();
        assert_eq!(version.split('.').count(), 3, "{line}");
        // The person's own files are as they were, and nothing of the run is left.
        assert!(stage.is_whole());
        assert_eq!(fs::read_dir(&temp).unwrap().count(), 0);
        stage.tollgate("log verify");
        // Another program under the client's name is another client.
        let named = stage.home.join("bin").join(agent.programs()[0]);
        fs::remove_file(&named).unwrap();
        fs::copy("/bin/true", &named).unwrap();
        assert!(!status(&stage, agent).contains("protected ("));
        fs::remove_file(&named).unwrap();
        std::os::unix::fs::symlink(program, &named).unwrap();
        assert!(status(&stage, agent).contains("protected (proved with "));
        // A proof that somebody wrote is none.
        let file = stage.state().join("proofs").join(format!("{}.json", agent.as_str()));
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace(version, "9.9.9")).unwrap();
        assert!(status(&stage, agent).contains("partial (unproved"));
    });
}

/// A program that does as if it were the client, and asks the hook nothing.
#[test]
#[ignore = "needs the real client: cargo xtask test agents"]
fn what_does_not_ask_the_hook_proves_nothing() {
    let agent = Agent::Claude;
    alone("proof::what_does_not_ask_the_hook_proves_nothing", agent, |_program| {
        let stage = guarded(agent, "forged");
        let named = stage.home.join("bin/claude");
        fs::remove_file(&named).unwrap();
        stage.write("bin/claude", "#!/bin/sh\necho 9.9.9\n");
        fs::set_permissions(&named, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let said = unproved(&stage, agent);
        assert!(said.contains("did not carry out a harmless command"), "{said}");
    });
}

/// Settings that the client drops as a whole, where no check of ours sees why.
#[test]
#[ignore = "needs the real client: cargo xtask test agents"]
fn a_client_that_drops_its_settings_is_not_protected() {
    let agent = Agent::Claude;
    alone(
        "proof::a_client_that_drops_its_settings_is_not_protected",
        agent,
        |_program| {
            let stage = guarded(agent, "dropped");
            stage.merge(".claude/settings.json", r#"{"cleanupPeriodDays":"many"}"#);
            let said = unproved(&stage, agent);
            assert!(said.contains("ran the command that the gate must refuse"), "{said}");
            assert!(stage.is_whole());
        },
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test agents"]
fn where_the_posture_holds_nothing_nothing_is_proved() {
    let agent = Agent::Claude;
    alone(
        "proof::where_the_posture_holds_nothing_nothing_is_proved",
        agent,
        |_program| {
            let stage = guarded(agent, "observed");
            stage.write(".config/tollgate/config.toml", "posture = \"observe\"\n");
            unproved(&stage, agent);
        },
    );
}

/// Started by an agent, it is refused: the mark of one is in its environment.
#[test]
#[ignore = "needs the real client: cargo xtask test agents"]
fn no_agent_proves_anything() {
    let agent = Agent::Claude;
    alone("proof::no_agent_proves_anything", agent, |_program| {
        let stage = guarded(agent, "below");
        for words in [
            &["doctor", "--live"][..],
            &["rehearse", "--agent", "claude", "--stage", "/tmp", "--canary", "x"],
        ] {
            let mut command = stage.command(env!("CARGO_BIN_EXE_tollgate"));
            let output = command.args(words).env("CLAUDECODE", "1").output().unwrap();
            assert_eq!(output.status.code(), Some(20), "{output:?}");
        }
        assert!(!stage.state().join("proofs").exists());
    });
}

macro_rules! proved {
    ($($module:ident: $agent:ident),*) => {$(
        #[test]
        #[ignore = "needs the real client: cargo xtask test agents"]
        fn $module() {
            it_is_proved_until_something_changes(Agent::$agent, concat!("proof::", stringify!($module)));
        }
    )*};
}

proved!(claude: Claude, codex: Codex, gemini: Gemini, qwen: Qwen, copilot: Copilot, opencode: Opencode, cline: Cline);
