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
        return crate::whole(&path);
    }
    let Some(repo) = path.parent().and_then(Repo::around) else {
        return unversioned(&path);
    };
    let inside = vec![repo.inside(&path)?];
    let mut loss = crate::changes::since_the_last_commit(&repo, &inside)?;
    loss.add(untracked(&repo, &inside, Ignored::No)?);
    loss.add(secrets(&repo, &inside)?);
    loss.add(inner_repositories(&repo, &inside)?);
    Some(loss)
}

/// Files that are not tracked, at and below `below`.
pub(crate) fn untracked(repo: &Repo, below: &[String], ignored: Ignored) -> Option<Loss> {
    let mut loss = Loss::default();
    for (path, kind, is_ignored) in walk(repo, below, ignored != Ignored::No)? {
        let wanted = match ignored {
            Ignored::No => !is_ignored,
            Ignored::Also => true,
            Ignored::Only => is_ignored,
        };
        // A repository inside is left alone by git, and looked at on its own.
        if wanted && kind != Kind::Repository {
            loss.untracked += 1;
            loss.bytes += size(repo, &path);
            crate::name(&mut loss, &path);
        }
    }
    Some(loss)
}

/// Ignored files that look as if they held secrets or data.
pub(crate) fn secrets(repo: &Repo, below: &[String]) -> Option<Loss> {
    let mut loss = Loss::default();
    for (path, kind, is_ignored) in walk(repo, below, true)? {
        if is_ignored && kind == Kind::File && is_precious(&path) {
            loss.secrets += 1;
            loss.bytes += size(repo, &path);
            crate::name(&mut loss, &path);
        }
    }
    Some(loss)
}

fn inner_repositories(repo: &Repo, below: &[String]) -> Option<Loss> {
    let mut loss = Loss::default();
    let inner = walk(repo, below, true)?
        .into_iter()
        .filter(|(_, kind, _)| *kind == Kind::Repository);
    for (count, (path, ..)) in inner.enumerate() {
        if count >= MAX_INNER {
            return None;
        }
        loss.add(crate::whole(&repo.root().join(path))?);
    }
    Some(loss)
}

/// Paths that are not tracked, what they are, and whether they are ignored.
fn walk(repo: &Repo, below: &[String], ignored: bool) -> Option<Vec<(String, Kind, bool)>> {
    let index = repo.git.index_or_empty().ok()?;
    let options = repo
        .git
        .dirwalk_options()
        .ok()?
        .emit_untracked(EmissionMode::Matching)
        .emit_ignored(ignored.then_some(EmissionMode::Matching));
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
    Some(found.paths)
}

#[derive(Default)]
struct Found {
    paths: Vec<(String, Kind, bool)>,
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
                loss.add(crate::whole(&next)?);
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
