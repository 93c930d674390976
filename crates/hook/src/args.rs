//! The hook's command line: `tollgate-hook AGENT [--config DIR] [--state DIR] [--data DIR] [--news]`, or `tollgate-hook AGENT --everybody [--news]`.

use std::ffi::OsString;
use std::path::PathBuf;

use agents::Agent;
use broker::Given;

/// What was asked for.
#[derive(Clone, Debug)]
pub struct Args {
    /// Whose question it is.
    pub agent: Agent,
    /// The places.
    pub given: Given,
    /// The agent asks nothing: what cannot be read or recorded is let go.
    pub news: bool,
}

/// Reads the arguments after the program's name.
///
/// # Errors
/// The agent, as far as it is known, and what is wrong: the call has to be refused in that agent's protocol.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Args, (Option<Agent>, String)> {
    let mut args = args.into_iter();
    let name = args.next().unwrap_or_default();
    let Some(agent) = name.to_str().and_then(Agent::parse) else {
        return Err((None, format!("there is no agent `{}`", name.to_string_lossy())));
    };
    let mut given = Given::default();
    let mut news = false;
    while let Some(arg) = args.next() {
        if arg == agents::NEWS {
            news = true;
            continue;
        }
        if arg == agents::EVERYBODY {
            given = Given::of_this_user().ok_or_else(|| {
                (
                    Some(agent),
                    "the machine's list of users names no home for this one".to_owned(),
                )
            })?;
            continue;
        }
        let place = match arg.to_str() {
            Some("--config") => &mut given.config,
            Some("--state") => &mut given.state,
            Some("--data") => &mut given.data,
            _ => {
                return Err((
                    Some(agent),
                    format!("`{}` is no option of the hook", arg.to_string_lossy()),
                ));
            }
        };
        let Some(value) = args.next() else {
            return Err((Some(agent), format!("`{}` names no folder", arg.to_string_lossy())));
        };
        if place.replace(PathBuf::from(value)).is_some() {
            return Err((Some(agent), format!("`{}` is given twice", arg.to_string_lossy())));
        }
    }
    Ok(Args { agent, given, news })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Args, (Option<Agent>, String)> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn places_are_read_and_nothing_else() {
        let args = read("codex --config /c --state /s").unwrap();
        assert_eq!(args.agent, Agent::Codex);
        assert_eq!(args.given.config, Some("/c".into()));
        assert_eq!(args.given.data, None);
        assert_eq!(
            read("claude --everybody").unwrap().given.config,
            Given::of_this_user().unwrap().config
        );
        assert!(read("claude --everybody --config /c").is_err());
        assert!(!args.news && read("codex --state /s --news --data /d").unwrap().news);
        for (line, agent) in [
            ("", None),
            ("aider", None),
            ("--config /c claude", None),
            ("claude --config", Some(Agent::Claude)),
            ("claude --off", Some(Agent::Claude)),
            ("claude extra", Some(Agent::Claude)),
            ("codex --state /a --state /b", Some(Agent::Codex)),
        ] {
            assert_eq!(read(line).unwrap_err().0, agent, "{line}");
        }
    }
}
