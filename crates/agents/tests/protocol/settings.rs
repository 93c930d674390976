//! What is written into the agents' settings.

use agents::{Agent, Hook, Places, json};

fn places() -> Places {
    Places {
        hook: "/opt/my gate's/tollgate-hook".into(),
        config: "/c".into(),
        state: "/s t".into(),
        data: "/d".into(),
    }
}

#[test]
fn v_2609_v_2611_v_2612_v_2613_f_2606_the_handlers_are_these() {
    let line =
        |agent: &str| format!(r#""'/opt/my gate'\\''s/tollgate-hook' {agent} --config /c --state '/s t' --data /d""#);
    let guarded = |agent: &str| {
        let guard = r#"/bin/sh -c '\"$0\" \"$@\" || { [ $? = 2 ] || echo \"Tollgate refused this call: its hook failed.\" >&2; exit 2; }' "#;
        line(agent).replacen('"', &format!("\"{guard}"), 1)
    };
    let wanted = |agent: Agent| {
        let line = match agent {
            Agent::Codex | Agent::Droid | Agent::Gemini | Agent::Qwen | Agent::Windsurf => guarded(agent.as_str()),
            _ => line(agent.as_str()),
        };
        match agent {
            Agent::Claude => r#"{"args":["claude","--config","/c","--state","/s t","--data","/d"],"command":"/opt/my gate's/tollgate-hook","onFailure":"block","timeout":60,"type":"command"}"#.to_owned(),
            Agent::Codex => format!(r#"{{"command":{line},"timeout":600,"type":"command"}}"#),
            Agent::Droid => format!(r#"{{"command":{line},"timeout":60,"type":"command"}}"#),
            Agent::Gemini | Agent::Qwen => format!(r#"{{"command":{line},"timeout":60000,"type":"command"}}"#),
            Agent::Copilot => format!(r#"{{"bash":{line},"timeoutSec":60,"type":"command"}}"#),
            Agent::Cursor => format!(r#"{{"command":{line},"failClosed":true,"timeout":60}}"#),
            Agent::Windsurf => format!(r#"{{"command":{line},"show_output":true}}"#),
            Agent::Cline | Agent::Opencode => "null".to_owned(),
        }
    };
    for agent in Agent::ALL {
        assert_eq!(agent.hook(&places()).handler_json().text(), wanted(agent), "{agent:?}");
    }
}

#[test]
fn f_2607_f_2610_files_of_our_own_name_the_program_and_their_maker() {
    for agent in [Agent::Cline, Agent::Opencode] {
        let Hook::File { text, .. } = agent.hook(&places()) else {
            panic!("{agent:?} has no file");
        };
        assert!(
            text.contains("Written by `tollgate install`") && text.contains("tollgate-hook"),
            "{text}"
        );
        assert!(
            text.contains(agent.as_str()) && !text.contains("PROGRAM") && !text.contains("LIMIT"),
            "{text}"
        );
    }
}

#[test]
fn our_own_handlers_are_known_again() {
    let ours = |agent: Agent, handler: &str| agent.runs_us(&json::parse(handler.as_bytes()).unwrap());
    let fine = Places {
        hook: "/opt/my gate/tollgate-hook".into(),
        ..places()
    };
    for agent in Agent::ALL {
        let handler = agent.hook(&fine).handler_json();
        assert!(handler == json::Json::Null || agent.runs_us(&handler));
        assert!(ours(
            agent,
            r#"{"type":"command","command":"/old/place/tollgate-hook claude"}"#
        ));
        assert!(ours(agent, r#"{"type":"command","command":"tollgate-hook","args":[]}"#));
        assert!(ours(
            agent,
            r#"{"command":"/bin/sh -c 'an older guard' '/old place/tollgate-hook' codex"}"#
        ));
        for foreign in [
            "{}",
            "3",
            r#"{"type":"prompt","prompt":"x"}"#,
            r#"{"command":"/usr/bin/python3 tollgate-hook"}"#,
            r#"{"command":"/opt/tollgate-hook/other"}"#,
            r#"{"command":"/opt/x-tollgate-hook claude"}"#,
            r#"{"command":"/bin/sh -c 'x' /opt/other"}"#,
            r#"{"command":"/bin/sh -c '/opt/tollgate-hook' "}"#,
        ] {
            assert!(!ours(agent, foreign), "{foreign}");
        }
    }
}
