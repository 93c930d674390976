//! `tollgate status`.

use std::path::PathBuf;

use agents::Agent;
use broker::approvals::{Approval, Status};
use broker::{Broker, Moment};
use serde_json::{Value, json};

use crate::exit::{Exit, Fault};
use crate::setup::check;
use crate::setup::patient::Patient;
use crate::setup::places;
use crate::ui::Ui;
use crate::view::{one_line, safe};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

/// The gate at this moment.
struct Now {
    posture: &'static str,
    rules: usize,
    broken: Vec<String>,
    /// What does not count: files that are not to be trusted, variables that would loosen, trust that fits no more.
    ignored: Vec<String>,
    waiting: Vec<String>,
    granted: usize,
    locked: Vec<(String, u64)>,
    /// What is wrong with the ledger, as far as its end tells.
    ledger: Vec<String>,
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let places = places::find()?;
    let general = check::general(&places);
    let patients = Agent::ALL.map(|agent| Patient::examine(agent, &places));
    let broker = Broker::open(places);
    let now = look(&broker)?;
    if args.json {
        let agents: Vec<Value> = patients
            .iter()
            .map(|one| json!({"agent": one.agent.as_str(), "installed": one.installed, "protection": one.protection(&general)}))
            .collect();
        ui.line(now.as_json(&agents).to_string());
    } else {
        for one in patients.iter().filter(|one| one.is_here()) {
            ui.line(format!("{:<12} {}", one.agent.title(), safe(&one.protection(&general))));
        }
        if let Some(absent) = Patient::absent(&patients) {
            ui.line(absent);
        }
        now.show(ui);
    }
    Ok(if now.broken.is_empty() {
        Exit::Done
    } else {
        Exit::Refused
    })
}

fn look(broker: &Broker) -> Result<Now, Fault> {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let set = broker.policies(&here);
    let store = broker.approvals()?;
    let (all, _) = store.list()?;
    let (now, latest) = (Moment::now(), store.latest());
    let waits = |one: &&Approval| one.status(&now, latest) == Status::Pending;
    let config = broker.config_in(&here);
    let mut ignored: Vec<String> = config.ignored.iter().map(|one| one_line(&one.to_string())).collect();
    ignored.extend(check::distrusted(broker, &here));
    Ok(Now {
        posture: broker.settings_in(&here).posture.as_str(),
        rules: set.rules.len() + set.exceptions.len() + set.patches.ids().count(),
        broken: set
            .own_faults
            .iter()
            .chain(&set.project_faults)
            .map(|error| one_line(&error.to_string()))
            .collect(),
        ignored,
        waiting: all.iter().filter(waits).map(|one| one.id.clone()).collect(),
        granted: all.iter().filter(|one| broker.still_covers(one, &now, latest)).count(),
        locked: broker.locks(),
        ledger: ledger(broker),
    })
}

fn ledger(broker: &Broker) -> Vec<String> {
    let glance = match ledger::glance(broker.ledger().dir()) {
        Ok(glance) => glance,
        Err(error) => return vec![one_line(&format!("it cannot be read: {error}"))],
    };
    let mut wrong = Vec::new();
    if !glance.end.is_empty() {
        wrong.push(one_line(glance.end.trim_end_matches('.')));
    }
    if glance.losses > 0 {
        let times = count(usize::try_from(glance.losses).unwrap_or(usize::MAX), "time");
        wrong.push(format!(
            "{times}, acknowledged records were lost or changed, or nothing vouched for them"
        ));
    }
    if glance.full {
        let on = if broker.ledger().suspended() {
            "until `tollgate unlock`"
        } else {
            "until there is space"
        };
        wrong.push(format!("the disk was full: not everything could be recorded ({on})"));
    }
    wrong
}

impl Now {
    fn show(&self, ui: &mut Ui) {
        let mut row = |name: &str, text: &str| ui.line(format!("{name:<12} {text}"));
        row("posture", self.posture);
        row(
            "policy",
            &format!(
                "{} of {}",
                count(self.rules, "rule"),
                "policy files here, beside the built-in ones"
            ),
        );
        for broken in &self.broken {
            row("broken", broken);
        }
        for ignored in &self.ignored {
            row("no effect", ignored);
        }
        for wrong in &self.ledger {
            row("ledger", &format!("{wrong} (`tollgate log verify`)"));
        }
        let held = count(self.granted, "yes");
        match self.waiting.as_slice() {
            [] => row("approvals", &format!("nothing waits; {held} in force")),
            ids => row("approvals", &format!("waiting: {}; {held} in force", ids.join(", "))),
        }
        for (agent, seconds) in &self.locked {
            row(
                "locked",
                &format!(
                    "{} may only read for {seconds} more seconds (`tollgate unlock`)",
                    safe(agent)
                ),
            );
        }
    }

    fn as_json(&self, agents: &[Value]) -> Value {
        let locked: Vec<Value> = self
            .locked
            .iter()
            .map(|(agent, seconds)| json!({"agent": safe(agent), "seconds": seconds}))
            .collect();
        json!({
            "format": 1, "agents": agents, "posture": self.posture, "rules": self.rules, "broken": self.broken, "ignored": self.ignored,
            "waiting": self.waiting, "granted": self.granted, "locked": locked, "ledger": self.ledger,
        })
    }
}

fn count(n: usize, what: &str) -> String {
    match (n, what) {
        (1, _) => format!("1 {what}"),
        (_, "yes") => format!("{n} yeses"),
        _ => format!("{n} {what}s"),
    }
}
