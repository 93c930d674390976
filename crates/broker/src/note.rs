//! From a call and its judgements to the record: names, no contents, no secrets.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use agents::{Agent, Call, Refusal};
use ledger::{Event, Hash, Record};
use policy::{Finding, Judgement, Kind, Request, Settings, Subject, Verdict};

use crate::approvals::{Approval, Status};
use crate::{identity, places};

/// The longest text of a part that is stored.
const LONGEST_TEXT: usize = 64 << 10;
/// The longest of all other texts.
const LONGEST_LINE: usize = 1 << 10;
/// Bytes around what is stored or shown that are looked at for secrets, which are shorter by far.
pub(crate) const CONTEXT: usize = 64 << 10;
/// How many effects, findings and looks are stored.
const MOST: usize = 200;

/// Redacted, and cut where it is longer than `most` bytes.
fn stored(text: &str, most: usize) -> String {
    // A long text is looked at only as far as it matters, unless that turns out to be too little.
    let head = beginning(text, most + CONTEXT);
    let mut clean = scrub::redact(head);
    if head.len() < text.len() && clean.len() < most + CONTEXT / 2 {
        clean = scrub::redact(text);
    }
    if clean.len() <= most {
        return clean.into_owned();
    }
    let end = (0..=most)
        .rev()
        .find(|i| clean.is_char_boundary(*i))
        .unwrap_or_default();
    clean.get(..end).unwrap_or_default().to_owned()
}

/// The first bytes of a text, without half a character.
fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|i| text.is_char_boundary(*i));
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}

pub(crate) fn line(text: &str) -> String {
    stored(text, LONGEST_LINE)
}

/// What every record says about the program and its settings.
pub(crate) fn base(kind: Event, agent: ledger::Agent, settings: &Settings) -> Record {
    Record {
        kind,
        agent: Some(agent),
        policy_digest: policy_digest(settings).hex(),
        rules_digest: policy::RULES_DIGEST.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        decision: Some(ledger::Decision {
            posture: settings.posture.as_str().into(),
            broken: settings
                .broken
                .as_ref()
                .or(settings.project_broken.as_ref())
                .map(|reason| line(reason))
                .unwrap_or_default(),
            ..ledger::Decision::default()
        }),
        ..Record::default()
    }
}

/// What a record says about the program and its settings, and nothing else.
pub(crate) fn base_of(settings: &Settings) -> Record {
    base(Event::Decision, own(), settings)
}

/// This program itself. Its parent is no agent, so none is named.
fn own() -> ledger::Agent {
    ledger::Agent {
        name: "tollgate".into(),
        ..ledger::Agent::default()
    }
}

/// The record of a decision.
pub(crate) fn decision(call: &Call, judgements: &[Judgement], settings: &Settings, caller: ledger::Agent) -> Record {
    let verdict = judgements.iter().map(Judgement::verdict).max().unwrap_or_default();
    let all = || judgements.iter().zip(&call.requests).enumerate();
    let mut record = base(Event::Decision, caller, settings);
    record.session = line(&call.session);
    record.call = line(&call.tool_use_id);
    record.request = Some(ledger::Request {
        digest: Hash::of(call.input_digest_source.as_bytes()).hex(),
        event: line(&call.event),
        tool: line(&call.tool),
        parts: call.requests.iter().map(part).collect(),
    });
    record.effects = judgements
        .iter()
        .flat_map(|j| &j.effects)
        .take(MOST)
        .map(|e| line(&e.summary()))
        .collect();
    record.findings = all()
        .flat_map(|(i, (j, request))| j.findings.iter().map(move |f| finding(i, request, f)))
        .take(MOST)
        .collect();
    let is_one = |class: &&str| judgements.iter().any(|j| j.classes.contains(class));
    record.classes = policy::CLASSES.into_iter().filter(is_one).map(Into::into).collect();
    record.verdict = verdict.as_str().into();
    if let Some(decision) = &mut record.decision {
        decision.mode = line(&call.permission_mode);
        decision.unknown_tool = call.unknown_tool;
        let excused: Vec<&str> = judgements.iter().flat_map(|j| &j.excused).map(String::as_str).collect();
        decision.exception = line(&excused.join(", "));
    }
    record.cwd = Some(cwd(&call.cwd));
    let repository = places::repository(Path::new(&call.cwd));
    record.repository = repository.map(|dir| line(&dir.to_string_lossy())).unwrap_or_default();
    record.looks = judgements.iter().flat_map(|j| &j.looks).take(MOST).map(look).collect();
    record.scripts = judgements
        .iter()
        .flat_map(|j| &j.looks)
        .filter_map(script)
        .take(MOST)
        .collect();
    record
}

/// A file that was read, if that was the question.
fn script(look: &policy::Look) -> Option<ledger::Script> {
    let digest = look
        .answer
        .strip_prefix("sha256:")
        .filter(|_| look.question == "read")?;
    Some(ledger::Script {
        path: line(&look.subject),
        sha256: digest.into(),
    })
}

/// The record of a question that could not be read.
pub(crate) fn malformed(agent: Agent, bytes: &[u8], refusal: &Refusal, settings: &Settings) -> Record {
    let mut record = base(Event::Malformed, identity::agent(agent.as_str()), settings);
    record.request = Some(ledger::Request {
        digest: Hash::of(bytes).hex(),
        ..ledger::Request::default()
    });
    record.verdict = Verdict::Deny.as_str().into();
    record.note = line(&format!("{}: {}", refusal.kind, refusal.sentence));
    record
}

