//! Words and assignments.

use super::Parser;
use super::cursor::{is_meta, is_name, is_name_start};
use super::pieces::{Pieces, Text};
use super::quotes::{Matched, Quoting};
use crate::{Assign, Part, Word};
use alloc::string::String;
use alloc::vec::Vec;

/// Where a word stands, which decides what an opening parenthesis or bracket in it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Anywhere ordinary.
    Argument,
    /// An argument of a declaration builtin: `a=(..)` is one word.
    Declaration,
    /// Between the parentheses of `a=(..)`: `[sub]` at the start may hold blanks.
    Element,
    /// After `==` in `[[ ]]`: extended patterns are on.
    Pattern,
    /// After `=~` in `[[ ]]`: parentheses and bars belong to the word.
    Regex,
}

impl Parser<'_> {
    /// Whether a word begins here, and no operator.
    pub(super) fn word_begins(&mut self) -> bool {
        match self.peek() {
            None => false,
            Some(b'<' | b'>') => self.nth(1) == Some(b'('),
            Some(byte) => !is_meta(byte),
        }
    }

    pub(super) fn word(&mut self, place: Place) -> Word {
        let start = self.pos;
        let mut pieces = Pieces::default();
        if place == Place::Element && self.peek() == Some(b'[') {
            self.subscript_into(&mut pieces);
        }
        self.word_from(start, pieces, place)
    }

    /// The rest of a word whose first pieces have been read.
    pub(super) fn word_from(&mut self, start: usize, mut pieces: Pieces, place: Place) -> Word {
        let start = self.joined(start);
        let mut end = self.pos;
        while self.piece(&mut pieces, place) {
            end = self.pos;
        }
        Word {
            parts: pieces.finish(),
            span: self.span(start, end.max(start)),
        }
    }

    /// Reads the next piece of a word; false at its end.
    fn piece(&mut self, pieces: &mut Pieces, place: Place) -> bool {
        let Some(byte) = self.peek() else { return false };
        match byte {
            b'\\' => self.escape(pieces),
            b'\'' => self.single(pieces),
            b'"' => {
                let part = self.double();
                pieces.push(part);
            }
            b'`' => {
                let part = self.backtick(Quoting::Bare);
                pieces.push(part);
            }
            b'$' => self.dollar(pieces, Quoting::Bare),
            b'<' | b'>' if self.nth(1) == Some(b'(') => {
                let part = self.process();
                pieces.push(part);
            }
            b'(' => return self.paren_in_word(pieces, place),
            b'|' if place == Place::Regex => {
                self.pos += 1;
                pieces.text(Text::Active, "|");
            }
            _ if is_meta(byte) => return false,
            b'?' | b'*' | b'+' | b'@' | b'!' => self.pattern_letter(pieces, place),
            b'=' => {
                self.pos += 1;
                pieces.text(Text::Active, "=");
            }
            _ => {
                let text = self.run(|b| !ends_run(b));
                pieces.text(Text::Active, text);
            }
        }
        true
    }

    /// A parenthesis that belongs to the word: of an array, or of a regular expression.
    fn paren_in_word(&mut self, pieces: &mut Pieces, place: Place) -> bool {
        match place {
            Place::Regex => {
                self.parens_into(pieces);
                true
            }
            Place::Declaration if pieces.end_in_assignment() => {
                let part = self.array();
                pieces.push(part);
                true
            }
            _ => false,
        }
    }

    /// One of the characters that begin an extended pattern when a parenthesis follows.
    fn pattern_letter(&mut self, pieces: &mut Pieces, place: Place) {
        let start = self.pos;
        let text = self.raw(start, start + 1);
        // `f!() {` defines a function.
        let opens = self.nth(1) == Some(b'(') && (place == Place::Pattern || self.nth(2) != Some(b')'));
        self.pos += 1;
        pieces.text(Text::Active, text);
        if opens && place != Place::Regex {
            // Without extglob bash refuses these outside `[[ ]]`. With it they are one word, so they are read as one.
            if place != Place::Pattern {
                self.fault(crate::FaultKind::Unexpected, start, start + 1);
            }
            self.peek();
            self.parens_into(pieces);
        }
    }

    /// `( ... )` inside a word, up to the matching parenthesis, whatever stands in between.
    fn parens_into(&mut self, pieces: &mut Pieces) {
        self.pos += 1;
        pieces.text(Text::Active, "(");
        self.matched_or_fault(pieces, &Matched::bare(b'(', b')'));
        pieces.text(Text::Active, ")");
    }

    /// `[ ... ]`, the subscript of an assignment.
    fn subscript_into(&mut self, pieces: &mut Pieces) {
        self.pos += 1;
        pieces.text(Text::Active, "[");
        self.matched_or_fault(pieces, &Matched::bare(b'[', b']'));
        pieces.text(Text::Active, "]");
    }

    /// A subscript, from its opening bracket to its closing one.
    pub(super) fn subscript(&mut self) -> Word {
        self.pos += 1;
        let start = self.pos;
        let mut pieces = Pieces::default();
        let end = self.matched_or_fault(&mut pieces, &Matched::bare(b'[', b']'));
        Word {
            parts: pieces.finish(),
            span: self.span(start, end),
        }
    }

    /// `NAME=value` in command position. Otherwise what was read of the word, to be continued.
    pub(super) fn assignment(&mut self) -> Result<Assign, Pieces> {
        let start = self.pos;
        let named = self.skip_name();
        let end = self.pos;
        let mut index = None;
        if named && self.peek() == Some(b'[') {
            index = Some(self.subscript());
        }
        let append = self.peek() == Some(b'+') && self.nth(1) == Some(b'=');
        if !named || !(append || self.peek() == Some(b'=')) {
            return Err(self.not_an_assignment(start, end, index));
        }
        let name = self.text_of(start, end).into();
        self.advance(if append { 2 } else { 1 });
        let value = self.value();
        let span = crate::Span {
            start: self.span(start, start).start,
            end: value.span.end,
        };
        Ok(Assign {
            name,
            index,
            append,
            value,
            span,
        })
    }

    fn not_an_assignment(&mut self, start: usize, end: usize, index: Option<Word>) -> Pieces {
        let mut pieces = Pieces::default();
        match index {
            None => self.pos = start,
            Some(index) => {
                pieces.text(Text::Active, &self.text_of(start, end));
                pieces.text(Text::Active, "[");
                pieces.extend(index.parts);
                pieces.text(Text::Active, "]");
            }
        }
        pieces
    }

    fn value(&mut self) -> Word {
        let start = self.pos;
        let mut pieces = Pieces::default();
        if self.peek() == Some(b'(') {
            let part = self.array();
            pieces.push(part);
        }
        self.word_from(start, pieces, Place::Argument)
    }

    /// A variable name, moved over; empty if none stands here.
    pub(super) fn name(&mut self) -> String {
        let start = self.pos;
        if !self.skip_name() {
            return String::new();
        }
        self.text_of(start, self.pos).into()
    }

    /// Moves over a variable name, and says whether one stood here.
    fn skip_name(&mut self) -> bool {
        let named = self.peek().is_some_and(is_name_start);
        while named && self.peek().is_some_and(is_name) {
            self.run(is_name);
        }
        named
    }

    /// `( words )` after `NAME=`.
    fn array(&mut self) -> Part {
        let start = self.pos;
        self.pos += 1;
        let words = self.nested(|p| p.elements(start));
        Part::Array(words)
    }

    fn elements(&mut self, start: usize) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.linebreaks();
            if self.eat(b')') {
                break;
            }
            if !self.word_begins() {
                self.fault(crate::FaultKind::Unexpected, start, self.pos);
                break;
            }
            self.add_word(&mut words, Place::Element);
        }
        self.close_words(&mut words);
        words
    }
}

/// Whether a byte ends a run of plain characters in a word.
fn ends_run(byte: u8) -> bool {
    is_meta(byte)
        || matches!(
            byte,
            b'\\' | b'\'' | b'"' | b'`' | b'$' | b'=' | b'?' | b'*' | b'+' | b'@' | b'!'
        )
}
