//! Patterns against text, and patterns against patterns.
//!
//! `?` is one character, `[..]` one of a set, `*` any run without `/`, `**` any run. Backtracking is bounded: the
//! matcher is a table over both texts, so its time is their product and never more.

use alloc::vec;
use alloc::vec::Vec;

/// One element of a pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sym {
    Char(char),
    /// One character, but not `/`.
    One,
    /// One character.
    Any,
    /// One of a set of ASCII characters.
    Set(u128),
    /// Any run without `/`.
    Run,
    /// Any run.
    Deep,
}

/// Longest pattern or text that is compared; anything longer does not match and is judged by its other properties.
const MAX: usize = 512;

fn symbols(text: &str, active: bool, words: bool) -> Option<Vec<Sym>> {
    if text.len() > MAX {
        return None;
    }
    let mut out = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '*' if active => {
                if chars.next_if_eq(&'*').is_some() {
                    // `**/x` also matches `x` at the start, so the slash belongs to the run.
                    out.push(Sym::Deep);
                } else {
                    out.push(if words { Sym::Deep } else { Sym::Run });
                }
            }
            '?' if active && words => out.push(Sym::Any),
            '?' if active => out.push(Sym::One),
            '[' if active && chars.clone().any(|c| c == ']') => {
                out.push(set(&mut chars));
            }
            c => out.push(Sym::Char(c.to_ascii_lowercase())),
        }
    }
    Some(out)
}

/// The rest of a bracket expression, after `[`. Characters that are not ASCII make it match any character.
fn set(chars: &mut core::iter::Peekable<core::str::Chars<'_>>) -> Sym {
    let negated = chars.next_if(|c| matches!(c, '!' | '^')).is_some();
    let mut bits = 0u128;
    let mut last: Option<u32> = None;
    let mut wide = false;
    while let Some(c) = chars.next() {
        if c == ']' {
            break;
        }
        let code = u32::from(c.to_ascii_lowercase());
        wide |= code > 127 || c == '[';
        if c == '-' && last.is_some() && chars.peek().is_some_and(|c| *c != ']') {
            let end = chars.next().map_or(0, |c| u32::from(c.to_ascii_lowercase())).min(127);
            (last.unwrap_or(0)..=end).for_each(|b| bits |= 1 << b);
            last = None;
            continue;
        }
        if code < 128 {
            bits |= 1 << code;
        }
        last = Some(code);
    }
    match (wide, negated) {
        (true, _) => Sym::One,
        (false, true) => Sym::Set(!bits & !(1 << u32::from('/'))),
        (false, false) => Sym::Set(bits),
    }
}

/// Whether a pattern of a command may stand for a name, or the name is written just so.
#[must_use]
pub fn name_fits(pattern: &str, name: &str) -> bool {
    pattern == name || matches(pattern, name)
}

/// Whether `pattern` matches the whole of `text`. ASCII case is ignored.
#[must_use]
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    !ends_differ(pattern, text, false) && overlap_symbols(symbols(pattern, true, false), symbols(text, false, false))
}

/// Whether some text matches both patterns.
#[must_use]
pub(crate) fn overlaps(a: &str, b: &str) -> bool {
    !ends_differ(a, b, true) && overlap_symbols(symbols(a, true, false), symbols(b, true, false))
}

/// Whether some text matches both, where the texts are words and not paths: `*` and `?` of `pattern` also match `/`.
#[must_use]
pub(crate) fn like(pattern: &str, word: &str) -> bool {
    !ends_differ(pattern, word, true) && overlap_symbols(symbols(pattern, true, true), symbols(word, true, false))
}

/// A look at what stands behind the last wildcard of two patterns of which the front may be anything.
pub(crate) fn tails_differ(a: &str, b: &str) -> bool {
    let differ = |(x, y): (u8, u8)| {
        if wild(x) || wild(y) {
            Some(false)
        } else {
            (!x.eq_ignore_ascii_case(&y)).then_some(true)
        }
    };
    a.bytes().rev().zip(b.bytes().rev()).find_map(differ) == Some(true)
}

