//! Reserved words, and the tokens that may end a list.

use super::Parser;
use super::cursor::is_meta;

/// The words that are reserved in command position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Bang,
    BraceOpen,
    BraceClose,
    TestOpen,
    TestClose,
    Case,
    Coproc,
    Do,
    Done,
    Elif,
    Else,
    Esac,
    Fi,
    For,
    Function,
    If,
    In,
    Select,
    Then,
    Time,
    Until,
    While,
}

/// The length of the longest reserved word.
const LONGEST: usize = 8;

impl Keyword {
    fn from_bytes(word: &[u8]) -> Option<Keyword> {
        Some(match word {
            b"!" => Keyword::Bang,
            b"{" => Keyword::BraceOpen,
            b"}" => Keyword::BraceClose,
            b"[[" => Keyword::TestOpen,
            b"]]" => Keyword::TestClose,
            b"case" => Keyword::Case,
            b"coproc" => Keyword::Coproc,
            b"do" => Keyword::Do,
            b"done" => Keyword::Done,
            b"elif" => Keyword::Elif,
            b"else" => Keyword::Else,
            b"esac" => Keyword::Esac,
            b"fi" => Keyword::Fi,
            b"for" => Keyword::For,
            b"function" => Keyword::Function,
            b"if" => Keyword::If,
            b"in" => Keyword::In,
            b"select" => Keyword::Select,
            b"then" => Keyword::Then,
            b"time" => Keyword::Time,
            b"until" => Keyword::Until,
            b"while" => Keyword::While,
            _ => return None,
        })
    }
}

/// A set of tokens that end a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stops(u16);

impl Stops {
    pub(super) const NONE: Stops = Stops(0);
    pub(super) const PAREN: Stops = Stops(1);
    pub(super) const BRACE: Stops = Stops(1 << 1);
    pub(super) const THEN: Stops = Stops(1 << 2);
    pub(super) const ELIF: Stops = Stops(1 << 3);
    pub(super) const ELSE: Stops = Stops(1 << 4);
    pub(super) const FI: Stops = Stops(1 << 5);
    pub(super) const DO: Stops = Stops(1 << 6);
    pub(super) const DONE: Stops = Stops(1 << 7);
    pub(super) const ESAC: Stops = Stops(1 << 8);
    /// `;;`, `;&`, `;;&`
    pub(super) const ARM: Stops = Stops(1 << 9);

    pub(super) const fn or(self, other: Stops) -> Stops {
        Stops(self.0 | other.0)
    }

    pub(super) const fn has(self, other: Stops) -> bool {
        self.0 & other.0 != 0
    }

    fn of(keyword: Keyword) -> Option<Stops> {
        match keyword {
            Keyword::BraceClose => Some(Stops::BRACE),
            Keyword::Then => Some(Stops::THEN),
            Keyword::Elif => Some(Stops::ELIF),
            Keyword::Else => Some(Stops::ELSE),
            Keyword::Fi => Some(Stops::FI),
            Keyword::Do => Some(Stops::DO),
            Keyword::Done => Some(Stops::DONE),
            Keyword::Esac => Some(Stops::ESAC),
            _ => None,
        }
    }
}

/// A place and the end of the text there, and the reserved word at that place with the offset after it.
pub(super) type Looked = ((usize, usize), Option<(Keyword, usize)>);

impl Parser<'_> {
    /// The reserved word that stands here, and the offset after it. Nothing is moved over but joined lines.
    pub(super) fn keyword(&mut self) -> Option<(Keyword, usize)> {
        self.pos = self.joined(self.pos);
        // Several ask at the same place, one after the other.
        let here = (self.pos, self.end);
        match self.last_keyword {
            Some((there, found)) if there == here => found,
            _ => {
                let found = self.keyword_here();
                self.last_keyword = Some((here, found));
                found
            }
        }
    }

    fn keyword_here(&self) -> Option<(Keyword, usize)> {
        let mut letters = [0u8; LONGEST];
        let mut length = 0;
        let mut after = self.pos;
        let mut next = after;
        while let Some(byte) = self.at(next) {
            if is_meta(byte) {
                break;
            }
            *letters.get_mut(length)? = byte;
            length += 1;
            after = next + 1;
            next = self.joined(after);
        }
        // `if<(x)` is a word, for a process substitution does not end one.
        if matches!(self.at(next), Some(b'<' | b'>')) && self.at(self.joined(next + 1)) == Some(b'(') {
            return None;
        }
        Some((Keyword::from_bytes(letters.get(..length)?)?, after))
    }

    /// Moves over a reserved word if it stands here.
    pub(super) fn eat_keyword(&mut self, wanted: Keyword) -> bool {
        match self.keyword() {
            Some((keyword, after)) if keyword == wanted => {
                self.pos = after;
                true
            }
            _ => false,
        }
    }

    /// Moves over a reserved word that must stand here.
    pub(super) fn expect_keyword(&mut self, wanted: Keyword) -> bool {
        self.blanks();
        let found = self.eat_keyword(wanted);
        if !found {
            self.unexpected();
        }
        found
    }

    /// The token here that could end a list, and the offset after it.
    pub(super) fn closer(&mut self) -> Option<(Stops, usize)> {
        match self.peek()? {
            b')' => Some((Stops::PAREN, self.pos + 1)),
            b'}' if self.brace_closes => Some((Stops::BRACE, self.pos + 1)),
            b';' => self.arm_end().map(|(length, _)| (Stops::ARM, self.after(length))),
            _ => {
                let (keyword, after) = self.keyword()?;
                Some((Stops::of(keyword)?, after))
            }
        }
    }

    /// The length of the `;;`, `;&` or `;;&` that stands here, and whether it falls through.
    pub(super) fn arm_end(&mut self) -> Option<(usize, bool)> {
        match (self.peek()?, self.nth(1)?, self.nth(2)) {
            (b';', b';', Some(b'&')) => Some((3, true)),
            (b';', b'&', _) => Some((2, true)),
            (b';', b';', _) => Some((2, false)),
            _ => None,
        }
    }

    fn after(&mut self, length: usize) -> usize {
        let here = self.pos;
        self.advance(length);
        core::mem::replace(&mut self.pos, here)
    }
}
