//! Why a question could not be read.

use alloc::string::String;

/// A question that could not be read, and therefore is answered with a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// A stable word for records and tests: `too-large`, `not-json`, `duplicate-key`, ...
    pub kind: &'static str,
    /// What is wrong, one sentence.
    pub sentence: String,
    /// What a person can do about it, one sentence.
    pub hint: String,
}

impl Refusal {
    /// A refusal with the hint that fits every unreadable question.
    pub(crate) fn new(kind: &'static str, sentence: impl Into<String>) -> Self {
        Self {
            kind,
            sentence: sentence.into(),
            hint: String::from("Run `tollgate doctor`; if the agent was just updated, update Tollgate too."),
        }
    }
}
