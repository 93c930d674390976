//! Words that are handed on: to code, to a script, to a function. Whoever is given what is left of them shares it.

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::ops::Deref;

use super::Value;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Args {
    all: Option<Rc<Vec<Value>>>,
    from: usize,
}

impl Args {
    /// Those after the first ones.
    pub(super) fn after(&self, count: usize) -> Self {
        Self {
            all: self.all.clone(),
            from: self.from + count,
        }
    }
}

impl Deref for Args {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        let all = self.all.as_ref().map_or(&[][..], |all| all);
        all.get(self.from..).unwrap_or_default()
    }
}

impl From<Vec<Value>> for Args {
    fn from(words: Vec<Value>) -> Self {
        Self {
            all: (!words.is_empty()).then(|| Rc::new(words)),
            from: 0,
        }
    }
}

impl From<&[Value]> for Args {
    fn from(words: &[Value]) -> Self {
        words.to_vec().into()
    }
}

impl PartialEq for Args {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.all, &other.all) {
            (Some(all), Some(others)) => Rc::ptr_eq(all, others) && self.from == other.from,
            _ => false,
        };
        same || **self == **other
    }
}
