//! Blocks of text for people who follow a log with plain tools: every decision that was not simply let through, chained.

use std::io::{self, Write};

use ledger::Hash;

use super::{Record, Shape};
use crate::entry::Entry;

/// Blocks, each with the hash of the one before it in its own.
pub(super) struct Blocks {
    prev: String,
}

impl Default for Blocks {
    fn default() -> Self {
        Self {
            prev: Hash::GENESIS.hex(),
        }
    }
}

impl Shape for Blocks {
    fn record(&mut self, record: &Record<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
        let entry = record.entry;
        let Some(said) = said(entry) else { return Ok(()) };
        let line = |text: &str| {
            record
                .safe(text)
                .replace('\\', "\\\\")
                .replace('\n', "\\n")
                .replace('\t', "\\t")
        };
        let body = format!(
            "{}\nCommand: {} agent={}\nOutput: {}\n",
            line(&entry.time),
            line(&said),
            line(&entry.agent.name),
            line(entry.subject())
        );
        self.prev = Hash::of(format!("{}{body}", self.prev).as_bytes()).hex();
        writeln!(out, "{body}Chain: {}\n---", self.prev)
    }
}

/// What was decided, and why; `None` for what was let through without more.
fn said(entry: &Entry<'_>) -> Option<String> {
    if entry.kind != "decision" && entry.kind != "malformed" {
        return None;
    }
    let decision = &entry.decision;
    // Nothing was told to the agent then.
    if matches!(decision.posture.as_ref(), "observe" | "off") {
        return None;
    }
    let silenced = !decision.exception.is_empty();
    let remembered = !decision.granted.is_empty() || !decision.cache_hit.is_empty();
    match (entry.verdict.as_ref(), entry.rule()) {
        (_, rule) if remembered => Some(format!("ALLOW [approval_cache:{rule}]")),
        ("allow" | "warn", _) if silenced => Some(format!("ALLOW [allow_exception:{}]", decision.exception)),
        ("ask" | "deny", "") => Some(entry.verdict.to_uppercase()),
        ("ask" | "deny", rule) => Some(format!("{} [{rule}]", entry.verdict.to_uppercase())),
        _ => None,
    }
}
