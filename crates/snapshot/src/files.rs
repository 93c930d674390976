//! Files that git does not keep.

use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use gix::bstr::{BString, ByteSlice as _};
use gix::dir::entry::{Kind, Status};
use gix::dir::walk::EmissionMode;
use policy::{Ignored, Loss};

use crate::looks::{Looks, Means};
use crate::manifest::Name;
use crate::repo::Repo;

/// Repositories inside the one that is looked at.
const MAX_INNER: usize = 16;
/// What a walk costs, however little it finds.
const WALK: usize = 100;
/// Paths of one walk.
const MAX_PATHS: usize = 100_000;

/// Whatever stands at and below `path` and is nowhere else.
pub(crate) fn everything(looks: &Looks, path: &Path) -> Option<Loss> {
    let path = crate::clean(path);
    let meta = path.symlink_metadata().ok()?;
    // Of a link only the link goes.
    if meta.is_symlink() {
        return Some(Loss::default());
    }
    if crate::holds_repository(&path) {
        return crate::whole(&path, looks.means(), 0);
    }
    let Some(repo) = path.parent().and_then(|dir| looks.around(dir)) else {
        return unversioned(looks.means(), &path);
    };
    let inside = vec![repo.inside(&path)?];
    if is_store(&path) && !is_tracked(&repo, &inside) {
        return Some(Loss::more());
    }
    let mut loss = crate::changes::since_the_last_commit(&repo, &inside)?;
    loss.add(lying_around(&repo, &inside, 0)?);
    Some(loss)
}

/// What is not tracked at and below `below`: files, ignored secrets, repositories with work of their own.
pub(crate) fn lying_around(repo: &Repo, below: &[String], depth: u8) -> Option<Loss> {
    let ignored = Some(EmissionMode::CollapseDirectory);
    let found = walk(repo, below, EmissionMode::Matching, ignored)?;
    let mut loss = Loss {
        more: !found.complete,
        ..Loss::default()
    };
    let mut inner = Vec::new();
    let mut hidden = Vec::new();
    for (path, kind, is_ignored) in found.paths {
        match (kind, is_ignored) {
            (_, true) => hidden.push((path, kind)),
            (Kind::Repository, false) => inner.push(path),
            _ => count(repo, &mut loss, &path),
        }
    }
    for (path, is_repository) in ignored_files(repo, hidden)? {
        if is_repository {
            inner.push(path);
        } else if repo.means.known.is_precious(last(&path)) {
            loss.secrets += 1;
            loss.bytes += size(repo, &path);
            crate::name(&mut loss, &path);
        }
    }
    inner.extend(submodules(repo, below)?);
    for path in inner.iter().take(MAX_INNER) {
        loss.add(crate::whole(&repo.root().join(path), &repo.means, depth + 1)?);
    }
    loss.more |= inner.len() > MAX_INNER;
    Some(loss)
}

/// What the submodules at and below `below` hold.
pub(crate) fn modules(repo: &Repo, below: &[String]) -> Option<Loss> {
    let mut loss = Loss::default();
    for path in submodules(repo, below)? {
        loss.add(crate::whole(&repo.root().join(path), &repo.means, 1)?);
    }
    Some(loss)
}

/// Submodules that are there.
fn submodules(repo: &Repo, below: &[String]) -> Option<Vec<String>> {
    let index = repo.index()?;
    let modules = index
        .entries()
        .iter()
        .filter(|e| e.mode == gix::index::entry::Mode::COMMIT);
    let mut paths: Vec<String> = modules.map(|e| e.path(index).to_str_lossy().into_owned()).collect();
    paths.retain(|path| crate::is_below(path, below) && repo.root().join(path).join(".git").exists());
    Some(paths)
}

fn count(repo: &Repo, loss: &mut Loss, path: &str) {
    loss.untracked += 1;
    loss.bytes += size(repo, path);
    crate::name(loss, path);
}

/// Files that are not tracked, at and below `below`.
pub(crate) fn untracked(repo: &Repo, below: &[String], ignored: Ignored) -> Option<Loss> {
    let also = (ignored != Ignored::No).then_some(EmissionMode::Matching);
    let found = walk(repo, below, EmissionMode::Matching, also)?;
    let mut loss = Loss {
        more: !found.complete,
        ..Loss::default()
    };
    for (path, kind, is_ignored) in found.paths {
        let wanted = match ignored {
            Ignored::No => !is_ignored,
            Ignored::Also => true,
            Ignored::Only => is_ignored,
        };
        if wanted && kind == Kind::Directory {
            // A folder that is ignored as a whole is found as one.
            let all = unversioned(&repo.means, &repo.root().join(&path))?;
            loss.add(Loss {
                names: vec![format!("{}/", path.trim_end_matches('/'))],
                ..all
            });
        } else if wanted {
            count(repo, &mut loss, &path);
        }
    }
    Some(loss)
}

