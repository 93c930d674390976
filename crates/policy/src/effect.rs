//! What carrying out a request would do.

use alloc::string::String;
use alloc::vec::Vec;

use shell::Span;

use crate::{Act, Loss};

/// Labels of an effect, from program facts, the path table and data flow: `recursive`, `force`, `credential`, `network`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(Vec<&'static str>);

impl Tags {
    /// Adds a label once.
    pub fn add(&mut self, tag: &'static str) {
        if !self.has(tag) {
            self.0.push(tag);
        }
    }
    /// Whether the label is there.
    #[must_use]
    pub fn has(&self, tag: &str) -> bool {
        self.0.contains(&tag)
    }
    /// All labels, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.iter().copied()
    }
}

/// What an effect is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nothing that could be named.
    None,
    /// A path: absolute and lexically clean; `*`, `?` and `[` in it are active globs.
    Path(String),
    /// A host or address.
    Host(String),
    /// Other text: a branch, a package, a piece of code.
    Text(String),
    /// Something that could not be worked out, with the reason.
    Unknown(String),
}

/// One effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The verb.
    pub act: Act,
    /// The name of a [`Act::Do`] or [`Act::Discard`] (`power.off`, `worktree`), else empty.
    pub what: &'static str,
    /// On what.
    pub target: Target,
    /// Labels.
    pub tags: Tags,
    /// The program that does it, as in the facts; empty for the shell itself and for file tools.
    pub program: String,
    /// The part of the request's text that says so.
    pub span: Span,
    /// How it was reached, outermost first.
    pub chain: Vec<String>,
    /// Work that is nowhere else and would be gone, as far as the world says.
    pub loss: Loss,
}

impl Effect {
    /// One line without contents: `delete /home/ann (recursive, force) by rm`.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut line = String::from(self.act.as_str());
        if !self.what.is_empty() {
            line.push(' ');
            line.push_str(self.what);
        }
        match &self.target {
            Target::None => {}
            Target::Path(t) | Target::Host(t) | Target::Text(t) => {
                line.push(' ');
                line.push_str(t);
            }
            Target::Unknown(why) => {
                line.push_str(" (unknown: ");
                line.push_str(why);
                line.push(')');
            }
        }
        let tags: Vec<&str> = self.tags.iter().collect();
        if !tags.is_empty() {
            line.push_str(" (");
            line.push_str(&tags.join(", "));
            line.push(')');
        }
        if !self.program.is_empty() {
            line.push_str(" by ");
            line.push_str(&self.program);
        }
        line
    }
}
