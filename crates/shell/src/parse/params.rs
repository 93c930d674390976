//! `${...}`

use super::Parser;
use super::cursor::{is_name, is_name_start};
use super::expansions::is_special_parameter;
use super::pieces::{Pieces, Text};
use super::quotes::{Matched, Quoting};
use crate::{Param, ParamOp, Part, Word};
use alloc::boxed::Box;
use alloc::string::String;

/// What stands before the operator.
#[derive(Default)]
struct Head {
    name: String,
    index: Option<Box<Word>>,
    indirect: bool,
    length: bool,
}

impl Parser<'_> {
    /// The rest of `${...}`, whose opening at `start` was moved over.
    pub(super) fn braced(&mut self, start: usize, quoting: Quoting) -> Part {
        if matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'|')) {
            return self.brace_substitution(start);
        }
        let parameter = self.nested(|p| Some(p.parameter(start, quoting)));
        let param = parameter.unwrap_or_else(|| self.understood(Head::default(), ParamOp::None, start));
        Part::Param(alloc::boxed::Box::new(param))
    }

    fn parameter(&mut self, start: usize, quoting: Quoting) -> Param {
        let inside = self.pos;
        let head = self.parameter_head();
        let mut op = self.operation(&head, quoting);
        if matches!(op, ParamOp::None) && (head.name.is_empty() || self.peek() != Some(b'}')) {
            op = self.not_understood(inside, quoting);
        }
        if !self.eat(b'}') {
            self.unterminated(start);
        }
        self.understood(head, op, start)
    }

    fn understood(&mut self, head: Head, op: ParamOp, start: usize) -> Param {
        let Head {
            name,
            index,
            indirect,
            length,
        } = head;
        Param {
            name,
            index,
            indirect,
            length,
            op,
            span: self.span(start, self.pos),
        }
    }

    /// Keeps what makes no sense as a parameter: what was read of it, and the text up to the brace.
    fn not_understood(&mut self, inside: usize, quoting: Quoting) -> ParamOp {
        let mut pieces = Pieces::default();
        pieces.text(Text::Quoted, &self.text_of(inside, self.pos));
        self.matched(&mut pieces, &until_brace(b"}", quoting));
        ParamOp::Other(Box::new(Word {
            parts: pieces.finish(),
            span: self.span(inside, self.pos),
        }))
    }

    fn parameter_head(&mut self) -> Head {
        let mut head = Head::default();
        match (self.peek(), self.nth(1), self.nth(2)) {
            (Some(b'#'), Some(next), after) if is_counted(next, after) => {
                self.advance(1);
                head.length = true;
            }
            (Some(b'!'), Some(next), after) if is_counted(next, after) => {
                self.advance(1);
                head.indirect = true;
            }
            _ => {}
        }
        head.name = self.parameter_name();
        if head.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && self.peek() == Some(b'[') {
            head.index = Some(Box::new(self.bounded_subscript()));
        }
        head
    }

    /// `[...]`, which ends before an unquoted brace even without its bracket.
    fn bounded_subscript(&mut self) -> Word {
        self.pos += 1;
        let word = self.operand(&Matched {
            closes: Some(b'}'),
            ..Matched::bare(b'[', b']')
        });
        self.eat(b']');
        *word
    }

    fn parameter_name(&mut self) -> String {
        match self.peek() {
            Some(byte) if is_name_start(byte) => self.name(),
            Some(byte) if byte.is_ascii_digit() => {
                let start = self.pos;
                while self.peek().is_some_and(|b| b.is_ascii_digit()) {
                    self.pos += 1;
                }
                self.text_of(start, self.pos).into()
            }
            // `${${` opens another one, as bash counts braces, whatever it makes of them later.
            Some(b'$') if matches!(self.nth(1), Some(b'{' | b'(' | b'[')) => String::new(),
            Some(byte) if is_special_parameter(byte) => {
                self.pos += 1;
                String::from(char::from(byte))
            }
            _ => String::new(),
        }
    }

    fn operation(&mut self, head: &Head, quoting: Quoting) -> ParamOp {
        let Some(byte) = self.peek() else { return ParamOp::None };
        match byte {
            b':' => match self.nth(1) {
                Some(op @ (b'-' | b'=' | b'?' | b'+')) => {
                    self.advance(2);
                    self.default(op, true, quoting)
                }
                _ => self.slice(),
            },
            b'-' | b'=' | b'?' | b'+' => {
                self.pos += 1;
                self.default(byte, false, quoting)
            }
            b'#' | b'%' => self.trim(byte),
            b'/' => self.replace(quoting),
            b'^' | b',' | b'~' => self.case_change(byte),
            b'@' | b'*' if head.indirect && self.nth(1) == Some(b'}') => {
                self.pos += 1;
                ParamOp::Names
            }
            b'@' => self.transform(),
            _ => ParamOp::None,
        }
    }

    fn default(&mut self, op: u8, colon: bool, quoting: Quoting) -> ParamOp {
        let word = self.operand(&until_brace(b"}", quoting));
        ParamOp::Default {
            op: char::from(op),
            colon,
            word,
        }
    }

    /// A word of the expansion, up to its end.
    fn operand(&mut self, form: &Matched<'_>) -> Box<Word> {
        let start = self.pos;
        let mut pieces = Pieces::default();
        self.matched(&mut pieces, form);
        Box::new(Word {
            parts: pieces.finish(),
            span: self.span(start, self.pos),
        })
    }

    fn slice(&mut self) -> ParamOp {
        self.pos += 1;
        let offset = self.bounded_expression(b":}");
        let length = if self.eat(b':') {
            Some(self.bounded_expression(b"}"))
        } else {
            None
        };
        ParamOp::Slice {
            offset: alloc::boxed::Box::new(offset),
            length: length.map(alloc::boxed::Box::new),
        }
    }

    /// Whether the operator character is doubled; it is moved over either way.
    fn doubled(&mut self, byte: u8) -> bool {
        self.pos += 1;
        self.eat(byte)
    }

    // A pattern is active even inside double quotes, and single quotes quote in it. So patterns are always bare.
    fn trim(&mut self, byte: u8) -> ParamOp {
        let longest = self.doubled(byte);
        ParamOp::Trim {
            suffix: byte == b'%',
            longest,
            pattern: self.operand(&until_brace(b"}", Quoting::Bare)),
        }
    }

    fn replace(&mut self, quoting: Quoting) -> ParamOp {
        let all = self.doubled(b'/');
        let anchor = match self.peek() {
            Some(byte @ (b'#' | b'%')) if !all => {
                self.pos += 1;
                Some(char::from(byte))
            }
            _ => None,
        };
        let pattern = self.operand(&until_brace(b"/}", Quoting::Bare));
        self.eat(b'/');
        let with = Matched {
            text: quoting.text(),
            ..until_brace(b"}", Quoting::Bare)
        };
        ParamOp::Replace {
            all,
            anchor,
            pattern,
            with: self.operand(&with),
        }
    }

    fn case_change(&mut self, byte: u8) -> ParamOp {
        let mut op = String::from(char::from(byte));
        if self.doubled(byte) {
            op.push(char::from(byte));
        }
        let pattern = if self.peek() == Some(b'}') {
            None
        } else {
            Some(self.operand(&until_brace(b"}", Quoting::Bare)))
        };
        ParamOp::Case { op, pattern }
    }

    fn transform(&mut self) -> ParamOp {
        match (self.nth(1), self.nth(2)) {
            (Some(letter), Some(b'}')) if letter.is_ascii_alphabetic() => {
                self.advance(2);
                ParamOp::Transform(char::from(letter))
            }
            _ => ParamOp::None,
        }
    }
}

/// After `#` or `!`: whether `next` begins the name that is meant, so that the sign is not a parameter itself.
fn is_counted(next: u8, after: Option<u8>) -> bool {
    is_name(next) || matches!(next, b'@' | b'*') || (is_special_parameter(next) && after == Some(b'}'))
}

fn until_brace(ends: &'static [u8], quoting: Quoting) -> Matched<'static> {
    Matched {
        nest: None,
        ends,
        closes: Some(b'}'),
        ternary: false,
        quoting,
        text: quoting.text(),
        processes: quoting == Quoting::Bare,
    }
}
