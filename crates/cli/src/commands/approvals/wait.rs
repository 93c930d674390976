//! `tollgate approvals wait`.

use std::thread;
use std::time::{Duration, Instant};

use broker::approvals::Status;
use broker::{Broker, Moment};

use super::{as_json, store};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;

/// How often it is looked at.
const STEP: Duration = Duration::from_millis(200);

#[derive(clap::Args)]
pub(super) struct Args {
    /// The name of the ask.
    id: String,
    /// How many seconds to wait; without it, until it is answered or over.
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// The ask as one JSON object.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(broker: &Broker, args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let store = store(broker)?;
    let from = Instant::now();
    loop {
        let approval = store.get(&args.id)?;
        let (now, latest) = (Moment::now(), store.latest());
        let status = approval.status(&now, latest);
        let late = args
            .timeout
            .is_some_and(|most| from.elapsed() >= Duration::from_secs(most));
        if status == Status::Pending && !late {
            thread::sleep(STEP);
            continue;
        }
        if args.json {
            ui.line(as_json(&approval, &now, latest).to_string());
        } else {
            ui.line(status.as_str());
        }
        return Ok(match status {
            Status::Approved => Exit::Done,
            Status::Pending | Status::Expired => Exit::TimedOut,
            Status::Rejected | Status::ChangesRequested => Exit::Denied,
        });
    }
}
