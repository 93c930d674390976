//! What can be typed.

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use crate::commands::{doctor, install, uninstall};
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
            let text = error.render().to_string();
            let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let sentence = lines.next().unwrap_or_default().trim_start_matches("error: ");
            let tip = lines
                .find_map(|line| line.strip_prefix("tip: "))
                .unwrap_or("`tollgate --help` says what can be given.");
            ui.fault(&Fault::new(Exit::Usage, format!("{}.", capital(sentence))).hint(capital(tip)))
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
