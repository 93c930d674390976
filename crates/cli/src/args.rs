//! What can be typed.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use crate::commands::{check, doctor, hook, install, log, uninstall};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;

/// The gate between coding agents and this machine.
#[derive(Parser)]
#[command(name = "tollgate", version, max_term_width = 100, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Says what would be decided about a command or a file, without running anything.
    Check(check::Args),
    /// Shows how a command is understood: its tree, what it starts, what that does, which rules match.
    Explain(check::Args),
    /// Shows and checks the ledger.
    Log(log::Args),
    /// Lets a scripted agent run against the gate in a throw-away home.
    Demo,
    /// Answers an agent's question on standard input.
    Hook(hook::Args),
    /// Puts the gate into an agent's settings.
    Install(install::Args),
    /// Takes the gate out of an agent's settings again.
    Uninstall(uninstall::Args),
    /// Checks whether the gate really stands between each agent and this machine.
    Doctor(doctor::Args),
}

/// Help and version are answers; everything else is a usage fault in one sentence with a hint.
pub(crate) fn usage(error: &clap::Error, ui: &mut Ui) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            ui.text(&error.render().to_string());
            Exit::Done
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let fault = Fault::new(Exit::Usage, "No command was given.");
            ui.fault(&fault.hint("`tollgate --help` lists the commands."))
        }
        _ => {
            // Who runs `log verify` in a script knows three exit codes; 125 says that nothing was checked.
            let verify = std::env::args_os()
                .skip(1)
                .take(2)
                .eq(["log", "verify"].map(OsString::from));
            let exit = if verify { Exit::Refused } else { Exit::Usage };
            let text = error.render().to_string();
            let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let sentence = lines.next().unwrap_or_default().trim_start_matches("error: ");
            let tip = lines
                .find_map(|line| line.strip_prefix("tip: "))
                .unwrap_or("`tollgate --help` says what can be given.");
            ui.fault(&Fault::new(exit, format!("{}.", capital(sentence))).hint(capital(tip)))
        }
    }
}

/// The sentence with a capital letter.
fn capital(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
