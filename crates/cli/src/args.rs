//! What can be typed.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand};

use crate::commands::{
    approvals, check, config, doctor, hook, import, init, install, learn, log, policy, rehearse, rules, schema,
    snapshots, status, trust, undo, uninstall,
};
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
    /// Lists, shows and checks the rules: the built-in ones and your own.
    Rules(rules::Args),
    /// Lists, checks and tries the policy files: yours, the machine's and the project's.
    Policy(policy::Args),
    /// Says in a few lines how far each agent is covered, what is set and what waits.
    Status(status::Args),
    /// Reads, checks and changes the settings of `config.toml`.
    Config(config::Args),
    /// Shows what waits for a person, and takes the answers.
    Approvals(approvals::Args),
    /// Lets this repository's own files loosen too, for exactly what they say now.
    Trust(trust::Args),
    /// Brings back what a call took away, from the snapshot that was taken before it.
    Undo(undo::Args),
    /// Lists, shows and compares the snapshots.
    Snapshots(snapshots::Args),
    /// Ends the time in which an agent that was refused too often may only read.
    Unlock,
    /// Prints the JSON Schema of files that people write.
    Schema(schema::Args),
    /// Proposes rules that would spare you questions which come again and again.
    Learn(learn::Args),
    /// Shows and checks the ledger.
    Log(log::Args),
    /// Lets a scripted agent run against the gate in a throw-away home.
    Demo,
    /// Answers an agent's question on standard input.
    Hook(hook::Args),
    /// Sets Tollgate up: settings, a policy file to begin with, and the agents that are found.
    Init(init::Args),
    /// Takes rules over from the settings of another program, and says what has no equal.
    Import(import::Args),
    /// Puts the gate into an agent's settings.
    Install(install::Args),
    /// Takes the gate out of an agent's settings again.
    Uninstall(uninstall::Args),
    /// Checks whether the gate really stands between each agent and this machine.
    Doctor(doctor::Args),
    /// Runs an agent's client for `doctor --live`.
    #[command(hide = true)]
    Rehearse(rehearse::Args),
}

/// `check ls -la`, read as `check -- ls -la`: only where no word behind the command could be meant for `check` itself.
pub(crate) fn word_by_word(args: &[OsString]) -> Option<Args> {
    const OWN: [&str; 6] = ["--write", "--read", "--cwd", "--agent", "--posture", "--json"];
    let (group, rest) = args.split_first()?;
    let first = rest.first()?.to_str()?;
    if !(group == "check" || group == "explain") || first.starts_with('-') || first.contains(char::is_whitespace) {
        return None;
    }
    let own = |word: &OsString| {
        let word = word.to_string_lossy();
        let name = word.split('=').next().unwrap_or_default();
        matches!(name, "--" | "--help" | "-h") || OWN.contains(&name)
    };
    if rest.iter().any(own) {
        return None;
    }
    let program = ["tollgate".into(), group.clone(), "--".into()];
    Args::try_parse_from(program.into_iter().chain(rest.iter().cloned())).ok()
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
            ui.fault(&fault.hint(format!("`{} --help` lists the commands.", group(error))))
        }
        _ => {
            // Who runs `log verify` in a script knows three exit codes; 125 says that nothing was checked.
            let verify = std::env::args_os()
                .skip(1)
                .take(2)
                .eq(["log", "verify"].map(OsString::from));
            let exit = if verify { Exit::Refused } else { Exit::Usage };
            let (sentence, hint) = in_words(error);
            ui.fault(&Fault::new(exit, capital(&sentence)).hint(capital(&hint)))
        }
    }
}

/// The command of which a part is missing, as its usage names it.
fn group(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let usage = text.lines().find_map(|line| line.strip_prefix("Usage: "));
    let words = usage.unwrap_or("tollgate").split(' ');
    let names: Vec<&str> = words.take_while(|word| !word.starts_with(['<', '['])).collect();
    names.join(" ")
}

/// What is wrong with the command line, one sentence that names it, and what to do about it.
fn in_words(error: &clap::Error) -> (String, String) {
    let text = error.render().to_string();
    let lines = || text.lines().map(str::trim);
    let tip = lines().find_map(|line| line.strip_prefix("tip: ")).map(str::to_owned);
    let hint = |otherwise: &str| {
        tip.as_ref()
            .map_or_else(|| otherwise.to_owned(), |tip| format!("{tip}."))
    };
    let named = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(name)) => Some(name.as_str()),
        _ => None,
    };
    match (error.kind(), named) {
        (ErrorKind::UnknownArgument, Some(flag)) if flag.starts_with('-') => (
            format!("There is no flag `{flag}`."),
            hint("`--help` behind the command says what can be given."),
        ),
        (ErrorKind::UnknownArgument, Some(word)) => (
            format!("`{word}` is one word too many."),
            hint("What holds blanks stands in quotes, as one word: `tollgate check 'git status'`."),
        ),
        _ => {
            // Names stand on lines of their own below the first one, up to an empty line.
            let paragraph: Vec<&str> = lines()
                .skip_while(|line| line.is_empty())
                .take_while(|line| !line.is_empty())
                .collect();
            let (first, names) = paragraph.split_first().unwrap_or((&"", &[]));
            let sentence = [
                first.trim_start_matches("error: ").trim_end_matches('.'),
                &names.join(", "),
            ];
            (
                format!("{}.", sentence.join(" ").trim()),
                hint("`--help` behind the command says what can be given."),
            )
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
