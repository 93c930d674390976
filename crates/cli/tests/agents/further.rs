//! Calls that go another way than the shell's: tools of MCP servers and the calls of subagents; and hooks that are too late.

use agents::json::quote;
use agents::{Agent, Step};
use live::Model;

use crate::namespace::alone;
use crate::stage::{Stage, assert_stopped, heard, step};

/// A server with one tool, which says what it is told.
const SERVER: &str = r#"
import json, sys
def say(answer):
    sys.stdout.write(json.dumps(answer) + "\n"); sys.stdout.flush()
for line in sys.stdin:
    if not line.strip():
        continue
    asked = json.loads(line)
    method, number = asked.get("method"), asked.get("id")
    if number is None:
        continue
    result = {}
    if method == "initialize":
        result = {"protocolVersion": asked["params"].get("protocolVersion"), "capabilities": {"tools": {}}, "serverInfo": {"name": "parrot", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": "echo", "description": "says it again", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}]}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": "the parrot says " + asked["params"]["arguments"]["text"]}]}
    say({"jsonrpc": "2.0", "id": number, "result": result})
"#;

/// The words with which the talk of the subagent begins.
const JOB: &str = "the job of the subagent";

/// Tells a client about the server, and says which arguments it needs for that.
fn with_server(stage: &Stage, agent: Agent) -> Vec<String> {
    stage.write("parrot.py", SERVER);
    let server = quote(&stage.home.join("parrot.py").display().to_string());
    let entry = format!(r#"{{"mcpServers":{{"parrot":{{"command":"/usr/bin/python3","args":[{server}]}}}}}}"#);
    match agent {
        Agent::Claude => return vec!["--mcp-config".into(), entry],
        Agent::Codex => {
            let text = stage.read(".codex/config.toml").unwrap();
            let server = format!("\n[mcp_servers.parrot]\ncommand = \"/usr/bin/python3\"\nargs = [{server}]\n");
            stage.write(".codex/config.toml", &(text + &server));
        }
        Agent::Gemini => stage.merge(".gemini/settings.json", &entry),
        Agent::Qwen => stage.merge(".qwen/settings.json", &entry),
        Agent::Copilot => stage.write(
            ".copilot/mcp-config.json",
            &format!(
                r#"{{"mcpServers":{{"parrot":{{"type":"local","command":"/usr/bin/python3","args":[{server}],"tools":["*"]}}}}}}"#
            ),
        ),
        _ => stage.merge(
            ".config/opencode/opencode.json",
            &format!(
                r#"{{"mcp":{{"parrot":{{"type":"local","command":["/usr/bin/python3",{server}],"enabled":true}}}}}}"#
            ),
        ),
    }
    Vec::new()
}

/// The name of the server's tool.
const fn tool(agent: Agent) -> &'static str {
    match agent {
        Agent::Gemini => "mcp_parrot_echo",
        Agent::Copilot => "parrot-echo",
        Agent::Opencode => "parrot_echo",
        // In the space of the server.
        Agent::Codex => "mcp__parrot/echo",
        _ => "mcp__parrot__echo",
    }
}

fn a_tool_of_a_server_is_recorded(agent: Agent, test: &str) {
    alone(test, agent, |_program| {
        let mut stage = Stage::new(&format!("{}-mcp", agent.as_str()));
        stage.install_client(agent);
        let tool = tool(agent);
        let script = vec![
            step(tool, &[("text", "hello")]),
            // What its fields say is judged, whoever carries it out.
            step(tool, &[("text", "hello"), ("command", "rm -rf ~")]),
        ];
        let model = Model::start(script).unwrap();
        let _configured = stage.client(agent, &model);
        let args = with_server(&stage, agent);
        let trust = if agent == Agent::Codex { " --trust" } else { "" };
        stage.tollgate(&format!("install --agent {}{trust}", agent.as_str()));
        let mut client = stage.client(agent, &model);
        client.args(args);
        let output = stage.play(client, false);
        let heard = heard(&model, 2, &output);
        assert!(heard[0].contains("the parrot says hello"), "{heard:#?}");
        assert_stopped(&heard[1]);
        assert_eq!(stage.verdicts(), ["allow", "ask"]);
        assert!(stage.tollgate("log show --jsonl").contains(&tool.replace('/', "__")));
    });
}

