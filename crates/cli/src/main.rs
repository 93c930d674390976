//! The command line. Every command is a file in `commands`; only `ui` prints; exit codes are in `exit`.

mod args;
mod commands;
mod exit;
mod import;
mod rules;
mod setup;
mod ui;
mod view;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Args, Command};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;

fn main() -> ExitCode {
    // Before anything else: a fault in reading the command line would let the agent's call run.
    let mut args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if args.first().is_some_and(|first| first == "hook") && args.get(1).is_none_or(|arg| arg != "--help") {
        return commands::hook::run(args.split_off(1));
    }
    let mut ui = Ui::new();
    let parsed = Args::try_parse().or_else(|error| args::word_by_word(&args).ok_or(error));
    let exit = match parsed {
        Ok(args) => run(args.command, &mut ui).unwrap_or_else(|fault| ui.fault(&fault)),
        Err(error) => args::usage(&error, &mut ui),
    };
    ui.end(exit).into()
}

fn run(command: Command, ui: &mut Ui) -> Result<Exit, Fault> {
    match command {
        Command::Check(args) => commands::check::run(&args, ui),
        Command::Explain(args) => commands::explain::run(&args, ui),
        Command::Rules(args) => commands::rules::run(&args, ui),
        Command::Policy(args) => commands::policy::run(&args, ui),
        Command::Config(args) => commands::config::run(&args, ui),
        Command::Approvals(args) => commands::approvals::run(&args, ui),
        Command::Status(args) => commands::status::run(&args, ui),
        Command::Trust(args) => commands::trust::run(&args, ui),
        Command::Undo(args) => commands::undo::run(&args, ui),
        Command::Snapshots(args) => commands::snapshots::run(&args, ui),
        Command::Unlock => commands::unlock::run(ui),
        Command::Schema(args) => commands::schema::run(&args, ui),
        Command::Learn(args) => commands::learn::run(&args, ui),
        Command::Log(args) => commands::log::run(&args, ui),
        Command::Demo => commands::demo::run(ui),
        Command::Hook(args) => Err(commands::hook::unreachable(&args)),
        Command::Init(args) => commands::init::run(&args, ui),
        Command::Import(args) => commands::import::run(&args, ui),
        Command::Install(args) => commands::install::run(&args, ui),
        Command::Uninstall(args) => commands::uninstall::run(&args, ui),
        Command::Doctor(args) => commands::doctor::run(&args, ui),
        Command::Rehearse(args) => commands::rehearse::run(&args, ui),
    }
}
