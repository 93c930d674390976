//! One walk through the text, and what is looked for at each place of it.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::names::{self, Says};
use crate::options::Program;
use crate::tables::{HEADERS, QUERY};
use crate::tokens::{Hit, byte};
use crate::value::{Joint, OPEN, compound, echoed, quote, secret, shell_word, stand_in, unquoted};
use crate::{commands, header, pem, tokens, url};

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
        pending: Vec::new(),
        looked: 0,
        pieced: 0,
        open: 0,
        read: 0,
    };
    let mut at = 0;
    while at < text.len() {
        if let Some(length) = stand_in(scan.bytes, at) {
            at += length;
        } else if let Some(hit) = scan.at(at).map(|hit| scan.without_marks(hit)) {
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
    /// Secrets further on that a command announced, the first one last.
    pending: Vec<Hit>,
    /// Up to where the words of commands were looked at.
    looked: usize,
    /// Up to where words were put together out of their quotes.
    pieced: usize,
    /// The quote of a shell that is open at `read`.
    open: u8,
    read: usize,
}

impl Scan<'_> {
    /// The secret that is found from the byte at `at`.
    fn at(&mut self, at: usize) -> Option<Hit> {
        let hit = self.find(at)?;
        // A form with a run before it may start early, never in what was handed on or inside a character.
        let whole = self.text.get(hit.start..hit.end).is_some_and(|s| !s.is_empty());
        (whole && hit.start >= self.copied).then_some(hit)
    }

    /// The same with the mark of a stand-in around it that nobody put there: what is taken out is taken out once.
    fn without_marks(&self, hit: Hit) -> Hit {
        let before = self.text.get(self.copied..hit.start).unwrap_or_default();
        if !before.ends_with(OPEN) {
            return hit;
        }
        Hit {
            start: hit.start - OPEN.len(),
            end: hit.end + usize::from(byte(self.bytes, hit.end) == b']'),
            ..hit
        }
    }

    /// The quote that is open at `at` on its line.
    fn quoted(&mut self, at: usize) -> u8 {
        while self.read < at {
            match byte(self.bytes, self.read) {
                b'\n' => self.open = 0,
                b'\\' if self.open != b'\'' => self.read += 1,
                b @ (b'"' | b'\'') if self.open == 0 => self.open = b,
                b if b == self.open => self.open = 0,
                _ => {}
            }
            self.read += 1;
        }
        self.open
    }

    fn find(&mut self, at: usize) -> Option<Hit> {
        while let Some(hit) = self.pending.last().copied()
            && hit.start <= at
        {
            self.pending.pop();
            if hit.start == at {
                return Some(hit);
            }
        }
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
        let open = self.quoted(at);
        let first = at == 0
            || matches!(
                byte(self.bytes, at - 1),
                b' ' | b'\t' | b'\n' | b'=' | b':' | b'(' | b'|' | b';' | b'&'
            );
        if first && open == 0 && at >= self.pieced {
            // A word is put together once; where a quote is not closed, the next one is not looked for right behind it.
            let word = shell_word(self.bytes, at);
            self.pieced = word.map_or(at + 64, |(end, _)| end);
            if let Some(hit) = word.and_then(|(end, several)| split_token(self.bytes, at, end, several)) {
                return Some(hit);
            }
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
        if at >= self.looked
            && commands::starts(self.bytes, at)
            && let Some((looked, hits)) = commands::secrets(self.bytes, at, word)
        {
            self.looked = looked;
            self.pending.extend(hits);
            self.pending.sort_by_key(|hit| core::cmp::Reverse(hit.start));
        }
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
        let (start, end, says) = self.named(at, end, word)?;
        // A value that is a known token is called by its name.
        let known = tokens::find(self.bytes, start, start).filter(|hit| (hit.start, hit.end) == (start, end));
        let kind = known.map_or(says.kind(), |hit| hit.kind);
        Some(Hit { start, end, kind })
    }

    /// The value of a name that says secret, and what the name says.
    fn named(&mut self, at: usize, end: usize, word: &str) -> Option<(usize, usize, Says)> {
        let tight = byte(self.bytes, end) == b'=';
        let plain = names::says(word).or_else(|| names::option(word));
        let says = plain.or_else(|| if tight { names::assigned(word) } else { None })?;
        let open = self.quoted(at);
        if tight && open == 0 {
            if let Some(start) = echoed(self.bytes, end + 1) {
                let (start, end) = secret(self.bytes, start, says, Joint::Word)?;
                return Some((start, end, says));
            }
            if let Some((start, end)) = compound(self.bytes, end + 1) {
                return Some((start, end, says));
            }
        }
        if let Some(start) = self.told(at, end) {
            let (start, end) = secret(self.bytes, start, says, Joint::Word)?;
            return Some((start, end, says));
        }
        let spaces = skip_spaces(self.bytes, end);
        if open == 0
            && word.starts_with('-')
            && spaces > end
            && let Some((start, end)) = compound(self.bytes, spaces)
        {
            return Some((start, end, says));
        }
        let (start, end) = self.assigned(at, end, word, says)?;
        let value = self.bytes.get(start..end)?;
        // `pass=12`, `PWD=/x`, `--pass 2`.
        let weak = plain.is_none() && (value.len() < 4 || value.starts_with(b"/"));
        let count = names::option(word).is_some() && value.len() == 1;
        (!weak && !count).then_some((start, end, says))
    }

    /// Where the value of a variable stands that another command sets: `read NAME <<< X`, `printf -v NAME %s X`.
    fn told(&self, at: usize, end: usize) -> Option<usize> {
        let next = skip_spaces(self.bytes, end);
        let near = self.bytes.get(at.saturating_sub(64)..at)?;
        if self.bytes.get(next..next + 3) == Some(b"<<<") && near.windows(5).any(|w| w == b"read ") {
            return Some(skip_spaces(self.bytes, next + 3));
        }
        if next == end || !self.bytes.get(..at)?.ends_with(b" -v ") {
            return None;
        }
        let (format, _) = shell_word(self.bytes, next)?;
        let word = self.bytes.get(next..format)?;
        Some(if word.contains(&b'%') {
            skip_spaces(self.bytes, format)
        } else {
            next
        })
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

/// A known form that quotes cut into pieces: `g"hp_"..`.
fn split_token(text: &[u8], at: usize, end: usize, several: bool) -> Option<Hit> {
    let raw = text.get(at..end)?;
    let escaped = raw.contains(&b'\\');
    // A line end in a text, not the letter that a shell makes of it.
    let written = |pair: &[u8]| matches!(pair, [b'\\', b'n' | b'r' | b't' | b'u' | b'x' | b'0' | b'"' | b'\'']);
    if escaped && raw.windows(2).any(written) {
        return None;
    }
    if !several && !escaped || end - at < 16 {
        return None;
    }
    let (word, places) = unquoted(text, at, end);
    let found = (0..word.len()).find_map(|i| tokens::find(&word, i, 0))?;
    let start = *places.get(found.start)?;
    let stop = *places.get(found.end.checked_sub(1)?)? + 1;
    let kind = found.kind;
    // In one piece it is found at its own place.
    (stop - start > found.end - found.start).then_some(Hit { start, end: stop, kind })
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
