//! Putting the hook into an agent's settings and taking it out again.

pub(crate) mod binary;
pub(crate) mod change;
pub(crate) mod check;
pub(crate) mod codex;
pub(crate) mod files;
pub(crate) mod json;
pub(crate) mod places;
pub(crate) mod record;
pub(crate) mod session;
pub(crate) mod site;
pub(crate) mod trust;
pub(crate) mod version;

use crate::exit::{Exit, Fault};

/// Refuses what only a person may do, where an agent started this process.
pub(crate) fn refuse_agents(what: &str) -> Result<(), Fault> {
    match session::inside() {
        None => Ok(()),
        Some(sign) => Err(Fault::new(Exit::Denied, format!("No agent can {what}: {sign}."))
            .hint("A person does this in a terminal that no agent started.")),
    }
}
