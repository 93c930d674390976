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
const DECLARATIONS: [&str; 8] = [
    "alias", "declare", "eval", "export", "let", "local", "readonly", "typeset",
];

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
        Command {
            form,
            redirects,
            span: self.span(start, self.pos),
        }
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
        let command = Simple {
            start: self.pos,
            end: self.pos,
            ..Simple::default()
        };
        self.simple_from(command)
    }

    /// Reads the rest of a simple command, or of a function definition, which begins like one.
    fn simple_from(&mut self, mut command: Simple) -> Option<Command> {
        while self.simple_piece(&mut command) {
            command.end = self.pos;
            self.blanks();
            if self.peek() == Some(b'(') && command.is_one_word() {
                if let Some(form) = self.function_after(&command.words, command.start) {
                    let span = self.span(command.start, self.pos);
                    return Some(Command {
                        form,
                        redirects: Vec::new(),
                        span,
                    });
                }
                break;
            }
        }
        self.close_words(&mut command.words);
        let Simple {
            start,
            end,
            assigns,
            words,
            redirects,
            ..
        } = command;
        if assigns.is_empty() && words.is_empty() && redirects.is_empty() {
            return None;
        }
        Some(Command {
            form: Form::Simple { assigns, words },
            redirects,
            span: self.span(start, end),
        })
    }

    /// Reads the next assignment, word or redirection; false at the end of the command.
    fn simple_piece(&mut self, command: &mut Simple) -> bool {
        if let Some(redirect) = self.redirect() {
            if command.redirects.is_empty() {
                command.redirects.reserve_exact(1);
            }
            command.redirects.push(redirect);
            // Any operator makes bash forget that it reads the arguments of a declaration.
            command.declares = false;
        } else if !self.word_begins() {
            return false;
        } else if command.words.is_empty() {
            let head = self.head();
            command.add(head);
            if command.assigns.len() >= super::long::ASSIGNS && command.words.is_empty() && command.redirects.is_empty()
            {
                self.goes_on = true;
                return false;
            }
        } else {
            let place = if command.declares {
                Place::Declaration
            } else {
                Place::Argument
            };
            self.add_word(&mut command.words, place);
        }
        true
    }

    /// `name ()` with its body, if the parentheses are empty.
    fn function_after(&mut self, words: &[Word], start: usize) -> Option<Form> {
        let raw_name = self.text_of(start, self.pos);
        if !self.eat_empty_parens() {
            return None;
        }
        let name = words
            .first()
            .and_then(Word::literal)
            .unwrap_or_else(|| raw_name.trim_end().into());
        let body = self.nested(|p| Some(p.function_body()));
        Some(Form::Function {
            name,
            body: body.unwrap_or_else(|| Rc::new(self.nothing())),
        })
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
        Form::Function {
            name,
            body: self.function_body(),
        }
    }

    /// `coproc command` or `coproc NAME compound`.
    fn coproc(&mut self) -> Form {
        self.blanks();
        let names = self.word_begins() && !self.peek().is_some_and(|b| b == b'{' || b.is_ascii_digit());
        let command = if names && self.keyword().is_none() {
            self.coproc_named()
        } else {
            self.command()
        };
        let command = command.unwrap_or_else(|| {
            self.unexpected();
            self.nothing()
        });
        Form::Coproc(Box::new(command))
    }

    /// The first word is a name if a compound command follows it. Otherwise it is the command.
    fn coproc_named(&mut self) -> Option<Command> {
        let mut command = Simple {
            start: self.pos,
            ..Simple::default()
        };
        let head = self.head();
        command.add(head);
        command.end = self.pos;
        self.blanks();
        if command.is_one_word() && self.opening().is_some() {
            return self.command();
        }
        if self.keyword().is_some() {
            // Reserved words are reserved after the name too.
            self.unexpected();
        }
        self.simple_from(command)
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
        let form = Form::Simple {
            assigns: Vec::new(),
            words: Vec::new(),
        };
        Command {
            form,
            redirects: Vec::new(),
            span: self.span(self.pos, self.pos),
        }
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

/// A simple command under construction.
#[derive(Default)]
struct Simple {
    start: usize,
    end: usize,
    assigns: Vec<Assign>,
    words: Vec<Word>,
    redirects: Vec<Redirect>,
    /// Whether array assignments may follow.
    declares: bool,
}

impl Simple {
    fn add(&mut self, head: Head) {
        match head {
            Head::Assign(assign) => self.assigns.push(assign),
            Head::Word(word) => {
                self.declares =
                    matches!(word.parts.as_slice(), [Part::Lit(name)] if DECLARATIONS.contains(&name.as_str()));
                self.words.push(word);
            }
        }
    }

    fn is_one_word(&self) -> bool {
        self.words.len() == 1 && self.assigns.is_empty() && self.redirects.is_empty()
    }
}
