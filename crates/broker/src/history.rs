//! What the ledger remembers: past decisions, judged again, and what they say about answers that come again and again.

use std::collections::BTreeMap;
use std::time::Duration;

use ledger::Line;
use policy::{Kind, Recorded, Request, Subject, Verdict, World as _};
use serde_json::Value;

use crate::approvals::{Approval, StoreError};
use crate::decide::Broker;
use crate::moment::Moment;
use crate::world::Machine;

/// What the program writes in place of a secret begins so.
const REDACTED: &str = "[redacted";
/// So many looks are kept with a record; there may have been more.
const MOST_LOOKS: usize = 200;
/// An ask has to come back this often before anything is proposed.
const OFTEN: usize = 3;

/// A past decision, and what would be decided today.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The number of its record.
    pub seq: u64,
    /// When it was.
    pub time: String,
    /// What was wanted, the first part.
    pub text: String,
    /// The verdict of then.
    pub was: String,
    /// The verdict by what is set today.
    pub now: Verdict,
    /// The rules that decide today.
    pub rules: Vec<String>,
    /// Why today's verdict may not be exactly what it would have been then, one clause each.
    pub inexact: Vec<String>,
}

impl Replayed {
    /// Whether today's verdict is another one.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.was != self.now.as_str()
    }
}

/// A rule that a person could write, and what speaks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The rule that asked.
    pub rule: String,
    /// The command, whole.
    pub command: String,
    /// How often it was asked.
    pub asked: usize,
    /// How often a person said yes.
    pub approved: usize,
    /// The first and the last time.
    pub between: (String, String),
}

/// A record, as it is stored.
struct Record(Value);

impl Record {
    fn text(&self, place: &str) -> &str {
        self.0.pointer(place).and_then(Value::as_str).unwrap_or_default()
    }

    fn list(&self, place: &str) -> &[Value] {
        self.0
            .pointer(place)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// What was wanted; `None` for a part that cannot be judged again.
    fn requests(&self) -> Option<Vec<Request>> {
        let cwd = self.text("/cwd/path");
        let parts = self.list("/request/parts").iter();
        let request = |part: &Value| {
            let field = |name: &str| part.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let (kind, text) = (field("kind"), field("text"));
            let delete = kind == "file.delete";
            let kind = if delete { Kind::FileWrite } else { Kind::parse(&kind)? };
            let subject = match kind {
                Kind::CommandRun => Subject::Command(text),
                Kind::FileRead | Kind::FileWrite => Subject::File {
                    path: text,
                    delete,
                    content: None,
                },
                Kind::NetConnect => Subject::Url(text),
                _ => Subject::Tool {
                    name: text,
                    input: String::new(),
                },
            };
            Some(Request {
                kind,
                subject,
                cwd: cwd.to_owned(),
            })
        };
        parts.map(request).collect()
    }

    /// Why the request is not kept as it was.
    fn inexact(&self) -> Vec<String> {
        let parts = self.list("/request/parts");
        let any = |is: &dyn Fn(&Value) -> bool| parts.iter().any(is);
        let text = |part: &Value| {
            part.get("text")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .contains(REDACTED)
        };
        let mut why = Vec::new();
        if any(&text) {
            why.push("secrets were taken out of what was asked".to_owned());
        }
        if any(&|part| part.get("bytes").is_some()) {
            why.push("what was asked is kept cut".to_owned());
        }
        if any(&|part| part.get("content").is_some()) {
            why.push("contents are kept as digests".to_owned());
        }
        if self.list("/looks").len() >= MOST_LOOKS {
            why.push("not all that was looked at is kept".to_owned());
        }
        why
    }
}

impl Broker {
    /// Judges past decisions again by what is set today, from the answers that their records kept. `age` is how far back.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn replay(&self, age: Option<Duration>, mut each: impl FnMut(Replayed)) -> Result<(), ledger::LedgerError> {
        self.records("decision", age, |record| {
            if let Some(requests) = record.requests() {
                each(self.again(&record, &requests));
            }
        })
    }

