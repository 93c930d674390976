//! `tollgate approvals list`.

use broker::approvals::{Approval, Scope, Status};
use broker::{Broker, Moment};
use serde_json::{Value, json};

use super::{as_json, store};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;
use crate::view::{head, one_line, safe};

#[derive(clap::Args)]
pub(super) struct Args {
    /// What is over too: answered, used, expired.
    #[arg(long)]
    all: bool,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(broker: &Broker, args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let store = store(broker)?;
    let (mut all, damaged) = store.list()?;
    let (now, latest) = (Moment::now(), store.latest());
    all.retain(|one| args.all || stands(broker, one, &now, latest));
    if args.json {
        let rows: Vec<Value> = all.iter().map(|one| as_json(one, &now, latest)).collect();
        let damaged: Vec<String> = damaged.iter().map(|path| safe(&path.to_string_lossy())).collect();
        ui.line(json!({"format": 1, "approvals": rows, "damaged": damaged}).to_string());
        return Ok(Exit::Done);
    }
    if all.is_empty() {
        ui.line("Nothing waits for an answer, and no yes holds.");
    }
    for one in &all {
        ui.line(line(broker, one, &now, latest));
    }
    for path in damaged {
        let path = one_line(&path.to_string_lossy());
        ui.note(format!("`{path}` is not as it was written, so it counts for nothing."));
    }
    Ok(Exit::Done)
}

/// Whether it waits, or still covers something.
fn stands(broker: &Broker, approval: &Approval, now: &Moment, latest: u64) -> bool {
    match approval.status(now, latest) {
        Status::Pending => true,
        _ => broker.still_covers(approval, now, latest),
    }
}

fn line(broker: &Broker, approval: &Approval, now: &Moment, latest: u64) -> String {
    let status = match (approval.status(now, latest), approval.scope()) {
        _ if approval.used.is_some() => "used".to_owned(),
        (Status::Approved, _) if !broker.still_covers(approval, now, latest) => "covers nothing".to_owned(),
        (Status::Approved, Some(Scope::Here { days })) => format!("approved here, {days} d"),
        (Status::Approved, Some(scope)) => format!("approved {}", scope.as_str()),
        (status, _) => status.as_str().to_owned(),
    };
    let what = approval
        .asked
        .parts
        .first()
        .map(|(_, text)| text.as_str())
        .unwrap_or_default();
    let rules = approval.asked.rules.join(", ");
    one_line(&format!(
        "{}  {:<18} {:<7} [{rules}] {}",
        approval.id,
        status,
        approval.asked.agent,
        head(&what.replace('\n', "\u{23ce} "), 100),
    ))
}
