//! What the agents' protocols mean, checked against how the real clients behave.

mod captures;
mod clients;
mod refusals;