    fn again(&self, record: &Record, requests: &[Request]) -> Replayed {
        let world = self.kept(record);
        let settings = self.here(std::path::Path::new(record.text("/cwd/path"))).settings;
        let judge = |request| policy::judge(request, &world, &settings);
        let judgements: Vec<policy::Judgement> = requests.iter().map(judge).collect();
        let now = judgements
            .iter()
            .map(policy::Judgement::verdict)
            .max()
            .unwrap_or_default();
        let findings = judgements.iter().flat_map(|judgement| &judgement.findings);
        let mut rules: Vec<String> = findings
            .filter(|finding| finding.verdict == now)
            .map(|finding| finding.rule.clone())
            .collect();
        rules.dedup();
        let mut inexact = record.inexact();
        inexact.extend(world.inexact().into_iter().map(str::to_owned));
        Replayed {
            seq: record.0.get("seq").and_then(Value::as_u64).unwrap_or_default(),
            time: record.text("/time").to_owned(),
            text: record.text("/request/parts/0/text").to_owned(),
            was: record.text("/verdict").to_owned(),
            now,
            rules,
            inexact,
        }
    }

    /// The machine as it was for a record. A file that still holds what it held is read.
    fn kept(&self, record: &Record) -> Recorded {
        let machine = Machine::new(self.places(), &self.places().home);
        let mut world = Recorded::of(machine.home(), machine.user(), machine.own_dirs());
        for look in record.list("/looks") {
            let field = |name: &str| look.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let (question, subject, answer) = (field("question"), field("subject"), field("answer"));
            if let Some(digest) = answer.strip_prefix("sha256:")
                && let policy::Answer::Known(contents) = machine.read(&subject)
                && contents.digest == digest
            {
                world.files.insert(subject.clone(), contents);
            }
            world.answers.insert((question, subject), answer);
        }
        world
    }

