//! `tollgate doctor`.

use std::env;

use agents::Agent;
use agents::json::quote;
use broker::Places;

use crate::exit::{Exit, Fault};
use crate::setup::check::{self, Check, State};
use crate::setup::places;
use crate::setup::site::Site;
use crate::ui::Ui;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

/// What was found about one agent.
struct Patient {
    agent: Agent,
    present: bool,
    installed: bool,
    checks: Vec<Check>,
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let places = places::find()?;
    let general = check::general(&places);
    let patients = Agent::ALL.map(|agent| examine(agent, &places));
    if args.json {
        ui.line(as_json(&general, &patients));
    } else {
        show(&general, &patients, ui);
    }
    Ok(exit(&general, &patients))
}

/// A broken configuration comes first. What is checked for all agents is a finding where one is installed.
fn exit(general: &[Check], patients: &[Patient]) -> Exit {
    let installed = patients.iter().any(|patient| patient.installed);
    if general.iter().any(|check| is_bad(check) && check.name == "config") {
        Exit::Refused
    } else if patients.iter().any(Patient::is_bad) || installed && general.iter().any(is_bad) {
        Exit::Failed
    } else {
        Exit::Done
    }
}

fn examine(agent: Agent, places: &Places) -> Patient {
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
    Patient {
        agent,
        present,
        installed,
        checks,
    }
}

fn is_bad(check: &Check) -> bool {
    check.state == State::Bad
}

impl Patient {
    fn is_bad(&self) -> bool {
        self.checks.iter().any(is_bad)
    }

    /// How much protection there is. Never `full` here: that takes a proof with the real agent.
    fn protection(&self, general: &[Check]) -> String {
        let (set, others): (Vec<&Check>, Vec<&Check>) = general
            .iter()
            .partition(|check| ["config", "rules"].contains(&check.name));
        let mut open = self.checks.iter().chain(others).filter(|check| is_bad(check));
        let set = set.into_iter().find(|check| is_bad(check));
        match (self.present || self.installed, open.next(), set) {
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
const fn missing(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "not proved here with the real client",
        Agent::Codex => {
            "not proved here with the real client; what is typed into a shell that is already open is not asked about"
        }
    }
}

fn show(general: &[Check], patients: &[Patient], ui: &mut Ui) {
    for check in general {
        line(check, ui);
    }
    for patient in patients {
        ui.line(format!("{}: {}", patient.agent.title(), patient.protection(general)));
        patient.checks.iter().for_each(|check| line(check, ui));
    }
}

fn line(check: &Check, ui: &mut Ui) {
    ui.line(format!(
        "  {:<5}{:<9} {}",
        check.state.as_str(),
        check.name,
        check.detail
    ));
    if !check.hint.is_empty() {
        ui.line(format!("                 hint: {}", check.hint));
    }
}

fn as_json(general: &[Check], patients: &[Patient]) -> String {
    let agents: Vec<String> = patients
        .iter()
        .map(|patient| {
            format!(
                r#"{{"agent":{},"present":{},"installed":{},"protection":{},"checks":{}}}"#,
                quote(patient.agent.as_str()),
                patient.present,
                patient.installed,
                quote(&patient.protection(general)),
                list(&patient.checks)
            )
        })
        .collect();
    format!(
        r#"{{"format":1,"checks":{},"agents":[{}]}}"#,
        list(general),
        agents.join(",")
    )
}

fn list(checks: &[Check]) -> String {
    let one = |check: &Check| {
        let [name, state, detail, hint] = [check.name, check.state.as_str(), &check.detail, &check.hint].map(quote);
        format!(r#"{{"check":{name},"state":{state},"detail":{detail},"hint":{hint}}}"#)
    };
    format!("[{}]", checks.iter().map(one).collect::<Vec<_>>().join(","))
}
