//! The command line. Every command is a file in `commands`; only `ui` prints; exit codes are in `exit`.

mod args;
mod commands;
mod exit;
mod setup;
mod ui;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Args, Command};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;

fn main() -> ExitCode {
    let mut ui = Ui::new();
    let exit = match Args::try_parse() {
        Ok(args) => run(args.command, &mut ui).unwrap_or_else(|fault| ui.fault(&fault)),
        Err(error) => args::usage(&error, &mut ui),
    };
    exit.into()
}

fn run(command: Command, ui: &mut Ui) -> Result<Exit, Fault> {
    match command {
        Command::Install(args) => commands::install::run(&args, ui),
        Command::Uninstall(args) => commands::uninstall::run(&args, ui),
        Command::Doctor(args) => commands::doctor::run(&args, ui),
    }
}
