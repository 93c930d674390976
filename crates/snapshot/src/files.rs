//! Files that git does not keep.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gix::bstr::{BString, ByteSlice as _};
use gix::dir::entry::{Kind, Status};
use gix::dir::walk::EmissionMode;
use policy::{Ignored, Loss};

use crate::repo::Repo;

/// Files that are counted before the count is taken as large enough.
const MAX_FILES: usize = 20_000;
/// Folders that a build or a package manager fills, and fills again.
const REGROWS: &[&str] = &[
    "node_modules",
    "target",
    "build",
    "dist",
    "out",
    "__pycache__",
    ".venv",
    "venv",
    ".tox",
    ".next",
    ".cache",
    "bin",
    "obj",
    ".gradle",
    "coverage",
    "vendor",
    "Pods",
    "DerivedData",
    ".pytest_cache",
    ".mypy_cache",
    ".terraform",
];
/// Repositories inside the one that is looked at.
const MAX_INNER: usize = 16;

/// Whatever stands at and below `path` and is nowhere else.
pub(crate) fn everything(path: &Path) -> Option<Loss> {
    let path = crate::clean(path);
    let meta = path.symlink_metadata().ok()?;
    // Of a link only the link goes.
    if meta.is_symlink() {
        return Some(Loss::default());
    }
    if path.join(".git").symlink_metadata().is_ok() {
        return crate::whole(&path, 0);
    }
    let Some(repo) = path.parent().and_then(Repo::around) else {
        return unversioned(&path);
    };
    let inside = vec![repo.inside(&path)?];
    let mut loss = crate::changes::since_the_last_commit(&repo, &inside)?;
    loss.add(untracked(&repo, &inside, Ignored::No)?);
    loss.add(secrets(&repo, &inside)?);
    loss.add(inner_repositories(&repo, &inside, 0)?);
    Some(loss)
}

/// Files that are not tracked, at and below `below`.
pub(crate) fn untracked(repo: &Repo, below: &[String], ignored: Ignored) -> Option<Loss> {
    let mut loss = Loss::default();
    let also = (ignored != Ignored::No).then_some(EmissionMode::Matching);
    let (found, complete) = walk(repo, below, EmissionMode::Matching, also)?;
    for (path, _, is_ignored) in found {
        let wanted = match ignored {
            Ignored::No => !is_ignored,
            Ignored::Also => true,
            Ignored::Only => is_ignored,
        };
        if wanted {
            loss.untracked += 1;
            loss.bytes += size(repo, &path);
            crate::name(&mut loss, &path);
        }
    }
    (complete || loss.untracked > 0).then_some(loss)
}

/// Ignored files that look as if they held secrets or data.
pub(crate) fn secrets(repo: &Repo, below: &[String]) -> Option<Loss> {
    let mut loss = Loss::default();
    for (path, _) in ignored_files(repo, below)? {
        if is_precious(&path) {
            loss.secrets += 1;
            loss.bytes += size(repo, &path);
            crate::name(&mut loss, &path);
        }
    }
    Some(loss)
}

/// Repositories within this one: submodules, and those that are not tracked.
pub(crate) fn inner_repositories(repo: &Repo, below: &[String], depth: u8) -> Option<Loss> {
    let index = repo.git.index_or_empty().ok()?;
    let modules = index
        .entries()
        .iter()
        .filter(|e| e.mode == gix::index::entry::Mode::COMMIT);
    let mut inner: Vec<String> = modules.map(|e| e.path(&index).to_str_lossy().into_owned()).collect();
    inner.retain(|path| crate::is_below(path, below) && repo.root().join(path).join(".git").exists());
    let (untracked, complete) = walk(repo, below, EmissionMode::Matching, None)?;
    if !complete {
        return None;
    }
    inner.extend(
        untracked
            .into_iter()
            .filter(|(_, kind, _)| *kind == Kind::Repository)
            .map(|(path, ..)| path),
    );
    inner.extend(
        ignored_files(repo, below)?
            .into_iter()
            .filter(|(_, is_repository)| *is_repository)
            .map(|(path, _)| path),
    );
    let mut loss = Loss::default();
    if inner.len() > MAX_INNER {
        return None;
    }
    for path in inner {
        loss.add(crate::whole(&repo.root().join(path), depth + 1)?);
    }
    Some(loss)
}

