//! The fast path: an agent's question in, its answer out.
//!
//! Whatever goes wrong, the answer is a refusal in that agent's own protocol: silence, another exit code or broken JSON
//! let the call run in every agent there is.

mod args;
mod input;
mod output;
mod serve;

use std::panic::{AssertUnwindSafe, catch_unwind};

use agents::{Agent, Reply};
use broker::{Broker, Places};

pub use args::{Args, parse};
pub use input::{LIMIT, PATIENCE, read};
pub use output::write;
pub use serve::serve;

/// Answers one question. Never fails and never panics: the worst answer is a refusal. `places` comes as it was found,
/// because not to find them is a reason to refuse too.
#[must_use]
pub fn run(agent: Agent, places: Result<Places, broker::Error>, stdin: &[u8]) -> Reply {
    let answered = catch_unwind(AssertUnwindSafe(|| answer(agent, places, stdin)));
    match answered {
        Ok(Ok(reply)) => reply,
        Ok(Err(sentence)) => agents::refuse(agent, &sentence),
        Err(_) => agents::refuse(
            agent,
            "Tollgate refused this call: it failed while it judged it. Please report this.",
        ),
    }
}

/// The story of one question; an error is the sentence of a refusal.
fn answer(agent: Agent, places: Result<Places, broker::Error>, stdin: &[u8]) -> Result<Reply, String> {
    let broker = Broker::open(places.map_err(|e| refusal(&e))?);
    match agents::read(agent, stdin) {
        Ok(call) if call.is_question() => {
            let decision = broker.decide(&call).map_err(|e| refusal(&e))?;
            Ok(agents::reply(agent, &call, &decision.answer()))
        }
        Ok(_) => Ok(Reply::default()),
        Err(unread) => {
            // It is refused either way; that it could not be recorded changes nothing for the agent.
            let _ = broker.record_malformed(agent, stdin, &unread);
            Err(format!(
                "Tollgate refused this call. {} {}",
                unread.sentence, unread.hint
            ))
        }
    }
}

fn refusal(error: &broker::Error) -> String {
    format!("Tollgate refused this call: {error}. {}", error.hint())
}
