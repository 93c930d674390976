//! From a [`Request`] to its [`Effect`]s and the [`Judgement`] on them.
//!
//! Pure: no file, no clock, no environment. What has to be looked up in the world is asked through [`World`].
#![no_std]
extern crate alloc;

mod effect;
mod eval;
mod facts;
mod glob;
mod judgement;
mod lang;
mod places;
mod request;
mod rules;
#[cfg(test)]
mod tests;
mod verdict;
mod world;

pub use effect::{Act, Effect, Tags, Target};
pub use judgement::{Finding, Judgement, Settings, judge, rule_ids};
pub use request::{Kind, Request, Subject};
pub use rules::RULES_DIGEST;
pub use verdict::{Posture, Risk, Verdict};
pub use world::{Answer, Contents, FileKind, Ignored, LOSS_NAMES, Look, Loss, Work, World};
