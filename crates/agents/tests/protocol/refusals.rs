//! What cannot be read is refused, with the right word, and the refusal stops every client.

use crate::clients::{Heard, hear, question};
use agents::{Agent, Answer, refuse, reply};
use policy::Verdict;

const FINE: &str =
    r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"Bash","tool_input":{"command":"ls"}}"#;

/// The question with one part replaced.
fn with(part: &str, by: &str) -> Vec<u8> {
    assert!(FINE.contains(part), "{part}");
    FINE.replace(part, by).into_bytes()
}

fn kind(agent: Agent, stdin: &[u8]) -> &'static str {
    match agents::read(agent, stdin) {
        Ok(_) => "read",
        Err(refusal) => {
            assert!(
                refusal.sentence.ends_with('.') && refusal.hint.ends_with('.'),
                "{refusal:?}"
            );
            assert!(!refusal.sentence.contains(|c: char| c.is_control()), "{refusal:?}");
            refusal.kind
        }
    }
}

/// Every string of a question, and every field, in the order in which they stand.
fn strings(question: &str) -> Vec<&str> {
    question.split('"').skip(1).step_by(2).collect()
}

/// What no agent may have read in two ways, whatever its fields are called.
#[test]
fn broken_questions_are_refused_for_every_agent() {
    for agent in Agent::ALL {
        let fine = question(agent);
        let ls = |by: &str| fine.replace("\"ls\"", by).into_bytes();
        let cwd = |by: &str| fine.replace("\"/w\"", by).into_bytes();
        let middle = fine.len() / 2;
        let cases: Vec<(&str, Vec<u8>)> = vec![
            ("read", fine.into()),
            ("read", format!("{fine}\n").into()),
            ("read", format!(" {fine}").into()),
            ("read", ls(r#""ls\n\t\r""#)),
            ("read", ls("\"😀\"")),
            ("empty", Vec::new()),
            ("empty", b" \n".to_vec()),
            ("truncated", fine[..middle].into()),
            ("truncated", fine[..fine.len() - 1].into()),
            ("not-json", b"hello".to_vec()),
            ("not-json", b"{'a':1}".to_vec()),
            ("not-json", cwd("NaN")),
            ("not-json", cwd("1e999")),
            ("not-json", ls("\"l\ns\"")),
            ("wrong-type", b"[]".to_vec()),
            ("wrong-type", b"null".to_vec()),
            ("wrong-type", b"3".to_vec()),
            ("wrong-type", format!("[{fine}]").into()),
            ("wrong-type", ls("3")),
            ("wrong-type", ls("null")),
            ("wrong-type", ls("[]")),
            ("wrong-type", ls(r#"["ls",3]"#)),
            ("wrong-type", cwd("7")),
            ("missing-field", b"{}".to_vec()),
            ("missing-field", cwd(r#""""#)),
            ("missing-field", fine.replace("\"s\"", "\"\"").into()),
            ("duplicate-key", fine.replacen('{', r#"{"x":1,"x":1,"#, 1).into()),
            (
                "duplicate-key",
                fine.replacen('{', r#"{"x":{"y":[{"z":1,"z":2}]},"#, 1).into(),
            ),
            (
                "duplicate-key",
                fine.replacen('{', r#"{"cwd":"/","c\u0077d":"/w","#, 1).into(),
            ),
            ("byte-order-mark", [b"\xef\xbb\xbf", fine.as_bytes()].concat()),
            ("trailing-bytes", format!("{fine}x").into()),
            ("trailing-bytes", format!("{fine}{fine}").into()),
            ("trailing-bytes", format!("{fine}\0").into()),
            (
                "not-utf8",
                [&fine.as_bytes()[..middle], b"\xff", &fine.as_bytes()[middle..]].concat(),
            ),
            (
                "not-utf8",
                fine.encode_utf16().flat_map(u16::to_le_bytes).chain([0xff]).collect(),
            ),
            ("lone-surrogate", ls(r#""\ud83d""#)),
            ("lone-surrogate", ls(r#""\ude00""#)),
            ("lone-surrogate", ls(r#""\ud83dx""#)),
            ("control-character", ls(r#""ls\u0000""#)),
            ("control-character", ls(r#""ls\u001b[2K""#)),
            ("control-character", ls(r#""ls\u0008""#)),
            ("control-character", ls(r#""ls\u007f""#)),
            ("control-character", ls(r#""ls\u009b""#)),
            ("control-character", cwd(r#""/w\u0000""#)),
            ("relative-cwd", cwd("\"w\"")),
            ("relative-cwd", cwd("\"~\"")),
            (
                "too-deep",
                format!(r#"{{"x":{}{}}}"#, "[".repeat(200_000), "]".repeat(200_000)).into(),
            ),
            ("too-large", ls(&format!("\"{}\"", "a".repeat(10 << 20)))),
        ];
        assert!(cases.iter().filter(|(kind, _)| *kind != "read").count() >= 40);
        for (expected, stdin) in &cases {
            let shown = String::from_utf8_lossy(stdin).chars().take(200).collect::<String>();
            assert_eq!(kind(agent, stdin), *expected, "{agent:?} {shown}");
            if *expected != "read" {
                match hear(agent, &refuse(agent, "No.")) {
                    Heard::Deny(_) => {}
                    other => panic!("{agent:?} heard {other:?} about {shown}"),
                }
            }
        }
    }
}

/// An event that nobody knows, a part that is not there, a part of another type: never read as a question that passes.
#[test]
fn no_part_of_a_question_can_be_left_out() {
    for agent in Agent::ALL {
        let fine = question(agent);
        for field in strings(fine) {
            let renamed = fine.replacen(&format!("\"{field}\""), "\"another\"", 1);
            let unknown = agents::read(agent, renamed.as_bytes())
                .is_ok_and(|call| call.unknown_tool || call.session == "another");
            // The name of a tool, a session and a command are free; every other word carries the question.
            let free = field == "ls" || unknown;
            assert!(free || kind(agent, renamed.as_bytes()) != "read", "{agent:?} {renamed}");
        }
    }
}

#[test]
fn broken_questions_are_refused() {
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("wrong-type", with(r#"{"command":"ls"}"#, r#""ls""#)),
        ("wrong-type", with(r#"{"command":"ls"}"#, "[]")),
        ("wrong-type", with(r#""Bash""#, "7")),
        ("wrong-type", with(r#""/w""#, "[\"/w\"]")),
        ("missing-field", with(r#""cwd":"/w","#, "")),
        ("missing-field", with(r#""session_id":"s","#, "")),
        ("missing-field", with(r#""hook_event_name":"PreToolUse","#, "")),
        ("missing-field", with(r#""tool_name":"Bash","#, "")),
        ("missing-field", with(r#","tool_input":{"command":"ls"}"#, "")),
        ("missing-field", with(r#""command":"ls""#, "")),
        ("missing-field", with(r#""Bash""#, r#""""#)),
        ("duplicate-key", with(r#""cwd":"/w""#, r#""cwd":"/w","cwd":"/w""#)),
        (
            "duplicate-key",
            with(r#""command":"ls""#, r#""command":"ls","command":"rm -rf ~""#),
        ),
        (
            "duplicate-key",
            with(r#""command":"ls""#, r#""command":"ls","comm\u0061nd":"rm -rf ~""#),
        ),
        ("control-character", with("Bash", r"Bash\u0000")),
        ("unknown-event", with("PreToolUse", "preToolUse")),
        ("unknown-event", with("PreToolUse", "BeforeTool")),
    ];
    for agent in [Agent::Claude, Agent::Codex] {
        for (expected, stdin) in &cases {
            let shown = String::from_utf8_lossy(stdin).chars().take(200).collect::<String>();
            assert_eq!(kind(agent, stdin), *expected, "{agent:?} {shown}");
        }
    }
}

#[test]
fn every_prefix_of_a_question_is_refused() {
    for end in 0..FINE.len() {
        assert_ne!(kind(Agent::Claude, &FINE.as_bytes()[..end]), "read", "{end}");
    }
}

#[test]
fn no_change_of_a_byte_gets_a_second_reading() {
    let fine = agents::read(Agent::Claude, FINE.as_bytes()).unwrap();
    for at in 0..FINE.len() {
        for byte in [
            0, b'"', b'\\', b'{', b'}', b',', b':', b' ', b'\n', b'u', 0x7f, 0x80, 0xff,
        ] {
            let mut bytes = FINE.as_bytes().to_vec();
            bytes[at] = byte;
            // Never a panic, and where it still is the same question it is the same bytes.
            if agents::read(Agent::Claude, &bytes).is_ok_and(|call| call == fine) {
                let text = String::from_utf8(bytes).unwrap();
                assert_eq!(text.split_ascii_whitespace().collect::<String>(), FINE);
            }
        }
    }
}

#[test]
fn file_tools_need_their_file() {
    for input in [
        r#"{"content":"x"}"#,
        r#"{"file_path":"","content":"x"}"#,
        r#"{"file_path":7,"content":"x"}"#,
    ] {
        let stdin = with("Bash", "Write");
        let stdin = String::from_utf8(stdin).unwrap().replace(r#"{"command":"ls"}"#, input);
        assert_ne!(kind(Agent::Claude, stdin.as_bytes()), "read", "{input}");
    }
}

#[test]
fn patches_that_cannot_be_read_are_refused() {
    let patch = |text: &str| {
        let input = format!(r#"{{"command":{}}}"#, agents::json::quote(text));
        let stdin = FINE
            .replace(r#"{"command":"ls"}"#, &input)
            .replace("Bash", "apply_patch");
        agents::read(Agent::Codex, stdin.as_bytes())
    };
    for broken in [
        "",
        "*** Begin Patch\n*** End Patch",
        "*** Begin Patch\n*** Add File: a\n+x\n",
        "*** Add File: a\n+x\n*** End Patch",
        "rm -rf ~\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch",
        "*** Begin Patch\n*** Add File:\n+x\n*** End Patch",
        "*** Begin Patch\n*** Move to: b\n*** End Patch",
        "*** Begin Patch\n*** Link File: a\n*** End Patch",
        "*** Begin Patch\nhello\n*** Add File: a\n*** End Patch",
        "*** Begin Patch\n*** Add File: a\u{1}\n*** End Patch",
    ] {
        assert_eq!(
            patch(broken).unwrap_err().kind.split('-').next(),
            broken_kind(broken),
            "{broken}"
        );
    }
    for (fine, files) in [
        ("<<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF", 1),
        ("*** Begin Patch\r\n  *** Delete File: a  \r\n*** End Patch\r\n", 1),
        (
            "*** Begin Patch\n*** Update File: a.md\n@@\n+*** Delete File: b\n-*** Move to: c\n*** End of File\n*** End Patch",
            1,
        ),
        (
            "*** Begin Patch\n*** Environment ID: here\n*** Delete File: a\n *** Delete File: b\n*** End Patch",
            2,
        ),
    ] {
        assert_eq!(patch(fine).unwrap().requests.len(), files, "{fine}");
    }
}

/// The first part of the kind that a broken patch is refused with.
fn broken_kind(patch: &str) -> Option<&'static str> {
    Some(if patch.contains('\u{1}') {
        "control"
    } else {
        "unreadable"
    })
}

#[test]
fn a_refusal_is_heard_by_every_client_whatever_its_sentence() {
    for agent in Agent::ALL {
        for sentence in ["No.", "", " \n", "\"}}\u{0}\u{1b}[2J\u{2028}\\", "😀 \u{9b}"] {
            match hear(agent, &refuse(agent, sentence)) {
                Heard::Deny(reason) => assert!(!reason.trim().is_empty()),
                other => panic!("{agent:?} heard {other:?}"),
            }
        }
    }
}

#[test]
fn reasons_arrive_and_a_grant_never_covers_a_deny() {
    let answer = |verdict, granted| Answer {
        verdict,
        granted,
        reason: "Because \"x\".".to_owned(),
    };
    for agent in Agent::ALL {
        let call = agents::read(agent, question(agent).as_bytes()).unwrap();
        let heard = |verdict, granted| hear(agent, &reply(agent, &call, &answer(verdict, granted)));
        assert_eq!(heard(Verdict::Deny, true), Heard::Deny("Because \"x\".".to_owned()));
        match heard(Verdict::Ask, false) {
            Heard::Ask(reason) => assert_eq!(reason, "Because \"x\"."),
            Heard::Deny(reason) => {
                let (first, rest) = reason.split_once('\n').unwrap();
                assert!(first.starts_with("Tollgate refuses this here, because "), "{reason}");
                assert_eq!(rest, "Because \"x\".");
            }
            other => panic!("{agent:?} heard {other:?}"),
        }
    }
}

#[test]
fn v_2606_an_ask_that_becomes_a_denial_says_so_first_and_why() {
    let answer = Answer {
        verdict: Verdict::Ask,
        granted: false,
        reason: "Why: x.".to_owned(),
    };
    for (agent, mode, why) in [
        (
            Agent::Claude,
            "bypassPermissions",
            Some("in its mode `bypassPermissions`;"),
        ),
        (Agent::Claude, "auto", Some("in its mode `auto`;")),
        (Agent::Claude, "default", None),
        (
            Agent::Codex,
            "default",
            Some("because Codex cannot ask a person on a hook's word;"),
        ),
    ] {
        let mut call = agents::read(agent, FINE.as_bytes()).unwrap();
        call.permission_mode = mode.to_owned();
        match (hear(agent, &reply(agent, &call, &answer)), why) {
            (Heard::Ask(reason), None) => assert_eq!(reason, "Why: x."),
            (Heard::Deny(reason), Some(why)) => {
                assert!(reason.starts_with("Tollgate refuses this here, because "), "{reason}");
                assert!(reason.contains(why) && reason.ends_with("\nWhy: x."), "{reason}");
            }
            (other, _) => panic!("{agent:?} in {mode} heard {other:?}"),
        }
    }
}
