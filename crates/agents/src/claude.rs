//! Claude Code.

use policy::Verdict;

use crate::reply::{Reply, opinion};
use crate::{Answer, tools};

/// What its tools do.
pub(crate) const TOOLS: &tools::Table = &tools::CLAUDE;

/// Deny and ask as JSON with exit 0: exit 2 would block too, but shows the hook's command line to the model. An allow
/// would skip the client's own prompts, so it is said only where a person granted it.
pub(crate) fn reply(answer: &Answer) -> Reply {
    match (answer.verdict, answer.granted) {
        (Verdict::Deny, _) => opinion("deny", &answer.reason),
        (Verdict::Ask, false) => opinion("ask", &answer.reason),
        (_, true) => opinion("allow", &answer.reason),
        (Verdict::Allow | Verdict::Warn, false) => Reply::default(),
    }
}
