//! What an answer is bound to. Together with the nonce and the end of the answer these are the twelve things of which none
//! may change between what a person saw and what happens.

use std::env;
use std::path::Path;

use agents::Call;
use ledger::Record;
use policy::{Judgement, Subject, Verdict};
use serde::{Deserialize, Serialize};

use super::model::Scope;
use super::seal::Secret;
use crate::note::quoted;

/// Digests with the secret of this installation, so that nobody can guess from them what they stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// Every byte of what is wanted: commands, paths, contents, addresses, arguments of tools. What an agent says about it
    /// (descriptions, timeouts) is no part of it.
    pub request: String,
    /// The working directory: its path, device and inode.
    pub cwd: String,
    /// Variables that can change what a command means.
    pub environment: String,
    /// The repository: its path, and what the path stands for.
    pub repository: String,
    /// The agent's session.
    pub session: String,
    /// The agent's process: name, id, start, boot.
    pub agent: String,
    /// What people have set.
    pub policy: String,
    /// The built-in rules and the program's version.
    pub rules: String,
    /// Path and content of every script that was read.
    pub scripts: String,
    /// What was shown: rules, the words that they are about, what would be lost.
    pub shown: String,
}

impl Bound {
    /// What a call is, at this moment.
    pub(crate) fn of(secret: &Secret, call: &Call, judgements: &[Judgement], record: &Record) -> Self {
        let digest = |name: &str, parts: &[String]| secret.digest(name, parts);
        let inode = |dev: Option<u64>, ino: Option<u64>| format!("{dev:?}:{ino:?}");
        let cwd = record.cwd.clone().unwrap_or_default();
        let agent = record.agent.clone().unwrap_or_default();
        let scripts = record.scripts.iter().flat_map(|s| [s.path.clone(), s.sha256.clone()]);
        Self {
            request: digest("request", &wanted(call)),
            cwd: digest("cwd", &[call.cwd.clone(), inode(cwd.dev, cwd.ino)]),
            environment: digest("environment", &environment()),
            repository: digest("repository", &repository(&record.repository)),
            session: digest("session", std::slice::from_ref(&call.session)),
            agent: digest(
                "agent",
                &[
                    agent.name,
                    format!("{:?}:{:?}", agent.pid, agent.start_ticks),
                    agent.boot_id,
                ],
            ),
            policy: digest("policy", std::slice::from_ref(&record.policy_digest)),
            rules: digest("rules", &[record.rules_digest.clone(), record.version.clone()]),
            scripts: digest("scripts", &scripts.collect::<Vec<_>>()),
            shown: digest("shown", &shown(call, judgements)),
        }
    }

    /// Whether an answer that was bound to `self` and reaches so far covers a call that is `now`.
    #[must_use]
    pub fn covers(&self, now: &Self, scope: Scope) -> bool {
        match scope {
            Scope::Once | Scope::Session => self == now,
            // Whichever session of whichever process asks.
            Scope::Here { .. } => {
                let now = Self {
                    session: self.session.clone(),
                    agent: self.agent.clone(),
                    ..now.clone()
                };
                *self == now
            }
        }
    }
}

/// Everything that is wanted, with its kind.
fn wanted(call: &Call) -> Vec<String> {
    let parts = call.requests.iter().flat_map(|request| {
        let (what, text, more) = match &request.subject {
            Subject::Command(text) => ("command", text, String::new()),
            Subject::File { path, delete, content } => (
                if *delete { "delete" } else { "file" },
                path,
                content.as_ref().map_or_else(String::new, |text| format!("={text}")),
            ),
            Subject::Url(url) => ("url", url, String::new()),
            Subject::Tool { name, input } => ("tool", name, input.clone()),
        };
        [request.kind.as_str(), what, &request.cwd, text, &more].map(str::to_owned)
    });
    [call.tool.clone()].into_iter().chain(parts).collect()
}

/// Variables that steer what a command does, and where a home is.
fn environment() -> Vec<String> {
    let mut list: Vec<String> = env::vars_os()
        .filter_map(|(name, value)| {
            let name = name.to_string_lossy().into_owned();
            let value = || value.as_encoded_bytes().escape_ascii().to_string();
            (policy::steers(&name) || matches!(name.as_str(), "HOME" | "SHELL" | "USER" | "IFS"))
                .then(|| format!("{name}={}", value()))
        })
        .collect();
    list.sort();
    list
}

fn repository(path: &str) -> Vec<String> {
    use std::os::unix::fs::MetadataExt as _;
    let meta = (!path.is_empty())
        .then(|| Path::new(path).join(".git").metadata().ok())
        .flatten();
    vec![path.to_owned(), format!("{:?}", meta.map(|m| (m.dev(), m.ino())))]
}

fn shown(call: &Call, judgements: &[Judgement]) -> Vec<String> {
    let findings = call
        .requests
        .iter()
        .zip(judgements)
        .flat_map(|(request, judgement)| judgement.findings.iter().map(move |finding| (request, finding)));
    findings
        .filter(|(_, finding)| finding.verdict >= Verdict::Ask)
        .flat_map(|(request, finding)| {
            [
                finding.rule.clone(),
                finding.verdict.as_str().to_owned(),
                quoted(request, finding).unwrap_or_default().to_owned(),
                finding.lost.clone(),
                finding.chain.join(" -> "),
            ]
        })
        .collect()
}
