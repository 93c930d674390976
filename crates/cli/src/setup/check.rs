//! What can be wrong with an installation, checked without changing anything.

use std::path::{Path, PathBuf};

use agents::Agent;
use agents::json::{self, Json};
use broker::{Broker, Places};

use crate::exit::Fault;
use crate::setup::places;
use crate::setup::site::Site;
use crate::setup::{binary, codex, files, safe, trust, version};

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
    fn fine(name: &'static str, detail: impl Into<String>) -> Self {
        Self {
            name,
            state: State::Fine,
            detail: detail.into(),
            hint: String::new(),
        }
    }

    fn bad(name: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            name,
            state: State::Bad,
            detail: detail.into(),
            hint: hint.into(),
        }
    }

    fn note(name: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            name,
            state: State::Note,
            detail: detail.into(),
            hint: hint.into(),
        }
    }
}

/// What is checked once for all agents.
pub(crate) fn general(places: &Places) -> Vec<Check> {
    vec![
        config(places),
        binary(places),
        places_safe(places),
        state(&places.state),
    ]
}

/// The person's settings. While they cannot be read, everything that changes something is refused.
fn config(places: &Places) -> Check {
    const NAME: &str = "config";
    match Broker::open(places.clone()).config_error() {
        None => Check::fine(
            NAME,
            format!("The settings in `{}` can be read.", places.config.display()),
        ),
        Some(error) => Check::bad(
            NAME,
            format!("{error}."),
            "Mend the file; until then only harmless calls pass.",
        ),
    }
}

/// The installed hook program: there, and the one that belongs to this program.
fn binary(places: &Places) -> Check {
    const NAME: &str = "binary";
    let path = places::hook(places);
    let again = "Run `tollgate install`.";
    match (
        binary::hash(&path),
        binary::source().and_then(|source| binary::hash(&source)),
    ) {
        (Ok(None), _) => Check::bad(
            NAME,
            format!("The hook program `{}` is not there.", path.display()),
            again,
        ),
        (Ok(Some(installed)), Ok(Some(own))) if installed == own => Check::fine(
            NAME,
            format!(
                "`{}` is the hook of this version (sha256 {}).",
                path.display(),
                own.hex()
            ),
        ),
        (Ok(Some(_)), Ok(_)) => Check::bad(
            NAME,
            format!("`{}` is not the hook of this version.", path.display()),
            again,
        ),
        (Ok(Some(installed)), Err(_)) => Check::note(
            NAME,
            format!(
                "`{}` (sha256 {}) has nothing to be compared with.",
                path.display(),
                installed.hex()
            ),
            "Keep `tollgate-hook` beside `tollgate`.",
        ),
        (Err(fault), _) => Check::bad(NAME, fault.sentence, again),
    }
}

fn places_safe(places: &Places) -> Check {
    const NAME: &str = "places";
    match places::unsafe_one(places) {
        None => Check::fine(
            NAME,
            "No other user can replace the hook, its configuration or its ledger.",
        ),
        Some((_, found)) => Check::bad(
            NAME,
            format!("`{}` is not safe: {}.", found.path.display(), found.why),
            "Take the right to write there away from others, or move it with `TOLLGATE_HOME`.",
        ),
    }
}

/// The ledger's folder: a decision that cannot be recorded is refused, so a folder that cannot be written stops all work.
fn state(folder: &Path) -> Check {
    const NAME: &str = "state";
    let probe = folder.join(".doctor");
    let tried = std::fs::write(&probe, b"").and_then(|()| std::fs::remove_file(&probe));
    match tried {
        Ok(()) => Check::fine(NAME, format!("`{}` can be written.", folder.display())),
        Err(e) if !folder.exists() => Check::note(
            NAME,
            format!("`{}` is not there yet ({e}).", folder.display()),
            "The first decision makes it.",
        ),
        Err(e) => Check::bad(
            NAME,
            format!("`{}` cannot be written: {e}.", folder.display()),
            "Every call is refused until decisions can be recorded there.",
        ),
    }
}

