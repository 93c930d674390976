//! What programs mean: the tables made from `rules/programs/*.toml` at build time.
//!
//! Facts, not opinions: which words of a program are options, which are read, written, deleted, sent or executed.

mod args;
pub(crate) mod names;

use crate::Added;

pub(crate) use args::{Parsed, parse};
pub(crate) use rulebook::{Cond, Does, On, Opt, Program, Role, RoleKind, Slot, Style, Test};

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// The facts about a program by its base name; what a person says of it goes before what is built in.
pub(crate) fn program(name: &str, added: &Added) -> Option<&'static Program> {
    added.facts(name).or_else(|| built_in(name))
}

/// The built-in facts about a program.
pub(crate) fn built_in(name: &str) -> Option<&'static Program> {
    let at = PROGRAMS.binary_search_by(|(n, _)| (*n).cmp(name)).ok()?;
    PROGRAMS.get(at).map(|(_, p)| *p)
}

/// What the setting `key` of a table (`git`, `ssh`, `env`) means.
pub(crate) fn setting(table: &str, key: &str) -> Option<Role> {
    // The pattern that says most is meant: `*` stands for whatever has no row of its own.
    settings(table)
        .iter()
        .filter(|(pattern, _)| crate::glob::matches(pattern, key))
        .max_by_key(|(pattern, _)| pattern.len())
        .map(|(_, role)| *role)
}

/// All rows of a table of settings.
pub(crate) fn settings(table: &str) -> &'static [(&'static str, Role)] {
    SETTINGS
        .iter()
        .find(|(name, _)| *name == table)
        .map_or(&[], |(_, rows)| *rows)
}
