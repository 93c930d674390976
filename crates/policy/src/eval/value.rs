//! What is known about a piece of text before anything runs.

use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::string::String;
use shell::Span;

use super::pieces::Pieces;

/// Where text came from, as a set. Joined wherever values are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Labels(u16);

impl Labels {
    pub(crate) const NONE: Self = Self(0);
    /// Fetched from a host.
    pub(crate) const NETWORK: Self = Self(1);
    /// The output of a decoder or decompressor.
    pub(crate) const DECODED: Self = Self(1 << 1);
    /// Read from a credential.
    pub(crate) const SECRET: Self = Self(1 << 2);
    /// A dump of the environment.
    pub(crate) const ENVIRON: Self = Self(1 << 3);
    /// Read from a file.
    pub(crate) const FILE: Self = Self(1 << 4);
    /// The value of a variable that nobody in the text set.
    pub(crate) const VARIABLE: Self = Self(1 << 5);
    /// The output of a program.
    pub(crate) const PROGRAM: Self = Self(1 << 6);
    /// Typed in, or fed from outside the text.
    pub(crate) const INPUT: Self = Self(1 << 7);
    /// Whatever the shell cannot tell without running: a process id, a random number.
    pub(crate) const RUNTIME: Self = Self(1 << 8);

    /// The value of a variable whose name says that it is a secret.
    pub(crate) const SECRET_VARIABLE: Self = Self(1 << 9);

    /// The process id of a guard.
    pub(crate) const GUARD_PROCESS: Self = Self(1 << 10);

    /// Names that a search prints.
    pub(crate) const FOUND: Self = Self(1 << 11);
    /// What a compiler writes.
    pub(crate) const BUILT: Self = Self(1 << 12);

    /// The name of a program that was looked up.
    pub(crate) const LOOKED_UP: Self = Self(1 << 13);

    /// Names of all that a search without a filter finds.
    pub(crate) const ALL_FOUND: Self = Self(1 << 14);

    /// One of so many possible values that not all of them were looked at.
    pub(crate) const CROWDED: Self = Self(1 << 15);

    const NAMES: [(Self, &'static str); 16] = [
        (Self::CROWDED, "crowded"),
        (Self::ALL_FOUND, "unfiltered"),
        (Self::LOOKED_UP, "looked-up"),
        (Self::FOUND, "found"),
        (Self::BUILT, "built"),
        (Self::GUARD_PROCESS, "guard-process"),
        (Self::SECRET_VARIABLE, "secret-variable"),
        (Self::NETWORK, "network"),
        (Self::DECODED, "decoded"),
        (Self::SECRET, "secret"),
        (Self::ENVIRON, "environment"),
        (Self::FILE, "file"),
        (Self::VARIABLE, "variable"),
        (Self::PROGRAM, "program-output"),
        (Self::INPUT, "input"),
        (Self::RUNTIME, "run-time"),
    ];

    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES
            .into_iter()
            .filter(move |(l, _)| self.has(*l))
            .map(|(_, n)| n)
    }
    pub(crate) fn from_name(name: &str) -> Self {
        Self::NAMES
            .iter()
            .find(|(_, n)| *n == name)
            .map_or(Self::NONE, |(l, _)| *l)
    }
}

/// A piece of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    /// Exactly this text.
    Text(String),
    /// An active glob: `*`, `?` or a bracket expression.
    Glob(String),
    /// Some text that cannot be worked out.
    Unknown,
    /// The text of the file at this path, or some of it: not looked at, unless it is run.
    File(Rc<str>),
}

/// One word after expansion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Value {
    pub(crate) pieces: Pieces,
    pub(crate) labels: Labels,
    pub(crate) span: Span,
}

/// Where it stands makes no difference to what it is.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.labels == other.labels && self.pieces == other.pieces
    }
}

