//! The fast path: an agent's question in, its answer out.
//!
//! Whatever goes wrong, the answer is a refusal in that agent's own protocol: silence, another exit code or broken JSON
//! let the call run in every agent there is.

mod args;
mod input;
mod output;
mod serve;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use agents::{Agent, Reply};
use broker::{Broker, Places};

/// What is left of an agent's patience when a person was waited for as long as can be. One that loses it lets the call run.
const RESERVE: Duration = Duration::from_secs(15);

pub use args::{Args, parse};
pub use input::{LIMIT, PATIENCE, read};
pub use output::write;
pub use serve::serve;

/// Answers one question at once. Never fails and never panics: the worst answer is a refusal. `places` comes as it was
/// found, because not to find them is a reason to refuse too.
#[must_use]
pub fn run(agent: Agent, places: Result<Places, broker::Error>, stdin: &[u8]) -> Reply {
    run_waiting(agent, places, stdin, None, false)
}

/// The same for a caller that may wait for a person's answer; it is told how long that takes at most.
/// With `news` whatever is no question and cannot be read is let go.
fn run_waiting(
    agent: Agent,
    places: Result<Places, broker::Error>,
    stdin: &[u8],
    waits: Waits<'_>,
    news: bool,
) -> Reply {
    let answered = catch_unwind(AssertUnwindSafe(|| answer(agent, places, stdin, waits)));
    match answered {
        Ok(Ok(reply)) => reply,
        _ if news => agents::pass(agent),
        Ok(Err(sentence)) => agents::refuse(agent, &sentence),
        Err(_) => agents::refuse(
            agent,
            "Tollgate refused this call: it failed while it judged it. Please report this.",
        ),
    }
}

/// Whoever is told how long a person is waited for; nobody where nothing is waited for.
type Waits<'w> = Option<&'w dyn Fn(Duration)>;

/// The story of one question; an error is the sentence of a refusal.
fn answer(
    agent: Agent,
    places: Result<Places, broker::Error>,
    stdin: &[u8],
    waits: Waits<'_>,
) -> Result<Reply, String> {
    let broker = Broker::open(places.map_err(|e| refusal(&e))?);
    match agents::read(agent, stdin) {
        Ok(call) if call.is_question() => {
            let mut decision = broker.decide(&call).map_err(|e| refusal(&e))?;
            let wait = broker.wait_for(&call, &decision).min(longest_wait(agent));
            if let Some(waits) = waits.filter(|_| !wait.is_zero()) {
                waits(wait);
                decision = broker.answered(&call, decision, wait).map_err(|e| refusal(&e))?;
            }
            Ok(agents::reply(agent, &call, &decision.answer()))
        }
        // What cannot be recorded happened all the same, and stopping there would make some agents go on for ever.
        Ok(call) => Ok(broker
            .told(&call)
            .map_or_else(|| agents::pass(agent), |line| agents::greet(agent, &line))),
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

/// The longest that a person is waited for.
fn longest_wait(agent: Agent) -> Duration {
    Duration::from_secs(agent.patience().into()).saturating_sub(RESERVE)
}

fn refusal(error: &broker::Error) -> String {
    format!("Tollgate refused this call: {error}. {}", error.hint())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m_52_a_wait_ends_before_the_agent_loses_patience() {
        for agent in Agent::ALL {
            let patience = Duration::from_secs(agent.patience().into());
            // A judgement before it, another one after it, and the watch that refuses for both.
            assert!(
                longest_wait(agent) + serve::DEADLINE * 2 < patience,
                "{}",
                agent.as_str()
            );
            assert!(!longest_wait(agent).is_zero());
        }
    }
}
