//! No text makes a judgement fail, and none makes it work for long.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use policy::Verdict;

use crate::support::{cases, judged};

/// Bytes of the long texts.
const LONG: usize = 64 << 10;

/// For a loaded machine and an unoptimized build; usually it is a hundredth of it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Pieces of shell text.
const TOKENS: &[&str] = &[
    "rm",
    "-rf",
    "/",
    "~",
    "$HOME",
    "curl",
    "sh",
    "bash",
    "-c",
    "eval",
    "echo",
    "x=",
    "$x",
    "${x",
    "}",
    "{",
    "(",
    ")",
    "((",
    "))",
    "[[",
    "]]",
    "$(",
    "`",
    "'",
    "\"",
    "$'",
    "\\",
    "\n",
    " ",
    "\t",
    ";",
    ";;",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    ">",
    ">>",
    "<",
    "<<",
    "<<-",
    "<<<",
    "<(",
    ">(",
    "EOF",
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "for",
    "in",
    "do",
    "done",
    "while",
    "until",
    "case",
    "esac",
    "select",
    "function",
    "f()",
    "time",
    "coproc",
    "!",
    "#",
    "*",
    "?",
    "[a-z]",
    "{a,b}",
    "{1..9}",
    "$((",
    "1",
    "+",
    "**",
    "?:",
    "=",
    "==",
    "=~",
    "${x:-",
    "${x//",
    "${!x",
    "${#x",
    "${x@P",
    "$@",
    "$*",
    "$#",
    "$?",
    "$$",
    "$!",
    "$1",
    "IFS=",
    "alias",
    "trap",
    "exec",
    "read",
    "declare",
    "-n",
    "export",
    "unset",
    "set",
    "--",
    "shift",
    "source",
    ".",
    "cd",
    "..",
    "sudo",
    "env",
    "xargs",
    "find",
    "-exec",
    "\\;",
    "+",
    "base64",
    "-d",
    "awk",
    "sed",
    "python3",
    "\u{0}",
    "\u{7f}",
    "é",
    "𝄞",
    "\u{200b}",
    "\u{202e}",
    "\r",
    "printf",
    "%s",
    "-v",
    "git",
    "push",
    "-f",
    "dd",
    "of=/dev/sda",
    "mapfile",
    "let",
    "[",
    "]",
];

#[test]
fn any_text_is_judged() {
    let text = prop_oneof![
        "\\PC{0,80}",
        ".{0,80}",
        vec(any::<char>(), 0..80).prop_map(String::from_iter)
    ];
    super::runner(800)
        .run(&text, |text| {
            let _ = judged(&text);
            Ok(())
        })
        .unwrap();
}

#[test]
fn any_heap_of_tokens_is_judged() {
    let text = vec((select(TOKENS), any::<bool>()), 0..60).prop_map(|tokens| {
        let pieces = tokens
            .into_iter()
            .map(|(token, blank)| format!("{token}{}", if blank { " " } else { "" }));
        pieces.collect::<String>()
    });
    super::runner(800)
        .run(&text, |text| {
            let _ = judged(&text);
            Ok(())
        })
        .unwrap();
}

#[test]
fn damaged_commands_are_judged() {
    let texts: Vec<String> = cases::all()
        .into_iter()
        .filter_map(|case| case.plain_command())
        .collect();
    let change = (any::<Index>(), any::<Index>(), select(TOKENS), 0..4u8);
    let changes = vec(change, 1..4);
    super::runner(800)
        .run(&(any::<Index>(), changes), |(which, changes)| {
            let mut text: Vec<char> = which.get(&texts).chars().collect();
            for (at, to, token, kind) in changes {
                let (at, to) = (at.index(text.len() + 1), to.index(text.len() + 1));
                let (start, end) = (at.min(to), at.max(to));
                match kind {
                    0 => drop(text.drain(start..end.min(start + 3))),
                    1 => drop(text.splice(at..at, token.chars())),
                    2 => text.truncate(at),
                    _ => {
                        let copied = text[start..end].to_vec();
                        drop(text.splice(start..start, copied));
                    }
                }
            }
            let _ = judged(&text.into_iter().collect::<String>());
            Ok(())
        })
        .unwrap();
}

fn repeated(piece: &str) -> String {
    piece.repeat(LONG / piece.len())
}

/// Opened as often as fits, with something in the middle, and closed again.
fn nested(open: &str, middle: &str, close: &str) -> String {
    let times = LONG / (open.len() + close.len());
    format!("{}{middle}{}", open.repeat(times), close.repeat(times))
}

