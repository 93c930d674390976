//! `tollgate approvals show`.

use broker::approvals::{Approval, Scope};
use broker::{Broker, Moment};

use super::{as_json, store};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;
use crate::view::safe;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The name of the ask.
    id: String,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(broker: &Broker, args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let store = store(broker)?;
    let approval = store.get(&args.id)?;
    let (now, latest) = (Moment::now(), store.latest());
    if args.json {
        ui.line(as_json(&approval, &now, latest).to_string());
    } else {
        card(&approval, &now, latest, ui);
    }
    Ok(Exit::Done)
}

/// All that a person needs to answer.
pub(super) fn card(approval: &Approval, now: &Moment, latest: u64, ui: &mut Ui) {
    let asked = &approval.asked;
    let mut row = |name: &str, text: &str| {
        if !text.is_empty() {
            ui.line(format!("{name:<9} {}", safe(text)));
        }
    };
    let status = approval.status(now, latest).as_str();
    row("approval", &format!("{} ({status})", approval.id));
    let process = asked.pid.map(|pid| format!(", process {pid}")).unwrap_or_default();
    row("asks", &format!("{}{process}, session {}", asked.agent, asked.session));
    let times = match approval.times {
        0 | 1 => "asked once".to_owned(),
        many => format!("asked {many} times"),
    };
    row("at", &format!("{}, {times}", approval.asked_at.rfc3339()));
    row("in", &asked.cwd);
    for (kind, text) in &asked.parts {
        for (at, line) in text.lines().enumerate() {
            row(if at == 0 { kind } else { "" }, line);
        }
    }
    row("rules", &format!("{} (risk {})", asked.rules.join(", "), asked.risk));
    row("classes", &asked.classes.join(", "));
    row("files", &asked.files.join(", "));
    // The first line is above; the last one is for the agent.
    let reason = asked.reason.lines().skip(1).filter(|line| line.contains(": "));
    for line in reason {
        row("", line);
    }
    let reach = if asked.remember {
        "this call once; or this session (--session), or this call in this folder for days (--days N), or by a rule (--rule)"
    } else {
        "this call once"
    };
    row("offered", reach);
    if let Some(said) = &approval.resolution {
        let scope = said.scope.map(words).unwrap_or_default();
        row("answered", &format!("{} at {}{scope}", said.at.rfc3339(), said.by));
        row("note", &said.note);
        row("instead", &said.guidance);
    }
    if let Some(used) = &approval.used {
        row("used", &used.rfc3339());
    }
}

fn words(scope: Scope) -> String {
    match scope {
        Scope::Once => ", for one call".to_owned(),
        Scope::Session => ", for this session".to_owned(),
        Scope::Here { days } => format!(", here for {days} days"),
        Scope::Rule => ", by a rule in a policy file".to_owned(),
    }
}
