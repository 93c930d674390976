//! What stands behind a name: a value, or something that only looks like one.

use alloc::vec::Vec;

use crate::names::Says;
use crate::tables::{PLAIN, PROSE};
use crate::tokens::byte;

/// How a name and its value are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joint {
    /// `name=value`: a shell, a query string, a settings file.
    Tight,
    /// `name = value`: a settings file, or source code.
    Spaced,
    /// `name: value`: YAML, JSON, a header, or prose.
    Colon,
    /// `--name value`
    Word,
}

/// What text stands for a secret that was taken out. Already there, it is left alone.
pub(crate) const OPEN: &str = "[redacted:";

/// Digits in the name of a kind of secret.
const MOST_DIGITS: usize = 4;

/// The length of the stand-in at `at`, if there is one.
pub(crate) fn stand_in(text: &[u8], at: usize) -> Option<usize> {
    let kind = text.get(at..)?.strip_prefix(OPEN.as_bytes())?;
    let length = kind
        .iter()
        .take(40)
        .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || **b == b'-')
        .count();
    // A token in such brackets is a token: no kind of secret is named by many digits.
    let digits = kind.iter().take(length).filter(|b| b.is_ascii_digit()).count();
    let is_kind = length > 0 && digits <= MOST_DIGITS && kind.get(length) == Some(&b']');
    is_kind.then_some(OPEN.len() + length + 1)
}

/// An opening quote: where the text in it starts, and how it is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    pub(crate) inside: usize,
    mark: u8,
    backslashes: usize,
}

/// A bare word that is longer is a secret if its place says so.
const LONGEST_WORD: usize = 512;

/// More backslashes than this do not belong to a quote.
const DEEPEST: usize = 7;

/// The quote at `at`: `"`, `'` or a backtick, with the backslashes that a text within a text puts before it.
pub(crate) fn quote(text: &[u8], at: usize) -> Option<Quote> {
    let rest = text.get(at..)?;
    let backslashes = rest.iter().take(DEEPEST + 1).take_while(|b| **b == b'\\').count();
    let mark = *rest.get(backslashes)?;
    (backslashes <= DEEPEST && matches!(mark, b'"' | b'\'' | b'`')).then_some(Quote {
        inside: at + backslashes + 1,
        mark,
        backslashes,
    })
}

impl Quote {
    /// Where the closing quote (with its backslashes) starts, on the same line.
    pub(crate) fn close(&self, text: &[u8]) -> Option<usize> {
        let mut backslashes = 0;
        for (i, b) in text.get(self.inside..)?.iter().enumerate() {
            match *b {
                b'\n' => return None,
                b'\\' => backslashes += 1,
                b if b == self.mark && self.closes(backslashes) => return Some(self.inside + i - self.backslashes),
                _ => backslashes = 0,
            }
        }
        None
    }

    /// An own quote is closed by one with the same backslashes, a plain one by one that is not escaped.
    const fn closes(&self, backslashes: usize) -> bool {
        if self.backslashes == 0 {
            backslashes.is_multiple_of(2)
        } else {
            backslashes == self.backslashes
        }
    }

    const fn single(&self) -> bool {
        self.mark == b'\''
    }
}

/// The range of the secret that starts at `at`.
pub(crate) fn secret(text: &[u8], at: usize, says: Says, joint: Joint) -> Option<(usize, usize)> {
    if stand_in(text, at).is_some() {
        return None;
    }
    // `b"..."`, `f'...'`, `$'...'`, `@"..."`
    let letter = matches!(byte(text, at), b'b' | b'f' | b'r' | b'u' | b'$' | b'@' | b'L');
    let quoted = quote(text, at).or_else(|| if letter { quote(text, at + 1) } else { None });
    match quoted {
        // A command in a shell, a text in a script.
        Some(quote) if quote.mark == b'`' && matches!(joint, Joint::Tight | Joint::Word) => None,
        Some(quote) => inside(text, quote, says),
        None => bare(text, at, says, joint),
    }
}

/// A word of a shell is not longer than this where its quotes are looked at.
const LONGEST_COMPOUND: usize = 1024;

