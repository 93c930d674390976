//! Variables that the present command is made of. They are put into words only for effects that are kept.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Eval, Var};
use crate::Use;

/// Variables that are named for one command.
const MAX_USES: usize = 8;
/// Characters of a variable that are shown.
const SHOWN: usize = 40;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Uses {
    held: Vec<Held>,
    /// The same in words, once somebody asked.
    words: Option<Arc<Vec<Use>>>,
}

#[derive(Debug)]
struct Held {
    name: Rc<str>,
    var: Rc<Var>,
    /// It was set where its value says, in the request itself.
    here: bool,
}

impl Held {
    fn words(&self) -> Option<Use> {
        let Var::Scalar(value) = self.var.as_ref() else {
            return None;
        };
        let value_shown: String = value.known()?.chars().take(SHOWN).collect();
        Some(Use {
            name: self.name.as_ref().into(),
            value: value_shown,
            span: self.here.then_some(value.span),
        })
    }
}

impl Uses {
    /// What effects of the command are given.
    pub(super) fn words(&mut self) -> Arc<Vec<Use>> {
        let held = &self.held;
        let words = || Arc::new(held.iter().filter_map(Held::words).collect());
        self.words.get_or_insert_with(words).clone()
    }
}

impl Eval<'_> {
    /// Takes note of a variable that a command is made of.
    pub(super) fn used(&mut self, name: &Rc<str>, var: &Rc<Var>) {
        let Var::Scalar(value) = var.as_ref() else { return };
        let uses = &mut self.uses;
        let noted = uses.held.len() >= MAX_USES || uses.held.iter().any(|u| u.name == *name);
        if noted || value.known().is_none() {
            return;
        }
        uses.words = None;
        uses.held.push(Held {
            name: name.clone(),
            var: var.clone(),
            here: self.pin.is_none() && value.span.start < value.span.end,
        });
    }
}