/// The record of something that was done with the gate itself.
pub(crate) fn remark(kind: Event, text: &str, settings: &Settings) -> Record {
    let mut record = base(kind, own(), settings);
    record.note = line(text);
    record
}

/// The record of a person's answer.
pub(crate) fn answered(approval: &Approval, settings: &Settings) -> Record {
    let said = approval.resolution.as_ref();
    let words = said.map(|said| {
        format!(
            "{} at {}. {} {}",
            approval.status.as_str(),
            said.by,
            said.note,
            said.guidance
        )
    });
    let mut record = remark(Event::Approval, words.unwrap_or_default().trim(), settings);
    record.session = line(&approval.asked.session);
    record.request = Some(ledger::Request {
        parts: approval
            .asked
            .parts
            .iter()
            .map(|(kind, text)| ledger::Part {
                kind: kind.clone(),
                text: stored(text, LONGEST_TEXT),
                ..ledger::Part::default()
            })
            .collect(),
        ..ledger::Request::default()
    });
    record.verdict = match approval.status {
        Status::Approved => Verdict::Allow,
        _ => Verdict::Deny,
    }
    .as_str()
    .into();
    if let Some(decision) = &mut record.decision {
        decision.approval.clone_from(&approval.id);
        decision.granted = approval.scope().map(|scope| scope.as_str().into()).unwrap_or_default();
    }
    record
}

/// The record of a program of our own that is started.
pub(crate) fn start(what: &str, program: &Path, settings: &Settings) -> Record {
    let mut record = base(Event::Start, own(), settings);
    record.request = Some(ledger::Request {
        parts: vec![ledger::Part {
            kind: "provider.spawn".into(),
            text: line(&format!("{what} ({})", program.display())),
            ..ledger::Part::default()
        }],
        ..ledger::Request::default()
    });
    record.verdict = Verdict::Allow.as_str().into();
    record
}

/// One thing that is wanted. Contents are digested, not stored; so are the arguments of tools, which can be anything.
fn part(request: &Request) -> ledger::Part {
    let digest = |text: &str| Hash::of(text.as_bytes()).hex();
    let (text, content) = match &request.subject {
        Subject::Command(text) => (text.as_str(), String::new()),
        Subject::File { path, content, .. } => (path.as_str(), content.as_deref().map(digest).unwrap_or_default()),
        Subject::Url(url) => (url.as_str(), String::new()),
        Subject::Tool { name, input } => (name.as_str(), digest(input)),
    };
    let kind = match &request.subject {
        Subject::File { delete: true, .. } if request.kind == Kind::FileWrite => "file.delete",
        _ => request.kind.as_str(),
    };
    ledger::Part {
        kind: kind.into(),
        text: stored(text, LONGEST_TEXT),
        bytes: (text.len() > LONGEST_TEXT).then_some(text.len() as u64),
        content,
    }
}

fn finding(part: usize, request: &Request, finding: &Finding) -> ledger::Finding {
    ledger::Finding {
        rule: finding.rule.clone(),
        verdict: finding.verdict.as_str().into(),
        risk: finding.risk.as_str().into(),
        part,
        span: finding.span.map(|span| (span.start, span.end)),
        text: quoted(request, finding).map(line).unwrap_or_default(),
        lost: line(&finding.lost),
        chain: finding.chain.iter().take(MOST).map(|step| line(step)).collect(),
    }
}

/// The part of the request that made a rule match: a piece of the command, or the path.
pub(crate) fn quoted<'a>(request: &'a Request, finding: &Finding) -> Option<&'a str> {
    match &request.subject {
        Subject::Command(text) => {
            let span = finding.span?;
            let (start, end) = (usize::try_from(span.start).ok()?, usize::try_from(span.end).ok()?);
            text.get(start..end).filter(|part| !part.is_empty())
        }
        Subject::File { path, .. } => Some(path),
        Subject::Url(url) => Some(url),
        Subject::Tool { name, .. } => Some(name),
    }
}

fn look(look: &policy::Look) -> ledger::Look {
    ledger::Look {
        subject: line(&look.subject),
        question: look.question.into(),
        answer: line(&look.answer),
    }
}

fn cwd(path: &str) -> ledger::Cwd {
    let meta = fs::metadata(path).ok();
    ledger::Cwd {
        path: line(path),
        dev: meta.as_ref().map(fs::Metadata::dev),
        ino: meta.as_ref().map(fs::Metadata::ino),
    }
}

/// A digest of what people have set.
fn policy_digest(settings: &Settings) -> Hash {
    let Settings {
        posture: p,
        disabled,
        unprotected,
        added,
        written,
        broken,
        project_broken,
        locked: _,
    } = settings;
    let said = |broken: &Option<String>| broken.clone().unwrap_or_default();
    Hash::of(
        format!(
            "posture={}\ndisabled={}\nunprotected={}\nrules={}\npolicies={}\nbroken={}\nproject={}\n",
            p.as_str(),
            disabled.join(","),
            unprotected.join("\n"),
            added.digest(),
            written.digest,
            said(broken),
            said(project_broken)
        )
        .as_bytes(),
    )
}
