//! fish: blocks end with `end`, `and` and `or` stand before commands, `(..)` is a substitution, lists begin with 1.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Block;
use super::lexer::{Lexer, Tok};

/// Options of a function that say when fish calls it by itself.
const EVENTS: [&str; 10] = [
    "-e",
    "--on-event",
    "-v",
    "--on-variable",
    "-j",
    "--on-job-exit",
    "-p",
    "--on-process-exit",
    "-s",
    "--on-signal",
];
/// Substitutions inside one another that are read.
const MAX_DEPTH: usize = 24;

pub(super) fn read(text: &str, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut reader = Reader {
        lexer: Lexer::new(text, true),
        out: String::with_capacity(text.len() * 2),
        open: Vec::new(),
        pending: "",
        depth,
        events: Vec::new(),
    };
    while reader.command()? {}
    reader.open.is_empty().then_some(reader.out)
}

struct Reader<'t> {
    lexer: Lexer<'t>,
    out: String,
    open: Vec<Block>,
    /// What bash wants at the end of the present command: `then`, `do`.
    pending: &'static str,
    depth: usize,
    /// Open functions that an event calls, and in how many blocks they stand.
    events: Vec<(usize, String)>,
}

impl<'t> Reader<'t> {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// One command with what ends it; `Some(false)` at the end of the text.
    fn command(&mut self) -> Option<bool> {
        loop {
            match self.lexer.next() {
                None => {
                    self.finish();
                    return Some(false);
                }
                Some(Tok::End) => self.finish(),
                Some(Tok::Word(word)) => {
                    self.head(word)?;
                    return Some(true);
                }
                Some(Tok::Op(op)) => self.push(&format!(" {op} ")),
                Some(Tok::Open | Tok::Close) => return None,
            }
        }
    }

    /// The end of a command.
    fn finish(&mut self) {
        match core::mem::take(&mut self.pending) {
            "" => self.push("\n"),
            word => self.push(&format!("\n{word}\n")),
        }
    }

    /// A word where a command begins.
    fn head(&mut self, word: &str) -> Option<()> {
        match word {
            "and" | "or" | "time" => Some(()),
            "not" | "!" => {
                self.push("! ");
                Some(())
            }
            "if" => self.block("if ", Block::If, "then"),
            "while" => self.block("while ", Block::Loop, "do"),
            "for" => {
                self.block("for ", Block::Loop, "do")?;
                self.words()
            }
            "begin" => self.block("{\n", Block::Group, ""),
            "function" => self.function(),
            "switch" => {
                self.block("case ", Block::Case(false), "")?;
                self.words()?;
                self.push(" in\n");
                Some(())
            }
            "case" => self.case(),
            "else" => self.otherwise(),
            "end" => {
                let end = self.open.pop()?.end();
                self.push(end);
                // Nobody but fish itself calls it.
                if self.events.last().is_some_and(|(depth, _)| *depth == self.open.len())
                    && let Some((_, name)) = self.events.pop()
                {
                    self.push(&format!("\n{name}"));
                }
                self.words()
            }
            "set" => self.set(),
            "alias" => {
                self.push("alias ");
                self.joined_words()
            }
            word => {
                let word = self.translated(word)?;
                self.push(&word);
                self.words()
            }
        }
    }

    fn block(&mut self, text: &str, block: Block, pending: &'static str) -> Option<()> {
        self.push(text);
        self.open.push(block);
        self.pending = pending;
        Some(())
    }

    fn otherwise(&mut self) -> Option<()> {
        if self.open.last() != Some(&Block::If) {
            return None;
        }
        if self.lexer.peek() == Some(Tok::Word("if")) {
            self.lexer.next();
            self.push("\n:\nelif ");
            self.pending = "then";
        } else {
            self.push("\n:\nelse\n");
        }
        Some(())
    }

    /// `case a 'b*'`
    fn case(&mut self) -> Option<()> {
        let Some(Block::Case(another)) = self.open.last_mut() else {
            return None;
        };
        let before = if core::mem::replace(another, true) {
            "\n:;;\n"
        } else {
            ""
        };
        self.push(before);
        let patterns = self.rest_of_command()?;
        // Patterns stand in quotes in fish, and are patterns all the same.
        let bare: Vec<String> = patterns.iter().map(|p| p.replace(['\'', '"'], "")).collect();
        self.push(&format!("{})\n", bare.join("|")));
        Some(())
    }

    /// `function name -a one two`
    fn function(&mut self) -> Option<()> {
        let words = self.rest_of_command()?;
        let (name, options) = words.split_first()?;
        let is_event = |word: &&String| EVENTS.contains(&word.split('=').next().unwrap_or_default());
        if options.iter().any(|word| is_event(&word)) {
            self.events.push((self.open.len(), name.clone()));
        }
        self.push(&format!("{name}() {{\n"));
        self.open.push(Block::Group);
        let mut number = None;
        for word in options {
            match word.as_str() {
                "-a" | "--argument-names" => number = Some(1),
                flag if flag.starts_with('-') => number = None,
                name => {
                    if let Some(at) = number {
                        self.push(&format!("{name}=\"${{{at}}}\"\n"));
                        number = Some(at + 1);
                    }
                }
            }
        }
        Some(())
    }

