//! Redirections.

use super::Parser;
use super::cursor::{is_name, is_name_start};
use super::words::Place;
use crate::{Redirect, RedirectOp, Word};
use alloc::string::String;

/// The number or the variable before an operator.
#[derive(Default)]
struct Descriptor {
    number: Option<u32>,
    variable: Option<String>,
}

impl Parser<'_> {
    /// Reads a redirection; `None`, with nothing moved over, if none begins here.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        let first = self.peek()?;
        if !matches!(first, b'<' | b'>' | b'&' | b'{') && !first.is_ascii_digit() {
            return None;
        }
        let start = self.pos;
        let Some((descriptor, op, strip)) = self.redirect_opening() else {
            self.pos = start;
            return None;
        };
        self.blanks();
        let target = match op {
            RedirectOp::HereDoc => self.document(strip),
            _ => self.target(op),
        };
        let span = self.span(start, self.pos);
        Some(Redirect {
            fd: descriptor.number,
            fd_var: descriptor.variable,
            op,
            target,
            span,
        })
    }

    fn target(&mut self, op: RedirectOp) -> Word {
        let start = self.pos;
        let word = self.wanted_word(Place::Argument);
        let numeric = self.raw(start, self.pos).bytes().all(|b| b.is_ascii_digit());
        // In `>1>f` the number belongs to the second operator. Only `>&1>f` reads it twice.
        if numeric && matches!(self.peek(), Some(b'<' | b'>')) && !matches!(op, RedirectOp::DupIn | RedirectOp::DupOut)
        {
            self.unexpected();
        }
        word
    }

    fn redirect_opening(&mut self) -> Option<(Descriptor, RedirectOp, bool)> {
        let descriptor = self.descriptor()?;
        if self.peek()? == b'&' {
            return Some((descriptor, self.both_operator()?, false));
        }
        if self.nth(1) == Some(b'(') {
            return None;
        }
        let (op, length, strip) = self.operator()?;
        self.advance(length);
        Some((descriptor, op, strip))
    }

    /// A number or `{name}` that touches an operator; nothing at all is a descriptor too.
    fn descriptor(&mut self) -> Option<Descriptor> {
        let mut descriptor = Descriptor::default();
        let start = self.pos;
        match self.peek()? {
            b'{' => {
                self.pos += 1;
                descriptor.variable = Some(self.descriptor_variable()?);
            }
            byte if byte.is_ascii_digit() => {
                while self.peek().is_some_and(|b| b.is_ascii_digit()) {
                    self.pos += 1;
                }
                let number = self
                    .text_of(start, self.pos)
                    .parse()
                    .ok()
                    .filter(|n| i32::try_from(*n).is_ok());
                descriptor.number = Some(number?);
            }
            _ => return Some(descriptor),
        }
        matches!(self.peek(), Some(b'<' | b'>')).then_some(descriptor)
    }

    /// `name}` or `name[subscript]}`
    fn descriptor_variable(&mut self) -> Option<String> {
        let start = self.pos;
        if !self.peek().is_some_and(is_name_start) {
            return None;
        }
        self.run(|b| is_name(b) || b == b'[' || b == b']' || b == b'@' || b == b'*');
        let name = self.text_of(start, self.pos).into();
        self.eat(b'}').then_some(name)
    }

    fn both_operator(&mut self) -> Option<RedirectOp> {
        if self.nth(1) != Some(b'>') {
            return None;
        }
        let append = self.nth(2) == Some(b'>');
        self.advance(if append { 3 } else { 2 });
        Some(if append {
            RedirectOp::BothAppend
        } else {
            RedirectOp::Both
        })
    }

    /// The operator, its length, and whether it is `<<-`.
    fn operator(&mut self) -> Option<(RedirectOp, usize, bool)> {
        Some(match (self.peek()?, self.nth(1), self.nth(2)) {
            (b'<', Some(b'<'), Some(b'<')) => (RedirectOp::HereString, 3, false),
            (b'<', Some(b'<'), Some(b'-')) => (RedirectOp::HereDoc, 3, true),
            (b'<', Some(b'<'), _) => (RedirectOp::HereDoc, 2, false),
            (b'<', Some(b'&'), _) => (RedirectOp::DupIn, 2, false),
            (b'<', Some(b'>'), _) => (RedirectOp::ReadWrite, 2, false),
            (b'<', _, _) => (RedirectOp::Read, 1, false),
            (b'>', Some(b'>'), _) => (RedirectOp::Append, 2, false),
            (b'>', Some(b'&'), _) => (RedirectOp::DupOut, 2, false),
            (b'>', Some(b'|'), _) => (RedirectOp::Clobber, 2, false),
            (b'>', _, _) => (RedirectOp::Write, 1, false),
            _ => return None,
        })
    }

    /// The delimiter of a here-document. The body follows on the next line, so the tree gets a number for now.
    fn document(&mut self, strip: bool) -> Word {
        let start = self.pos;
        let delimiter = self.target(RedirectOp::HereDoc);
        if delimiter.has_faults() {
            // The delimiter is not in the tree, so its faults would be lost.
            self.unterminated(start);
        }
        self.announce_document(&delimiter, start, strip)
    }
}