/// The end of a word of a shell with the quotes in it, and whether it is of several pieces: `abc""def`, `a'b c'`. `None`
/// where a quote is not closed on the line.
pub(crate) fn shell_word(text: &[u8], at: usize) -> Option<(usize, bool)> {
    let near = text.get(at..text.len().min(at + LONGEST_COMPOUND))?;
    let (mut i, mut pieces, mut bare) = (0, 0_usize, false);
    while let Some(b) = near.get(i) {
        match b {
            b'"' | b'\'' => {
                let rest = near.get(i + 1..)?;
                let mut escaped = false;
                let close = rest.iter().position(|c| {
                    let closes = c == b && !escaped || *c == b'\n';
                    escaped = *b == b'"' && *c == b'\\' && !escaped;
                    closes
                })?;
                if rest.get(close) == Some(&b'\n') {
                    return None;
                }
                pieces += 1;
                bare = false;
                i += close + 2;
                continue;
            }
            b'\\' if near.get(i + 1).is_some_and(u8::is_ascii) => i += 2,
            b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' | b'`' => break,
            b if b.is_ascii_whitespace() || b.is_ascii_control() => break,
            _ => i += 1,
        }
        if !bare {
            pieces += 1;
            bare = true;
        }
    }
    Some((at + i.min(near.len()), pieces > 1))
}

/// The text of a word of a shell without its quotes, with the place of each byte.
pub(crate) fn unquoted(text: &[u8], start: usize, end: usize) -> (Vec<u8>, Vec<usize>) {
    let (mut out, mut places) = (Vec::new(), Vec::new());
    let (mut open, mut escaped) = (0, false);
    for (i, b) in text.get(start..end).unwrap_or_default().iter().enumerate() {
        match *b {
            b'\\' if !escaped && open != b'\'' => {
                escaped = true;
                continue;
            }
            b @ (b'"' | b'\'') if !escaped && (open == 0 || open == b) => open = if open == 0 { b } else { 0 },
            b => {
                out.push(b);
                places.push(start + i);
            }
        }
        escaped = false;
    }
    (out, places)
}

/// The secret that is one word of a shell in several quotes.
pub(crate) fn compound(text: &[u8], at: usize) -> Option<(usize, usize)> {
    if stand_in(text, at).is_some() || matches!(byte(text, at), b'-' | b'$' | b'`' | b'\\') {
        return None;
    }
    let (end, several) = shell_word(text, at)?;
    if let Some(first) = quote(text, at).and_then(|quote| quote.close(text))
        && matches!(byte(text, first + 1), b',' | b'}' | b']' | b':' | b'.' | b'%' | b'+')
    {
        // A text in a script or in data.
        return None;
    }
    let (value, _) = unquoted(text, at, end);
    let odd = value.is_empty() || value.first() == Some(&b'$') || value.windows(2).any(|w| w == b"$(");
    let taken = value.windows(OPEN.len()).any(|w| w == OPEN.as_bytes());
    (several && !odd && !taken && !reference(&value)).then_some((at, end))
}

/// The text that `$(echo X)` stands for: where X starts.
pub(crate) fn echoed(text: &[u8], at: usize) -> Option<usize> {
    let stop = text.len().min(at + 128);
    let rest = text.get(at..stop)?;
    let rest = rest.strip_prefix(b"\"").unwrap_or(rest);
    let inside = rest.strip_prefix(b"$(").or_else(|| rest.strip_prefix(b"`"))?;
    let inside = inside.trim_ascii_start();
    let mut words = inside
        .strip_prefix(b"echo ")
        .or_else(|| inside.strip_prefix(b"printf "))?;
    loop {
        words = words.trim_ascii_start();
        let length = words
            .iter()
            .position(|b| b.is_ascii_whitespace())
            .unwrap_or(words.len());
        let word = words.get(..length)?;
        if !word.starts_with(b"-") && !word.contains(&b'%') {
            break;
        }
        words = words.get(length..)?;
        if words.is_empty() {
            return None;
        }
    }
    Some(stop - words.len())
}

/// The secret in a quote.
fn inside(text: &[u8], quote: Quote, says: Says) -> Option<(usize, usize)> {
    let start = quote.inside;
    if stand_in(text, start).is_some() || matches!(byte(text, start), b' ' | b'\t' | b'\n' | 0) {
        return None;
    }
    let Some(end) = quote.close(text) else {
        // Not closed on this line: the value goes on, or it was no value. Its first word is taken.
        let end = bare_end(text, start);
        return (end > start && end - start >= 4).then_some((start, end));
    };
    let value = text.get(start..end)?;
    let plain = value.is_empty() || !quote.single() && reference(value) || is_plain(value, says);
    (!plain).then_some((start, end))
}

/// The secret that is one bare word.
fn bare(text: &[u8], at: usize, says: Says, joint: Joint) -> Option<(usize, usize)> {
    let fetched = byte(text, at) == b'$' && matches!(byte(text, at + 1), b'(' | b'{');
    if fetched || byte(text, at) == b'=' || joint == Joint::Word && byte(text, at) == b'-' {
        return None;
    }
    let near = text.get(..text.len().min(at + LONGEST_WORD)).unwrap_or(text);
    let end = bare_end(near, at);
    if end == near.len() && end < text.len() {
        // Nothing that is no secret is that long, and what is taken is not walked through again.
        return Some((at, bare_end(text, at)));
    }
    (end > at && !harmless(text, at, end, says, joint)?).then_some((at, end))
}

/// Whether a bare word is no secret in its place.
fn harmless(text: &[u8], at: usize, end: usize, says: Says, joint: Joint) -> Option<bool> {
    let value = text.get(at..end)?;
    if is_plain(value, says) || reference(value) {
        return Some(true);
    }
    // A call, an index or a path of names is source code that fetches the secret from elsewhere.
    let code = matches!(byte(text, end), b'(' | b'<') || value.contains(&b'[') || value.starts_with(b"&");
    let path = value.windows(2).any(|pair| pair == b"::") || value.starts_with(b"*");
    let elsewhere =
        code || path || value.ends_with(b"/") || names_only(value) || says == Says::Secret && is_type(value);
    Some(match joint {
        Joint::Tight => false,
        Joint::Spaced => elsewhere,
        Joint::Word => in_prose(value),
        Joint::Colon => elsewhere || in_prose(value) || prose(text, at, end),
    })
}

/// The end of a bare word. A comma or bracket at its end belongs to what is around it.
fn bare_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let mut length = 0;
    while let Some(b) = rest.get(length) {
        match b {
            b'\\' => match rest.get(length + 1) {
                Some(b'n' | b'r' | b't' | b'"' | b'\'' | b'\\' | b'u') | None => break,
                Some(next) if !next.is_ascii() => length += 1,
                Some(_) => length += 2,
            },
            b'"' | b'\'' | b'`' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => break,
            b if b.is_ascii_whitespace() || b.is_ascii_control() => break,
            _ => length += 1,
        }
    }
    let word = rest.get(..length).unwrap_or_default();
    let kept = word
        .iter()
        .rposition(|b| !matches!(b, b',' | b'}' | b']' | b'.'))
        .map_or(0, |i| i + 1);
    // `${x}` keeps its brace.
    if word.starts_with(b"$") { at + length } else { at + kept }
}

