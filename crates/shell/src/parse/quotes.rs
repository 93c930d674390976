//! Quotes, and text that runs to a matching delimiter.

use super::Parser;
use super::long::PARTS;
use super::pieces::{Pieces, Text};
use crate::Part;
use alloc::string::String;
use alloc::vec::Vec;

/// What surrounds an expansion. It decides what backslashes and quotes inside it mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    /// Nothing.
    Bare,
    /// Double quotes.
    Double,
    /// A here-document, where double quotes are ordinary.
    Document,
}

impl Quoting {
    /// How literal text is to be understood.
    pub(super) fn text(self) -> Text {
        if self == Quoting::Bare {
            Text::Active
        } else {
            Text::Quoted
        }
    }

    fn escapes(self, byte: u8) -> bool {
        match byte {
            b'$' | b'`' | b'\\' => true,
            b'"' => self == Quoting::Double,
            _ => false,
        }
    }
}

/// How far [`Parser::matched`] reads, and how.
#[derive(Clone, Copy)]
pub(super) struct Matched<'s> {
    /// Brackets that nest.
    pub(super) nest: Option<(u8, u8)>,
    /// Bytes that end it outside nested brackets.
    pub(super) ends: &'s [u8],
    /// A byte that ends it even inside them.
    pub(super) closes: Option<u8>,
    /// `?` and `:` pair up, so that a colon of a conditional expression is no end.
    pub(super) ternary: bool,
    /// What backslashes and single quotes mean.
    pub(super) quoting: Quoting,
    /// What literal text is.
    pub(super) text: Text,
    /// Whether `<(` and `>(` are read as process substitutions.
    pub(super) processes: bool,
}

impl Matched<'_> {
    /// Text between two brackets, quoted like a word.
    pub(super) fn bare(open: u8, close: u8) -> Matched<'static> {
        let ends: &'static [u8] = if close == b')' { b")" } else { b"]" };
        Matched {
            nest: Some((open, close)),
            ends,
            closes: None,
            ternary: false,
            quoting: Quoting::Bare,
            text: Text::Active,
            processes: close == b']',
        }
    }

    fn is_special(&self, byte: u8) -> bool {
        matches!(byte, b'\\' | b'\'' | b'"' | b'`' | b'$' | b'<' | b'>')
            || self.ends.contains(&byte)
            || self.closes == Some(byte)
            || self.nest.is_some_and(|(open, close)| byte == open || byte == close)
            || (self.ternary && byte == b'?')
    }
}

impl<'t> Parser<'t> {
    /// `\x` outside quotes. A backslash at the end of the text stands for itself.
    pub(super) fn escape(&mut self, pieces: &mut Pieces) {
        self.pos += 1;
        let text = self.one_char();
        pieces.text(Text::Quoted, if text.is_empty() { "\\" } else { text });
    }

