//! References of our own, so that git keeps commits that nothing else leads to.
//!
//! Written as git's plain files. They are the only thing that a snapshot writes into a repository, and they name commits
//! that are there already.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::repo::Repo;

/// Commits that are held for one snapshot.
pub(super) const MOST: usize = 2048;

/// The folder of the references of a snapshot.
pub(crate) fn folder(common_dir: &Path, id: &str) -> PathBuf {
    common_dir.join("refs/tollgate").join(id)
}

/// All that leads to commits: the place that is worked at, stashes, other working trees, branches, tags; in this order, should
/// they be too many.
pub(super) fn tips(repo: &Repo) -> Vec<String> {
    let common_dir = repo.git.common_dir();
    let mut tips: Vec<String> = repo
        .git
        .head_id()
        .ok()
        .map(|id| id.detach().to_string())
        .into_iter()
        .collect();
    tips.extend(stashes(common_dir));
    tips.extend(elsewhere(common_dir));
    let (mut branches, mut others) = (Vec::new(), Vec::new());
    if let Ok(platform) = repo.git.references() {
        for reference in platform.all().into_iter().flatten().flatten() {
            let name = reference.name().as_bstr().to_string();
            let Some(id) = reference.target().try_id().map(|id| id.to_hex().to_string()) else {
                continue;
            };
            match name.split('/').nth(1) {
                // What lies elsewhere, too, can be fetched again; and what is held is held.
                Some("tollgate" | "remotes") => {}
                Some("heads") => branches.push(id),
                _ => others.push(id),
            }
        }
    }
    let mut seen = BTreeSet::new();
    let all = tips.into_iter().chain(branches).chain(others);
    all.filter(|id| seen.insert(id.clone())).take(MOST).collect()
}

/// Where other working trees of the repository are.
fn elsewhere(common_dir: &Path) -> Vec<String> {
    let trees = fs::read_dir(common_dir.join("worktrees"))
        .into_iter()
        .flatten()
        .flatten();
    let heads = trees.filter_map(|tree| fs::read_to_string(tree.path().join("HEAD")).ok());
    let ids = heads.map(|head| head.trim().to_owned());
    ids.filter(|id| id.len() >= 40 && id.bytes().all(|b| b.is_ascii_hexdigit()))
        .collect()
}

/// The commits of all stashes: only the newest has a reference.
fn stashes(common_dir: &Path) -> Vec<String> {
    let log = fs::read_to_string(common_dir.join("logs/refs/stash")).unwrap_or_default();
    let named = log.lines().filter_map(|line| line.split(' ').nth(1));
    named
        .filter(|id| id.bytes().all(|b| b.is_ascii_hexdigit()))
        .map(str::to_owned)
        .collect()
}

/// Holds these commits.
pub(crate) fn hold(common_dir: &Path, id: &str, commits: &[String]) -> io::Result<()> {
    if commits.is_empty() {
        return Ok(());
    }
    let folder = folder(common_dir, id);
    fs::create_dir_all(&folder)?;
    for (number, commit) in commits.iter().enumerate() {
        let path = folder.join(number.to_string());
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        match file {
            Ok(mut file) => writeln!(file, "{commit}")?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Lets them go, also where git has packed them. What cannot be changed now is held a little longer.
pub(crate) fn let_go(common_dir: &Path, id: &str) {
    let folder = folder(common_dir, id);
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let _gone = fs::remove_file(entry.path());
    }
    let _empty = fs::remove_dir(&folder);
    let _unpacked = unpack(common_dir, &format!(" refs/tollgate/{id}/"));
}

/// Takes references out of the packed ones, under git's own lock.
fn unpack(common_dir: &Path, part: &str) -> io::Result<()> {
    let path = common_dir.join("packed-refs");
    let Ok(packed) = fs::read_to_string(&path) else {
        return Ok(());
    };
    if !packed.contains(part) {
        return Ok(());
    }
    let lock = common_dir.join("packed-refs.lock");
    let mut file = OpenOptions::new().write(true).create_new(true).open(&lock)?;
    let mut ours = false;
    let mut kept = String::new();
    for line in fs::read_to_string(&path)?.split_inclusive('\n') {
        // The line after a tag says what the tag is on.
        ours = line.contains(part) || ours && line.starts_with('^');
        if !ours {
            kept.push_str(line);
        }
    }
    let written = file.write_all(kept.as_bytes()).and_then(|()| fs::rename(&lock, &path));
    if written.is_err() {
        let _gone = fs::remove_file(&lock);
    }
    written
}
