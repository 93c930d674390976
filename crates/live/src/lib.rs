//! A real client, offline, driven by a scripted model on the loopback.
//!
//! `doctor --live` proves with it that a client is stopped, and the suite `agents` runs all of them by it. The model listens,
//! so it stands apart from everything that decides: on the loopback, at a port that the system picks, for one run, and
//! it answers nothing but the calls of its script.

mod model;
mod stage;
mod wire;

pub use model::Model;
pub use stage::Stage;
