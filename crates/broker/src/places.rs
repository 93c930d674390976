//! Where settings, state and data are.

use std::env;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// The folder name below the XDG folders.
const NAME: &str = "tollgate";
/// Folders above a working directory that are looked at.
const DEEPEST: usize = 64;
/// The machine's settings.
const SYSTEM: &str = "/etc/tollgate";

/// The places that a command line names. What an installed hook uses is named there: a repository can set an agent's
/// environment, so no variable may move it.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// `--config`
    pub config: Option<PathBuf>,
    /// `--state`
    pub state: Option<PathBuf>,
    /// `--data`
    pub data: Option<PathBuf>,
}

impl Given {
    /// The usual places of whoever runs this, below the home directory that the machine's list of users names: an entry that an
    /// administrator wrote is for everybody, and no variable may move what it uses. `None` where the list has nobody of the kind.
    #[must_use]
    pub fn of_this_user() -> Option<Self> {
        let users = std::fs::read_to_string("/etc/passwd").ok()?;
        Self::of_user(&users, rustix::process::getuid().as_raw())
    }

    fn of_user(users: &str, uid: u32) -> Option<Self> {
        let uid = uid.to_string();
        let mut lines = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
        let home = lines.find_map(|line| match line.as_slice() {
            [_, _, number, _, _, home, ..] if *number == uid => Some(PathBuf::from(home)),
            _ => None,
        });
        let home = home.filter(|home| home.is_absolute() && home.parent().is_some())?;
        Some(Self {
            config: Some(home.join(".config").join(NAME)),
            state: Some(home.join(".local/state").join(NAME)),
            data: Some(home.join(".local/share").join(NAME)),
        })
    }
}

/// All places, absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The person's home directory, as the agent's environment names it.
    pub home: PathBuf,
    /// The home directory that the named settings lie in, where that is another one.
    pub own_home: Option<PathBuf>,
    /// The machine's settings: root's, and read where they are root's alone.
    pub system: PathBuf,
    /// Settings.
    pub config: PathBuf,
    /// Ledger and other state.
    pub state: PathBuf,
    /// Installed programs.
    pub data: PathBuf,
}

impl Places {
    /// The places that were given, and the rest from the environment: `TOLLGATE_HOME`, else XDG, else `HOME`.
    ///
    /// # Errors
    /// When a place is neither given nor named by the environment.
    pub fn find(given: Given) -> Result<Self, Error> {
        Self::from_variables(given, |name| env::var_os(name).map(PathBuf::from))
    }

    /// [`Self::find`] with the environment as an argument.
    ///
    /// # Errors
    /// When a place is neither given nor named by the environment.
    pub fn from_variables(given: Given, variable: impl Fn(&str) -> Option<PathBuf>) -> Result<Self, Error> {
        let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
        let own_home = given.config.as_deref().and_then(home_of);
        let home = absolute("HOME").or_else(|| own_home.clone());
        let together = absolute("TOLLGATE_HOME");
        let place = |given: Option<PathBuf>, name, xdg, below: &str| match given {
            Some(path) if path.is_absolute() => Ok(path),
            Some(path) => Err(Error::RelativePlace {
                name,
                path: path.to_string_lossy().into_owned(),
            }),
            None => match &together {
                Some(folder) => Ok(folder.join(name)),
                None => {
                    let folder = absolute(xdg).or_else(|| home.as_ref().map(|home| home.join(below)));
                    Ok(folder.ok_or(Error::NoHome)?.join(NAME))
                }
            },
        };
        // Where an installed hook names its places, no variable moves the machine's.
        let system = together.as_ref().filter(|_| given.config.is_none());
        let system = system.map_or_else(|| PathBuf::from(SYSTEM), |folder| folder.join("system"));
        let config = place(given.config, "config", "XDG_CONFIG_HOME", ".config")?;
        let state = place(given.state, "state", "XDG_STATE_HOME", ".local/state")?;
        let data = place(given.data, "data", "XDG_DATA_HOME", ".local/share")?;
        let home = home.ok_or(Error::NoHome)?;
        let own_home = own_home.filter(|own| *own != home);
        Ok(Self {
            home,
            own_home,
            system,
            config,
            state,
            data,
        })
    }
}

