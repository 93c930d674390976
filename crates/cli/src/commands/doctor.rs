//! `tollgate doctor`.

use crate::exit::{Exit, Fault};
use crate::ui::Ui;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(_args: &Args, _ui: &mut Ui) -> Result<Exit, Fault> {
    Err(Fault::new(Exit::Unavailable, "Not built yet."))
}
