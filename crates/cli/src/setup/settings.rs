//! What an agent's settings say about us, whatever form they have.

use agents::{Agent, Hook};

use crate::setup::{json, own};

/// The text with our hook in it.
pub(crate) fn with_hook(text: &str, agent: Agent, hook: &Hook) -> Result<String, String> {
    match hook {
        Hook::Handler(fields) => json::with_handler(text, agent, fields),
        Hook::File { text: file, .. } => own::with_file(text, file),
    }
}

/// The text without our hook; `None` where the file goes with it.
pub(crate) fn without_hook(text: &str, agent: Agent) -> Result<Option<String>, String> {
    match agent.form() {
        agents::Form::File => Ok(own::without_file(text)),
        _ => json::without_handler(text, agent).map(Some),
    }
}

/// Where our hook stands among others, if it does.
pub(crate) fn position(text: &str, agent: Agent) -> Option<usize> {
    match agent.form() {
        agents::Form::File => own::is_ours(text).then_some(0),
        _ => json::position(text, agent),
    }
}

/// Whether exactly this hook stands there, once.
pub(crate) fn has_hook(text: &str, agent: Agent, hook: &Hook) -> bool {
    with_hook(text, agent, hook).is_ok_and(|edited| edited == text)
}

/// The mode of a file that is made for it.
pub(crate) const fn mode(hook: &Hook) -> u32 {
    match hook {
        Hook::Handler(_) => 0o600,
        Hook::File { mode, .. } => *mode,
    }
}
