//! Much of something: what is kept, what is joined, what is given up.

use alloc::string::String;
use alloc::vec::Vec;

use super::{deeds, evaluated};
use crate::eval::{Eval, Labels, Piece, Stream, Value, Var};

/// The words of which one of each kind is kept.
fn kinds(words: &[&str], most: usize) -> Vec<String> {
    evaluated("", |eval, _| {
        let values: Vec<Value> = words.iter().map(|word| Value::text(*word)).collect();
        let kept = eval.one_of_each(&values, most);
        kept.iter().map(|value| value.pattern().into_owned()).collect()
    })
}

#[test]
fn words_are_told_apart_as_far_as_a_rule_could() {
    for (words, expected) in [
        (&["a", "b", "c-d", "e.f"][..], &["a"][..]),
        (&["-x", "-y", "-x"], &["-x", "-y"]),
        (&["+x", "-x"], &["+x", "-x"]),
        (&["--k=1", "--k=2", "--l=1"], &["--k=1", "--l=1"]),
        (&["k=1", "k=2", "l=1"], &["k=1", "l=1"]),
        (&["a", ".a", ".b"], &["a", ".a"]),
        (&["a b", "c d", "a;b"], &["a b", "a;b"]),
        (&["a;b;c", "d;e"], &["a;b;c"]),
        (&["d/a", "d/b", "e/c"], &["d/a"]),
        (
            &["/etc/a", "/etc/b", "/home/ann/.ssh/id_rsa"],
            &["/etc/a", "/home/ann/.ssh/id_rsa"],
        ),
    ] {
        assert_eq!(kinds(words, 100), expected);
    }
    assert_eq!(kinds(&["-a", "-b", "-c"], 2), ["-a", "-b"]);
    let many: Vec<String> = (0..50).map(|n| alloc::format!("-{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(kinds(&many, 100).len(), 32);
    // Where a name is not that of a file below the project's folder, it may be anything.
    evaluated("cd /", |eval, _| {
        let kept = eval.one_of_each(&[Value::text("etc"), Value::text("x"), Value::text("home")], 9);
        assert!(kept.len() > 1);
    });
}

#[test]
fn texts_grow_up_to_a_bound() {
    let long = |count: usize| "a".repeat(count);
    let mut value = Value::text(long(2_000));
    value.push_text(&long(2_000));
    assert_eq!(value.known().map(str::len), Some(4_000));
    let mut value = Value::text(long(600_000));
    value.push_text(&long(600_000));
    assert!(value.has_unknown());
    let mut value = Value::unknown(Labels::NONE);
    value.push_text(&long(700_000));
    value.push_unknown(Labels::NONE);
    assert!(value.has_unknown());
    value.push_text(&long(700_000));
    assert_eq!(value.weight(), 700_002);
    assert_eq!(Value::text(long(1 << 20)).known().map(str::len), Some(1 << 20));
    assert!(Value::text(long((1 << 20) + 1)).has_unknown());
    let joined = Stream::known(long(600_000)).then(Stream::known(long(600_000)));
    assert_eq!(joined.text, None);
    let joined = Stream::known(long(3_000)).then(Stream::known(long(3_000)));
    assert_eq!(joined.text.map(|t| t.len()), Some(6_000));
}

#[test]
fn values_are_put_together_piece_by_piece() {
    let mut value = Value::text("a");
    value.pieces.push(Piece::Glob("*".into()));
    value.push_text("b");
    value.push_unknown(Labels::FILE);
    value.push_unknown(Labels::NETWORK);
    assert_eq!(value.pattern(), "a*b\u{e000}");
    assert_eq!((value.prefix(), value.weight(), value.known()), ("a", 4, None));
    assert!(value.labels.has(Labels::FILE) && value.labels.has(Labels::NETWORK) && !value.labels.has(Labels::SECRET));
    assert_eq!(value.without_prefix(1).pattern(), "*b\u{e000}");
    assert_eq!(value.written(), None);
    assert_eq!(Value::text("ab").without_prefix(1).known(), Some("b"));
    assert_eq!(Value::text("").known(), Some(""));
    assert_eq!(Value::text("a").joined("b").known(), Some("a/b"));
    let mut whole = Value::text("x");
    whole.append(&value);
    assert_eq!(whole.pattern(), "xa*b\u{e000}");
    assert!(whole.has_glob() && whole.has_unknown() && whole.labels.has(Labels::FILE));
    assert_eq!(Value::text("a").into_known().as_deref(), Some("a"));
    assert_eq!(whole.into_known(), None);
    for name in ["network", "decoded", "secret", "environment", "file", "found"] {
        assert_eq!(Labels::from_name(name).names().collect::<Vec<_>>(), [name]);
    }
    assert_eq!(Labels::from_name("x"), Labels::NONE);
}

/// What a variable holds after a whole request.
fn after(text: &str, name: &str) -> (Option<String>, u32) {
    evaluated("", |eval, _| {
        eval.request(text);
        (eval.variable_text(name), eval.spent)
    })
}

#[test]
fn lines_that_come_again_are_looked_at_until_nothing_changes() {
    let line = "counted=$((counted+1))\n";
    assert_eq!(
        after(&alloc::format!("counted=0\n{}", line.repeat(5)), "counted")
            .0
            .as_deref(),
        Some("5")
    );
    let same = |count: usize| after(&"ls /a/b/c | cat /d/e\n".repeat(count), "x").1;
    assert_eq!(same(40), same(4));
    let turns = |count: usize| after(&"ls /a/b/c | cat /d/e\nls /f/g/h | cat /i/j\n".repeat(count), "x").1;
    assert_eq!(turns(40), turns(4));
}

#[test]
fn as_many_states_as_there_is_room_for_are_gone_through() {
    let rounds = |effort: u32| {
        evaluated("", |eval, _| {
            let state = |eval: &Eval<'_>, n: usize| {
                let mut state = eval.state.clone();
                state.cwd = Some(alloc::format!("/{n}"));
                state
            };
            eval.forks = (0..5).map(|n| state(eval, n)).collect();
            eval.effort = effort;
            let mut count = 0;
            eval.in_every_state(|_| {
                count += 1;
                Stream::empty()
            });
            count
        })
    };
    assert_eq!(rounds(0), 6);
    assert_eq!(rounds(1_000), 2);
    assert_eq!(rounds(3_000), 2);
}

#[test]
fn what_all_states_print_is_known() {
    let out = |second: &str| {
        evaluated("", |eval, _| {
            let mut other = eval.state.clone();
            other.cwd = Some("/x".into());
            eval.forks.push(other);
            let mut texts = ["a", second].into_iter();
            eval.in_every_state(|eval| {
                // What is read keeps the states apart.
                let _ = eval.state.vars.iter().count();
                Stream::known(texts.next().unwrap_or_default().into())
            })
            .text
        })
    };
    assert_eq!(out("a").as_deref(), Some("a"));
    assert_eq!(out("b"), None);
}

#[test]
fn work_is_paid_for() {
    evaluated("", |eval, _| {
        let before = eval.fuel;
        eval.spend_bytes(511);
        assert_eq!(eval.fuel, before);
        eval.spend_bytes(1);
        assert_eq!(eval.fuel, before - 1);
        eval.spend_bytes(1024);
        assert_eq!((eval.fuel, eval.debt), (before - 3, 0));
        eval.fuel = 2;
        assert!(eval.spend(2, shell::Span::default()));
        assert!(!eval.spend(1, shell::Span::default()));
        assert!(eval.exhausted);
    });
}

#[test]
fn what_is_too_much_is_said_once() {
    for text in [
        "echo {1..600}; echo {1..600}".into(),
        alloc::format!("{}x{}", "$(".repeat(30), ")".repeat(30)),
        alloc::format!("{}:{}", "{ ".repeat(200), "; }".repeat(200)),
    ] {
        let limits = deeds(&text)
            .into_iter()
            .filter(|deed| deed.starts_with("run-unknown"))
            .count();
        assert_eq!(limits, 1, "{text}");
    }
}

#[test]
fn a_value_has_pieces_up_to_a_bound() {
    let mut value = Value::default();
    for mark in ["*", "?"] {
        value.pieces.push(Piece::Glob(mark.into()));
    }
    for _ in 0..40 {
        let all = value.clone();
        value.append(&all);
    }
    assert!((4096..4100).contains(&value.pieces.len()));
    assert!(value.has_unknown());
}

#[test]
fn braces_that_stand_for_too_many_words_are_paid_for() {
    let ranges = alloc::format!("echo {{{}}}", "{1..99},".repeat(100));
    let before = evaluated("", |eval, _| eval.fuel);
    let (left, exhausted) = evaluated(&ranges, |eval, _| (eval.fuel, eval.exhausted));
    assert!(before - left > 60 && exhausted, "{left} of {before}");
}

#[test]
fn nothing_is_kept_without_bound() {
    evaluated("", |eval, _| {
        for n in 0..70 {
            eval.state.written.insert(&alloc::format!("/f{n}"), Stream::empty());
        }
        assert_eq!(eval.state.written.len(), 64);
        assert!(eval.state.written.holds("/f63") && !eval.state.written.holds("/f64"));
        // What is kept can be written again, and pipes have room of their own.
        eval.state.written.insert("/f1", Stream::known("x".into()));
        assert_eq!(eval.state.written.get("/f1").and_then(|s| s.text.as_deref()), Some("x"));
        eval.state.written.insert("/dev/fd/63", Stream::empty());
        assert_eq!(eval.state.written.len(), 65);
        for n in 0..(16 << 10) {
            eval.state
                .vars
                .insert(&alloc::format!("v{n}"), Var::Scalar(Value::default()));
        }
        eval.state.vars.insert("last", Var::Scalar(Value::text("x")));
        assert!(eval.state.vars.len() < 100);
        assert_eq!(eval.variable_text("last").as_deref(), Some("x"));
        // What is looked up while nobody listens is not noted.
        assert!(eval.log.reads.borrow().is_empty());
    });
}
