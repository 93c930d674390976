//! Passwords in addresses: `scheme://user:PASSWORD@host`.

use crate::tokens::{Hit, byte};
use crate::value::stand_in;

/// How far an address is looked at. A longer one has no password in front of its host.
const FARTHEST: usize = 512;

/// The secret of the address whose `://` starts at `at`.
pub(crate) fn find(text: &[u8], at: usize) -> Option<Hit> {
    let start = at + 3;
    let rest = text.get(start..text.len().min(start + FARTHEST))?;
    let word = rest
        .iter()
        .position(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'|'));
    let word = rest.get(..word.unwrap_or(rest.len()))?;
    let authority = word
        .iter()
        .position(|b| matches!(b, b'/' | b'?' | b'#'))
        .unwrap_or(word.len());
    let host = word.get(..authority)?.iter().rposition(|b| *b == b'@');
    let (end, strict) = match host {
        Some(end) => (end, false),
        // A password with a slash in it that nobody encoded.
        None => (word.iter().rposition(|b| *b == b'@')?, true),
    };
    let user = word.get(..end)?;
    match user.iter().position(|b| *b == b':') {
        Some(colon) => {
            let password = user.get(colon + 1..)?;
            let port = password.iter().take_while(|b| b.is_ascii_digit()).count();
            let is_port = matches!(password.get(port), None | Some(b'/' | b'?')) && strict;
            let hit = Hit {
                start: start + colon + 1,
                end: start + end,
                kind: "password",
            };
            (!is_port && !harmless(text, hit.start, password)).then_some(hit)
        }
        // `https://TOKEN@host`
        None if !strict && is_token(user) => Some(Hit {
            start,
            end: start + end,
            kind: "token",
        }),
        None => None,
    }
}

/// Empty, taken out before, or a variable.
fn harmless(text: &[u8], at: usize, password: &[u8]) -> bool {
    let variable = byte(password, 0) == b'$'
        && (matches!(byte(password, 1), b'{' | b'(')
            || password.iter().skip(1).all(|b| b.is_ascii_alphanumeric() || *b == b'_'));
    let stars = password.iter().all(|b| *b == b'*');
    let stands = stand_in(text, at).is_some_and(|length| length == password.len());
    let template = password.starts_with(b"{{") || password.starts_with(b"<") || password.starts_with(b"%(");
    variable || stars || stands || template
}

/// A user name that is long and mixed is a token.
fn is_token(user: &[u8]) -> bool {
    user.len() >= 20
        && user
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        && user.iter().any(u8::is_ascii_digit)
        && user.iter().any(u8::is_ascii_alphabetic)
}
