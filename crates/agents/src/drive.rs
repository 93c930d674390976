//! How a real client is run by a scripted model, from `rules/agents.toml`: what `doctor --live` and the suite `agents` start.

use alloc::string::String;
use alloc::vec::Vec;

use crate::Agent;
use crate::json::{self, quote};

/// How one client is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drive {
    /// Where the suite finds its program below `node_modules`.
    pub program: &'static str,
    /// Its packages, from which the version of an installed one is read.
    pub packages: &'static [&'static str],
    pub(crate) args: &'static [&'static str],
    pub(crate) before: &'static [&'static str],
    pub(crate) env: &'static [&'static str],
    pub(crate) files: &'static [(&'static str, &'static str)],
    /// Keys of its settings that are left out of a copy of them: they lead to another model, or start programs.
    pub drop: &'static [&'static str],
    pub(crate) shell: (&'static str, &'static str),
    pub(crate) write: (&'static str, &'static str),
    pub(crate) read: (&'static str, &'static str),
    /// Whether a stop ends the run.
    pub ends: bool,
}

/// Where a run happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run<'r> {
    /// The model's address, without a path.
    pub url: &'r str,
    /// The home directory.
    pub home: &'r str,
}

/// One call that a scripted model makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The tool.
    pub tool: String,
    /// Its input: a JSON object, or plain text for a tool that takes text.
    pub input: String,
}

impl Agent {
    /// What its hook is asked where its client cannot be run.
    #[must_use]
    pub const fn replay(self) -> Option<&'static Replay> {
        self.table().replay
    }

    /// How its real client is run; `None` where it cannot be run without its maker's servers.
    #[must_use]
    pub const fn drive(self) -> Option<&'static Drive> {
        self.table().drive
    }
}

/// What a client that cannot be run would ask its hook, and how it would take the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replay {
    pub(crate) question: &'static str,
    pub(crate) blocked: &'static [(&'static str, &'static str)],
}

impl Replay {
    /// The question about a command in a folder.
    #[must_use]
    pub fn question(&self, text: &str, folder: &str) -> String {
        let question = self.question.replace("{home}", &quote(folder));
        question.replace("{text}", &quote(text))
    }

    /// Whether the client would not make the call after this answer.
    #[must_use]
    pub fn is_blocked(&self, code: i32, stdout: &[u8]) -> bool {
        let answer = json::parse(stdout.trim_ascii()).ok();
        let field = |name: &str| answer.as_ref()?.get(name)?.as_str();
        self.blocked.iter().any(|(how, value)| match *how {
            "exit" => value.parse() == Ok(code),
            // An answer counts where the hook ended well.
            name => code == 0 && field(name) == Some(value),
        })
    }
}

impl Drive {
    /// The arguments.
    #[must_use]
    pub fn args(&self, run: Run<'_>) -> Vec<String> {
        filled(self.args, run)
    }

    /// The arguments of a run that comes before; empty where there is none.
    #[must_use]
    pub fn before(&self, run: Run<'_>) -> Vec<String> {
        filled(self.before, run)
    }

    /// The variables, with their values.
    #[must_use]
    pub fn env(&self, run: Run<'_>) -> Vec<(String, String)> {
        let pairs = filled(self.env, run).into_iter();
        pairs
            .filter_map(|pair| {
                pair.split_once('=')
                    .map(|(name, value)| (String::from(name), String::from(value)))
            })
            .collect()
    }

    /// Files below the home directory that have to be there, with their text.
    #[must_use]
    pub fn files(&self, run: Run<'_>) -> Vec<(&'static str, String)> {
        let texts = self.files.iter();
        texts.map(|(path, text)| (*path, run.fill(text))).collect()
    }

    /// A call that runs a command.
    #[must_use]
    pub fn shell(&self, text: &str) -> Step {
        step(self.shell, "", text)
    }

    /// A call that writes a file.
    #[must_use]
    pub fn write(&self, path: &str, text: &str) -> Step {
        step(self.write, path, text)
    }

    /// A call that reads a file.
    #[must_use]
    pub fn read(&self, path: &str) -> Step {
        step(self.read, path, "")
    }
}

impl Run<'_> {
    fn fill(self, text: &str) -> String {
        text.replace("{url}", self.url).replace("{home}", self.home)
    }
}

fn filled(texts: &[&str], run: Run<'_>) -> Vec<String> {
    texts.iter().map(|text| run.fill(text)).collect()
}

/// The input with path and text in their places: as JSON strings where it is JSON.
fn step((tool, input): (&str, &str), path: &str, text: &str) -> Step {
    let word = |word: &str| {
        if input.starts_with('{') {
            quote(word)
        } else {
            String::from(word)
        }
    };
    // The text last: what it holds is no place of anything.
    Step {
        tool: String::from(tool),
        input: input.replace("{path}", &word(path)).replace("{text}", &word(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, read};

    const RUN: Run<'_> = Run {
        url: "http://127.0.0.1:1",
        home: "/h",
    };

    #[test]
    fn f_2604_every_client_that_is_driven_says_how() {
        for agent in Agent::ALL {
            assert_eq!(agent.drive().is_some(), agent.is_driven(), "{}", agent.as_str());
            assert_eq!(agent.replay().is_none(), agent.is_driven(), "{}", agent.as_str());
        }
    }

    #[test]
    fn what_is_replayed_is_a_question_and_a_refusal_of_it_is_understood() {
        for agent in Agent::ALL {
            let Some(replay) = agent.replay() else { continue };
            let call = read(agent, replay.question("ls \"x\"", "/h").as_bytes()).unwrap();
            assert!(call.is_question() && call.requests.len() == 1, "{}", agent.as_str());
            let no = crate::refuse(agent, "no");
            assert!(replay.is_blocked(no.code.into(), &no.stdout), "{}", agent.as_str());
            let yes = crate::pass(agent);
            assert!(!replay.is_blocked(yes.code.into(), &yes.stdout), "{}", agent.as_str());
        }
    }

    #[test]
    fn nothing_is_left_to_be_filled_in() {
        for drive in Agent::ALL.into_iter().filter_map(Agent::drive) {
            let mut texts = drive.args(RUN);
            texts.extend(drive.before(RUN));
            texts.extend(drive.env(RUN).into_iter().map(|(_, value)| value));
            texts.extend(drive.files(RUN).into_iter().map(|(_, text)| text));
            for text in texts {
                assert!(!text.contains("{url}") && !text.contains("{home}"), "{text}");
            }
            assert_eq!(drive.env(RUN).len(), drive.env.len());
        }
    }

    #[test]
    fn inputs_are_json_whatever_stands_in_them() {
        let odd = "a \"b\" \\ {path}\n{text}";
        for drive in Agent::ALL.into_iter().filter_map(Agent::drive) {
            for step in [drive.shell(odd), drive.write("/h/a b", odd), drive.read("/h/a b")] {
                if step.input.starts_with('{') {
                    json::parse(step.input.as_bytes()).unwrap();
                }
            }
        }
        // What the model calls is what the hook is asked about.
        let step = Agent::Claude.drive().unwrap().shell("rm -rf x");
        let question = alloc::format!(
            r#"{{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/h","tool_name":"{}","tool_input":{}}}"#,
            step.tool,
            step.input
        );
        let Call { requests, .. } = read(Agent::Claude, question.as_bytes()).unwrap();
        assert_eq!(requests.len(), 1);
    }
}
