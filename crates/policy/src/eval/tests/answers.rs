//! What programs answer whose output follows from what is known, and what is fed into others.

use alloc::string::String;
use alloc::vec::Vec;

use super::{deeds, effects, effects_on, evaluated, evaluated_on, print, print_unknown};
use crate::eval::Labels;
use crate::tests::Table;

#[test]
fn where_one_is_and_who() {
    print(&[
        ("pwd", "/home/ann/proj\n"),
        ("realpath a/../b", "/home/ann/proj/b\n"),
        (
            "printenv HOME; printenv USER; printenv LOGNAME",
            "/home/ann\nann\nann\n",
        ),
        ("cd .git; printenv PWD", "/home/ann/proj/.git\n"),
        ("export A=b; printenv A", "b\n"),
        ("which rm", "rm\n"),
        ("mktemp -d", "/tmp/tmp.XXXXXXXXXX\n"),
        ("git rev-parse --show-toplevel", "/home/ann/proj\n"),
        ("git rev-parse --git-dir", "/home/ann/proj/.git\n"),
        ("git rev-parse --absolute-git-dir", "/home/ann/proj/.git\n"),
        ("git rev-parse --git-common-dir", "/home/ann/proj/.git\n"),
        ("cd src; git rev-parse --show-toplevel", "/home/ann/proj\n"),
        ("find a b -name x", "a/*\nb/*\n"),
        ("find a/ -name x", "a/*\n"),
        ("find -name x", "./*\n"),
    ]);
    print_unknown(&[
        "printenv OTHER",
        "cd \"$X\"; pwd",
        "realpath \"$X\"",
        "A=(b c); printenv A",
        "git rev-parse HEAD",
        "cd /x; git rev-parse --show-toplevel",
        "cd \"$X\"; git rev-parse --git-dir",
        "find \"$X\"",
    ]);
    let linked = Table::new().with_link("/home/ann/proj/a", "/srv/a");
    evaluated_on(linked, "realpath a", |_, out| {
        assert_eq!(out.text.as_deref(), Some("/srv/a\n"))
    });
}

/// Whether the effect on a database is one of a place for trials.
fn is_trial(table: Table, text: &str) -> bool {
    effects_on(table, text).join("\n").contains("trial")
}

#[test]
fn a_server_elsewhere_is_no_place_for_trials() {
    const DROP: &str = "psql -d app_test -c 'drop table x'";
    assert!(is_trial(Table::new(), DROP));
    assert!(is_trial(Table::new().with_var("PGHOST", "localhost"), DROP));
    assert!(!is_trial(Table::new().with_var("PGHOST", "db.prod.example"), DROP));
    for (before, expected) in [
        ("export PGHOST=localhost", true),
        ("export PGHOST=db.prod.example", false),
        ("export PGHOST=$UNKNOWN", false),
        ("PGHOST=(a b)", false),
        ("export OTHER=db.prod.example", true),
    ] {
        assert_eq!(
            is_trial(Table::new(), &alloc::format!("{before}; {DROP}")),
            expected,
            "{before}"
        );
    }
}

/// What the words are that are handed to `rm`.
fn deleted(text: &str) -> Vec<String> {
    let mut all: Vec<String> = deeds(text)
        .into_iter()
        .filter_map(|deed| Some(deed.strip_prefix("delete ")?.replace("/home/ann/proj/", "")))
        .collect();
    all.sort();
    all
}

#[test]
fn what_flows_in_becomes_words() {
    for (text, expected) in [
        ("echo a b | xargs rm", &["a", "b"][..]),
        ("printf 'a b\\nc\\n' | xargs -I{} rm {}", &["a b", "c"]),
        ("printf 'a b\\nc\\n' | xargs -I@ rm x/@", &["x/a b", "x/c"]),
        ("printf 'a b\\0c' | xargs -0 rm", &["a b", "c"]),
        ("echo a > l; xargs -a l rm", &["a"]),
        ("echo x | xargs rm -f a", &["a", "x"]),
        ("parallel rm ::: a b", &["a", "b"]),
        ("parallel rm {}/x ::: a b", &["a/x", "b/x"]),
        ("printf 'a\\nb\\n' | parallel rm", &["a", "b"]),
        ("parallel ::: 'rm a' 'rm b'", &["a", "b"]),
        ("find d -name x -exec rm {} +", &["d/*"]),
        ("find d/ -name x -exec rm {} +", &["d/*"]),
        ("find d -exec rm -r {} +", &["d"]),
        ("find -name x -exec rm {} ';'", &["*"]),
        ("fd x d -x rm", &["d/*"]),
        ("fd . d -x rm -r", &["d"]),
        ("fd x d -x rm {}/y", &["d/*/y"]),
    ] {
        assert_eq!(deleted(text), expected, "{text}");
    }
    for text in [
        "xargs rm",
        "cat l | xargs rm",
        "parallel rm :::: l",
        "cat l | parallel rm",
    ] {
        assert!(
            deeds(text).iter().any(|deed| deed == "delete"),
            "{text}: {:?}",
            deeds(text)
        );
    }
    let many: String = (0..70).map(|n| alloc::format!("f{n}\n")).collect();
    let fed = |command: &str| deleted(&alloc::format!("printf '{many}' | {command}")).len();
    assert_eq!(fed("xargs rm"), 64);
    assert_eq!(fed("xargs -I{} rm {}"), 16);
    assert_eq!(fed("parallel rm"), 16);
}

