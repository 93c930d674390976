//! `tollgate snapshots`: what was kept before calls took it away.

use broker::{Broker, NotUndone};
use serde_json::{Value, json};
use snapshot::{Head, Snapshot, Undo, What as Stood};

use super::policy::here;
use crate::exit::{Exit, Fault};
use crate::setup::places;
use crate::ui::Ui;
use crate::view::{one_line, safe};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Lists the snapshots, the newest first.
    List {
        /// As one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Shows what one holds and why it was taken.
    Show {
        /// The snapshot, or the end of its name; without it the newest.
        id: Option<String>,
        /// As one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Shows how what is there now differs from a snapshot.
    Diff {
        /// The snapshot, or the end of its name; without it the newest.
        id: Option<String>,
        /// As one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Takes snapshots away that are older than the settings say, and what nobody needs any more.
    Prune {
        /// Those that are older than this.
        #[arg(long, value_name = "DAYS")]
        older_than: Option<u64>,
        /// As one JSON object.
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let broker = Broker::open(places::find()?);
    match &args.what {
        What::List { json } => list(&broker, *json, ui),
        What::Show { id, json } => show(&broker.snapshot(id.as_deref(), &here()?)?, *json, ui),
        What::Diff { id, json } => diff(&broker, &broker.snapshot(id.as_deref(), &here()?)?, *json, ui),
        What::Prune { older_than, json } => prune(&broker, *older_than, *json, ui),
    }
}

fn list(broker: &Broker, as_json: bool, ui: &mut Ui) -> Result<Exit, Fault> {
    let (heads, damaged) = broker.snapshots().list().map_err(NotUndone::from)?;
    if as_json {
        let rows: Vec<Value> = heads.iter().map(row).collect();
        ui.line(json!({"format": 1, "snapshots": rows, "damaged": damaged}).to_string());
        return Ok(Exit::Done);
    }
    if heads.is_empty() && damaged.is_empty() {
        ui.line("There is no snapshot.");
    }
    for head in &heads {
        let agent = safe(&head.cause.agent);
        ui.line(format!(
            "{}  {agent:<9} {:>9}  {}",
            head.id,
            size(head.bytes),
            request(head)
        ));
    }
    for id in &damaged {
        ui.line(format!("{}  is damaged", one_line(id)));
    }
    Ok(Exit::Done)
}

fn request(head: &Head) -> String {
    const LONGEST: usize = 100;
    let text = one_line(&head.cause.request);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

fn row(head: &Head) -> Value {
    json!({
        "id": head.id,
        "time_ms": head.cause.time_ms,
        "agent": head.cause.agent,
        "session": head.cause.session,
        "call": head.cause.call,
        "request": head.cause.request,
        "undo_of": head.cause.undo_of,
        "files": head.files,
        "bytes": head.bytes,
        "roots": head.roots.iter().map(snapshot::Name::text).collect::<Vec<_>>(),
        "missing": head.missing,
    })
}

fn show(snapshot: &Snapshot, as_json: bool, ui: &mut Ui) -> Result<Exit, Fault> {
    let head = &snapshot.head;
    let entries = || {
        snapshot
            .parts
            .iter()
            .flat_map(|part| part.entries.iter().map(|entry| (part.root.path(), entry)))
    };
    let named = entries().filter(|(_, entry)| !matches!(entry.what, Stood::Folder | Stood::Nothing));
    let paths: Vec<String> = named
        .map(|(root, entry)| root.join(entry.path.path()).to_string_lossy().into_owned())
        .collect();
    if as_json {
        ui.line(json!({"format": 1, "snapshot": row(head), "paths": paths}).to_string());
        return Ok(Exit::Done);
    }
    let cause = &head.cause;
    ui.line(format!("{}  taken for {}", head.id, safe(&cause.agent)));
    ui.line(format!("  before   {}", one_line(&cause.request)));
    if !cause.undo_of.is_empty() {
        ui.line(format!("  an undo  of {}", one_line(&cause.undo_of)));
    }
    ui.line(format!("  holds    {} contents, {}", head.files, size(head.bytes)));
    for part in snapshot.parts.iter().filter(|part| part.repository.is_some()) {
        ui.line(format!("  state    of the repository {}", one_line(&part.root.text())));
    }
    head.missing
        .iter()
        .for_each(|what| ui.line(format!("  without  {}", one_line(what))));
    paths.iter().for_each(|path| ui.line(format!("    {}", one_line(path))));
    Ok(Exit::Done)
}

fn diff(broker: &Broker, snapshot: &Snapshot, as_json: bool, ui: &mut Ui) -> Result<Exit, Fault> {
    let store = broker.snapshots();
    let undo = Undo {
        store: &store,
        snapshot,
        only: &[],
        force: false,
    };
    let changes = undo.changes().map_err(NotUndone::from)?;
    if as_json {
        let rows = changes
            .iter()
            .map(|change| json!({"path": change.path, "was": change.was.is_some(), "is": change.is.is_some()}));
        ui.line(json!({"format": 1, "snapshot": snapshot.head.id, "changes": rows.collect::<Vec<_>>()}).to_string());
        return Ok(Exit::Done);
    }
    if changes.is_empty() {
        ui.line(format!("Everything is as it was in {}.", snapshot.head.id));
    }
    for change in &changes {
        let name = one_line(&change.path.to_string_lossy());
        let text = |bytes: &Option<Vec<u8>>| bytes.as_ref().map(|bytes| String::from_utf8(bytes.clone()));
        match (text(&change.was), text(&change.is)) {
            (Some(Err(_)), _) | (_, Some(Err(_))) => ui.line(format!("{name}: the bytes differ")),
            (was, is) => {
                let (was, is) = (
                    was.and_then(Result::ok).unwrap_or_default(),
                    is.and_then(Result::ok).unwrap_or_default(),
                );
                let diff = similar::TextDiff::from_lines(&was, &is);
                let words = diff
                    .unified_diff()
                    .context_radius(3)
                    .header(&format!("{name} (snapshot)"), &format!("{name} (now)"))
                    .to_string();
                ui.text(&scrub::visible(&scrub::redact(&words)));
            }
        }
    }
    Ok(Exit::Done)
}

fn prune(broker: &Broker, days: Option<u64>, as_json: bool, ui: &mut Ui) -> Result<Exit, Fault> {
    let Some(pruned) = broker.prune_snapshots(days)? else {
        return Err(Fault::new(Exit::Unavailable, "A snapshot is just being taken.").hint("Try again."));
    };
    ui.line(match as_json {
        true => json!({"format": 1, "snapshots": pruned.snapshots, "bytes": pruned.bytes}).to_string(),
        false => match pruned.snapshots.len() {
            0 => "No snapshot is old enough.".to_owned(),
            1 => format!("1 snapshot and {} went.", size(pruned.bytes)),
            many => format!("{many} snapshots and {} went.", size(pruned.bytes)),
        },
    });
    Ok(Exit::Done)
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}
