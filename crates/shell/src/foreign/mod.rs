//! Texts of other shells, put into the words of bash.
//!
//! Only what matters for what a text does is carried over: which commands it has, with which words, in which blocks. What
//! cannot be carried over gives no text at all, and whoever asked has to take it as unreadable.

mod csh;
mod fish;
mod lexer;
mod posix;

use alloc::string::String;

/// A shell that reads a text in another way than bash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// A shell that has nothing beyond POSIX: `&>` and `$'..'` are no operators there.
    Posix,
    /// fish.
    Fish,
    /// csh and tcsh.
    Csh,
}

/// What bash would have to be given to do what this shell does with `text`; `None` where that cannot be said.
#[must_use]
pub fn in_bash(dialect: Dialect, text: &str) -> Option<String> {
    if text.len() > crate::MAX_LEN {
        return None;
    }
    match dialect {
        Dialect::Posix => Some(posix::read(text)),
        Dialect::Fish => fish::read(text, 0),
        Dialect::Csh => csh::read(text),
    }
}

/// A block that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    If,
    Loop,
    Group,
    /// A choice between patterns, and whether one of them stood there.
    Case(bool),
}

impl Block {
    /// What ends it. A block must not be empty in bash.
    const fn end(self) -> &'static str {
        match self {
            Self::If => "\n:\nfi",
            Self::Loop => "\n:\ndone",
            Self::Group => "\n:\n}",
            Self::Case(true) => "\n:;;\nesac",
            Self::Case(false) => "*) :;;\nesac",
        }
    }
}

#[cfg(test)]
mod tests;
