//! What becomes of an ask: an answer that a person gave already covers it, or it waits for one.

use std::path::Path;

use agents::Call;
use ledger::Record;
use policy::{Judgement, Subject, Verdict};

use crate::approvals::{Approvals, Asked, Bound, Grant, Scope, StoreError};
use crate::moment::Moment;

/// How an ask is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// It is no ask.
    Nothing,
    /// A person's answer covers it.
    Granted(Grant),
    /// A person said no to this very call, under this name, and what is to be done instead.
    Refused(String, String),
    /// It waits under this name.
    Waits(String),
    /// It could not be kept. The agent's own question is all there is.
    Lost(String),
}

/// Looks for an answer, and keeps the ask where there is none.
pub(crate) fn hold(
    state: &Path,
    call: &Call,
    judgements: &[Judgement],
    record: &Record,
    reason: &str,
    remember: bool,
) -> Held {
    let held = || -> Result<Held, StoreError> {
        let (store, now) = (Approvals::at(state)?, Moment::now());
        let bound = Bound::of(store.secret(), call, judgements, record);
        if let Some(grant) = store.cover(&bound, &now, remember)? {
            return Ok(Held::Granted(grant));
        }
        if let Some(no) = store.refused(&bound, &now)? {
            let instead = no.resolution.map(|said| said.guidance).unwrap_or_default();
            return Ok(Held::Refused(no.id, instead));
        }
        let mut asked = asked(call, judgements, record, reason);
        asked.remember &= remember;
        Ok(Held::Waits(store.ask(asked, bound, &now)?.id))
    };
    held().unwrap_or_else(|error| Held::Lost(error.to_string()))
}

impl Held {
    /// Writes down what it came to.
    pub(crate) fn note(&self, record: &mut Record) {
        let Some(decision) = &mut record.decision else { return };
        match self {
            Self::Nothing => {}
            Self::Waits(id) => decision.approval.clone_from(id),
            Self::Refused(id, _) => {
                decision.approval.clone_from(id);
                record.note = "a person said no to this call before".into();
            }
            Self::Granted(grant) => {
                decision.approval.clone_from(&grant.id);
                decision.granted = grant.scope.as_str().into();
                if grant.scope != Scope::Once {
                    decision.cache_hit.clone_from(&grant.id);
                }
            }
            Self::Lost(why) => record.note = why.clone(),
        }
    }

    /// What the agent is told: the reason of the judgement, or that a person answered.
    pub(crate) fn words(&self, call: &Call, reason: String) -> String {
        match self {
            Self::Granted(grant) => format!(
                "A person allowed this call (approval `{}`, {}).",
                grant.id,
                grant.scope.as_str()
            ),
            Self::Refused(id, instead) => {
                let instead = match instead.trim_end_matches('.') {
                    "" => String::new(),
                    instead => format!("\nInstead: {instead}."),
                };
                let text = format!(
                    "A person said no to this call (approval `{id}`).{instead}\nDo not look for another way to the same effect."
                );
                scrub::visible(&text).into_owned()
            }
            Self::Waits(id) if !call.agent.holds_asks(&call.permission_mode) => format!(
                "{reason}\nApproval `{id}`: a person can allow it with `tollgate approvals approve {id}` in a terminal of their own; then make the same call again."
            ),
            Self::Nothing | Self::Waits(_) | Self::Lost(_) => reason,
        }
    }
}

fn asked(call: &Call, judgements: &[Judgement], record: &Record, reason: &str) -> Asked {
    let findings = || judgements.iter().flat_map(|judgement| &judgement.findings);
    let asks = || findings().filter(|finding| finding.verdict == Verdict::Ask);
    let mut rules: Vec<String> = asks().map(|finding| finding.rule.clone()).collect();
    rules.dedup();
    let agent = record.agent.clone().unwrap_or_default();
    let parts = record.request.iter().flat_map(|request| &request.parts);
    let files = call.requests.iter().filter_map(|request| match &request.subject {
        Subject::File { path, .. } => Some(scrub::redact(path).into_owned()),
        _ => None,
    });
    Asked {
        agent: agent.name.clone(),
        pid: agent.pid,
        process: crate::identity::key(&agent),
        session: record.session.clone(),
        call: record.call.clone(),
        cwd: record.cwd.as_ref().map(|cwd| cwd.path.clone()).unwrap_or_default(),
        parts: parts.map(|part| (part.kind.clone(), part.text.clone())).collect(),
        rules,
        risk: asks()
            .map(|finding| finding.risk)
            .max()
            .map(|risk| risk.as_str().into())
            .unwrap_or_default(),
        classes: record.classes.clone(),
        files: files.collect(),
        reason: reason.to_owned(),
        remember: asks().all(policy::remembers),
        native: call.agent.holds_asks(&call.permission_mode),
    }
}
