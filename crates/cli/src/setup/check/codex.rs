//! What is checked for Codex.

use std::path::Path;

use broker::Places;

use crate::setup::check::Check;
use crate::setup::site::{Site, project_folders};
use crate::setup::{codex as server, files, places, trust as table};

/// Settings of Codex that switch hooks off.
pub(super) fn switches(site: &Site, here: &Path, home: &Path) -> Vec<Check> {
    const NAME: &str = "switches";
    let project = project_folders(here, home)
        .into_iter()
        .map(|folder| folder.join(".codex/config.toml"))
        // Where the home directory is a repository, the person's settings are met again.
        .filter(|file| Some(files::target(file)) != site.trust);
    let layers = site.trust.iter().cloned().chain(project);
    let mut found = Vec::new();
    for file in layers {
        let Ok(Some(text)) = files::read_text(&file) else {
            continue;
        };
        match table::hooks_off(&text) {
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
pub(super) fn trust(site: &Site, places: &Places) -> Check {
    const NAME: &str = "trust";
    let hint = "Run `tollgate install --agent codex`, or trust it in Codex with `/hooks`.";
    let Some(program) = places::program("codex") else {
        return Check::bad(
            NAME,
            "Codex is not on `PATH`, so its trust in the hook is unknown.",
            hint,
        );
    };
    match server::ours(&program, site, places) {
        Ok((hook, hears)) if hook.is_trusted() && !hears.iter().all(server::Listed::is_trusted) => Check::note(
            NAME,
            "Codex trusts the hook for calls, and skips it for what it only hears.",
            hint,
        ),
        Ok((hook, _)) if hook.is_trusted() => Check::fine(NAME, format!("Codex trusts the hook ({}).", hook.hash)),
        Ok((hook, _)) if hook.trust == "managed" => Check::fine(NAME, "The hook is managed, and needs no trust."),
        Ok((hook, _)) if !hook.enabled => Check::bad(NAME, "The hook is switched off in Codex.", hint),
        Ok((hook, _)) => Check::bad(
            NAME,
            format!("Codex calls the hook `{}` and skips it without a word.", hook.trust),
            hint,
        ),
        Err(fault) => Check::bad(NAME, fault.sentence, fault.hint),
    }
}
