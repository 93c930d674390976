//! What is wrong with a rule file, for the person who writes it.

use alloc::string::String;
use core::fmt;

/// Why a text is not a rulebook: where, what, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file, as its reader named it.
    pub file: String,
    /// The line, counted from 1.
    pub line: Option<usize>,
    /// The stanza: a program's name, a rule's id; empty where it is not about one.
    pub stanza: String,
    /// What is wrong, without a full stop.
    pub sentence: String,
    /// What to do, one sentence; empty where nothing can be said.
    pub hint: String,
}

/// `Place and sentence`, as in ``rules/x.toml, line 3, `deployctl`: no role is called `red` ``. The hint is apart.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if !self.stanza.is_empty() {
            write!(f, ", `{}`", self.stanza)?;
        }
        write!(f, ": {}", self.sentence)
    }
}

impl core::error::Error for Fault {}
