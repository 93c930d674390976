//! Judge, record, answer.

use std::path::Path;
use std::time::SystemTime;

use agents::{Agent, Answer, Call, Refusal};
use ledger::{Event, Ledger, LedgerError, Receipt, Record};
use policy::{Finding, Judgement, Posture, Request, Settings, Verdict};

use crate::breaker::{self, Breaker};
use crate::clearance::{Clearance, Own};
use crate::config::{ConfigError, Keeping, Layers, Limits, OnFull};
use crate::error::Error;
use crate::here::Here;
use crate::hold::{self, Held};
use crate::moment::Moment;
use crate::places::Places;
use crate::policies::{How, PolicySet};
use crate::saving::{self, Saved};
use crate::world::Machine;
use crate::{identity, note, reason, rules};

/// Settings, world and ledger of one place.
#[derive(Debug)]
pub struct Broker {
    places: Places,
    settings: Settings,
    limits: Limits,
    keeping: Keeping,
    pub(crate) layers: Layers,
    pub(crate) policies: PolicySet,
    faults: Vec<ConfigError>,
    /// How many of the faults are none of policy files.
    beside_policies: usize,
    ledger: Ledger,
}

/// A decision that is in the ledger. There is no other way to get one.
#[derive(Debug)]
#[must_use]
pub struct Decision {
    verdict: Verdict,
    reason: String,
    judgements: Vec<Judgement>,
    holds: bool,
    held: Held,
    receipt: Receipt,
}

impl Decision {
    /// The verdict.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }
    /// The reason in words; empty where nothing was found.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
    /// The judgement of each request of the call.
    #[must_use]
    pub fn judgements(&self) -> &[Judgement] {
        &self.judgements
    }
    /// The number of the record.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.receipt.seq()
    }
    /// What to tell the agent: no opinion where the posture holds nothing.
    #[must_use]
    pub fn answer(&self) -> Answer {
        if !self.holds {
            return Answer {
                verdict: Verdict::Allow,
                granted: false,
                reason: String::new(),
            };
        }
        Answer {
            verdict: match self.held {
                Held::Refused(..) => Verdict::Deny,
                _ => self.verdict,
            },
            granted: matches!(self.held, Held::Granted(_)),
            reason: self.reason.clone(),
        }
    }
    /// The approval that waits for a person.
    #[must_use]
    pub fn waits_for(&self) -> Option<&str> {
        match &self.held {
            Held::Waits(id) => Some(id),
            _ => None,
        }
    }
}

impl Broker {
    /// Reads the settings. Broken ones do not stop anything but what changes something: see [`Settings::broken`].
    #[must_use]
    pub fn open(places: Places) -> Self {
        Self::open_with(places, None)
    }

    /// The same with a posture that the command line names, and that comes before all that is set. It is for those who only
    /// ask what would be decided.
    #[must_use]
    pub fn open_with(places: Places, posture: Option<Posture>) -> Self {
        let mut layers = Layers::read(&places, |name| std::env::var_os(name));
        if let Some(posture) = posture {
            layers.with_posture(posture);
        }
        let anywhere = layers.anywhere().merged;
        let mut settings = anywhere.settings();
        let (added, rules_error) = rules::read(&places.config);
        let policies = PolicySet::in_force(&places, How::Quickly, SystemTime::now());
        let mut faults = layers.faults.clone();
        faults.extend(rules_error);
        let beside_policies = faults.len();
        faults.extend(policies.own_faults.iter().cloned());
        settings.added = added;
        settings.written = policies.written();
        settings.broken = faults.first().map(ConfigError::whole);
        Self {
            ledger: anywhere.keeping().apply(Ledger::at(&places.state)),
            places,
            settings,
            limits: anywhere.limits(),
            keeping: anywhere.keeping(),
            layers,
            policies,
            faults,
            beside_policies,
        }
    }

