//! `tollgate rules`.

mod check;
mod list;
mod show;
mod words;

use crate::exit::{Exit, Fault};
use crate::ui::Ui;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Lists the programs that are known and the rules about what they do.
    List(list::Args),
    /// Says in words what is known about a program, or what a rule is about.
    Show(show::Args),
    /// Checks rule files of your own: their notation, and their examples.
    Check(check::Args),
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    match &args.what {
        What::List(args) => list::run(args, ui),
        What::Show(args) => show::run(args, ui),
        What::Check(args) => check::run(args, ui),
    }
}
