//! What is written into the agents' settings.

use agents::{Agent, Places, json};

fn places() -> Places {
    Places {
        hook: "/opt/my gate's/tollgate-hook".into(),
        config: "/c".into(),
        state: "/s t".into(),
        data: "/d".into(),
    }
}

#[test]
fn the_entries_are_these() {
    let handler = |agent: Agent| agent.entry(&places()).handler_json();
    assert_eq!(
        handler(Agent::Claude).text(),
        r#"{"args":["claude","--config","/c","--state","/s t","--data","/d"],"command":"/opt/my gate's/tollgate-hook","onFailure":"block","timeout":60,"type":"command"}"#
    );
    assert_eq!(
        handler(Agent::Codex).text(),
        r#"{"command":"'/opt/my gate'\\''s/tollgate-hook' codex --config /c --state '/s t' --data /d","timeout":600,"type":"command"}"#
    );
}

#[test]
fn our_own_handlers_are_known_again() {
    let ours = |agent: Agent, handler: &str| agent.runs_us(&json::parse(handler.as_bytes()).unwrap());
    let fine = Places {
        hook: "/opt/my gate/tollgate-hook".into(),
        ..places()
    };
    for agent in Agent::ALL {
        assert!(agent.runs_us(&agent.entry(&fine).handler_json()));
        assert!(ours(
            agent,
            r#"{"type":"command","command":"/old/place/tollgate-hook claude"}"#
        ));
        assert!(ours(agent, r#"{"type":"command","command":"tollgate-hook","args":[]}"#));
        for foreign in [
            "{}",
            "3",
            r#"{"type":"prompt","prompt":"x"}"#,
            r#"{"command":"/usr/bin/python3 tollgate-hook"}"#,
            r#"{"command":"/opt/tollgate-hook/other"}"#,
            r#"{"command":"/opt/x-tollgate-hook claude"}"#,
        ] {
            assert!(!ours(agent, foreign), "{foreign}");
        }
    }
}
