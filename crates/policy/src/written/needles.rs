//! Texts that have to stand in whatever an expression or a glob means, so that a rule can be passed over without it.
//! Letters of either case are the same here: to find too much costs time, to find too little would lose a rule.

use alloc::vec::Vec;

use regex_syntax::hir::{Class, Hir, HirKind};

/// Bytes of a text that are looked up together. What is shorter stands in too many texts to be worth it.
pub(super) const GRAM: usize = 4;
/// Alternatives that are looked up.
const MOST: usize = 16;

/// Texts in small letters of which one stands in everything that an expression matches; nothing where none is plain to see.
pub(super) fn one_of(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    let (mut best, mut run, mut pieces) = (None, Vec::new(), Vec::new());
    flatten(hir, &mut pieces);
    for piece in pieces {
        match piece {
            Piece::Text(text) => run.extend(text.iter().map(u8::to_ascii_lowercase)),
            Piece::Letter(letter) => run.push(letter),
            Piece::Other(other) => {
                offer(&mut best, Vec::from([core::mem::take(&mut run)]));
                offer(&mut best, inside(other).unwrap_or_default());
            }
        }
    }
    offer(&mut best, Vec::from([run]));
    best
}

/// What stands side by side in a match.
enum Piece<'h> {
    Text(&'h [u8]),
    /// A letter in either case.
    Letter(u8),
    Other(&'h Hir),
}

fn flatten<'h>(hir: &'h Hir, out: &mut Vec<Piece<'h>>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push(Piece::Text(&literal.0)),
        HirKind::Concat(parts) => parts.iter().for_each(|part| flatten(part, out)),
        HirKind::Capture(capture) => flatten(&capture.sub, out),
        HirKind::Class(class) => out.push(letter(class).map_or(Piece::Other(hir), Piece::Letter)),
        HirKind::Repetition(_) | HirKind::Alternation(_) => out.push(Piece::Other(hir)),
    }
}

/// The letter of a class that is nothing but its two cases.
fn letter(class: &Class) -> Option<u8> {
    let ends: Vec<(u32, u32)> = match class {
        Class::Unicode(class) => class.iter().map(|r| (r.start().into(), r.end().into())).collect(),
        Class::Bytes(class) => class.iter().map(|r| (r.start().into(), r.end().into())).collect(),
    };
    let [(large, same), (small, also)] = ends.as_slice() else {
        return None;
    };
    let (large, small) = (u8::try_from(*large).ok()?, u8::try_from(*small).ok()?);
    let both = large.is_ascii_uppercase() && large.to_ascii_lowercase() == small;
    (both && u32::from(large) == *same && u32::from(small) == *also).then_some(small)
}

fn inside(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    match hir.kind() {
        HirKind::Repetition(times) if times.min > 0 => one_of(&times.sub),
        HirKind::Alternation(parts) => {
            let all: Vec<Vec<Vec<u8>>> = parts.iter().map(one_of).collect::<Option<_>>()?;
            Some(all.concat())
        }
        _ => None,
    }
}

/// Few alternatives are better than many, and long ones better than short ones.
fn offer(best: &mut Option<Vec<Vec<u8>>>, texts: Vec<Vec<u8>>) {
    let worth = |texts: &[Vec<u8>]| (core::cmp::Reverse(texts.len()), texts.iter().map(Vec::len).min());
    let good = !texts.is_empty() && texts.len() <= MOST && texts.iter().all(|text| text.len() >= GRAM);
    if good && best.as_ref().is_none_or(|best| worth(best) < worth(&texts)) {
        *best = Some(texts);
    }
}

/// The parts of a glob that all have to stand, in small letters, in a target without wildcards. A stroke is none of them:
/// `**/x` is also an `x` at the top.
pub(super) fn parts_of(glob: &str) -> impl Iterator<Item = Vec<u8>> + '_ {
    let parts = glob.split(['*', '?', '[', ']', '/']).filter(|part| part.len() >= GRAM);
    parts.map(|part| part.bytes().map(|b| b.to_ascii_lowercase()).collect())
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    fn found(text: &str) -> Vec<String> {
        let hir = regex_syntax::Parser::new().parse(text).unwrap();
        let texts = one_of(&hir).unwrap_or_default();
        texts.into_iter().map(|text| String::from_utf8(text).unwrap()).collect()
    }

    #[test]
    fn one_of_the_texts_stands_in_every_match() {
        for (text, expected) in [
            ("^terraform apply", &["terraform apply"][..]),
            ("Terraform", &["terraform"]),
            ("(?i)deploy", &["deploy"]),
            // These letters have a third form.
            ("(?i)kubectl", &["ubectl"]),
            ("npm (i|install)|pip install", &["npm ", "pip install"]),
            ("(alpha|beta)+x", &["alpha", "beta"]),
            ("(alpha|b)", &[]),
            ("ab.*cdefg", &["cdefg"]),
            ("(abcd)?e", &[]),
            ("a(bc)d+e", &[]),
            ("a(bc)(de)", &["abcde"]),
            ("\\bmake\\b", &["make"]),
            ("[a-z]+", &[]),
            ("x{4}", &[]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn a_glob_has_parts() {
        let parts = |glob| {
            parts_of(glob)
                .map(|part| String::from_utf8(part).unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(parts("**/Infra/**/*.terraform"), ["infra", ".terraform"]);
        assert_eq!(parts("**/*.env/[id]"), [".env"]);
        assert!(parts("a/b/**").is_empty());
    }
}
