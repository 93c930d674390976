//! What an answer is bound to. Together with the nonce and the end of the answer these are the twelve things of which none
//! may change between what a person saw and what happens.

use std::collections::BTreeSet;
use std::env;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use agents::Call;
use ledger::Record;
use policy::{Act, Answer, Judgement, Subject, Target, Verdict};
use serde::{Deserialize, Serialize};

use super::model::Scope;
use super::seal::Secret;
use crate::note::quoted;
use crate::world;

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
    /// Every script that was read; every file that it would read, send or run, with what stands in it; and where every path
    /// that it touches leads.
    pub uses: String,
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
        let uses = scripts.chain(uses(judgements));
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
            uses: digest("uses", &uses.collect::<Vec<_>>()),
            shown: digest("shown", &shown(call, judgements)),
        }
    }

    /// Whether people have set, and the program decides by, what an answer was bound to.
    pub(crate) fn is_by(&self, secret: &Secret, record: &Record) -> bool {
        self.policy == secret.digest("policy", std::slice::from_ref(&record.policy_digest))
            && self.rules == secret.digest("rules", &[record.rules_digest.clone(), record.version.clone()])
    }

    /// Whether an answer that was bound to `self` and reaches so far covers a call that is `now`.
    #[must_use]
    pub fn covers(&self, now: &Self, scope: Scope) -> bool {
        match scope {
            Scope::Once | Scope::Session => self == now,
            Scope::Rule => false,
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

/// Variables that steer what a command does.
fn environment() -> Vec<String> {
    let mut list: Vec<String> = env::vars_os()
        .filter_map(|(name, value)| {
            let name = name.to_string_lossy().into_owned();
            let value = || value.as_encoded_bytes().escape_ascii().to_string();
            policy::steers(&name).then(|| format!("{name}={}", value()))
        })
        .collect();
    list.sort();
    list
}

/// What the effects touch, as it is now. A file that is only written may change; where its path leads may not.
fn uses(judgements: &[Judgement]) -> Vec<String> {
    let effects = judgements.iter().flat_map(|judgement| &judgement.effects);
    let touched = effects.filter_map(|effect| match &effect.target {
        Target::Path(path) => Some((
            path.as_str(),
            !matches!(effect.act, Act::Write | Act::Delete | Act::Permit),
        )),
        _ => None,
    });
    let touched: BTreeSet<(&str, bool)> = touched.collect();
    touched
        .into_iter()
        .flat_map(|(path, consumed)| {
            let real = match world::follow(Path::new(path)) {
                Answer::Known(real) => real,
                // A pattern, or a place that cannot be looked at.
                _ => path.to_owned(),
            };
            let holds = if consumed {
                holds(Path::new(&real))
            } else {
                String::new()
            };
            [path.to_owned(), real, holds]
        })
        .collect()
}

/// What a file holds: its digest where it is short enough to be read, else what the system says of its last change.
fn holds(path: &Path) -> String {
    let stamp = || {
        let meta = path.metadata().ok().filter(|meta| !meta.is_dir())?;
        let changed = (meta.ctime(), meta.ctime_nsec());
        Some(format!("{}:{}:{}:{changed:?}", meta.dev(), meta.ino(), meta.len()))
    };
    match world::read(path) {
        Answer::Known(contents) if !contents.digest.is_empty() => contents.digest,
        Answer::Absent => "absent".into(),
        _ => stamp().unwrap_or_default(),
    }
}

fn repository(path: &str) -> Vec<String> {
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