/// The call that starts a subagent, as each client has it.
fn delegate(agent: Agent) -> Step {
    let (tool, fields): (_, &[(&str, &str)]) = match agent {
        Agent::Claude => ("Task", &[("description", "sub"), ("subagent_type", "general-purpose")]),
        Agent::Gemini => ("invoke_agent", &[("agent_name", "generalist")]),
        Agent::Qwen => ("agent", &[("description", "sub"), ("subagent_type", "general-purpose")]),
        Agent::Copilot => (
            "task",
            &[
                ("agent_type", "general-purpose"),
                ("name", "sub"),
                ("description", "sub"),
                ("mode", "sync"),
            ],
        ),
        _ => ("task", &[("description", "sub"), ("subagent_type", "general")]),
    };
    let mut all = fields.to_vec();
    all.push(("prompt", JOB));
    let step = step(tool, &all);
    Step {
        // It is awaited, where the client would let it run beside.
        input: if agent == Agent::Claude {
            step.input.replacen('{', "{\"run_in_background\":false,", 1)
        } else {
            step.input.clone()
        },
        ..step
    }
}

fn a_subagent_is_stopped(agent: Agent, test: &str) {
    alone(test, agent, |_program| {
        let stage = Stage::new(&format!("{}-subagent", agent.as_str()));
        stage.tollgate(&format!("install --agent {}", agent.as_str()));
        let drive = agent.drive().unwrap();
        let inner = vec![drive.shell("rm -rf ~"), drive.shell("echo made > made.txt")];
        let model = Model::start_with(vec![delegate(agent)], vec![(JOB.to_owned(), inner)]).unwrap();
        let output = stage.play(stage.client(agent, &model), false);
        let inside = model.heard_about(JOB);
        assert!(inside.len() >= 2, "{inside:#?} {:#?} {output:?}", model.heard());
        assert_stopped(&inside[0]);
        assert!(stage.is_whole());
        assert_eq!(stage.read("project/made.txt").as_deref(), Some("made\n"));
        let verdicts = stage.verdicts();
        assert!(
            verdicts.ends_with(&["ask".to_owned(), "allow".to_owned()]),
            "{verdicts:?}"
        );
    });
}

/// A hook that never answers. Where the page says that a call runs with one, it does; where not, not.
fn a_late_hook(agent: Agent, test: &str) {
    alone(test, agent, |_program| {
        let stage = Stage::new(&format!("{}-late", agent.as_str()));
        stage.tollgate(&format!("install --agent {}", agent.as_str()));
        stage.replace_hook(Some("#!/bin/sh\nexec sleep 15\n"));
        // The same entry, with less patience than a suite has time.
        let file = format!("{}/{}", agent.folder(), agent.settings_file());
        let text = stage.read(&file).unwrap();
        let patience = agent.patience();
        let hasty = [format!("{patience}000"), patience.to_string()]
            .iter()
            .fold(text.clone(), |text, limit| {
                let short = if limit.len() > 3 { "2000" } else { "2" };
                text.replace(&format!(": {limit}"), &format!(": {short}"))
            });
        assert_ne!(text, hasty);
        stage.write(&file, &hasty);
        let model = Model::start(vec![agent.drive().unwrap().shell("rm -rf ~/thesis.txt && echo gone")]).unwrap();
        let output = stage.play(stage.client(agent, &model), false);
        let heard = heard(&model, 1, &output);
        let rules: toml::Table = include_str!("../../../../rules/agents.toml").parse().unwrap();
        let open = rules[agent.as_str()]["open"].as_str().unwrap();
        let runs = open.contains("takes more than");
        assert_eq!(stage.read("thesis.txt").is_none(), runs, "{open}: {heard:#?}");
    });
}

macro_rules! further {
    ($what:ident: $($module:ident: $agent:ident),*) => {
        mod $what {$(
            #[test]
            #[ignore = "needs the real client: cargo xtask test agents"]
            fn $module() {
                let test = concat!("further::", stringify!($what), "::", stringify!($module));
                super::$what(super::Agent::$agent, test);
            }
        )*}
    };
}

further!(a_tool_of_a_server_is_recorded: claude: Claude, codex: Codex, gemini: Gemini, qwen: Qwen, copilot: Copilot, opencode: Opencode);
further!(a_subagent_is_stopped: claude: Claude, gemini: Gemini, qwen: Qwen, copilot: Copilot, opencode: Opencode);
further!(a_late_hook: claude: Claude, gemini: Gemini, qwen: Qwen, copilot: Copilot, opencode: Opencode);
