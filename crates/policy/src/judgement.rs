//! The opinion on a request: all findings, and the strictest verdict among them.

use alloc::string::String;
use alloc::vec::Vec;

use shell::Span;

use crate::{Effect, Look, Posture, Request, Risk, Verdict, World};

/// What people have set.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Posture.
    pub posture: Posture,
    /// Ids of built-in rules that the person switched off.
    pub disabled: Vec<String>,
    /// Why the person's configuration could not be read. While it is set, every effect that changes something and is
    /// not known to be harmless is refused.
    pub broken: Option<String>,
}

/// One rule that matched.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule's id.
    pub rule: String,
    /// Its verdict under the posture in force.
    pub verdict: Verdict,
    /// How bad it is.
    pub risk: Risk,
    /// Why the rule exists, one sentence.
    pub why: String,
    /// What to do instead, one sentence.
    pub instead: String,
    /// What would be lost or given away, in words (`everything under /home/ann`); empty when nothing can be named.
    pub lost: String,
    /// The part of the command text that made it match. `None` for file tools.
    pub span: Option<Span>,
    /// How the matching part was reached, outermost first (`variable c = "rm"`, `sudo runs`, ...).
    pub chain: Vec<String>,
}

/// All findings of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// The rules that matched, strictest first, in rule order among equals.
    pub findings: Vec<Finding>,
    /// What carrying the request out would do.
    pub effects: Vec<Effect>,
    /// What was asked of the world.
    pub looks: Vec<Look>,
}

impl Judgement {
    /// The strictest verdict; `Allow` when nothing matched.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.findings.iter().map(|f| f.verdict).max().unwrap_or_default()
    }

    /// The finding that decides: the first of the strictest.
    #[must_use]
    pub fn decisive(&self) -> Option<&Finding> {
        self.findings.iter().find(|f| f.verdict == self.verdict())
    }
}

/// Judges one request. Total: it never panics, and its work is bounded.
#[must_use]
pub fn judge(_request: &Request, _world: &dyn World, _settings: &Settings) -> Judgement {
    Judgement::default()
}

/// Ids of all built-in rules, in evaluation order.
#[must_use]
pub fn rule_ids() -> Vec<&'static str> {
    Vec::new()
}
