//! `[[ ... ]]`

use super::Parser;
use super::keywords::Keyword;
use super::words::Place;
use crate::{Form, Part, Word};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// What may stand next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    /// A term, `!` or an opening parenthesis.
    Term,
    /// A binary operator, or the end of a term that is a single word.
    Operator,
    /// The word after an operator.
    Operand(Place),
    /// `&&`, `||`, a closing parenthesis or the end.
    Joint,
}

/// Reading a conditional: what is there, and where in the grammar it is.
struct Conditional {
    words: Vec<Word>,
    expect: Expect,
    parens: usize,
}

impl Parser<'_> {
    pub(super) fn conditional(&mut self, start: usize) -> Form {
        let mut state = Conditional {
            words: Vec::new(),
            expect: Expect::Term,
            parens: 0,
        };
        loop {
            match state.expect {
                Expect::Term | Expect::Joint => self.linebreaks(),
                Expect::Operator | Expect::Operand(_) => self.blanks(),
            }
            if self.eat_keyword(Keyword::TestClose) {
                if !matches!(state.expect, Expect::Operator | Expect::Joint) || state.parens > 0 {
                    self.fault(crate::FaultKind::Unexpected, start, self.pos);
                }
                break;
            }
            let regex = state.expect == Expect::Operand(Place::Regex) && matches!(self.peek(), Some(b'(' | b'|'));
            if regex || self.word_begins() {
                self.conditional_word(&mut state);
            } else if !self.conditional_operator(&mut state) {
                self.unterminated(start);
                break;
            }
        }
        Form::Test(state.words)
    }

    fn conditional_word(&mut self, state: &mut Conditional) {
        let place = if let Expect::Operand(place) = state.expect {
            place
        } else {
            Place::Argument
        };
        let word = self.word(place);
        let text = match word.parts.as_slice() {
            [Part::Lit(text)] => text.as_str(),
            _ => "",
        };
        state.expect = match state.expect {
            Expect::Term if text == "!" => Expect::Term,
            Expect::Term if is_unary(text) => Expect::Operand(Place::Argument),
            Expect::Term => Expect::Operator,
            Expect::Operator => match operand_place(text) {
                Some(place) => Expect::Operand(place),
                None => {
                    self.unexpected();
                    Expect::Joint
                }
            },
            Expect::Operand(_) => Expect::Joint,
            Expect::Joint => {
                self.unexpected();
                Expect::Joint
            }
        };
        state.words.push(word);
    }

    /// Moves over an operator token; false if the conditional cannot go on.
    fn conditional_operator(&mut self, state: &mut Conditional) -> bool {
        let ends_term = matches!(state.expect, Expect::Operator | Expect::Joint);
        let (text, fits, next) = match (self.peek(), self.nth(1)) {
            (Some(b'&'), Some(b'&')) => ("&&", ends_term, Expect::Term),
            (Some(b'|'), Some(b'|')) => ("||", ends_term, Expect::Term),
            (Some(b'('), _) => ("(", state.expect == Expect::Term, Expect::Term),
            (Some(b')'), _) => (")", ends_term && state.parens > 0, Expect::Joint),
            (Some(b'<'), _) => ("<", state.expect == Expect::Operator, Expect::Operand(Place::Argument)),
            (Some(b'>'), _) => (">", state.expect == Expect::Operator, Expect::Operand(Place::Argument)),
            _ => return false,
        };
        if !fits {
            self.unexpected();
            if text == ")" && state.parens == 0 {
                return false;
            }
        }
        match text {
            "(" => state.parens += 1,
            ")" => state.parens -= 1,
            _ => {}
        }
        let start = self.pos;
        self.advance(text.len());
        let span = self.span(start, self.pos);
        state.words.push(Word {
            parts: vec![Part::Lit(String::from(text))],
            span,
        });
        state.expect = next;
        true
    }
}

fn is_unary(text: &str) -> bool {
    match text.as_bytes() {
        [b'-', letter] => b"abcdefghknoprstuvwxzGLNORS".contains(letter),
        _ => false,
    }
}

/// How the word after a binary operator is read; `None` if the text is no binary operator.
fn operand_place(operator: &str) -> Option<Place> {
    match operator {
        "=~" => Some(Place::Regex),
        "=" | "==" | "!=" => Some(Place::Pattern),
        "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-nt" | "-ot" | "-ef" => Some(Place::Argument),
        _ => None,
    }
}
