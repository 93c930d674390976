//! What the walker knows about a value.

use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::either;
use crate::eval::{Labels, Piece, Value};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Val {
    Text(Value),
    Bytes(Vec<u8>, Labels),
    Number(i64),
    List(Vec<Val>),
    Map(Vec<(String, Val)>),
    /// A module, a function or an object, by its dotted name.
    Thing(String, Labels),
    /// A function of the code itself.
    Function(usize),
    /// A file that is open for writing.
    File(Value),
    /// One of these; the last is what plain reading gives.
    Either(Rc<[Self]>),
}

/// Longest list that is followed.
pub(super) const MAX_LIST: usize = 4096;

impl Val {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(Value::text(text))
    }

    pub(super) fn unknown(labels: Labels) -> Self {
        Self::Text(Value::unknown(labels))
    }

    pub(super) fn nothing() -> Self {
        Self::Thing(String::new(), Labels::NONE)
    }

    pub(super) fn labels(&self) -> Labels {
        match self {
            Self::Text(v) | Self::File(v) => v.labels,
            Self::Bytes(_, l) | Self::Thing(_, l) => *l,
            Self::List(all) => all.iter().fold(Labels::NONE, |l, v| l.with(v.labels())),
            Self::Either(all) => all.iter().fold(Labels::NONE, |l, v| l.with(v.labels())),
            Self::Map(all) => all.iter().fold(Labels::NONE, |l, (_, v)| l.with(v.labels())),
            Self::Number(_) | Self::Function(_) => Labels::NONE,
        }
    }

    pub(super) fn labelled(self, labels: Labels) -> Self {
        match self {
            Self::Text(v) => Self::Text(v.labelled(labels)),
            Self::Bytes(b, l) => Self::Bytes(b, l.with(labels)),
            Self::Thing(n, l) => Self::Thing(n, l.with(labels)),
            Self::Either(all) => Self::Either(all.iter().map(|v| v.clone().labelled(labels)).collect()),
            other => other,
        }
    }

    /// As text; not known where it is none.
    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Text(v) | Self::File(v) => v.clone(),
            Self::Number(n) => Value::text(n.to_string()),
            Self::Bytes(bytes, labels) => match core::str::from_utf8(bytes) {
                Ok(text) => Value::text(text).labelled(*labels),
                Err(_) => Value::unknown(labels.with(Labels::DECODED)),
            },
            Self::Either(_) => self.newest().to_value(),
            other => Value::unknown(other.labels()),
        }
    }

    /// The same without a copy.
    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Text(v) | Self::File(v) => v,
            other => other.to_value(),
        }
    }

    /// The text, when all of it is known.
    pub(super) fn known(&self) -> Option<String> {
        match self {
            Self::Text(v) => v.known().map(ToString::to_string),
            Self::Number(n) => Some(n.to_string()),
            Self::Bytes(bytes, _) => core::str::from_utf8(bytes).ok().map(ToString::to_string),
            Self::Either(_) => self.newest().known(),
            _ => None,
        }
    }

    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        match self.newest() {
            Self::Bytes(bytes, _) => Some(bytes.clone()),
            other => other.known().map(String::into_bytes),
        }
    }

    /// Whether something is known of it as text: a path, a command, a word.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.newest(), Self::Text(_) | Self::Bytes(..) | Self::Number(_))
    }

    pub(super) fn is_unknown(&self) -> bool {
        match self.newest() {
            Self::Text(v) => v.has_unknown(),
            Self::Thing(..) => true,
            _ => false,
        }
    }

    /// Whether there are more lists in lists than `most`.
    pub(super) fn is_deep(&self, most: usize) -> bool {
        match self {
            Self::List(all) => most == 0 || all.iter().any(|v| v.is_deep(most - 1)),
            Self::Map(all) => most == 0 || all.iter().any(|(_, v)| v.is_deep(most - 1)),
            Self::Either(all) => all.iter().any(|v| v.is_deep(most)),
            _ => false,
        }
    }

    /// Lists in lists are one list.
    pub(super) fn flat(self, out: &mut Vec<Self>) {
        match self {
            Self::List(all) => all.into_iter().take(MAX_LIST).for_each(|v| v.flat(out)),
            other if out.len() < MAX_LIST => out.push(other),
            _ => {}
        }
    }

    /// What a loop over it goes through.
    pub(super) fn elements(&self, characters: bool) -> Vec<Self> {
        match self {
            Self::List(all) => all.clone(),
            Self::Map(all) => all.iter().map(|(_, v)| v.clone()).collect(),
            Self::Bytes(bytes, _) => bytes.iter().take(512).map(|b| Self::Number(i64::from(*b))).collect(),
            Self::Text(v) if characters && v.known().is_some() => v
                .known()
                .unwrap_or_default()
                .chars()
                .take(512)
                .map(Self::text)
                .collect(),
            Self::Number(_) | Self::Function(_) => Vec::new(),
            Self::Either(all) => all.iter().flat_map(|v| v.elements(characters)).collect(),
            other => alloc::vec![other.clone()],
        }
    }
}

