//! From a [`Request`] to its [`Effect`]s and the [`Judgement`] on them.
//!
//! Pure: no file, no clock, no environment. What has to be looked up in the world is asked through [`World`].
#![no_std]
extern crate alloc;

mod request;
mod verdict;

pub use request::{Kind, Request, Subject};
pub use verdict::{Posture, Risk, Verdict};
