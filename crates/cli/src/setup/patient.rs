//! How far one agent is covered.

use std::env;

use agents::Agent;
use broker::Places;

use crate::setup::check::{self, Check};
use crate::setup::site::Site;

/// What was found about one agent.
pub(crate) struct Patient {
    /// Which one.
    pub(crate) agent: Agent,
    /// Whether it is on this machine.
    pub(crate) present: bool,
    /// Whether the gate is in its settings.
    pub(crate) installed: bool,
    /// What was looked at.
    pub(crate) checks: Vec<Check>,
}

impl Patient {
    /// Looks at one agent, and changes nothing.
    pub(crate) fn examine(agent: Agent, places: &Places) -> Patient {
        let here = env::current_dir().unwrap_or_else(|_| "/".into());
        let person = Site::of_person(agent, places);
        let project = Site::of_project(agent, &here, &places.home)
            .ok()
            .filter(check::is_entered);
        let site = if check::is_entered(&person) {
            person
        } else {
            project.unwrap_or(person)
        };
        let (present, installed) = (Site::agent_is_present(agent, places), check::is_entered(&site));
        let checks = if present || installed {
            check::agent(&site, places, &here)
        } else {
            Vec::new()
        };
        Self {
            agent,
            present,
            installed,
            checks,
        }
    }

    /// Whether there is anything to say about it.
    pub(crate) fn is_here(&self) -> bool {
        self.present || self.installed
    }

    /// The agents of which nothing was found, in a line; nothing where all are there.
    pub(crate) fn absent(patients: &[Self]) -> Option<String> {
        let titles: Vec<&str> = patients
            .iter()
            .filter(|one| !one.is_here())
            .map(|one| one.agent.title())
            .collect();
        (!titles.is_empty()).then(|| format!("not found here: {}", titles.join(", ")))
    }

    pub(crate) fn is_bad(&self) -> bool {
        self.checks.iter().any(Check::is_bad)
    }

    /// How much protection there is. Never `full` here: that takes a proof with the real agent.
    pub(crate) fn protection(&self, general: &[Check]) -> String {
        let (set, others): (Vec<&Check>, Vec<&Check>) = general
            .iter()
            .partition(|check| ["config", "rules"].contains(&check.name));
        let mut open = self.checks.iter().chain(others).filter(|check| check.is_bad());
        let set = set.into_iter().find(|check| check.is_bad());
        match (self.is_here(), open.next(), set) {
            (false, ..) => "none (the agent was not found here)".to_owned(),
            (true, Some(first), _) => format!("none ({})", first.detail.trim_end_matches('.')),
            // The hook stands, and cannot know what the person set: it refuses more than was asked for.
            (true, None, Some(config)) if config.name == "config" => format!(
                "stricter (whatever is not known to be harmless is refused: {})",
                config.detail.trim_end_matches('.')
            ),
            (true, None, Some(rules)) => format!(
                "partial (your own rules do not do what they say: {})",
                rules.detail.trim_end_matches('.')
            ),
            (true, None, None) => format!("partial ({})", missing(self.agent)),
        }
    }
}

/// What is not covered, or not proved, even where every check is fine.
fn missing(agent: Agent) -> String {
    let proof = if agent.is_driven() {
        "not proved here with the real client".to_owned()
    } else {
        format!("emulated: known from {}", agent.seen())
    };
    match agent.gap() {
        "" => proof,
        gap => format!("{proof}; not covered: {gap}"),
    }
}