/// Bytes of a text that code puts together; what is longer is not known.
const LONGEST: usize = 16 << 10;

/// Pieces of such a text; what comes behind so many is not known. And bytes of data.
const MAX_PIECES: usize = 64;
const MAX_BYTES: usize = 1 << 16;

/// Both texts, one after the other.
pub(super) fn concat(a: Val, b: &Val) -> Val {
    if let (Val::Either(_), _) | (_, Val::Either(_)) = (&a, b) {
        return either::both(&a, b, |a, b| concat(a.clone(), b));
    }
    match (a, b) {
        (Val::Number(a), Val::Number(b)) => Val::Number(a.wrapping_add(*b)),
        (Val::List(mut a), Val::List(b)) => {
            let room = MAX_LIST.saturating_sub(a.len());
            a.extend(b.iter().take(room).cloned());
            Val::List(a)
        }
        (Val::Bytes(mut a, l), Val::Bytes(b, m)) => {
            let room = MAX_BYTES.saturating_sub(a.len());
            a.extend(b.iter().take(room));
            Val::Bytes(a, l.with(*m))
        }
        (a, b) => {
            let more = b.to_value();
            let mut value = a.into_value();
            // What begins a text is known, however many pieces follow.
            if value.pieces.len() > MAX_PIECES {
                value.push_unknown(more.labels);
                return Val::Text(value);
            }
            // A text that doubles itself line after line must not fill the memory.
            if value.weight() + more.weight() > LONGEST {
                return Val::unknown(value.labels.with(more.labels));
            }
            value.append(&more);
            Val::Text(value)
        }
    }
}

/// `b` below `a`, unless it is absolute itself.
pub(super) fn join_path(a: &Value, b: &Value) -> Value {
    if b.prefix().starts_with('/') {
        return b.clone().labelled(a.labels);
    }
    let mut out = a.clone();
    if out.pieces.len() > MAX_PIECES {
        out.push_unknown(b.labels);
        return out;
    }
    let ends = matches!(out.pieces.last(), Some(Piece::Text(t)) if t.ends_with('/'));
    if !ends && !out.pieces.is_empty() {
        out.push_text("/");
    }
    out.append(b);
    out
}

/// Text in which `*`, `?` and brackets are active.
pub(super) fn glob(value: &Value) -> Value {
    let mut out = Value {
        labels: value.labels,
        span: value.span,
        ..Value::default()
    };
    for piece in &value.pieces {
        match piece {
            Piece::Text(text) if text.contains(['*', '?', '[']) => {
                for part in text.split_inclusive(['*', '?']) {
                    let (head, mark) = match part.strip_suffix(['*', '?']) {
                        Some(head) => (head, part.get(head.len()..).unwrap_or_default()),
                        None => (part, ""),
                    };
                    out.push_text(head);
                    if !mark.is_empty() {
                        out.pieces.push(Piece::Glob(mark.into()));
                    }
                }
            }
            Piece::Text(text) => out.push_text(text),
            other => out.pieces.push(other.clone()),
        }
    }
    out
}

/// Anything below a folder.
pub(super) fn below(root: &Value) -> Value {
    let mut out = join_path(root, &Value::default());
    out.pieces.push(Piece::Glob("*".into()));
    out
}
