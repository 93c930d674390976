//! What a repository holds that is nowhere else.
//!
//! Read in this process and never by running git: no hook, filter, file system monitor or setting of the repository can
//! run anything. An answer is given only after all of it was looked at; whatever cannot be read, or is more than the
//! bounds allow, is [`Answer::Unknown`].

mod changes;
mod commits;
mod files;
mod repo;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use policy::{Answer, Ignored, Loss, Work};

use repo::Repo;

/// What of `work` is nowhere else, for a command that runs in `dir`.
#[must_use]
pub fn loss(dir: &Path, work: Work<'_>) -> Answer<Loss> {
    let absent = |path: &str| {
        Path::new(path)
            .symlink_metadata()
            .is_err_and(|e| e.kind() == ErrorKind::NotFound)
    };
    let answer = match work {
        Work::Everything(path) if absent(path) => return Answer::Absent,
        Work::Everything(path) => files::everything(Path::new(path)),
        _ => Repo::around(dir).and_then(|repo| of_repository(&repo, work)),
    };
    answer.map_or(Answer::Unknown, Answer::Known)
}

fn of_repository(repo: &Repo, work: Work<'_>) -> Option<Loss> {
    match work {
        Work::Changes(below) => changes::since_the_last_commit(repo, &repo.within(below)?),
        Work::Untracked { below, ignored } => files::untracked(repo, &repo.within(below)?, ignored),
        Work::Stashes => commits::stashes(repo),
        Work::Branches(names) => commits::only_on(repo, names),
        Work::Replaced(revision) => changes::replaced(repo, revision),
        Work::Commits(revision) => commits::dropped_by_reset(repo, revision),
        Work::Everything(_) => None,
    }
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
fn whole(root: &Path, depth: u8) -> Option<Loss> {
    if depth > DEEPEST {
        return None;
    }
    let repo = Repo::at(root)?;
    let mut loss = changes::since_the_last_commit(&repo, &[])?;
    loss.add(files::untracked(&repo, &[], Ignored::No)?);
    loss.add(files::secrets(&repo, &[])?);
    loss.add(files::inner_repositories(&repo, &[], depth)?);
    if repo.owns_its_store() {
        loss.add(commits::unpublished(&repo)?);
        loss.add(commits::stashes(&repo)?);
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
