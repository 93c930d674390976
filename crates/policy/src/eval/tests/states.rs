//! States side by side: what is told apart, what is not looked at twice, how many there are.

use alloc::string::String;
use alloc::vec::Vec;

use super::{deeds, evaluated};
use crate::eval::{Eval, Stream, Value, Var};

/// A command whose effects depend on nearly everything that a state holds.
const LINE: &str = "rm -rf \"$x$1$0\"sub/file ./copied/some";

/// The places that a line deletes which comes three times, of which something else stands before the third.
fn deletes(between: &str) -> Vec<String> {
    deeds(&alloc::format!("x=\n{LINE}\n{LINE}\n{LINE}\n{between}\n{LINE}"))
        .into_iter()
        .filter_map(|deed| deed.strip_prefix("delete ").map(Into::into))
        .collect()
}

#[test]
fn a_line_that_comes_again_is_looked_at_in_a_state_that_differs() {
    let here = deletes("true");
    for (between, expected) in [
        ("cd /home/ann/proj/.git", "/home/ann/proj/.git/copied/some"),
        ("x=/other/", "/other/bashsub/file"),
        ("set -- /first/", "/first/bashsub/file"),
        ("ln -s /far ./copied", "/far/some"),
    ] {
        assert!(!here.iter().any(|path| path == expected), "{expected} in {here:?}");
        let there = deletes(between);
        assert!(there.iter().any(|path| path == expected), "{between}: {there:?}");
    }
}

#[test]
fn functions_and_aliases_of_that_time_are_what_a_line_means() {
    for (before, after, expected) in [
        ("go() { rm /a/b; }", "go() { rm /c/d; }", "delete /c/d"),
        ("alias go='rm /a/b'", "alias go='rm /c/d'", "delete /c/d"),
        ("echo 'rm /a/b' > go.sh", "echo 'rm /c/d' > go.sh", "delete /c/d"),
        ("export V=/a", "set -- /c/d; go() { rm $1; }", "delete /c/d"),
    ] {
        let line = "go now and then; sh go.sh; go $1";
        let all = deeds(&alloc::format!("{before}\n{line}\n{line}\n{line}\n{after}\n{line}"));
        assert!(all.iter().any(|deed| deed == expected), "{after}: {all:?}");
    }
}