/// Whether the value stands for another one: `$NAME`, `${..}`, `$(..)`, `{{ .. }}`, `%s`, `<token>`, `***`.
fn reference(value: &[u8]) -> bool {
    let (first, second) = (byte(value, 0), byte(value, 1));
    match first {
        b'$' if matches!(second, b'{' | b'(') => true,
        b'$' => {
            let name = value.get(1..).unwrap_or_default();
            let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b == b':';
            !name.is_empty() && name.iter().all(word)
        }
        b'{' => second == b'{' || second == b'%' || value.ends_with(b"}"),
        b'%' => value.len() <= 2 || value.ends_with(b"%") || second == b'(',
        b'<' => value.ends_with(b">"),
        b'`' => true,
        _ => {
            value.iter().all(|b| *b == first) && !first.is_ascii_alphanumeric()
                || value.len() > 2 && value.iter().all(|b| matches!(b, b'x' | b'X'))
        }
    }
}

/// Whether the value is one that is no secret whatever the name says.
fn is_plain(value: &[u8], says: Says) -> bool {
    let Ok(text) = core::str::from_utf8(value) else {
        return false;
    };
    if PLAIN.iter().any(|plain| text.eq_ignore_ascii_case(plain))
        || text.starts_with("id=")
        || text.starts_with("type=")
    {
        return true;
    }
    if says == Says::Password {
        return false;
    }
    let number = text.len() < 6 && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    number || is_path(text)
}

/// Whether the value names a file. A key in base64 may start with a slash too, so only well-known places count.
fn is_path(text: &str) -> bool {
    const PLACES: [&str; 17] = [
        "~/", "./", "../", "/home/", "/root/", "/etc/", "/usr/", "/var/", "/tmp/", "/opt/", "/run/", "/mnt/",
        "/Users/", "/dev/", "/proc/", "/srv/", "/app/",
    ];
    PLACES.iter().any(|place| text.starts_with(place))
}

/// `os.environ`, `self.token`, `request.headers`: names joined by dots, as in source code.
fn names_only(value: &[u8]) -> bool {
    value.contains(&b'.')
        && value.split(|b| *b == b'.').all(|word| {
            word.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
                && word.iter().all(|b| b.is_ascii_alphabetic() || *b == b'_')
        })
}

/// Whether the word is one that goes on with a sentence.
fn in_prose(value: &[u8]) -> bool {
    PROSE.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

/// `Span`, `TokenStream`: a capital, then letters only, with a small one among them.
fn is_type(value: &[u8]) -> bool {
    byte(value, 0).is_ascii_uppercase()
        && value.iter().all(u8::is_ascii_alphabetic)
        && value.iter().any(u8::is_ascii_lowercase)
}

/// Whether a word after a colon starts a sentence: letters only, and another word follows on the line.
fn prose(text: &[u8], at: usize, end: usize) -> bool {
    let word = text.get(at..end).unwrap_or_default();
    let letters = word
        .iter()
        .all(|b| b.is_ascii_alphabetic() || matches!(b, b'\'' | b'-'));
    let ended = matches!(byte(text, end), b' ' | b',' | b'.' | b';');
    let rest = text.get(end + 1..).unwrap_or_default();
    let next = rest.iter().take(16).find(|b| !matches!(b, b' ' | b'\t'));
    letters && ended && next.is_some_and(u8::is_ascii_alphanumeric)
}
