//! What stands in the way of an undo.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::known::Contents;
use super::same::Old;
use super::{Act, Plan, Step};
use crate::manifest::{Name, What};

/// Notes what stands where something is to be brought back, and takes it away where that is needed.
pub(super) fn in_the_way(root: &Path, path: &Name, full: &Path, old: &Old<'_>, contents: &Contents, plan: &mut Plan) {
    let replaced = !matches!(old.what, What::Nothing);
    if let Ok(meta) = full.symlink_metadata()
        && replaced
    {
        let was_folder = old.what == What::Folder;
        if contents.lacks(full) {
            plan.newer.push(full.to_path_buf());
        }
        if meta.is_dir() && !was_folder {
            take_away(root, full, contents, plan);
        } else if !meta.is_dir() && was_folder {
            plan.steps.push(Step {
                root: root.to_path_buf(),
                path: path.clone(),
                act: Act::Remove,
            });
        }
    }
}

/// A file or a link that took the place of a folder goes.
pub(super) fn clear(root: &Path, obstacle: &Path, contents: &Contents, plan: &mut Plan) {
    if contents.lacks(obstacle) {
        plan.newer.push(obstacle.to_path_buf());
    }
    let path = Name::from(obstacle.strip_prefix(root).unwrap_or(obstacle));
    plan.steps.push(Step {
        root: root.to_path_buf(),
        path,
        act: Act::Remove,
    });
}

/// What stands in the way to the files of each folder.
#[derive(Default)]
pub(super) struct Ways(BTreeMap<PathBuf, Option<PathBuf>>);

impl Ways {
    /// The first of the folders above a file that is there and is no folder.
    pub(super) fn blocked(&mut self, root: &Path, full: &Path) -> Option<PathBuf> {
        let folder = full
            .parent()
            .filter(|folder| folder.starts_with(root) && *folder != root)?;
        if let Some(known) = self.0.get(folder) {
            return known.clone();
        }
        let found = self.blocked(root, folder).or_else(|| {
            let meta = folder.symlink_metadata().ok()?;
            (!meta.is_dir()).then(|| folder.to_path_buf())
        });
        self.0.insert(folder.to_path_buf(), found.clone());
        found
    }
}

/// A folder in the place of a file: what it holds goes, as far as it is not newer work, and that is named.
fn take_away(root: &Path, folder: &Path, contents: &Contents, plan: &mut Plan) {
    let mut todo = vec![folder.to_path_buf()];
    while let Some(next) = todo.pop() {
        let is_folder = next.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        if is_folder {
            todo.extend(
                fs::read_dir(&next)
                    .into_iter()
                    .flatten()
                    .flatten()
                    .map(|entry| entry.path()),
            );
        } else if contents.lacks(&next) {
            plan.newer.push(next.clone());
        }
        let path = Name::from(next.strip_prefix(root).unwrap_or(&next));
        plan.steps.push(Step {
            root: root.to_path_buf(),
            path,
            act: Act::Remove,
        });
    }
}