/// Evaluates a text and gives a trace of it, and what came of `then` in the state behind it.
fn fits(text: &str, then: impl FnOnce(&mut Eval<'_>)) -> bool {
    evaluated("x=1; y=2; f() { :; }", |eval, _| {
        let before = eval.state.clone();
        let mark = eval.listen();
        let out = eval.text(text, Stream::empty());
        let trace = eval.heard(mark, &out).unwrap_or_else(|| panic!("`{text}` has a trace"));
        eval.state = before;
        then(eval);
        trace.fits(&eval.state)
    })
}

#[test]
fn a_trace_fits_where_nothing_that_was_read_differs() {
    let set =
        |name: &'static str| move |eval: &mut Eval<'_>| eval.state.vars.insert(name, Var::Scalar(Value::text("9")));
    assert!(fits("echo $x", |_| ()));
    assert!(fits("echo $x", set("y")));
    assert!(fits("echo $x", set("z")));
    assert!(!fits("echo $x", set("x")));
    assert!(!fits("echo $z", set("z")));
    // What is set before it is read was not read.
    assert!(fits("for x in 5; do echo $x; done", set("x")));
    assert!(!fits("echo $x $y", set("y")));
    assert!(!fits("echo $x", |eval| eval.state.cwd = None));
    assert!(!fits("echo $x", |eval| eval.state.physical = true));
    assert!(!fits("echo $x", |eval| eval.state.positional =
        alloc::vec![Value::text("a")].into()));
    assert!(!fits("echo $x", |eval| eval.state.zero = Some(Value::text("a"))));
    assert!(!fits("echo $x", |eval| {
        eval.state.moved.insert("/a".into(), "/b".into());
    }));
    assert!(!fits("echo $x", |eval| {
        eval.state.links.insert("/a".into(), "/b".into());
    }));
    assert!(!fits("echo $x", |eval| eval
        .state
        .mounts
        .push(("/a".into(), "/b".into()))));
    assert!(!fits("echo $x", |eval| {
        eval.state.renamed.insert("/a".into(), "rm".into());
    }));
    assert!(!fits("echo $x", |eval| eval.state.fetched.push("/a".into())));
    assert!(!fits("echo $x", |eval| {
        eval.state.inputs.insert(0, Stream::empty());
    }));
    assert!(!fits("echo $x", |eval| {
        eval.state.outputs.insert(1, Value::text("a"));
    }));
    assert!(!fits("f", |eval| eval.state.functions.remove("f")));
    assert!(fits("echo f", |eval| eval.state.functions.remove("f")));
    assert!(!fits("ls", |eval| eval.state.aliases.insert("ls", "rm".into())));
    assert!(!fits("cat a", |eval| eval
        .state
        .written
        .insert("/home/ann/proj/a", Stream::empty())));
}

#[test]
fn a_trace_leads_to_the_same_end() {
    evaluated("x=1", |eval, _| {
        let before = eval.state.clone();
        let mark = eval.listen();
        let out = eval.text("y=$x; unset x; cd .git; echo $y; false", Stream::empty());
        let trace = eval.heard(mark, &out).unwrap_or_else(|| panic!("there is a trace"));
        eval.state = before;
        eval.state.vars.insert("other", Var::Scalar(Value::text("kept")));
        eval.state.aliases.insert("kept", "ls".into());
        eval.status = None;
        let again = eval.repeat(&trace);
        assert_eq!(again.text.as_deref(), Some("1\n"));
        assert_eq!(eval.status, Some(false));
        assert_eq!(eval.variable_text("y").as_deref(), Some("1"));
        assert_eq!(eval.variable_text("other").as_deref(), Some("kept"));
        assert!(eval.state.aliases.contains_key("kept"));
        assert_eq!(eval.variable_text("x"), None);
        assert_eq!(eval.state.cwd.as_deref(), Some("/home/ann/proj/.git"));
    });
}

#[test]
fn calls_are_remembered_with_what_they_depend_on() {
    evaluated("f() { echo a; }\ng() { echo b; }\nf", |eval, _| {
        let function = |eval: &Eval<'_>, name| {
            eval.state
                .functions
                .get(name)
                .cloned()
                .unwrap_or_else(|| panic!("{name}"))
        };
        let (f, g) = (function(eval, "f"), function(eval, "g"));
        let trace = |eval: &mut Eval<'_>| {
            let mark = eval.listen();
            eval.heard(mark, &Stream::empty())
                .unwrap_or_else(|| panic!("there is a trace"))
        };
        let known = Stream::known("in".into());
        let one = trace(eval);
        eval.remember_call(&f, known.clone(), true, one);
        assert!(eval.known_call(&f, &known, true).is_some());
        assert!(eval.known_call(&g, &known, true).is_none());
        assert!(eval.known_call(&f, &known, false).is_none());
        assert!(eval.known_call(&f, &Stream::known("out".into()), true).is_none());
        eval.chain.push("function f".into());
        assert!(eval.known_call(&f, &known, true).is_some());
        eval.chain.push("sudo runs".into());
        assert!(eval.known_call(&f, &known, true).is_none());
        eval.chain.clear();
        eval.around.push("contained");
        assert!(eval.known_call(&f, &known, true).is_none());
        eval.around.clear();
        eval.state.cwd = None;
        assert!(eval.known_call(&f, &known, true).is_none());
    });
}

#[test]
fn many_functions_leave_room_for_their_calls() {
    let functions: String = (0..70).map(|n| alloc::format!("f{n}() {{ echo {n}; }}\n")).collect();
    evaluated(&functions, |eval, _| {
        let add = |eval: &mut Eval<'_>, name: &str| {
            let function = eval
                .state
                .functions
                .get(name)
                .cloned()
                .unwrap_or_else(|| panic!("{name}"));
            let mark = eval.listen();
            let trace = eval
                .heard(mark, &Stream::empty())
                .unwrap_or_else(|| panic!("there is a trace"));
            eval.remember_call(&function, Stream::empty(), false, trace);
        };
        (0..70).for_each(|n| add(eval, &alloc::format!("f{n}")));
        assert_eq!(eval.remembered.len(), 64);
        let calls = |eval: &Eval<'_>| eval.remembered.values().map(Vec::len).sum::<usize>();
        assert_eq!(calls(eval), 64);
        // A function that is known gets more of them, up to a bound.
        (0..40).for_each(|_| add(eval, "f0"));
        assert_eq!(calls(eval), 63 + 32);
        eval.calls.push(("f0".into(), eval.state.clone()));
        eval.forget_calls();
        assert_eq!(eval.remembered.len(), 64);
        eval.calls.clear();
        eval.forget_calls();
        assert_eq!(eval.remembered.len(), 0);
        (0..31).for_each(|n| add(eval, &alloc::format!("f{n}")));
        eval.forget_calls();
        assert_eq!(eval.remembered.len(), 31);
        add(eval, "f31");
        eval.forget_calls();
        assert_eq!(eval.remembered.len(), 0);
    });
}

