//! What is checked for Claude Code.

use std::path::{Path, PathBuf};

use agents::Agent;
use agents::json::{self, Json};

use crate::setup::check::{Check, strip_mark};
use crate::setup::json::values;
use crate::setup::site::{Site, project_folders};
use crate::setup::{files, places, version as client};

/// Older versions let a call run when the hook is missing, fails or takes too long, whatever the entry says.
pub(super) fn version() -> Check {
    const NAME: &str = "version";
    let [major, minor, patch] = client::BLOCKS_ON_FAILURE;
    let needed = format!("{major}.{minor}.{patch}");
    match places::program("claude").and_then(|program| client::of(&program, Agent::Claude)) {
        Some(found) if found >= client::BLOCKS_ON_FAILURE => {
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

/// The settings that a company puts on a machine.
const MANAGED: &str = "/etc/claude-code/managed-settings.json";

/// Settings of Claude Code that switch hooks off, in every layer that applies here.
pub(super) fn switches(site: &Site, person: &Site, here: &Path, home: &Path) -> Vec<Check> {
    let project = project_folders(here, home)
        .into_iter()
        .flat_map(|folder| ["settings.json", "settings.local.json"].map(|name| folder.join(".claude").join(name)))
        .chain([person.settings.clone(), MANAGED.into()]);
    let mut layers: Vec<PathBuf> = vec![site.settings.clone()];
    for file in project {
        // The entry may stand in a project, and the home directory may be a repository: no file is looked at twice.
        if layers.iter().all(|known| files::target(known) != files::target(&file)) {
            layers.push(file);
        }
    }
    let found: Vec<Check> = layers.iter().flat_map(|file| layer(file, site)).collect();
    if found.is_empty() {
        return vec![Check::fine(SWITCHES, "No settings that apply here switch hooks off.")];
    }
    found
}

const SWITCHES: &str = "switches";

/// What one layer does to hooks.
fn layer(file: &Path, site: &Site) -> Vec<Check> {
    let Ok(Some(text)) = files::read_text(file) else {
        return Vec::new();
    };
    let shown = file.display();
    let on = |field: &str| values(&text, field).contains(&Json::Bool(true));
    let mut found = Vec::new();
    if on("disableAllHooks") {
        let detail = format!("`disableAllHooks` in `{shown}` switches the hook off.");
        found.push(Check::bad(SWITCHES, detail, "Take it out of the file."));
    }
    let settings = match json::parse_of("it", strip_mark(&text).as_bytes()) {
        Ok(settings) => settings,
        // The check of the entry says it already.
        Err(_) if file == site.settings => return found,
        Err(why) => {
            let detail = format!("Claude Code does not read `{shown}`: {}", why.sentence);
            found.push(Check::note(SWITCHES, detail, "Mend it, or it stays without effect."));
            return found;
        }
    };
    if file == Path::new(MANAGED) && on("allowManagedHooksOnly") {
        let detail = format!("`allowManagedHooksOnly` in `{shown}` switches a person's hooks off.");
        found.push(Check::bad(
            SWITCHES,
            detail,
            "Ask who manages this machine to install the hook there.",
        ));
    }
    if let Some(field) = misshapen(&settings) {
        let detail = format!("Claude Code drops `{shown}` as a whole: `{field}` has the wrong form.");
        found.push(Check::bad(SWITCHES, detail, "Mend the file."));
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
