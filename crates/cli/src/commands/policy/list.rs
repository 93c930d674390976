//! `tollgate policy list`.

use broker::policies::Place;
use serde_json::{Value, json};

use super::{faults, set};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;
use crate::view::{one_line, safe};

#[derive(clap::Args)]
pub(super) struct Args {
    /// With the file and line of each.
    #[arg(long)]
    origin: bool,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

/// A line of the list.
struct Row<'s> {
    verdict: &'static str,
    name: String,
    about: String,
    list: &'static str,
    place: &'s Place,
    /// Nothing raises what it is about yet.
    waits: bool,
}

pub(super) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let set = set()?;
    let rules = set.rules.iter().map(|rule| Row {
        verdict: rule.entry.verdict.as_str(),
        name: rule.entry.id.clone(),
        about: rule.entry.about.clone(),
        list: rule.entry.list,
        place: &rule.place,
        waits: rule.entry.rule.is_none(),
    });
    let excepted = set.exceptions.iter().map(|one| Row {
        verdict: "allow",
        name: one.exception.suppresses.clone(),
        about: format!("commands like `{}`", one.exception.pattern.text()),
        list: "allow",
        place: &one.place,
        waits: false,
    });
    let rows: Vec<Row<'_>> = rules.chain(excepted).collect();
    let patches: Vec<&str> = set.patches.ids().collect();
    let broken: Vec<String> = faults(&set).map(ToString::to_string).collect();
    if args.json {
        let rows: Vec<Value> = rows.iter().map(Row::as_json).collect();
        ui.line(json!({"format": 1, "rules": rows, "patches": patches, "errors": broken}).to_string());
    } else {
        show(&rows, &patches, args.origin, ui);
    }
    match faults(&set).next() {
        None => Ok(Exit::Done),
        Some(error) => {
            let fault = Fault::new(
                Exit::Refused,
                format!("Not all that is set can be read: {}.", one_line(&error.to_string())),
            );
            Err(fault.hint(&error.hint))
        }
    }
}

impl Row<'_> {
    fn as_json(&self) -> Value {
        json!({
            "id": safe(&self.name), "verdict": self.verdict, "list": self.list, "about": safe(&self.about),
            "layer": self.place.layer.name(), "file": self.place.file.to_string_lossy(), "line": self.place.line,
            "waits": self.waits,
        })
    }
}

fn show(rows: &[Row<'_>], patches: &[&str], origin: bool, ui: &mut Ui) {
    if rows.is_empty() && patches.is_empty() {
        ui.line("There are no policy files here; the built-in rules speak (`tollgate rules list`).");
        return;
    }
    let width = rows
        .iter()
        .map(|row| row.name.chars().count())
        .max()
        .unwrap_or_default()
        .min(40);
    for row in rows {
        let waits = if row.waits { " (nothing raises that yet)" } else { "" };
        let line = format!(
            "{:<6} {:<8} {:<width$} {}{waits}",
            row.verdict, row.list, row.name, row.about
        );
        ui.line(one_line(line.trim_end()));
        if origin {
            ui.line(one_line(&format!(
                "       from {}, {}",
                row.place.layer,
                shown(row.place)
            )));
        }
    }
    for id in patches {
        ui.line(safe(&format!("{:<6} {:<8} {id}", "patch", "rules")));
    }
}

/// `FILE:LINE`
pub(super) fn shown(place: &Place) -> String {
    match place.line {
        Some(line) => format!("{}:{line}", place.file.display()),
        None => place.file.display().to_string(),
    }
}
