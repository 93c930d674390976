//! The real clients, offline, against a scripted model: what the gate stops does not happen, the model hears why, and
//! the ledger says so.
//!
//! Ignored by default: they install about 2 GB from npm into `target/agents`. `cargo xtask test agents` runs them.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod claude;
mod clients;
mod codex;
mod further;
mod namespace;
mod others;
mod proof;
mod stage;
mod told;
