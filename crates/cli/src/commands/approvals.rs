//! `tollgate approvals`: what waits for a person, and the person's answers.

mod answer;
mod list;
mod rule;
mod show;
mod wait;

use broker::approvals::{Approval, Approvals, StoreError};
use broker::{Broker, Moment, Refused};
use serde_json::{Value, json};

use crate::exit::{Exit, Fault};
use crate::setup::places;
use crate::ui::Ui;
use crate::view::safe;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Lists what waits for an answer, and the answers that still hold.
    List(list::Args),
    /// Shows one ask with its reason and what an answer is bound to.
    Show(show::Args),
    /// Says yes to one ask: for one call, or for longer where that is offered.
    Approve(answer::Yes),
    /// Says no to one ask.
    Reject(answer::No),
    /// Waits until an ask is answered.
    Wait(wait::Args),
    /// Takes every yes back that still holds.
    Clear,
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let broker = Broker::open(places::find()?);
    match &args.what {
        What::List(args) => list::run(&broker, args, ui),
        What::Show(args) => show::run(&broker, args, ui),
        What::Approve(args) => answer::approve(&broker, args, ui),
        What::Reject(args) => answer::reject(&broker, args, ui),
        What::Wait(args) => wait::run(&broker, args, ui),
        What::Clear => clear(&broker, ui),
    }
}

fn clear(broker: &Broker, ui: &mut Ui) -> Result<Exit, Fault> {
    let taken = broker.forget_approvals()?;
    ui.line(match taken {
        0 => "No yes was held.".to_owned(),
        1 => "1 yes was taken back.".to_owned(),
        many => format!("{many} yeses were taken back."),
    });
    Ok(Exit::Done)
}

fn store(broker: &Broker) -> Result<Approvals, Fault> {
    Ok(broker.approvals()?)
}

/// One ask as JSON, as it stands now.
fn as_json(approval: &Approval, now: &Moment, latest: u64) -> Value {
    let said = approval.resolution.as_ref();
    let asked = &approval.asked;
    let parts: Vec<Value> = asked
        .parts
        .iter()
        .map(|(kind, text)| json!({"kind": kind, "text": safe(text)}))
        .collect();
    json!({
        "id": approval.id, "status": approval.status(now, latest).as_str(), "used": approval.used.is_some(),
        "created": approval.created.rfc3339(), "asked": approval.asked_at.rfc3339(), "times": approval.times,
        "agent": asked.agent, "pid": asked.pid, "session": safe(&asked.session), "call": safe(&asked.call),
        "cwd": safe(&asked.cwd), "parts": parts, "rules": asked.rules, "risk": asked.risk, "classes": asked.classes,
        "files": asked.files.iter().map(|file| safe(file)).collect::<Vec<_>>(), "reason": safe(&asked.reason),
        "remember": asked.remember, "native": asked.native,
        "scope": approval.scope().map(|scope| scope.as_str()),
        "resolved": said.map(|said| said.at.rfc3339()), "by": said.map(|said| safe(&said.by)),
        "note": said.map(|said| safe(&said.note)), "guidance": said.map(|said| safe(&said.guidance)),
    })
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let exit = match error {
            StoreError::Unknown(_) => Exit::NoInput,
            StoreError::Settled(_) | StoreError::NotOffered(_) => Exit::Failed,
            StoreError::Damaged(_) => Exit::Denied,
            StoreError::Io(_) | StoreError::Secret(..) => Exit::Io,
        };
        Self::new(exit, crate::exit::sentence(&error)).hint(error.hint())
    }
}

impl From<Refused> for Fault {
    fn from(refused: Refused) -> Self {
        let (sentence, hint) = (crate::exit::sentence(&refused), refused.hint());
        match refused {
            Refused::Store(error) => error.into(),
            Refused::Record(error) => error.into(),
            Refused::NotAPerson { .. } => Self::new(Exit::Denied, sentence).hint(hint),
        }
    }
}
