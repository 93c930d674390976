//! What a repository holds that is nowhere else; kept before it is lost, and brought back.
//!
//! [`Looks`] says what would be lost, [`take`] keeps it in a [`Store`], [`Undo`] brings it back.
//!
//! Read in this process and never by running git: no hook, filter, file system monitor or setting of the repository can
//! run anything. What is no regular file is never opened. An answer is a proof only after all of it was looked at: whatever
//! cannot be read, or is more than the bounds allow, is [`Answer::Unknown`] or says that there is more.

mod after;
mod changes;
mod commits;
mod files;
mod looks;
mod manifest;
mod prune;
mod repo;
mod save;
mod store;
mod undo;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use policy::{Answer, Loss, Work};

use looks::Means;
pub use looks::{Known, Looks};
pub use manifest::{Blob, Cause, Entry, Head, Name, Part, Repository, Snapshot, Stamp, What};
pub use prune::{Keep, Pruned};
use repo::Repo;
pub use save::{Limits, Tree, Wanted, real, take};
pub use store::Store;
pub use undo::{Act, Change, Content, Plan, Step, Undo};

/// What of `work` is nowhere else, for a command that runs in `dir`.
fn answer(looks: &Looks, dir: &Path, work: Work<'_>) -> Answer<Loss> {
    let absent = |path: &str| {
        Path::new(path)
            .symlink_metadata()
            .is_err_and(|e| e.kind() == ErrorKind::NotFound)
    };
    let answer = match work {
        Work::Everything(path) if absent(path) => return Answer::Absent,
        // What could not be looked at may be lost, too.
        Work::Everything(path) => files::everything(looks, Path::new(path)).or_else(|| Some(Loss::more())),
        Work::Branches(names) if looks.around(dir).is_some_and(|repo| commits::are_absent(&repo, names)) => {
            return Answer::Absent;
        }
        _ => looks.around(dir).and_then(|repo| of_repository(&repo, work)),
    };
    answer.map_or(Answer::Unknown, Answer::Known)
}

fn of_repository(repo: &Repo, work: Work<'_>) -> Option<Loss> {
    match work {
        // Before the first commit there is nothing yet that a command could lead back to.
        Work::Changes(_) | Work::Replaced(_) if repo.is_unborn() => None,
        Work::Changes(below) => changes::since_the_last_commit(repo, &repo.within(below)?),
        Work::Untracked { below, ignored } => files::untracked(repo, &repo.within(below)?, ignored),
        Work::Stash(entry) => commits::stashed(repo, entry),
        Work::Merge => changes::by_hand(repo),
        Work::Modules(below) => files::modules(repo, &repo.within(below)?),
        Work::Detached => commits::detached(repo),
        Work::Branches(names) => commits::only_on(repo, names),
        Work::Replaced(revision) => changes::replaced(repo, revision),
        Work::Commits(revision) => commits::dropped_by_reset(repo, revision),
        Work::Everything(_) => None,
    }
}

/// Whether the repository around a folder has a commit: before the first one nothing is proved about it.
#[must_use]
pub fn has_commit(dir: &Path) -> bool {
    let around = Looks::new(Known::default()).around(dir);
    around.is_some_and(|repo| repo.git.head_id().is_ok())
}

/// Whether git would take this folder for that of a repository: an empty `.git` is none.
fn holds_repository(dir: &Path) -> bool {
    let git = dir.join(".git");
    git.is_file() || git.join("HEAD").symlink_metadata().is_ok()
}

/// Takes note of one name, unless there are enough.
fn name(loss: &mut Loss, name: &str) {
    if loss.names.len() < policy::LOSS_NAMES {
        loss.names.push(name.to_owned());
    }
}

/// Whether a path inside the repository is at or below one of these; everything is, when there are none.
fn is_below(path: &str, below: &[String]) -> bool {
    let inside = |dir: &String| {
        dir.is_empty() || path == dir || path.strip_prefix(dir.as_str()).is_some_and(|r| r.starts_with('/'))
    };
    below.is_empty() || below.iter().any(inside)
}

/// Repositories within repositories that are looked at.
const DEEPEST: u8 = 3;

/// All of a repository that would go with its folder.
fn whole(root: &Path, means: &Rc<Means>, depth: u8) -> Option<Loss> {
    if depth > DEEPEST {
        return None;
    }
    let repo = Repo::at(root, means)?;
    let mut loss = changes::since_the_last_commit(&repo, &[])?;
    loss.add(files::lying_around(&repo, &[], depth)?);
    if repo.owns_its_store() {
        loss.add(commits::unpublished(&repo)?);
        loss.add(commits::stashed(&repo, None)?);
    } else if repo.is_linked() {
        loss.add(commits::detached(&repo)?);
    }
    Some(loss)
}

/// The absolute path as text, if it is text.
fn text(path: &Path) -> Option<String> {
    path.to_str().map(str::to_owned)
}

/// `path` without `.` parts at its end, for a folder that is named as `dir/.`.
fn clean(path: &Path) -> PathBuf {
    path.components().collect()
}
