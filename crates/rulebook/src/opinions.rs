//! What is thought of effects, and which places are special.

use crate::{Act, Kind, Risk, Verdict};

/// One rule: an opinion on effects.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name.
    pub id: &'static str,
    /// Kinds of request that it speaks about; all when empty.
    pub kinds: &'static [Kind],
    /// Acts that it speaks about.
    pub acts: &'static [Act],
    /// Names of a `do` or `discard` that it speaks about; all when empty.
    pub whats: &'static [&'static str],
    /// Alternatives; in each all labels must be there (`!x`: must not be there).
    pub any: &'static [&'static [&'static str]],
    /// The permission class that the effect has to be of; any when empty.
    pub class: &'static str,
    /// The verdict in posture `guard`.
    pub guard: Verdict,
    /// The verdict in posture `strict`.
    pub strict: Verdict,
    /// How bad it is.
    pub risk: Risk,
    /// Why the rule exists.
    pub why: &'static str,
    /// What to do instead.
    pub instead: &'static str,
    /// What would be lost; `{target}` becomes the target.
    pub lost: &'static str,
    /// Whether a person's yes may hold for longer than one call. What destroys, what concerns credentials or the gate
    /// itself, and what runs other people's code is asked about each time.
    pub remember: bool,
    /// Alternatives as in `any`: an effect that one of them fits can be brought back from a snapshot. Nothing is asked about it
    /// where one was taken that holds all of it. None where it cannot.
    pub reversible: &'static [&'static [&'static str]],
    /// It guards the gate itself: nobody switches it off, and no exception silences it.
    pub lasting: bool,
}

/// One row of the path table; its globs are indexed elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct PathRow {
    /// Globs of paths that it is not about.
    pub except: &'static [&'static str],
    /// Labels of the paths that it is about.
    pub tags: &'static [&'static str],
}