#[test]
fn the_more_work_the_fewer_alternatives() {
    for (effort, spent, states, rounds, recursion) in [
        (0, 0, 6, 256, (2, 4)),
        (799, 7_999, 6, 256, (2, 4)),
        (799, 8_000, 2, 256, (2, 4)),
        (800, 800, 2, 16, (1, 2)),
        (1_999, 39_999, 2, 16, (1, 2)),
        (2_000, 2_000, 1, 3, (1, 1)),
        (99, 40_000, 2, 256, (2, 4)),
        (100, 40_000, 2, 16, (1, 2)),
        (249, 40_000, 2, 16, (1, 2)),
        (250, 40_000, 1, 3, (1, 1)),
    ] {
        evaluated("", |eval, _| {
            (eval.effort, eval.spent) = (effort, spent);
            assert_eq!(eval.most_states(), states, "{effort} of {spent}");
            assert_eq!(eval.most_rounds(), rounds, "{effort} of {spent}");
            assert_eq!(eval.most_recursion(), recursion, "{effort} of {spent}");
        });
    }
}

#[test]
fn words_and_bytes_are_work_too() {
    evaluated("", |eval, _| {
        assert_eq!(eval.most_rounds(), 256);
        (0..8 * 800).for_each(|_| _ = eval.is_spent(shell::Span::default()));
        assert_eq!(eval.most_rounds(), 16);
        eval.spend_bytes(512 * 1200);
        assert_eq!(eval.most_rounds(), 3);
    });
    let spent = |text: &str| evaluated(text, |eval, _| eval.spent);
    // The more words, the fewer rounds in rounds; the next command begins anew.
    let loops = |count: usize| {
        let words = "-name x -or ".repeat(count);
        alloc::format!("for i in {{1..40}}; do for j in {{1..40}}; do find . {words}; done; done")
    };
    let (many, few) = (spent(&loops(200)), spent(&loops(1)));
    assert!(many * 3 < few * 2, "{many} {few}");
    let last = deeds(&(loops(200) + "; rm ./x"));
    assert!(last.last().is_some_and(|deed| deed.starts_with("delete ")), "{last:?}");
    // Code of other languages is work each time.
    let code = "x = [f(y) for y in z]\n".repeat(2000);
    let before = evaluated("", |eval, _| eval.fuel);
    let left = evaluated(&alloc::format!("python3 - <<'E'\n{code}E\n"), |eval, _| eval.fuel);
    assert!(before - left > 1_000, "{left} of {before}");
}

#[test]
fn states_are_followed_side_by_side_up_to_a_bound() {
    evaluated("", |eval, _| {
        let state = |eval: &Eval<'_>, n: usize| {
            let mut state = eval.state.clone();
            state.cwd = Some(alloc::format!("/{n}"));
            state
        };
        eval.fork(eval.state.clone());
        assert_eq!(eval.forks.len(), 0);
        for n in 0..9 {
            let next = state(eval, n);
            eval.fork(next.clone());
            eval.fork(next);
        }
        assert_eq!(eval.forks.len(), 5);
        assert_eq!(eval.forks.last().and_then(|s| s.cwd.as_deref()), Some("/4"));
        // Among few, the one that was left behind last says more.
        eval.forks.clear();
        eval.effort = 1_000;
        (0..3).for_each(|n| eval.fork(state(eval, n)));
        assert_eq!(eval.forks.len(), 1);
        assert_eq!(eval.forks.last().and_then(|s| s.cwd.as_deref()), Some("/2"));
        (0..9).for_each(|n| eval.leave(state(eval, n)));
        assert_eq!(eval.left.len(), 6);
    });
}

#[test]
fn what_may_have_run_is_followed_both_ways() {
    for (text, expected) in [
        ("ls && x=a; rm /p/$x", &["delete /p/a", "delete /p/…"][..]),
        (
            "x=1; ls && x=2; ls && x=3; rm /p/$x",
            &["delete /p/1", "delete /p/2", "delete /p/3"],
        ),
        (
            "x=1; if ls; then x=2; else x=3; fi; rm /p/$x",
            &["delete /p/1", "delete /p/2", "delete /p/3"],
        ),
        (
            "x=1; case $A in a) x=2;; b) x=3;; esac; rm /p/$x",
            &["delete /p/1", "delete /p/2", "delete /p/3"],
        ),
        (
            "cd /q || rm x; rm y",
            &[
                "delete /home/ann/proj/x",
                "delete /home/ann/proj/y",
                "delete /q/x",
                "delete /q/y",
            ],
        ),
        ("x=1; false && x=2; rm /p/$x", &["delete /p/1"]),
        (
            "x=1; f() { x=2; ls && return; x=3; }; f; rm /p/$x",
            &["delete /p/2", "delete /p/3"],
        ),
        ("x=1; ls & x=2; rm /p/$x", &["delete /p/2"]),
    ] {
        let mut all: Vec<String> = deeds(text).into_iter().filter(|d| d.starts_with("delete")).collect();
        all.sort();
        assert_eq!(all, expected, "{text}");
    }
}
