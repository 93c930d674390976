//! One file per agent: what its hook asks, what its tools mean, and the bytes that really stop it.
//!
//! Pure: bytes in, bytes out. Which tools exist is data (`rules/agents.toml`); how an answer is worded is code, because
//! every agent lets a call run when the wording is off by one field.
#![no_std]
extern crate alloc;

mod call;
mod carried;
mod claude;
mod codex;
mod inline;
pub mod json;
mod patch;
mod refusal;
mod reply;
mod settings;
mod tools;

pub use call::{Agent, Call, read};
pub use refusal::Refusal;
pub use reply::{Answer, Reply, refuse, reply};
pub use settings::{EVENT, Entry, PROGRAM, Places, Value};
