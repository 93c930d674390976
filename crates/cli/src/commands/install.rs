//! `tollgate install`.

use crate::exit::{Exit, Fault};
use crate::ui::Ui;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this agent; without it, every agent that is found.
    #[arg(long, value_parser = ["claude", "codex"])]
    agent: Option<String>,
    /// In the project of the working directory instead of the home directory (Claude Code only).
    #[arg(long)]
    project: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Trust the hook in Codex without asking.
    #[arg(long)]
    trust: bool,
}

pub(crate) fn run(_args: &Args, _ui: &mut Ui) -> Result<Exit, Fault> {
    Err(Fault::new(Exit::Unavailable, "Not built yet."))
}
