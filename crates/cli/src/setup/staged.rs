//! A copy of what is installed, for a run of the client in a home of its own: the same entry in the same settings, without
//! what would lead the client to another model or start other programs.

use std::path::{Path, PathBuf};

use agents::json::{self, Json};
use agents::{Agent, Drive, Form, Run};
use broker::Places;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject};
use live::Stage;

use crate::exit::{Exit, Fault};
use crate::setup::check::strip_mark;
use crate::setup::json::{events, parse, value};
use crate::setup::site::Site;
use crate::setup::{files, settings, trust};

/// Puts the copy of an agent's settings and the files of its drive into the stage.
pub(crate) fn put(stage: &Stage, site: &Site, places: &Places, drive: &Drive, run: Run<'_>) -> Result<(), Fault> {
    let installed = files::read_text(&site.settings)?.unwrap_or_default();
    let target = target(site, places);
    let mut given = drive.files(run);
    let laid_over = given.iter().position(|(path, _)| Path::new(path) == target);
    let laid_over = laid_over.map(|at| given.swap_remove(at).1);
    let text = match site.agent.form() {
        Form::File => installed.clone(),
        _ => reduced(&installed, site.agent, drive, laid_over.as_deref()).map_err(unstaged)?,
    };
    let mode = if site.agent.form() == Form::File { 0o700 } else { 0o600 };
    write(stage, &target, &text, mode)?;
    for (path, text) in given {
        let text = match &site.trust {
            Some(file) if Path::new(path).file_name() == file.file_name() => {
                with_trust(&text, site, file, (&installed, &stage.home().join(&target)))?
            }
            _ => text,
        };
        write(stage, Path::new(path), &text, 0o600)?;
    }
    Ok(())
}

/// Where the settings stand below the home of the stage.
fn target(site: &Site, places: &Places) -> PathBuf {
    let person = Site::of_person(site.agent, places);
    match site.agent.project_file() {
        Some(file) if !site.is(&person) => Path::new("project").join(file),
        _ => Path::new(site.agent.folder()).join(site.agent.settings_file()),
    }
}

fn write(stage: &Stage, path: &Path, text: &str, mode: u32) -> Result<(), Fault> {
    stage
        .write(&path.to_string_lossy(), text, mode)
        .map_err(|e| files::io_fault("write", &stage.home().join(path), &e))
}

/// The settings with our hooks alone, and with these fields laid over them. Settings that nobody can read stay as they are:
/// the client shall make of them what it does.
fn reduced(text: &str, agent: Agent, drive: &Drive, over: Option<&str>) -> Result<String, String> {
    let body = strip_mark(text);
    let Ok(root) = parse(if body.trim().is_empty() { "{}" } else { body }) else {
        return Ok(text.to_owned());
    };
    let Some(object) = root.object_value() else {
        return Ok(text.to_owned());
    };
    drive.drop.iter().for_each(|name| remove(&object, name));
    if let Some(hooks) = events(&root, agent) {
        hooks
            .properties()
            .iter()
            .filter_map(|event| event.value())
            .for_each(|list| ours_alone(&list, agent));
    }
    let over = json::parse(over.unwrap_or("{}").as_bytes()).map_err(|refusal| refusal.sentence)?;
    for (name, value) in over.as_object().into_iter().flatten() {
        remove(&object, name);
        object.append(name, input(value));
    }
    Ok(root.to_string())
}

fn remove(object: &CstObject, name: &str) {
    while let Some(property) = object.get(name) {
        property.remove();
    }
}

/// Takes the handlers of others out of an event's list.
fn ours_alone(list: &CstNode, agent: Agent) {
    let Some(list) = list.as_array() else { return };
    let foreign = |node: &CstNode| !agent.runs_us(&value(node));
    for item in list.elements() {
        let group = item.as_object().and_then(|group| group.array_value("hooks"));
        match group {
            Some(handlers) => {
                handlers
                    .elements()
                    .into_iter()
                    .filter(foreign)
                    .for_each(CstNode::remove);
                if handlers.elements().is_empty() {
                    item.remove();
                }
            }
            None if foreign(&item) => item.remove(),
            None => {}
        }
    }
}

fn input(value: &Json) -> CstInputValue {
    match value {
        Json::Null => CstInputValue::Null,
        Json::Bool(yes) => CstInputValue::Bool(*yes),
        Json::String(text) => CstInputValue::String(text.clone()),
        Json::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Json::Object(fields) => CstInputValue::Object(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), input(value)))
                .collect(),
        ),
        number => CstInputValue::Number(number.text()),
    }
}

/// The trust that a person gave the entry, for the same entry in the copy: the hash does not cover where it stands.
fn with_trust(text: &str, site: &Site, file: &Path, (installed, copy): (&str, &Path)) -> Result<String, Fault> {
    let stored = files::read_text(file)?.unwrap_or_default();
    let Some(position) = settings::position(installed, site.agent) else {
        return Ok(text.to_owned());
    };
    match trust::stored(&stored, site, position).map_err(unstaged)? {
        // The copy holds our hook alone.
        Some(hash) => trust::with_trust(text, &trust::key(&copy.to_string_lossy(), 0), &hash).map_err(unstaged),
        None => Ok(text.to_owned()),
    }
}

fn unstaged(why: String) -> Fault {
    Fault::new(
        Exit::Failed,
        format!("The settings could not be copied for a run of the client: {why}."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copy_has_our_hook_and_nothing_that_starts_anything() {
        let text = r#"{
  // mine
  "env": {"ANTHROPIC_BASE_URL": "http://elsewhere"}, "apiKeyHelper": "key", "disableAllHooks": true,
  "permissions": {"allow": "odd"},
  "hooks": {
    "PreToolUse": [
      {"matcher": "*", "hooks": [{"type": "command", "command": "other"}, {"type": "command", "command": "/d/tollgate-hook", "args": ["claude"]}]},
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "another"}]}
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "bell"}]}]
  }
}"#;
        let drive = Agent::Claude.drive().unwrap();
        let copy = reduced(text, Agent::Claude, drive, Some(r#"{"model":"scripted","n":1}"#)).unwrap();
        for gone in ["elsewhere", "apiKeyHelper", "other", "another", "bell"] {
            assert!(!copy.contains(gone), "{gone}: {copy}");
        }
        // What decides whether the client reads the file, and listens to hooks, stays.
        for kept in [
            "// mine",
            "disableAllHooks",
            "\"odd\"",
            "/d/tollgate-hook",
            "\"scripted\"",
        ] {
            assert!(copy.contains(kept), "{kept}: {copy}");
        }
        assert_eq!(reduced("{\"a\": ", Agent::Claude, drive, None).unwrap(), "{\"a\": ");
    }
}
