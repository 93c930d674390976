//! `tollgate config show`.

use broker::config::{Setting, Source};
use serde_json::{Value, json};

use super::set;
use crate::exit::{Exit, Fault};
use crate::ui::Ui;
use crate::view::{one_line, safe};

#[derive(clap::Args)]
pub(super) struct Args {
    /// With the place that each value comes from.
    #[arg(long)]
    origin: bool,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let set = set()?;
    let ignored: Vec<String> = set.ignored.iter().map(ToString::to_string).collect();
    if args.json {
        let rows: Vec<Value> = set.settings.iter().map(as_json).collect();
        let faults: Vec<String> = set.project_faults.iter().map(ToString::to_string).collect();
        ui.line(json!({"format": 1, "settings": rows, "ignored": ignored, "project_faults": faults}).to_string());
    } else {
        show(&set.settings, args.origin, ui);
        for said in ignored {
            ui.note(format!("It does not count: {}.", one_line(&said)));
        }
    }
    match set.project_faults.first() {
        None => Ok(Exit::Done),
        Some(fault) => {
            let sentence = format!("The project's settings are broken: {}.", one_line(&fault.to_string()));
            let until = "Until they are mended, whatever changes something here asks.";
            Err(Fault::new(Exit::Refused, sentence).hint(format!("{} {until}", fault.hint).trim_start()))
        }
    }
}

fn show(settings: &[Setting], origin: bool, ui: &mut Ui) {
    let lines: Vec<String> = settings
        .iter()
        .map(|one| format!("{} = {}", one.key, one.value))
        .collect();
    let width = lines.iter().map(String::len).max().unwrap_or_default().min(60);
    for (line, setting) in lines.iter().zip(settings) {
        ui.line(match origin {
            true => format!("{:<width$}  # {}", safe(line), one_line(&self::origin(setting))),
            false => safe(line),
        });
    }
}

/// The layer, and where in it; a person's own file needs no word.
pub(super) fn origin(setting: &Setting) -> String {
    let origin = &setting.origin;
    let layer = origin.source.as_str();
    let place = match origin.line {
        Some(line) => format!("{}:{line}", origin.place.display()),
        None => origin.place.display().to_string(),
    };
    match origin.source {
        Source::BuiltIn => layer.to_owned(),
        Source::User => place,
        _ => format!("{layer} {place}"),
    }
}

fn as_json(setting: &Setting) -> Value {
    let origin = &setting.origin;
    let mut from = json!({"layer": origin.source.as_str()});
    match (origin.source, from.as_object_mut()) {
        (Source::BuiltIn, _) | (_, None) => {}
        (_, Some(from)) => {
            from.insert("file".into(), origin.place.to_string_lossy().into());
            from.extend(origin.line.map(|line| ("line".into(), line.into())));
        }
    }
    json!({"key": setting.key, "value": setting.value, "default": setting.default, "origin": from})
}
