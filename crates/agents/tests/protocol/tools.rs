//! What the tools of each agent take beside the plain case, by the clients' own code.

use agents::Agent;
use policy::{Kind, Subject};

/// The question of an agent with that tool and input.
fn question(agent: Agent, tool: &str, input: &str) -> String {
    match agent {
        Agent::Copilot => format!(r#"{{"sessionId":"s","cwd":"/w","toolName":"{tool}","toolArgs":{input}}}"#),
        Agent::Cline => format!(
            r#"{{"hookName":"tool_call","taskId":"s","workspaceRoots":["/w"],"tool_call":{{"name":"{tool}","input":{input}}}}}"#
        ),
        _ => format!(
            r#"{{"hook_event_name":"{}","session_id":"s","cwd":"/w","tool_name":"{tool}","tool_input":{input}}}"#,
            agent.event()
        ),
    }
}

/// What the call wants, or the word of its refusal.
fn wanted(agent: Agent, tool: &str, input: &str) -> Vec<String> {
    let call = match agents::read(agent, question(agent, tool, input).as_bytes()) {
        Ok(call) => call,
        Err(refusal) => return vec![refusal.kind.to_owned()],
    };
    let word = |r: &policy::Request| match &r.subject {
        Subject::Command(text) => format!("run {text}"),
        Subject::File { path, delete: true, .. } => format!("delete {path}"),
        Subject::File { path, .. } if r.kind == Kind::FileWrite => format!("write {path}"),
        Subject::File { path, .. } => format!("read {path}"),
        Subject::Url(url) => format!("fetch {url}"),
        Subject::Tool { name, .. } => format!("tool {name}"),
    };
    call.requests.iter().map(word).collect()
}

#[test]
fn a_program_in_a_list_has_its_arguments() {
    for (input, expected) in [
        (
            r#"{"commands":[{"command":"rm","args":["-rf","a b"]}]}"#,
            vec!["run rm -rf 'a b'"],
        ),
        (
            r#"{"commands":[{"command":"my rm","args":["-rf"]}]}"#,
            vec!["run 'my rm' -rf"],
        ),
        (
            r#"{"commands":{"command":"rm","args":["-rf","~"]}}"#,
            vec!["run rm -rf '~'"],
        ),
        (
            r#"{"commands":[{"command":"ls"},"rm -rf ~"]}"#,
            vec!["run ls", "run rm -rf ~"],
        ),
        (r#"{"commands":[{"command":"ls","args":null}]}"#, vec!["run ls"]),
        (r#"{"commands":[{"command":"ls","args":[]}]}"#, vec!["run ls "]),
        (r#"{"commands":[{"command":"ls","args":[3]}]}"#, vec!["wrong-type"]),
        (r#"{"commands":[]}"#, vec!["wrong-type"]),
    ] {
        assert_eq!(wanted(Agent::Cline, "run_commands", input), expected, "{input}");
    }
}

/// Cline puts the lines of a here-document together before it runs them.
#[test]
fn a_here_document_in_a_list_is_one_command() {
    let input = r#"{"commands":["python3 - <<E","import os","os.remove('x')","E"]}"#;
    let all = wanted(Agent::Cline, "run_commands", input);
    assert_eq!(all.last().unwrap(), "run python3 - <<E\nimport os\nos.remove('x')\nE");
}

#[test]
fn what_is_typed_is_read_as_a_line_editor_leaves_it() {
    for (input, expected) in [
        ("ls{enter}", vec!["run ls\n"]),
        (
            "r{left}{right}m -rf ~{enter}",
            vec!["run rm -rf ~\n", "run r\n\nm -rf ~\n"],
        ),
        ("lsx{backspace}{enter}", vec!["run ls\n", "run lsx\n\n"]),
        (
            "m -rf ~{home}r{end}{enter}",
            vec!["run rm -rf ~\n", "run m -rf ~\nr\n\n"],
        ),
        ("xrm ~{home}{delete}{enter}", vec!["run rm ~\n", "run xrm ~\n\n\n"]),
        ("{up}{enter}", vec!["run \n\n"]),
        ("awk '{print}'{enter}", vec!["run awk '\n'\n"]),
        ("echo {A} {", vec!["run echo {A} {"]),
    ] {
        let input = format!(r#"{{"input":"{input}"}}"#);
        assert_eq!(wanted(Agent::Copilot, "write_bash", &input), expected, "{input}");
    }
}

#[test]
fn patches_are_read_whatever_the_tool_is_called() {
    let patch = r"*** Begin Patch\n*** Add File: .gemini/settings.json\n+{}\n*** Delete File: b\n*** End Patch";
    let wrapped = format!(r"apply_patch <<'EOF'\n{patch}\nEOF");
    let files = ["write .gemini/settings.json", "delete b"];
    for (agent, tool, input) in [
        (Agent::Copilot, "apply_patch", format!("\"{patch}\"")),
        (Agent::Copilot, "apply_patch", format!(r#"{{"patch":"{patch}"}}"#)),
        (Agent::Cline, "apply_patch", format!(r#"{{"input":"{patch}"}}"#)),
        (Agent::Cline, "apply_patch", format!(r#"{{"input":"{wrapped}"}}"#)),
        (Agent::Cline, "apply_patch", format!(r#"{{"input":"%%bash\n{patch}"}}"#)),
        (Agent::Opencode, "apply_patch", format!(r#"{{"patchText":"{patch}"}}"#)),
    ] {
        assert_eq!(wanted(agent, tool, &input), files, "{agent:?} {input}");
    }
    for (agent, tool) in [
        (Agent::Gemini, "patch_files"),
        (Agent::Qwen, "mcp__x__edit"),
        (Agent::Claude, "New"),
    ] {
        let input = format!(r#"{{"changes":[{{"text":"{patch}"}}]}}"#);
        assert_eq!(wanted(agent, tool, &input)[1..], files, "{agent:?} {tool}");
    }
    let broken = r#"{"input":"*** Begin Patch\n*** Add File: a"}"#;
    assert_eq!(wanted(Agent::Cline, "apply_patch", broken), ["unreadable-patch"]);
    assert_eq!(wanted(Agent::Gemini, "apply_patch", broken), ["unreadable-patch"]);
    assert_eq!(wanted(Agent::Gemini, "note", broken), ["tool note"]);
    assert_eq!(wanted(Agent::Copilot, "apply_patch", "\"rm\""), ["unreadable-patch"]);
    assert_eq!(wanted(Agent::Copilot, "bash", "\"ls\""), ["not-json"]);
}

/// Gemini CLI reads an escaped path, takes an `@` away, and looks for a file that is not there in all folders.
#[test]
fn a_path_is_judged_as_the_agent_reads_it() {
    for (tool, path, expected) in [
        (
            "write_file",
            ".gemini/settings.json",
            vec!["write .gemini/settings.json"],
        ),
        (
            "write_file",
            ".g%65mini/settings.json",
            vec!["write .g%65mini/settings.json", "write .gemini/settings.json"],
        ),
        ("write_file", "@.bashrc", vec!["write @.bashrc", "write .bashrc"]),
        ("write_file", "@/x", vec!["write @/x", "write x"]),
        (
            "replace",
            "@%2e%2e/x",
            vec!["write @%2e%2e/x", "write %2e%2e/x", "write @../x", "write ../x"],
        ),
        ("write_file", "100%", vec!["write 100%"]),
        ("write_file", "a%zz", vec!["write a%zz"]),
        ("write_file", "a%00", vec!["control-character"]),
        (
            "replace",
            "settings.json",
            vec!["write settings.json", "write .gemini/settings.json"],
        ),
        ("replace", "ngs.json", vec!["write ngs.json"]),
        ("replace", "/w/settings.json", vec!["write /w/settings.json"]),
        (
            "read_file",
            "%2fetc%2fshadow",
            vec!["read %2fetc%2fshadow", "read /etc/shadow"],
        ),
    ] {
        let input = format!(r#"{{"file_path":"{path}","content":"a","new_string":"a"}}"#);
        assert_eq!(wanted(Agent::Gemini, tool, &input), expected, "{path}");
        if tool == "write_file" {
            assert_eq!(wanted(Agent::Qwen, tool, &input).len(), 1, "{path}");
        }
    }
}

#[test]
fn fields_beside_the_plain_ones_count() {
    use Agent::{Cline, Copilot, Gemini, Opencode};
    for (agent, tool, input, expected) in [
        (
            Copilot,
            "glob",
            r#"{"pattern":"*","paths":["/a","b"]}"#,
            vec!["read /a", "read b"],
        ),
        (
            Copilot,
            "rg",
            r#"{"pattern":"x","paths":"/a","path":"/b"}"#,
            vec!["read /b", "read /a"],
        ),
        (Copilot, "rg", r#"{"pattern":"x"}"#, vec![]),
        (Copilot, "sql", r#"{"query":"drop table todos"}"#, vec![]),
        (Copilot, "edit", r#"{"path":"/a","old_str":"x"}"#, vec!["write /a"]),
        (Cline, "read_files", r#"{"file_paths":["/a"]}"#, vec!["read /a"]),
        (
            Cline,
            "read_files",
            r#"{"files":["/a"],"paths":[{"path":"/b"}]}"#,
            vec!["read /a", "read /b"],
        ),
        (Cline, "read_files", "{}", vec!["missing-field"]),
        (
            Gemini,
            "web_fetch",
            r#"{"url":"https://a.example/x"}"#,
            vec!["fetch https://a.example/x"],
        ),
        (Gemini, "list_directory", r#"{"dir_path":null}"#, vec![]),
        (Opencode, "grep", r#"{"pattern":"x","path":null}"#, vec![]),
        (
            Gemini,
            "run_shell_command",
            r#"{"command":"ls","additional_permissions":{"network":true}}"#,
            vec!["run ls", "tool run_shell_command(additional_permissions)"],
        ),
        (
            Gemini,
            "run_shell_command",
            r#"{"command":"ls","dir_path":["/"]}"#,
            vec!["wrong-type"],
        ),
    ] {
        assert_eq!(wanted(agent, tool, input), expected, "{agent:?} {tool} {input}");
    }
}