/// What is ignored, but for folders that a build fills: paths, and whether each is a repository.
fn ignored_files(repo: &Repo, mut todo: Vec<(String, Kind)>) -> Option<Vec<(String, bool)>> {
    let mut out = Vec::new();
    while let Some((path, kind)) = todo.pop() {
        let full = repo.root().join(&path);
        repo.means.files(1)?;
        if kind != Kind::Directory && kind != Kind::Repository {
            out.push((path, false));
        } else if crate::holds_repository(&full) || is_store(&full) {
            out.push((path, true));
        } else if !repo.means.known.is_rebuilt(last(&path)) {
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
    }
    Some(out)
}

/// Paths that are not tracked, folders that hold nothing among them.
pub(crate) fn walk_all(repo: &Repo, below: &[String], ignored: Option<EmissionMode>) -> Option<Found<Name>> {
    walk_as(repo, below, EmissionMode::Matching, ignored, true, Name::from_bytes)
}

/// Paths that are not tracked.
fn walk(
    repo: &Repo,
    below: &[String],
    untracked: EmissionMode,
    ignored: Option<EmissionMode>,
) -> Option<Found<String>> {
    walk_as(repo, below, untracked, ignored, false, |path| {
        path.to_str_lossy().into_owned()
    })
}

fn walk_as<P>(
    repo: &Repo,
    below: &[String],
    untracked: EmissionMode,
    ignored: Option<EmissionMode>,
    empty: bool,
    name: fn(&[u8]) -> P,
) -> Option<Found<P>> {
    repo.means.files(WALK)?;
    let index = repo.index()?;
    let options = repo
        .git
        .dirwalk_options()
        .ok()?
        .emit_untracked(untracked)
        .emit_ignored(ignored)
        .emit_empty_directories(empty);
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
    let mut found = Found {
        paths: Vec::new(),
        complete: true,
        name,
    };
    let stop = AtomicBool::new(false);
    repo.git.dirwalk(index, patterns, &stop, options, &mut found).ok()?;
    repo.means.files(found.paths.len())?;
    found.complete = found.paths.len() < MAX_PATHS;
    Some(found)
}

/// What a walk found.
pub(crate) struct Found<P> {
    /// Each path, what stands there, and whether it is ignored.
    pub(crate) paths: Vec<(P, Kind, bool)>,
    /// Whether that is all.
    pub(crate) complete: bool,
    name: fn(&[u8]) -> P,
}

impl<P> gix::dir::walk::Delegate for Found<P> {
    fn emit(&mut self, entry: gix::dir::EntryRef<'_>, _collapsed: Option<Status>) -> gix::dir::walk::Action {
        let ignored = matches!(entry.status, Status::Ignored(_));
        if let (Some(kind), true) = (entry.disk_kind, ignored || entry.status == Status::Untracked) {
            self.paths.push(((self.name)(&entry.rela_path), kind, ignored));
        }
        if self.paths.len() >= MAX_PATHS {
            gix::dir::walk::Action::Break(())
        } else {
            gix::dir::walk::Action::Continue(())
        }
    }
}

/// A folder that no repository knows.
fn unversioned(means: &Rc<Means>, path: &Path) -> Option<Loss> {
    let mut loss = Loss::default();
    let mut todo = vec![path.to_path_buf()];
    while let Some(next) = todo.pop() {
        if means.files(1).is_none() {
            loss.more = true;
            break;
        }
        let meta = next.symlink_metadata().ok()?;
        if meta.is_dir() {
            if crate::holds_repository(&next) {
                loss.add(crate::whole(&next, means, 0)?);
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
    }
    Some(loss)
}

fn is_tracked(repo: &Repo, folder: &[String]) -> bool {
    repo.index().is_some_and(|index| {
        index
            .entries()
            .iter()
            .any(|e| crate::is_below(&e.path(index).to_str_lossy(), folder))
    })
}

/// Whether a folder is a repository without a working tree.
fn is_store(dir: &Path) -> bool {
    ["objects", "refs"].iter().all(|name| dir.join(name).is_dir()) && dir.join("HEAD").is_file()
}

fn size(repo: &Repo, path: &str) -> u64 {
    repo.root().join(path).symlink_metadata().map_or(0, |m| m.len())
}

/// The last name of a path.
fn last(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}
