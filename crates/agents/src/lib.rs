//! One file per agent: what its hook asks, what its tools mean, and the bytes that really stop it.
//!
//! Pure: bytes in, bytes out. Which tools exist is data (`rules/agents.toml`); how an answer is worded is code, because
//! every agent lets a call run when the wording is off by one field.
#![no_std]
extern crate alloc;

mod call;
mod carried;
mod codecs;
mod drive;
mod inline;
pub mod json;
mod news;
mod output;
mod patch;
mod paths;
mod refusal;
mod reply;
mod settings;
mod table;
mod tools;
mod typed;

pub use call::{Call, read};
pub use drive::{Drive, Replay, Run, Step};
pub use news::{News, Role, greet};
pub use output::replaced;
pub use refusal::Refusal;
pub use reply::{Answer, Reply, pass, refuse, reply};
pub use settings::{EVERYBODY, Hook, NEWS, PROGRAM, Places, Value};
pub use table::{Agent, Form, Place, Switch};
