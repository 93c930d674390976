//! Arithmetic, and telling it from nested parentheses of commands.

use super::Parser;
use super::pieces::{Pieces, Text};
use super::quotes::{Matched, Quoting};
use crate::{Arith, Part};
use alloc::boxed::Box;

/// The text of an expression, up to one of `ends` outside parentheses.
fn expression(ends: &[u8]) -> Matched<'_> {
    Matched {
        nest: Some((b'(', b')')),
        ends,
        closes: None,
        ternary: false,
        quoting: Quoting::Bare,
        text: Text::Quoted,
        processes: false,
    }
}

/// A place to come back to.
pub(super) struct Mark {
    pos: usize,
    faults: usize,
    gave_up: bool,
}

impl Parser<'_> {
    /// `(( expression ))` in command position; `None` if it is two parentheses of subshells.
    pub(super) fn arithmetic_command(&mut self) -> Option<Arith> {
        self.arithmetic(2)
    }

    /// `$(( expression ))`; `None` if it is a command substitution that begins with a subshell.
    pub(super) fn arithmetic_expansion(&mut self) -> Option<Arith> {
        self.arithmetic(3)
    }

    /// Bash takes `((` for arithmetic if the parentheses that match stand next to each other, and only then looks for
    /// commands. So this tries, and comes back if it was wrong.
    fn arithmetic(&mut self, opening: usize) -> Option<Arith> {
        let mark = self.mark();
        self.advance(opening);
        let read = self.nested(|p| {
            let arith = p.expression(&expression(b")"));
            if p.peek() == Some(b')') && p.nth(1) == Some(b')') {
                Some(arith)
            } else {
                None
            }
        });
        if read.is_some() {
            self.advance(2);
            return read;
        }
        let unclosed = self.at_end();
        let here = self.pos;
        self.go_back(&mark);
        if unclosed {
            // Bash stops here. Reading on as commands keeps whatever runs in there in the tree.
            self.fault(crate::FaultKind::Unterminated, mark.pos, here);
        }
        None
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            pos: self.pos,
            faults: self.faults.len(),
            gave_up: self.gave_up,
        }
    }

    /// Goes back to read the same bytes differently. What was read in vain is paid for; nothing may cost too much.
    pub(super) fn go_back(&mut self, mark: &Mark) {
        let wasted = self.pos.saturating_sub(mark.pos);
        self.pos = mark.pos;
        self.faults.truncate(mark.faults);
        self.gave_up = mark.gave_up;
        match self.fuel.checked_sub(wasted) {
            Some(fuel) => self.fuel = fuel,
            None => self.give_up(),
        }
    }

    fn expression(&mut self, form: &Matched<'_>) -> Arith {
        let start = self.pos;
        let mut pieces = Pieces::default();
        self.matched(&mut pieces, form);
        Arith {
            parts: pieces.finish(),
            span: self.span(start, self.pos),
        }
    }

    /// `$[ expression ]`
    pub(super) fn old_arithmetic(&mut self, start: usize) -> Part {
        let form = Matched {
            nest: Some((b'[', b']')),
            ..expression(b"]")
        };
        let arith = self.nested(|p| p.expression(&form));
        if !self.eat(b']') {
            self.unterminated(start);
        }
        Part::Arith(Box::new(arith))
    }

    /// A part of a slice `${x:offset:length}`.
    pub(super) fn bounded_expression(&mut self, ends: &[u8]) -> Arith {
        self.expression(&Matched {
            closes: Some(b'}'),
            ternary: true,
            ..expression(ends)
        })
    }

    /// The three expressions of `for ((a; b; c))` with the parentheses that close it.
    pub(super) fn for_head(&mut self) -> [Arith; 3] {
        let mut head: [Arith; 3] = Default::default();
        let mut count = 0;
        loop {
            let arith = self.expression(&expression(b";)"));
            match head.get_mut(count) {
                Some(place) => *place = arith,
                None => {
                    self.unexpected();
                    if let Some(last) = head.last_mut() {
                        last.parts.extend(arith.parts);
                    }
                }
            }
            count += 1;
            if !self.eat(b';') {
                break;
            }
        }
        if count < head.len() || self.peek() != Some(b')') || self.nth(1) != Some(b')') {
            self.unexpected();
        }
        self.eat(b')');
        self.eat(b')');
        head
    }
}
