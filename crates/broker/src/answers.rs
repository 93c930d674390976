//! What only a person may do, and the record of it.

use std::fmt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use agents::Call;
use ledger::Event;

use crate::approvals::{Approval, Approvals, Resolution, Scope, Status, StoreError};
use crate::breaker::Refusal;
use crate::decide::{Broker, Decision};
use crate::error::Error;
use crate::moment::Moment;
use crate::people::{self, NotAPerson, Person};
use crate::{identity, note};

/// How often it is looked for an answer.
const STEP: Duration = Duration::from_millis(100);

/// What a person says to an ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Yes, so far.
    Yes(Scope),
    /// No.
    No,
    /// Something else is to be done.
    Change,
}

/// An answer with the words that go with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered<'a> {
    /// The answer.
    pub said: Said,
    /// A note for the record.
    pub note: &'a str,
    /// What is to be done instead.
    pub guidance: &'a str,
}

/// Why something was not done that only a person may do.
#[derive(Debug)]
pub enum Refused {
    /// No person, or none that can be told from an agent. It is recorded as an attempt.
    NotAPerson {
        /// What was tried.
        what: String,
        /// Why.
        why: NotAPerson,
    },
    /// The store of approvals says no.
    Store(StoreError),
    /// It could not be recorded.
    Record(Error),
}

