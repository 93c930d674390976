//! Settings: what is shown, changed, written to begin with, and taken over from other programs.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test may fail loudly"
)]

mod config;
mod home;
mod import;
mod init;
