//! Pattern operations on known text: `${x#p}`, `${x/p/w}`.

use alloc::string::String;
use alloc::vec::Vec;

use crate::glob;

/// Longest text that a pattern without wildcards is looked for in.
const MAX: usize = 4096;
/// Longest text of which every cut is held against a pattern.
const MAX_CUT: usize = 1024;
/// Longest text of which every part is held against a pattern.
const MAX_PARTED: usize = 256;

/// What an operation costs, in bytes that are looked at. Wildcards are tried on every cut, or on every part.
pub(super) fn cost(text: &str, pattern: &str, parts: bool) -> usize {
    let length = text.len();
    match (is_plain(pattern), parts) {
        (true, _) => length,
        (false, false) => length.min(MAX_CUT).pow(2) / 2,
        (false, true) => length.min(MAX_PARTED).pow(3) / 16,
    }
}

/// `${x#p}` and its kin; the text unchanged when nothing matches, and nothing known where that would take too long.
pub(super) fn trim(text: &str, pattern: &str, suffix: bool, longest: bool) -> Option<String> {
    if is_plain(pattern) {
        let kept = if suffix {
            text.strip_suffix(pattern)
        } else {
            text.strip_prefix(pattern)
        };
        return (text.len() <= MAX).then(|| kept.unwrap_or(text).into());
    }
    if text.len() > MAX_CUT {
        return None;
    }
    let pattern = deep(pattern);
    let mut cuts: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
    if suffix != longest {
        cuts.reverse();
    }
    for cut in cuts {
        let (head, tail) = text.split_at_checked(cut)?;
        let (gone, kept) = if suffix { (tail, head) } else { (head, tail) };
        if glob::matches(&pattern, gone) {
            return Some(kept.into());
        }
    }
    Some(text.into())
}

/// `${x/p/w}`; nothing known where that would take too long.
pub(super) fn replace(text: &str, pattern: &str, with: &str, all: bool, anchor: Option<char>) -> Option<String> {
    let most = if is_plain(pattern) { MAX } else { MAX_PARTED };
    if text.len() > most || pattern.is_empty() {
        return (text.len() <= most).then(|| text.into());
    }
    let pattern = deep(pattern);
    let mut out = String::new();
    let mut at = 0;
    while at <= text.len() {
        let rest = text.get(at..)?;
        match longest_match(rest, &pattern, anchor, at) {
            Some(len) => {
                out.push_str(with);
                at += len;
                if !all || len == 0 {
                    break;
                }
            }
            None => {
                let Some(c) = rest.chars().next() else { break };
                out.push(c);
                at += c.len_utf8();
            }
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Some(out)
}

fn longest_match(rest: &str, pattern: &str, anchor: Option<char>, at: usize) -> Option<usize> {
    if anchor == Some('#') && at > 0 {
        return None;
    }
    let fits = |end: &usize| *end > 0 && (anchor != Some('%') || *end == rest.len());
    if is_plain(pattern) {
        let end = pattern.len();
        return (rest.starts_with(pattern) && fits(&end)).then_some(end);
    }
    let mut ends: Vec<usize> = rest
        .char_indices()
        .map(|(i, _)| i)
        .chain([rest.len()])
        .filter(fits)
        .collect();
    ends.reverse();
    ends.into_iter()
        .find(|end| rest.get(..*end).is_some_and(|part| glob::matches(pattern, part)))
}

/// A pattern without wildcards matches one text alone. Unlike the patterns of rules it tells capitals apart.
fn is_plain(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '['])
}

/// A `*` of the shell crosses slashes here.
fn deep(pattern: &str) -> String {
    pattern.replace('*', "**")
}
