//! Bodies of here-documents.
//!
//! The operator and the body stand apart: the rest of the line lies between them, and with it perhaps the end of the
//! command or the beginning of a loop. So the tree first holds a numbered placeholder, and `walk` puts the bodies in
//! their places when the whole text has been read.

use super::Parser;
use super::quotes::Quoting;
use crate::{Part, Span, Word};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// A here-document that waits for its body.
pub(super) struct Pending {
    number: usize,
    delimiter: String,
    /// Any quote in the delimiter keeps the body as it is.
    quoted: bool,
    /// `<<-`
    strip: bool,
}

impl<'t> Parser<'t> {
    /// Notes a here-document whose operator and delimiter have been read, and returns its placeholder.
    pub(super) fn announce_document(&mut self, delimiter: &Word, start: usize, strip: bool) -> Word {
        let quoted = delimiter
            .parts
            .iter()
            .any(|part| matches!(part, Part::Quoted(_) | Part::Double(_)));
        let text = delimiter
            .literal()
            .unwrap_or_else(|| self.text_of(start, self.pos).into());
        let number = self.bodies.len();
        self.bodies.push(Word::default());
        self.pending.push(Pending {
            number,
            delimiter: text,
            quoted,
            strip,
        });
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        Word {
            parts: Vec::new(),
            span: Span {
                start: number,
                end: number,
            },
        }
    }

    /// Reads the bodies that begin here, at the start of a line.
    pub(super) fn read_documents(&mut self) {
        for document in core::mem::take(&mut self.pending) {
            let body = self.read_document(&document);
            if let Some(place) = self.bodies.get_mut(document.number) {
                *place = body;
            }
        }
    }

    fn read_document(&mut self, document: &Pending) -> Word {
        let start = self.pos;
        let mut stripped: Option<String> = None;
        loop {
            let line = self.pos;
            if line >= self.end {
                return self.body_of(document, start, line, stripped);
            }
            let tabs = if document.strip {
                self.run(|b| b == b'\t').len()
            } else {
                0
            };
            let content = self.pos;
            self.skip_line(document.quoted);
            let text = self.line_text(content, self.pos, document.quoted);
            let text = text.strip_suffix('\n').unwrap_or(&text);
            if text == document.delimiter {
                let after = self.pos;
                let body = self.body_of(document, start, line, stripped);
                self.pos = after;
                return body;
            }
            if self.in_parens && ends_with_parenthesis(text, &document.delimiter) {
                let body = self.body_of(document, start, line, stripped);
                self.pos = content + document.delimiter.len();
                return body;
            }
            if tabs > 0 && stripped.is_none() {
                stripped = Some(self.raw(start, line).into());
            }
            if let Some(stripped) = &mut stripped {
                stripped.push_str(self.raw(content, self.pos));
            }
        }
    }

    /// Moves over a line, and over the lines that backslashes join to it.
    fn skip_line(&mut self, quoted: bool) {
        loop {
            let start = self.pos;
            self.pos = self.find(b'\n').map_or(self.end, |n| n + 1);
            let line = self.raw(start, self.pos);
            let line = line.strip_suffix('\n').unwrap_or(line);
            let backslashes = line.bytes().rev().take_while(|b| *b == b'\\').count();
            if quoted || backslashes % 2 == 0 || self.pos >= self.end {
                return;
            }
        }
    }

    fn line_text(&self, start: usize, end: usize, quoted: bool) -> Cow<'t, str> {
        if quoted {
            Cow::Borrowed(self.raw(start, end))
        } else {
            self.text_of(start, end)
        }
    }

    /// The body between two offsets, or the text that is left of it without its leading tabs.
    fn body_of(&mut self, document: &Pending, start: usize, end: usize, stripped: Option<String>) -> Word {
        let span = self.span(start, end);
        let part = match (document.quoted, stripped) {
            (true, Some(text)) => Part::Quoted(text),
            (true, None) => Part::Quoted(self.raw(start, end).into()),
            (false, Some(text)) => {
                Part::Double(self.aside(&text, span, |inner| inner.quoted_parts(None, Quoting::Document)))
            }
            (false, None) => {
                self.pos = start;
                let parts = self.up_to(end, |p| p.quoted_parts(None, Quoting::Document));
                self.pos = end;
                Part::Double(parts)
            }
        };
        Word {
            parts: vec![part],
            span,
        }
    }
}

/// Inside `$( )` bash also takes `EOF)` for the delimiter.
fn ends_with_parenthesis(line: &str, delimiter: &str) -> bool {
    !delimiter.is_empty() && line.strip_prefix(delimiter).is_some_and(|rest| rest.contains(')'))
}
