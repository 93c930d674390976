//! What can be wrong with an installation, checked without changing anything.

mod claude;
mod codex;
mod general;
mod switches;

use std::path::Path;

use agents::{Agent, Form};
use broker::Places;

use crate::exit::Fault;
use crate::setup::site::Site;
use crate::setup::{files, json, places, settings};

pub(crate) use general::{distrusted, general};

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    /// What was looked at: `entry`, `binary`, `trust`, ...
    pub(crate) name: &'static str,
    /// Whether it is as it should be.
    pub(crate) state: State,
    /// What was seen, one sentence.
    pub(crate) detail: String,
    /// What to do, one sentence; empty where nothing is to be done.
    pub(crate) hint: String,
}

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// As it should be.
    Fine,
    /// Worth knowing, and no finding.
    Note,
    /// Calls may pass the gate by.
    Bad,
}

impl State {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Note => "note",
            Self::Bad => "bad",
        }
    }
}

impl Check {
    /// Whether calls may pass the gate by.
    pub(crate) fn is_bad(&self) -> bool {
        self.state == State::Bad
    }

    pub(super) fn fine(name: &'static str, detail: impl Into<String>) -> Self {
        Self {
            name,
            state: State::Fine,
            detail: detail.into(),
            hint: String::new(),
        }
    }

    pub(super) fn bad(name: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            name,
            state: State::Bad,
            detail: detail.into(),
            hint: hint.into(),
        }
    }

    pub(super) fn note(name: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            name,
            state: State::Note,
            detail: detail.into(),
            hint: hint.into(),
        }
    }
}

/// What is checked for one agent.
pub(crate) fn agent(site: &Site, places: &Places, here: &Path) -> Vec<Check> {
    let mut checks = vec![entry(site, places), settings_safe(site)];
    match site.agent {
        Agent::Claude => {
            checks.push(claude::version());
            checks.extend(claude::switches(
                site,
                &Site::of_person(site.agent, places),
                here,
                &places.home,
            ));
        }
        Agent::Codex => {
            checks.extend(codex::switches(site, here, &places.home));
            // Codex is started for this question; without an entry the answer is known.
            if is_entered(site) {
                checks.push(codex::trust(site, places));
            }
        }
        _ => checks.extend(switches::switches(site, places, here)),
    }
    checks
}

/// Whether any entry of ours stands in the settings.
pub(crate) fn is_entered(site: &Site) -> bool {
    let text = files::read_text(&site.settings).ok().flatten();
    text.is_some_and(|text| settings::position(&text, site.agent).is_some())
}

/// The entry in the settings, exactly as install writes it.
fn entry(site: &Site, places: &Places) -> Check {
    const NAME: &str = "entry";
    let again = format!("Run `tollgate install --agent {}`.", site.agent.as_str());
    let file = site.settings.display();
    let seen = files::read_text(&site.settings).and_then(|text| Ok((text, places::for_site(site, places)?)));
    let (text, places) = match seen {
        Ok((Some(text), places)) => (text, places),
        Ok((None, _)) => return Check::bad(NAME, format!("There is no `{file}`."), again),
        Err(Fault { sentence, .. }) => return Check::bad(NAME, sentence, again),
    };
    let hook = site.agent.hook(&places);
    match json::readable(&text, site.agent) {
        Err(why) if site.agent.form() != Form::File => Check::bad(
            NAME,
            format!(
                "{} does not read `{file}` at all: {}.",
                site.agent.title(),
                why.trim_end_matches('.')
            ),
            strictness(site.agent),
        ),
        _ if settings::has_hook(&text, site.agent, &hook) => Check::fine(NAME, format!("The hook stands in `{file}`.")),
        _ if settings::position(&text, site.agent).is_some() => Check::bad(
            NAME,
            format!("The entry in `{file}` is not the one of this version."),
            again,
        ),
        _ => Check::bad(NAME, format!("The hook does not stand in `{file}`."), again),
    }
}

/// What form the settings must have.
const fn strictness(agent: Agent) -> &'static str {
    if agent.reads_comments() {
        "It must be JSON without trailing commas."
    } else {
        "It must be strict JSON, without comments and trailing commas."
    }
}

/// Whoever can replace the settings can take the entry out.
fn settings_safe(site: &Site) -> Check {
    const NAME: &str = "settings";
    match broker::only_own_hands(&site.settings) {
        Ok(()) => Check::fine(
            NAME,
            format!("No other user can replace `{}`.", site.settings.display()),
        ),
        Err(found) => Check::bad(
            NAME,
            format!("`{}` is not safe: {}.", found.path.display(), found.why),
            "Take the right to write there away from others.",
        ),
    }
}

/// Text without a byte order mark, which Claude Code reads past.
pub(crate) fn strip_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
