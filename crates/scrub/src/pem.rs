//! Private keys in PEM and OpenPGP armour.

use crate::tokens::{Hit, byte};

const DASHES: &[u8] = b"-----";
/// A word of a body that is shorter is its last.
const SHORTEST_LINE: usize = 16;

/// The body of the private key whose `-----BEGIN` starts at `at`.
///
/// Only what can be part of a key is taken, so that nobody can hide a command from the record by putting it between two
/// such lines.
pub(crate) fn find(text: &[u8], at: usize) -> Option<Hit> {
    let title = text.get(at..)?.strip_prefix(b"-----BEGIN ")?;
    let length = title
        .iter()
        .take(64)
        .take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || **b == b' ')
        .count();
    let title = title.get(..length)?;
    if !(title.ends_with(b"PRIVATE KEY") || title.ends_with(b"PRIVATE KEY BLOCK")) {
        return None;
    }
    let start = at + b"-----BEGIN ".len() + length;
    let start = text.get(start..)?.starts_with(DASHES).then_some(start + DASHES.len())?;
    let start = skip_headers(text, start);
    let end = body_end(text, start);
    (end > start).then_some(Hit {
        start,
        end,
        kind: "private-key",
    })
}

/// Where the body ends: whole lines of base64.
fn body_end(text: &[u8], start: usize) -> usize {
    let mut end = start;
    loop {
        let at = skip_breaks(text, end);
        let word = text.get(at..).unwrap_or_default();
        let length = word
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
            .count();
        let after = skip_breaks(text, at + length);
        let last = text.get(after..).is_some_and(|rest| rest.starts_with(DASHES));
        if length == 0 || length < SHORTEST_LINE && !last {
            return end;
        }
        end = at + length;
    }
}

/// Skips line breaks and spaces, also as the escapes `\n` and `\r`.
fn skip_breaks(text: &[u8], mut at: usize) -> usize {
    loop {
        match (byte(text, at), byte(text, at + 1)) {
            (b'\n' | b'\r' | b' ' | b'\t', _) => at += 1,
            (b'\\', b'n' | b'r' | b'\n') => at += 2,
            _ => return at,
        }
    }
}

/// Where the lines end that PEM and OpenPGP put before the body. They are no secret and stay.
fn skip_headers(text: &[u8], start: usize) -> usize {
    const NAMES: [&[u8]; 5] = [b"Proc-Type: ", b"DEK-Info: ", b"Version: ", b"Comment: ", b"Hash: "];
    let mut at = skip_breaks(text, start);
    while let Some(rest) = text.get(at..)
        && NAMES.iter().any(|name| rest.starts_with(name))
    {
        let line = rest
            .iter()
            .position(|b| matches!(b, b'\n' | b'\\'))
            .unwrap_or(rest.len());
        at = skip_breaks(text, at + line);
    }
    at
}
