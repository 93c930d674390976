//! Code cut into names, strings, numbers and operators.

use alloc::string::String;
use alloc::vec::Vec;

use super::parts::{Body, Holes, close_of, split_parts};
use super::syntax::{Interpolation, Syntax};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tok {
    Name(String),
    Text(Vec<Part>),
    /// Text that the language itself hands to a shell: `` `..` ``, `qx(..)`, `%x(..)`.
    Shell(Vec<Part>),
    /// A pattern, with what it is replaced by where that is code.
    Pattern(Option<String>),
    Number(i64),
    Op(&'static str),
    /// The end of a line, with the indentation of the next one that holds something.
    Newline(usize),
}

/// Text, and code whose value stands in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Text(String),
    Code(String),
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) tok: Tok,
    /// White space stands before it.
    pub(super) spaced: bool,
    /// The line that it starts in, counted from zero.
    pub(super) line: u32,
}

/// Longest first.
const OPS: &[&str] = &[
    "===", "!==", "**=", "||=", "&&=", "??=", "...", "<=>", "//=", "<<=", ">>=", "<<~", "<<-", "=>", "->", "::", ":=",
    "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "+=", "-=", ".=", "*=", "/=", "%=", "|=", "&=", "++", "--", "**",
    "//", "<<", ">>", "<-", "=~", "!~", "|>", "<>", "..", "(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "=", "+",
    "-", "*", "/", "%", "<", ">", "!", "?", "&", "|", "^", "~", "@", "#", "\\", "$", "`", "'", "\"",
];

