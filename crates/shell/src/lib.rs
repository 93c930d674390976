//! Shell text to a [`Script`].
//!
//! The parser reads what bash reads: every command form, every quoting, here-documents, expansions inside
//! expansions. It never fails and never panics. What it cannot read it keeps as a [`Fault`], so that whoever judges
//! the script knows that something is missing; the parts that could be read are there all the same.
//!
//! A text may be too long for its tree to be kept. [`Scripts`] reads one command after the other, and what is very long
//! in a single command stays text ([`Raw`]) that is read again where it is needed.
//!
//! It is linear in the length of the text and bounded in depth ([`MAX_DEPTH`]), it does no I/O, and every node knows
//! the bytes that it came from.
#![no_std]
extern crate alloc;

mod ast;
mod foreign;
mod parse;
mod walk;

pub use ast::*;
pub use foreign::{Dialect, in_bash};
pub use parse::{MAX_DEPTH, MAX_LEN, Next, Scripts, parse};
pub use walk::Node;