/// A look at what stands before the first wildcard and after the last one: most patterns differ there already.
fn ends_differ(a: &str, b: &str, active: bool) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let open = |x: u8, y: u8| wild(x) || (active && wild(y));
    let differ = |(x, y): (&u8, &u8)| {
        if open(*x, *y) {
            Some(false)
        } else {
            (!x.eq_ignore_ascii_case(y)).then_some(true)
        }
    };
    let front = a.iter().zip(b).find_map(differ);
    if front == Some(true) || a.iter().rev().zip(b.iter().rev()).find_map(differ) == Some(true) {
        return true;
    }
    // What stands between wildcards has to stand in a text somewhere.
    let plain = !active || !b.iter().any(|c| wild(*c));
    plain && !contains(b, first_text(a))
}

const fn wild(c: u8) -> bool {
    matches!(c, b'*' | b'?' | b'[' | b']')
}

/// The first text that stands in a pattern literally, behind wildcards and strokes; nothing where there are brackets.
fn first_text(pattern: &[u8]) -> &[u8] {
    let start = pattern.iter().position(|c| !wild(*c) && *c != b'/').unwrap_or(0);
    let rest = pattern.get(start..).unwrap_or_default();
    if pattern.contains(&b'[') {
        return &[];
    }
    let end = rest.iter().position(|c| wild(*c)).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    let Some((first, rest)) = part.split_first() else {
        return true;
    };
    let begins = |(at, c): (usize, &u8)| {
        c.eq_ignore_ascii_case(first)
            && text
                .get(at + 1..at + 1 + rest.len())
                .is_some_and(|tail| tail.eq_ignore_ascii_case(rest))
    };
    text.iter().enumerate().any(begins)
}

/// Whether `pattern` matches the whole of a word that is known: its own stars are characters.
#[must_use]
pub(crate) fn names(pattern: &str, word: &str) -> bool {
    !ends_differ(pattern, word, false) && overlap_symbols(symbols(pattern, true, true), symbols(word, false, true))
}

fn overlap_symbols(a: Option<Vec<Sym>>, b: Option<Vec<Sym>>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    // reach[j]: some text is matched by a[..i] and b[..j].
    let mut reach = vec![false; b.len() + 1];
    let mut row = Vec::with_capacity(reach.len());
    start_row(&mut reach, &b);
    for sym in &a {
        next_row(&reach, *sym, &b, &mut row);
        core::mem::swap(&mut reach, &mut row);
        if !reach.contains(&true) {
            return false;
        }
    }
    reach.last().copied().unwrap_or(false)
}

fn start_row(reach: &mut [bool], b: &[Sym]) {
    let mut open = true;
    for (j, cell) in reach.iter_mut().enumerate() {
        *cell = open;
        open = open && b.get(j).is_some_and(|s| matches!(s, Sym::Run | Sym::Deep));
    }
}

fn next_row(before: &[bool], sym: Sym, b: &[Sym], row: &mut Vec<bool>) {
    row.clear();
    let wild = matches!(sym, Sym::Run | Sym::Deep);
    let (mut left, mut diagonal) = (false, false);
    for (above, other) in before
        .iter()
        .copied()
        .zip(core::iter::once(None).chain(b.iter().map(Some)))
    {
        let mut cell = wild && above;
        // Where nothing is reached around a cell, nothing is compared.
        if let Some(other) = other.filter(|_| left || diagonal || above) {
            let other_wild = matches!(other, Sym::Run | Sym::Deep);
            let agrees = agree(sym, *other);
            // One side stays on its run while the other moves on.
            cell |= agrees && (diagonal || (wild && left) || (other_wild && above));
            cell |= other_wild && left;
        }
        row.push(cell);
        (left, diagonal) = (cell, above);
    }
}

