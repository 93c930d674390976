//! The forms of secrets, from `rules/secrets.toml`.

/// A secret known by its form.
pub(crate) struct Form {
    /// What it is called in the text that stands for it.
    pub(crate) id: &'static str,
    /// A run that stands before the first fixed text.
    pub(crate) before: Option<Run>,
    /// Fixed texts and runs in turn; the first is a fixed text.
    pub(crate) parts: &'static [Part],
    /// The runs must hold a digit and a letter.
    pub(crate) mixed: bool,
    /// It is one within a longer word too.
    pub(crate) inside: bool,
}

/// A piece of a form.
pub(crate) enum Part {
    /// Fixed text.
    Text(&'static str),
    /// Characters of one set.
    Run(Run),
}

/// Characters of one set.
pub(crate) struct Run {
    /// One bit a character.
    pub(crate) set: u128,
    /// Fewest.
    pub(crate) min: usize,
    /// Most.
    pub(crate) max: usize,
}

impl Run {
    /// Whether the byte belongs to the run.
    pub(crate) const fn has(&self, byte: u8) -> bool {
        byte < 128 && self.set >> byte & 1 == 1
    }
}

/// Options of some programs that carry a secret.
pub(crate) struct Choice {
    /// Names of the programs.
    pub(crate) programs: &'static [&'static str],
    /// The options, dashes included.
    pub(crate) flags: &'static [&'static str],
    /// Where the secret stands.
    pub(crate) how: How,
    /// Programs whose option only means it after this word.
    pub(crate) only_after: &'static [(&'static str, &'static str)],
}

/// Where the secret of an option stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// `-pX`
    Glued,
    /// `-p X`
    Next,
    /// `-u name:X`
    User,
    /// `-U name%X`
    Percent,
    /// `-pass pass:X`
    Prefixed,
    /// `-b name=X`
    Pair,
    /// `-u name,X`
    Comma,
    /// `--from-literal=name=X`
    Value,
}

impl How {
    /// What the secret is called.
    pub(crate) const fn kind(self) -> &'static str {
        match self {
            Self::Pair => "cookie",
            _ => "password",
        }
    }
}

/// A command that takes a secret.
pub(crate) struct Taker {
    /// Names of the programs.
    pub(crate) programs: &'static [&'static str],
    /// What has to follow, in the signs of `rules/secrets.toml`.
    pub(crate) words: &'static [&'static str],
    /// A mark behind which the secret starts.
    pub(crate) after: Option<u8>,
}

include!(concat!(env!("OUT_DIR"), "/tables.rs"));
