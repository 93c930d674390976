//! One command: what form it has, and the simple form itself.

use super::Parser;
use super::keywords::{Keyword, Stops};
use super::words::Place;
use crate::{Assign, Command, Form, Part, Redirect, Script, Word};
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

/// Builtins whose arguments may be array assignments.
const DECLARATIONS: [&str; 8] = ["alias", "declare", "eval", "export", "let", "local", "readonly", "typeset"];

/// How a compound command begins.
enum Opening {
    Paren,
    Keyword(Keyword),
}

impl Parser<'_> {
    /// Reads a command with its redirections; `None` if none begins here.
    pub(super) fn command(&mut self) -> Option<Command> {
        match self.opening() {
            Some(opening) => self.nested(|p| Some(p.compound(opening))),
            None => self.simple(),
        }
    }

    /// The first token of a compound command, moved over.
    fn opening(&mut self) -> Option<Opening> {
        if self.peek()? == b'(' {
            return Some(Opening::Paren);
        }
        let (keyword, _) = self.keyword()?;
        match keyword {
            Keyword::BraceOpen
            | Keyword::TestOpen
            | Keyword::Case
            | Keyword::Coproc
            | Keyword::For
            | Keyword::Function
            | Keyword::If
            | Keyword::Select
            | Keyword::Until
            | Keyword::While => Some(Opening::Keyword(keyword)),
            _ => None,
        }
    }

    fn compound(&mut self, opening: Opening) -> Command {
        let start = self.pos;
        let form = match opening {
            Opening::Paren => self.parenthesized(),
            Opening::Keyword(keyword) => {
                self.pos = self.keyword().map_or(self.pos, |(_, after)| after);
                self.compound_form(keyword, start)
            }
        };
        let redirects = match form {
            // The redirections belong to the body, or to the command of the coprocess.
            Form::Function { .. } | Form::Coproc(_) => Vec::new(),
            _ => self.redirects(),
        };
        Command { form, redirects, span: self.span(start, self.pos) }
    }

    fn compound_form(&mut self, keyword: Keyword, start: usize) -> Form {
        match keyword {
            Keyword::BraceOpen => self.group(start),
            Keyword::TestOpen => self.conditional(start),
            Keyword::Case => self.case(start),
            Keyword::Coproc => self.coproc(),
            Keyword::For => self.for_loop(start),
            Keyword::Select => self.select(start),
            Keyword::Function => self.function(),
            Keyword::If => self.conditional_branches(start),
            Keyword::Until => self.conditional_loop(true, start),
            _ => self.conditional_loop(false, start),
        }
    }

    fn redirects(&mut self) -> Vec<Redirect> {
        let mut redirects = Vec::new();
        loop {
            let here = self.pos;
            self.blanks();
            match self.redirect() {
                Some(redirect) => redirects.push(redirect),
                None => {
                    self.pos = here;
                    return redirects;
                }
            }
        }
    }

    fn simple(&mut self) -> Option<Command> {
        if self.keyword().is_some_and(|(keyword, _)| keyword != Keyword::Time) {
            return None;
        }
        let start = self.pos;
        let mut end = start;
        let mut redirects = Vec::new();
        let mut assigns: Vec<Assign> = Vec::new();
        let mut words: Vec<Word> = Vec::new();
        let mut place = Place::Argument;
        loop {
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                // Any operator makes bash forget that it reads the arguments of a declaration.
                place = Place::Argument;
            } else if !self.word_begins() {
                break;
            } else if words.is_empty() {
                match self.head() {
                    Head::Assign(assign) => assigns.push(assign),
                    Head::Word(word) => {
                        place = argument_place(&word);
                        words.push(word);
                    }
                }
            } else {
                words.push(self.word(place));
            }
            end = self.pos;
            self.blanks();
            if self.peek() == Some(b'(') && words.len() == 1 && assigns.is_empty() && redirects.is_empty() {
                if let Some(form) = self.function_after(&words, start) {
                    return Some(Command { form, redirects, span: self.span(start, self.pos) });
                }
                break;
            }
        }
        if assigns.is_empty() && words.is_empty() && redirects.is_empty() {
            return None;
        }
        Some(Command { form: Form::Simple { assigns, words }, redirects, span: self.span(start, end) })
    }

    /// `name ()` with its body, if the parentheses are empty.
    fn function_after(&mut self, words: &[Word], start: usize) -> Option<Form> {
        let raw_name = self.text_of(start, self.pos);
        if !self.eat_empty_parens() {
            return None;
        }
        let name = words.first().and_then(Word::literal).unwrap_or_else(|| raw_name.trim_end().into());
        let body = self.nested(|p| Some(p.function_body()));
        Some(Form::Function { name, body: body.unwrap_or_else(|| Rc::new(self.nothing())) })
    }

    fn eat_empty_parens(&mut self) -> bool {
        let here = self.pos;
        self.advance(1);
        self.blanks();
        let empty = self.eat(b')');
        if !empty {
            self.pos = here;
        }
        empty
    }

    fn function_body(&mut self) -> Rc<Command> {
        self.linebreaks();
        let compound = match self.opening() {
            Some(Opening::Keyword(keyword)) => !matches!(keyword, Keyword::Coproc | Keyword::Function),
            Some(Opening::Paren) => true,
            None => false,
        };
        if !compound {
            self.unexpected();
        }
        Rc::new(self.command().unwrap_or_else(|| self.nothing()))
    }

    /// `function name`, with or without parentheses.
    fn function(&mut self) -> Form {
        self.blanks();
        let name = self.name_word();
        self.blanks();
        if self.peek() == Some(b'(') {
            self.eat_empty_parens();
        }
        Form::Function { name, body: self.function_body() }
    }

    /// `coproc command` or `coproc NAME compound`.
    fn coproc(&mut self) -> Form {
        self.blanks();
        if self.opening().is_none() && self.word_begins() {
            let mark = self.mark();
            self.word(Place::Argument);
            self.blanks();
            if self.opening().is_none() {
                // Reserved words are reserved after the name too.
                let reserved = self.keyword().is_some();
                self.go_back(&mark);
                if reserved {
                    self.unexpected();
                }
            }
        }
        let command = self.command().unwrap_or_else(|| {
            self.unexpected();
            self.nothing()
        });
        Form::Coproc(Box::new(command))
    }

    /// A word that is a name: its text, or how it is written if it has to be expanded.
    pub(super) fn name_word(&mut self) -> String {
        if !self.word_begins() {
            self.unexpected();
            return String::new();
        }
        let start = self.pos;
        let word = self.word(Place::Argument);
        word.literal().unwrap_or_else(|| self.text_of(start, self.pos).into())
    }

    /// The command that stands for a missing one.
    fn nothing(&self) -> Command {
        let form = Form::Simple { assigns: Vec::new(), words: Vec::new() };
        Command { form, redirects: Vec::new(), span: self.span(self.pos, self.pos) }
    }

    fn head(&mut self) -> Head {
        let start = self.pos;
        match self.assignment() {
            Ok(assign) => Head::Assign(assign),
            Err(pieces) => Head::Word(self.word_from(start, pieces, Place::Argument)),
        }
    }

    /// The commands between an opening that was moved over and its closing parenthesis.
    pub(super) fn parens(&mut self, start: usize) -> Script {
        let script = self.body(Stops::PAREN);
        if !self.eat(b')') {
            self.unterminated(start);
        }
        script
    }
}

/// What stands in command position.
enum Head {
    Assign(Assign),
    Word(Word),
}

fn argument_place(command: &Word) -> Place {
    match command.parts.as_slice() {
        [Part::Lit(name)] if DECLARATIONS.contains(&name.as_str()) => Place::Declaration,
        _ => Place::Argument,
    }
}
