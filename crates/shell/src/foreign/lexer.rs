//! Words and what stands between them, as most shells cut them.

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tok<'t> {
    /// A word with its quotes.
    Word(&'t str),
    /// The end of a command: `;` or a line's.
    End,
    /// Any other operator, and its text.
    Op(&'t str),
    /// A parenthesis that stands alone.
    Open,
    Close,
}

/// Cuts a text, piece by piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    /// Parentheses inside a word belong to it (fish), or end it (csh).
    nests: bool,
}

impl<'t> Lexer<'t> {
    pub(super) const fn new(text: &'t str, nests: bool) -> Self {
        Self { text, nests }
    }

    /// The next piece without moving over it.
    pub(super) fn peek(&self) -> Option<Tok<'t>> {
        let mut next = *self;
        next.next()
    }

    fn take(&mut self, bytes: usize) -> &'t str {
        let (head, tail) = self.text.split_at_checked(bytes).unwrap_or((self.text, ""));
        self.text = tail;
        head
    }

    fn blanks(&mut self) {
        loop {
            self.text = self.text.trim_start_matches([' ', '\t', '\r']);
            if let Some(rest) = self.text.strip_prefix("\\\n") {
                self.text = rest;
            } else if self.text.starts_with('#') {
                let end = self.text.find('\n').unwrap_or(self.text.len());
                self.take(end);
            } else {
                return;
            }
        }
    }

    fn word(&mut self) -> Tok<'t> {
        let end = word_end(self.text, self.nests);
        // A lone closing mark would stop everything.
        let first = self.text.chars().next().map_or(1, char::len_utf8);
        Tok::Word(self.take(end.max(first)))
    }
}

impl<'t> Iterator for Lexer<'t> {
    type Item = Tok<'t>;

    fn next(&mut self) -> Option<Tok<'t>> {
        self.blanks();
        let mut chars = self.text.chars();
        let (first, second) = (chars.next()?, chars.next());
        Some(match (first, second) {
            (';' | '\n', _) => {
                self.take(1);
                Tok::End
            }
            ('&', Some('&' | '>' | '|'))
            | ('|', Some('|' | '&'))
            | ('>', Some('>' | '&' | '!' | '|'))
            | ('<', Some('<' | '&')) => Tok::Op(self.take(2)),
            ('&' | '|' | '>' | '<', _) => Tok::Op(self.take(1)),
            ('(', _) if !self.nests => {
                self.take(1);
                Tok::Open
            }
            (')', _) => {
                self.take(1);
                Tok::Close
            }
            _ => self.word(),
        })
    }
}

/// Where the word ends that a text begins with.
fn word_end(text: &str, nests: bool) -> usize {
    let mut chars = text.char_indices();
    let mut depth = 0_usize;
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\'' | '"' | '`' => {
                while let Some((_, inner)) = chars.next() {
                    if inner == '\\' && (c == '"' || nests) {
                        chars.next();
                    } else if inner == c {
                        break;
                    }
                }
            }
            '(' if nests => depth += 1,
            ')' if nests && depth > 0 => depth -= 1,
            '(' | ')' => return at,
            ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '<' | '>' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}
