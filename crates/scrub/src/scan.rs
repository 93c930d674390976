//! One walk through the text, and what is looked for at each place of it.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::names::{self, Says};
use crate::options::Program;
use crate::tables::{HEADERS, QUERY};
use crate::tokens::{Hit, byte};
use crate::value::{Joint, OPEN, quote, secret, stand_in};
use crate::{header, pem, tokens, url};

/// What a walk changed may bring a new name next to a value; walks are few because each takes something out for good.
const WALKS: usize = 8;

/// A signature in a query string is at least this long.
const SHORTEST_SIGNATURE: usize = 16;

/// Replaces secrets by `[redacted:kind]`. Everything else stays byte for byte, and doing it twice changes nothing more.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    for _ in 0..WALKS {
        match walk(&out) {
            Some(changed) => out = Cow::Owned(changed),
            None => break,
        }
    }
    out
}

/// The text without the secrets that were found; `None` when there were none.
fn walk(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut scan = Scan {
        text,
        bytes: text.as_bytes(),
        copied: 0,
        program: Program::default(),
    };
    let mut at = 0;
    while at < text.len() {
        if let Some(length) = stand_in(scan.bytes, at) {
            at += length;
        } else if let Some(hit) = scan.at(at) {
            out.push_str(text.get(scan.copied..hit.start).unwrap_or_default());
            out.push_str(OPEN);
            out.push_str(hit.kind);
            out.push(']');
            scan.copied = hit.end;
            at = hit.end.max(at + 1);
        } else {
            at += 1;
        }
    }
    if scan.copied == 0 {
        return None;
    }
    out.push_str(text.get(scan.copied..).unwrap_or_default());
    Some(out)
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    /// Where the text starts that was not handed on yet.
    copied: usize,
    program: Program<'a>,
}

