//! Brace expansion: one word becomes several, before anything else is expanded.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use shell::{Part, Word};

/// Words that one word may become; beyond it the word stays as it is.
pub(super) const MAX_WORDS: usize = 512;

/// A character that can be part of a brace expression, or a part that cannot.
#[derive(Clone)]
enum Tok<'a> {
    Char(char),
    Part(&'a Part),
}

/// Characters of a word in which braces are looked for.
const MAX_CHARS: usize = 1024;

/// Whether a word has a brace in it that may be active.
pub(super) fn has_brace(word: &Word) -> bool {
    word.parts.iter().any(|p| matches!(p, Part::Lit(t) if t.contains('{')))
}

/// The words that `word` stands for; `None` when they are too many to follow.
pub(super) fn expand(word: &Word) -> Option<Vec<Word>> {
    let mut toks = Vec::new();
    for part in &word.parts {
        match part {
            Part::Lit(text) => toks.extend(text.chars().map(Tok::Char)),
            part => toks.push(Tok::Part(part)),
        }
    }
    if toks.len() > MAX_CHARS {
        return None;
    }
    let mut budget = MAX_WORDS;
    let all = expand_toks(&toks, &mut budget, 0);
    if budget == 0 {
        return None;
    }
    let words = all.into_iter().map(|t| Word {
        parts: parts(&t),
        span: word.span,
    });
    Some(words.collect())
}

fn parts(toks: &[Tok<'_>]) -> Vec<Part> {
    let mut out = Vec::new();
    let mut text = String::new();
    for tok in toks {
        match tok {
            Tok::Char(c) => text.push(*c),
            Tok::Part(part) => {
                if !text.is_empty() {
                    out.push(Part::Lit(core::mem::take(&mut text)));
                }
                out.push((*part).clone());
            }
        }
    }
    if !text.is_empty() {
        out.push(Part::Lit(text));
    }
    out
}

fn is(tok: Option<&Tok<'_>>, c: char) -> bool {
    matches!(tok, Some(Tok::Char(x)) if *x == c)
}

fn expand_toks<'a>(toks: &[Tok<'a>], budget: &mut usize, depth: usize) -> Vec<Vec<Tok<'a>>> {
    // Where there are too many already, nothing is made of them.
    if *budget == 0 {
        return Vec::new();
    }
    if depth > 16 {
        return vec![toks.to_vec()];
    }
    let mut from = 0;
    while let Some(open) = (from..toks.len()).find(|i| is(toks.get(*i), '{')) {
        if let Some((choices, close)) = choices(toks, open, budget, depth) {
            return combine(toks, open, close, &choices, budget, depth);
        }
        from = open + 1;
    }
    vec![toks.to_vec()]
}

fn combine<'a>(
    toks: &[Tok<'a>],
    open: usize,
    close: usize,
    choices: &[Vec<Tok<'a>>],
    budget: &mut usize,
    depth: usize,
) -> Vec<Vec<Tok<'a>>> {
    let head = toks.get(..open).unwrap_or_default();
    let tails = expand_toks(toks.get(close + 1..).unwrap_or_default(), budget, depth + 1);
    let mut out = Vec::new();
    for choice in choices {
        for tail in &tails {
            if *budget == 0 {
                return out;
            }
            *budget -= 1;
            out.push([head, choice, tail].concat());
        }
    }
    out
}

/// The alternatives of the brace at `open`, each expanded itself, and the index of its `}`.
fn choices<'a>(toks: &[Tok<'a>], open: usize, budget: &mut usize, depth: usize) -> Option<(Vec<Vec<Tok<'a>>>, usize)> {
    // `${` is a parameter, and the parser has taken it out; a `$` before the brace is literal text.
    let mut level = 0usize;
    let mut commas = Vec::new();
    let mut close = None;
    for (i, tok) in toks.iter().enumerate().skip(open) {
        match tok {
            Tok::Char('{') => level += 1,
            Tok::Char('}') => {
                level -= 1;
                if level == 0 {
                    close = Some(i);
                    break;
                }
            }
            Tok::Char(',') if level == 1 => commas.push(i),
            _ => {}
        }
    }
    let close = close?;
    if commas.is_empty() {
        return Some((range(toks.get(open + 1..close)?)?, close));
    }
    let mut out = Vec::new();
    let mut start = open + 1;
    for end in commas.into_iter().chain([close]) {
        out.extend(expand_toks(toks.get(start..end)?, budget, depth + 1));
        start = end + 1;
    }
    Some((out, close))
}

/// `1..5`, `a..e`, `1..9..2`
fn range<'a>(toks: &[Tok<'a>]) -> Option<Vec<Vec<Tok<'a>>>> {
    let text: Option<String> = toks
        .iter()
        .map(|t| if let Tok::Char(c) = t { Some(*c) } else { None })
        .collect();
    let text = text?;
    let mut parts = text.split("..");
    let (a, b, step, rest) = (parts.next()?, parts.next()?, parts.next(), parts.next());
    if rest.is_some() {
        return None;
    }
    let step = step.map_or(Some(1), |s| s.parse::<i64>().ok())?.unsigned_abs().max(1);
    let words: Vec<String> = match (a.parse::<i64>(), b.parse::<i64>()) {
        (Ok(a), Ok(b)) => steps(a, b, step).map(|n| n.to_string()).collect(),
        _ => {
            let (Some(x), 1, Some(y), 1) = (a.chars().next(), a.chars().count(), b.chars().next(), b.chars().count())
            else {
                return None;
            };
            steps(i64::from(u32::from(x)), i64::from(u32::from(y)), step)
                .filter_map(|n| u32::try_from(n).ok().and_then(char::from_u32))
                .map(|c| c.to_string())
                .collect()
        }
    };
    Some(
        words
            .iter()
            .map(|w| w.to_owned().chars().map(Tok::Char).collect())
            .collect(),
    )
}

fn steps(a: i64, b: i64, step: u64) -> impl Iterator<Item = i64> {
    let step = i64::try_from(step).unwrap_or(i64::MAX);
    let up = a <= b;
    core::iter::successors(
        Some(a),
        move |n| if up { n.checked_add(step) } else { n.checked_sub(step) },
    )
    .take_while(move |n| if up { *n <= b } else { *n >= b })
    .take(MAX_WORDS)
}
