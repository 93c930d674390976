//! What tracked files hold beyond the last commit.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use gix::bstr::ByteSlice as _;
use gix::index::entry::{Flags, Mode, Stage};
use gix::index::{Entry, State};
use policy::Loss;

use crate::repo::Repo;

/// Files of a repository that are looked at.
const MAX_ENTRIES: usize = 400_000;

/// Files at and below `below` whose content is neither in the last commit nor gone already.
pub(crate) fn since_the_last_commit(repo: &Repo, below: &[String]) -> Option<Loss> {
    if below.is_empty() || below.iter().any(String::is_empty) {
        return repo.changes.get_or_init(|| scan(repo, &[])).clone();
    }
    scan(repo, below)
}

fn scan(repo: &Repo, below: &[String]) -> Option<Loss> {
    let index = repo.index()?;
    if index.entries().len() > MAX_ENTRIES || index.is_sparse() {
        return None;
    }
    let committed = committed(repo, index)?;
    let mut scan = Scan {
        repo,
        index,
        committed: committed.as_ref(),
        loss: Loss::default(),
    };
    for entry in entries(index, below) {
        repo.means.files(1)?;
        let path = entry.path(index).to_str().ok()?;
        if scan.changed(entry, path)? {
            scan.count(path);
        }
    }
    let mut loss = scan.loss;
    // Taken out of the index, but still in the last commit: what stands there would be replaced.
    if let Some(head) = committed.as_ref() {
        loss.add(standing_in_the_way(repo, head, index, below)?);
    }
    Some(loss)
}

/// The last commit's files, where the index holds others; before the first commit there are none.
pub(crate) fn committed(repo: &Repo, index: &State) -> Option<Option<State>> {
    if repo.is_unborn() {
        return Some(Some(State::new(repo.git.object_hash())));
    }
    let tree = repo.git.head_commit().ok()?.tree_id().ok()?;
    // The index remembers the tree that it was written from, while it has not changed since.
    let same = index
        .tree()
        .is_some_and(|root| root.num_entries.is_some() && root.id == tree.detach());
    if same {
        return Some(None);
    }
    repo.means.files(index.entries().len() / 4)?;
    Some(Some(repo.git.index_from_tree(&tree).ok()?.into_parts().0))
}

/// The entries at and below these paths.
pub(crate) fn entries<'i>(index: &'i State, below: &[String]) -> Vec<&'i Entry> {
    if below.is_empty() || below.iter().any(String::is_empty) {
        return index.entries().iter().collect();
    }
    let outermost = below.iter().filter(|path| {
        !below
            .iter()
            .any(|other| other != *path && crate::is_below(path, core::slice::from_ref(other)))
    });
    let mut paths: Vec<&String> = outermost.collect();
    paths.sort();
    paths.dedup();
    let mut found = Vec::new();
    for path in paths {
        let start = index
            .entries()
            .partition_point(|e| e.path(index) < path.as_bytes().as_bstr());
        let own = index.entries().get(start..).unwrap_or_default();
        found.extend(own.iter().take_while(|e| e.path(index) == path.as_bytes().as_bstr()));
        let folder = format!("{path}/");
        found.extend(index.prefixed_entries(folder.as_bytes().as_bstr()).unwrap_or_default());
    }
    found
}

/// Files that nobody tracks at paths that `revision` has; nothing, when there is no such revision.
pub(crate) fn replaced(repo: &Repo, revision: &str) -> Option<Loss> {
    let Ok(id) = repo.git.rev_parse_single(revision) else {
        return Some(Loss::default());
    };
    let tree = id.object().ok()?.peel_to_commit().ok()?.tree_id().ok()?;
    let index = repo.index()?;
    let target = repo.git.index_from_tree(&tree).ok()?;
    standing_in_the_way(repo, &target, index, &[])
}

