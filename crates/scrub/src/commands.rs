//! Commands that take a secret as a word, or from standard input: `cargo login X`, `echo X | sudo -S ls`.

use alloc::string::String;
use alloc::vec::Vec;

use crate::names::{self, Says};
use crate::tables::{INPUTS, STDIN_OPTIONS, Taker, VERBS, WRAPPERS};
use crate::tokens::{self, Hit, byte};
use crate::value::{Joint, compound, secret, shell_word, unquoted};

/// A command is looked at this far.
const WORDS: usize = 48;
/// A pipe is followed through so many commands.
const STAGES: usize = 4;
/// How far back a command is looked for.
const BACK: usize = 256;

/// A word of a command.
struct Word {
    start: usize,
    /// Behind the quote that it starts with.
    inner: usize,
    end: usize,
    /// Without its quotes.
    text: String,
}

/// The words of the command at `at`, what it is given by `<<<`, and where it ends.
struct Line {
    words: Vec<Word>,
    given: Option<usize>,
    end: usize,
}

/// Whether a command can start at `at`: after a separator, a quote, a word such as `sudo`, an assignment, a path.
pub(crate) fn starts(text: &[u8], at: usize) -> bool {
    let low = at.saturating_sub(BACK);
    let Some(before) = text.get(low..at) else { return false };
    let in_path = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'_' | b'-' | b'.' | b'~');
    let path = before.iter().rev().take_while(in_path).count();
    let mut rest = before.get(..before.len() - path).unwrap_or_default();
    // Options of a wrapper: `sudo -n`, `env -i`.
    for _ in 0..6 {
        let trimmed = rest.trim_ascii_end();
        let newline = rest.get(trimmed.len()..).unwrap_or_default().contains(&b'\n');
        let Some(last) = trimmed.last() else {
            return low == 0 || newline;
        };
        if newline || matches!(last, b';' | b'|' | b'&' | b'(' | b'{' | b'`') {
            return true;
        }
        if trimmed.len() == rest.len() {
            return matches!(last, b'"' | b'\'');
        }
        let start = trimmed
            .iter()
            .rposition(|b| b.is_ascii_whitespace())
            .map_or(0, |i| i + 1);
        let word = trimmed.get(start..).unwrap_or_default();
        let word = core::str::from_utf8(word).unwrap_or_default();
        if WRAPPERS.contains(&word.rsplit('/').next().unwrap_or(word)) || word == "--" {
            return true;
        }
        if !word.starts_with('-') && !word.contains('=') {
            return false;
        }
        rest = trimmed.get(..start).unwrap_or_default();
    }
    false
}

/// The secrets of the command whose program is `word` at `at`, and how far it was looked at; `None` for other programs.
pub(crate) fn secrets(text: &[u8], at: usize, word: &str) -> Option<(usize, Vec<Hit>)> {
    let mine = |taker: &&Taker| taker.programs.contains(&word);
    let speaks = matches!(word, "echo" | "printf");
    let verbs: Vec<&Taker> = VERBS.iter().filter(mine).collect();
    let inputs = INPUTS.iter().any(|taker| mine(&taker));
    if !speaks && !inputs && verbs.is_empty() {
        return None;
    }
    let line = line(text, at + word.len());
    let mut hits = Vec::new();
    for verb in verbs {
        matched(verb.words, &line.words, &mut |from, to| push(text, from, to, &mut hits));
    }
    if let Some(given) = line.given
        && let Some(after) = reads(word, &line.words)
    {
        value(text, given, after, &mut hits);
    }
    if speaks && let Some(after) = piped(text, line.end) {
        let format = usize::from(word == "printf" && line.words.len() > 1);
        for word in line.words.iter().skip(format).filter(|w| !w.text.starts_with('-')) {
            value(text, word.start, after, &mut hits);
        }
    }
    // What follows `sudo` is a command of its own.
    let looked = if WRAPPERS.contains(&word) {
        at + 1
    } else {
        line.end.max(at + 1)
    };
    Some((looked, hits))
}

/// Whether one of the commands that a pipe at `at` leads to reads a secret.
fn piped(text: &[u8], at: usize) -> Option<Option<u8>> {
    let mut at = at;
    for _ in 0..STAGES {
        if byte(text, at) != b'|' || byte(text, at + 1) == b'|' {
            return None;
        }
        let next = line(text, at + 1 + usize::from(byte(text, at + 1) == b'&'));
        if let Some(after) = stage(&next.words) {
            return Some(after);
        }
        at = next.end;
    }
    None
}

/// Whether the words are a command that reads a secret; the mark before it, if any.
fn stage(words: &[Word]) -> Option<Option<u8>> {
    for (n, word) in words.iter().enumerate() {
        let name = word.text.rsplit('/').next().unwrap_or(&word.text);
        let rest = words.get(n + 1..).unwrap_or_default();
        if let Some(after) = reads(name, rest) {
            return Some(after);
        }
        let wraps = WRAPPERS.contains(&name) || name.starts_with('-') || name.contains('=');
        if !wraps {
            return None;
        }
    }
    None
}

/// Whether the program reads a secret with these words.
fn reads(program: &str, words: &[Word]) -> Option<Option<u8>> {
    let taker = INPUTS
        .iter()
        .find(|taker| taker.programs.contains(&program) && matched(taker.words, words, &mut |_, _| {}));
    if let Some(taker) = taker {
        return Some(taker.after);
    }
    let told = words.iter().any(|word| STDIN_OPTIONS.contains(&word.text.as_str()));
    told.then_some(None)
}

