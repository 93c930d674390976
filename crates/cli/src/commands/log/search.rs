//! `tollgate log search`.

use views::{Filter, Views};

use super::{filter, show, unseen};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The words, as they stand there; case does not count.
    text: String,
    #[command(flatten)]
    filter: filter::Wanted,
    /// How many records are shown, the newest ones.
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// As one JSON object.
    #[arg(long, conflicts_with = "jsonl")]
    json: bool,
    /// As they are stored, one JSON object a line.
    #[arg(long)]
    jsonl: bool,
}

pub(super) fn run(views: &Views, args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let filter = Filter {
        text: Some(args.text.clone()),
        ..args.filter.filter()
    };
    let hits = views.search(&filter, args.limit).map_err(|e| unseen(&e))?;
    show::print(&hits, args.json, args.jsonl, ui);
    if hits.is_empty() {
        ui.note("Nothing that was recorded fits.");
    }
    Ok(Exit::Done)
}
