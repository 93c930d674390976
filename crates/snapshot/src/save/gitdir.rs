//! The files in which git keeps the state of a repository: references, their logs, settings, what it is in the middle of.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gix::index::State;
use gix::index::entry::{Flags, Mode, Stage};

use super::{Taking, Tree, absolute, hold};
use crate::manifest::{Blob, Entry, Name, Repository};
use crate::repo::Repo;

/// Folders and files of a repository that are no state: objects, which nothing but git takes away, other repositories, what
/// git would run, and our own references.
const NO_STATE: &[&str] = &[
    "objects",
    "modules",
    "worktrees",
    "lfs",
    "hooks",
    "index",
    "refs/tollgate",
    "logs/refs/tollgate",
];
/// Files of the state that are looked at.
const MOST: usize = 20_000;

impl Taking<'_> {
    /// The state of a repository without its index. Commits that may be lost are held from now on.
    pub(super) fn state(&mut self, repo: &Repo, id: &str, tree: &Tree) -> io::Result<Repository> {
        let (git_dir, common_dir) = (repo.git.git_dir(), repo.git.common_dir());
        let git_dir = git_dir.canonicalize().unwrap_or_else(|_| git_dir.to_path_buf());
        let common_dir = common_dir.canonicalize().unwrap_or_else(|_| common_dir.to_path_buf());
        let (mut state, missing) = (Vec::new(), self.missing.len());
        self.files_of(&git_dir, tree.commits, &mut state)?;
        if common_dir != git_dir {
            self.files_of(&common_dir, tree.commits, &mut state)?;
        }
        let complete = self.missing.len() == missing && self.paths_left > 0;
        let held = if tree.commits { hold::tips(repo) } else { Vec::new() };
        if held.len() >= hold::MOST {
            self.misses(format!(
                "commits of {}, which has too many references",
                repo.root().display()
            ));
        }
        if let Err(error) = hold::hold(&common_dir, id, &held) {
            self.misses(format!(
                "commits of {}, which cannot be held: {error}",
                repo.root().display()
            ));
        }
        Ok(Repository {
            git_dir: Name::from(git_dir.as_path()),
            common_dir: Name::from(common_dir.as_path()),
            state,
            complete,
            references: tree.commits,
            held,
            ..Repository::default()
        })
    }

    fn files_of(&mut self, dir: &Path, references: bool, state: &mut Vec<Entry>) -> io::Result<()> {
        let files = state_files(dir, references);
        if files.len() >= MOST {
            self.misses(format!(
                "the state of the repository {}, which has too many references",
                dir.display()
            ));
            return Ok(());
        }
        for file in files {
            state.extend(self.entry(&file, absolute(&file))?);
        }
        Ok(())
    }

    /// Staged contents that no commit has: git may take such objects away.
    pub(super) fn staged(&mut self, repo: &Repo, index: &State) -> io::Result<Vec<(String, Blob)>> {
        let Some(committed) = crate::changes::committed(repo, index) else {
            self.misses("what is staged, beside a last commit that cannot be read".into());
            return Ok(Vec::new());
        };
        let mut staged = Vec::new();
        for entry in index.entries() {
            let whole = entry.stage() == Stage::Unconflicted;
            let known = whole
                && committed.as_ref().is_none_or(|head| {
                    head.entry_by_path(entry.path(index))
                        .is_some_and(|old| old.id == entry.id)
                });
            if known || entry.mode == Mode::COMMIT || entry.flags.contains(Flags::INTENT_TO_ADD) || !self.may_add() {
                continue;
            }
            match repo.git.find_object(entry.id) {
                Ok(object) if object.data.len() as u64 <= self.bytes_left => {
                    self.bytes_left -= object.data.len() as u64;
                    staged.push((entry.id.to_string(), self.store.put(&object.data)?));
                }
                Ok(_) => self.misses(format!("what is staged for {}, which is too big", entry.path(index))),
                // What git itself does not have cannot be lost.
                Err(_) => {}
            }
        }
        Ok(staged)
    }
}

/// The files of a repository's folder that are state, locks aside; references and their logs only where they are wanted.
pub(crate) fn state_files(dir: &Path, references: bool) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut todo = vec![dir.to_path_buf()];
    while let Some(next) = todo.pop() {
        let Ok(entries) = fs::read_dir(&next) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            let below = path.strip_prefix(dir).unwrap_or(&path);
            let is_lock = below.extension().is_some_and(|end| end == "lock");
            let is_reference = ["refs", "logs", "packed-refs"]
                .iter()
                .any(|name| below == Path::new(name));
            let is_passed = is_reference && !references || NO_STATE.iter().any(|name| below == Path::new(name));
            if is_lock || is_passed {
                continue;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => todo.push(path),
                Ok(kind) if kind.is_file() => files.push(path),
                _ => {}
            }
            if files.len() >= MOST {
                return files;
            }
        }
    }
    files.sort();
    files
}
