//! What is written down: the fields of a record of format 1.
//!
//! A field that does not apply is absent. Readers keep fields that they do not know, so a later version may add some
//! without a new format number.

use serde::{Deserialize, Serialize};

use crate::hash::Hash;
use crate::stamp::Stamp;

/// The format number of every record that this version writes.
pub const FORMAT: u32 = 1;

/// What happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A request was judged and decided.
    #[default]
    Decision,
    /// A question could not be read and was refused.
    Malformed,
    /// A program of our own was cleared to start.
    Start,
    /// A person answered an ask, or took an answer back.
    Approval,
    /// An agent tried what only a person may do, and was refused.
    Attempt,
    /// Too much was refused in a short time: the agent may only read for a while.
    Locked,
    /// A person ended such a time.
    Unlocked,
    /// Somebody changed the settings: which key, from what, to what.
    Config,
    /// A person trusted a repository for what its files say, or took that back.
    Trust,
    /// What a call had taken away was brought back, or snapshots were taken away.
    Undo,
    /// The real client of an agent was stopped by the hook.
    Proof,
    /// What a call came to, as the agent tells it.
    Evidence,
    /// An agent told something: that a session began, what a person asked for, that the model has finished.
    News,
    /// A supervised run's own ledger had this end: `run` and `chain` say which.
    RunHead,
    /// The disk is full: the request named here was refused, and this line took the place that was kept for it.
    Full,
    /// A flush failed: what the segment before holds may not be on the disk.
    Suspect,
    /// Acknowledged records at the end are gone. A loss of power can do that to what was not flushed.
    Lost,
    /// The remains of a broken append were set aside, or complete records that the head did not count were taken in.
    Recovered,
    /// The stored bytes were not those that had been written. The chain goes on from what had been acknowledged, so
    /// that every later verification names the place.
    Broken,
    /// Records were there and no head file that could be read. A crash does not do that, and without a head nobody can
    /// say whether records were removed from the end.
    Unvouched,
}

/// One record without what only the writer can know (sequence number, time, chain).
#[derive(Clone, Debug, Default, Serialize)]
pub struct Record {
    /// What happened.
    pub kind: Event,
    /// Who asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// The agent's session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The supervised run, where there is one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// The agent's own id of the call.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// What was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<Request>,
    /// What carrying it out would do, one line each, names and no contents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<String>,
    /// The permission classes of what it would do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// The rules that matched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// The verdict.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub verdict: String,
    /// How the judgement became a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// Digest of the settings in force.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub policy_digest: String,
    /// Digest of the built-in rules.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rules_digest: String,
    /// The version of the program that decided.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// Where it would have happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<Cwd>,
    /// The working tree that holds the working directory.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub repository: String,
    /// What the judgement asked of the world, and the answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<Look>,
    /// Scripts that were read to judge.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<Script>,
    /// The snapshot that was taken before.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub snapshot: String,
    /// The record that holds what then happened.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub evidence: String,
    /// What the call came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// A sentence for people, on the records that need one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The end of a run's own ledger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<ChainEnd>,
    /// On records about the ledger itself: the segment key's signature.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signature: String,
}

/// What a call came to, as the agent tells it; never what came out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// True when it failed.
    pub failed: bool,
    /// The exit code of a command, where the agent tells one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i64>,
    /// How long it took, in milliseconds, where the agent tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// The length of what came out, as the agent told it.
    pub bytes: u64,
    /// SHA-256 of the same.
    pub sha256: String,
}

/// Where a ledger ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainEnd {
    /// The number of its last record.
    pub seq: u64,
    /// That record's hash.
    pub head: String,
}

/// The text that is signed on a record about the ledger itself.
pub(crate) fn signed_text(kind: &str, seq: u64, prev: &Hash, note: &str) -> String {
    let note = Hash::of(note.as_bytes());
    format!("tollgate-note 1\nkind={kind}\nseq={seq}\nprev={prev}\nnote={note}\n")
}