    /// Where everything is.
    #[must_use]
    pub const fn places(&self) -> &Places {
        &self.places
    }
    /// What is set where no project says anything.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }
    /// Why the settings could not be read.
    #[must_use]
    pub fn config_error(&self) -> Option<&ConfigError> {
        self.faults.first()
    }
    /// All that is wrong with the machine's and the person's files and with variables.
    #[must_use]
    pub fn faults(&self) -> &[ConfigError] {
        &self.faults
    }
    /// The same without those of policy files.
    pub(crate) fn faults_beside_policies(&self) -> &[ConfigError] {
        self.faults.get(..self.beside_policies).unwrap_or_default()
    }
    /// The ledger.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }
    /// How the ledger is kept.
    #[must_use]
    pub const fn keeping(&self) -> Keeping {
        self.keeping
    }

    /// Judges a request without deciding or recording anything.
    #[must_use]
    pub fn judge(&self, request: &Request) -> Judgement {
        let here = self.here(Path::new(&request.cwd));
        let mut judgement = self.judge_by(request, &here.settings);
        saving::would_settle(request, &mut judgement, here.snapshots.soften);
        judgement
    }

    fn judge_by(&self, request: &Request, settings: &Settings) -> Judgement {
        let mut judgement = self.judge_at(request, &self.places.home, settings);
        // A repository can set HOME for the agent. What the settings' own home makes dangerous stays dangerous.
        if let Some(own) = &self.places.own_home {
            let other = self.judge_at(request, own, settings);
            let new = |f: &Finding| !judgement.findings.iter().any(|g| g.rule == f.rule && g.span == f.span);
            let found: Vec<Finding> = other.findings.into_iter().filter(new).collect();
            judgement.findings.extend(found);
            judgement.findings.sort_by_key(|f| std::cmp::Reverse(f.verdict));
        }
        judgement
    }

    fn judge_at(&self, request: &Request, home: &Path, settings: &Settings) -> Judgement {
        let mut judgement = policy::judge(request, &Machine::new(&self.places, home), settings);
        // A target without a name leaves a blank at the end of the sentence that would have named it.
        for finding in &mut judgement.findings {
            finding.lost.truncate(finding.lost.trim_end().len());
        }
        judgement
    }

    /// Judges every request of a call, records the decision, and only then has one.
    ///
    /// # Errors
    /// When the decision is not in the ledger. The call must be refused then.
    pub fn decide(&self, call: &Call) -> Result<Decision, Error> {
        let caller = identity::agent(call.agent.as_str());
        let locked = self.locked(&identity::key(&caller));
        let in_folder = |cwd: &str| {
            let mut here = self.here(Path::new(cwd));
            here.settings.locked.clone_from(&locked);
            here
        };
        let here = in_folder(&call.cwd);
        // A request may be in another folder, whose project says something else.
        let elsewhere: Vec<Option<Here>> = call
            .requests
            .iter()
            .map(|request| (request.cwd != call.cwd).then(|| in_folder(&request.cwd)))
            .collect();
        let each = || elsewhere.iter().map(|other| other.as_ref().unwrap_or(&here));
        let requests = call.requests.iter().zip(each());
        let mut judgements: Vec<Judgement> = requests
            .map(|(request, here)| self.judge_by(request, &here.settings))
            .collect();
        let saved = self.save(call, &mut judgements, each());
        let verdict = judgements.iter().map(Judgement::verdict).max().unwrap_or_default();
        let settings = &here.settings;
        // What a broken configuration says is not known, so it holds whatever the posture.
        let holds = settings.broken.is_some() || each().any(|here| here.settings.posture.holds());
        let mut record = note::decision(call, &judgements, settings, caller);
        let reason = reason::words(call, &judgements);
        let held = if holds && verdict == Verdict::Ask {
            let remember = here.answers.remember && each().all(|here| here.answers.remember);
            hold::hold(&self.places.state, call, &judgements, &record, &reason, remember)
        } else {
            Held::Nothing
        };
        held.note(&mut record);
        record.snapshot = saved.id;
        let reason = held.words(call, reason);
        let receipt = match self.ledger.append(&record) {
            Ok(receipt) => receipt,
            Err(error) => return self.unrecorded(error, judgements, verdict),
        };
        if holds {
            self.count(call, &record, verdict, &held);
        }
        Ok(Decision {
            verdict,
            reason,
            judgements,
            holds,
            receipt,
            held,
        })
    }

