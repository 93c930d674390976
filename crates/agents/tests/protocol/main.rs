//! What the agents' protocols mean, checked against how the real clients behave.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::string_slice,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod captures;
mod carried;
mod clients;
mod patches;
mod refusals;
mod settings;
mod tools;