/// What is checked for one agent.
pub(crate) fn agent(site: &Site, places: &Places, here: &Path) -> Vec<Check> {
    let mut checks = vec![entry(site, places), settings_safe(site)];
    match site.agent {
        Agent::Claude => {
            checks.push(claude_version());
            checks.extend(claude_switches(site, here));
        }
        Agent::Codex => {
            checks.extend(codex_switches(site, here));
            // Codex is started for this question; without an entry the answer is known.
            if is_entered(site) {
                checks.push(codex_trust(site, places));
            }
        }
    }
    checks
}

/// Whether any entry of ours stands in the settings.
pub(crate) fn is_entered(site: &Site) -> bool {
    let text = files::read_text(&site.settings).ok().flatten();
    text.is_some_and(|text| crate::setup::json::position(&text, site.agent).is_some())
}

/// The entry in the settings, exactly as install writes it.
fn entry(site: &Site, places: &Places) -> Check {
    const NAME: &str = "entry";
    let again = format!("Run `tollgate install --agent {}`.", site.agent.as_str());
    let file = site.settings.display();
    let seen = files::read_text(&site.settings).and_then(|text| Ok((text, places::for_entry(places)?)));
    let (text, places) = match seen {
        Ok((Some(text), places)) => (text, places),
        Ok((None, _)) => return Check::bad(NAME, format!("There is no `{file}`."), again),
        Err(Fault { sentence, .. }) => return Check::bad(NAME, sentence, again),
    };
    match json::parse(strip_mark(&text).as_bytes()) {
        Err(why) => Check::bad(
            NAME,
            format!("{} does not read `{file}` at all: {}", site.agent.title(), why.sentence),
            "It must be strict JSON, without comments and trailing commas.",
        ),
        Ok(_) if crate::setup::json::has_entry(&text, site.agent, &site.agent.entry(&places)) => {
            Check::fine(NAME, format!("The hook stands in `{file}`."))
        }
        Ok(_) if crate::setup::json::position(&text, site.agent).is_some() => Check::bad(
            NAME,
            format!("The entry in `{file}` is not the one of this version."),
            again,
        ),
        Ok(_) => Check::bad(NAME, format!("The hook does not stand in `{file}`."), again),
    }
}