#[test]
fn what_is_fed_is_said_to_be_fed() {
    let fed = |text: &str| {
        effects(text)
            .iter()
            .any(|e| e.starts_with("delete") && e.contains("fed"))
    };
    assert!(fed("cat l | xargs rm"));
    assert!(fed("find . -name x | xargs rm"));
    assert!(fed("parallel rm ::: a"));
    assert!(!fed("echo a | xargs rm"));
    assert!(!fed("cat l | xargs true; rm a"));
    let unfiltered = |text: &str| effects(text).join("\n").contains("unfiltered");
    assert!(unfiltered("find d -exec rm {} +"));
    assert!(!unfiltered("find d -name x -exec rm {} +"));
    assert!(!unfiltered("find d -exec true {} +; rm d"));
}

#[test]
fn what_was_fetched_just_now_is_not_known() {
    let unknown = |text: &str| deeds(text).iter().any(|deed| deed.starts_with("run-unknown"));
    for text in [
        "git clone https://h.example/ann/x; ./x/install.sh",
        "git clone https://h.example/ann/x.git; sh x/y",
        "git clone git@h.example:ann/x.git; sh x/y",
        "git clone https://h.example/ann/x d; sh d/y",
        "git clone https://ann@h.example/x; cd x; ./setup-all",
        "curl https://h.example/x.tgz | tar xz; sh x/y",
        "curl -o x.tgz https://h.example/x.tgz; tar xf x.tgz; sh x/y",
    ] {
        assert!(unknown(text), "{text}: {:?}", deeds(text));
    }
    for text in [
        "git clone https://github.com/ann/x; ./x/install.sh",
        "git clone ../x; sh x/y",
        "git clone https://h.example/ann/x; sh y/z",
        "git clone https://h.example/ann/x; ./x/run",
        "tar xf x.tgz; sh x/y",
    ] {
        assert!(!unknown(text), "{text}: {:?}", deeds(text));
    }
    let there = Table::new().with_file("x/y", "ls");
    let text = "git clone https://h.example/ann/x; sh x/y";
    assert!(!effects_on(there, text).iter().any(|e| e.starts_with("run-unknown")));
}

#[test]
fn what_a_language_answers_for() {
    use crate::eval::code::{language, origin};
    for (arg, program, expected) in [
        ("", "bash", "sh"),
        ("", "zsh", "sh"),
        ("", "x", "other"),
        ("python", "sh", "python"),
    ] {
        assert_eq!(language(arg, program), expected, "{arg} {program}");
    }
    assert_eq!(origin(Labels::NONE), "code that is not known");
    assert_eq!(origin(Labels::NETWORK), "code from network");
    assert_eq!(origin(Labels::NETWORK.with(Labels::FILE)), "code from network, file");
}

#[test]
fn a_call_is_noted_with_its_words_where_somebody_listens() {
    let noted = |text: &str| {
        evaluated("", |eval, _| {
            eval.note_calls(true);
            let _ = eval.text(text, crate::eval::Stream::empty());
            eval.take_calls()
        })
    };
    assert_eq!(noted("sudo rm x; rm x; ls $X"), ["sudo rm x", "rm x", "ls …"]);
    let long = |count: usize| noted(&alloc::format!("ls {}", "a".repeat(count))).len();
    assert_eq!((long(4093), long(4094)), (1, 0));
    let many: String = (0..300).map(|n| alloc::format!("ls {n}\n")).collect();
    assert_eq!(noted(&many).len(), 256);
    evaluated("ls a", |eval, _| assert!(eval.take_calls().is_empty()));
}
