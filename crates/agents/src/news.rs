//! What an agent tells without a question: what a call came to, that a session began, what a person asked for.

use alloc::string::String;
use alloc::vec::Vec;

use policy::{Kind, Request, Subject};

use crate::codecs::{Asked, object};
use crate::json::Json;
use crate::{Agent, Call, Refusal, Reply};

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A call was made.
    After,
    /// A call was made and failed.
    Failed,
    /// A session began, or goes on.
    Start,
    /// A person said what they want.
    Prompt,
    /// The model has finished.
    Stop,
    /// Settings changed. It waits for an opinion: whether the change shall count.
    Change,
}

/// What was told. Texts are for digests: nobody stores them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// What it is about.
    pub role: Role,
    /// Whether the call failed, as far as it is told.
    pub failed: bool,
    /// The exit code of a command, where it is told.
    pub exit: Option<i64>,
    /// How long the call took, in milliseconds, where it is told.
    pub ms: Option<u64>,
    /// What came out, or what the person said.
    pub text: String,
}

impl Agent {
    /// The events that the hook is installed for beside its questions.
    pub fn hears(self) -> impl Iterator<Item = &'static str> {
        self.table().hears.iter().map(|(event, _)| *event)
    }

    /// What an event is about; `None` where nobody asked to be told.
    #[must_use]
    pub fn role(self, event: &str) -> Option<Role> {
        let mut heard = self.table().hears.iter();
        heard.find(|(name, _)| *name == event).map(|(_, role)| *role)
    }

    /// Variables that lead the agent to a model which is not its maker's, each with the host that it names.
    pub fn led_elsewhere(self, variable: impl Fn(&str) -> Option<String>) -> Vec<(&'static str, String)> {
        let rows = self.table().urls.iter();
        rows.filter_map(|row| {
            let (name, hosts) = row.split_once(' ').unwrap_or((row, ""));
            let value = variable(name).filter(|value| !value.trim().is_empty())?;
            let host = host(&value);
            let is_its_own =
                |own: &str| host == own || host.strip_suffix(own).is_some_and(|below| below.ends_with('.'));
            (!hosts.split(' ').filter(|own| !own.is_empty()).any(is_its_own)).then_some((name, host))
        })
        .collect()
    }
}

/// The host that an address names, in small letters.
fn host(url: &str) -> String {
    let behind = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = behind.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    host.trim().to_ascii_lowercase()
}

/// Fills in what only news has.
pub(crate) fn tell(call: &mut Call, asked: &Asked) -> Result<(), Refusal> {
    let Some(role) = call.agent.role(&call.event) else {
        return Ok(());
    };
    let result = asked.result.as_ref();
    let text = match (role, result) {
        (Role::Prompt, _) => asked.words.clone(),
        (_, Some(Json::String(text))) => text.clone(),
        (_, Some(result)) => result.text(),
        (_, None) => asked.error.clone(),
    };
    if matches!(role, Role::After | Role::Failed) {
        call.tool = crate::call::clean("the tool's name", asked.tool.clone())?;
        call.input_digest_source = asked.input.as_ref().map(Json::text).unwrap_or_default();
    }
    if role == Role::Change && !asked.words.is_empty() {
        call.tool = String::from("settings");
        call.requests = alloc::vec![Request {
            kind: Kind::FileWrite,
            subject: Subject::File {
                path: crate::call::clean("the path", asked.words.clone())?,
                content: None,
                delete: false,
            },
            cwd: call.cwd.clone(),
        }];
    }
    let is_command = call.agent.table().runs_commands(&call.tool);
    call.news = Some(News {
        role,
        failed: role == Role::Failed || !asked.error.is_empty(),
        exit: result
            .and_then(exit_field)
            .or_else(|| is_command.then(|| exit_said(&text)).flatten()),
        ms: asked.ms,
        text,
    });
    Ok(())
}

/// An exit code that stands in a field of its own.
fn exit_field(result: &Json) -> Option<i64> {
    let number = |object: &Json| {
        ["exit", "exitCode", "exit_code"]
            .into_iter()
            .find_map(|name| object.get(name)?.text().parse().ok())
    };
    number(result).or_else(|| number(result.get("metadata")?))
}

/// An exit code that the client wrote around the output: in front of it or behind it, never within.
fn exit_said(text: &str) -> Option<i64> {
    const WORDS: &str = "exit code";
    let text = text.trim().to_ascii_lowercase();
    let number = |behind: &str| {
        let digits = behind.trim_start_matches([':', ' ']);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits.get(..end)?.parse().ok()
    };
    if let Some(behind) = text.strip_prefix(WORDS) {
        return number(behind);
    }
    let last = text.lines().rev().take(3).find(|line| line.contains(WORDS))?;
    number(last.rsplit_once(WORDS)?.1)
}

/// The answer to the start of a session: a line for the person, where the agent shows one.
#[must_use]
pub fn greet(agent: Agent, line: &str) -> Reply {
    match agent.table().says {
        "" => crate::pass(agent),
        field => object(&[(field, line)]),
    }
}

/// The answer that what was changed shall not count.
pub(crate) fn keep_out(reason: &str) -> Reply {
    object(&[("decision", "block"), ("reason", reason)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_host_is_told_apart_from_the_makers() {
        let led = |agent: Agent, name: &str, url: &str| {
            agent
                .led_elsewhere(|asked| (asked == name).then(|| String::from(url)))
                .into_iter()
                .map(|(_, host)| host)
                .next()
        };
        let claude = |url: &str| led(Agent::Claude, "ANTHROPIC_BASE_URL", url);
        for own in [
            "https://api.anthropic.com",
            "https://API.anthropic.com:443/v1",
            "https://eu.api.anthropic.com/",
            "",
        ] {
            assert_eq!(claude(own), None, "{own}");
        }
        for (url, host) in [
            ("http://127.0.0.1:8080/v1", "127.0.0.1"),
            (
                "https://api.anthropic.com.evil.example/",
                "api.anthropic.com.evil.example",
            ),
            ("https://api.anthropic.com@evil.example/", "evil.example"),
            ("https://evilapi.anthropic.com.x", "evilapi.anthropic.com.x"),
            ("https://xapi.anthropic.com", "xapi.anthropic.com"),
            ("http://[::1]:1/", "::1"),
        ] {
            assert_eq!(claude(url).as_deref(), Some(host), "{url}");
        }
        assert!(led(Agent::Copilot, "COPILOT_PROVIDER_BASE_URL", "https://x.example").is_some());
    }

    #[test]
    fn an_exit_code_is_read_where_the_client_writes_it() {
        assert_eq!(exit_said("Exit code 3\nsecret"), Some(3));
        assert_eq!(exit_said("out\n<shellId: 0 completed with exit code 0>"), Some(0));
        assert_eq!(exit_said("Output: x\nExit Code: 4\nSignal: (none)"), Some(4));
        assert_eq!(exit_said("exit code 9 in the middle? no\nx"), Some(9));
        assert_eq!(exit_said("a\nit says exit code 7\nb\nc\nd"), None);
        assert_eq!(exit_said("nothing"), None);
    }
}
