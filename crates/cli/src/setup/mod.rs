//! Putting the hook into an agent's settings and taking it out again.

pub(crate) mod binary;
pub(crate) mod change;
pub(crate) mod check;
pub(crate) mod codex;
pub(crate) mod files;
pub(crate) mod json;
pub(crate) mod own;
pub(crate) mod patient;
pub(crate) mod places;
pub(crate) mod proof;
pub(crate) mod record;
pub(crate) mod settings;
pub(crate) mod site;
pub(crate) mod staged;
pub(crate) mod trust;
pub(crate) mod version;

use broker::Broker;

use crate::exit::Fault;

/// Refuses what only a person may do, where an agent started this process. The attempt is recorded.
pub(crate) fn refuse_agents(what: &str) -> Result<(), Fault> {
    Ok(Broker::open(places::find()?).no_agent(what)?)
}
