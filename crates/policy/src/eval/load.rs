//! How far alternatives are followed: the further, the less work a command has turned out to be.

use super::{Eval, MAX_STATES};

/// Commands that are looked at inside one command before fewer alternatives are followed, and before only one is.
const WIDE: u32 = 800;
const NARROW: u32 = 2_000;
/// Commands of a whole text after which fewer are followed in all that comes, and after which each command has less to
/// spend.
const MANY: u32 = 8_000;
const VERY_MANY: u32 = 40_000;
/// Words that are as much work as a command.
const WORDS_PER_COMMAND: u32 = 8;
/// Rounds of a loop over values.
pub(super) const MAX_ROUNDS: usize = 256;

/// See [`Eval::load`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Load {
    Light,
    Fair,
    Heavy,
    Excessive,
}

impl Eval<'_> {
    /// How much work the present command has turned out to be. In a text that was much work already it takes less.
    fn load(&self) -> Load {
        let (wide, narrow) = if self.spent < VERY_MANY {
            (WIDE, NARROW)
        } else {
            (WIDE / 8, NARROW / 8)
        };
        match self.effort.saturating_add(self.words / WORDS_PER_COMMAND) {
            effort if effort < wide && self.spent < MANY => Load::Light,
            effort if effort < wide => Load::Fair,
            effort if effort < narrow => Load::Heavy,
            _ => Load::Excessive,
        }
    }

    /// How many states are followed side by side: fewer where a command turns out to be much work, as each of them may
    /// become several again in everything that it contains.
    pub(super) fn most_states(&self) -> usize {
        match self.load() {
            Load::Light => MAX_STATES,
            Load::Fair | Load::Heavy => 2,
            Load::Excessive => 1,
        }
    }

    /// How often the body of a loop over values is evaluated before the values are joined into an unknown one.
    pub(super) fn most_rounds(&self) -> usize {
        match self.load() {
            Load::Light | Load::Fair => MAX_ROUNDS,
            Load::Heavy => 16,
            Load::Excessive => 3,
        }
    }

    /// After how many calls of a function by itself arguments that are not known are no longer told apart, and after how
    /// many it is not followed further.
    pub(super) fn most_recursion(&self) -> (usize, usize) {
        match self.load() {
            Load::Light | Load::Fair => (2, 4),
            Load::Heavy => (1, 2),
            Load::Excessive => (1, 1),
        }
    }
}
