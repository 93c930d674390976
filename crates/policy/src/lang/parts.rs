//! Text in quotes, cut into what stands there and what is put in.

use alloc::string::String;
use alloc::vec::Vec;

use super::lexer::Part;

/// Characters of a text, and whether each was escaped.
pub(super) type Body = Vec<(char, bool)>;

pub(super) fn close_of(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        c => c,
    }
}

/// Where values stand inside a text.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Holes {
    None,
    Hash,
    Sigil,
    Dollar,
    Template,
    Braces,
}

pub(super) fn split_parts(body: &[(char, bool)], holes: Holes) -> Vec<Part> {
    let mut out = Vec::new();
    let mut text = String::new();
    let mut at = 0;
    while let Some((c, escaped)) = body.get(at).copied() {
        let next = body.get(at + 1).map_or(' ', |(c, _)| *c);
        let hole = match holes {
            _ if escaped => None,
            Holes::None => None,
            Holes::Braces if c == '{' && next == '{' || c == '}' && next == '}' => {
                at += 1;
                None
            }
            Holes::Braces if c == '{' => braced(body, at),
            Holes::Hash if c == '#' && next == '{' => braced(body, at + 1),
            Holes::Dollar | Holes::Template if c == '$' && next == '{' => braced(body, at + 1),
            Holes::Dollar if c == '$' => sigil(body, at),
            Holes::Sigil if matches!(c, '@' | '$' | '{') => sigil(body, at),
            _ => None,
        };
        match hole {
            Some((code, end)) => {
                if !text.is_empty() {
                    out.push(Part::Text(core::mem::take(&mut text)));
                }
                out.push(Part::Code(code));
                at = end;
            }
            None => {
                text.push(c);
                at += 1;
            }
        }
    }
    if !text.is_empty() || out.is_empty() {
        // Most texts are one part, and there may be very many of them.
        out.reserve_exact(1);
        out.push(Part::Text(text));
    }
    out
}

/// What stands in the braces that open at `at`, without a format behind a colon or `!`.
fn braced(body: &[(char, bool)], at: usize) -> Option<(String, usize)> {
    let mut depth = 0usize;
    for (i, (c, _)) in body.iter().enumerate().skip(at) {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    let code: String = body.iter().skip(at + 1).take(i - at - 1).map(|(c, _)| *c).collect();
                    return Some((code, i + 1));
                }
            }
            _ => {}
        }
    }
    None
}

/// `$name`, `${name}`, `$h{key}`, `$a[0]`, `@{[ code ]}`, `{$x}`
fn sigil(body: &[(char, bool)], at: usize) -> Option<(String, usize)> {
    let char_at = |i: usize| body.get(i).map_or(' ', |(c, _)| *c);
    let named = |c: char| c.is_alphabetic() || c == '_';
    let (c, next) = (char_at(at), char_at(at + 1));
    if c == '{' {
        return if next == '$' { braced(body, at) } else { None };
    }
    if next == '{' {
        let (code, end) = braced(body, at + 1)?;
        let code = match code.strip_prefix('[') {
            Some(list) => list.trim_end_matches(']').into(),
            None if c == '$' && code.starts_with(char::is_alphabetic) => alloc::format!("${code}"),
            None => code,
        };
        return Some((code, end));
    }
    if !named(next) && !(c == '$' && (next.is_ascii_digit() || next == '$')) {
        return None;
    }
    let mut end = at + 2;
    while named(char_at(end)) || char_at(end).is_ascii_digit() {
        end += 1;
    }
    if matches!(char_at(end), '{' | '[') {
        let close = close_of(char_at(end));
        let until = body.iter().skip(end).position(|(c, _)| *c == close)?;
        end += until + 1;
    }
    Some((body.iter().skip(at).take(end - at).map(|(c, _)| *c).collect(), end))
}
