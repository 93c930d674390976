//! `tollgate policy replay`.

use broker::{Broker, Replayed};
use serde_json::{Value, json};

use crate::commands::log::unreadable;
use crate::exit::{Exit, Fault};
use crate::setup::places;
use crate::ui::Ui;
use crate::view::{head, safe};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Only what is not older than this: `30m`, `12h`, `7d`.
    #[arg(long, value_name = "AGE", value_parser = crate::commands::log::age)]
    since: Option<std::time::Duration>,
    /// What would be decided in the same way too.
    #[arg(long)]
    all: bool,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let broker = Broker::open(places::find()?);
    let (mut shown, mut total, mut differ, mut inexact) = (Vec::new(), 0, 0, 0);
    let replayed = broker.replay(args.since, |one| {
        total += 1;
        differ += usize::from(one.differs());
        inexact += usize::from(!one.inexact.is_empty());
        if args.all || one.differs() {
            shown.push(one);
        }
    });
    replayed.map_err(|e| unreadable(&e))?;
    if args.json {
        let rows: Vec<Value> = shown.iter().map(as_json).collect();
        let report = json!({"format": 1, "decisions": total, "differ": differ, "inexact": inexact, "shown": rows});
        ui.line(report.to_string());
        return Ok(Exit::Done);
    }
    for one in &shown {
        ui.line(line(one));
        for why in &one.inexact {
            ui.line(format!("       not exact: {why}"));
        }
    }
    ui.line(format!(
        "{total} decisions: {differ} would be others today; {inexact} cannot be judged exactly as they were."
    ));
    Ok(Exit::Done)
}

fn line(one: &Replayed) -> String {
    let rules = match one.rules.is_empty() {
        true => String::new(),
        false => format!(" [{}]", one.rules.join(", ")),
    };
    safe(&format!(
        "{:>6} {} {} -> {}{rules} {}",
        one.seq,
        one.time,
        one.was,
        one.now.as_str(),
        head(&one.text.replace('\n', "\u{23ce} "), 100)
    ))
}

fn as_json(one: &Replayed) -> Value {
    json!({
        "seq": one.seq, "time": one.time, "text": safe(&one.text), "was": one.was, "now": one.now.as_str(),
        "rules": one.rules, "inexact": one.inexact,
    })
}
