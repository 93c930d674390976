//! csh and tcsh: conditions stand in parentheses, `set` has blanks around its `=`, blocks end with words of their own.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Block;
use super::lexer::{Lexer, Tok};

pub(super) fn read(text: &str) -> Option<String> {
    let mut reader = Reader {
        lexer: Lexer::new(text, false),
        out: String::with_capacity(text.len() * 2),
        open: Vec::new(),
    };
    while let Some(tok) = reader.lexer.next() {
        match tok {
            Tok::End => reader.out.push('\n'),
            Tok::Word(word) => reader.head(word)?,
            Tok::Op(op) => reader.operator(op),
            Tok::Open => reader.out.push_str("( "),
            Tok::Close => reader.out.push_str(" )"),
        }
    }
    reader.open.is_empty().then_some(reader.out)
}

struct Reader<'t> {
    lexer: Lexer<'t>,
    out: String,
    open: Vec<Block>,
}

impl<'t> Reader<'t> {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn operator(&mut self, op: &str) {
        let op = match op {
            ">!" => ">",
            "|&" => "|&",
            op => op,
        };
        self.push(&format!(" {op} "));
    }

    /// A word where a command begins.
    fn head(&mut self, word: &str) -> Option<()> {
        match word {
            "if" => self.condition_of_if("if"),
            "else" => self.otherwise(),
            "endif" => self.close(Block::If),
            "foreach" => self.foreach(),
            "while" => {
                let condition = self.condition()?;
                self.push(&format!("while {condition}\ndo\n"));
                self.open.push(Block::Loop);
                Some(())
            }
            "end" => self.close(Block::Loop),
            "switch" => {
                let condition = self.condition()?;
                self.push(&condition);
                Some(())
            }
            // All arms are looked at one after the other.
            "breaksw" | "endsw" => {
                self.push(":");
                Some(())
            }
            word if word == "case" || word.ends_with(':') => self.skipped(),
            "@" | "onintr" | "unhash" | "rehash" | "glob" => self.skipped(),
            "repeat" => {
                self.lexer.next();
                Some(())
            }
            "set" => self.set(),
            "setenv" => {
                let words = self.rest_of_command();
                let (name, values) = words.split_first()?;
                self.push(&format!("export {name}={}", values.join(" ")));
                Some(())
            }
            "unsetenv" => {
                self.push("unset");
                self.words()
            }
            "alias" => {
                let words = self.rest_of_command();
                let (name, text) = words.split_first()?;
                let text = text.join(" ").replace('\'', "");
                self.push(&format!("alias {name}='{text}'"));
                Some(())
            }
            word => {
                let word = translated(word);
                self.push(&word);
                self.words()
            }
        }
    }

    fn close(&mut self, block: Block) -> Option<()> {
        if self.open.pop()? != block {
            return None;
        }
        self.push(block.end());
        Some(())
    }

    /// `if (c) then` begins a block, `if (c) command` does not.
    fn condition_of_if(&mut self, word: &str) -> Option<()> {
        let condition = self.condition()?;
        if self.lexer.peek() == Some(Tok::Word("then")) {
            self.lexer.next();
            self.push(&format!("{word} {condition}\nthen\n"));
            if word == "if" {
                self.open.push(Block::If);
            }
        } else if word == "if" {
            self.push(&format!("{condition}\n"));
        } else {
            return None;
        }
        Some(())
    }

    fn otherwise(&mut self) -> Option<()> {
        if self.open.last() != Some(&Block::If) {
            return None;
        }
        self.push("\n:\n");
        if self.lexer.peek() == Some(Tok::Word("if")) {
            self.lexer.next();
            return self.condition_of_if("elif");
        }
        self.push("else\n");
        Some(())
    }

    /// `foreach x (a b)`
    fn foreach(&mut self) -> Option<()> {
        let Some(Tok::Word(name)) = self.lexer.next() else {
            return None;
        };
        let words: Vec<String> = self.in_parens()?.iter().map(|word| translated(word)).collect();
        self.push(&format!("for {name} in {}\ndo\n", words.join(" ")));
        self.open.push(Block::Loop);
        Some(())
    }

