//! What the parser makes of a text: `cases.txt` has texts and trees, and this file says where nodes stand.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test stops where something is wrong"
)]

mod print;

use shell::{Node, Span, parse};

/// Splits the cases: a text, a line `--`, its tree, a line `%%`.
fn cases() -> impl Iterator<Item = (&'static str, &'static str)> {
    let file = include_str!("cases.txt");
    file.split("%%\n")
        .map(|case| case.rsplit_once("\n--\n").unwrap_or_else(|| panic!("no tree: {case}")))
}

#[test]
fn trees_are_as_written() {
    let wrong: Vec<String> = cases()
        .map(|(text, tree)| (text, tree.trim_end(), print::script(&parse(text))))
        .filter(|(_, tree, read)| tree != read)
        .map(|(text, _, read)| format!("{text}\n--\n{read}\n"))
        .collect();
    assert!(wrong.is_empty(), "these are read differently:\n{}", wrong.join("%%\n"));
}

/// The source of every command, redirection and word of a text, outer before inner.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    parse(text).visit(&mut |node| match node {
        Node::Command(command) => pieces.push(format!("command {}", source(text, command.span))),
        Node::Redirect(redirect) => pieces.push(format!("redirect {}", source(text, redirect.span))),
        Node::Word(word) => pieces.push(format!("word {}", source(text, word.span))),
        Node::Script(_) => {}
    });
    pieces
}

fn source(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(pieces(text), expected, "{text:?}");
}

#[test]
fn words_and_commands_know_their_bytes() {
    check("  ls   -la  # why", &["command ls   -la", "word ls", "word -la"]);
    check("é ü", &["command é ü", "word é", "word ü"]);
    check(
        "a \"b c\"'d'; e",
        &[
            "command a \"b c\"'d'",
            "word a",
            "word \"b c\"'d'",
            "command e",
            "word e",
        ],
    );
    check(
        "a && { b; }",
        &["command a", "word a", "command { b; }", "command b", "word b"],
    );
}

#[test]
fn redirections_reach_from_descriptor_to_target() {
    check("a 2> f", &["command a 2> f", "word a", "redirect 2> f", "word f"]);
    check(
        "(a) {x}<f",
        &["command (a) {x}<f", "command a", "word a", "redirect {x}<f", "word f"],
    );
}

#[test]
fn a_document_is_at_its_body_and_its_redirection_at_the_delimiter() {
    check(
        "a <<E b\nx\nE\nc",
        &[
            "command a <<E b",
            "word a",
            "word b",
            "redirect <<E",
            "word x\n",
            "command c",
            "word c",
        ],
    );
}

#[test]
fn joined_lines_count_where_they_stand() {
    check("a\\\nb \\\n c", &["command a\\\nb \\\n c", "word a\\\nb", "word c"]);
    check("a \\\n", &["command a", "word a"]);
}

#[test]
fn inner_commands_know_their_place_in_the_whole() {
    check(
        "a $(b \"$(c)\")",
        &[
            "command a $(b \"$(c)\")",
            "word a",
            "word $(b \"$(c)\")",
            "command b \"$(c)\"",
            "word b",
            "word \"$(c)\"",
            "command c",
            "word c",
        ],
    );
}

#[test]
fn what_does_not_stand_literally_has_the_span_of_its_construct() {
    check(
        "a `b \\`c\\``",
        &[
            "command a `b \\`c\\``",
            "word a",
            "word `b \\`c\\``",
            "command `b \\`c\\``",
            "word `b \\`c\\``",
            "word `b \\`c\\``",
            "command `b \\`c\\``",
            "word `b \\`c\\``",
        ],
    );
}

#[test]
fn expansions_span_from_dollar_to_end() {
    let script = parse("a ${b:-c}d");
    let shell::Form::Simple { words, .. } = &script.items[0].chain.first.stages[0].form else {
        panic!("simple")
    };
    let shell::Part::Param(param) = &words[1].parts[0] else {
        panic!("a parameter")
    };
    assert_eq!(param.span, Span { start: 2, end: 9 });
}