/// What a person did while a merge, a rebase or their like waits for them: conflicts that were resolved, and edits.
pub(crate) fn by_hand(repo: &Repo) -> Option<Loss> {
    let mut loss = Loss::default();
    let waiting = repo.git.state().is_some();
    if !waiting {
        return Some(loss);
    }
    let index = repo.index()?;
    let resolved = index.resolve_undo().map_or(0, Vec::len);
    loss.changed = u32::try_from(resolved).unwrap_or(u32::MAX);
    let mut scan = Scan {
        repo,
        index,
        committed: None,
        loss,
    };
    for entry in index.entries() {
        repo.means.files(1)?;
        let path = entry.path(index).to_str().ok()?;
        let full = repo.root().join(path);
        let edited = match entry.stage() {
            Stage::Unconflicted => scan.edited(entry, path, &full)?,
            // The markers that git wrote are still there: whoever merges again gets the same.
            Stage::Ours if index.entry_by_path_and_stage(path.into(), Stage::Theirs).is_none() => false,
            Stage::Ours => !scan.read(&full)?.windows(7).any(|bytes| bytes == b"<<<<<<<"),
            _ => false,
        };
        if edited {
            scan.count(path);
        }
    }
    Some(scan.loss)
}

/// Files at paths that `wanted` has and the index has not.
fn standing_in_the_way(repo: &Repo, wanted: &State, index: &State, below: &[String]) -> Option<Loss> {
    let mut loss = Loss::default();
    if wanted.entries().len() > MAX_ENTRIES {
        return None;
    }
    for entry in entries(wanted, below) {
        let path = entry.path(wanted).to_str().ok()?;
        let tracked = index.entry_by_path(path.into()).is_some();
        if !tracked && repo.root().join(path).symlink_metadata().is_ok() {
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
    loss: Loss,
}

impl Scan<'_> {
    fn count(&mut self, path: &str) {
        self.loss.changed += 1;
        self.loss.bytes += self.repo.root().join(path).symlink_metadata().map_or(0, |m| m.len());
        crate::name(&mut self.loss, path);
    }

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
        self.edited(entry, path, &self.repo.root().join(path))
    }

    /// Whether the file in the working tree holds something else than the index says. A file that is gone holds nothing.
    fn edited(&mut self, entry: &Entry, path: &str, full: &Path) -> Option<bool> {
        let Ok(meta) = gix::index::fs::Metadata::from_path_no_follow(full) else {
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
        if let Some(known) = self.repo.compared.borrow().get(path) {
            return Some(*known);
        }
        let edited = if meta.is_symlink() {
            let target = fs::read_link(full).ok()?.into_os_string().into_encoded_bytes();
            !self.is_blob(entry, &target)?
        } else if full.symlink_metadata().ok()?.is_file() {
            let bytes = self.read(full)?;
            !(self.is_blob(entry, &bytes)? || self.is_blob_with_other_ends(entry, &bytes)?)
        } else {
            // Whoever reads a pipe or a device waits.
            true
        };
        self.repo.compared.borrow_mut().insert(path.to_owned(), edited);
        Some(edited)
    }

    /// What a regular file holds; nothing, where there is none.
    fn read(&self, full: &Path) -> Option<Vec<u8>> {
        match full.symlink_metadata() {
            Ok(meta) if meta.is_file() => {
                self.repo.means.bytes(meta.len())?;
                // What says that it is empty may be made up by the kernel while it is read, and that can wait.
                if meta.len() == 0 {
                    return Some(Vec::new());
                }
                let mut bytes = Vec::new();
                let file = fs::File::open(full).ok()?;
                file.take(meta.len()).read_to_end(&mut bytes).ok()?;
                Some(bytes)
            }
            _ => Some(Vec::new()),
        }
    }

    fn is_blob(&self, entry: &Entry, bytes: &[u8]) -> Option<bool> {
        let id = gix::objs::compute_hash(self.repo.git.object_hash(), gix::objs::Kind::Blob, bytes).ok()?;
        Some(id == entry.id)
    }

    /// git may store lines with other ends than they have here. Nobody misses those.
    fn is_blob_with_other_ends(&self, entry: &Entry, bytes: &[u8]) -> Option<bool> {
        if !bytes.contains_str("\r\n") {
            return Some(false);
        }
        self.is_blob(entry, &bytes.replace("\r\n", "\n"))
    }
}
