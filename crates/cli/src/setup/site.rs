//! One place where an agent can be told about its hook.

use std::path::{Path, PathBuf};

use agents::Agent;
use broker::Places;

use crate::exit::{Exit, Fault};
use crate::setup::{files, places};

/// The settings file of an agent, for a person or for a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) agent: Agent,
    /// The file that holds the hooks, links followed.
    pub(crate) settings: PathBuf,
    /// The same file as the agent names it.
    pub(crate) named: PathBuf,
    /// The file that holds the trust in them, where the agent wants any.
    pub(crate) trust: Option<PathBuf>,
    /// Whether it is the administrator's, for everybody on the machine.
    pub(crate) managed: bool,
}

impl Site {
    /// The settings of the person.
    pub(crate) fn of_person(agent: Agent, places: &Places) -> Self {
        Self::at(agent, &places::agent_folder(agent, places).join(agent.settings_file()))
    }

    /// The settings of the administrator, below a folder that stands for the machine's root.
    pub(crate) fn managed(agent: Agent, root: &Path) -> Result<Self, Fault> {
        let file = agent.managed_file().ok_or_else(|| {
            Fault::new(
                Exit::Usage,
                format!(
                    "{} has no settings of an administrator that an entry can be put into.",
                    agent.title()
                ),
            )
            .hint("Install it for each person: leave `--managed` out.")
        })?;
        Ok(Self {
            trust: None,
            managed: true,
            ..Self::at(agent, &root.join(file.trim_start_matches('/')))
        })
    }

    /// The settings of the project around a directory, in its outermost folder.
    pub(crate) fn of_project(agent: Agent, directory: &Path, home: &Path) -> Result<Self, Fault> {
        let file = agent.project_file().ok_or_else(|| {
            Fault::new(Exit::Usage, format!("{} has no hooks of a project.", agent.title()))
                .hint("Install it for the person: leave `--project` out.")
        })?;
        let project = project_folders(directory, home).last().copied().unwrap_or(directory);
        Ok(Self::at(agent, &project.join(file)))
    }

    /// A settings file that is known.
    pub(crate) fn at(agent: Agent, settings: &Path) -> Self {
        let trust = (agent == Agent::Codex).then(|| settings.with_file_name("config.toml"));
        let trust = trust.map(|file| files::target(&file));
        Self {
            agent,
            settings: files::target(settings),
            named: settings.to_path_buf(),
            trust,
            managed: false,
        }
    }

    /// The same settings, however they are named.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.settings == other.settings
    }

    /// Whether the agent seems to be used here: its program or its folder is there.
    pub(crate) fn agent_is_present(agent: Agent, places: &Places) -> bool {
        agent.programs().iter().any(|name| places::program(name).is_some())
            || places::agent_folder(agent, places).is_dir()
    }
}

/// The folders in which an agent may find settings of a project: from a directory up to the root of its repository; the
/// directory alone where it lies in none. A repository around the home directory is not the project of what lies in it.
pub(crate) fn project_folders<'d>(directory: &'d Path, home: &Path) -> Vec<&'d Path> {
    let is_root = |folder: &Path| folder.join(".git").symlink_metadata().is_ok();
    let outside_home = |folder: &&Path| *folder == home || !home.starts_with(folder);
    let mut folders = directory.ancestors().take_while(outside_home);
    let depth = folders.position(is_root).unwrap_or_default();
    directory.ancestors().take(depth + 1).collect()
}
