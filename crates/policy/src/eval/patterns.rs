//! Pattern operations on known text: `${x#p}`, `${x/p/w}`.

use alloc::string::String;
use alloc::vec::Vec;

use crate::glob;

/// Longest text that patterns are tried on, since every cut is tried.
const MAX: usize = 4096;

/// `${x#p}` and its kin; the text unchanged when nothing matches.
pub(super) fn trim(text: &str, pattern: &str, suffix: bool, longest: bool) -> Option<String> {
    if text.len() > MAX {
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

/// `${x/p/w}`
pub(super) fn replace(text: &str, pattern: &str, with: &str, all: bool, anchor: Option<char>) -> Option<String> {
    if text.len() > MAX || pattern.is_empty() {
        return (text.len() <= MAX).then(|| text.into());
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
    let ends = rest
        .char_indices()
        .map(|(i, _)| i)
        .chain([rest.len()])
        .filter(|e| *e > 0 && (anchor != Some('%') || *e == rest.len()));
    // A pattern without a run matches one length only; no need to try all.
    let fixed = (!pattern.contains(['*', '?', '['])).then_some(pattern.len());
    let mut ends: Vec<usize> = ends.filter(|e| fixed.is_none_or(|f| f == *e)).collect();
    ends.reverse();
    ends.into_iter()
        .find(|end| rest.get(..*end).is_some_and(|part| exact(pattern, part)))
}

/// Patterns of expansions are case-sensitive, unlike those of rules.
fn exact(pattern: &str, text: &str) -> bool {
    if pattern.contains(['*', '?', '[']) {
        glob::matches(pattern, text)
    } else {
        pattern == text
    }
}

/// A `*` of the shell crosses slashes here.
fn deep(pattern: &str) -> String {
    pattern.replace('*', "**")
}