/// Texts made to exhaust whoever reads them.
fn hostile() -> Vec<(&'static str, String)> {
    vec![
        ("commands", repeated("ls;")),
        ("pipe", repeated("ls|") + "ls"),
        ("words", format!("echo {}", repeated("a "))),
        ("one word", format!("echo {}", repeated("a"))),
        ("globs", format!("rm {}", repeated("*"))),
        ("glob words", format!("rm {}", repeated("/*/* "))),
        ("dots", format!("rm -rf {}", repeated("../"))),
        ("quotes", format!("echo {}", repeated("'a'\"b\""))),
        ("subshells", nested("(", "ls", ")")),
        ("groups", nested("{ ", "ls", ";}")),
        ("substitutions", nested("$(", "ls", ")")),
        ("echoed substitutions", nested("$(echo ", "ls", ")")),
        ("defaults", nested("${x:-", "a", "}")),
        (
            "arithmetic",
            format!("echo $(({}1{}))", "(".repeat(LONG / 2), ")".repeat(LONG / 2)),
        ),
        ("conditions", nested("if ls; then ", "ls", "; fi;")),
        ("not closed", repeated("$(")),
        ("quotes not closed", repeated("\"$(")),
        ("braces", format!("echo {}", repeated("{a,b}"))),
        ("braces in braces", format!("echo {}", nested("{a,", "b", "}"))),
        ("ranges", format!("echo {}", "{1..99999}".repeat(20))),
        ("here-documents", repeated("cat <<E\nx\nE\n")),
        ("assignments", repeated("x=1 ")),
        ("a growing variable", format!("x=aaaaaaaa;{}", repeated("x=$x$x;"))),
        ("appending", format!("x=a;{}", repeated("x+=$x;"))),
        (
            "loops in loops",
            nested("for i in 1 2 3 4 5 6 7 8; do ", "ls", "; done;"),
        ),
        (
            "a long loop",
            "for ((i = 0; i < 1000000000; i++)); do echo $i; done".into(),
        ),
        ("a loop without end", "while true; do x=$x$x; done".into()),
        ("calls of itself", "f(){ f; f; }; f".into()),
        ("calls of each other", "f(){ g; g; g; }; g(){ f; f; f; }; f".into()),
        ("a piping function", "f(){ f | f & }; f".into()),
        ("eval of itself", "x='eval \"$x\"; eval \"$x\"'; eval \"$x\"".into()),
        ("traps", repeated("trap ls EXIT;")),
        ("aliases", format!("alias a='a a';{}", repeated("a;"))),
        (
            "functions",
            (0..LONG / 24)
                .map(|n| format!("f{n}(){{ f{}; f{0}; }};", n + 1))
                .collect::<String>()
                + "f0",
        ),
        (
            "references",
            (0..LONG / 24)
                .map(|n| format!("declare -n r{n}=r{};", n + 1))
                .collect::<String>()
                + "echo $r0",
        ),
        (
            "a circle of references",
            "declare -n a=b; declare -n b=a; echo $a; a=1; echo ${!a}".into(),
        ),
        (
            "shells in shells",
            (0..11).fold("ls".into(), |text: String, _| {
                format!("bash -c {}", crate::wrappers::quoted(&text))
            }),
        ),
        (
            "replacements",
            format!("x={}; echo ${{x//a/aaaaaaaa}} ${{x//*a*/b}}", "a".repeat(LONG)),
        ),
        (
            "patterns",
            format!("case {} in {}b) ls ;; esac", "a".repeat(2000), "*a".repeat(2000)),
        ),
        (
            "sequences",
            "seq 1 100000000 | xargs rm; printf '%s ' {1..1000000}; printf '%1000000000s' x".into(),
        ),
        ("xargs", format!("echo {} | xargs -n1 rm -rf", repeated("a "))),
        ("python", format!("python3 -c '{}'", repeated("os.system(\"ls\");"))),
        ("python in brackets", format!("python3 -c '{}'", repeated("("))),
        ("awk", format!("awk '{}'", repeated("BEGIN{system(\"ls\")}"))),
        ("sed", format!("sed '{}' x", repeated("1e ls\n"))),
        ("base64", format!("echo {} | base64 -d | sh", repeated("bHM7"))),
        ("escapes", format!("echo $'{}'", repeated("\\x72"))),
        ("lines that go on", repeated("\\\n")),
        ("comments", repeated("#x\n")),
        ("NUL", repeated("\u{0}")),
        (
            "a read loop",
            format!("while read -r l; do rm \"$l\"; done <<< $'{}'", repeated("a\\n")),
        ),
        ("redirects", format!("ls {}", repeated("> a "))),
        ("process substitutions", nested("cat <(", "ls", ")")),
        ("backticks", format!("echo {}", repeated("`ls`"))),
        ("cases", nested("case x in x) ", "ls", ";; esac;")),
        ("find in find", "find . -exec ".repeat(LONG / 14) + "ls"),
        ("sudo", repeated("sudo ") + "ls"),
        ("env", repeated("env A=1 ") + "ls"),
        ("xargs in xargs", repeated("xargs ") + "ls"),
        ("eval in eval", repeated("eval ") + "ls"),
        (
            "many words in loops",
            format!(
                "for i in {{1..40}}; do for j in {{1..40}}; do find . {}; done; done",
                "-name x -or ".repeat(200)
            ),
        ),
        (
            "ranges in lists",
            repeated(&format!("x {{{}}};", "{1..99},".repeat(40))),
        ),
        ("look-alikes", repeated("curl https://api.example.com/v1/users;")),
        ("tclsh", format!("tclsh <<'E'\n{}\nE\n", repeated("set x -maxdepth "))),
        (
            "assignments of perl",
            format!("perl -e '{}'", repeated("$x .= \"\" x 0")),
        ),
        ("assignments of awk", format!("awk '{}'", repeated("t[ $2 0) = "))),
        (
            "filled lists",
            format!("perl -e '{}'", repeated("push @a, reverse q{a};")),
        ),
        (
            "functions in functions",
            format!("node -e '{}'", repeated("f((a, b) => { let x = a?.b;")),
        ),
        (
            "code in loops",
            format!(
                "for i in {{1..40}}; do python3 - <<'E'\n{}E\ndone",
                "x = [f(y) for y in z]\n".repeat(2000)
            ),
        ),
    ]
}