    /// `set -gx NAME value value`
    fn set(&mut self) -> Option<()> {
        let words = self.rest_of_command()?;
        let is_flag = |word: &&String| word.starts_with('-');
        let flags: String = words.iter().take_while(is_flag).map(String::as_str).collect();
        let mut rest = words.iter().skip_while(is_flag);
        let Some(name) = rest.next() else {
            self.push("true");
            return Some(());
        };
        let values: Vec<&str> = rest.map(String::as_str).collect();
        if flags.contains('e') && !flags.contains("--") {
            self.push(&format!("unset {name}"));
        } else if flags.contains('q') {
            self.push("true");
        } else {
            let exports = flags.contains('x') && !flags.contains("--") || flags.contains("--export");
            let before = if exports { "export " } else { "" };
            match values.as_slice() {
                [] => self.push(&format!("{before}{name}=")),
                [one] => self.push(&format!("{before}{name}={one}")),
                many => self.push(&format!("{name}=({})", many.join(" "))),
            }
        }
        Some(())
    }

    /// The words up to the end of the command, which is left where it is.
    fn rest_of_command(&mut self) -> Option<Vec<String>> {
        let mut words = Vec::new();
        while let Some(Tok::Word(word)) = self.lexer.peek() {
            self.lexer.next();
            words.push(self.translated(word)?);
        }
        Some(words)
    }

    /// The same, written down.
    fn words(&mut self) -> Option<()> {
        while let Some(tok) = self.lexer.peek() {
            match tok {
                Tok::Word(word) => {
                    let word = self.translated(word)?;
                    self.push(" ");
                    self.push(&word);
                }
                // What follows one of these is a file.
                Tok::Op(op) if op.contains(['<', '>']) => self.push(&format!(" {op}")),
                _ => return Some(()),
            }
            self.lexer.next();
        }
        Some(())
    }

    /// `alias name 'text'` is `alias name='text'`.
    fn joined_words(&mut self) -> Option<()> {
        let words = self.rest_of_command()?;
        let words: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .filter(|w| !w.starts_with('-'))
            .collect();
        match words.split_first() {
            Some((name, [])) => self.push(name),
            Some((name, rest)) => self.push(&format!("{name}={}", rest.join("\\ "))),
            None => {}
        }
        Some(())
    }

    /// A word with its substitutions and variables as bash has them.
    fn translated(&self, word: &str) -> Option<String> {
        let mut out = String::with_capacity(word.len());
        let mut rest = word;
        let mut quoted = false;
        while let Some(c) = rest.chars().next() {
            let length = c.len_utf8();
            quoted ^= c == '"';
            let (piece, taken) = match c {
                '\\' => {
                    let second = rest.get(1..)?.chars().next().map_or(0, char::len_utf8);
                    (rest.get(..1 + second)?.to_string(), 1 + second)
                }
                '\'' if !quoted => single(rest)?,
                '(' if !quoted => self.substitution(rest)?,
                '$' if rest.starts_with("$(") => {
                    let (text, taken) = self.substitution(rest.get(1..)?)?;
                    (text, taken + 1)
                }
                '$' => variable(rest),
                c => (c.to_string(), length),
            };
            out.push_str(&piece);
            rest = rest.get(taken..)?;
        }
        Some(out)
    }

    /// `(..)`
    fn substitution(&self, text: &str) -> Option<(String, usize)> {
        let mut depth = 0_usize;
        let mut quote = None;
        for (at, c) in text.char_indices() {
            match (quote, c) {
                (None, '\'' | '"') => quote = Some(c),
                (Some(mark), c) if c == mark => quote = None,
                (None, '(') => depth += 1,
                (None, ')') if depth == 1 => {
                    let inner = read(text.get(1..at)?, self.depth + 1)?;
                    return Some((format!("$({})", inner.trim_end()), at + 1));
                }
                (None, ')') => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        None
    }
}

/// `'..'`, in which a backslash can stand before a quote or itself.
fn single(text: &str) -> Option<(String, usize)> {
    let mut out = String::from("'");
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' => return Some((out + "'", at + 1)),
            '\\' => match chars.next()?.1 {
                '\'' => out.push_str("'\\''"),
                '\\' => out.push('\\'),
                other => out.extend(['\\', other]),
            },
            c => out.push(c),
        }
    }
    None
}

/// `$argv`, `$argv[2]`, `$x[1]`
fn variable(text: &str) -> (String, usize) {
    let name: String = text
        .chars()
        .skip(1)
        .take_while(|c| *c == '_' || c.is_ascii_alphanumeric())
        .collect();
    let after = text.get(1 + name.len()..).unwrap_or_default();
    let index = after
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .map(|(index, _)| index);
    let number = index.and_then(|index| index.parse::<usize>().ok());
    let taken = 1 + name.len() + index.map_or(0, |index| index.len() + 2);
    let value = match (name.as_str(), number) {
        ("", _) => return ("$".into(), 1),
        ("argv", Some(at)) => format!("${{{at}}}"),
        ("argv", None) => "$@".into(),
        ("status", _) => "$?".into(),
        (name, Some(at)) => format!("${{{name}[{}]}}", at.saturating_sub(1)),
        (name, None) => format!("${{{name}[@]}}"),
    };
    (value, taken)
}