    /// Rules that would have spared a person questions which came again and again and were never answered by no. Only
    /// questions whose answer may be remembered are in it. `age` is how far back.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn learn(&self, age: Option<Duration>) -> Result<Vec<Proposal>, ledger::LedgerError> {
        let mut asks: BTreeMap<(String, String), Evidence> = BTreeMap::new();
        let mut answers: BTreeMap<String, bool> = BTreeMap::new();
        self.records("approval", age, |record| {
            let yes = record.text("/verdict") == Verdict::Allow.as_str();
            answers.insert(record.text("/decision/approval").to_owned(), yes);
        })?;
        self.records("decision", age, |record| {
            if let Some((rule, command)) = narrow(&record) {
                let answer = answers.get(record.text("/decision/approval"));
                asks.entry((rule, command)).or_default().add(&record, answer);
            }
        })?;
        let often = asks
            .into_iter()
            .filter(|(_, seen)| seen.asked >= OFTEN && !seen.refused)
            .filter(|((_, command), seen)| self.is_whole(command, &seen.cwd));
        let mut proposals: Vec<Proposal> = often
            .map(|((rule, command), seen)| Proposal {
                rule,
                command,
                asked: seen.asked,
                approved: seen.approved,
                between: (seen.first, seen.last),
            })
            .collect();
        proposals.sort_by_key(|one| std::cmp::Reverse(one.asked));
        Ok(proposals)
    }

    /// The one command of an ask, where an exception from its rules could be written: a yes to it may be remembered, and its
    /// text says all that it does.
    ///
    /// # Errors
    /// Why none can be.
    pub fn exceptable(&self, approval: &Approval) -> Result<(Request, Vec<String>), StoreError> {
        let asked = &approval.asked;
        let [(kind, command)] = asked.parts.as_slice() else {
            return Err(StoreError::NotOffered("a rule is about one command, and this is more"));
        };
        if kind != Kind::CommandRun.as_str() || command.contains(REDACTED) || asked.rules.is_empty() {
            return Err(StoreError::NotOffered(
                "a rule is about the text of a command, and this is none that is kept whole",
            ));
        }
        let remembered = asked.remember && self.here(std::path::Path::new(&asked.cwd)).answers.remember;
        if !remembered || !asked.rules.iter().all(|rule| policy::may_remember(rule)) {
            return Err(StoreError::NotOffered(
                "what destroys, concerns credentials or the gate itself, or runs other people's code is approved for one call only",
            ));
        }
        if !self.is_whole(command, &asked.cwd) {
            return Err(StoreError::NotOffered(
                "the text of this command is not all that it does, so a rule on its text would let through more",
            ));
        }
        let request = Request {
            kind: Kind::CommandRun,
            subject: Subject::Command(command.clone()),
            cwd: asked.cwd.clone(),
        };
        Ok((request, asked.rules.clone()))
    }

    /// Past decisions about a very command in a folder, as they would be judged today, the oldest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn past(&self, request: &Request) -> Result<Vec<Replayed>, ledger::LedgerError> {
        let mut past = Vec::new();
        self.records("decision", None, |record| {
            if record.requests().as_deref() == Some(std::slice::from_ref(request)) {
                past.push(self.again(&record, std::slice::from_ref(request)));
            }
        })?;
        Ok(past)
    }

    /// Whether a person who reads a command knows all that it does in a folder, and a yes to it may be remembered.
    pub(crate) fn is_whole(&self, command: &str, cwd: &str) -> bool {
        let request = Request {
            kind: Kind::CommandRun,
            subject: Subject::Command(command.to_owned()),
            cwd: cwd.to_owned(),
        };
        let judgement = self.judge(&request);
        let asks = |finding: &&policy::Finding| finding.verdict == Verdict::Ask;
        policy::says_all(command, &judgement) && judgement.findings.iter().filter(asks).all(policy::remembers)
    }

    /// The records of a kind, the oldest first.
    fn records(
        &self,
        kind: &str,
        age: Option<Duration>,
        mut each: impl FnMut(Record),
    ) -> Result<(), ledger::LedgerError> {
        let oldest = age.map(|age| {
            let now = Moment::now().wall_ms;
            ledger::rfc3339(now.saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX)))
        });
        let Some(mut lines) = ledger::show(self.ledger().dir())? else {
            return Ok(());
        };
        let unreadable = |source| ledger::LedgerError::Io {
            action: "read",
            path: self.ledger().dir().to_path_buf(),
            source,
        };
        while let Some(line) = lines.read_line().map_err(unreadable)? {
            let Line::Whole(bytes) = line else { continue };
            let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
                continue;
            };
            let record = Record(value);
            let young = oldest
                .as_ref()
                .is_none_or(|oldest| record.text("/time") >= oldest.as_str());
            if young && record.text("/kind") == kind {
                each(record);
            }
        }
        Ok(())
    }
}

/// What was seen of one question.
#[derive(Default)]
struct Evidence {
    asked: usize,
    approved: usize,
    refused: bool,
    cwd: String,
    first: String,
    last: String,
}

impl Evidence {
    fn add(&mut self, record: &Record, answer: Option<&bool>) {
        let time = record.text("/time").to_owned();
        if self.first.is_empty() {
            self.first.clone_from(&time);
        }
        self.last = time;
        record.text("/cwd/path").clone_into(&mut self.cwd);
        // A call that passes by a yes is the answer to an ask before it.
        if record.text("/decision/granted").is_empty() {
            self.asked += 1;
            self.approved += usize::from(answer == Some(&true));
            self.refused |= answer == Some(&false);
        }
    }
}

/// The one rule that asked about one whole command, where the answer may be remembered.
fn narrow(record: &Record) -> Option<(String, String)> {
    let ([part], asks) = (record.list("/request/parts"), record.list("/findings")) else {
        return None;
    };
    let field = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut rules: Vec<String> = asks
        .iter()
        .filter(|finding| field(finding, "verdict") == Verdict::Ask.as_str())
        .map(|finding| field(finding, "rule"))
        .collect();
    rules.sort();
    rules.dedup();
    let [rule] = rules.as_slice() else { return None };
    let whole = part.get("bytes").is_none() && !field(part, "text").contains(REDACTED);
    let command = field(part, "kind") == Kind::CommandRun.as_str();
    (record.text("/verdict") == Verdict::Ask.as_str() && whole && command && policy::may_remember(rule))
        .then(|| (rule.clone(), field(part, "text")))
}
