//! What is kept before a call runs, so that it can be undone, and what that changes about the answer.
//!
//! A call that a person is asked about may run without the hook hearing of the answer, so what an ask would lose is kept as
//! well as what is let through. Where a snapshot holds all that a rule asks about, and the rule says so of itself
//! (`reversible` in `rules/verdicts`), nobody is asked. Where something cannot be kept, somebody is.

mod wanted;

use std::path::Path;

use agents::Call;
use policy::{Act, Finding, Judgement, Origin, Request, Risk, Subject, Verdict};
use snapshot::{Cause, Keep, Limits, Snapshot, Store};

use crate::config::Snapshots;
use crate::note;
use crate::world::names_of_ignored;
use wanted::{loses, wanted};

/// The rule id of the question about what cannot be kept.
const NOT_KEPT: &str = "cannot_be_undone";
/// Every so many snapshots old ones are looked for.
const EVERY: usize = 64;
/// Snapshots that are no older than this stay whatever they hold, in milliseconds.
const FRESH_MS: u64 = 60 * 60 * 1000;

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Saved {
    /// The name of the snapshot; empty where none was needed or none could be taken.
    pub(crate) id: String,
    /// What is not in it, in words.
    pub(crate) missing: Vec<String>,
}

/// Takes the snapshot that a call needs.
pub(crate) fn save(state: &Path, call: &Call, judgements: &[Judgement], set: Snapshots, now_ms: u64) -> Saved {
    let (wanted, mut missing) = wanted(&call.requests, judgements);
    if wanted.is_nothing() {
        return Saved {
            id: String::new(),
            missing,
        };
    }
    let store = Store::below(state);
    let limits = Limits {
        bytes: u64::from(set.budget_mb.get()) << 20,
        ..Limits::default()
    };
    match snapshot::take(&store, &wanted, cause(call, now_ms), names_of_ignored(), limits) {
        Ok(None) => Saved {
            id: String::new(),
            missing,
        },
        Ok(Some(taken)) => {
            missing.extend(taken.head.missing.iter().cloned());
            prune_sometimes(&store, set, now_ms, &taken);
            Saved {
                id: taken.head.id,
                missing,
            }
        }
        Err(error) => {
            missing.push(format!("anything, for the snapshot failed: {error}"));
            Saved {
                id: String::new(),
                missing,
            }
        }
    }
}

fn cause(call: &Call, now_ms: u64) -> Cause {
    let requests = call.requests.iter().map(|request| match &request.subject {
        Subject::Command(text) | Subject::Url(text) => text.clone(),
        Subject::File { path, delete, .. } => format!("{} {path}", if *delete { "delete" } else { "write" }),
        Subject::Tool { name, .. } => name.clone(),
    });
    let requests: Vec<String> = requests.collect();
    let makes = call.requests.iter().filter_map(|request| match &request.subject {
        Subject::File {
            content: Some(content),
            delete: false,
            ..
        } => Some(ledger::Hash::of(content.as_bytes()).hex()),
        _ => None,
    });
    Cause {
        time_ms: now_ms,
        agent: call.agent.as_str().into(),
        session: note::line(&call.session),
        call: note::line(&call.tool_use_id),
        request: note::line(&requests.join("; ")),
        digest: ledger::Hash::of(call.input_digest_source.as_bytes()).hex(),
        makes: makes.collect(),
        undo_of: String::new(),
    }
}

/// Old snapshots go now and then. That none could go now is no reason to hold a call.
fn prune_sometimes(store: &Store, set: Snapshots, now_ms: u64, taken: &Snapshot) {
    if store.count().is_multiple_of(EVERY) {
        let spared =
            |head: &snapshot::Head| head.id == taken.head.id || now_ms.saturating_sub(head.cause.time_ms) < FRESH_MS;
        let _pruned = store.prune(keep(set), now_ms, spared);
    }
}

/// What the settings say is kept.
pub(crate) fn keep(set: Snapshots) -> Keep {
    Keep {
        days: u64::from(set.days.get()),
        bytes: u64::from(set.keep_mb.get()) << 20,
        thoroughly: false,
    }
}

/// What a snapshot changes: where it holds everything, what it can bring back is no question any more; where it does not,
/// what would have been let through is one.
pub(crate) fn settle(saved: &Saved, judgements: &mut [Judgement], call: &Call, soften: bool) {
    let softens = soften && !saved.id.is_empty() && may_soften(judgements, &call.requests);
    if saved.missing.is_empty() && softens {
        let note = format!(
            "snapshot {} taken: `tollgate undo {}` brings it back",
            saved.id, saved.id
        );
        soften_all(judgements, &note);
    } else if !saved.missing.is_empty() {
        let lost = format!("cannot be brought back: {}", saved.missing.join("; "));
        hold_back(judgements, &lost);
    }
}

/// The same without having taken one: what would be decided.
pub(crate) fn would_settle(request: &Request, judgement: &mut Judgement, soften: bool) {
    let (wanted, missing) = wanted(std::slice::from_ref(request), std::slice::from_ref(judgement));
    let proved = || may_soften(std::slice::from_ref(judgement), std::slice::from_ref(request));
    if soften && missing.is_empty() && !wanted.is_nothing() && proved() {
        soften_all(
            std::slice::from_mut(judgement),
            "a snapshot is taken first, so `tollgate undo` brings it back",
        );
    }
}

/// Whether anything is to be softened, and every repository that it is about has a commit: before the first one nothing is
/// proved.
fn may_soften(judgements: &[Judgement], requests: &[Request]) -> bool {
    let spared = |finding: &Finding| finding.reversible && finding.verdict == Verdict::Ask;
    let any = judgements.iter().any(|judgement| judgement.findings.iter().any(spared));
    any && {
        let (wanted, _) = wanted(requests, judgements);
        wanted.trees.iter().all(|tree| snapshot::has_commit(&tree.dir))
    }
}

fn soften_all(judgements: &mut [Judgement], note: &str) {
    for judgement in judgements {
        for finding in &mut judgement.findings {
            if finding.reversible && finding.verdict == Verdict::Ask {
                finding.verdict = Verdict::Warn;
                finding.lost = match finding.lost.as_str() {
                    "" => note.to_owned(),
                    lost => format!("{lost}; {note}"),
                };
            }
        }
        judgement
            .findings
            .sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
    }
}

fn hold_back(judgements: &mut [Judgement], lost: &str) {
    for judgement in judgements {
        let Some(effect) = judgement
            .effects
            .iter()
            .find(|effect| loses(effect) || effect.act == Act::Write)
        else {
            continue;
        };
        let mut asks = judgement
            .findings
            .iter_mut()
            .filter(|finding| finding.verdict == Verdict::Ask)
            .peekable();
        if asks.peek().is_some() {
            asks.for_each(|finding| {
                finding.lost = [finding.lost.as_str(), lost]
                    .join("; ")
                    .trim_start_matches("; ")
                    .to_owned()
            });
            continue;
        }
        let finding = Finding {
            rule: NOT_KEPT.into(),
            origin: Origin::BuiltIn,
            verdict: Verdict::Ask,
            risk: Risk::Medium,
            why: "what it takes away could not be kept first".into(),
            instead: "commit it, move it aside, or name less at once".into(),
            lost: lost.into(),
            reversible: false,
            span: Some(effect.span),
            chain: effect.chain.clone(),
        };
        judgement.findings.insert(0, finding);
        judgement
            .findings
            .sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
    }
}
