//! Collecting the parts of a word.

use crate::Part;
use alloc::string::String;
use alloc::vec::Vec;

/// Parts under construction: neighbouring text of the same sort grows together.
#[derive(Default)]
pub(super) struct Pieces {
    parts: Vec<Part>,
}

/// Whether text is active (globs, tildes, braces) or stands for itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    Active,
    Quoted,
}

impl Pieces {
    /// Adds text. Empty quoted text counts: `''` is a word.
    pub(super) fn text(&mut self, sort: Text, text: &str) {
        match (sort, self.parts.last_mut()) {
            (Text::Active, Some(Part::Lit(last))) | (Text::Quoted, Some(Part::Quoted(last))) => last.push_str(text),
            (Text::Active, _) if text.is_empty() => {}
            (Text::Active, _) => self.push(Part::Lit(String::from(text))),
            (Text::Quoted, _) => self.push(Part::Quoted(String::from(text))),
        }
    }

    pub(super) fn push(&mut self, part: Part) {
        if self.parts.is_empty() {
            self.parts.reserve_exact(1);
        }
        self.parts.push(part);
    }

    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn extend(&mut self, parts: Vec<Part>) {
        self.parts.extend(parts);
    }

    /// The parts, without spare room: most words have one part, and a text may have very many words.
    pub(super) fn finish(mut self) -> Vec<Part> {
        self.parts.shrink_to_fit();
        self.parts
    }

    /// Whether these are exactly `NAME=`, `NAME+=` or either with a plain subscript.
    pub(super) fn end_in_assignment(&self) -> bool {
        let [Part::Lit(text)] = self.parts.as_slice() else {
            return false;
        };
        let Some(left) = text.strip_suffix('=') else {
            return false;
        };
        let left = left.strip_suffix('+').unwrap_or(left);
        let name = match left.split_once('[') {
            Some((name, subscript)) if subscript.ends_with(']') => name,
            Some(_) => return false,
            None => left,
        };
        name.bytes().next().is_some_and(super::cursor::is_name_start) && name.bytes().all(super::cursor::is_name)
    }
}
