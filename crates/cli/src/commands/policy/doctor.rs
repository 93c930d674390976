//! `tollgate policy doctor`.

use broker::policies::Difference;
use serde_json::{Value, json};

use super::list::shown;
use super::{faults, set};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;
use crate::view::{one_line, safe};

#[derive(clap::Args)]
pub(super) struct Args {
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let set = set()?;
    let rules = set.rules.len() + set.exceptions.len() + set.patches.ids().count();
    let broken = faults(&set).count();
    if args.json {
        let errors: Vec<Value> = faults(&set)
            .map(|e| json!({"file": e.file.to_string_lossy(), "line": e.line, "reason": safe(&e.reason), "hint": safe(&e.hint)}))
            .collect();
        let differences: Vec<Value> = set.differences.iter().map(as_json).collect();
        ui.line(json!({"format": 1, "rules": rules, "errors": errors, "differences": differences}).to_string());
    } else {
        for error in faults(&set) {
            ui.line(one_line(&error.to_string()));
            if !error.hint.is_empty() {
                ui.line(safe(&format!("  {}", error.hint)));
            }
        }
        for difference in &set.differences {
            ui.line(one_line(&sentence(difference)));
        }
        ui.line(match broken {
            0 => format!("{rules} rules, nothing wrong"),
            1 => format!("in force are {rules} rules; 1 file or rule is broken"),
            _ => format!("in force are {rules} rules; {broken} files or rules are broken"),
        });
    }
    if broken == 0 {
        if !set.differences.is_empty() {
            ui.note("The files changed less than a second ago. What they take away counts when they rest.");
        }
        return Ok(Exit::Done);
    }
    if !set.own_faults.is_empty() {
        ui.note("Until they are mended, whatever changes something is refused.");
    } else {
        ui.note("Until they are mended, whatever changes something here asks.");
    }
    Ok(Exit::Failed)
}

/// How a rule differs from the last set that loaded whole.
fn sentence(difference: &Difference) -> String {
    let Difference { name, place, change } = difference;
    format!("`{name}` {} ({}, {})", change.sentence(), place.layer, shown(place))
}

fn as_json(difference: &Difference) -> Value {
    let Difference { name, place, change } = difference;
    json!({
        "rule": safe(name), "change": change.as_str(), "layer": place.layer.name(),
        "file": place.file.to_string_lossy(), "line": place.line,
    })
}
