//! `tollgate log show`.

use serde_json::{Value, json};
use views::{Export, Format, Hit, Views};

use super::{filter, lines, unseen};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;

/// How many records are shown where nothing is said.
const USUAL: usize = 50;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    filter: filter::Wanted,
    /// How many of the last records are shown: 50, or with `--jsonl` all.
    #[arg(long, value_name = "N")]
    last: Option<usize>,
    /// As one JSON object.
    #[arg(long, conflicts_with = "jsonl")]
    json: bool,
    /// As they are stored, one JSON object a line.
    #[arg(long)]
    jsonl: bool,
}

pub(super) fn run(views: &Views, args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let filter = args.filter.filter();
    let last = match args.last {
        None if args.jsonl => return all(views, &filter, ui),
        last => last.unwrap_or(USUAL),
    };
    if !args.jsonl && !args.json && views.is_empty().map_err(|e| unseen(&e))? {
        ui.line("Nothing was recorded yet.");
        return Ok(Exit::Done);
    }
    let hits = match filter.is_empty() {
        true => views.last(last),
        false => views.search(&filter, last),
    };
    let mut hits = hits.map_err(|e| unseen(&e))?;
    hits.reverse();
    print(&hits, args.json, args.jsonl, ui);
    Ok(Exit::Done)
}

/// All that fits, as it is stored, however much that is.
fn all(views: &Views, filter: &views::Filter, ui: &mut Ui) -> Result<Exit, Fault> {
    let nothing = Export {
        safe: &str::to_owned,
        about: &|_| None,
        version: "",
    };
    super::export::to_output(views, Format::Ndjson, nothing, filter, ui)?;
    Ok(Exit::Done)
}

/// Records in the form that was asked for.
pub(super) fn print(hits: &[Hit], json: bool, jsonl: bool, ui: &mut Ui) {
    if json {
        let records: Vec<Value> = hits.iter().map(|hit| lines::object(&hit.line)).collect();
        ui.line(json!({"format": 1, "records": records}).to_string());
        return;
    }
    for hit in hits {
        match jsonl {
            true => ui.text(&format!("{}\n", String::from_utf8_lossy(&hit.line))),
            false => ui.line(lines::line(&hit.line)),
        }
    }
}
