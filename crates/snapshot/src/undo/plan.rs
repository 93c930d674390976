//! What differs from a snapshot, and how to get back.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice as _;
use gix::index::entry::{Flags, Mode, Stage};
use gix::index::{Entry as Tracked, State};

use super::known::Contents;
use super::same::{Old, Unless, is_as_it_was, old};
use super::state::{self, Objects};
use super::way::{Ways, clear, in_the_way};
use super::{Act, Content, Plan, Step, Undo};
use crate::looks::Looks;
use crate::manifest::{Name, Part, Repository, What};
use crate::repo::Repo;
use crate::save::{Tree, expected_rights};
use crate::{Known, files};

pub(super) fn plan(undo: &Undo<'_>) -> io::Result<Plan> {
    let mut plan = Plan {
        missing: undo.snapshot.head.missing.clone(),
        ..Plan::default()
    };
    let contents = Contents::of(undo);
    for part in &undo.snapshot.parts {
        match &part.repository {
            None => of_part(undo, part, &old_of(part), &contents, &mut plan)?,
            Some(repository) => of_tree(undo, part, repository, &contents, &mut plan)?,
        }
    }
    sort(&mut plan.steps);
    plan.newer.sort();
    plan.newer.dedup();
    Ok(plan)
}

/// Objects come first, because files are made from them. What goes, goes next; then folders from above, files, rights from
/// below, and the state of repositories at the end.
fn sort(steps: &mut Vec<Step>) {
    let depth = |step: &Step| step.path.bytes().iter().filter(|byte| **byte == b'/').count();
    steps.sort_by_key(|step| match &step.act {
        Act::Remove => (1, usize::MAX - depth(step)),
        Act::Folder => (2, depth(step)),
        Act::Write(..) | Act::Link(_) => (3, 0),
        Act::Rights(_) => (4, usize::MAX - depth(step)),
        Act::Object(_) => (0, 0),
        Act::State(_) => (5, 0),
        Act::Index(_) => (6, 0),
    });
    steps.dedup();
}

fn old_of(part: &Part) -> BTreeMap<Name, Old<'_>> {
    part.entries
        .iter()
        .map(|entry| (entry.path.clone(), old(entry)))
        .collect()
}

/// Steps for each path of a part that is not as it was.
fn of_part(
    undo: &Undo<'_>,
    part: &Part,
    old: &BTreeMap<Name, Old<'_>>,
    contents: &Contents,
    plan: &mut Plan,
) -> io::Result<()> {
    let root = part.root.path();
    let mut ways = Ways::default();
    for (path, old) in old {
        let full = root.join(path.path());
        if !undo.is_meant(&full) {
            continue;
        }
        // What a link or a file in the place of a folder leads to is not what was there.
        let blocked = ways.blocked(&root, &full);
        if blocked.is_none() && is_as_it_was(undo, &full, old) {
            continue;
        }
        match blocked {
            Some(_) if old.what == What::Nothing => continue,
            Some(folder) => clear(&root, &folder, contents, plan),
            None => in_the_way(&root, path, &full, old, contents, plan),
        }
        let mut step = |act| {
            plan.steps.push(Step {
                root: root.clone(),
                path: path.clone(),
                act,
            })
        };
        match &old.what {
            // What was made since stays, unless it is somewhere else, too.
            What::Nothing => {
                if !contents.lacks(&full) && !full.is_dir() {
                    step(Act::Remove);
                }
            }
            What::Folder => {
                step(Act::Folder);
                step(Act::Rights(old.rights.unwrap_or(0o755)));
            }
            What::Link(to) => step(Act::Link(to.clone())),
            What::File(blob) => {
                if !undo.store.has(blob) {
                    plan.missing
                        .push(format!("{}, whose stored content is gone", full.display()));
                    continue;
                }
                step(Act::Write(Content::Kept(blob.clone()), old.rights, old.inode()));
            }
            What::Git(id) => {
                let Some(repo) = repository_above(&full) else {
                    plan.missing
                        .push(format!("{}, whose repository is gone", full.display()));
                    continue;
                };
                step(Act::Write(Content::Git(repo, id.clone()), old.rights, old.inode()));
            }
        }
    }
    Ok(())
}

fn repository_above(path: &Path) -> Option<PathBuf> {
    let above = path.ancestors().skip(1).find(|dir| crate::holds_repository(dir));
    above.map(Path::to_path_buf)
}

