//! `tollgate undo`: brings back what a call took away.

use std::path::PathBuf;

use broker::{Broker, NotUndone};
use serde_json::json;
use snapshot::{Act, Plan, Snapshot, Step, Undo};

use super::policy::here;
use crate::exit::{Exit, Fault, sentence};
use crate::setup::places;
use crate::ui::Ui;
use crate::view::{one_line, safe};

/// Steps that are shown one by one.
const SHOWN: usize = 40;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The snapshot, or the end of its name; without it the newest of this project, or of all.
    id: Option<String>,
    /// Bring back only what lies at or below this path; can be given several times.
    #[arg(long, value_name = "PATH")]
    path: Vec<PathBuf>,
    /// Show what would be done, and do nothing.
    #[arg(long)]
    dry_run: bool,
    /// Put what the snapshot holds into this folder, and change nothing else.
    #[arg(long, value_name = "DIR", conflicts_with = "force")]
    to: Option<PathBuf>,
    /// Replace newer work, too; it is kept in a snapshot of its own first.
    #[arg(long)]
    force: bool,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let broker = Broker::open(places::find()?);
    let here = here()?;
    let snapshot = broker.snapshot(args.id.as_deref(), &here)?;
    let store = broker.snapshots();
    let only: Vec<PathBuf> = args.path.iter().map(|path| snapshot::real(&here.join(path))).collect();
    let undo = Undo {
        store: &store,
        snapshot: &snapshot,
        only: &only,
        force: args.force,
    };
    if let Some(to) = &args.to {
        return extract(&undo, &here.join(to), args, ui);
    }
    let plan = undo.plan().map_err(NotUndone::from)?;
    if args.dry_run {
        show(&snapshot, &plan, args, ui);
        return Ok(Exit::Done);
    }
    let all = plan.steps.len() as u64;
    let mut bar = ui.progress("bringing back");
    let undone = broker.undo(&undo, &plan, |done| bar.at(done as u64, all));
    bar.end();
    let undone = undone?;
    let missing = undone.missing.iter().map(|what| one_line(what));
    if args.json {
        let said = json!({
            "format": 1,
            "snapshot": snapshot.head.id,
            "steps": undone.steps,
            "before": undone.before,
            "missing": missing.collect::<Vec<_>>(),
        });
        ui.line(said.to_string());
        return Ok(exit_of(&undone.missing));
    }
    let id = &snapshot.head.id;
    match undone.steps {
        0 => ui.line(format!("Everything is as it was in {id}.")),
        _ => ui.line(format!(
            "Brought back {id}, from before: {}",
            safe(&snapshot.head.cause.request)
        )),
    }
    if !undone.before.is_empty() {
        ui.line(format!(
            "What was there until now is {}: `tollgate undo {}` goes back to it.",
            undone.before, undone.before
        ));
    }
    missing.for_each(|what| ui.note(format!("tollgate: not brought back: {what}")));
    Ok(exit_of(&undone.missing))
}

/// What could not be brought back is a failure, however much could.
const fn exit_of(missing: &[String]) -> Exit {
    if missing.is_empty() { Exit::Done } else { Exit::Failed }
}

fn extract(undo: &Undo<'_>, to: &std::path::Path, args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let shown = one_line(&to.to_string_lossy());
    if args.dry_run {
        ui.line(format!("{} would be put into {shown}.", undo.snapshot.head.id));
        return Ok(Exit::Done);
    }
    std::fs::create_dir_all(to).map_err(NotUndone::from)?;
    let to = to.canonicalize().map_err(NotUndone::from)?;
    let files = undo.extract(&to).map_err(NotUndone::from)?;
    ui.line(match args.json {
        true => json!({"format": 1, "snapshot": undo.snapshot.head.id, "to": shown, "files": files}).to_string(),
        false => format!("{files} files of {} are in {shown}.", undo.snapshot.head.id),
    });
    Ok(exit_of(&undo.snapshot.head.missing))
}

fn show(snapshot: &Snapshot, plan: &Plan, args: &Args, ui: &mut Ui) {
    let newer = plan.newer.iter().map(|path| path.to_string_lossy().into_owned());
    let newer: Vec<String> = newer.chain(plan.newer_commits.iter().cloned()).collect();
    if args.json {
        let steps: Vec<_> = plan
            .steps
            .iter()
            .map(|step| json!({"act": word(&step.act), "path": step.full()}))
            .collect();
        let said = json!({
            "format": 1,
            "snapshot": snapshot.head.id,
            "steps": steps,
            "newer": newer,
            "missing": plan.missing,
        });
        return ui.line(said.to_string());
    }
    if plan.is_done() {
        ui.line(format!("Everything is as it was in {}.", snapshot.head.id));
    }
    let told = |step: &&Step| !matches!(step.act, Act::Object(_) | Act::Rights(_));
    for step in plan.steps.iter().filter(told).take(SHOWN) {
        ui.line(format!(
            "{:<8} {}",
            word(&step.act),
            one_line(&step.full().to_string_lossy())
        ));
    }
    let more = plan.steps.iter().filter(told).count().saturating_sub(SHOWN);
    if more > 0 {
        ui.line(format!("... and {more} more"));
    }
    newer
        .iter()
        .for_each(|what| ui.line(format!("newer    {}", one_line(what))));
    plan.missing
        .iter()
        .for_each(|what| ui.line(format!("missing  {}", one_line(what))));
    ui.note("Nothing was done.");
}

const fn word(act: &Act) -> &'static str {
    match act {
        Act::Remove => "remove",
        Act::Folder => "folder",
        Act::Write(..) => "write",
        Act::Link(_) => "link",
        Act::Rights(_) => "rights",
        Act::State(_) => "state",
        Act::Object(_) => "object",
        Act::Index(_) => "index",
    }
}

impl From<NotUndone> for Fault {
    fn from(why: NotUndone) -> Self {
        let exit = match &why {
            NotUndone::NoSnapshot(_) => Exit::NoInput,
            NotUndone::Newer(..) | NotUndone::NotKept(_) => Exit::Refused,
            NotUndone::Io(_) => Exit::Io,
            NotUndone::Refused(_) => Exit::Denied,
        };
        match why {
            NotUndone::Refused(refused) => refused.into(),
            why => Self::new(exit, sentence(&why)).hint(why.hint()),
        }
    }
}
