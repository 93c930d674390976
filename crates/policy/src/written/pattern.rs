//! A regular expression that somebody wrote: compiled when a text comes that it could match, in linear time.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::OnceCell;

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Hir, HirKind};

/// Memory that one compiled expression may take.
const MAX_SIZE: usize = 1 << 20;
/// Brackets in brackets.
const MAX_NEST: u32 = 50;

/// See the module.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    ignore_case: bool,
    /// Text that stands in everything that it matches; empty where none is known.
    needle: String,
    compiled: OnceCell<Option<Regex>>,
}

/// Why a text is no pattern: one sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern(pub String);

impl Pattern {
    /// Checks and takes an expression.
    ///
    /// # Errors
    /// When it is no expression, too large, or matches the empty text, and so everything.
    pub fn new(text: &str, ignore_case: bool) -> Result<Self, BadPattern> {
        let pattern = Self::known(text, ignore_case, &needle(text, ignore_case));
        match compile(text, ignore_case) {
            Err(reason) => Err(BadPattern(reason)),
            Ok(regex) if regex.is_match("") => Err(BadPattern("it matches the empty text, and so everything".into())),
            Ok(regex) => {
                let _ = pattern.compiled.set(Some(regex));
                Ok(pattern)
            }
        }
    }

    /// Takes an expression that was checked before, with its needle.
    #[must_use]
    pub fn known(text: &str, ignore_case: bool, needle: &str) -> Self {
        Self {
            text: text.to_string(),
            ignore_case,
            needle: needle.to_string(),
            compiled: OnceCell::new(),
        }
    }

    /// The expression as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Text that stands in everything that it matches; empty where none is known.
    #[must_use]
    pub fn needle(&self) -> &str {
        &self.needle
    }

    /// Whether it says that letters of either case are the same.
    #[must_use]
    pub const fn ignores_case(&self) -> bool {
        self.ignore_case
    }

    /// Whether it is found in a text. One that cannot be compiled is found everywhere: it was checked when it was read, and
    /// a rule is not to go missing.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        if !text.contains(&self.needle) {
            return false;
        }
        let regex = self.compiled.get_or_init(|| compile(&self.text, self.ignore_case).ok());
        regex.as_ref().is_none_or(|regex| regex.is_match(text))
    }
}

fn compile(text: &str, ignore_case: bool) -> Result<Regex, String> {
    let built = RegexBuilder::new(text)
        .case_insensitive(ignore_case)
        .size_limit(MAX_SIZE)
        .dfa_size_limit(MAX_SIZE)
        .nest_limit(MAX_NEST)
        .build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "it would take too much memory".to_string(),
        other => {
            let said = other.to_string();
            let last = said.lines().last().unwrap_or_default();
            last.trim_start_matches("error: ").to_string()
        }
    })
}

/// The longest text that stands in everything that an expression matches; empty where none is plain to see.
fn needle(text: &str, ignore_case: bool) -> String {
    let parser = regex_syntax::ParserBuilder::new()
        .case_insensitive(ignore_case)
        .build()
        .parse(text);
    let mut runs = Runs::default();
    if let Ok(hir) = parser {
        runs.walk(&hir);
    }
    runs.end();
    String::from_utf8(runs.best).unwrap_or_default()
}

/// Runs of literal bytes in an expression, in order.
#[derive(Default)]
struct Runs {
    run: Vec<u8>,
    best: Vec<u8>,
}

impl Runs {
    fn walk(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Literal(literal) => self.run.extend_from_slice(&literal.0),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.walk(part)),
            HirKind::Capture(capture) => self.walk(&capture.sub),
            HirKind::Look(_) | HirKind::Empty => {}
            HirKind::Repetition(times) if times.min > 0 => {
                self.end();
                self.walk(&times.sub);
                self.end();
            }
            HirKind::Repetition(_) | HirKind::Class(_) | HirKind::Alternation(_) => self.end(),
        }
    }

    fn end(&mut self) {
        if self.run.len() > self.best.len() && core::str::from_utf8(&self.run).is_ok() {
            core::mem::swap(&mut self.run, &mut self.best);
        }
        self.run.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_to_stand_in_a_match_is_seen() {
        for (text, expected) in [
            ("npm (i|install)|pip install", ""),
            ("curl.*evil", "curl"),
            ("terraform +apply", "terraform"),
            ("terraform\\s+apply", "terraform"),
            ("colou?r", "colo"),
            ("ab{0,2}cd", "cd"),
            ("(?i)curl", ""),
            ("a(bcd)e", "abcde"),
            ("(abc)+x", "abc"),
            ("[abc]def", "def"),
            ("x(abc)?yz", "yz"),
            ("Deploy", "Deploy"),
            ("\\bgit push", "git push"),
        ] {
            assert_eq!(needle(text, false), expected, "{text}");
        }
    }

    #[test]
    fn a_needle_hides_no_match() {
        for (text, found) in [
            ("ab*c", "ac"),
            ("ab?c", "ac"),
            ("ab{0}c", "ac"),
            ("(ab)*c", "c"),
            ("a(b|c)d", "acd"),
            ("k", "\u{212a}"),
            ("x[k-l]y", "xly"),
            ("a\\.b", "a.b"),
            ("[]a]b", "]b"),
        ] {
            let ignore_case = text == "k";
            let pattern = Pattern::new(text, ignore_case).unwrap();
            assert!(pattern.matches(found), "{text} {found} needle {}", pattern.needle());
        }
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        for (text, said) in [
            ("a(", "unclosed group"),
            ("a*", "empty text"),
            ("(a{1000}){1000}", "memory"),
            ("(?=a)b", "look-around"),
        ] {
            let BadPattern(reason) = Pattern::new(text, false).unwrap_err();
            assert!(reason.contains(said), "{text}: {reason}");
        }
    }
}