/// What is ignored, but for folders that a build fills: paths, and whether each is a repository.
fn ignored_files(repo: &Repo, below: &[String]) -> Option<Vec<(String, bool)>> {
    let (found, complete) = walk(
        repo,
        below,
        EmissionMode::CollapseDirectory,
        Some(EmissionMode::CollapseDirectory),
    )?;
    if !complete {
        return None;
    }
    let mut out = Vec::new();
    let mut todo: Vec<(String, Kind)> = found
        .into_iter()
        .filter(|(.., ignored)| *ignored)
        .map(|(p, k, _)| (p, k))
        .collect();
    while let Some((path, kind)) = todo.pop() {
        let full = repo.root().join(&path);
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        if kind != Kind::Directory && kind != Kind::Repository {
            out.push((path, false));
        } else if full.join(".git").symlink_metadata().is_ok() {
            out.push((path, true));
        } else if !REGROWS.contains(&name) {
            for entry in fs::read_dir(&full).ok()? {
                let entry = entry.ok()?;
                let kind = if entry.file_type().ok()?.is_dir() {
                    Kind::Directory
                } else {
                    Kind::File
                };
                todo.push((format!("{path}/{}", entry.file_name().to_string_lossy()), kind));
            }
        }
        if out.len() + todo.len() > MAX_FILES {
            return None;
        }
    }
    Some(out)
}

/// A path that is not tracked, what stands there, and whether it is ignored.
type Untracked = (String, Kind, bool);

/// Paths that are not tracked, and whether these are all of them.
fn walk(
    repo: &Repo,
    below: &[String],
    untracked: EmissionMode,
    ignored: Option<EmissionMode>,
) -> Option<(Vec<Untracked>, bool)> {
    let index = repo.git.index_or_empty().ok()?;
    let options = repo
        .git
        .dirwalk_options()
        .ok()?
        .emit_untracked(untracked)
        .emit_ignored(ignored);
    let patterns: Vec<BString> = below
        .iter()
        .filter(|dir| !dir.is_empty())
        .map(|dir| format!(":(top,literal){dir}").into())
        .collect();
    let patterns = if below.iter().any(String::is_empty) {
        Vec::new()
    } else {
        patterns
    };
    let mut found = Found::default();
    let stop = AtomicBool::new(false);
    repo.git.dirwalk(&index, patterns, &stop, options, &mut found).ok()?;
    let complete = found.paths.len() < MAX_FILES;
    Some((found.paths, complete))
}

#[derive(Default)]
struct Found {
    paths: Vec<Untracked>,
}

impl gix::dir::walk::Delegate for Found {
    fn emit(&mut self, entry: gix::dir::EntryRef<'_>, _collapsed: Option<Status>) -> gix::dir::walk::Action {
        let ignored = matches!(entry.status, Status::Ignored(_));
        if let (Some(kind), true) = (entry.disk_kind, ignored || entry.status == Status::Untracked) {
            self.paths
                .push((entry.rela_path.to_str_lossy().into_owned(), kind, ignored));
        }
        if self.paths.len() >= MAX_FILES {
            gix::dir::walk::Action::Break(())
        } else {
            gix::dir::walk::Action::Continue(())
        }
    }
}

/// A folder that no repository knows.
fn unversioned(path: &Path) -> Option<Loss> {
    let mut loss = Loss::default();
    let mut todo = vec![path.to_path_buf()];
    while let Some(next) = todo.pop() {
        let meta = next.symlink_metadata().ok()?;
        if meta.is_dir() {
            if next.join(".git").symlink_metadata().is_ok() {
                loss.add(crate::whole(&next, 0)?);
                continue;
            }
            for entry in fs::read_dir(&next).ok()? {
                todo.push(entry.ok()?.path());
            }
        } else {
            loss.untracked += 1;
            loss.bytes += meta.len();
            let shown = next.strip_prefix(path.parent()?).ok()?;
            crate::name(&mut loss, &shown.to_string_lossy());
        }
        if loss.untracked as usize >= MAX_FILES || todo.len() > MAX_FILES {
            break;
        }
    }
    Some(loss)
}

fn size(repo: &Repo, path: &str) -> u64 {
    repo.root().join(path).symlink_metadata().map_or(0, |m| m.len())
}

/// Names of files that are kept out of git because of what they hold, and not because they can be made again.
fn is_precious(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let sample = ["example", "sample", "template", "dist"]
        .iter()
        .any(|end| name.ends_with(end));
    let environment = (name == ".env" || name.starts_with(".env.")) && !sample;
    let end = name.rsplit('.').next().unwrap_or_default();
    environment || ["pem", "key", "p12", "pfx", "kdbx", "sqlite", "sqlite3", "db", "jks"].contains(&end)
}
