//! What the inputs of tools that nobody knows carry.

use agents::{Agent, Call};
use policy::{Kind, Subject};

fn call(agent: Agent, tool: &str, input: &str) -> Call {
    let question = format!(
        r#"{{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"{tool}","tool_input":{input}}}"#
    );
    agents::read(agent, question.as_bytes()).unwrap()
}

/// What is wanted beside the call of the tool itself.
fn wanted(tool: &str, input: &str) -> Vec<String> {
    let of = |agent| -> Vec<String> {
        let requests = call(agent, tool, input).requests;
        let word = |r: &policy::Request| match &r.subject {
            Subject::Command(text) => format!("run {text}"),
            Subject::File { path, delete: true, .. } => format!("delete {path}"),
            Subject::File { path, .. } if r.kind == Kind::FileWrite => format!("write {path}"),
            Subject::File { path, .. } => format!("read {path}"),
            other => format!("{other:?}"),
        };
        requests.iter().skip(1).map(word).collect()
    };
    assert_eq!(of(Agent::Claude), of(Agent::Codex));
    of(Agent::Claude)
}

#[test]
fn commands_are_found_by_their_fields() {
    for (tool, input, expected) in [
        (
            "mcp__x__run",
            r#"{"command":"bash","args":["-c","rm -rf ~"]}"#,
            "run bash -c 'rm -rf ~'",
        ),
        ("mcp__x__run", r#"{"Command":"rm","arguments":"-rf ~"}"#, "run rm -rf ~"),
        ("mcp__x__go", r#"{"commandLine":"rm -rf ~"}"#, "run rm -rf ~"),
        ("mcp__x__go", r#"{"command_line":"rm -rf ~"}"#, "run rm -rf ~"),
        ("mcp__x__go", r#"{"CMD":["rm","-rf","a b"]}"#, "run rm -rf 'a b'"),
        ("mcp__x__go", r#"{"input":{"command":"rm -rf ~"}}"#, "run rm -rf ~"),
        (
            "mcp__x__go",
            r#"{"steps":[{"command":"rm","args":["-rf","/"]}]}"#,
            "run rm -rf /",
        ),
        (
            "mcp__x__go",
            r#"{"command":"rm -rf x","cwd":"~/my files"}"#,
            "run cd ~/'my files' && rm -rf x",
        ),
        ("mcp__x__run_shell", r#"{"script":"rm -rf ~"}"#, "run rm -rf ~"),
        ("mcp__terminal__go", r#"{"code":"rm -rf ~"}"#, "run rm -rf ~"),
        ("ShellExec", r#"{"script":"rm -rf ~"}"#, "run rm -rf ~"),
        (
            "mcp__ide__executeCode",
            r#"{"code":"print(1)"}"#,
            "run python3 -c 'print(1)'",
        ),
        (
            "mcp__x__exec",
            r#"{"code":"print(1)","language":"Python"}"#,
            "run python3 -c 'print(1)'",
        ),
        ("mcp__browser__run_script", r#"{"script":"x()"}"#, "run node -e 'x()'"),
    ] {
        assert_eq!(wanted(tool, input), [expected], "{tool} {input}");
    }
    assert_eq!(
        wanted("mcp__x__go", r#"{"commands":["ls","rm -rf ~",["rm","-r","a b"]]}"#),
        ["run ls", "run rm -rf ~", "run rm -r 'a b'"]
    );
}

#[test]
fn files_are_found_by_fields_and_verbs() {
    for (tool, input, expected) in [
        (
            "mcp__fs__write_file",
            r#"{"path":"/etc/x","content":"a"}"#,
            vec!["write /etc/x"],
        ),
        (
            "mcp__fs__createFile",
            r#"{"filePath":"~/.profile"}"#,
            vec!["write ~/.profile"],
        ),
        ("mcp__fs__append", r#"{"file_path":"a"}"#, vec!["write a"]),
        ("mcp__fs__save_as", r#"{"uri":"file:///etc/x"}"#, vec!["write /etc/x"]),
        (
            "mcp__fs__edit",
            r#"{"edits":[{"path":"a"},{"path":"b"}]}"#,
            vec!["write a", "write b"],
        ),
        (
            "mcp__fs__delete_file",
            r#"{"path":"a"}"#,
            vec!["delete a", "run rm -r -- a"],
        ),
        (
            "mcp__fs__delete_directory",
            r#"{"path":"~/a b"}"#,
            vec!["delete ~/a b", "run rm -r -- ~/'a b'"],
        ),
        (
            "mcp__fs__remove",
            r#"{"uri":"file:///"}"#,
            vec!["delete /", "run rm -r -- /"],
        ),
        (
            "mcp__fs__rename",
            r#"{"path":"~"}"#,
            vec!["delete ~", "run mv -- ~ moved"],
        ),
        (
            "RemoveFiles",
            r#"{"paths":["a","b"]}"#,
            vec!["delete a", "run rm -r -- a", "delete b", "run rm -r -- b"],
        ),
        (
            "mcp__fs__move_file",
            r#"{"source":"a","destination":".git/hooks/a"}"#,
            vec!["write .git/hooks/a", "delete a", "run mv -- a .git/hooks/a"],
        ),
        (
            "mcp__fs__copy",
            r#"{"source":"~/.ssh/id_rsa","destination":"b"}"#,
            vec!["write b", "read ~/.ssh/id_rsa"],
        ),
        (
            "mcp__fs__read_text_file",
            r#"{"path":"~/.ssh/id_rsa"}"#,
            vec!["read ~/.ssh/id_rsa"],
        ),
        (
            "mcp__fs__frobnicate",
            r#"{"input":{"path":"~/.ssh/id_rsa"}}"#,
            vec!["read ~/.ssh/id_rsa"],
        ),
        ("editor", r#"{"command":"view","path":"a"}"#, vec!["run view", "read a"]),
        (
            "editor",
            r#"{"command":"create","path":"a"}"#,
            vec!["run create", "write a"],
        ),
        ("mcp__remove__read_file", r#"{"path":"a"}"#, vec!["read a"]),
    ] {
        assert_eq!(wanted(tool, input), expected, "{tool} {input}");
    }
}

#[test]
fn other_fields_carry_nothing() {
    for (tool, input) in [
        ("mcp__tracker__create_issue", r#"{"title":"rm -rf ~","labels":["a"]}"#),
        ("mcp__docs__search", r#"{"code":"E0308","query":"x"}"#),
        ("mcp__db__run_sql", r#"{"script":"drop table x"}"#),
        ("mcp__web__open", r#"{"uri":"https://example.org/x"}"#),
        ("mcp__x__read", r#"{"path":"","source":null,"files":3}"#),
        ("mcp__x__compile", r#"{"source":"int main() {\n}"}"#),
    ] {
        assert_eq!(wanted(tool, input), Vec::<String>::new(), "{tool} {input}");
    }
}

/// A tool reads the field that it knows; which one that is nobody says.
#[test]
fn of_several_fields_of_a_kind_each_counts() {
    for (tool, input, expected) in [
        (
            "mcp__x__go",
            r#"{"command":"rm -rf *","cwd":"/tmp/x","workdir":"/home/ann"}"#,
            vec!["run cd /tmp/x && rm -rf *", "run cd /home/ann && rm -rf *"],
        ),
        (
            "mcp__x__go",
            r#"{"command":"rm","args":["a"],"argv":["-rf","b"]}"#,
            vec!["run rm a", "run rm -rf b"],
        ),
        (
            "mcp__x__run_python",
            r#"{"code":"f()","language":"sql"}"#,
            vec!["run python3 -c 'f()'"],
        ),
        (
            "mcp__x__bash",
            r#"{"script":"rm -rf ~","language":"sql"}"#,
            vec!["run rm -rf ~"],
        ),
        (
            "mcp__fs__write",
            r#"{"path":"settings.json","cwd":"~/.gemini"}"#,
            vec!["write settings.json", "write ~/.gemini/settings.json"],
        ),
        (
            "mcp__shot__take",
            r#"{"outputPath":"~/.bashrc"}"#,
            vec!["write ~/.bashrc"],
        ),
        (
            "FetchMcpResource",
            r#"{"uri":"x://y","download_path":"a"}"#,
            vec!["write a"],
        ),
    ] {
        assert_eq!(wanted(tool, input), expected, "{tool} {input}");
    }
    let many =
        r#"{"command":"ls","cwd":"a","workdir":"b","working_dir":"c","workingDirectory":"d","currentDirectory":"e"}"#;
    let question = format!(
        r#"{{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"New","tool_input":{many}}}"#
    );
    assert_eq!(
        agents::read(Agent::Claude, question.as_bytes()).unwrap_err().kind,
        "ambiguous"
    );
}

#[test]
fn a_call_that_another_tool_passes_on_is_read() {
    for (tool, input, expected) in [
        (
            "mcp__hub__call",
            r#"{"name":"delete_file","arguments":{"path":"a"}}"#,
            vec!["delete a", "run rm -r -- a"],
        ),
        (
            "mcp__hub__call",
            r#"{"tool":"write_file","input":"{\"path\":\"a\"}"}"#,
            vec!["write a"],
        ),
        (
            "mcp__hub__call",
            r#"{"name":"run","arguments":"{\"command\":\"rm -rf ~\"}"}"#,
            vec!["run rm -rf ~"],
        ),
        (
            "mcp__x__go",
            r#"{"a":{"b":{"c":{"d":[[{"command":"rm -rf ~"}]]}}}}"#,
            vec!["run rm -rf ~"],
        ),
        ("mcp__x__save", r#"{"content":"{\"command\":\"rm -rf ~\"}"}"#, vec![]),
    ] {
        assert_eq!(wanted(tool, input), expected, "{tool} {input}");
    }
}

#[test]
fn a_switched_off_sandbox_is_a_request_of_its_own() {
    let requests = |input| call(Agent::Claude, "Bash", input).requests;
    let off = requests(r#"{"command":"ls","dangerouslyDisableSandbox":true}"#);
    assert!(matches!(&off[1].subject, Subject::Tool { name, .. } if name == "Bash(dangerouslyDisableSandbox)"));
    assert_eq!((off.len(), off[1].kind), (2, Kind::ToolOther));
    for input in [
        r#"{"command":"ls"}"#,
        r#"{"command":"ls","dangerouslyDisableSandbox":false}"#,
        r#"{"command":"ls","dangerouslyDisableSandbox":null}"#,
    ] {
        assert_eq!(requests(input).len(), 1, "{input}");
    }
}