impl Event {
    /// The word in the record.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Malformed => "malformed",
            Self::Start => "start",
            Self::Approval => "approval",
            Self::Attempt => "attempt",
            Self::Locked => "locked",
            Self::Unlocked => "unlocked",
            Self::Config => "config",
            Self::Trust => "trust",
            Self::Undo => "undo",
            Self::Proof => "proof",
            Self::Evidence => "evidence",
            Self::News => "news",
            Self::RunHead => "run_head",
            Self::Full => "full",
            Self::Suspect => "suspect",
            Self::Lost => "lost",
            Self::Recovered => "recovered",
            Self::Broken => "broken",
            Self::Unvouched => "unvouched",
        }
    }

    /// The kinds that are about the ledger itself, and therefore signed by the key of the segment.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(
            self,
            Self::Recovered | Self::Lost | Self::Broken | Self::Unvouched | Self::Suspect
        )
    }
}

impl Record {
    /// Whether the record has to reach the disk before it counts. What was let through may be lost with the machine's
    /// last moments; a refusal, an ask or a repair may not.
    #[must_use]
    pub fn must_reach_disk(&self) -> bool {
        !matches!(
            (self.kind, self.verdict.as_str()),
            (Event::Decision, "allow" | "warn") | (Event::Evidence | Event::News, _)
        )
    }
}

/// The identity of the process that asked. A process id alone is used again; with its start and the boot it is unique.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Agent {
    /// The agent's name.
    pub name: String,
    /// Process id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Start of the process in clock ticks since boot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_ticks: Option<u64>,
    /// The boot that the ticks count from.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub boot_id: String,
    /// The namespace that the process id counts in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pid_ns: String,
    /// The version that the agent claims.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
}

/// What was asked, without secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Request {
    /// SHA-256 of the agent's whole input, before anything was redacted.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The agent's checkpoint.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub event: String,
    /// The tool as the agent names it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// The parts; most calls have one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

/// One thing that a call wants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The kind of request.
    pub kind: String,
    /// The command, path or name: redacted, and cut when very long.
    pub text: String,
    /// Length of the whole text in bytes where it was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// SHA-256 of contents that are not stored.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub content: String,
}

/// One rule that matched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule's id.
    pub rule: String,
    /// Its verdict.
    pub verdict: String,
    /// How bad it is.
    pub risk: String,
    /// Which part of the request, counted from 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub part: usize,
    /// Bytes of the unredacted text that made it match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<(u32, u32)>,
    /// The same, as redacted text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What would be lost.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub lost: String,
    /// How the matching part was reached, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// How the judgement became a decision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// The posture in force.
    pub posture: String,
    /// The agent's own permission mode.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mode: String,
    /// Why the settings, or the policy files of the project, could not be read, where they could not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub broken: String,
    /// The approval that was asked for, or that covered it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub approval: String,
    /// How far the approval that covered it reaches (`once`, `session`, `here`); absent where nothing covered it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub granted: String,
    /// The built-in rules that an exception of a policy file silenced.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub exception: String,
    /// The remembered approval that covered it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cache_hit: String,
    /// True when nobody has said what the tool does.
    #[serde(skip_serializing_if = "is_false")]
    pub unknown_tool: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_false(b: &bool) -> bool {
    !*b
}

/// The working directory: its name, and what the name stood for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cwd {
    /// As the agent gave it.
    pub path: String,
    /// Device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dev: Option<u64>,
    /// Inode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ino: Option<u64>,
}

/// One question to the world and its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Look {
    /// The path or variable.
    pub subject: String,
    /// What was looked at.
    pub question: String,
    /// The answer.
    pub answer: String,
}

/// A script that was read to judge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Script {
    /// Its path.
    pub path: String,
    /// SHA-256 of what was read.
    pub sha256: String,
}

/// The stored form: the writer's fields, then the record's own.
#[derive(Serialize)]
struct Stored<'a> {
    format: u32,
    seq: u64,
    prev: String,
    time: &'a str,
    mono_ns: u64,
    boot_id: &'a str,
    #[serde(skip_serializing_if = "is_false")]
    clock_back: bool,
    #[serde(flatten)]
    record: &'a Record,
}

/// The line to store, with its newline.
pub(crate) fn line(record: &Record, stamp: &Stamp, seq: u64, prev: &Hash) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(&Stored {
        format: FORMAT,
        seq,
        prev: prev.hex(),
        time: &stamp.time,
        mono_ns: stamp.mono_ns,
        boot_id: &stamp.boot_id,
        clock_back: stamp.clock_back,
        record,
    })?;
    line.push(b'\n');
    Ok(line)
}
