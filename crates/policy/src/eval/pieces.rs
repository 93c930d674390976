//! The pieces of a value. Nearly all values are one piece, which then needs no room of its own beside the value's.

use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

use super::value::Piece;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) enum Pieces {
    #[default]
    None,
    One(Piece),
    Many(Vec<Piece>),
}

impl Pieces {
    pub(crate) fn push(&mut self, piece: Piece) {
        *self = match core::mem::take(self) {
            Self::None => Self::One(piece),
            Self::One(first) => Self::Many(alloc::vec![first, piece]),
            Self::Many(mut all) => {
                all.push(piece);
                Self::Many(all)
            }
        };
    }
}

impl Deref for Pieces {
    type Target = [Piece];

    fn deref(&self) -> &[Piece] {
        match self {
            Self::None => &[],
            Self::One(piece) => core::slice::from_ref(piece),
            Self::Many(all) => all,
        }
    }
}

impl DerefMut for Pieces {
    fn deref_mut(&mut self) -> &mut [Piece] {
        match self {
            Self::None => &mut [],
            Self::One(piece) => core::slice::from_mut(piece),
            Self::Many(all) => all,
        }
    }
}

impl From<Piece> for Pieces {
    fn from(piece: Piece) -> Self {
        Self::One(piece)
    }
}

impl PartialEq for Pieces {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<'p> IntoIterator for &'p Pieces {
    type Item = &'p Piece;
    type IntoIter = core::slice::Iter<'p, Piece>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
