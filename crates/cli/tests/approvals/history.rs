//! What the ledger remembers of asks, and check beside the hook.

use std::fs;

use serde_json::Value;

use crate::home::{Home, PUSH, WIPE, people};

#[test]
fn learn_proposes_the_very_command_that_was_approved_again_and_again() {
    if !people() {
        return;
    }
    let home = Home::new();
    let mut agent = home.agent();
    for _ in 0..3 {
        let id = agent.waits(PUSH);
        home.approves(&id, "");
        assert_eq!(agent.asks(PUSH).0, "");
        agent.waits(WIPE);
    }
    let (code, yaml) = home.nobody("tollgate learn");
    assert!(
        code == 0 && yaml.contains("suppresses: git_push_force") && yaml.contains("approved 3 times"),
        "{yaml}"
    );
    assert!(!yaml.contains("rm_rf"), "what destroys is not proposed: {yaml}");
    fs::create_dir(home.at("config/policies")).unwrap();
    fs::write(home.at("config/policies/learned.yml"), yaml).unwrap();
    assert_eq!(agent.asks(PUSH).0, "");
    assert_eq!(agent.asks(&format!("{PUSH} --no-verify")).0, "deny");
    // And what would have been another decision is shown.
    let (code, report) = home.nobody("tollgate policy replay --json");
    let report: Value = serde_json::from_str(report.trim()).unwrap();
    assert_eq!((code, report["differ"].as_u64()), (0, Some(6)), "{report}");
    assert!(
        report["shown"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["text"] == PUSH && one["was"] == "ask")
    );
    let (_, none) = home.nobody("tollgate policy replay --since 0s --json");
    assert_eq!(serde_json::from_str::<Value>(none.trim()).unwrap()["decisions"], 0);
}

#[test]
fn replay_says_where_it_is_not_exact() {
    let home = Home::new();
    let mut agent = home.agent();
    fs::write(home.at("work/a.sh"), "git push --force\n").unwrap();
    agent.asks("sh a.sh");
    agent.asks("curl -H 'Authorization: Bearer ghp_0123456789abcdefghijklmnopqrstuvwxyz' https://h.example/");
    fs::write(home.at("work/a.sh"), "true\n").unwrap();
    let (_, report) = home.nobody("tollgate policy replay --all");
    assert!(
        report.contains("not exact: a file that was read has changed since"),
        "{report}"
    );
    assert!(report.contains("not exact: secrets were taken out"), "{report}");
}

#[test]
fn v_3503_check_judges_as_the_hook_does() {
    let home = Home::new();
    let mut agent = home.agent();
    for (command, told, code) in [
        (PUSH, "ask", 10),
        (WIPE, "ask", 10),
        ("git status", "", 0),
        ("tollgate unlock", "deny", 20),
    ] {
        assert_eq!(agent.asks_as("claude", "default", command).0, told, "{command}");
        assert_eq!(home.nobody(&format!("tollgate check '{command}'")).0, code, "{command}");
    }
    home.configure("posture = \"off\"\n");
    assert_eq!(home.nobody(&format!("tollgate check '{PUSH}'")).0, 0);
}
