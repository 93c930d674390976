//! Texts made to exhaust a parser. Each ends soon, on a small stack, with a fault that says what happened.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test stops where something is wrong"
)]

use shell::{FaultKind, MAX_DEPTH, MAX_LEN, parse};
use std::thread;
use std::time::{Duration, Instant};

/// What the deepest tree may need to be read, walked, copied and dropped. A build without optimization needs more.
const STACK: usize = if cfg!(debug_assertions) { 1 << 20 } else { 256 << 10 };

/// Openings that nest when they are repeated, with what closes each.
const NESTING: &[(&str, &str)] = &[
    ("$(", ")"),
    ("\"$(", ")\""),
    ("{ ", "; }"),
    ("( ", ")"),
    ("if ", "; then a; fi"),
    ("while ", "; do a; done"),
    ("until a; do ", "; done"),
    ("for x in a; do ", "; done"),
    ("for ((;;)); do ", "; done"),
    ("case a in b) ", ";; esac"),
    ("f() { ", "; }"),
    ("${a:-", "}"),
    ("\"${a:-", "}\""),
    ("${a[", "]}"),
    ("${a/", "/b}"),
    ("${a:", "}"),
    ("$((", "))"),
    ("$[", "]"),
    ("a=($(", "))"),
    ("a[$(", ")]=b"),
    ("<(", ")"),
    ("a >$(", ")"),
    ("coproc $(", ")"),
    ("[[ $(", ") ]]"),
    ("((a)($(", ")))"),
    ("cat <<E\n$(", ")\nE\n"),
];

/// Texts that are hard in other ways than by their depth.
const LONG: &[&str] = &[
    "(",
    "((",
    "$((",
    "((`",
    "a | ",
    "a && ",
    "a; ",
    "a\n",
    "! ",
    "`",
    "'",
    "\"",
    "\\\n",
    "\\",
    "a[",
    "[[ (",
    "f() ",
    "coproc ",
    "coproc a ",
    "function f ",
    "<<E ",
    "<<E\n",
    "cat <<E $(\n",
    "\"${a:-'",
    "\"${a:-\"",
    "a=(",
    "case a in ",
    "for ((",
    ")",
    "}",
    ";;",
    "fi ",
    "done ",
    "&",
    "|",
    "<",
    ">",
    "$",
    "{",
    "#",
    "=",
    "é",
    "\0",
    "\r",
    "[[ a =~ (",
    "cat <<-E\n\ta\\\n",
    "$'\\",
    "@(",
    "2>",
    "{a}>",
    "\t",
    "\n",
];

/// Runs on a stack of [`STACK`] bytes.
fn on_a_small_stack<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    thread::Builder::new()
        .stack_size(STACK)
        .spawn(run)
        .expect("a thread")
        .join()
        .expect("no panic")
}

/// Reads, walks, copies and drops a text, and returns whether it has faults and whether one of them is of `kind`.
fn faults(text: String, kind: FaultKind) -> (bool, bool) {
    on_a_small_stack(move || {
        let script = parse(&text);
        let copy = script.clone();
        assert!(copy == script);
        drop(copy);
        let mut found = false;
        script.visit(&mut |node| {
            if let shell::Node::Script(list) = node {
                found |= list.faults.iter().any(|fault| fault.kind == kind);
            }
        });
        (script.has_faults(), found)
    })
}

#[test]
fn depth_is_bounded_and_said() {
    for (open, close) in NESTING {
        for count in [MAX_DEPTH + 1, 2 * MAX_DEPTH, 10_000, 100_000] {
            let closed = format!("{}a{}", open.repeat(count), close.repeat(count));
            let texts = [closed, open.repeat(count)];
            for text in texts.into_iter().filter(|text| text.len() <= MAX_LEN) {
                assert_eq!(faults(text, FaultKind::TooDeep), (true, true), "{count} times {open:?}");
            }
        }
    }
}

#[test]
fn half_the_depth_is_read() {
    for (open, close) in NESTING {
        let count = MAX_DEPTH / 2 - 1;
        let text = format!("{}a{}", open.repeat(count), close.repeat(count));
        assert!(!faults(text, FaultKind::TooDeep).1, "{count} times {open:?}");
    }
}

#[test]
fn size_is_bounded_and_said() {
    assert_eq!(faults("a".repeat(MAX_LEN + 1), FaultKind::TooLong), (true, true));
    assert_eq!(faults("a".repeat(MAX_LEN), FaultKind::TooLong), (false, false));
}

#[test]
fn time_grows_with_length_only() {
    for unit in LONG.iter().chain(NESTING.iter().map(|(open, _)| open)) {
        let start = Instant::now();
        faults(unit.repeat(MAX_LEN / 8 / unit.len()), FaultKind::TooDeep);
        // These take milliseconds. What is quadratic takes minutes, what is exponential years.
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{unit:?} took {:?}",
            start.elapsed()
        );
    }
}

/// Bits of shell to be thrown together.
const TOKENS: &[&str] = &[
    "a", " ", "\n", ";", "&", "|", "(", ")", "{", "}", "<", ">", "$", "`", "'", "\"", "\\", "#", "=", "[", "]", "!",
    "*", "é", "1", "$(", "${", "$((", "))", "<<E", "<<-E", "\nE\n", "[[", "]]", "if", "then", "fi", "do", "done",
    "case", "esac", "in", "for", "while", "f()", "a=(", "a[", "coproc", "function", "time", "&&", "||", ";;", "<(",
    "$'", "$\"", "${a/", "${a:-", "\t",
];

#[test]
fn texts_thrown_together_do_no_harm() {
    let mut seed = 1u64;
    let mut below = |limit: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % limit
    };
    for _ in 0..30_000 {
        let count = 1 + below(24);
        let text: String = (0..count).map(|_| TOKENS[below(TOKENS.len())]).collect();
        spans_lie_in(&text);
    }
}

#[test]
fn texts_cut_short_do_no_harm() {
    for text in include_str!("bash/accepted.txt")
        .split("%%\n")
        .chain([include_str!("trees/cases.txt")])
    {
        for (cut, _) in text.char_indices().take(4000) {
            spans_lie_in(&text[..cut]);
        }
    }
}

/// Every span must cut the text between characters.
fn spans_lie_in(text: &str) {
    parse(text).visit(&mut |node| {
        let spans = match node {
            shell::Node::Script(script) => script.faults.iter().map(|fault| fault.span).collect(),
            shell::Node::Command(command) => vec![command.span],
            shell::Node::Redirect(redirect) => vec![redirect.span],
            shell::Node::Word(word) => vec![word.span],
        };
        for span in spans {
            let piece = text.get(span.start as usize..span.end as usize);
            assert!(piece.is_some(), "{span:?} in {text:?}");
        }
    });
}
