//! `tollgate doctor`.

mod live;

use agents::Agent;
use agents::json::quote;

use crate::exit::{Exit, Fault};
use crate::setup::check::{self, Check, State};
use crate::setup::patient::Patient;
use crate::setup::places;
use crate::ui::Ui;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// As one JSON object.
    #[arg(long)]
    json: bool,
    /// Start each agent's real client with a scripted model, and prove that it is stopped.
    #[arg(long)]
    live: bool,
    /// Only this agent.
    #[arg(long, value_parser = Agent::ALL.map(Agent::as_str))]
    agent: Option<String>,
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let places = places::find()?;
    let mut general = check::general(&places);
    let named = args.agent.as_deref().and_then(Agent::parse);
    let examine = || -> Vec<Patient> {
        let wanted = Agent::ALL
            .into_iter()
            .filter(|agent| named.is_none_or(|named| named == *agent));
        wanted.map(|agent| Patient::examine(agent, &places)).collect()
    };
    let mut patients = examine();
    let mut all_proved = true;
    if args.live {
        all_proved = live::run(&patients, &places, ui)?;
        patients = examine();
    }
    // Where nothing was installed, nothing is passed by.
    if !patients.iter().any(|patient| patient.installed) {
        let bad = general
            .iter_mut()
            .filter(|check| check.is_bad() && ["binary", "state"].contains(&check.name));
        bad.for_each(|check| check.state = State::Note);
    }
    if args.json {
        ui.line(as_json(&general, &patients));
    } else {
        show(&general, &patients, ui);
    }
    Ok(match exit(&general, &patients) {
        Exit::Done if !all_proved => Exit::Failed,
        exit => exit,
    })
}

/// A broken configuration comes first. What is checked for all agents is a finding where one is installed.
fn exit(general: &[Check], patients: &[Patient]) -> Exit {
    let installed = patients.iter().any(|patient| patient.installed);
    if general.iter().any(|check| check.is_bad() && check.name == "config") {
        Exit::Refused
    } else if patients.iter().any(Patient::is_bad) || installed && general.iter().any(Check::is_bad) {
        Exit::Failed
    } else {
        Exit::Done
    }
}

fn show(general: &[Check], patients: &[Patient], ui: &mut Ui) {
    for check in general {
        line(check, ui);
    }
    for patient in patients.iter().filter(|one| one.is_here()) {
        ui.line(format!("{}: {}", patient.agent.title(), patient.protection(general)));
        patient.checks.iter().for_each(|check| line(check, ui));
    }
    if let Some(absent) = Patient::absent(patients) {
        ui.line(absent);
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
