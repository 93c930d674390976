//! Texts of other shells, and what bash has to be given.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Dialect, in_bash};

/// Each text becomes what stands beside it, blank lines aside, and can be read.
fn become_text(dialect: Dialect, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let got = in_bash(dialect, text).unwrap_or_else(|| panic!("`{text}` can be read"));
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines: Vec<String> = got.lines().map(words).filter(|line| !line.is_empty()).collect();
        assert_eq!(lines.join("; "), *expected, "{text}");
        assert!(!crate::parse(&got).has_faults(), "{text}: {got}");
    }
}

#[test]
fn a_shell_without_additions() {
    become_text(
        Dialect::Posix,
        &[
            ("a &>f b", "a & >f b"),
            ("a &>>f b", "a & >>f b"),
            ("a >&f", "a >&f"),
            ("a 2>&1", "a 2>&1"),
            ("a && b", "a && b"),
            ("'a &>f'", "'a &>f'"),
            ("\"a &>f\"", "\"a &>f\""),
            ("a \\&>f", "a \\&>f"),
            ("a # &>f", "a # &>f"),
            ("echo $'a'", "echo \\$'a'"),
            ("echo \"$'a'\"", "echo \"$'a'\""),
            ("echo $'a\\'; b", "echo \\$'a\\'; b"),
        ],
    );
}

#[test]
fn fish() {
    become_text(
        Dialect::Fish,
        &[
            ("a b; c", "a b; c"),
            ("a; and b; or c", "a; b; c"),
            ("not a | b", "! a | b"),
            ("if a; b; end", "if a; then; b; :; fi"),
            (
                "if a; b; else if c; d; else; e; end",
                "if a; then; b; :; elif c; then; d; :; else; e; :; fi",
            ),
            ("while a; b; end", "while a; do; b; :; done"),
            ("for x in a b; c $x; end", "for x in a b; do; c ${x[@]}; :; done"),
            ("begin; a; end > f", "{; a; :; } > f"),
            ("function f; a $argv[1] $argv; end", "f() {; a ${1} $@; :; }"),
            (
                "function f -a x -d 'y'; a $x; end",
                "f() {; x=\"${1}\"; a ${x[@]}; :; }",
            ),
            (
                "switch $x; case a 'b*'; c; case '*'; d; end",
                "case ${x[@]} in; a|b*); c; :;;; *); d; :;;; esac",
            ),
            ("switch a; end", "case a in; *) :;;; esac"),
            ("set x a", "x=a"),
            ("set -gx X a", "export X=a"),
            ("set --export X a", "export X=a"),
            ("set x a b", "x=(a b)"),
            ("set -e x", "unset x"),
            ("set -q x; and a", "true; a"),
            ("set", "true"),
            ("echo (a b) $y[2] $status", "echo $(a b) ${y[1]} $?"),
            ("echo (a (b))", "echo $(a $(b))"),
            ("echo \"(a)\" '(b)' \"$x $(c)\"", "echo \"(a)\" '(b)' \"${x[@]} $(c)\""),
            ("echo 'a\\'b' \\( \"c $d\"", "echo 'a'\\''b' \\( \"c ${d[@]}\""),
            ("alias x 'a b'", "alias x='a b'"),
            ("alias x='a b'", "alias x='a b'"),
            ("a 2>&1 | b &> f", "a 2 >& 1 | b &> f"),
            ("a # b\nc", "a; c"),
            ("a \\\n b", "a b"),
        ],
    );
    for text in ["if a; b", "end", "else", "case a", "echo (a", "echo 'a", "a )"] {
        assert_eq!(in_bash(Dialect::Fish, text), None, "{text}");
    }
    let deep = |count: usize| {
        in_bash(
            Dialect::Fish,
            &alloc::format!("a {}b{}", "(c ".repeat(count), ")".repeat(count)),
        )
    };
    assert!(deep(24).is_some() && deep(25).is_none());
}

#[test]
fn csh() {
    become_text(
        Dialect::Csh,
        &[
            ("a b; c", "a b; c"),
            ("if (1) a b", "true; a b"),
            ("if ( $x == y ) then\na\nendif", "if true; then; a; :; fi"),
            (
                "if (1) then\na\nelse if (2) then\nb\nelse\nc\nendif",
                "if true; then; a; :; elif true; then; b; :; else; c; :; fi",
            ),
            ("foreach x (a b)\nc $x\nend", "for x in a b; do; c $x; :; done"),
            ("while (1)\na\nend", "while true; do; a; :; done"),
            ("if (`a` == b) c", "true `a`; c"),
            ("if ( { a b } ) c", "a b; c"),
            (
                "switch ($x)\ncase a:\nb\nbreaksw\ndefault:\nc\nendsw",
                "true; :; b; :; :; c; :",
            ),
            ("set x = a", "x=a"),
            ("set x=a; b", "x=a; b"),
            ("set x = (a b)", "x=(a b)"),
            ("setenv A b", "export A=b"),
            ("repeat 3 a b", "a b"),
            ("alias x 'a b'", "alias x='a b'"),
            ("@ x = 1 + 2", ":"),
            ("a >! f", "a > f"),
            ("(a; b) | c", "( a; b ) | c"),
            ("a $argv[2] $argv $argv[*]/$x[2] $x$", "a ${2} $@ $@/${x[1]} $x$"),
        ],
    );
    for text in ["foreach x (a", "end", "endif", "if (1) then\na", "else\na"] {
        assert_eq!(in_bash(Dialect::Csh, text), None, "{text}");
    }
}

#[test]
fn what_is_very_long_is_not_read() {
    let long: String = "a ".repeat(1 << 20);
    assert_eq!(in_bash(Dialect::Fish, &long), None);
}