/// A whole working tree: what its index said, but for what the snapshot says itself.
fn of_tree(
    undo: &Undo<'_>,
    part: &Part,
    repository: &Repository,
    contents: &Contents,
    plan: &mut Plan,
) -> io::Result<()> {
    let root = part.root.path();
    let looks = Looks::new(Known::default());
    let Some(repo) = Repo::at(&root, looks.means()) else {
        plan.missing.push(format!(
            "the repository {}, which is not there or cannot be read",
            root.display()
        ));
        return Ok(());
    };
    let index = match &repository.index {
        Some(blob) => {
            undo.store.get(blob)?;
            let path = undo.store.blob_path(blob)?;
            let read = gix::index::File::at(
                path,
                repo.git.object_hash(),
                true,
                gix::index::decode::Options::default(),
            );
            Some(read.map_err(|error| io::Error::new(ErrorKind::InvalidData, error.to_string()))?)
        }
        None => None,
    };
    let mut old = BTreeMap::new();
    if let Some(index) = &index {
        for tracked in index.entries() {
            old.extend(of_index(index, tracked, repository));
        }
    }
    for entry in &part.entries {
        old.insert(entry.path.clone(), self::old(entry));
    }
    // Links that the index knows are made from their object.
    let objects = Objects::default();
    for entry in old.values_mut() {
        if let (What::Link(to), Unless::Index(tracked, _)) = (&mut entry.what, &entry.unless) {
            *to = linked(undo, repository, &objects, &root, tracked)?;
        }
    }
    of_part(undo, part, &old, contents, plan)?;
    made_since(undo, &repo, repository, &old, contents, plan);
    staged_since(undo, &repo, index.as_deref(), contents, plan);
    if undo.only.is_empty() && repository.complete {
        state::plan(undo, &repo, repository, contents, plan)?;
    }
    plan.trees.push(Tree {
        dir: root,
        ignored: repository.ignored,
        commits: true,
    });
    Ok(())
}

/// Where a link that the index knows leads to.
fn linked(
    undo: &Undo<'_>,
    repository: &Repository,
    objects: &Objects,
    root: &Path,
    tracked: &Tracked,
) -> io::Result<Name> {
    let id = tracked.id.to_string();
    let to = match repository.staged.iter().find(|(staged, _)| *staged == id) {
        Some((_, blob)) => undo.store.get(blob)?,
        None => objects.get(root, &id)?,
    };
    Ok(Name::from_bytes(&to))
}

fn of_index<'a>(index: &State, tracked: &'a Tracked, repository: &Repository) -> Option<(Name, Old<'a>)> {
    let standing = tracked.stage() == Stage::Unconflicted
        && tracked.mode != Mode::COMMIT
        && !tracked.flags.intersects(Flags::SKIP_WORKTREE | Flags::INTENT_TO_ADD);
    let id = tracked.id.to_string();
    let staged = repository.staged.iter().find(|(staged, _)| *staged == id);
    let what = match (tracked.mode, staged) {
        (Mode::SYMLINK, _) => What::Link(Name::default()),
        // What no commit has may be gone from the repository.
        (_, Some((_, blob))) => What::File(blob.clone()),
        _ => What::Git(id),
    };
    let rights = (tracked.mode != Mode::SYMLINK).then(|| expected_rights(tracked.mode, repository.usual));
    let unless = Unless::Index(tracked, repository.index_time);
    standing.then(|| (Name::from_bytes(tracked.path(index)), Old { what, rights, unless }))
}

/// Files that were not there then. What is in the snapshot, the last commit or the index goes; newer work stays.
fn made_since(
    undo: &Undo<'_>,
    repo: &Repo,
    repository: &Repository,
    old: &BTreeMap<Name, Old<'_>>,
    contents: &Contents,
    plan: &mut Plan,
) {
    let mut new: BTreeSet<Name> = BTreeSet::new();
    if let Some(index) = repo.index() {
        let tracked = index.entries().iter().filter(|entry| entry.mode != Mode::COMMIT);
        new.extend(tracked.map(|entry| Name::from_bytes(entry.path(index).as_bytes())));
    }
    let also = repository.ignored.then_some(gix::dir::walk::EmissionMode::Matching);
    if let Some(found) = files::walk_all(repo, &[], also) {
        new.extend(found.paths.into_iter().map(|(path, ..)| path));
    }
    let mut folders = BTreeSet::new();
    for path in new.into_iter().filter(|path| !old.contains_key(path)) {
        let full = repo.root().join(path.path());
        let Ok(meta) = full.symlink_metadata() else { continue };
        if !undo.is_meant(&full) || meta.is_dir() {
            continue;
        }
        let brought = brought(repo, &path, contents);
        let goes = brought || undo.force && meta.len() > 0 && !contents.lacks(&full) || is_unfinished(&full);
        if !goes || !plan.missing.is_empty() {
            plan.left.push(full);
            continue;
        }
        let above = path.path();
        folders.extend(
            above
                .ancestors()
                .skip(1)
                .map(Name::from)
                .filter(|folder| !folder.bytes().is_empty()),
        );
        plan.steps.push(Step {
            root: repo.root().to_path_buf(),
            path,
            act: Act::Remove,
        });
    }
    // A folder that this empties goes with it; one that holds something else stays by itself.
    let is_old =
        |folder: &Name| old.contains_key(folder) || old.range(folder.clone()..).any(|(path, _)| path.is_within(folder));
    for path in folders.into_iter().filter(|folder| !is_old(folder)) {
        plan.steps.push(Step {
            root: repo.root().to_path_buf(),
            path,
            act: Act::Remove,
        });
    }
}

