//! Groups, branches, loops and `case`.

use super::Parser;
use super::keywords::{Keyword, Stops};
use super::words::Place;
use crate::{Arith, Arm, Form, Script, Word};
use alloc::boxed::Box;
use alloc::vec::Vec;

impl Parser<'_> {
    /// `( list )` or `(( expression ))`.
    pub(super) fn parenthesized(&mut self) -> Form {
        let start = self.pos;
        if self.nth(1) == Some(b'(')
            && let Some(expression) = self.arithmetic_command()
        {
            return Form::Arith(expression);
        }
        self.advance(1);
        Form::Subshell(self.parens(start))
    }

    pub(super) fn group(&mut self, start: usize) -> Form {
        let script = self.body(Stops::BRACE);
        self.close(Keyword::BraceClose, start);
        Form::Group(script)
    }

    /// Moves over the word that ends the construct that began at `start`.
    fn close(&mut self, keyword: Keyword, start: usize) {
        self.blanks();
        if !self.eat_keyword(keyword) {
            self.unterminated(start);
        }
    }

    /// Reads with `stops` noted as wanted by this construct.
    fn wanting<T>(&mut self, stops: Stops, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.wanted;
        self.wanted = outer.or(stops);
        let result = read(self);
        self.wanted = outer;
        result
    }

    pub(super) fn conditional_branches(&mut self, start: usize) -> Form {
        let ends = Stops::ELIF.or(Stops::ELSE).or(Stops::FI);
        let mut branches = Vec::with_capacity(1);
        let mut otherwise = None;
        self.wanting(Stops::FI, |p| {
            loop {
                let condition = p.wanting(ends, |p| p.body(Stops::THEN));
                p.expect_keyword(Keyword::Then);
                branches.push((condition, p.body(ends)));
                if !p.eat_keyword(Keyword::Elif) {
                    break;
                }
            }
            if p.eat_keyword(Keyword::Else) {
                otherwise = Some(Box::new(p.body(Stops::FI)));
            }
        });
        self.close(Keyword::Fi, start);
        Form::If { branches, otherwise }
    }

    pub(super) fn conditional_loop(&mut self, until: bool, start: usize) -> Form {
        let condition = Box::new(self.wanting(Stops::DONE, |p| p.body(Stops::DO)));
        self.expect_keyword(Keyword::Do);
        let body = Box::new(self.loop_body(start));
        Form::Loop { until, condition, body }
    }

    fn loop_body(&mut self, start: usize) -> Script {
        let body = self.body(Stops::DONE);
        self.close(Keyword::Done, start);
        body
    }

    /// `do list done`, or braces, which bash also takes after `for` and `select`.
    fn do_group(&mut self, start: usize) -> Script {
        if self.eat_keyword(Keyword::BraceOpen) {
            let body = self.body(Stops::BRACE);
            self.close(Keyword::BraceClose, start);
            return body;
        }
        self.expect_keyword(Keyword::Do);
        self.loop_body(start)
    }

    pub(super) fn for_loop(&mut self, start: usize) -> Form {
        self.blanks();
        if self.peek() == Some(b'(') && self.nth(1) == Some(b'(') {
            return self.for_arith(start);
        }
        self.for_words(false, start)
    }

    pub(super) fn select(&mut self, start: usize) -> Form {
        self.blanks();
        self.for_words(true, start)
    }

    fn for_words(&mut self, select: bool, start: usize) -> Form {
        let name = self.name_word();
        self.blanks();
        let mut words = None;
        if self.eat(b';') {
            self.linebreaks();
        } else {
            self.linebreaks();
            if self.eat_keyword(Keyword::In) {
                words = Some(self.words_of_loop());
                self.list_terminator();
            }
        }
        Form::For {
            name,
            words,
            body: Box::new(self.do_group(start)),
            select,
        }
    }

    fn words_of_loop(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            if !self.word_begins() {
                self.close_words(&mut words);
                return words;
            }
            self.add_word(&mut words, Place::Argument);
        }
    }

    /// `;` or a newline, which must stand here, and the newlines after it.
    fn list_terminator(&mut self) {
        if !self.eat(b';') && self.peek() != Some(b'\n') {
            self.unexpected();
        }
        self.linebreaks();
    }

    fn for_arith(&mut self, start: usize) -> Form {
        self.advance(2);
        let head: [Arith; 3] = self.nested(Self::for_head);
        self.blanks();
        if matches!(self.peek(), Some(b';' | b'\n')) {
            self.list_terminator();
        }
        Form::ForArith {
            head: Box::new(head),
            body: Box::new(self.do_group(start)),
        }
    }

    pub(super) fn case(&mut self, start: usize) -> Form {
        self.blanks();
        let subject = self.wanted_word(Place::Argument);
        self.linebreaks();
        self.expect_keyword(Keyword::In);
        let mut arms = Vec::new();
        self.wanting(Stops::ESAC.or(Stops::ARM), |p| {
            loop {
                p.linebreaks();
                if p.at_end() || matches!(p.keyword(), Some((Keyword::Esac, _))) {
                    return;
                }
                match p.arm() {
                    Some(arm) => arms.push(arm),
                    None => return,
                }
            }
        });
        self.close(Keyword::Esac, start);
        Form::Case { subject, arms }
    }

    /// An arm with the token that ends it; `None` if nothing more of this `case` can be read.
    fn arm(&mut self) -> Option<Arm> {
        let before = self.pos;
        self.eat(b'(');
        let patterns = self.patterns();
        if !self.eat(b')') {
            self.unexpected();
            if self.pos == before {
                return None;
            }
        }
        let body = self.list(Stops::ARM.or(Stops::ESAC));
        let mut falls_through = false;
        if let Some((length, falls)) = self.arm_end() {
            self.advance(length);
            falls_through = falls;
        } else if !matches!(self.keyword(), Some((Keyword::Esac, _))) {
            self.unexpected();
        }
        Some(Arm {
            patterns,
            body,
            falls_through,
        })
    }

    fn patterns(&mut self) -> Vec<Word> {
        let mut patterns = Vec::new();
        loop {
            self.blanks();
            patterns.push(self.wanted_word(Place::Argument));
            self.blanks();
            if self.peek() != Some(b'|') || self.nth(1) == Some(b'|') {
                return patterns;
            }
            self.pos += 1;
        }
    }

    /// A word that must stand here.
    pub(super) fn wanted_word(&mut self, place: Place) -> Word {
        if !self.word_begins() {
            self.unexpected();
            return Word {
                parts: Vec::new(),
                span: self.span(self.pos, self.pos),
            };
        }
        self.word(place)
    }
}