    /// Keeps what the call would lose, unless it is refused or nothing is held or recorded at all.
    fn save<'h>(
        &self,
        call: &Call,
        judgements: &mut [Judgement],
        each: impl Iterator<Item = &'h Here> + Clone,
    ) -> Saved {
        let denied = judgements.iter().any(|judgement| judgement.verdict() == Verdict::Deny);
        let set = each.clone().map(|here| here.snapshots).min_by_key(|set| set.soften);
        let off = each.clone().all(|here| here.settings.posture == Posture::Off);
        let Some(set) = set.filter(|_| !denied && !off) else {
            return Saved::default();
        };
        let saved = saving::save(&self.places.state, call, judgements, set, Moment::now().wall_ms);
        saving::settle(&saved, judgements, call, set.soften);
        saved
    }

    /// What is decided when the disk is full. Where a person is to be asked then, and at least the asking is in the ledger,
    /// that is the decision.
    fn unrecorded(&self, error: LedgerError, judgements: Vec<Judgement>, verdict: Verdict) -> Result<Decision, Error> {
        match error {
            LedgerError::Full {
                receipt: Some(receipt), ..
            } if self.keeping.on_full == OnFull::Ask && verdict != Verdict::Deny => Ok(Decision {
                verdict: Verdict::Ask,
                reason: String::from(
                    "The disk is full: what this would do cannot be recorded, only that it was asked.",
                ),
                judgements,
                holds: true,
                held: Held::Nothing,
                receipt,
            }),
            error => Err(error.into()),
        }
    }

    /// Why an agent may only read now.
    fn locked(&self, agent: &str) -> Option<String> {
        if self.ledger.suspended() {
            return Some(String::from(
                "the disk was full and not everything could be recorded, so agents may only read until a person says \
                 `tollgate unlock`",
            ));
        }
        let locked = self.breaker().locked(agent, &Moment::now())?;
        Some(breaker::words(locked, &self.limits))
    }

    /// Counts a refusal: a denial, a call that a person said no to, or an ask that nobody is there to answer. An ask that the agent itself shows to a person
    /// is none.
    fn count(&self, call: &Call, decided: &Record, verdict: Verdict, held: &Held) {
        let refused = match held {
            Held::Granted(_) => false,
            Held::Refused(..) => true,
            _ => verdict == Verdict::Deny || verdict == Verdict::Ask && !call.agent.holds_asks(&call.permission_mode),
        };
        if !refused {
            return;
        }
        let agent = decided.agent.as_ref().map(identity::key).unwrap_or_default();
        let refusal = breaker::Refusal {
            agent: &agent,
            request: decided
                .request
                .as_ref()
                .map(|request| request.digest.as_str())
                .unwrap_or_default(),
            approval: match held {
                Held::Waits(id) => id,
                _ => "",
            },
        };
        // A refusal that cannot be counted is a refusal all the same.
        if self.breaker().count(&refusal, &Moment::now()).unwrap_or_default() {
            let text = format!(
                "too much was refused, so this agent may only read for {} seconds",
                self.limits.cooldown_seconds
            );
            let mut record = note::remark(Event::Locked, &text, &self.settings);
            record.agent.clone_from(&decided.agent);
            let _recorded = self.ledger.append(&record).is_ok();
        }
    }

    pub(crate) fn breaker(&self) -> Breaker<'_> {
        Breaker::at(&self.places.state, &self.limits)
    }

    /// Records a question that could not be read. It is refused in any case.
    ///
    /// # Errors
    /// When it is not in the ledger.
    pub fn record_malformed(&self, agent: Agent, bytes: &[u8], refusal: &Refusal) -> Result<u64, Error> {
        let receipt = self
            .ledger
            .append(&note::malformed(agent, bytes, refusal, &self.settings))?;
        Ok(receipt.seq())
    }

    /// The permission to start a program of our own, recorded.
    ///
    /// # Errors
    /// When it is not in the ledger.
    pub fn clear_own(&self, own: Own, program: &Path) -> Result<Clearance, Error> {
        let receipt = self
            .ledger
            .append(&note::start(own.as_str(), program, &self.settings))?;
        Ok(Clearance::new(program.to_path_buf(), receipt))
    }
}
