//! `tollgate uninstall`.

use crate::exit::{Exit, Fault};
use crate::ui::Ui;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this agent; without it, every agent that it was installed for.
    #[arg(long, value_parser = ["claude", "codex"])]
    agent: Option<String>,
    /// In the project of the working directory instead of the home directory (Claude Code only).
    #[arg(long)]
    project: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(_args: &Args, _ui: &mut Ui) -> Result<Exit, Fault> {
    Err(Fault::new(Exit::Unavailable, "Not built yet."))
}
