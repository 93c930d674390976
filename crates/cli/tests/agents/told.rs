//! What the real clients tell without a question: what a call came to, that a session began, what was asked for, the end.

use std::thread;
use std::time::Duration;

use agents::json::{self, Json};
use agents::{Agent, Role};
use live::Model;

use crate::namespace::alone;
use crate::stage::{Stage, heard};

/// The records of these kinds.
fn records(stage: &Stage, kinds: &[&str]) -> Vec<Json> {
    let text = stage.tollgate("log show --jsonl");
    let all = text.lines().map(|line| json::parse(line.as_bytes()).unwrap());
    all.filter(|record| kinds.contains(&record.get("kind").and_then(Json::as_str).unwrap_or_default()))
        .collect()
}

fn text(record: &Json, path: &[&str]) -> String {
    let value = path
        .iter()
        .try_fold(record.clone(), |value, name| value.get(name).cloned());
    value
        .map(|value| value.as_str().map_or_else(|| value.text(), str::to_owned))
        .unwrap_or_default()
}

fn everything_is_heard(agent: Agent, test: &str) {
    alone(test, agent, |_program| {
        let mut stage = Stage::new(&format!("{}-told", agent.as_str()));
        stage.install_client(agent);
        let drive = agent.drive().unwrap();
        let script = vec![
            drive.shell("printf '%s-%s\\n' here 12333"),
            drive.shell("cat nowhere.txt; exit 3"),
        ];
        let model = Model::start(script).unwrap();
        // Trust goes into the file that names the model.
        let trust = if agent == Agent::Codex { " --trust" } else { "" };
        let _configured = (agent == Agent::Codex).then(|| stage.client(agent, &model));
        stage.tollgate(&format!("install --agent {}{trust}", agent.as_str()));
        let output = stage.play(stage.client(agent, &model), false);
        assert!(heard(&model, 2, &output)[0].contains("here-12333"));
        let told = records(&stage, &["news", "evidence"]);
        for event in agent.hears() {
            let wanted = match agent.role(event).unwrap() {
                // Both come after a call; which one does where a command ends with a code differs.
                Role::Failed | Role::Change => continue,
                _ => event,
            };
            assert!(
                told.iter().any(|record| text(record, &["request", "event"]) == wanted),
                "{wanted}: {told:#?}"
            );
        }
        let decided = records(&stage, &["decision"]);
        let came = records(&stage, &["evidence"]);
        assert_eq!((decided.len(), came.len()), (2, 2), "{came:#?}");
        for (decision, evidence) in decided.iter().zip(&came) {
            let same = |path: &[&str]| text(decision, path) == text(evidence, path);
            assert!(
                same(&["request", "digest"]) && same(&["call"]) && same(&["session"]),
                "{evidence:?}"
            );
            assert_eq!(text(evidence, &["outcome", "sha256"]).len(), 64);
        }
        // Whoever tells a code tells this one.
        let exit = text(&came[1], &["outcome", "exit"]);
        assert!(["3", ""].contains(&exit.as_str()), "{exit}");
        // The model is not its maker's, and the agent was told so by a variable.
        let variables = agent.led_elsewhere(|name| drive_names(agent, name).then(|| "http://127.0.0.1".to_owned()));
        let start = told
            .iter()
            .find(|record| agent.role(&text(record, &["request", "event"])) == Some(Role::Start));
        for (name, _) in variables.iter().filter(|_| agent != Agent::Copilot) {
            assert!(text(start.unwrap(), &["note"]).contains(name), "{start:?}");
        }
        let all = stage.tollgate("log show --jsonl");
        assert!(!all.contains("here-12333") && !all.contains("Do it."), "{all}");
        stage.tollgate("log verify");
    });
}

fn drive_names(agent: Agent, name: &str) -> bool {
    let run = agents::Run { url: "", home: "" };
    agent
        .drive()
        .unwrap()
        .env(run)
        .iter()
        .any(|(variable, _)| variable == name)
}

macro_rules! told {
    ($($module:ident: $agent:ident),*) => {$(
        #[test]
        #[ignore = "needs the real client: cargo xtask test agents"]
        fn $module() {
            everything_is_heard(Agent::$agent, concat!("told::", stringify!($module)));
        }
    )*};
}

told!(claude: Claude, codex: Codex, gemini: Gemini, qwen: Qwen, copilot: Copilot, opencode: Opencode);

/// Whoever changes settings while it works: the change is decided like a write.
#[test]
#[ignore = "needs the real client: cargo xtask test agents"]
fn claude_asks_whether_changed_settings_shall_count() {
    let agent = Agent::Claude;
    alone(
        "told::claude_asks_whether_changed_settings_shall_count",
        agent,
        |_program| {
            let stage = Stage::new("claude-change");
            stage.tollgate("install --agent claude");
            let drive = agent.drive().unwrap();
            let script = vec![drive.shell("sleep 12"), drive.shell("rm -rf ~/.ssh")];
            let model = Model::start(script).unwrap();
            let file = stage.home.join("project/.claude/settings.json");
            let changing = thread::spawn(move || {
                thread::sleep(Duration::from_secs(4));
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(file, r#"{"disableAllHooks": true}"#).unwrap();
            });
            let output = stage.play(stage.client(agent, &model), false);
            changing.join().unwrap();
            let heard = heard(&model, 2, &output);
            let decided = records(&stage, &["decision"]);
            let change = decided
                .iter()
                .find(|record| text(record, &["request", "event"]) == "ConfigChange");
            assert_eq!(
                change.map(|record| text(record, &["verdict"])).as_deref(),
                Some("ask"),
                "{decided:#?}"
            );
            assert!(stage.is_whole(), "{heard:#?}");
        },
    );
}
