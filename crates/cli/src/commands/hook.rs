//! `tollgate hook --agent NAME [--config DIR] [--state DIR] [--data DIR]`: what `tollgate-hook NAME` does.
//!
//! It is reached before the command line is read, because a usage fault of ours would let the call run.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::exit::{Exit, Fault};

/// Answers the question on standard input.
pub(crate) fn run(args: Vec<OsString>) -> ExitCode {
    hook::serve(reordered(args))
}

/// The agent's name first, as the hook program wants it. What is missing or unknown is for the hook to refuse.
fn reordered(mut args: Vec<OsString>) -> Vec<OsString> {
    let Some(at) = args.iter().position(|arg| arg == "--agent") else {
        args.insert(0, OsString::new());
        return args;
    };
    args.remove(at);
    let name = if at < args.len() {
        args.remove(at)
    } else {
        OsString::new()
    };
    args.insert(0, name);
    args
}

/// What clap shows in the help; it never reads the arguments.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Whose question it is.
    #[arg(long, value_name = "NAME")]
    agent: String,
    /// The folder of the settings.
    #[arg(long, value_name = "DIR")]
    config: Option<String>,
    /// The folder of the ledger.
    #[arg(long, value_name = "DIR")]
    state: Option<String>,
    /// The folder of the installed programs.
    #[arg(long, value_name = "DIR")]
    data: Option<String>,
}

/// Clap never hands the command on; if it did, a refusal is what is left.
pub(crate) fn unreachable(args: &Args) -> Fault {
    Fault::new(
        Exit::Waiting,
        format!("The question of {} was not answered.", args.agent),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_comes_first() {
        let order = |line: &str| {
            let args = reordered(line.split_whitespace().map(OsString::from).collect());
            args.iter()
                .map(|arg| arg.to_string_lossy().into_owned())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            order("--config /c --agent codex --state /s"),
            "codex --config /c --state /s"
        );
        assert_eq!(order("--agent"), "");
        assert_eq!(order("--state /s"), " --state /s");
    }
}