    /// What stands in parentheses, without operators.
    fn in_parens(&mut self) -> Option<Vec<&'t str>> {
        if self.lexer.next() != Some(Tok::Open) {
            return None;
        }
        let mut words = Vec::new();
        let mut depth = 1_usize;
        loop {
            match self.lexer.next()? {
                Tok::Open => depth += 1,
                Tok::Close => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(words);
                    }
                }
                Tok::Word(word) => words.push(word),
                Tok::Op(_) | Tok::End => {}
            }
        }
    }

    /// A condition. What it says is not believed; the commands in it run: `{ rm x }`, and those in backticks.
    fn condition(&mut self) -> Option<String> {
        let words = self.in_parens()?;
        let from = words.iter().position(|word| *word == "{");
        let until = words.iter().position(|word| *word == "}");
        if let (Some(from), Some(until)) = (from, until) {
            let words: Vec<String> = words
                .get(from + 1..until)?
                .iter()
                .map(|word| translated(word))
                .collect();
            return Some(words.join(" "));
        }
        let substituted: Vec<&str> = words.into_iter().filter(|word| word.contains('`')).collect();
        Some(format!("true {}", substituted.join(" ")))
    }

    /// A command that is nothing to bash.
    fn skipped(&mut self) -> Option<()> {
        let words = self.rest_of_command();
        let substituted: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .filter(|word| word.contains('`'))
            .collect();
        self.push(&format!(": {}", substituted.join(" ")));
        Some(())
    }

    /// `set x = a`, `set x=a`, `set x = (a b)`
    fn set(&mut self) -> Option<()> {
        let Some(Tok::Word(first)) = self.lexer.peek() else {
            self.push(":");
            return Some(());
        };
        self.lexer.next();
        let (name, mut value) = match first.split_once('=') {
            Some((name, value)) => (name, value.to_string()),
            None => (first, String::new()),
        };
        if self.lexer.peek() == Some(Tok::Word("=")) {
            self.lexer.next();
        }
        match self.lexer.peek() {
            Some(Tok::Open) => {
                let words: Vec<String> = self.in_parens()?.iter().map(|word| translated(word)).collect();
                value = format!("({})", words.join(" "));
            }
            Some(Tok::Word(word)) if value.is_empty() => {
                self.lexer.next();
                value = word.trim_start_matches('=').to_string();
            }
            _ => {}
        }
        self.push(&format!("{name}={}", translated(&value)));
        self.words()
    }

    fn rest_of_command(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        while let Some(Tok::Word(word)) = self.lexer.peek() {
            self.lexer.next();
            words.push(translated(word));
        }
        words
    }

    fn words(&mut self) -> Option<()> {
        while let Some(tok) = self.lexer.peek() {
            match tok {
                Tok::Word(word) => {
                    self.push(" ");
                    self.push(&translated(word));
                }
                Tok::Op(op) if op.contains(['<', '>']) => self.operator(op),
                _ => return Some(()),
            }
            self.lexer.next();
        }
        Some(())
    }
}

/// `$argv` are the words of a script, `$argv[2]` is one of them, and `$x[1]` the first of a list.
fn translated(word: &str) -> String {
    let mut parts = word.split('$');
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let end = part
            .find(|c: char| c != '_' && !c.is_ascii_alphanumeric())
            .unwrap_or(part.len());
        let (name, after) = part.split_at_checked(end).unwrap_or((part, ""));
        let index = after.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let number = index.and_then(|(at, rest)| Some((at.parse::<usize>().ok()?, rest)));
        let (value, rest) = match (name, number) {
            ("argv", Some((at, rest))) => (format!("${{{at}}}"), rest),
            ("argv", None) => ("$@".to_string(), index.map_or(after, |(_, rest)| rest)),
            (name, Some((at, rest))) if !name.is_empty() => (format!("${{{name}[{}]}}", at.saturating_sub(1)), rest),
            (name, _) => (format!("${name}"), after),
        };
        out.push_str(&value);
        out.push_str(rest);
    }
    out
}
