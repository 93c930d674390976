//! How far one agent is covered.

use std::env;

use agents::Agent;
use broker::Places;

use crate::setup::check::{self, Check};
use crate::setup::proof::Standing;
use crate::setup::site::Site;
use crate::view::one_line;

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
    /// Where it would be told about its hook, or is.
    pub(crate) site: Site,
    /// Whether it was seen to be stopped.
    pub(crate) standing: Standing,
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
        let standing = if installed {
            Standing::of(&site, places)
        } else {
            Standing::None
        };
        Self {
            agent,
            present,
            installed,
            checks,
            site,
            standing,
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

    /// How much protection there is. `protected` takes a proof with the real client, for as long as nothing changes.
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
            (true, None, None) => self.proved(),
        }
    }

    /// How much is proved, where every check is fine.
    fn proved(&self) -> String {
        let gap = match self.agent.gap() {
            "" => String::new(),
            gap => format!("; not covered: {gap}"),
        };
        match &self.standing {
            Standing::Holds(proof) => {
                format!("protected (proved with {}{gap})", one_line(&proof.subject.version))
            }
            Standing::Over(why) => format!(
                "partial (needs a new proof, because {}: `tollgate doctor --live`{gap})",
                one_line(why)
            ),
            Standing::None if self.agent.is_driven() => {
                format!("partial (unproved: `tollgate doctor --live` tries it with the real client{gap})")
            }
            Standing::None => format!("partial (emulated: known from {}{gap})", self.agent.seen()),
        }
    }
}
