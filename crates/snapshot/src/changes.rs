//! What tracked files hold beyond the last commit.

use std::fs;
use std::path::Path;

use gix::bstr::ByteSlice as _;
use gix::index::entry::{Flags, Mode, Stage};
use gix::index::{Entry, State};
use policy::Loss;

use crate::repo::Repo;

/// Files of a repository that are looked at.
const MAX_ENTRIES: usize = 100_000;
/// Bytes of files that are read because their time says that they may have changed.
const MAX_READ: u64 = 64 << 20;

/// Files at and below `below` whose content is neither in the last commit nor gone already.
pub(crate) fn since_the_last_commit(repo: &Repo, below: &[String]) -> Option<Loss> {
    let index = repo.git.open_index().ok()?;
    let head = repo.git.head_commit().ok()?;
    if index.entries().len() > MAX_ENTRIES || index.is_sparse() {
        return None;
    }
    let tree = head.tree_id().ok()?;
    // The index remembers the tree that it was written from, while it has not changed since.
    let same = index
        .tree()
        .is_some_and(|root| root.num_entries.is_some() && root.id == tree.detach());
    let committed = if same {
        None
    } else {
        Some(repo.git.index_from_tree(&tree).ok()?)
    };
    let mut scan = Scan {
        repo,
        index: &index,
        committed: committed.as_deref(),
        left: MAX_READ,
        loss: Loss::default(),
    };
    for entry in index.entries() {
        let path = entry.path(&index).to_str().ok()?;
        if crate::is_below(path, below) && scan.changed(entry, path)? {
            scan.loss.changed += 1;
            scan.loss.bytes += repo.root().join(path).symlink_metadata().map_or(0, |m| m.len());
            crate::name(&mut scan.loss, path);
        }
    }
    let mut loss = scan.loss;
    // Taken out of the index, but still in the last commit: what stands there would be replaced.
    if let Some(head) = committed.as_deref() {
        loss.add(standing_in_the_way(repo, head, &index, below)?);
    }
    Some(loss)
}

/// Files that nobody tracks at paths that `revision` has; nothing, when there is no such revision.
pub(crate) fn replaced(repo: &Repo, revision: &str) -> Option<Loss> {
    let Ok(id) = repo.git.rev_parse_single(revision) else {
        return Some(Loss::default());
    };
    let tree = id.object().ok()?.peel_to_commit().ok()?.tree_id().ok()?;
    let index = repo.git.open_index().ok()?;
    let target = repo.git.index_from_tree(&tree).ok()?;
    standing_in_the_way(repo, &target, &index, &[])
}

/// Files at paths that `wanted` has and the index has not.
fn standing_in_the_way(repo: &Repo, wanted: &State, index: &State, below: &[String]) -> Option<Loss> {
    let mut loss = Loss::default();
    if wanted.entries().len() > MAX_ENTRIES {
        return None;
    }
    for entry in wanted.entries() {
        let path = entry.path(wanted).to_str().ok()?;
        let tracked = index.entry_by_path(path.into()).is_some();
        if !tracked && crate::is_below(path, below) && repo.root().join(path).symlink_metadata().is_ok() {
            loss.untracked += 1;
            crate::name(&mut loss, path);
        }
    }
    Some(loss)
}

struct Scan<'a> {
    repo: &'a Repo,
    index: &'a State,
    /// The last commit's files; `None` where the index holds just these.
    committed: Option<&'a State>,
    left: u64,
    loss: Loss,
}

impl Scan<'_> {
    fn changed(&mut self, entry: &Entry, path: &str) -> Option<bool> {
        if entry.stage() != Stage::Unconflicted || entry.flags.contains(Flags::INTENT_TO_ADD) {
            return Some(true);
        }
        if entry.mode == Mode::COMMIT {
            return Some(false);
        }
        let staged = self
            .committed
            .is_some_and(|head| head.entry_by_path(path.into()).is_none_or(|old| old.id != entry.id));
        if staged {
            return Some(true);
        }
        self.edited(entry, &self.repo.root().join(path))
    }

    /// Whether the file in the working tree holds something else than the index says. A file that is gone holds nothing.
    fn edited(&mut self, entry: &Entry, path: &Path) -> Option<bool> {
        let Ok(meta) = gix::index::fs::Metadata::from_path_no_follow(path) else {
            return Some(false);
        };
        let known = gix::index::entry::Stat::from_fs(&meta).ok()?;
        let options = gix::index::entry::stat::Options {
            trust_ctime: true,
            check_stat: true,
            use_nsec: true,
            use_stdev: false,
        };
        if known.matches(&entry.stat, options) && !entry.stat.is_racy(self.index.timestamp(), options) {
            return Some(false);
        }
        // Where a folder took the place of the file, the file would be put in place of the folder.
        if meta.is_dir() {
            return Some(true);
        }
        // Whoever reads a pipe or a device waits.
        if !meta.is_symlink() && !path.symlink_metadata().ok()?.is_file() {
            return Some(true);
        }
        self.left = self.left.checked_sub(meta.len())?;
        let bytes = if meta.is_symlink() {
            fs::read_link(path).ok()?.into_os_string().into_encoded_bytes()
        } else {
            fs::read(path).ok()?
        };
        let id = gix::objs::compute_hash(self.repo.git.object_hash(), gix::objs::Kind::Blob, &bytes).ok()?;
        Some(id != entry.id)
    }
}