/// The secret that is the word at `at`, or what is behind a mark in it.
fn value(text: &[u8], at: usize, after: Option<u8>, hits: &mut Vec<Hit>) {
    let Some((end, _)) = shell_word(text, at) else {
        push(text, at, None, hits);
        return;
    };
    let Some(mark) = after else {
        push(text, at, None, hits);
        return;
    };
    let behind = text.get(at..end).and_then(|word| word.iter().position(|b| *b == mark));
    if let Some(behind) = behind {
        push(text, at + behind + 1, Some(end), hits);
    }
}

/// Notes the secret that starts at `from`, and ends before `to` where that is known.
fn push(text: &[u8], from: usize, to: Option<usize>, hits: &mut Vec<Hit>) {
    let found = compound(text, from).or_else(|| secret(text, from, Says::Password, Joint::Word));
    let Some((start, end)) = found else { return };
    let end = to.map_or(end, |to| end.min(to));
    if start >= end || hits.iter().any(|hit| hit.start < end && start < hit.end) {
        return;
    }
    let known = tokens::find(text, start, start).filter(|hit| (hit.start, hit.end) == (start, end));
    let kind = known.map_or("secret", |hit| hit.kind);
    hits.push(Hit { start, end, kind });
}

/// Whether the words are those of the pattern. Every secret among them is handed to `take`.
fn matched(pattern: &[&str], words: &[Word], take: &mut dyn FnMut(usize, Option<usize>)) -> bool {
    let mut at = 0;
    let mut skips = false;
    for sign in pattern {
        let rest = words.get(at..).unwrap_or_default();
        let word = |w: &&Word| !w.text.starts_with('-') || w.text.len() == 1;
        match *sign {
            ".." => {
                skips = true;
                continue;
            }
            "X.." => {
                for word in rest.iter().filter(word).filter(|w| !named(&w.text)) {
                    take(word.start, None);
                }
                return true;
            }
            "*=X.." => {
                for word in rest.iter().filter(word) {
                    // `a=@file` names one.
                    if let Some((name, value)) = word.text.split_once('=')
                        && !value.starts_with('@')
                    {
                        take(word.inner + name.len() + 1, None);
                    }
                }
                return true;
            }
            "X$" => {
                if let Some(last) = rest.iter().rfind(word) {
                    take(last.start, None);
                }
                return true;
            }
            "*/X@" => {
                if let Some(login) = rest.iter().find(word)
                    && let Some((name, secret)) = login.text.split_once('/')
                {
                    let length = secret.rfind('@').unwrap_or(secret.len());
                    let start = login.inner + name.len() + 1;
                    if !secret.is_empty() && !name.is_empty() {
                        take(start, Some(start + length));
                    }
                }
                return true;
            }
            _ => {}
        }
        let option = sign.starts_with('-');
        let found = rest
            .iter()
            .enumerate()
            .filter(|(_, w)| option || word(w))
            .take(if skips || option { WORDS } else { 1 })
            .find(|(_, w)| fits(sign, &w.text));
        let Some((n, word)) = found else { return false };
        if *sign == "X" {
            take(word.start, None);
        }
        // An option may stand before and behind the words that are looked for.
        if !option {
            at += n + 1;
        }
        skips = false;
    }
    true
}

/// Whether a word is what a sign stands for.
fn fits(sign: &str, word: &str) -> bool {
    match sign {
        "X" | "*" => true,
        "@" => names::says(word).is_some(),
        _ => {
            if let Some(letters) = sign.strip_prefix("-*").and_then(|s| s.strip_suffix('*')) {
                return word.starts_with('-') && !word.starts_with("--") && word.contains(letters);
            }
            match sign.strip_suffix('*') {
                Some(start) => word.starts_with(start),
                None => word == sign,
            }
        }
    }
}

/// `name=value`, which the name decides about.
fn named(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, value)| {
        !value.is_empty() && !value.starts_with('=') && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
    })
}

/// The words of the command that goes on at `at`.
fn line(text: &[u8], at: usize) -> Line {
    let mut line = Line {
        words: Vec::new(),
        given: None,
        end: at,
    };
    let mut at = at;
    while line.words.len() < WORDS {
        while matches!(byte(text, at), b' ' | b'\t') || text.get(at..at + 2) == Some(b"\\\n") {
            at += if byte(text, at) == b'\\' { 2 } else { 1 };
        }
        line.end = at;
        match byte(text, at) {
            b'<' if text.get(at..at + 3) == Some(b"<<<") => {
                let spaces = text.get(at + 3..).unwrap_or_default();
                at += 3 + spaces.iter().take(16).take_while(|b| **b == b' ').count();
                line.given = Some(at);
                at = shell_word(text, at).map_or(at, |(end, _)| end);
                continue;
            }
            b'<' | b'>' => {
                while matches!(byte(text, at), b'<' | b'>' | b'&' | b' ') {
                    at += 1;
                }
                at = shell_word(text, at).map_or(at, |(end, _)| end);
                continue;
            }
            _ => {}
        }
        let end = match shell_word(text, at) {
            Some((end, _)) => end,
            // A quote that is closed elsewhere: the command stands in it.
            None => cut(text, at),
        };
        if end == at {
            break;
        }
        let (word, _) = unquoted(text, at, end);
        line.words.push(Word {
            start: at,
            inner: at + usize::from(matches!(byte(text, at), b'"' | b'\'')),
            end,
            text: String::from_utf8_lossy(&word).into_owned(),
        });
        at = end;
        line.end = at;
    }
    line.words.retain(|word| word.end > word.start);
    line
}

/// The end of a word at which a quote stands that is not its own.
fn cut(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..text.len().min(at + BACK)).unwrap_or_default();
    let ends =
        |b: &u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')');
    at + rest.iter().position(ends).unwrap_or(rest.len())
}
