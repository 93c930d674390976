//! Secrets known by their form.

use crate::tables::{BY_FIRST, FORMS, Form, Part, Run};

/// The fixed text of a form that is known behind a letter has this many bytes, and what follows it that many.
const DISTINCT: usize = 4;
const LONG: usize = 16;

/// A found secret: bytes `start..end` of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: &'static str,
}

/// The byte at `at`; 0 outside of the text.
pub(crate) fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or_default()
}

/// The length of the longest run of `run` at `at`, up to one more than its most.
fn run_length(text: &[u8], at: usize, run: &Run) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter()
        .take(run.max.saturating_add(1))
        .take_while(|b| run.has(**b))
        .count()
}

/// The secret whose fixed text starts at `at`. `from` is where the text not yet looked at starts.
pub(crate) fn find(text: &[u8], at: usize, from: usize) -> Option<Hit> {
    let (first, last) = BY_FIRST.get(usize::from(byte(text, at)))?;
    let forms = FORMS.get(usize::from(*first)..usize::from(*last))?;
    let hits = forms.iter().filter_map(|form| matches(form, text, at, from));
    hits.max_by_key(|hit| hit.end - hit.start)
}

fn matches(form: &Form, text: &[u8], at: usize, from: usize) -> Option<Hit> {
    let start = match &form.before {
        None => at,
        Some(run) => before(text, at, from, run)?,
    };
    if !form.inside && form.before.is_none() && !opens(text, start) && !speaks_for_itself(form) {
        return None;
    }
    let mut end = at;
    let (mut digit, mut letter) = (false, false);
    for part in form.parts {
        match part {
            Part::Text(fixed) => {
                end += text.get(end..)?.strip_prefix(fixed.as_bytes()).map(|_| fixed.len())?;
            }
            Part::Run(run) => {
                let length = run_length(text, end, run);
                if length < run.min || length > run.max {
                    return None;
                }
                let bytes = text.get(end..end + length)?;
                digit |= bytes.iter().any(u8::is_ascii_digit);
                letter |= bytes.iter().any(u8::is_ascii_alphabetic);
                end += length;
            }
        }
    }
    let whole = form.inside || !byte(text, end).is_ascii_alphanumeric();
    let kind = form.id;
    (whole && (!form.mixed || digit && letter)).then_some(Hit { start, end, kind })
}

/// Whether a form begins with what is no part of any word (`ghp_`) and goes on for long: then it is that form behind a
/// letter, too. What is short, as `sk-`, ends words of its own (`task-`).
fn speaks_for_itself(form: &Form) -> bool {
    let [Part::Text(fixed), rest @ ..] = form.parts else {
        return false;
    };
    let least = rest.iter().map(|part| match part {
        Part::Text(fixed) => fixed.len(),
        Part::Run(run) => run.min,
    });
    fixed.len() >= DISTINCT && fixed.ends_with(['_', '-', '.']) && least.sum::<usize>() >= LONG
}

/// Where the run before `at` starts: the nearest place at which a word can.
fn before(text: &[u8], at: usize, from: usize, run: &Run) -> Option<usize> {
    let seen = text.get(from..at)?;
    let length = seen.iter().rev().take(run.max).take_while(|b| run.has(**b)).count();
    (run.min..=length).map(|n| at - n).find(|start| opens(text, *start))
}

/// Whether a word can start at `at`: after the start, after anything that is no letter or digit, and after an escape
/// (`\n` in JSON, `%3D` in a URL, the end of a colour code) whose last character is one.
pub(crate) fn opens(text: &[u8], at: usize) -> bool {
    let Some(last) = at.checked_sub(1) else { return true };
    let back = |n: usize| last.checked_sub(n).map_or(0, |i| byte(text, i));
    match back(0) {
        b'n' | b'r' | b't' if back(1) == b'\\' => true,
        b if b.is_ascii_hexdigit() && back(1).is_ascii_hexdigit() && back(2) == b'%' => true,
        b'm' if back(1).is_ascii_digit() || back(1) == b'[' => colour_ends(text, last),
        b => !b.is_ascii_alphanumeric() && b != b'_',
    }
}

/// Whether an escape sequence such as `ESC [ 0 ; 31 m` ends at `at`.
fn colour_ends(text: &[u8], at: usize) -> bool {
    let before = text.get(at.saturating_sub(12)..at).unwrap_or_default();
    let digits = before
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_digit() || **b == b';')
        .count();
    before
        .get(..before.len() - digits)
        .is_some_and(|b| b.ends_with(b"\x1b["))
}
