//! Entries of settings that switch hooks off, by `rules/agents.toml`.

use std::path::{Path, PathBuf};

use agents::json::Json;
use agents::{Place, Switch};
use broker::Places;

use crate::setup::check::Check;
use crate::setup::json::values;
use crate::setup::site::{Site, project_folders};
use crate::setup::{files, places};

const NAME: &str = "switches";

/// Settings of the agent that switch hooks off, wherever they stand and apply here.
pub(super) fn switches(site: &Site, places: &Places, here: &Path) -> Vec<Check> {
    let mut found: Vec<Check> = site
        .agent
        .switches()
        .iter()
        .flat_map(|switch| {
            candidates(switch, site, places, here)
                .into_iter()
                .map(move |file| (switch, file))
        })
        .filter(|(switch, file)| is_on(switch, file))
        .map(|(switch, file)| bad(switch, &file))
        .collect();
    if found.is_empty() {
        found.push(Check::fine(NAME, "No settings that apply here switch hooks off."));
    }
    found
}

/// The files in which it may stand.
fn candidates(switch: &Switch, site: &Site, places: &Places, here: &Path) -> Vec<PathBuf> {
    let home = places::agent_folder(site.agent, places);
    match switch.place {
        Place::Home => vec![home.join(switch.file)],
        Place::Machine => vec![switch.file.into()],
        Place::Project => project_folders(here, &places.home)
            .into_iter()
            .filter(|folder| *folder != places.home)
            .map(|folder| folder.join(switch.file))
            .collect(),
    }
}

/// A file that cannot be read switches nothing off: the agent does not read it either.
fn is_on(switch: &Switch, file: &Path) -> bool {
    let Ok(Some(text)) = files::read_text(file) else {
        return false;
    };
    let says = |value: &Json| match value.as_array() {
        // A hook without a name goes by its command.
        Some(items) if switch.list => items
            .iter()
            .filter_map(Json::as_str)
            .any(|item| item.contains(switch.value)),
        _ => value.text() == switch.value,
    };
    values(&text, switch.key).iter().any(says)
}

fn bad(switch: &Switch, file: &Path) -> Check {
    let says = if switch.list {
        format!("{} has {}", switch.key, switch.value)
    } else {
        format!("{} = {}", switch.key, switch.value)
    };
    Check::bad(
        NAME,
        format!("`{says}` in `{}` switches the hook off.", file.display()),
        "Take it out of the file.",
    )
}
