//! `tollgate log`.

mod anchor;
mod export;
mod filter;
mod follow;
mod lines;
mod otlp;
mod prove;
mod search;
mod show;
mod stats;
mod verify;

use ledger::{Ledger, LedgerError};
use views::{ViewError, Views};

use crate::exit::{Exit, Fault, sentence};
use crate::setup::places;
use crate::ui::{self, Ui};

pub(crate) use verify::tell;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Shows what was decided.
    Show(show::Args),
    /// Shows what is decided from now on, until it is stopped.
    Follow(follow::Args),
    /// Looks for words in what was decided, the newest first.
    Search(search::Args),
    /// Counts what was decided: by day, verdict, agent and rule.
    Stats(stats::Args),
    /// Writes the records in a form that other programs read.
    Export(export::Args),
    /// Checks that nothing was changed.
    Verify(verify::Args),
    Anchor(anchor::Anchor),
    Prove(prove::Prove),
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let state = places::find()?.state;
    let ledger = Ledger::at(&state);
    let views = Views::new(&state, ledger.dir()).telling(ui::indexing);
    match &args.what {
        What::Show(args) => show::run(&views, args, ui),
        What::Follow(args) => follow::run(&views, args, ui),
        What::Search(args) => search::run(&views, args, ui),
        What::Stats(args) => stats::run(&views, args, ui),
        What::Export(args) => export::run(&views, args, ui),
        What::Verify(args) => verify::run(&ledger, args, ui),
        What::Anchor(args) => anchor::run(ledger.dir(), args, ui),
        What::Prove(args) => prove::run(ledger.dir(), args, ui),
    }
}

fn fault(error: &LedgerError, exit: Exit) -> Fault {
    Fault::new(exit, format!("The ledger cannot be used: {error}.")).hint(error.hint())
}

/// The fault of a command that reads the ledger.
pub(crate) fn unreadable(error: &LedgerError) -> Fault {
    fault(error, Exit::Io)
}

/// An age on the command line: a number and `s`, `m`, `h` or `d`.
pub(crate) fn age(text: &str) -> Result<std::time::Duration, String> {
    let wrong = || format!("`{text}` is no age; write `30m`, `12h` or `7d`");
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let seconds: u64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return Err(wrong()),
    };
    let number = text.strip_suffix(unit).unwrap_or_default();
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number
        .checked_mul(seconds)
        .map(std::time::Duration::from_secs)
        .ok_or_else(wrong)
}

/// The fault of a view.
fn unseen(error: &ViewError) -> Fault {
    Fault::new(Exit::Io, sentence(error)).hint(error.hint())
}