    /// The next character, however many bytes it has, moved over.
    fn one_char(&mut self) -> &'t str {
        let length = self.raw(self.pos, self.end).chars().next().map_or(0, char::len_utf8);
        let text = self.raw(self.pos, self.pos + length);
        self.pos += length;
        text
    }

    /// `'...'`
    pub(super) fn single(&mut self, pieces: &mut Pieces) {
        let start = self.pos;
        self.pos += 1;
        let text = self.raw_until(b'\'', start);
        pieces.text(Text::Quoted, text);
    }

    /// The raw text up to a byte, which is moved over too.
    fn raw_until(&mut self, byte: u8, opened: usize) -> &'t str {
        let start = self.pos;
        match self.find(byte) {
            Some(end) => {
                self.pos = end + 1;
                self.raw(start, end)
            }
            None => {
                self.pos = self.end;
                self.unterminated(opened);
                self.raw(start, self.end)
            }
        }
    }

    /// `"..."`
    pub(super) fn double(&mut self) -> Part {
        Part::Double(self.double_inside())
    }

    fn double_inside(&mut self) -> Vec<Part> {
        let start = self.pos;
        self.pos += 1;
        let parts = self.quoted_parts(Some(b'"'), Quoting::Double);
        if !self.eat(b'"') {
            self.unterminated(start);
        }
        parts
    }

    /// Text and expansions up to `end`, or to the end of the text.
    pub(super) fn quoted_parts(&mut self, end: Option<u8>, quoting: Quoting) -> Vec<Part> {
        let mut pieces = Pieces::default();
        while pieces.len() < PARTS && self.quoted_piece(&mut pieces, end, quoting) {}
        let mut parts = pieces.finish();
        self.many_quoted(&mut parts, end, quoting);
        parts
    }

    /// Reads the next piece of text or the next expansion; false at the end.
    pub(super) fn quoted_piece(&mut self, pieces: &mut Pieces, end: Option<u8>, quoting: Quoting) -> bool {
        let Some(byte) = self.peek().filter(|byte| Some(*byte) != end) else {
            return false;
        };
        match byte {
            b'\\' => self.escape_in_quotes(pieces, quoting, None),
            b'`' => {
                let part = self.backtick(quoting);
                pieces.push(part);
            }
            b'$' => self.dollar(pieces, quoting),
            _ => {
                let text = self.run(|b| !matches!(b, b'\\' | b'`' | b'$') && Some(b) != end);
                pieces.text(Text::Quoted, text);
            }
        }
        true
    }

    /// A backslash inside double quotes or a here-document. It is kept before most characters.
    fn escape_in_quotes(&mut self, pieces: &mut Pieces, quoting: Quoting, closer: Option<u8>) {
        self.pos += 1;
        let escaped = self.at(self.pos);
        if !escaped.is_some_and(|byte| quoting.escapes(byte) || Some(byte) == closer) {
            pieces.text(Text::Quoted, "\\");
        }
        // Before a closing delimiter it hides the delimiter even when it is kept.
        if escaped.is_some_and(|byte| byte != b'\\' || quoting.escapes(byte)) {
            let text = self.one_char();
            pieces.text(Text::Quoted, text);
        }
    }

    /// Like [`Parser::matched`], and moves over the end, which must be there. Returns the offset of the end.
    pub(super) fn matched_or_fault(&mut self, pieces: &mut Pieces, form: &Matched<'_>) -> usize {
        let start = self.pos;
        let found = self.matched(pieces, form).is_some();
        let end = self.pos;
        if found {
            self.pos += 1;
        } else {
            self.unterminated(start);
        }
        end
    }

    /// Text, quotes and expansions up to an unquoted end, which is left for the caller and returned.
    pub(super) fn matched(&mut self, pieces: &mut Pieces, form: &Matched<'_>) -> Option<u8> {
        let mut level = 0usize;
        let mut questions = 0usize;
        loop {
            let byte = self.peek()?;
            if form.closes == Some(byte) {
                return Some(byte);
            }
            if level == 0 && form.ends.contains(&byte) {
                if byte != b':' || questions == 0 {
                    return Some(byte);
                }
                questions -= 1;
            }
            match form.nest {
                Some((open, _)) if byte == open => level += 1,
                Some((_, close)) if byte == close => level = level.saturating_sub(1),
                _ => {}
            }
            questions += usize::from(form.ternary && level == 0 && byte == b'?');
            self.matched_piece(pieces, form, byte);
        }
    }

    fn matched_piece(&mut self, pieces: &mut Pieces, form: &Matched<'_>, byte: u8) {
        match byte {
            b'\\' if form.quoting == Quoting::Bare => self.escape(pieces),
            b'\\' => self.escape_in_quotes(pieces, form.quoting, form.closes.or(form.ends.first().copied())),
            b'\'' => self.single_in_matched(pieces, form),
            b'"' => {
                let parts = self.nested(Self::double_inside);
                match form.text {
                    Text::Active => pieces.push(Part::Double(parts)),
                    Text::Quoted => pieces.extend(parts),
                }
            }
            b'`' => {
                let part = self.backtick(form.quoting);
                pieces.push(part);
            }
            b'$' => self.dollar(pieces, form.quoting),
            b'<' | b'>' if form.processes && self.nth(1) == Some(b'(') => {
                let part = self.process();
                pieces.push(part);
            }
            _ => {
                let first = self.one_char();
                pieces.text(form.text, first);
                let text = self.run(|b| !form.is_special(b));
                pieces.text(form.text, text);
            }
        }
    }

    /// A single quote in a matched text. In `"${x:-'..'}"` it pairs up when bash looks for the brace, but it quotes
    /// nothing: what stands between two of them is expanded.
    fn single_in_matched(&mut self, pieces: &mut Pieces, form: &Matched<'_>) {
        match form.quoting {
            Quoting::Bare => self.single(pieces),
            Quoting::Document => {
                self.pos += 1;
                pieces.text(form.text, "'");
            }
            Quoting::Double => {
                let start = self.pos;
                self.pos += 1;
                let close = self.find(b'\'').unwrap_or(self.end);
                pieces.text(form.text, "'");
                let parts = self.nested(|p| p.up_to(close, |p| p.quoted_parts(None, Quoting::Double)));
                pieces.extend(parts);
                if self.eat(b'\'') {
                    pieces.text(form.text, "'");
                } else {
                    self.unterminated(start);
                }
            }
        }
    }

    /// `$'...'`, with its escapes undone. The cursor is on the quote.
    pub(super) fn ansi(&mut self, pieces: &mut Pieces) {
        let opened = self.pos;
        self.pos += 1;
        let start = self.pos;
        let mut escaped = false;
        let found = self.raw(start, self.end).bytes().position(|byte| {
            let closes = byte == b'\'' && !escaped;
            escaped = byte == b'\\' && !escaped;
            closes
        });
        self.pos = found.map_or(self.end, |n| start + n + 1);
        if found.is_none() {
            self.unterminated(opened);
        }
        let text: String = super::ansi::decode(self.raw(start, found.map_or(self.end, |n| start + n)));
        pieces.text(Text::Quoted, &text);
    }
}
