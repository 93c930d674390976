//! Codex.

use alloc::format;

use policy::Verdict;

use crate::reply::{Reply, opinion};
use crate::{Answer, tools};

/// What its tools do.
pub(crate) const TOOLS: &tools::Table = &tools::CODEX;

/// Codex knows only deny: `ask` and a bare `allow` count as a failed hook, and then the command runs. An ask therefore
/// denies and says how a person can go on; allow is silence.
pub(crate) fn reply(answer: &Answer) -> Reply {
    match (answer.verdict, answer.granted) {
        (Verdict::Deny, _) => opinion("deny", &answer.reason),
        (Verdict::Ask, false) => opinion(
            "deny",
            &format!(
                "{} Codex cannot ask a person, so it was not run; a person can run it in a terminal of their own.",
                answer.reason
            ),
        ),
        (Verdict::Ask, true) | (Verdict::Allow | Verdict::Warn, _) => Reply::default(),
    }
}
