//! Looking at bytes and moving over them.
//!
//! A backslash before a newline joins two lines wherever it is not quoted, even inside an operator or a reserved word.
//! So [`Parser::peek`] and [`Parser::nth`] step over it; only quotes, comments and here-documents look at raw bytes.

use super::Parser;
use alloc::borrow::Cow;

/// Whether a byte ends an unquoted word.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
    )
}

/// Whether a byte may stand in a variable name.
pub(super) fn is_name(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

/// Whether a byte may begin a variable name.
pub(super) fn is_name_start(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphabetic()
}

impl<'t> Parser<'t> {
    /// The raw byte at an offset.
    pub(super) fn at(&self, offset: usize) -> Option<u8> {
        if offset < self.end {
            self.text.as_bytes().get(offset).copied()
        } else {
            None
        }
    }

    /// The next byte, after joined lines.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.pos = self.joined(self.pos);
        self.at(self.pos)
    }

    /// The byte `n` after the next one. The bytes before it must not be backslashes.
    pub(super) fn nth(&mut self, n: usize) -> Option<u8> {
        self.at(self.offset_of(n))
    }

    /// Moves over `n` bytes and the joints between them.
    pub(super) fn advance(&mut self, n: usize) {
        let last = self.offset_of(n.saturating_sub(1));
        self.pos = (last + usize::from(n > 0)).min(self.end);
    }

    /// The offset of the `n`th byte from here.
    fn offset_of(&self, n: usize) -> usize {
        let mut offset = self.joined(self.pos);
        for _ in 0..n {
            offset = self.joined(offset + 1);
        }
        offset
    }

    /// The offset after any backslash-newline pairs at `offset`.
    pub(super) fn joined(&self, mut offset: usize) -> usize {
        while self.at(offset) == Some(b'\\') && self.at(offset + 1) == Some(b'\n') {
            offset += 2;
        }
        offset
    }

    /// Moves over the next byte if it is this one.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.pos += 1;
        }
        found
    }

    /// Whether nothing is left.
    pub(super) fn at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Moves over blanks, and over a comment, which may begin only where a word may.
    pub(super) fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.pos += 1;
        }
        if self.at(self.pos) == Some(b'#') {
            self.pos = self.find(b'\n').unwrap_or(self.end);
        }
    }

    /// Moves over blanks, comments and newlines. Bodies of here-documents begin after a newline.
    pub(super) fn linebreaks(&mut self) {
        loop {
            self.blanks();
            if self.at(self.pos) != Some(b'\n') {
                return;
            }
            self.pos += 1;
            self.read_documents();
        }
    }

    /// The offset of the next such byte.
    pub(super) fn find(&self, byte: u8) -> Option<usize> {
        let rest = self.text.as_bytes().get(self.pos..self.end)?;
        rest.iter().position(|b| *b == byte).map(|n| self.pos + n)
    }

    /// The raw text between two offsets.
    pub(super) fn raw(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// The text between two offsets with its lines joined.
    pub(super) fn text_of(&self, start: usize, end: usize) -> Cow<'t, str> {
        let raw = self.raw(start, end);
        if raw.contains("\\\n") {
            Cow::Owned(raw.replace("\\\n", ""))
        } else {
            Cow::Borrowed(raw)
        }
    }

    /// The longest run of bytes from here that satisfy `plain`, moved over.
    pub(super) fn run(&mut self, plain: impl Fn(u8) -> bool) -> &'t str {
        let start = self.pos;
        let rest = self.text.as_bytes().get(start..self.end).unwrap_or_default();
        self.pos += rest.iter().take_while(|b| plain(**b)).count();
        self.raw(start, self.pos)
    }
}
