//! What is stored about one ask.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Bound;
use crate::moment::Moment;

/// How long an ask can be answered.
pub(super) const PENDING: Duration = Duration::from_secs(24 * 3600);
/// How long a yes for one call waits for that call.
const ONCE: Duration = Duration::from_secs(3600);
/// How long a yes for a session, and a no, hold, should the session last that long.
pub(super) const SESSION: Duration = Duration::from_secs(12 * 3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// The longest that a yes can be remembered (spec V-3303).
pub(super) const MOST_DAYS: u32 = 90;

/// Where an ask stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody answered yet.
    Pending,
    /// A person said yes.
    Approved,
    /// A person said no.
    Rejected,
    /// A person wants something else done.
    ChangesRequested,
    /// Nobody answered in time.
    Expired,
}

impl Status {
    /// The word used in every output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::ChangesRequested => "changes_requested",
            Self::Expired => "expired",
        }
    }
}

/// How far a yes reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This call, once.
    Once,
    /// The same call again in this session of this agent.
    Session,
    /// The same call again in this folder, for so many days, whichever session asks.
    Here {
        /// Days.
        days: u32,
    },
    /// By a rule that was written into a policy file. The answer itself covers nothing more.
    Rule,
}

impl Scope {
    /// The word used in every output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Here { .. } => "here",
            Self::Rule => "rule",
        }
    }

    pub(super) const fn lifetime(self) -> Duration {
        match self {
            Self::Once | Self::Rule => ONCE,
            Self::Session => SESSION,
            Self::Here { days } => DAY.saturating_mul(days),
        }
    }
}

/// What is asked, as it is shown to people. Redacted, without contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// Who asks.
    pub agent: String,
    /// The agent's process.
    pub pid: Option<u32>,
    /// The agent's process, as one among all that were and will be.
    pub process: String,
    /// The agent's session.
    pub session: String,
    /// The agent's id of the call.
    pub call: String,
    /// The working directory.
    pub cwd: String,
    /// Commands, paths, addresses: each with its kind.
    pub parts: Vec<(String, String)>,
    /// The rules that ask.
    pub rules: Vec<String>,
    /// How bad the worst of it is.
    pub risk: String,
    /// Permission classes of its effects.
    pub classes: Vec<String>,
    /// Files that it writes or deletes.
    pub files: Vec<String>,
    /// The reason, as the agent was told it.
    pub reason: String,
    /// Whether a yes may hold for longer than one call.
    pub remember: bool,
    /// True where the agent shows the question itself; else only an answer here lets the call pass.
    pub native: bool,
}

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resolution {
    /// When.
    pub at: Moment,
    /// By which way: the terminal's name.
    pub by: String,
    /// How far a yes reaches; absent for every other answer.
    pub scope: Option<Scope>,
    /// What the person wrote to it.
    pub note: String,
    /// What the person wants done instead.
    pub guidance: String,
}

/// One ask and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// The format.
    pub v: u32,
    /// Its name.
    pub id: String,
    /// Where it stands.
    pub status: Status,
    /// When it was first asked.
    pub created: Moment,
    /// When it was last asked.
    pub asked_at: Moment,
    /// How often it was asked.
    pub times: u32,
    /// What was asked.
    pub asked: Asked,
    /// What an answer is bound to.
    pub bound: Bound,
    /// What makes one answer different from all others.
    pub nonce: String,
    /// The answer.
    pub resolution: Option<Resolution>,
    /// When the one call that it covers passed.
    pub used: Option<Moment>,
    /// Signature over all of the above.
    pub mac: String,
}

impl Approval {
    /// Where it stands now: what nobody answered, or used, in time has expired.
    #[must_use]
    pub fn status(&self, now: &Moment, latest: u64) -> Status {
        let over = match (self.status, &self.resolution) {
            (Status::Pending, _) => now.is_over(&self.asked_at, PENDING, latest),
            (Status::Approved, Some(said)) => {
                let lifetime = said.scope.map_or(Duration::ZERO, Scope::lifetime);
                now.is_over(&said.at, lifetime, latest)
            }
            (Status::Approved, None) => true,
            _ => false,
        };
        if over { Status::Expired } else { self.status }
    }

    /// How far the yes reaches; `None` where there is none.
    #[must_use]
    pub fn scope(&self) -> Option<Scope> {
        self.resolution.as_ref().and_then(|said| said.scope)
    }
}

/// An answer that covers a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The approval's name.
    pub id: String,
    /// How far it reaches.
    pub scope: Scope,
}