/// The tokens of `code`.
pub(super) fn tokens(syntax: Syntax, code: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        chars: code.chars().collect(),
        at: 0,
        syntax,
        out: Vec::new(),
        spaced: true,
        line: 0,
        heredocs: Vec::new(),
    };
    let mut counted = 0;
    while lexer.at < lexer.chars.len() {
        let passed = lexer.chars.get(counted..lexer.at).unwrap_or_default();
        let lines = passed.iter().filter(|c| **c == '\n').count();
        lexer.line = lexer.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        counted = lexer.at;
        lexer.step();
    }
    lexer.out
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    syntax: Syntax,
    out: Vec<Token>,
    spaced: bool,
    line: u32,
    /// Here-documents that start after this line: place in `out`, end mark, whether values are put in.
    heredocs: Vec<(usize, String, bool)>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.peek(i) == Some(c))
    }

    fn is(&self, lang: &str) -> bool {
        self.syntax.names.contains(&lang)
    }

    fn push(&mut self, tok: Tok) {
        let spaced = core::mem::take(&mut self.spaced);
        let line = self.line;
        self.out.push(Token { tok, spaced, line });
    }

    fn step(&mut self) {
        let Some(c) = self.peek(0) else { return };
        if c == '\n' {
            return self.newline();
        }
        if c.is_whitespace() {
            self.at += 1;
            self.spaced = true;
        } else if self.comment() || self.long_text() || self.quoted(c) || self.heredoc() || self.percent(c) {
        } else if c == '/' && self.syntax.patterns && self.takes_operand() {
            self.at += 1;
            self.pattern_rest('/');
        } else if c.is_ascii_digit() {
            self.number();
        } else if self.starts_name(c) {
            self.word();
        } else {
            self.operator();
        }
    }

    fn newline(&mut self) {
        self.at += 1;
        for (place, mark, live) in core::mem::take(&mut self.heredocs) {
            self.heredoc_body(place, &mark, live);
        }
        let mut indent = 0;
        while let Some(c) = self.peek(0) {
            match c {
                '\n' => indent = 0,
                c if c.is_whitespace() => indent += 1,
                _ => break,
            }
            self.at += 1;
        }
        self.spaced = true;
        self.push(Tok::Newline(indent));
        self.spaced = true;
    }

    fn comment(&mut self) -> bool {
        if self.starts("/*") && !self.syntax.sigils && !self.is("python") && self.peek(2).is_some() {
            while self.at < self.chars.len() && !self.starts("*/") {
                self.at += 1;
            }
            self.at += 2;
            return true;
        }
        let at_start = self.spaced || !matches!(self.out.last().map(|t| &t.tok), Some(Tok::Op("$" | "@")));
        let starts = self.syntax.comments.iter().any(|c| self.starts(c));
        // `//` is also an empty pattern, or a division; a colon before it makes it an address that lost its quotes.
        let address = self.at > 0 && self.chars.get(self.at - 1) == Some(&':');
        if !starts || !at_start || address {
            return false;
        }
        if self.starts("--[[") {
            while self.at < self.chars.len() && !self.starts("]]") {
                self.at += 1;
            }
            self.at += 2;
            return true;
        }
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
        true
    }

    /// `[[..]]` of Lua.
    fn long_text(&mut self) -> bool {
        if !self.is("lua") || !self.starts("[[") {
            return false;
        }
        self.at += 2;
        let mut text = String::new();
        while self.at < self.chars.len() && !self.starts("]]") {
            text.extend(self.peek(0));
            self.at += 1;
        }
        self.at += 2;
        self.push(Tok::Text(alloc::vec![Part::Text(text)]));
        true
    }

    fn quoted(&mut self, c: char) -> bool {
        if self.is("lisp") && c == '\'' || !matches!(c, '\'' | '"' | '`') {
            return false;
        }
        if self.starts("'''") || self.starts("\"\"\"") {
            let body = self.until(&[c, c, c], true);
            let parts = self.parts(&body, c);
            self.push(Tok::Text(parts));
            return true;
        }
        // A lifetime or a label is no text.
        if c == '\'' && self.is("rust") && self.peek(2) != Some('\'') && self.peek(1) != Some('\\') {
            return false;
        }
        let raw = c == '\'' && self.syntax.raw_single;
        let body = self.until(&[c], !raw);
        let parts = self.parts(&body, c);
        let shell = c == '`' && self.syntax.shell_quotes;
        self.push(if shell { Tok::Shell(parts) } else { Tok::Text(parts) });
        true
    }

    /// The characters up to `close`, which is passed. Escapes stay as they are where values are put in later.
    fn until(&mut self, close: &[char], escapes: bool) -> Body {
        self.at += close.len();
        let mut out = Vec::new();
        while let Some(c) = self.peek(0) {
            if close.iter().enumerate().all(|(i, d)| self.peek(i) == Some(*d)) {
                self.at += close.len();
                break;
            }
            self.at += 1;
            if c != '\\' {
                out.push((c, false));
                continue;
            }
            let Some(e) = self.peek(0) else { break };
            self.at += 1;
            if escapes {
                self.escape(e, &mut out);
            } else if e == '\\' || close.contains(&e) {
                out.push((e, true));
            } else {
                out.extend([('\\', true), (e, true)]);
            }
        }
        out
    }

    fn escape(&mut self, e: char, out: &mut Body) {
        match e {
            'n' => out.push(('\n', true)),
            't' => out.push(('\t', true)),
            'r' => out.push(('\r', true)),
            'e' => out.push(('\u{1b}', true)),
            '\n' => {}
            'x' | 'u' | 'U' => self.coded(e, out),
            '0'..='7' => {
                self.at -= 1;
                let code = self.digits(8, 3);
                out.extend(code.and_then(char::from_u32).map(|c| (c, true)));
            }
            '1'..='9' => out.extend([('\\', true), (e, true)]),
            c if c.is_alphanumeric() => out.extend([('\\', true), (c, true)]),
            c => out.push((c, true)),
        }
    }

    fn coded(&mut self, e: char, out: &mut Body) {
        let braced = self.peek(0) == Some('{');
        self.at += usize::from(braced);
        let most = match e {
            _ if braced => 6,
            'x' => 2,
            'u' => 4,
            _ => 8,
        };
        let code = self.digits(16, most);
        self.at += usize::from(braced && self.peek(0) == Some('}'));
        out.extend(code.and_then(char::from_u32).map(|c| (c, true)));
    }

    fn digits(&mut self, radix: u32, most: usize) -> Option<u32> {
        let mut value = None;
        for _ in 0..most {
            let Some(d) = self.peek(0).and_then(|c| c.to_digit(radix)) else {
                break;
            };
            value = Some(value.unwrap_or(0u32).wrapping_mul(radix).wrapping_add(d));
            self.at += 1;
        }
        value
    }

    fn number(&mut self) {
        let hex = self.starts("0x") || self.starts("0X");
        let radix = if hex { 16 } else { 10 };
        self.at += if hex { 2 } else { 0 };
        let mut value = 0i64;
        while let Some(c) = self.peek(0) {
            match c.to_digit(radix) {
                Some(d) => value = value.wrapping_mul(i64::from(radix)).wrapping_add(i64::from(d)),
                None if c == '_' => {}
                None => break,
            }
            self.at += 1;
        }
        self.push(Tok::Number(value));
    }

    fn starts_name(&self, c: char) -> bool {
        let next = self.peek(1).unwrap_or(' ');
        let named = next.is_alphabetic() || next == '_';
        c.is_alphabetic()
            || c == '_'
            || c == '$'
                && (!self.syntax.sigils && (named || matches!(next, '(' | '`'))
                    || self.syntax.sigils
                        && (named || next.is_ascii_digit() || next == '$' || ",^!@&;\"/\\".contains(next)))
            || self.syntax.sigils && matches!(c, '@' | '%' | '&') && named && self.takes_operand()
            || c == '@' && self.is("ruby") && (named || next == '@')
    }

    fn word(&mut self) {
        let mut text = String::new();
        text.extend(self.peek(0));
        self.at += 1;
        let special = text == "$" && self.peek(0).is_some_and(|c| !c.is_alphanumeric() && c != '_');
        if special && self.syntax.sigils {
            let caret = self.peek(0) == Some('^');
            text.extend(self.peek(0));
            self.at += 1;
            if caret {
                text.extend(self.peek(0));
                self.at += 1;
            }
        }
        let dashes = self.is("lisp");
        while let Some(c) = self.peek(0).filter(|_| !special) {
            let mark = matches!(c, '?' | '!') && self.is("ruby") && self.peek(1) != Some('=');
            let dollar = c == '$' && !self.syntax.sigils;
            if !(c.is_alphanumeric() || c == '_' || dollar || (dashes && c == '-') || mark) {
                break;
            }
            text.push(c);
            self.at += 1;
        }
        if self.prefixed(&text) || self.quoting(&text) {
            return;
        }
        self.push(Tok::Name(text));
    }

    /// `f"..."` and the like: the prefix is no name.
    fn prefixed(&mut self, text: &str) -> bool {
        let prefix = self.is("python") && text.len() <= 2 && text.chars().all(|c| "rRbBfFuU".contains(c));
        let Some(quote) = self.peek(0).filter(|c| prefix && matches!(c, '\'' | '"')) else {
            return false;
        };
        let close: &[char] = if self.starts("'''") || self.starts("\"\"\"") {
            &[quote; 3]
        } else {
            &[quote]
        };
        let body = self.until(close, !text.contains(['r', 'R']));
        let parts = if text.contains(['f', 'F']) {
            split_parts(&body, Holes::Braces)
        } else {
            alloc::vec![Part::Text(body.iter().map(|(c, _)| *c).collect())]
        };
        self.push(Tok::Text(parts));
        true
    }

    /// `q(..)`, `qx{..}`, `m/../`, `s/../../`, `tr/../../`
    fn quoting(&mut self, text: &str) -> bool {
        let known = matches!(text, "q" | "qq" | "qx" | "qw" | "m" | "qr" | "s" | "tr" | "y");
        if !self.is("perl") || !known || matches!(self.out.last().map(|t| &t.tok), Some(Tok::Op("->" | "{"))) {
            return false;
        }
        let mut skip = 0;
        while self.peek(skip) == Some(' ') {
            skip += 1;
        }
        let open = self.peek(skip).unwrap_or(' ');
        let twice = matches!(text, "s" | "tr" | "y");
        if open.is_alphanumeric() || open.is_whitespace() || ",;)=".contains(open) || (skip > 0 && open != '{') {
            return false;
        }
        if self.chars.iter().skip(self.at + skip).take(2).eq(['-', '>'].iter()) {
            return false;
        }
        self.at += skip;
        let body = self.delimited();
        match text {
            "q" | "qw" => self.push(Tok::Text(split_parts(&body, Holes::None))),
            "qq" => {
                let parts = self.parts(&body, '"');
                self.push(Tok::Text(parts));
            }
            "qx" => {
                let parts = self.parts(&body, '"');
                self.push(Tok::Shell(parts));
            }
            _ => self.pattern_end(twice, open),
        }
        true
    }

    fn pattern_end(&mut self, twice: bool, open: char) {
        let mut with = None;
        if twice {
            // With brackets both halves have their own; else the middle mark closes one and opens the other.
            if close_of(open) == open {
                self.at -= 1;
            } else {
                while self.peek(0).is_some_and(char::is_whitespace) {
                    self.at += 1;
                }
            }
            with = Some(self.delimited().iter().map(|(c, _)| *c).collect::<String>());
        }
        let mut flags = String::new();
        while let Some(c) = self.peek(0).filter(char::is_ascii_alphabetic) {
            flags.push(c);
            self.at += 1;
        }
        self.push(Tok::Pattern(with.filter(|_| flags.contains('e'))));
    }

    fn pattern_rest(&mut self, close: char) {
        let mut set = false;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '\\' => self.at += 1,
                '[' => set = true,
                ']' => set = false,
                '\n' => break,
                c if c == close && !set => break,
                _ => {}
            }
        }
        while self.peek(0).is_some_and(|c| c.is_ascii_alphabetic()) {
            self.at += 1;
        }
        self.push(Tok::Pattern(None));
    }

    /// `%x(..)`, `%q(..)` of Ruby.
    fn percent(&mut self, c: char) -> bool {
        let kind = self.peek(1).unwrap_or(' ');
        let open = self.peek(2).unwrap_or(' ');
        let quotes = c == '%' && "xqQwWiI".contains(kind) && "([{<|!/".contains(open) && self.is("ruby");
        if !quotes || !(self.spaced || self.takes_operand()) {
            return false;
        }
        self.at += 2;
        let body = self.delimited();
        let parts = self.parts(&body, if kind == 'q' { '\'' } else { '"' });
        self.push(if kind == 'x' {
            Tok::Shell(parts)
        } else {
            Tok::Text(parts)
        });
        true
    }

    fn delimited(&mut self) -> Body {
        let Some(open) = self.peek(0) else { return Vec::new() };
        let close = close_of(open);
        self.at += 1;
        let mut depth = 1;
        let mut out = Vec::new();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == '\\'
                && let Some(e) = self.peek(0)
            {
                self.at += 1;
                self.escape(e, &mut out);
                continue;
            }
            if c == close {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            } else if c == open {
                depth += 1;
            }
            out.push((c, false));
        }
        out
    }

    /// `<<EOF`, `<<~"EOF"`, `<<<'EOF'`
    fn heredoc(&mut self) -> bool {
        if !self.starts("<<") || !["ruby", "perl", "php"].iter().any(|l| self.is(l)) || !self.takes_operand() {
            return false;
        }
        let mut at = 2;
        while self.peek(at).is_some_and(|c| matches!(c, '<' | '~' | '-')) {
            at += 1;
        }
        let quote = self.peek(at).filter(|c| matches!(c, '\'' | '"'));
        at += usize::from(quote.is_some());
        let mut mark = String::new();
        while let Some(c) = self.peek(at).filter(|c| c.is_alphanumeric() || *c == '_') {
            mark.push(c);
            at += 1;
        }
        at += usize::from(quote.is_some());
        if mark.is_empty() {
            return false;
        }
        self.at += at;
        self.heredocs.push((self.out.len(), mark, quote != Some('\'')));
        self.push(Tok::Text(Vec::new()));
        true
    }

    fn heredoc_body(&mut self, place: usize, mark: &str, live: bool) {
        let mut body = Vec::new();
        while self.at < self.chars.len() {
            let line: String = self.chars.iter().skip(self.at).take_while(|c| **c != '\n').collect();
            self.at += line.chars().count() + 1;
            if line.trim().trim_end_matches(';') == mark {
                break;
            }
            body.extend(line.chars().map(|c| (c, false)));
            body.push(('\n', false));
        }
        // The line itself ends here, too.
        let parts = self.parts(&body, if live { '"' } else { '\'' });
        if let Some(token) = self.out.get_mut(place) {
            token.tok = Tok::Text(parts);
        }
    }

    /// `quote` is what the text stood in.
    fn parts(&self, body: &Body, quote: char) -> Vec<Part> {
        let holes = match self.syntax.interpolation {
            _ if quote == '\'' => Holes::None,
            Interpolation::None => Holes::None,
            Interpolation::Template if quote != '`' => Holes::None,
            Interpolation::Hash => Holes::Hash,
            Interpolation::Sigil => Holes::Sigil,
            Interpolation::Template => Holes::Template,
            Interpolation::Dollar => Holes::Dollar,
        };
        split_parts(body, holes)
    }

    /// Whether an operand may stand here, so that `/` starts a pattern and `%` a name.
    fn takes_operand(&self) -> bool {
        match self.out.last().map(|t| &t.tok) {
            None | Some(Tok::Newline(_)) => true,
            Some(Tok::Op("}")) => self.syntax.names == ["awk"],
            Some(Tok::Op(op)) => !matches!(*op, ")" | "]"),
            Some(Tok::Name(n)) => {
                matches!(
                    n.as_str(),
                    "return"
                        | "if"
                        | "unless"
                        | "and"
                        | "or"
                        | "not"
                        | "split"
                        | "grep"
                        | "map"
                        | "print"
                        | "puts"
                        | "unlink"
                        | "my"
                        | "keys"
                        | "values"
                        | "in"
                        | "exec"
                        | "system"
                        | "join"
                        | "push"
                        | "while"
                        | "foreach"
                )
            }
            _ => false,
        }
    }

    fn operator(&mut self) {
        match OPS.iter().find(|op| self.starts(op)) {
            Some(op) => {
                self.at += op.len();
                self.push(Tok::Op(op));
            }
            None => self.at += 1,
        }
    }
}
