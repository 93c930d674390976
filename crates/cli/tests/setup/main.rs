//! Install, uninstall and doctor with throw-away homes.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test may fail loudly"
)]

mod doctor;
mod everywhere;
mod home;
mod install;
mod refusals;
