//! Where everything of this program lives.

use std::env;
use std::path::{Path, PathBuf};

use agents::{Agent, PROGRAM};
use broker::{Given, Places, Unsafe};

use crate::exit::{Exit, Fault};
use crate::setup::site::Site;

/// By the environment: `TOLLGATE_HOME`, else XDG.
pub(crate) fn find() -> Result<Places, Fault> {
    Ok(Places::find(Given::default())?)
}

/// The installed hook program.
pub(crate) fn hook(places: &Places) -> PathBuf {
    places.data.join("bin").join(PROGRAM)
}

/// What an entry in an agent's settings names: the real paths, so that no link decides later what is run.
pub(crate) fn for_entry(places: &Places) -> Result<agents::Places, Fault> {
    Ok(agents::Places {
        hook: text(&hook(places))?,
        config: text(&places.config)?,
        state: text(&places.state)?,
        data: text(&places.data)?,
    })
}

/// Where the hook of everybody is.
pub(crate) const MANAGED_HOOK: &str = "/usr/local/lib/tollgate/tollgate-hook";

/// What the entry at a site names.
pub(crate) fn for_site(site: &Site, places: &Places) -> Result<agents::Places, Fault> {
    if !site.managed {
        return for_entry(places);
    }
    Ok(agents::Places {
        hook: MANAGED_HOOK.to_owned(),
        config: String::new(),
        state: String::new(),
        data: String::new(),
    })
}

/// A place where another user could replace the hook or what it goes by.
pub(crate) fn unsafe_one(places: &Places) -> Option<(PathBuf, Unsafe)> {
    let all = [hook(places), places.config.clone(), places.state.clone()];
    all.into_iter()
        .find_map(|place| broker::only_own_hands(&place).err().map(|found| (place, found)))
}

/// The settings folder of an agent.
pub(crate) fn agent_folder(agent: Agent, places: &Places) -> PathBuf {
    agent
        .folder_variable()
        .and_then(|(variable, below)| Some(absolute(variable)?.join(below).components().collect()))
        .unwrap_or_else(|| places.home.join(agent.folder()))
}

/// The program of that name on `PATH`.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_absolute() && file.is_file())
}

/// A variable that names an absolute path; a relative one would mean another place in every directory.
fn absolute(variable: &str) -> Option<PathBuf> {
    env::var_os(variable)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

/// A real path as text that can stand in settings and in a shell's command.
fn text(path: &Path) -> Result<String, Fault> {
    let real = real(path);
    let plain = real
        .to_str()
        .filter(|text| !text.contains(|c: char| c.is_control() || matches!(c, '\'' | '"' | '\\')));
    plain.map(str::to_owned).ok_or_else(|| {
        Fault::new(
            Exit::Refused,
            format!("The path `{}` cannot be written into settings safely.", path.display()),
        )
        .hint("Choose a place without quotes, backslashes and control characters, or set `TOLLGATE_HOME`.")
    })
}

/// The path with the links of its existing part followed.
fn real(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    for part in path.ancestors() {
        if let Ok(found) = part.canonicalize() {
            return rest.iter().rev().fold(found, |path, name| path.join(name));
        }
        rest.extend(part.file_name());
    }
    path.to_path_buf()
}

/// The working directory.
///
/// # Errors
/// When it is gone or may not be looked at, with the name that the shell has for it.
pub(crate) fn here() -> Result<PathBuf, Fault> {
    std::env::current_dir().map_err(|error| {
        let named = std::env::var_os("PWD").map_or_else(String::new, |dir| format!(" `{}`", Path::new(&dir).display()));
        Fault::new(
            Exit::NoInput,
            format!("The working directory{named} cannot be used: {error}."),
        )
        .hint("Go to a folder that is there.")
    })
}
