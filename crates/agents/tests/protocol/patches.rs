//! Patches that Codex takes out of shell commands, and those that it would take from elsewhere.

use agents::{Agent, Refusal};
use policy::{Kind, Subject};

/// The paths of the files that a command changes by a patch.
fn files(command: &str) -> Result<Vec<String>, Refusal> {
    let command = agents::json::quote(command);
    let question = format!(
        r#"{{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"Bash","tool_input":{{"command":{command}}}}}"#
    );
    let call = agents::read(Agent::Codex, question.as_bytes())?;
    let path = |r: policy::Request| match r.subject {
        Subject::File { path, .. } if r.kind == Kind::FileWrite => Some(path),
        _ => None,
    };
    Ok(call.requests.into_iter().filter_map(path).collect())
}

const PATCH: &str = "*** Begin Patch\n*** Add File: pre-commit\n+x\n*** End Patch";

#[test]
fn a_patch_is_judged_in_every_folder_that_the_command_goes_to() {
    for command in [
        "cd .git/hooks && apply_patch <<'EOF'\n§\nEOF",
        "cd .git/hooks; apply_patch <<'EOF'\n§\nEOF",
        "cd .git/hooks\napply_patch <<'EOF'\n§\nEOF",
        "( cd .git/hooks; apply_patch <<'EOF'\n§\nEOF\n)",
        "{ cd .git/hooks; apply_patch <<'EOF'\n§\nEOF\n}",
        "(cd .git/hooks; apply_patch) <<'EOF'\n§\nEOF",
        "pushd .git/hooks >/dev/null && apply_patch <<'EOF'\n§\nEOF",
        "cd -P -- '.git/hooks' || exit; applypatch <<'EOF'\n§\nEOF",
        "cd .git; cd hooks; apply_patch <<'EOF'\n§\nEOF",
        "set -e; cd .git && ls && cd hooks && apply_patch <<'EOF'\n§\nEOF",
        "if true; then cd .git/hooks; fi; apply_patch <<'EOF'\n§\nEOF",
        "cd .git/hooks; apply_patch '§'",
        "cd .git/hooks; apply_patch <<< '§'",
        "cd .git/hooks; apply_patch \"$(cat <<'EOF'\n§\nEOF\n)\"",
        "cd .git/hooks; codex --codex-run-as-apply-patch '§'",
        "cd .git/hooks; /opt/codex/codex --codex-run-as-apply-patch '§'",
        "cat <<'EOF' | (cd .git/hooks; apply_patch)\n§\nEOF",
        "cd .git/hooks; cat <<'EOF' | apply_patch\n§\nEOF",
        "cd .git/hooks; echo '§' | apply_patch",
        "cd .git/hooks; env A=b apply_patch <<'EOF'\n§\nEOF",
        "env -C .git/hooks apply_patch <<'EOF'\n§\nEOF",
        "env --chdir=.git/hooks apply_patch <<'EOF'\n§\nEOF",
        "bash -lc \"cd .git/hooks; apply_patch '§'\"",
        "bash <<'END'\ncd .git/hooks; apply_patch <<'EOF'\n§\nEOF\nEND",
        "eval \"cd .git/hooks; apply_patch '§'\"",
        "f() { apply_patch <<'EOF'\n§\nEOF\n}\ncd .git/hooks; f",
        "builtin cd .git/hooks; apply''_patch <<'EOF'\n§\nEOF",
    ] {
        let command = command.replace('§', PATCH);
        let files = files(&command).unwrap_or_else(|r| panic!("{command}\n{r:?}"));
        assert!(files.contains(&"pre-commit".to_owned()), "{command}: {files:?}");
        assert!(
            files.contains(&".git/hooks/pre-commit".to_owned()),
            "{command}: {files:?}"
        );
    }
}

#[test]
fn escaped_line_ends_are_line_ends() {
    let line = PATCH.replace('\n', "\\n");
    for command in [
        format!("printf '{line}' | apply_patch"),
        format!("echo -e '{line}' | apply_patch"),
        format!("apply_patch $'{line}'"),
    ] {
        assert_eq!(files(&command).unwrap(), ["pre-commit"], "{command}");
    }
}