/// Whether one character can satisfy both.
fn agree(a: Sym, b: Sym) -> bool {
    match (a, b) {
        (Sym::Char(x), Sym::Char(y)) => x == y,
        (Sym::Char(c), Sym::Set(bits)) | (Sym::Set(bits), Sym::Char(c)) => {
            u32::from(c) < 128 && bits & (1 << u32::from(c)) != 0
        }
        (Sym::Set(a), Sym::Set(b)) => a & b != 0,
        (Sym::Char(c), Sym::One | Sym::Run) | (Sym::One | Sym::Run, Sym::Char(c)) => c != '/',
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{like, matches, names, overlaps, tails_differ};

    #[test]
    fn text() {
        for (pattern, text, expected) in [
            ("/etc/*", "/etc/passwd", true),
            ("/etc/*", "/etc/a/b", false),
            ("/etc/**", "/etc/a/b", true),
            ("**/.ssh/id_*", "/home/ann/.ssh/id_rsa", true),
            ("**/.ssh/id_*", "/home/ann/.ssh/config", false),
            ("*.pem", "a.pem", true),
            ("", "", true),
            ("*", "", true),
            ("a?c", "abc", true),
            ("a[bc]d", "axd", false),
            ("a[b-d]d", "acd", true),
            ("a[!b]d", "axd", true),
            ("alias.*", "alias.st", true),
            ("a[b-d]d", "aad", false),
            ("a[b-d]d", "aed", false),
            ("a[!b-d]d", "acd", false),
            ("a[^b]d", "abd", false),
            ("a[^b]d", "acd", true),
            ("a[!b]d", "a/d", false),
            ("a[b-]d", "a-d", true),
            ("a[b-]d", "acd", false),
            ("a[-b]d", "a-d", true),
            ("a[B]d", "abd", true),
            ("a[bc", "a[bc", true),
            ("a[\u{80}]d", "axd", true),
            ("a[\u{7f}]d", "axd", false),
            ("a[é]d", "axd", true),
            ("a[é]d", "a/d", false),
            ("a?c", "a/c", false),
            ("a?c", "ac", false),
            ("a*c", "abbc", true),
            ("a*c", "ab/c", false),
            ("a**c", "ab/bc", true),
            ("ab", "abc", false),
            ("AB", "ab", true),
            ("*b*", "abc", true),
            ("*b*", "ac", false),
            ("*bd*", "abcd", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn patterns() {
        for (a, b, expected) in [
            ("/e?c", "/etc", true),
            ("/home/ann/.ssh/*", "**/.ssh/id_*", true),
            ("/home/ann/.ssh/*.pub", "**/.ssh/config", false),
            ("/x/*", "/x/a/b", false),
            ("a*", "*b", true),
            ("a*c", "b*", false),
            ("[ab]", "[bc]", true),
            ("[ab]", "[cd]", false),
            ("[ab]", "b", true),
            ("[ab]", "c", false),
            ("?", "/", false),
            ("?", "*", true),
            ("*/a", "b/*", true),
            ("**a", "/x/*", true),
        ] {
            assert_eq!(overlaps(a, b), expected, "{a} {b}");
            assert_eq!(overlaps(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn words() {
        for (pattern, word, expected) in [
            ("a*", "a/b", true),
            ("a?b", "a/b", true),
            ("a*", "*", true),
            ("a*b", "b*", false),
            ("a", "?", true),
        ] {
            assert_eq!(like(pattern, word), expected, "{pattern} {word}");
        }
        assert!(names("a*", "a/b") && names("a?b", "a*b") && !names("ab", "a*"));
        assert!(!names("a", "*"));
    }

    #[test]
    fn tails() {
        assert!(tails_differ("*.a", "*.b") && tails_differ("x/a", "a*b"));
        assert!(!tails_differ("*.a", "*.A") && !tails_differ("a*", "b") && !tails_differ("b", "[a]"));
        assert!(!tails_differ("a", "ba"));
    }

    #[test]
    fn what_is_very_long_matches_nothing() {
        let long = "a".repeat(512);
        assert!(matches(&long, &long));
        let longer = "a".repeat(513);
        assert!(!matches(&longer, &longer));
    }
}
