//! Whether somebody else could replace a file: who owns it and the folders above it, and who may write there.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Why a place is not safe: whose hands reach it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsafe {
    /// The file or folder that others reach.
    pub path: PathBuf,
    /// How, as in "it is not safe: `everybody may write there`".
    pub why: String,
}

/// The facts of one file or folder on the way down.
#[derive(Clone, Copy, Debug)]
struct Step {
    uid: u32,
    gid: u32,
    mode: u32,
}

const STICKY: u32 = 0o1000;
const GROUP_WRITE: u32 = 0o020;
const OTHER_WRITE: u32 = 0o002;

/// Checks the longest existing part of `path`, from the root down. Links are followed first: only the real place counts,
/// and that is what gets written into settings.
///
/// # Errors
/// The first step where others may write.
pub fn only_own_hands(path: &Path) -> Result<(), Unsafe> {
    way_down(&existing(path), None)
}

/// The same for a folder that may be missing: a sticky folder lets nobody take ours away, so where there is none, there was
/// none, and whoever makes one there is found by its owner.
pub(crate) fn only_own_hands_if_there(path: &Path) -> Result<(), Unsafe> {
    let ours = Step {
        uid: rustix::process::geteuid().as_raw(),
        gid: 0,
        mode: 0,
    };
    way_down(&existing(path), path.canonicalize().is_err().then_some(ours))
}

/// The same for the links on the way: who can replace a link on the path of `path` leads whoever goes by that path to
/// another place.
pub(crate) fn only_own_links(path: &Path) -> Result<(), Unsafe> {
    let links = path
        .ancestors()
        .filter(|part| part.symlink_metadata().is_ok_and(|meta| meta.is_symlink()));
    for link in links {
        if let Some(folder) = link.parent() {
            way_down(&existing(folder), step(link))?;
        }
    }
    Ok(())
}

/// Checks every step down to `real`, in which lies `last`.
fn way_down(real: &Path, last: Option<Step>) -> Result<(), Unsafe> {
    let uid = rustix::process::geteuid().as_raw();
    // Two files are read for it, and few folders can be written by a group.
    let groups = LazyCell::new(|| private_groups(uid));
    let mut way: Vec<&Path> = real.ancestors().collect();
    way.reverse();
    let mut steps = way
        .iter()
        .map(|path| Some((path.to_path_buf(), step(path)?)))
        .peekable();
    while let Some(Some((path, step))) = steps.next() {
        let below = steps
            .peek()
            .and_then(|next| next.as_ref())
            .map(|(_, step)| *step)
            .or(last);
        if let Some(why) = fault(step, below, uid, || &groups) {
            return Err(Unsafe { path, why });
        }
    }
    Ok(())
}

/// The real path of the longest part that exists.
fn existing(path: &Path) -> PathBuf {
    path.ancestors()
        .find_map(|part| part.canonicalize().ok())
        .unwrap_or_else(|| PathBuf::from("/"))
}

fn step(path: &Path) -> Option<Step> {
    let meta = fs::symlink_metadata(path).ok()?;
    Some(Step {
        uid: meta.uid(),
        gid: meta.gid(),
        mode: meta.mode(),
    })
}

/// What is wrong with one step. A sticky folder lets others add entries, but not take ours away; so it does no harm where
/// the entry below it is ours or root's.
fn fault<'a>(step: Step, below: Option<Step>, uid: u32, private: impl FnOnce() -> &'a HashSet<u32>) -> Option<String> {
    let mine = |owner: u32| owner == uid || owner == 0;
    if !mine(step.uid) {
        return Some(format!("it belongs to user {}", step.uid));
    }
    let held = step.mode & STICKY != 0 && below.is_some_and(|below| mine(below.uid));
    if step.mode & OTHER_WRITE != 0 && !held {
        return Some("everybody may write there".to_owned());
    }
    let shared = step.mode & GROUP_WRITE != 0 && step.gid != 0 && !private().contains(&step.gid);
    (shared && !held).then(|| format!("group {} may write there", step.gid))
}

/// Groups in which this user is alone: many systems give every user one and make new folders writable for it.
fn private_groups(uid: u32) -> HashSet<u32> {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let groups = fs::read_to_string("/etc/group").unwrap_or_default();
    alone(uid, &users, &groups)
}

fn alone(uid: u32, users: &str, groups: &str) -> HashSet<u32> {
    let fields = |line: &str| line.split(':').map(str::to_owned).collect::<Vec<_>>();
    let users: Vec<(String, u32, u32)> = users
        .lines()
        .map(fields)
        .filter_map(|f| Some((f.first()?.clone(), f.get(2)?.parse().ok()?, f.get(3)?.parse().ok()?)))
        .collect();
    let me: HashSet<&str> = users
        .iter()
        .filter(|(_, id, _)| *id == uid)
        .map(|(name, ..)| name.as_str())
        .collect();
    let others: HashSet<u32> = users
        .iter()
        .filter(|(_, id, _)| *id != uid)
        .map(|(.., group)| *group)
        .collect();
    groups
        .lines()
        .map(fields)
        .filter_map(|f| Some((f.get(2)?.parse().ok()?, f.get(3)?.clone())))
        .filter(|(id, members)| {
            !others.contains(id) && members.split(',').all(|name| name.is_empty() || me.contains(name))
        })
        .map(|(id, _)| id)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(uid: u32, gid: u32, mode: u32) -> Step {
        Step { uid, gid, mode }
    }

    #[test]
    fn only_hands_of_root_and_this_user_may_reach_it() {
        let private = HashSet::from([1000]);
        let ok = |step, below| fault(step, below, 1000, || &private).is_none();
        assert!(ok(at(0, 0, 0o755), None));
        assert!(ok(at(1000, 1000, 0o700), None));
        assert!(ok(at(1000, 1000, 0o775), None), "a group of one's own");
        assert!(!ok(at(1000, 100, 0o775), None), "a group of many");
        assert!(!ok(at(1000, 1000, 0o777), None));
        assert!(!ok(at(1001, 1000, 0o700), None));
        assert!(!ok(at(0, 0, 0o1777), None), "a sticky folder itself");
        assert!(
            ok(at(0, 0, 0o1777), Some(at(1000, 1000, 0o700))),
            "ours below a sticky folder"
        );
        assert!(ok(at(0, 0, 0o1777), Some(at(0, 0, 0o755))));
        assert!(!ok(at(0, 0, 0o1777), Some(at(1001, 1001, 0o700))));
        assert!(!ok(at(0, 0, 0o777), Some(at(1000, 1000, 0o700))), "not sticky");
    }

    #[test]
    fn a_group_is_private_while_nobody_else_is_in_it() {
        let users =
            "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbob:x:1001:100::/home/bob:/bin/sh\n";
        let groups = "root:x:0:\nann:x:1000:\nusers:x:100:\nshared:x:50:ann,bob\nmine:x:51:ann\n";
        assert_eq!(alone(1000, users, groups), HashSet::from([1000, 51]));
    }
}
