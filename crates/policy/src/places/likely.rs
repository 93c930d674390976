//! Which globs of the table a pattern asks for: those whose names it spells, as far as a table's name is spelled at all.
//!
//! A pattern could mean nearly every path. What it is taken to mean are the names that its own parts say something about,
//! and the hidden ones only where a part begins with a dot, as the shell has it.

use alloc::string::String;
use alloc::vec::Vec;

use super::{UNKNOWN, is_wild};
use crate::Answer;
use crate::glob;
use crate::world::Recorder;

/// A name in a path.
pub(super) struct Name<'p> {
    text: &'p str,
    /// It may stand for several, or is not known.
    wild: bool,
    /// Something is known of it.
    tells: bool,
    /// The hidden names that are there, where it stands for these.
    hidden: Option<Vec<String>>,
}

pub(super) fn names_of<'p>(path: &'p str, world: &Recorder<'_>) -> Vec<Name<'p>> {
    let mut start = 0;
    let mut fixed = true;
    path.split('/')
        .map(|text| {
            let dir = path.get(..start).unwrap_or_default();
            start += text.len() + 1;
            let wild = is_wild(text);
            // `.*`: all hidden names, or those that the folder has.
            let dots = text.starts_with('.') && wild;
            let hidden = if dots && fixed { hidden_in(dir, world) } else { None };
            fixed &= !wild;
            Name {
                text,
                wild,
                tells: dots && !text.contains(UNKNOWN) || text.chars().any(char::is_alphanumeric),
                hidden,
            }
        })
        .collect()
}

fn hidden_in(dir: &str, world: &Recorder<'_>) -> Option<Vec<String>> {
    let dir = if dir.len() > 1 { dir.trim_end_matches('/') } else { dir };
    match world.list(dir) {
        Answer::Known(mut names) => {
            names.retain(|name| name.starts_with('.'));
            Some(names)
        }
        Answer::Absent | Answer::Unknown => None,
    }
}

impl Name<'_> {
    /// Whether it can be a name of the table.
    fn fits(&self, name: &str, wild: bool) -> bool {
        match (wild, self.wild) {
            (false, false) => self.text.eq_ignore_ascii_case(name),
            (true, false) => true,
            // The shell's `*` does not mean names that start with a dot.
            (_, true) if name.starts_with('.') && self.text.starts_with(['*', '?', '[']) => false,
            (_, true) => {
                let there = |all: &Vec<String>| all.iter().any(|one| glob::matches(name, one));
                self.tells
                    && (self.text.contains(UNKNOWN) || glob::overlaps(name, self.text))
                    && self.hidden.as_ref().is_none_or(there)
            }
        }
    }
}

/// A cheap look before the full comparison: the literal names in the pattern must be able to occur in the path. A
/// component that is all wildcard may be any name, so it counts for the last name only, below a directory that is named.
pub(super) fn possible(pattern: &[(&str, bool)], path: &[Name<'_>]) -> bool {
    let (Some(((last_name, _), dirs)), Some(last)) = (pattern.split_last(), path.last()) else {
        return true;
    };
    let occurs = |(name, wild): &(&str, bool)| path.iter().any(|c| c.fits(name, *wild));
    if !dirs.iter().all(occurs) {
        return false;
    }
    if !last.wild {
        return pattern.last().is_some_and(occurs);
    }
    // `*.kdbx` is what the table calls it.
    if last.text == *last_name && last.tells {
        return true;
    }
    if last.text.starts_with(['*', '?', '[']) && (last_name.starts_with('.') || dirs.is_empty()) {
        return false;
    }
    // Below a directory that itself may be any, a name that may be any says nothing.
    if !last.tells && dirs.last().is_some_and(|(_, wild)| *wild) {
        return false;
    }
    // `x*` is not `*.pem`, although a file could be both.
    !(last.text.ends_with('*') && last_name.starts_with('*') && last_name.len() > 1)
}
