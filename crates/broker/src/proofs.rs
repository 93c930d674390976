//! Proofs that an agent was stopped on this machine: what `doctor --live` saw, kept for as long as nothing changes.
//!
//! A proof is made from the ledger alone: it names the record in which the installed hook, asked by that agent after the
//! start of the real client, refused the one command that no setting lets through. It is sealed with the machine's secret.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use agents::Agent;
use ledger::Event;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answers::Refused;
use crate::approvals::{Secret, StoreError};
use crate::decide::Broker;
use crate::error::Error;
use crate::moment::Moment;
use crate::people;
use crate::secret::machine_secret;
use crate::{files, note};

/// The folder's name in the state folder.
const FOLDER: &str = "proofs";
/// The format of what is stored.
const FORMAT: u32 = 1;
/// The rule that refuses the canary; it lasts whatever anybody sets.
const RULE: &str = "tollgate_self_command";

/// What was proved, and with what: any of it that changes ends the proof.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The client's program, with links followed.
    pub program: PathBuf,
    /// Its length and the time of its last change, in seconds and nanoseconds.
    pub stamp: (u64, i64, i64),
    /// The client's version.
    pub version: String,
    /// The digest of the entry in its settings and of the hook program that it names.
    pub hook: String,
}

/// A proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    v: u32,
    agent: String,
    /// What was proved.
    pub subject: Subject,
    /// Whether the client had a network of its own, in which nothing but its model was.
    pub alone: bool,
    /// The number of the record of the refusal.
    pub record: u64,
    /// When.
    pub at: Moment,
    mac: String,
}

/// A run of the real client, by which something is to be proved.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'t> {
    /// The agent.
    pub agent: Agent,
    /// The command that its model asked for.
    pub canary: &'t str,
    /// The number of the record of its start.
    pub since: u64,
    /// See [`Proof::alone`].
    pub alone: bool,
}

/// The command that the gate must refuse, whatever is set. Where it runs all the same, it refuses by itself: no approval has
/// that name, and an agent stands above it.
#[must_use]
pub fn canary(name: &str) -> String {
    format!("tollgate approvals approve canary-{name}")
}

fn path(state: &Path, agent: Agent) -> PathBuf {
    state.join(FOLDER).join(format!("{}.json", agent.as_str()))
}

impl Broker {
    /// What was proved of an agent, if it is as it was written.
    #[must_use]
    pub fn proof(&self, agent: Agent) -> Option<Proof> {
        let state = &self.places().state;
        let stored: Proof = serde_json::from_str(&files::text(&path(state, agent)).ok()?).ok()?;
        let mac = stored.mac.clone();
        let unsigned = Proof {
            mac: String::new(),
            ..stored
        };
        let secret = Secret::new(machine_secret(state).ok()?);
        let genuine = unsigned.v == FORMAT
            && unsigned.agent == agent.as_str()
            && secret.signed(&serde_json::to_vec(&unsigned).ok()?, &mac);
        genuine.then_some(Proof { mac, ..unsigned })
    }

    /// Keeps a proof, if the ledger has what it takes: the refusal of the canary. `None` where it has not.
    ///
    /// # Errors
    /// When an agent tries it, or it cannot be recorded or kept.
    pub fn prove(&self, trial: Trial<'_>, subject: Subject) -> Result<Option<Proof>, Refused> {
        self.no_agent("prove that an agent is stopped")?;
        let Some(record) = self.refusal_of(trial)? else {
            return Ok(None);
        };
        let state = &self.places().state;
        let unsigned = Proof {
            v: FORMAT,
            agent: trial.agent.as_str().into(),
            subject,
            alone: trial.alone,
            record,
            at: Moment::now(),
            mac: String::new(),
        };
        let text = |proof: &Proof| serde_json::to_vec(proof).map_err(|e| StoreError::Io(e.into()));
        let secret = Secret::new(machine_secret(state).map_err(StoreError::from)?);
        let proof = Proof {
            mac: secret.sign(&text(&unsigned)?),
            ..unsigned
        };
        let told = format!(
            "{} {} was stopped by the hook, as record {record} says",
            trial.agent.title(),
            proof.subject.version
        );
        let noted = note::remark(Event::Proof, &told, self.settings());
        let _receipt = self
            .ledger()
            .append(&noted)
            .map_err(|e| Refused::Record(Error::from(e)))?;
        let bytes = text(&proof)?;
        let path = path(state, trial.agent);
        let lock = files::lock(&state.join(FOLDER)).map_err(StoreError::from)?;
        files::replace(&lock, &path, &bytes).map_err(StoreError::from)?;
        Ok(Some(proof))
    }

    /// The number of the record in which the canary was refused.
    fn refusal_of(&self, trial: Trial<'_>) -> Result<Option<u64>, Refused> {
        let segments = people::segments(self.ledger().dir()).map_err(|e| StoreError::Io(std::io::Error::other(e)))?;
        // A segment may have ended between the start and the refusal.
        for segment in segments.iter().take(2) {
            let file = File::open(segment).map_err(StoreError::from)?;
            let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
            let found = lines
                .filter(|line| memchr::memmem::find(line, trial.canary.as_bytes()).is_some())
                .filter_map(|line| serde_json::from_slice(&line).ok())
                .find_map(|record: Value| refused(&record, trial));
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

/// The number of a record, if it is the refusal of the canary.
fn refused(record: &Value, trial: Trial<'_>) -> Option<u64> {
    let text = |place: &str| record.pointer(place).and_then(Value::as_str).unwrap_or_default();
    let number = record.get("seq")?.as_u64()?;
    let findings = record.get("findings")?.as_array()?;
    let is_it = number > trial.since
        && text("/kind") == Event::Decision.as_str()
        && text("/agent/name") == trial.agent.as_str()
        && text("/verdict") == "deny"
        // In the others nobody was told.
        && matches!(text("/decision/posture"), "guard" | "strict")
        && text("/request/parts/0/text").contains(trial.canary)
        && findings
            .iter()
            .any(|finding| finding.get("rule").and_then(Value::as_str) == Some(RULE));
    is_it.then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(change: impl FnOnce(&mut Value)) -> Value {
        let mut record = serde_json::json!({
            "seq": 9, "kind": "decision", "agent": {"name": "codex"}, "verdict": "deny", "decision": {"posture": "guard"},
            "request": {"parts": [{"text": "true; tollgate approvals approve canary-x"}]},
            "findings": [{"rule": RULE}],
        });
        change(&mut record);
        record
    }

    #[test]
    fn only_the_refusal_of_this_very_command_by_this_agent_proves_anything() {
        let canary = canary("x");
        let trial = Trial {
            agent: Agent::Codex,
            canary: &canary,
            since: 8,
            alone: true,
        };
        assert_eq!(refused(&record(|_| ()), trial), Some(9));
        let changes: [fn(&mut Value); 7] = [
            |r| r["decision"]["posture"] = "observe".into(),
            |r| r["seq"] = 8.into(),
            |r| r["kind"] = "malformed".into(),
            |r| r["agent"]["name"] = "claude".into(),
            |r| r["verdict"] = "ask".into(),
            |r| r["request"]["parts"][0]["text"] = "tollgate approvals approve canary-y".into(),
            |r| r["findings"][0]["rule"] = "rm_rf_root".into(),
        ];
        for change in changes {
            assert_eq!(refused(&record(change), trial), None);
        }
    }
}