/// Whoever can replace the settings can take the entry out.
fn settings_safe(site: &Site) -> Check {
    const NAME: &str = "settings";
    match safe::check(&site.settings) {
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

/// Older versions let a call run when the hook is missing, fails or takes too long, whatever the entry says.
fn claude_version() -> Check {
    const NAME: &str = "version";
    let [major, minor, patch] = version::BLOCKS_ON_FAILURE;
    let needed = format!("{major}.{minor}.{patch}");
    match places::program("claude").as_deref().and_then(version::of) {
        Some(found) if found >= version::BLOCKS_ON_FAILURE => {
            let [major, minor, patch] = found;
            Check::fine(
                NAME,
                format!("Version {major}.{minor}.{patch} blocks calls when the hook fails."),
            )
        }
        Some([major, minor, patch]) => Check::bad(
            NAME,
            format!("Version {major}.{minor}.{patch} lets calls run when the hook fails."),
            format!("Update Claude Code to {needed} or later."),
        ),
        None => Check::note(
            NAME,
            "The version of Claude Code is not known.",
            format!("Before {needed} it lets calls run when the hook fails."),
        ),
    }
}

/// Settings of Claude Code that switch hooks off, in every layer that applies here.
fn claude_switches(site: &Site, here: &Path) -> Vec<Check> {
    const NAME: &str = "switches";
    let managed = PathBuf::from("/etc/claude-code/managed-settings.json");
    let project = |name: &str| here.join(".claude").join(name);
    let layers = [
        site.settings.clone(),
        project("settings.json"),
        project("settings.local.json"),
        managed.clone(),
    ];
    let mut found = Vec::new();
    for file in layers {
        let Ok(Some(text)) = files::read_text(&file) else {
            continue;
        };
        let shown = file.display();
        let settings = match json::parse(strip_mark(&text).as_bytes()) {
            Ok(settings) => settings,
            Err(why) if file == site.settings => {
                // The entry's check says it already.
                drop(why);
                continue;
            }
            Err(why) => {
                let detail = format!("Claude Code does not read `{shown}`: {}", why.sentence);
                found.push(Check::note(NAME, detail, "Mend it, or it stays without effect."));
                continue;
            }
        };
        if settings.get("disableAllHooks") == Some(&Json::Bool(true)) {
            let detail = format!("`disableAllHooks` in `{shown}` switches the hook off.");
            found.push(Check::bad(NAME, detail, "Take it out of the file."));
        }
        if file == managed && settings.get("allowManagedHooksOnly") == Some(&Json::Bool(true)) {
            let detail = format!("`allowManagedHooksOnly` in `{shown}` switches a person's hooks off.");
            found.push(Check::bad(
                NAME,
                detail,
                "Ask who manages this machine to install the hook there.",
            ));
        }
        if let Some(field) = misshapen(&settings) {
            let detail = format!("Claude Code drops `{shown}` as a whole: `{field}` has the wrong form.");
            found.push(Check::bad(NAME, detail, "Mend the file."));
        }
    }
    if found.is_empty() {
        found.push(Check::fine(NAME, "No settings that apply here switch hooks off."));
    }
    found
}

/// A field whose form makes Claude Code drop the whole file. Not all are known: a proof needs the real client.
fn misshapen(settings: &Json) -> Option<String> {
    let object = |name: &str| {
        settings
            .get(name)
            .filter(|value| value.as_object().is_none())
            .map(|_| name.to_owned())
    };
    let list = |of: &str, value: Option<&Json>, name: &str| {
        let good = value.is_none_or(|v| {
            v.as_array()
                .is_some_and(|items| items.iter().all(|i| i.as_str().is_some()))
        });
        (!good).then(|| format!("{of}.{name}"))
    };
    let rules = settings.get("permissions");
    let rule = |name: &str| list("permissions", rules.and_then(|rules| rules.get(name)), name);
    let events = settings.get("hooks").and_then(Json::as_object).into_iter().flatten();
    let mut events = events
        .filter(|(_, groups)| groups.as_array().is_none())
        .map(|(name, _)| format!("hooks.{name}"));
    object("hooks")
        .or_else(|| object("permissions"))
        .or_else(|| object("env"))
        .or_else(|| ["allow", "deny", "ask"].into_iter().find_map(rule))
        .or_else(|| events.next())
}

/// Settings of Codex that switch hooks off.
fn codex_switches(site: &Site, here: &Path) -> Vec<Check> {
    const NAME: &str = "switches";
    let layers = site.trust.iter().cloned().chain([here.join(".codex/config.toml")]);
    let mut found = Vec::new();
    for file in layers {
        let Ok(Some(text)) = files::read_text(&file) else {
            continue;
        };
        match trust::hooks_off(&text) {
            Ok(false) => {}
            Ok(true) => {
                let detail = format!(
                    "`features.hooks = false` in `{}` switches the hook off.",
                    file.display()
                );
                found.push(Check::bad(NAME, detail, "Take it out of the file."));
            }
            Err(why) => {
                let detail = format!("Codex cannot read `{}`: {why}.", file.display());
                found.push(Check::bad(NAME, detail, "Mend the file."));
            }
        }
    }
    if found.is_empty() {
        found.push(Check::fine(NAME, "No settings that apply here switch hooks off."));
    }
    found
}

/// Whether Codex trusts the hook, by its own word.
fn codex_trust(site: &Site, places: &Places) -> Check {
    const NAME: &str = "trust";
    let hint = "Run `tollgate install --agent codex`, or trust it in Codex with `/hooks`.";
    let Some(program) = places::program("codex") else {
        return Check::bad(
            NAME,
            "Codex is not on `PATH`, so its trust in the hook is unknown.",
            hint,
        );
    };
    match codex::ours(&program, site, places) {
        Ok(hook) if hook.trust == "trusted" && hook.enabled => {
            Check::fine(NAME, format!("Codex trusts the hook ({}).", hook.hash))
        }
        Ok(hook) if hook.trust == "managed" => Check::fine(NAME, "The hook is managed, and needs no trust."),
        Ok(hook) if !hook.enabled => Check::bad(NAME, "The hook is switched off in Codex.", hint),
        Ok(hook) => Check::bad(
            NAME,
            format!("Codex calls the hook `{}` and skips it without a word.", hook.trust),
            hint,
        ),
        Err(fault) => Check::bad(NAME, fault.sentence, fault.hint),
    }
}

/// Text without a byte order mark, which Claude Code reads past.
fn strip_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
