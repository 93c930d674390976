//! `tollgate approvals approve` and `reject`.

use broker::approvals::{Scope, Status};
use broker::{Answered, Broker, Moment, Said};

use super::{rule, show, store};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;

#[derive(clap::Args)]
pub(super) struct Yes {
    /// The name of the ask.
    id: String,
    /// The same call again in this session of this agent.
    #[arg(long, conflicts_with = "days")]
    session: bool,
    /// The same call again in this folder, for so many days (1 to 90).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=90))]
    days: Option<u32>,
    /// Write an exception for this command in this folder into a policy file of yours, for `--days` days (30 without it).
    #[arg(long, conflicts_with = "session")]
    rule: bool,
    /// A note for the record.
    #[arg(long, default_value = "")]
    note: String,
    /// Do not show it and ask again.
    #[arg(long)]
    yes: bool,
}

#[derive(clap::Args)]
pub(super) struct No {
    /// The name of the ask.
    id: String,
    /// What the agent should do instead.
    #[arg(long, value_name = "TEXT", default_value = "")]
    instead: String,
    /// A note for the record.
    #[arg(long, default_value = "")]
    note: String,
}

pub(super) fn approve(broker: &Broker, args: &Yes, ui: &mut Ui) -> Result<Exit, Fault> {
    let person = broker.person("approve a call")?;
    let store = store(broker)?;
    let approval = store.get(&args.id)?;
    let (now, latest) = (Moment::now(), store.latest());
    let pending = approval.status(&now, latest) == Status::Pending;
    if pending && !args.yes {
        show::card(&approval, &now, latest, ui);
        if !args.rule && !ui.confirm("Allow it?") {
            ui.line("It was not answered.");
            return Ok(Exit::Waiting);
        }
    }
    if args.rule && pending && !rule::write(broker, &person, &approval, args.days, args.yes, ui)? {
        ui.line("Nothing was written, and it was not answered.");
        return Ok(Exit::Waiting);
    }
    let scope = match (args.session, args.days) {
        _ if args.rule => Scope::Rule,
        (true, _) => Scope::Session,
        (_, Some(days)) => Scope::Here { days },
        _ => Scope::Once,
    };
    let answer = Answered {
        said: Said::Yes(scope),
        note: &args.note,
        guidance: "",
    };
    broker.answer(&person, &args.id, &answer)?;
    ui.line(match scope {
        Scope::Once => "Approved for one call, within an hour. Let the agent make the same call again.".to_owned(),
        Scope::Session => "Approved for this session of the agent, for 12 hours at most.".to_owned(),
        Scope::Here { days } => format!("Approved in this folder for {days} days."),
        Scope::Rule => "Approved by the rule. Let the agent make the same call again.".to_owned(),
    });
    Ok(Exit::Done)
}

pub(super) fn reject(broker: &Broker, args: &No, ui: &mut Ui) -> Result<Exit, Fault> {
    let person = broker.person("answer an ask")?;
    let said = if args.instead.is_empty() {
        Said::No
    } else {
        Said::Change
    };
    let answer = Answered {
        said,
        note: &args.note,
        guidance: &args.instead,
    };
    broker.answer(&person, &args.id, &answer)?;
    ui.line("Rejected.");
    Ok(Exit::Done)
}
