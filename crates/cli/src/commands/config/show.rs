//! `tollgate config show`.

use broker::config::{self, FILE, Setting};
use serde_json::{Value, json};

use super::broken;
use crate::exit::{Exit, Fault};
use crate::setup::places;
use crate::ui::Ui;
use crate::view::safe;

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
    let folder = places::find()?.config;
    let settings = config::own(&folder).map_err(|e| broken(&e))?;
    let file = folder.join(FILE).to_string_lossy().into_owned();
    if args.json {
        let rows: Vec<Value> = settings.iter().map(|one| as_json(one, &file)).collect();
        ui.line(json!({"format": 1, "settings": rows}).to_string());
        return Ok(Exit::Done);
    }
    let lines: Vec<String> = settings
        .iter()
        .map(|one| format!("{} = {}", one.key, one.value))
        .collect();
    let width = lines.iter().map(String::len).max().unwrap_or_default().min(60);
    for (line, setting) in lines.iter().zip(&settings) {
        ui.line(safe(&match args.origin {
            true => format!("{line:<width$}  # {}", origin(setting, &file)),
            false => line.clone(),
        }));
    }
    Ok(Exit::Done)
}

fn origin(setting: &Setting, file: &str) -> String {
    match setting.line {
        Some(line) => format!("{file}:{line}"),
        None => "built-in".to_owned(),
    }
}

fn as_json(setting: &Setting, file: &str) -> Value {
    let origin = match setting.line {
        Some(line) => json!({"layer": "user", "file": file, "line": line}),
        None => json!({"layer": "built-in"}),
    };
    json!({"key": setting.key, "value": setting.value, "default": setting.default, "origin": origin})
}
