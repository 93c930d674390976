//! A regular expression that somebody wrote: compiled when a text comes that it could match, in linear time.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::OnceCell;

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Class, Hir, HirKind};

/// Memory that one compiled expression may take.
const MAX_SIZE: usize = 8 << 20;
/// Steps of an expression with its repetitions written out.
const MAX_STEPS: u64 = 20_000;
/// Brackets in brackets.
const MAX_NEST: u32 = 50;

/// See the module.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    ignore_case: bool,
    /// Text that stands in everything that it matches; empty where none is known.
    needle: String,
    steps: u64,
    compiled: OnceCell<Option<Regex>>,
}

/// Why a text is no pattern: one sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern(pub String);

impl Pattern {
    /// Checks and takes an expression. It is read here, and compiled when a text comes that it could match.
    ///
    /// # Errors
    /// When it is no expression, too large, or matches the empty text, and so everything.
    pub fn new(text: &str, ignore_case: bool) -> Result<Self, BadPattern> {
        let hir = parse(text, ignore_case).map_err(BadPattern)?;
        if hir.properties().minimum_len().is_none_or(|least| least == 0) {
            return Err(BadPattern("it matches the empty text, and so everything".into()));
        }
        let steps = expanded(&hir);
        if steps > MAX_STEPS {
            return Err(BadPattern("it would take too much memory".into()));
        }
        Ok(Self {
            text: text.to_string(),
            ignore_case,
            needle: needle(&hir),
            steps,
            compiled: OnceCell::new(),
        })
    }

    /// An expression that [`Self::new`] took before, with what [`Self::needle`] said of it then. It is not read again.
    #[must_use]
    pub fn checked(text: &str, ignore_case: bool, needle: &str) -> Self {
        Self {
            text: text.to_string(),
            ignore_case,
            needle: needle.to_string(),
            steps: 0,
            compiled: OnceCell::new(),
        }
    }

    /// Text that stands in everything that it matches; empty where none is known.
    #[must_use]
    pub fn needle(&self) -> &str {
        &self.needle
    }

    /// The expression as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many steps it has with its repetitions written out: what compiling it costs. 0 where that was checked before.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether letters of either case are the same.
    #[must_use]
    pub const fn ignores_case(&self) -> bool {
        self.ignore_case
    }

    /// Texts in small letters of which one stands in everything that it matches; nothing where none is known.
    pub(super) fn one_of(&self) -> Option<Vec<Vec<u8>>> {
        super::needles::one_of(&parse(&self.text, self.ignore_case).ok()?)
    }

    /// Whether it is found in a text. One that cannot be compiled is found everywhere: it was checked when it was read, and
    /// a rule is not to go missing.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        if !text.contains(&self.needle) {
            return false;
        }
        let regex = self.compiled.get_or_init(|| compile(&self.text, self.ignore_case));
        regex.as_ref().is_none_or(|regex| regex.is_match(text))
    }
}

fn compile(text: &str, ignore_case: bool) -> Option<Regex> {
    let built = RegexBuilder::new(text)
        .case_insensitive(ignore_case)
        .size_limit(MAX_SIZE)
        .dfa_size_limit(MAX_SIZE)
        .nest_limit(MAX_NEST)
        .build();
    built.ok()
}

fn parse(text: &str, ignore_case: bool) -> Result<Hir, String> {
    let mut parser = regex_syntax::ParserBuilder::new();
    let parser = parser
        .case_insensitive(ignore_case)
        .nest_limit(MAX_NEST)
        .build()
        .parse(text);
    parser.map_err(|error| {
        let said = error.to_string();
        let last = said.lines().last().unwrap_or_default();
        last.trim_start_matches("error: ").to_string()
    })
}

/// How many steps an expression has when its repetitions are written out, which is what compiling it does.
fn expanded(hir: &Hir) -> u64 {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len() as u64,
        // A class of many letters is as many ranges of bytes.
        HirKind::Class(Class::Unicode(class)) => class.ranges().len() as u64,
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() as u64,
        HirKind::Capture(capture) => expanded(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().map(expanded).fold(0, u64::saturating_add),
        HirKind::Repetition(times) => {
            let most = times.max.unwrap_or(times.min).max(1);
            expanded(&times.sub).saturating_mul(u64::from(most))
        }
    }
}

/// The longest text that stands in everything that an expression matches; empty where none is plain to see.
fn needle(hir: &Hir) -> String {
    let mut runs = Runs::default();
    runs.walk(hir);
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
            assert_eq!(needle(&parse(text, false).unwrap()), expected, "{text}");
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
            assert!(pattern.matches(found), "{text} {found} needle {}", pattern.needle);
        }
    }

    #[test]
    fn whatever_is_taken_can_be_compiled() {
        for text in [
            "\\w{25}x",
            "(a{140}){140}",
            "[^a]{1000}b",
            "(?i)(deploy|release) .{1,500}x",
            "\\p{Perl}",
        ] {
            if Pattern::new(text, true).is_ok() {
                assert!(compile(text, true).is_some(), "{text}");
            }
        }
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        for (text, said) in [
            ("a(", "unclosed group"),
            ("a*", "empty text"),
            ("(a{1000}){1000}", "memory"),
            ("(\\w{100}){100}", "memory"),
            ("^$", "empty text"),
            ("(?=a)b", "look-around"),
        ] {
            let BadPattern(reason) = Pattern::new(text, false).unwrap_err();
            assert!(reason.contains(said), "{text}: {reason}");
        }
    }
}
