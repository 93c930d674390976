//! `tollgate config init`: files to begin with, in which everything is a comment.

use std::path::{Path, PathBuf};

use broker::config::FILE;

use crate::exit::{Exit, Fault};
use crate::setup::{files, places, refuse_agents};
use crate::ui::Ui;

/// Settings in which nothing is set.
pub(crate) const SETTINGS: &str = include_str!("config.toml");
/// Policy files without a rule: of a project, and of a person.
const PROJECT: &str = concat!(include_str!("project.yml"), include_str!("lists.yml"));
pub(crate) const STARTER: &str = concat!(include_str!("starter.yml"), include_str!("lists.yml"));

#[derive(clap::Args)]
pub(super) struct Args {
    /// A policy file for the project of the working directory, instead of your own settings.
    #[arg(long)]
    project: bool,
}

/// Nothing that is there is written over, and nothing that is written changes a decision.
pub(super) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    refuse_agents("write settings")?;
    let (path, text) = if args.project {
        (project_file("project.yml")?, PROJECT)
    } else {
        let folder = places::find()?.config;
        files::make_folder(&folder)?;
        (folder.join(FILE), SETTINGS)
    };
    if !files::create(&path, text.as_bytes(), if args.project { 0o644 } else { 0o600 })? {
        return Err(
            Fault::new(Exit::Failed, format!("`{}` is there already.", path.display()))
                .hint("It stays as it is. Edit it, or move it away first."),
        );
    }
    ui.line(format!("Written: {}", path.display()));
    ui.line("Everything in it is a comment: nothing changes until you take the `#` away.");
    Ok(Exit::Done)
}

/// A file among the policies of the project around the working directory; its folder is made. A link that came with a clone
/// must not lead elsewhere.
pub(crate) fn project_file(name: &str) -> Result<PathBuf, Fault> {
    let here = places::here()?;
    let folder = broker::policies::project_folder(&here);
    for part in [folder.parent().unwrap_or(&folder), &folder] {
        if part.is_symlink() {
            return Err(Fault::new(Exit::Refused, format!("`{}` is a link.", part.display()))
                .hint("Make it a folder: a project's policies stand in the project."));
        }
    }
    std::fs::create_dir_all(&folder).map_err(|e| files::io_fault("make", &folder, &e))?;
    Ok(Path::join(&folder, name))
}