/// Whether git brought a file from a commit that it had already: the index names it, and its object is no new one.
fn brought(repo: &Repo, path: &Name, contents: &Contents) -> bool {
    let Some(index) = repo.index() else { return false };
    let tracked = index.entry_by_path(path.bytes().as_bstr());
    tracked.is_some_and(|tracked| !contents.is_new(repo, &tracked.id))
        && !contents.lacks(&repo.root().join(path.path()))
}

/// Files that were staged since: the index is replaced, and with it what only it has.
fn staged_since(undo: &Undo<'_>, repo: &Repo, old: Option<&State>, contents: &Contents, plan: &mut Plan) {
    let Some(index) = repo.index().filter(|_| undo.only.is_empty()) else {
        return;
    };
    let known: BTreeSet<gix::ObjectId> = old.iter().flat_map(|old| old.entries()).map(|entry| entry.id).collect();
    for tracked in index.entries() {
        let stands = tracked.mode != Mode::COMMIT && !tracked.flags.contains(Flags::INTENT_TO_ADD);
        if stands && !known.contains(&tracked.id) && contents.is_new(repo, &tracked.id) {
            let path = Name::from_bytes(tracked.path(index));
            plan.newer.push(repo.root().join(path.path()));
        }
    }
}

/// What an undo that was stopped midway has left: no name that anybody would choose.
fn is_unfinished(path: &Path) -> bool {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let random = name.strip_prefix(".tollgate-");
    random.is_some_and(|random| random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Puts everything that the snapshot holds below another folder.
pub(super) fn extract(undo: &Undo<'_>, to: &Path) -> io::Result<u64> {
    let mut count = 0;
    for part in &undo.snapshot.parts {
        let root = part.root.path();
        let mut old = BTreeMap::new();
        let objects = Objects::default();
        let index;
        if let Some(repository) = &part.repository
            && let Some(blob) = &repository.index
        {
            undo.store.get(blob)?;
            let path = undo.store.blob_path(blob)?;
            let read = gix::index::File::at(
                path,
                gix::hash::Kind::Sha1,
                true,
                gix::index::decode::Options::default(),
            );
            index = read.map_err(|error| io::Error::new(ErrorKind::InvalidData, error.to_string()))?;
            for tracked in index.entries() {
                let Some((path, mut entry)) = of_index(&index, tracked, repository) else {
                    continue;
                };
                if let What::Link(to) = &mut entry.what {
                    *to = linked(undo, repository, &objects, &root, tracked)?;
                }
                old.insert(path, entry);
            }
        }
        old.extend(part.entries.iter().map(|entry| (entry.path.clone(), self::old(entry))));
        for (path, old) in &old {
            let full = root.join(path.path());
            if undo.is_meant(&full) {
                count += u64::from(put_beside(undo, &objects, &root, path, old, to)?);
            }
        }
    }
    Ok(count)
}

fn put_beside(
    undo: &Undo<'_>,
    objects: &Objects,
    root: &Path,
    path: &Name,
    old: &Old<'_>,
    to: &Path,
) -> io::Result<bool> {
    // Entries without a repository are named from `/` on: below the folder they keep the part that the snapshot is about.
    let full = root.join(path.path());
    let roots = undo.snapshot.head.roots.iter().map(Name::path);
    let base = roots
        .filter(|root| full.starts_with(root))
        .max_by_key(|root| root.as_os_str().len());
    let base = base.unwrap_or_else(|| root.to_path_buf());
    let base = if base == full {
        base.parent().map(Path::to_path_buf).unwrap_or_default()
    } else {
        base
    };
    let step = |act| Step {
        root: to.to_path_buf(),
        path: Name::from(full.strip_prefix(&base).unwrap_or(&full)),
        act,
    };
    if matches!(old.what, What::File(_) | What::Git(_) | What::Link(_))
        && step(Act::Remove).full().symlink_metadata().is_ok()
    {
        return Err(io::Error::new(
            ErrorKind::AlreadyExists,
            format!("{} is there already", step(Act::Remove).full().display()),
        ));
    }
    let act = match (&old.what, &old.unless) {
        (What::Nothing, _) => return Ok(false),
        (What::Folder, _) => Act::Folder,
        (What::Link(_), Unless::Index(tracked, _)) => {
            Act::Link(Name::from_bytes(&objects.get(root, &tracked.id.to_string())?))
        }
        (What::Link(to), _) => Act::Link(to.clone()),
        (What::File(blob), _) => Act::Write(Content::Kept(blob.clone()), old.rights, None),
        (What::Git(id), _) => {
            let repo = repository_above(&full).unwrap_or_else(|| root.to_path_buf());
            Act::Write(Content::Git(repo, id.clone()), old.rights, None)
        }
    };
    let is_file = act != Act::Folder;
    step(act).take(undo.store, objects)?;
    Ok(is_file)
}