/// Stands for text that is not known, in the pattern form of a value. A private-use character: it matches nothing a
/// rule names literally, and a `*` of a rule matches it like any other.
pub(crate) const UNKNOWN: char = '\u{e000}';

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        let text: String = text.into();
        let pieces = match text.len() {
            0 => Pieces::None,
            1..=MAX_STREAM => Piece::Text(text).into(),
            _ => return Self::unknown(Labels::RUNTIME),
        };
        Self {
            pieces,
            ..Self::default()
        }
    }

    pub(crate) fn unknown(labels: Labels) -> Self {
        Self {
            pieces: Piece::Unknown.into(),
            labels,
            span: Span::default(),
        }
    }

    pub(crate) fn at(mut self, span: Span) -> Self {
        self.span = span;
        self
    }

    pub(crate) fn labelled(mut self, labels: Labels) -> Self {
        self.labels = self.labels.with(labels);
        self
    }

    /// The path of a name in the folder that this value names.
    pub(crate) fn joined(&self, name: &str) -> Self {
        let mut path = self.clone();
        path.push_text("/");
        path.push_text(name);
        path
    }

    pub(crate) fn push_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        // A value that doubles in every round of a loop must not fill the memory.
        let last = if let Some(Piece::Text(last)) = self.pieces.last() {
            last.len()
        } else {
            0
        };
        // Looking at all pieces for every short one would take long.
        let counts = text.len() >= SHORT || self.pieces.len().is_multiple_of(EACH);
        if last + text.len() > MAX_STREAM
            || self.pieces.len() > MAX_PIECES
            || self.pieces.len() > 1 && counts && self.weight() + text.len() > MAX_STREAM
        {
            return self.push_unknown(Labels::RUNTIME);
        }
        if let Some(Piece::Text(last)) = self.pieces.last_mut() {
            last.push_str(text);
        } else {
            self.pieces.push(Piece::Text(text.into()));
        }
    }

    pub(crate) fn push_unknown(&mut self, labels: Labels) {
        if self.pieces.last() != Some(&Piece::Unknown) {
            self.pieces.push(Piece::Unknown);
        }
        self.labels = self.labels.with(labels);
    }

    pub(crate) fn append(&mut self, other: &Self) {
        for piece in &other.pieces {
            if self.pieces.len() > MAX_PIECES {
                self.push_unknown(Labels::RUNTIME);
                break;
            }
            match piece {
                Piece::Text(t) => self.push_text(t),
                Piece::Glob(g) => self.pieces.push(Piece::Glob(g.clone())),
                Piece::Unknown => self.push_unknown(Labels::NONE),
                file @ Piece::File(_) if self.pieces.is_empty() => self.pieces.push(file.clone()),
                Piece::File(_) => self.push_unknown(Labels::NONE),
            }
        }
        self.labels = self.labels.with(other.labels);
    }

    /// The text, when all of it is known. Globs do not count as known.
    pub(crate) fn known(&self) -> Option<&str> {
        match &*self.pieces {
            [] => Some(""),
            [Piece::Text(t)] => Some(t),
            _ => None,
        }
    }

    /// The same text, without a copy of it.
    pub(crate) fn into_known(self) -> Option<String> {
        match self.pieces {
            Pieces::None => Some(String::new()),
            Pieces::One(Piece::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The text with active globs as written, when nothing in it is unknown.
    pub(crate) fn written(&self) -> Option<Cow<'_, str>> {
        (!self.has_unknown()).then(|| self.pattern())
    }

    /// Bytes of the known text.
    pub(crate) fn weight(&self) -> usize {
        self.pieces
            .iter()
            .map(|p| {
                if let Piece::Text(t) | Piece::Glob(t) = p {
                    t.len()
                } else {
                    1
                }
            })
            .sum()
    }

    pub(crate) fn has_unknown(&self) -> bool {
        self.pieces.iter().any(|p| matches!(p, Piece::Unknown | Piece::File(_)))
    }

    /// The file whose text this is, when it is nothing else.
    pub(crate) fn file(&self) -> Option<&Rc<str>> {
        match &*self.pieces {
            [Piece::File(path)] => Some(path),
            [Piece::File(path), Piece::Text(end)] if end.trim().is_empty() => Some(path),
            _ => None,
        }
    }

    pub(crate) fn has_glob(&self) -> bool {
        self.pieces.iter().any(|p| matches!(p, Piece::Glob(_)))
    }

    /// Text and globs as written, [`UNKNOWN`] for what is not known.
    pub(crate) fn pattern(&self) -> Cow<'_, str> {
        if let [Piece::Text(only) | Piece::Glob(only)] = &*self.pieces {
            return Cow::Borrowed(only);
        }
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(t) | Piece::Glob(t) => out.push_str(t),
                Piece::Unknown | Piece::File(_) => out.push(UNKNOWN),
            }
        }
        Cow::Owned(out)
    }

    /// The known text at the start, up to the first piece that is not known.
    pub(crate) fn prefix(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(t)) => t,
            _ => "",
        }
    }

    /// The value without its first `count` bytes, which must be known text.
    pub(crate) fn without_prefix(&self, count: usize) -> Self {
        let mut out = Self {
            pieces: Pieces::None,
            labels: self.labels,
            span: self.span,
        };
        for (i, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Text(t) if i == 0 => out.push_text(t.get(count..).unwrap_or_default()),
                other => out.pieces.push(other.clone()),
            }
        }
        out
    }
}

/// What flows through a pipe, a redirection or a substitution.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Stream {
    /// The text, when it is known.
    pub(crate) text: Option<String>,
    pub(crate) labels: Labels,
    /// The file that text which is not known was read from.
    pub(crate) file: Option<Rc<str>>,
}

impl Stream {
    /// Nothing at all.
    pub(crate) fn empty() -> Self {
        Self {
            text: Some(String::new()),
            labels: Labels::NONE,
            file: None,
        }
    }
    pub(crate) fn known(text: String) -> Self {
        Self {
            text: Some(text),
            labels: Labels::NONE,
            file: None,
        }
    }
    pub(crate) fn unknown(labels: Labels) -> Self {
        Self {
            text: None,
            labels,
            file: None,
        }
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.text.as_deref() == Some("")
    }
    /// What is read when both follow each other.
    pub(crate) fn then(self, next: Self) -> Self {
        let labels = self.labels.with(next.labels);
        let file = if self.is_empty() {
            next.file.clone()
        } else {
            self.file.clone().filter(|_| next.is_empty())
        };
        let text = match (self.text, next.text) {
            (Some(mut a), Some(b)) if a.len() + b.len() <= MAX_STREAM => {
                a.push_str(&b);
                Some(a)
            }
            _ => None,
        };
        Self { text, labels, file }
    }
}

/// Bytes of a piece that is short, and of how many of those one is counted.
const SHORT: usize = 1024;
const EACH: usize = 64;

/// Most pieces of a value; beyond it the rest counts as unknown.
const MAX_PIECES: usize = 4096;

/// Longest text that is followed through pipes; beyond it the text counts as unknown.
pub(crate) const MAX_STREAM: usize = 1 << 20;
