//! What a dollar sign or a backtick begins, and process substitutions.

use super::Parser;
use super::cursor::is_name_start;
use super::keywords::Stops;
use super::pieces::Pieces;
use super::quotes::Quoting;
use crate::{Param, ParamOp, Part, Script};
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use core::mem;

impl Parser<'_> {
    /// Whatever the `$` at the cursor begins. Before anything else it stands for itself.
    pub(super) fn dollar(&mut self, pieces: &mut Pieces, quoting: Quoting) {
        let start = self.pos;
        let part = match self.nth(1) {
            Some(b'(') => self.dollar_paren(),
            Some(b'{') => {
                self.advance(2);
                self.braced(start, quoting)
            }
            Some(b'[') => {
                self.advance(2);
                self.old_arithmetic(start)
            }
            Some(b'\'') if quoting == Quoting::Bare => {
                self.advance(1);
                self.peek();
                return self.ansi(pieces);
            }
            Some(b'"') if quoting == Quoting::Bare => {
                self.advance(1);
                self.peek();
                self.double()
            }
            Some(byte) if is_name_start(byte) => {
                self.advance(1);
                let name = self.name();
                self.plain_parameter(name, start)
            }
            Some(byte) if byte.is_ascii_digit() || is_special_parameter(byte) => {
                self.advance(2);
                self.plain_parameter(String::from(char::from(byte)), start)
            }
            _ => {
                self.pos += 1;
                return pieces.text(quoting.text(), "$");
            }
        };
        pieces.push(part);
    }

    fn plain_parameter(&mut self, name: String, start: usize) -> Part {
        let span = self.span(start, self.pos);
        Part::Param(Box::new(Param {
            name,
            index: None,
            indirect: false,
            length: false,
            op: ParamOp::None,
            span,
        }))
    }

    fn dollar_paren(&mut self) -> Part {
        let start = self.pos;
        if self.nth(2) == Some(b'(')
            && let Some(expression) = self.arithmetic_expansion()
        {
            return Part::Arith(Box::new(expression));
        }
        self.advance(2);
        Part::Command(Rc::new(self.substitution(start, Stops::PAREN)))
    }

    /// `<(..)` or `>(..)`
    pub(super) fn process(&mut self) -> Part {
        let start = self.pos;
        let output = self.peek() == Some(b'>');
        self.advance(2);
        Part::Process {
            output,
            script: Rc::new(self.substitution(start, Stops::PAREN)),
        }
    }

    /// `${ list; }`, which newer shells run in place.
    pub(super) fn brace_substitution(&mut self, start: usize) -> Part {
        self.eat(b'|');
        Part::Command(Rc::new(self.substitution(start, Stops::BRACE)))
    }

    /// Commands up to the bracket that closes the substitution opened at `start`. Nothing outside reaches in: not the
    /// words that would end an outer list, nor here-documents that still wait for their body.
    fn substitution(&mut self, start: usize, stops: Stops) -> Script {
        let wanted = mem::replace(&mut self.wanted, Stops::NONE);
        let pending = mem::take(&mut self.pending);
        let in_parens = mem::replace(&mut self.in_parens, stops == Stops::PAREN);
        let brace_closes = mem::replace(&mut self.brace_closes, stops == Stops::BRACE);
        let mut script = self.nested(|p| p.list(stops));
        if !self.eat(if stops == Stops::BRACE { b'}' } else { b')' }) {
            self.unterminated_in(&mut script, start);
            self.read_documents();
        }
        let waiting = mem::replace(&mut self.pending, pending);
        if !waiting.is_empty() {
            // A body after the closing parenthesis: some versions of bash read it from the next line, others take it
            // for empty and the next line for commands.
            self.unterminated_in(&mut script, start);
            self.pending.splice(0..0, waiting);
        }
        self.brace_closes = brace_closes;
        self.in_parens = in_parens;
        self.wanted = wanted;
        script
    }

    /// `` `...` ``. Its text runs to the next bare backtick, whatever stands between; only then is it read.
    pub(super) fn backtick(&mut self, quoting: Quoting) -> Part {
        let start = self.pos;
        self.pos += 1;
        let (text, closed) = self.backtick_text(quoting);
        let span = self.span(start, self.pos);
        let mut script = self.nested(|p| p.aside(&text, span, |inner| inner.whole()));
        if !closed {
            self.unterminated_in(&mut script, start);
        }
        Part::Command(Rc::new(script))
    }

    /// Notes in a script itself that it does not end.
    fn unterminated_in(&mut self, script: &mut Script, start: usize) {
        let faults = mem::replace(&mut self.faults, mem::take(&mut script.faults));
        self.unterminated(start);
        script.faults = mem::replace(&mut self.faults, faults);
    }

    /// The text of a backtick substitution with one layer of backslashes undone, and whether its end was found.
    fn backtick_text(&mut self, quoting: Quoting) -> (String, bool) {
        let mut text = String::new();
        loop {
            text.push_str(self.run(|b| b != b'\\' && b != b'`'));
            let Some(byte) = self.at(self.pos) else {
                return (text, false);
            };
            self.pos += 1;
            if byte == b'`' {
                return (text, true);
            }
            match self.at(self.pos) {
                Some(next @ (b'\\' | b'`' | b'$')) => text.push(char::from(next)),
                Some(b'"') if quoting == Quoting::Double => text.push('"'),
                // Anything else keeps its backslash and is copied with the next run.
                _ => {
                    text.push('\\');
                    continue;
                }
            }
            self.pos += 1;
        }
    }
}

/// The parameters whose name is a punctuation character.
pub(super) fn is_special_parameter(byte: u8) -> bool {
    matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}