impl Scan<'_> {
    /// The secret that is found from the byte at `at`.
    fn at(&mut self, at: usize) -> Option<Hit> {
        let hit = self.find(at)?;
        // A form with a run before it may start early, never in what was handed on or inside a character.
        let whole = self.text.get(hit.start..hit.end).is_some_and(|s| !s.is_empty());
        (whole && hit.start >= self.copied).then_some(hit)
    }

    fn find(&mut self, at: usize) -> Option<Hit> {
        let here = byte(self.bytes, at);
        if matches!(here, b'\n' | b';' | b'|' | b'&') {
            self.program = Program::default();
        }
        if let Some(hit) = tokens::find(self.bytes, at, self.copied) {
            return Some(hit);
        }
        if here == b':' && self.bytes.get(at..at + 3) == Some(b"://") {
            return url::find(self.bytes, at);
        }
        if here == b'-'
            && let Some(hit) = pem::find(self.bytes, at)
        {
            return Some(hit);
        }
        let starts = in_word(here) && (at == 0 || !in_word(byte(self.bytes, at - 1)) || tokens::opens(self.bytes, at));
        if !starts || matches!(at.checked_sub(1).map(|i| byte(self.bytes, i)), Some(b'-' | b'.')) {
            return None;
        }
        self.word(at)
    }

    /// The secret that the word at `at` announces.
    fn word(&mut self, at: usize) -> Option<Hit> {
        let rest = self.bytes.get(at..)?;
        let length = rest.iter().position(|b| !in_word(*b)).unwrap_or(rest.len());
        let word = self.text.get(at..at + length)?;
        let end = at + length;
        if let Some(hit) = self.program.secret(self.bytes, at, word) {
            return Some(hit);
        }
        self.program.word(word);
        if matches!(word, "Bearer" | "bearer" | "BEARER" | "Basic" | "basic")
            && let Some(hit) = header::bearer(self.bytes, end)
        {
            return Some(hit);
        }
        if HEADERS.iter().any(|name| name.eq_ignore_ascii_case(word)) {
            let cookie = matches!(word.as_bytes().last(), Some(b'e' | b'E'));
            return header::find(self.bytes, end, cookie);
        }
        if let Some(hit) = self.query(at, word) {
            return Some(hit);
        }
        let says = names::says(word)?;
        let (start, end) = self.assigned(at, end, word, says)?;
        // A value that is a known token is called by its name.
        let known = tokens::find(self.bytes, start, start).filter(|hit| (hit.start, hit.end) == (start, end));
        let kind = known.map_or(says.kind(), |hit| hit.kind);
        Some(Hit { start, end, kind })
    }

    /// The signature in a query string.
    fn query(&self, at: usize, word: &str) -> Option<Hit> {
        let before = at.checked_sub(1).map(|i| byte(self.bytes, i));
        let end = at + word.len();
        let in_query = matches!(before, Some(b'?' | b'&')) && byte(self.bytes, end) == b'=';
        if !in_query || !QUERY.iter().any(|name| name.eq_ignore_ascii_case(word)) {
            return None;
        }
        let (start, end) = secret(self.bytes, end + 1, Says::Secret, Joint::Tight)?;
        (end - start >= SHORTEST_SIGNATURE).then_some(Hit {
            start,
            end,
            kind: "signature",
        })
    }

    /// The value that is given to the name `at..end`.
    fn assigned(&self, at: usize, end: usize, word: &str, says: Says) -> Option<(usize, usize)> {
        let text = self.bytes;
        if text.get(..at).is_some_and(|before| before.ends_with(b"${")) && byte(text, end) == b':' {
            return default_value(text, end, says);
        }
        let mut p = end;
        if let Some(quote) = quote(text, p) {
            p = quote.inside;
            if byte(text, p) == b']' {
                p += 1;
            }
        }
        let named = skip_spaces(text, p);
        let (joint, value) = match (byte(text, named), byte(text, named + 1)) {
            // `scheme://`, and `Token::Name` in source code.
            (b':', b'/' | b':') => return None,
            (b':', b'=') => (Joint::Spaced, named + 2),
            (b':', _) => (Joint::Colon, named + 1),
            (b'+' | b'?', b'=') => (Joint::Spaced, named + 2),
            (b'=', b'>') => return quoted_only(text, named + 2, says),
            (b'=', b'=' | b'~') => (Joint::Spaced, named + 2 + usize::from(byte(text, named + 2) == b'=')),
            (b'=', _) if named == p => (Joint::Tight, named + 1),
            (b'=', _) => (Joint::Spaced, named + 1),
            // An option, and what npm calls its tokens.
            _ if named > end && (word.starts_with('-') || word.starts_with("_auth")) => {
                return secret(text, named, says, Joint::Word);
            }
            // SQL: `PASSWORD 'x'`.
            (b'\'', _) if named > end && word.eq_ignore_ascii_case("password") => {
                return secret(text, named, says, Joint::Word);
            }
            _ => return None,
        };
        let start = skip_spaces(text, value);
        if start > value && joint == Joint::Tight {
            // In a shell this sets nothing; in a settings file it is a value.
            let variable = !word.bytes().any(|b| b.is_ascii_lowercase());
            return if variable {
                None
            } else {
                secret(text, start, says, Joint::Spaced)
            };
        }
        secret(text, start, says, joint)
    }
}

/// The value after `=>`: a text in a hash; anything else is an arm of a match or a function.
fn quoted_only(text: &[u8], at: usize, says: Says) -> Option<(usize, usize)> {
    let start = skip_spaces(text, at);
    quote(text, start)?;
    secret(text, start, says, Joint::Spaced)
}

/// The default in `${NAME:-value}`.
fn default_value(text: &[u8], colon: usize, says: Says) -> Option<(usize, usize)> {
    if !matches!(byte(text, colon + 1), b'-' | b'=') || byte(text, colon + 2) == b'}' {
        return None;
    }
    let (start, end) = secret(text, colon + 2, says, Joint::Tight)?;
    let value = text.get(start..end)?;
    let brace = value.iter().position(|b| *b == b'}').map_or(end, |i| start + i);
    (brace > start).then_some((start, brace))
}

/// Bytes of names and options.
const fn in_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')
}

fn skip_spaces(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take(16).take_while(|b| matches!(b, b' ' | b'\t')).count()
}
