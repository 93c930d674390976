//! From a [`Request`] to its [`Effect`]s and the [`Judgement`] on them.
//!
//! Pure: no file, no clock, no environment. What has to be looked up in the world is asked through [`World`].
#![no_std]
extern crate alloc;

mod added;
mod card;
mod classes;
mod effect;
mod eval;
mod facts;
mod glob;
mod hosts;
mod judgement;
mod lang;
mod packages;
mod places;
mod posture;
mod recorded;
mod request;
mod rules;
#[cfg(test)]
mod tests;
mod whole;
mod why;
mod world;
mod written;

pub use added::Added;
pub use effect::{Effect, Tags, Target, Use};
pub use facts::steers;
pub use glob::name_fits;
pub use judgement::{
    Finding, Judgement, LOCKED, Origin, Settings, judge, judge_within, may_remember, remembers, rule_ids,
};
pub use posture::Posture;
pub use recorded::Recorded;
pub use request::{Request, Subject};
pub use rulebook::{Act, CLASSES, Kind, Risk, Verdict};
pub use rules::{RULES_DIGEST, lasting_rules, patterns};
pub use whole::says_all;
pub use world::{Answer, Contents, FileKind, Ignored, LOSS_NAMES, Look, Loss, Work, World};
pub use written::{BadPattern, Exception, Index, Pattern, Shelf, Wanted, Written, WrittenRule, path_fits};
