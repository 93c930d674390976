//! Code cut into names, strings and punctuation.

use alloc::string::String;
use alloc::vec::Vec;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tok {
    /// A dotted name: `os.path.join`, `File::Path`.
    Name(String),
    Text(String),
    /// Text that the language itself hands to a shell: `` `..` ``, `qx(..)`, `%x(..)`.
    Shell(String),
    Punct(char),
    Newline,
}

/// The tokens of `code`.
pub(super) fn tokens(lang: &str, code: &str) -> Vec<Tok> {
    let mut lexer = Lexer {
        chars: code.chars().collect(),
        at: 0,
        lang,
        out: Vec::new(),
    };
    while lexer.at < lexer.chars.len() {
        lexer.step();
    }
    lexer.out
}

struct Lexer<'l> {
    chars: Vec<char>,
    at: usize,
    lang: &'l str,
    out: Vec<Tok>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn step(&mut self) {
        let Some(c) = self.peek(0) else { return };
        match c {
            '\'' | '"' => {
                let triple = self.peek(1) == Some(c) && self.peek(2) == Some(c);
                let text = if triple { self.triple(c) } else { self.string(c) };
                self.out.push(Tok::Text(text));
            }
            '`' => {
                let text = self.string('`');
                let shell = matches!(self.lang, "ruby" | "perl" | "php" | "other");
                self.out.push(if shell { Tok::Shell(text) } else { Tok::Text(text) });
            }
            '#' if !matches!(self.lang, "php" | "node") && !self.after_dollar() => self.comment(),
            '\n' => {
                self.at += 1;
                self.out.push(Tok::Newline);
            }
            c if c.is_alphabetic() || c == '_' || c == '$' => self.word(),
            '%' if matches!(self.peek(1), Some('x' | 'q' | 'Q' | 'w'))
                && self.peek(2).is_some_and(|d| "([{<|!/".contains(d))
                && self.lang == "ruby" =>
            {
                let shell = self.peek(1) == Some('x');
                self.at += 2;
                let text = self.delimited();
                self.out.push(if shell { Tok::Shell(text) } else { Tok::Text(text) });
            }
            c if c.is_whitespace() => self.at += 1,
            c => {
                self.at += 1;
                self.out.push(Tok::Punct(c));
            }
        }
    }

    fn after_dollar(&self) -> bool {
        self.at > 0 && self.chars.get(self.at - 1) == Some(&'$')
    }

    fn comment(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn word(&mut self) {
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            let joins = (c == '.' && self.lang != "perl" && self.lang != "php")
                && self.peek(1).is_some_and(char::is_alphabetic);
            let scope = c == ':' && self.peek(1) == Some(':');
            let arrow = c == '-' && self.peek(1) == Some('>');
            let dash = c == '-' && self.lang == "lisp";
            if c.is_alphanumeric() || c == '_' || c == '$' || joins || dash {
                text.push(c);
                self.at += 1;
            } else if scope || arrow {
                text.push_str(if scope { "::" } else { ">" });
                self.at += 2;
            } else {
                break;
            }
        }
        let quoting = self.lang == "perl" && matches!(text.as_str(), "q" | "qq" | "qx" | "qw");
        if quoting
            && self
                .peek(0)
                .is_some_and(|c| !c.is_alphanumeric() && !c.is_whitespace() && !",;=)".contains(c))
        {
            let body = self.delimited();
            self.out.push(if text == "qx" {
                Tok::Shell(body)
            } else {
                Tok::Text(body)
            });
            return;
        }
        // A string prefix of Python is not a name.
        if matches!(text.as_str(), "r" | "b" | "f" | "u" | "rb" | "br") && matches!(self.peek(0), Some('\'' | '"')) {
            return;
        }
        self.out.push(Tok::Name(text));
    }

    fn delimited(&mut self) -> String {
        let Some(open) = self.peek(0) else { return String::new() };
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            c => c,
        };
        self.at += 1;
        let mut depth = 1;
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == close {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            } else if c == open {
                depth += 1;
            }
            text.push(c);
        }
        text
    }

    fn triple(&mut self, quote: char) -> String {
        self.at += 3;
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            if c == quote && self.peek(1) == Some(quote) && self.peek(2) == Some(quote) {
                self.at += 3;
                break;
            }
            text.push(c);
            self.at += 1;
        }
        text
    }

    fn string(&mut self, quote: char) -> String {
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == quote {
                break;
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            let Some(e) = self.peek(0) else { break };
            self.at += 1;
            self.escape(e, &mut text);
        }
        text
    }

    fn escape(&mut self, e: char, text: &mut String) {
        match e {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'x' => {
                let code: String = [self.peek(0), self.peek(1)]
                    .into_iter()
                    .flatten()
                    .filter(char::is_ascii_hexdigit)
                    .collect();
                self.at += code.len();
                if let Some(c) = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32) {
                    text.push(c);
                }
            }
            '\\' | '\'' | '"' | '`' | '/' | '$' | '@' => text.push(e),
            other => {
                text.push('\\');
                text.push(other);
            }
        }
    }
}
