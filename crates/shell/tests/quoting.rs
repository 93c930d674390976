//! The text of quoted words, compared with what bash makes of them.
//!
//! The words are put together from pieces that expand nothing, so `printf` is all that bash runs.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test stops where something is wrong"
)]

mod support;

use shell::{Form, parse};
use support::{bash_is_here, bash_prints};

/// Pieces of words in which nothing is expanded.
const PIECES: &[&str] = &[
    "a",
    "é",
    "-",
    "=",
    "#",
    "\\ ",
    "\\\\",
    "\\'",
    "\\\"",
    "\\$",
    "\\a",
    "\\`",
    "\\\n",
    "\\é",
    "''",
    "\"\"",
    "'b c'",
    "'\\'",
    "'\"'",
    "'$x'",
    "'\n'",
    "'`'",
    "\"b c\"",
    "\"'\"",
    "\"\\\"\"",
    "\"\\\\\"",
    "\"\\$x\"",
    "\"\\`\"",
    "\"\\a\"",
    "\"\\\nb\"",
    "\"\n\"",
    "\"$\"",
    "\"a$\"",
    "$\"b\"",
    "$''",
    "$'b c'",
    "$'\\n'",
    "$'\\t\\v\\f\\r\\b\\a\\e\\E'",
    "$'\\''",
    "$'\\\"'",
    "$'\\\\'",
    "$'\\?'",
    "$'\\z'",
    "$'\\101'",
    "$'\\1012'",
    "$'\\7'",
    "$'\\x41'",
    "$'\\x4'",
    "$'\\x414'",
    "$'\\x{41}b'",
    "$'\\x{41'",
    "$'\\xg'",
    "$'\\x'",
    "$'\\u41'",
    "$'\\u00e9'",
    "$'\\u20acx'",
    "$'\\U1f600'",
    "$'\\U0001F600x'",
    "$'\\ug'",
    "$'\\cA'",
    "$'\\c?'",
    "$'\\ca\\cZ'",
    "$'\\c\\\\b'",
    "$'a\\0b'",
    "$'a\\x00b'",
    "$'a\\u0000b'",
    "$'\\400x'",
    "$'\\xc3\\xa9'",
];

/// A small generator of numbers, the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

fn words() -> Vec<String> {
    let closed = PIECES;
    let mut numbers = Numbers(1);
    let mut words: Vec<String> = closed.iter().map(|piece| format!("x{piece}")).collect();
    for _ in 0..2000 {
        let count = 1 + numbers.below(5);
        let pieces: String = (0..count).map(|_| closed[numbers.below(closed.len())]).collect();
        words.push(format!("x{pieces}"));
    }
    words
}

/// What the parser makes of a word that stands as an argument.
fn read(word: &str) -> Option<String> {
    let script = parse(&format!(": {word}"));
    assert!(!script.has_faults(), "{word:?}");
    match &script.items.first()?.chain.first.stages.first()?.form {
        Form::Simple { words, .. } => words.get(1)?.literal(),
        _ => None,
    }
}

#[test]
fn literal_words_are_what_bash_makes_of_them() {
    if !bash_is_here() {
        println!("skipped: there is no bash to ask");
        return;
    }
    let words = words();
    let printed = bash_prints(&format!("printf '%s\\0' {}", words.join(" ")));
    let printed: Vec<&str> = printed.split_terminator('\0').collect();
    assert_eq!(printed.len(), words.len());
    for (word, printed) in words.iter().zip(printed) {
        assert_eq!(read(word).as_deref(), Some(printed), "{word:?}");
    }
}