/// Texts that have twice as many words after each step.
fn exhausting() -> Vec<(&'static str, String)> {
    vec![
        (
            "a growing argument list",
            format!("set -- a b;{}", repeated("set -- \"$@\" \"$@\";")),
        ),
        ("a growing array", format!("x=(a b);{}", repeated("x+=(\"${x[@]}\");"))),
    ]
}

#[test]
fn no_text_of_64_kib_is_copied_too_often() {
    let slow = exhausting().into_iter().find(|(_, text)| !ends(text.clone()));
    assert_eq!(slow.map(|(name, _)| name), None);
}

#[test]
fn no_text_of_64_kib_takes_long() {
    let slow: Vec<&str> = hostile()
        .into_iter()
        .filter_map(|(name, text)| (!ends(text)).then_some(name))
        .collect();
    assert_eq!(slow, Vec::<&str>::new());
}

/// Whether a text is judged in time. One that is not keeps its thread until the tests end.
fn ends(text: String) -> bool {
    let (done, ended) = mpsc::channel();
    // The stack that the main thread of a program has.
    let worker = thread::Builder::new().stack_size(8 << 20).spawn(move || {
        let _ = judged(&text);
        done.send(())
    });
    worker.is_ok() && ended.recv_timeout(PATIENCE).is_ok()
}

/// Filters, and pieces of what they are given.
const FILTERS: &[&str] = &[
    "sed",
    "sed -E",
    "sed -n",
    "tr",
    "tr -d",
    "tr -s",
    "tr -c",
    "cut -c",
    "cut -d, -f",
    "head -n",
    "tail -n",
    "head -c",
    "fold -w",
    "awk",
    "awk -F:",
    "paste -sd",
    "seq",
    "base64 -d",
    "base32 -d",
    "xxd -r -p",
    "xxd -r",
    "gunzip",
    "rev",
    "tac",
    "sort -n",
    "uniq",
    "openssl base64 -d",
    "printf",
];
const PARTS: &[&str] = &[
    "s/",
    "y/",
    "/",
    "g",
    "p",
    "d",
    ";",
    "1",
    "9999999999999999999999",
    "-",
    ",",
    "$",
    "^",
    ".",
    "*",
    "+",
    "?",
    "[",
    "]",
    "^",
    "[:alpha:]",
    "a-z",
    "z-a",
    "\\",
    "&",
    "\\1",
    "{",
    "}",
    "print",
    "$1",
    "NR==",
    "%",
    "%s",
    "%999999d",
    "\u{e9}",
    "H4sI",
    "=",
    "00000000:",
    " ",
    "(",
    ")",
    "|",
    "x",
];

proptest! {
    #[test]
    fn no_filter_fails_on_anything(
        filter in select(FILTERS),
        given in vec(select(PARTS), 0..12),
        input in vec(select(PARTS), 0..24),
    ) {
        let quoted = |parts: Vec<&str>| parts.concat().replace('\'', "");
        let _ = judged(&format!("printf '%s' '{}' | {filter} '{}' | sh", quoted(input), quoted(given)));
    }
}

/// Code whose text doubles forty times would be a million million bytes long.
#[test]
fn text_that_doubles_itself_in_code_stays_short() {
    let codes = [
        ("python3 -c \"a='x'\n", "a=a+a\n", "import os\nos.system(a)\""),
        (
            "node -e \"let a='x'\n",
            "a+=a\n",
            "require('child_process').execSync(a)\"",
        ),
        ("perl -e '$a=\"x\";\n", "$a=$a.$a;\n", "system($a)'"),
        ("ruby -e 'a=\"x\"\n", "a=\"#{a}#{a}\"\n", "system(a)'"),
        ("awk 'BEGIN{a=\"x\";\n", "a=a a;\n", "system(a)}'"),
    ];
    for (head, line, tail) in codes {
        let text = format!("{head}{}{tail}; rm -rf ~/letters", line.repeat(40));
        assert_eq!(judged(&text).verdict(), Verdict::Ask, "{head}");
    }
}
