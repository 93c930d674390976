//! Calls of functions in a Makefile.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::tasks::{MAX_TARGETS, MAX_TEXT};

/// A variable that nothing knows.
pub(super) const UNKNOWN: &str = "$TOLLGATE_UNKNOWN";

/// Words of a text.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(ToString::to_string).collect()
}

/// The arguments of a function: parted by commas that stand in no bracket.
pub(super) fn arguments(text: &str) -> Vec<&str> {
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some((first, others)) = parted(rest, ',') {
        out.push(first);
        rest = others;
    }
    out.push(rest);
    out
}

/// What stands on both sides of the first `mark` that stands in no bracket.
pub(super) fn parted(text: &str, mark: char) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ if c == mark && depth == 0 => return Some((text.get(..at)?, text.get(at + c.len_utf8()..)?)),
            _ => {}
        }
    }
    None
}

/// Text that would become this much longer so many times; beyond the longest text it is not known.
fn too_long(times: usize, bytes: usize) -> bool {
    times.saturating_mul(bytes) > MAX_TEXT
}

/// Each `from` in a text becomes `to`.
pub(super) fn subst(from: &str, to: &str, text: &str) -> String {
    if too_long(text.matches(from).count(), to.len()) {
        return UNKNOWN.into();
    }
    text.replace(from, to)
}

/// Words with something before and after each.
pub(super) fn around(before: &str, text: &str, after: &str) -> String {
    if too_long(text.split_whitespace().count(), before.len() + after.len()) {
        return UNKNOWN.into();
    }
    let one = |word: &str| [before, word, after].concat();
    text.split_whitespace().map(one).collect::<Vec<_>>().join(" ")
}

/// Words that are like `from` become `to`; `%` is any text.
pub(super) fn patsubst(from: &str, to: &str, text: &str) -> String {
    if too_long(text.split_whitespace().count(), to.len()) {
        return UNKNOWN.into();
    }
    let one = |word: &str| {
        let Some((head, tail)) = from.split_once('%') else {
            return if word == from { to.to_string() } else { word.to_string() };
        };
        match word.strip_prefix(head).and_then(|w| w.strip_suffix(tail)) {
            Some(stem) => to.replacen('%', stem, 1),
            None => word.to_string(),
        }
    };
    text.split_whitespace().map(one).collect::<Vec<_>>().join(" ")
}

/// The commands of all `$(shell ..)` and `$(file ..)` in a text.
pub(super) fn calls_in(text: &str) -> Vec<String> {
    let inner = |at: usize| {
        let after = text.get(at + 1..)?;
        let open = after.chars().next()?;
        let end = closing(after, open).unwrap_or(after.len());
        command_of(after.get(1..end)?)
    };
    let starts = text.match_indices("$(").chain(text.match_indices("${"));
    starts.take(MAX_TARGETS).filter_map(|(at, _)| inner(at)).collect()
}

/// `shell COMMAND` is that command; `file OP NAME,TEXT` reads or writes as a redirection would.
pub(super) fn command_of(call: &str) -> Option<String> {
    if let Some(command) = call.strip_prefix("shell ") {
        return Some(command.into());
    }
    let rest = call.strip_prefix("file ")?;
    let (place, text) = rest.split_once(',').unwrap_or((rest, ""));
    Some(match place.trim_start().strip_prefix('<') {
        Some(name) => alloc::format!("cat {name}"),
        None => alloc::format!("printf %s '{}' {place}", text.replace('\'', "'\\''")),
    })
}

/// Where the bracket that `text` starts with is closed.
pub(super) fn closing(text: &str, open: char) -> Option<usize> {
    let close = if open == '(' { ')' } else { '}' };
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}