/// The nearest folder above that git would take as the root of a working tree.
pub(crate) fn repository(cwd: &Path) -> Option<&Path> {
    let mut above = cwd.ancestors().take(DEEPEST);
    above.find(|dir| dir.join(".git").symlink_metadata().is_ok())
}

/// The root of the project around a folder: of its repository, and without one the folder itself (spec V-3402).
pub(crate) fn project(cwd: &Path) -> &Path {
    repository(cwd).unwrap_or(cwd)
}

/// The home directory that a settings folder in its usual place lies in.
fn home_of(config: &Path) -> Option<PathBuf> {
    let home = config.parent()?.parent()?;
    (config.ends_with(".config/tollgate") && home.is_absolute()).then(|| home.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_users_names_the_home_and_nothing_else_does() {
        let users = "root:x:0:0::/root:/bin/sh\nann:x:1000:1000:Ann,,:/home/ann:/bin/sh\nnobody:x:7:7::/:/x\nodd:x:8:8::rel:/x\n";
        let given = Given::of_user(users, 1000).unwrap();
        assert_eq!(given.config, Some("/home/ann/.config/tollgate".into()));
        assert_eq!(given.state, Some("/home/ann/.local/state/tollgate".into()));
        for uid in [7, 8, 100, 10] {
            assert!(Given::of_user(users, uid).is_none(), "{uid}");
        }
    }

    fn find(given: Given, variables: &[(&str, &str)]) -> Result<Places, Error> {
        Places::from_variables(given, |name| {
            variables
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| PathBuf::from(v))
        })
    }

    #[test]
    fn xdg_is_followed_and_tollgate_home_moves_all() {
        let places = find(Given::default(), &[("HOME", "/h"), ("XDG_STATE_HOME", "/s")]).unwrap();
        assert_eq!(places.config, Path::new("/h/.config/tollgate"));
        assert_eq!(places.state, Path::new("/s/tollgate"));
        assert_eq!(places.data, Path::new("/h/.local/share/tollgate"));
        let places = find(Given::default(), &[("HOME", "/h"), ("TOLLGATE_HOME", "/t")]).unwrap();
        assert_eq!(
            (places.config.as_path(), places.state.as_path()),
            (Path::new("/t/config"), Path::new("/t/state"))
        );
    }

    #[test]
    fn given_places_cannot_be_moved_by_a_variable() {
        let given = Given {
            config: Some("/home/ann/.config/tollgate".into()),
            state: Some("/home/ann/.local/state/tollgate".into()),
            data: None,
        };
        let places = find(
            given.clone(),
            &[
                ("HOME", "/evil"),
                ("TOLLGATE_HOME", "/evil"),
                ("XDG_CONFIG_HOME", "/evil"),
            ],
        );
        let places = places.unwrap();
        assert_eq!(places.config, Path::new("/home/ann/.config/tollgate"));
        assert_eq!(places.state, Path::new("/home/ann/.local/state/tollgate"));
        assert_eq!(places.own_home.as_deref(), Some(Path::new("/home/ann")));
        assert_eq!(places.home, Path::new("/evil"), "what the agent's shell would expand");
        // Without HOME the settings' own place tells.
        assert_eq!(find(given, &[]).unwrap().home, Path::new("/home/ann"));
    }

    #[test]
    fn without_home_there_is_no_place() {
        assert!(matches!(find(Given::default(), &[]), Err(Error::NoHome)));
        assert!(matches!(
            find(Given::default(), &[("HOME", "relative")]),
            Err(Error::NoHome)
        ));
        assert!(matches!(
            find(Given::default(), &[("TOLLGATE_HOME", "/t")]),
            Err(Error::NoHome)
        ));
        let given = Given {
            config: Some("c".into()),
            ..Given::default()
        };
        assert!(matches!(
            find(given, &[("HOME", "/h")]),
            Err(Error::RelativePlace { name: "config", .. })
        ));
    }
}