#[test]
fn a_patch_that_does_not_stand_in_the_command_is_refused() {
    let decoy = format!("cat > x.patch <<'EOF'\n{PATCH}\nEOF\n");
    for command in [
        "apply_patch < x.patch",
        "apply_patch \"$(cat p)\"",
        "apply_patch \"$P\"",
        "apply_patch $(cat p)",
        "cat p | apply_patch",
        "cd sub; apply_patch <x",
        "apply_patch <(cat p)",
        "apply_patch - < p",
        "sudo -n apply_patch < p",
        "timeout 5 /usr/bin/apply_patch < p",
        "bash -c 'apply_patch < p'",
        "codex --codex-run-as-apply-patch \"$(cat p)\"",
        "find . -name p -exec apply_patch {} +",
        "ap() { apply_patch \"$@\"; }; ap x",
        "exec -a apply_patch codex \"$(cat p)\"",
        "if true; then apply_patch < p; fi",
        "sed s/a/.git/ <<'EOF' | apply_patch\n§\nEOF",
        "cat p - <<'EOF' | apply_patch\nx\nEOF",
        "printf '*** Begin Patch\\n*** Add File: %s\\n+x\\n*** End Patch' .git/hooks/x | apply_patch",
        "apply_patch <<EOF\n*** Begin Patch\n*** Add File: $F\n+x\n*** End Patch\nEOF",
        "apply_patch <<EOF\n*** Begin Patch\n*** Add File: a\n+x\n$(cat p)\n*** End Patch\nEOF",
        "apply_patch <<'EOF'\n*** Begin Patch\nhello\n*** End Patch\nEOF",
        "cd \"$D\" && apply_patch <<'EOF'\n§\nEOF",
        "for d in a .git/hooks; do (cd $d; apply_patch <<'EOF'\n§\nEOF\n); done",
        "CDPATH=/x; cd y; apply_patch <<'EOF'\n§\nEOF",
    ] {
        let command = command.replace('§', PATCH);
        for command in [command.clone(), format!("{decoy}{command}")] {
            let refusal = files(&command).expect_err(&command);
            assert_eq!(refusal.kind, "unreadable-patch", "{command}");
            assert!(refusal.sentence.ends_with('.') && refusal.hint.contains("Put the patch itself"));
        }
    }
}

#[test]
fn words_that_only_look_like_a_patch_are_words() {
    for command in [
        "rg -n apply_patch src",
        "grep -rn 'foo|apply_patch' .",
        "git commit -m 'tools: apply_patch < x is refused'",
        "command -v apply_patch",
        "which apply_patch",
        "ls | xargs grep apply_patch",
        "apply_patch --help",
        "cat apply_patch.rs && cargo test apply_patch",
        "rg -F '*** Begin Patch' docs",
        "grep -- --codex-run-as-apply-patch src/main.rs",
        "cd \"$D\" && rg 'Begin Patch'",
    ] {
        assert_eq!(files(command).unwrap(), Vec::<String>::new(), "{command}");
    }
    // A folder that is gone to later is none of the patch.
    let later = format!("apply_patch <<'EOF'\n{PATCH}\nEOF\ncd \"$D\" && make");
    assert_eq!(files(&later).unwrap(), ["pre-commit"]);
}

#[test]
fn commands_with_very_many_patches_are_read_in_time_or_refused() {
    let many = |piece: &str| {
        let piece = piece.replace('§', PATCH);
        let count = (1 << 19) / piece.len();
        files(&piece.repeat(count))
    };
    for piece in [
        "cd /x; apply_patch <<'EOF'\n§\nEOF\n",
        "cd a; apply_patch <<'EOF'\n§\nEOF\n",
        "apply_patch $'§'\n",
        "bash -c \"apply_patch '§'\"\n",
        "cd /x; apply_patch < p\n",
    ] {
        assert_eq!(many(piece).unwrap_err().kind, "unreadable-patch", "{piece}");
    }
    for piece in [
        "cat <<'EOF'\n§\nEOF\n",
        "cd x; *** Begin Patch ",
        "cd x; rg apply_patch\n",
        "apply_",
    ] {
        assert!(many(piece).is_ok(), "{piece}");
    }
}

#[test]
fn no_cut_of_a_command_is_too_much() {
    let whole = format!(
        "cd \"a b\" && (cd .git/hooks; apply_patch \"$(cat <<'EOF'\n{PATCH}\nEOF\n)\") | bash -c 'apply_patch < $x'"
    );
    for (at, _) in whole.char_indices() {
        let _ = files(&whole[..at]);
        let _ = files(&whole[at..]);
    }
}