impl Refused {
    /// What to do about it, one sentence.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::NotAPerson {
                why: NotAPerson::Unknown(_),
                ..
            } => "Make sure that the ledger can be read.",
            Self::NotAPerson { .. } => "A person does this in a terminal that no agent started.",
            Self::Store(error) => error.hint(),
            Self::Record(error) => error.hint(),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAPerson {
                what,
                why: NotAPerson::Agent(sign),
            } => write!(f, "no agent can {what}: {sign}"),
            Self::NotAPerson { what, why } => write!(f, "cannot {what}: {why}"),
            Self::Store(error) => error.fmt(f),
            Self::Record(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refused {}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Broker {
    /// How long a person is waited for: not at all where the agent asks by itself, or where nothing waits.
    #[must_use]
    pub fn wait_for(&self, call: &Call, decision: &Decision) -> Duration {
        if decision.waits_for().is_none() || call.agent.holds_asks(&call.permission_mode) {
            return Duration::ZERO;
        }
        Duration::from_secs(u64::from(self.here(Path::new(&call.cwd)).answers.wait_seconds))
    }

    /// Waits for the answer to an ask, `most` at the longest. With an answer the call is decided anew, and that is recorded;
    /// without one the decision stays what it was.
    ///
    /// # Errors
    /// When the new decision is not in the ledger. The call must be refused then.
    pub fn answered(&self, call: &Call, decision: Decision, most: Duration) -> Result<Decision, Error> {
        let (Some(id), Ok(store)) = (decision.waits_for(), self.approvals()) else {
            return Ok(decision);
        };
        let from = Instant::now();
        while from.elapsed() < most {
            match store.get(id).map(|approval| approval.status) {
                Ok(Status::Pending) => thread::sleep(STEP.min(most.saturating_sub(from.elapsed()))),
                // By what is set now: the answer may stand in a policy file.
                Ok(_) => return Self::open(self.places().clone()).decide(call),
                Err(_) => break,
            }
        }
        Ok(decision)
    }

    /// The approvals of this installation.
    ///
    /// # Errors
    /// When its secret is not to be had. Where there is none, none is made: nothing was sealed with it.
    pub fn approvals(&self) -> Result<Approvals, StoreError> {
        Approvals::known(&self.places().state)
    }

    /// Whether a yes could still cover a call: its time is not over, it was not used, what people have set where it was asked
    /// is what it was, and for a session the agent's process is there.
    #[must_use]
    pub fn still_covers(&self, approval: &Approval, now: &Moment, latest: u64) -> bool {
        let Ok(store) = self.approvals() else { return false };
        let here = self.here(Path::new(&approval.asked.cwd));
        let Some(scope) = approval.scope() else { return false };
        let stands = approval.status(now, latest) == Status::Approved && approval.used.is_none();
        let kept = here.answers.remember || scope == Scope::Once;
        if scope == Scope::Rule {
            return false;
        }
        let there = matches!(scope, Scope::Here { .. }) || identity::is_there(&approval.asked.process);
        stands && kept && there && approval.bound.is_by(store.secret(), &note::base_of(&here.settings))
    }

    /// The agents that may only read now, and for how many more seconds; `every agent` is all of them.
    #[must_use]
    pub fn locks(&self) -> Vec<(String, u64)> {
        let locks = self.breaker().locks(&Moment::now());
        let name = |who: &str| match who.split(':').collect::<Vec<_>>().as_slice() {
            [agent, pid, ..] => format!("{agent} (process {pid})"),
            _ => "every agent".to_owned(),
        };
        locks.into_iter().map(|(who, left)| (name(&who), left)).collect()
    }

    /// The person at this terminal. `what` is what only a person may do, as in `approve a call`.
    ///
    /// # Errors
    /// When it is no person, or cannot be told. That is recorded as an attempt.
    pub fn person(&self, what: &str) -> Result<Person, Refused> {
        let ledger = self.ledger().dir().to_path_buf();
        Person::here(&ledger).map_err(|why| self.attempt(what, why))
    }

    /// Refuses what no agent may do, where none of the signs of one may be there. A terminal is not asked for.
    ///
    /// # Errors
    /// When there is a sign of an agent. That is recorded as an attempt.
    pub fn no_agent(&self, what: &str) -> Result<(), Refused> {
        people::no_agent(self.ledger().dir()).map_err(|why| self.attempt(what, why))
    }

    /// Answers an ask, and records it. An answer that cannot be recorded does not stand.
    ///
    /// # Errors
    /// When it was answered before, is over, cannot be answered so, or the record cannot be written.
    pub fn answer(&self, person: &Person, id: &str, answer: &Answered<'_>) -> Result<Approval, Refused> {
        let (store, now) = (self.approvals()?, Moment::now());
        let (status, scope) = match answer.said {
            Said::Yes(scope) => (Status::Approved, Some(scope)),
            Said::No => (Status::Rejected, None),
            Said::Change => (Status::ChangesRequested, None),
        };
        let said = Resolution {
            at: now.clone(),
            by: person.terminal().into(),
            scope,
            note: scrub::redact(answer.note).into_owned(),
            guidance: scrub::redact(answer.guidance).into_owned(),
        };
        let approval = store.resolve(id, status, said, &now)?;
        let record = note::answered(&approval, self.settings());
        if let Err(error) = self.ledger().append(&record) {
            store.take_back(id, &now)?;
            return Err(Refused::Record(error.into()));
        }
        self.tell_breaker(&approval, &now);
        Ok(approval)
    }

    /// Takes every yes back that still holds, and records that. How many there were.
    ///
    /// # Errors
    /// When an agent tries it, or the store or the ledger cannot be written.
    pub fn forget_approvals(&self) -> Result<usize, Refused> {
        self.no_agent("take approvals back")?;
        let taken = self.approvals()?.clear(&Moment::now())?;
        let text = match taken {
            1 => "1 approval was taken back".to_owned(),
            _ => format!("{taken} approvals were taken back"),
        };
        let record = note::remark(Event::Approval, &text, self.settings());
        let recorded = self.ledger().append(&record);
        recorded.map(|_| taken).map_err(|e| Refused::Record(e.into()))
    }

    /// A yes takes the refusal back that the ask was counted as; a no is counted. What cannot be counted changes no answer.
    fn tell_breaker(&self, approval: &Approval, now: &Moment) {
        let breaker = self.breaker();
        let _counted = if approval.status == Status::Approved {
            breaker.forgive(&approval.id).is_ok()
        } else {
            let refusal = Refusal {
                agent: &approval.asked.process,
                request: &approval.bound.request,
                approval: &approval.id,
            };
            breaker.forgive(&approval.id).is_ok() && breaker.count(&refusal, now).is_ok()
        };
    }

    /// Ends the time in which agents may only read, and records that. How many locks there were.
    ///
    /// # Errors
    /// When it is no person, or it cannot be kept or recorded.
    pub fn unlock(&self, person: &Person) -> Result<usize, Refused> {
        let text = format!("unlocked at {}", person.terminal());
        let record = note::remark(Event::Unlocked, &text, self.settings());
        // A ledger that the full disk has suspended goes on with this record.
        let ledger = self.ledger().clone().on_full(ledger::OnFull::Deny);
        let _receipt = ledger.append(&record).map_err(|e| Refused::Record(e.into()))?;
        self.breaker()
            .unlock(&Moment::now())
            .map_err(|e| Refused::Store(e.into()))
    }

    /// Records that settings are changed: what, from what, to what, and by whom. Whoever changes them records it first, so
    /// that no change goes by without a record.
    ///
    /// # Errors
    /// When it cannot be recorded; nothing may be changed then.
    pub fn settings_change(&self, what: &str) -> Result<(), Refused> {
        let record = note::remark(Event::Config, what, self.settings());
        let recorded = self.ledger().append(&record);
        recorded.map(drop).map_err(|e| Refused::Record(e.into()))
    }

    fn attempt(&self, what: &str, why: NotAPerson) -> Refused {
        let refused = Refused::NotAPerson { what: what.into(), why };
        // It is refused whether it can be recorded or not.
        let record = note::remark(Event::Attempt, &refused.to_string(), self.settings());
        let _recorded = self.ledger().append(&record);
        refused
    }
}
