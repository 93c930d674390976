//! Headers whose value is a secret as a whole: `Authorization: Bearer X`, `Cookie: a=X`.

use crate::names::Says;
use crate::tables::SCHEMES;
use crate::tokens::{Hit, byte};
use crate::value::{Joint, quote, secret, stand_in};

/// No name of a scheme is longer.
const LONGEST_SCHEME: usize = 32;
/// A cookie's first name is not longer than this.
const LONGEST_NAME: usize = 256;

/// The secret of a header whose name ends at `at`.
pub(crate) fn find(text: &[u8], at: usize, cookie: bool) -> Option<Hit> {
    let at = quote(text, at).map_or(at, |q| q.inside);
    let at = skip_spaces(text, at);
    if !matches!(byte(text, at), b':' | b'=') {
        return None;
    }
    let at = skip_spaces(text, at + 1);
    // `f"..."` too.
    let letter = byte(text, at).is_ascii_alphabetic();
    let quoted = quote(text, at).or_else(|| if letter { quote(text, at + 1) } else { None });
    let at = quoted.map_or(at, |q| q.inside);
    if cookie {
        let near = text.get(at..text.len().min(at + LONGEST_NAME))?;
        let line = near.iter().take_while(|b| **b != b'\n');
        return if line.copied().any(|b| b == b'=') {
            hit(text, at, line_end, "cookie")
        } else {
            None
        };
    }
    let near = text.get(..text.len().min(at + LONGEST_SCHEME))?;
    let word = word_end(near, at);
    let scheme = core::str::from_utf8(text.get(at..word)?).ok()?.to_ascii_lowercase();
    let start = skip_spaces(text, word);
    if start > word && (scheme.starts_with("aws4-") || scheme == "digest") {
        return hit(text, start, line_end, "authorization");
    }
    if start > word && SCHEMES.contains(&scheme.as_str()) {
        return hit(text, start, word_end, "authorization");
    }
    let (start, end) = secret(text, at, Says::Secret, Joint::Colon)?;
    Some(Hit {
        start,
        end,
        kind: "authorization",
    })
}

/// The value from `start` to where `end` says, unless it is a variable or was taken out before.
fn hit(text: &[u8], start: usize, end: fn(&[u8], usize) -> usize, kind: &'static str) -> Option<Hit> {
    if stand_in(text, start).is_some() || matches!(byte(text, start), b'$' | b'<' | b'{' | b'%' | b'*') {
        return None;
    }
    let end = end(text, start);
    (end > start).then_some(Hit { start, end, kind })
}

/// The token after a `Bearer` or `Basic` that stands alone and ends at `at`. In prose a word follows; a token is long
/// and mixed.
pub(crate) fn bearer(text: &[u8], at: usize) -> Option<Hit> {
    let start = skip_spaces(text, at);
    let rest = text.get(start..)?;
    let token = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'-');
    let length = rest.iter().take_while(|b| token(b)).count();
    let value = rest.get(..length)?;
    let mixed = value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic);
    (start > at && length >= 16 && mixed).then_some(Hit {
        start,
        end: start + length,
        kind: "bearer",
    })
}

fn skip_spaces(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take(16).take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// The end of a word of a header: a space, a quote, a line end, also in its escaped form.
fn word_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let ends = |b: &u8| {
        b.is_ascii_whitespace() || b.is_ascii_control() || matches!(b, b'"' | b'\'' | b'`' | b'\\' | b',' | b';')
    };
    at + rest.iter().position(ends).unwrap_or(rest.len())
}

/// The end of the header: a quote or a line end.
fn line_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let ends = |b: &u8| matches!(b, b'"' | b'\'' | b'`' | b'\n' | b'\r' | b'\\');
    at + rest.iter().position(ends).unwrap_or(rest.len())
}
