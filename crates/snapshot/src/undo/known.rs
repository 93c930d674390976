//! Whether what stands at a path now is somewhere else, too: in the snapshot, in a commit, or in the index.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use gix::bstr::ByteSlice as _;
use sha2::{Digest as _, Sha256};

use super::Undo;
use super::files::read;
use crate::looks::Looks;
use crate::manifest::What;
use crate::repo::Repo;
use crate::store::hex;

/// Contents that are not lost when a file that holds them is replaced.
pub(super) struct Contents {
    digests: BTreeSet<String>,
    links: BTreeSet<PathBuf>,
    looks: Looks,
    /// The index is among what is brought back.
    index_goes: bool,
    since_ms: u64,
}

/// The clock of a file system may be this much behind.
const TICK_MS: u64 = 4;

impl Contents {
    /// Those of a snapshot, and those that its request itself has made.
    pub(super) fn of(undo: &Undo<'_>) -> Self {
        let snapshot = undo.snapshot;
        let entries = || snapshot.parts.iter().flat_map(|part| &part.entries);
        let links = entries().filter_map(|entry| match &entry.what {
            What::Link(to) => Some(to.path()),
            _ => None,
        });
        let made = undo.store.made_by(&snapshot.head.id);
        let digests = snapshot.blobs().map(|blob| blob.sha256.clone());
        Self {
            digests: digests
                .chain(snapshot.head.cause.makes.iter().cloned())
                .chain(made)
                .collect(),
            links: links.collect(),
            looks: Looks::new(crate::Known::default()),
            index_goes: undo.only.is_empty() && snapshot.parts.iter().any(|part| part.repository.is_some()),
            since_ms: snapshot.head.cause.time_ms,
        }
    }

    /// Whether what stands here would be missed. A folder never: its files are looked at one by one.
    pub(super) fn lacks(&self, path: &Path) -> bool {
        let Ok(meta) = path.symlink_metadata() else {
            return false;
        };
        if meta.is_symlink() {
            return !std::fs::read_link(path).is_ok_and(|to| self.links.contains(&to))
                && !self.is_versioned(path, None);
        }
        if meta.is_dir() {
            return false;
        }
        match read(path) {
            Some(bytes) if bytes.is_empty() => false,
            Some(bytes) => {
                !self.digests.contains(&hex(&Sha256::digest(&bytes))) && !self.is_versioned(path, Some(&bytes))
            }
            // A pipe or a socket holds nothing; what cannot be read may hold anything.
            None => meta.is_file(),
        }
    }

    /// Whether git has it: the index, the last commit or one before it.
    fn is_versioned(&self, path: &Path, bytes: Option<&[u8]>) -> bool {
        let link;
        let bytes = match bytes {
            Some(bytes) => bytes,
            None => {
                let Ok(to) = std::fs::read_link(path) else { return false };
                link = to.into_os_string().into_encoded_bytes();
                &link
            }
        };
        let Some(repo) = path.parent().and_then(|dir| self.looks.around(dir)) else {
            return false;
        };
        // git may keep lines with other ends than they have here.
        let unix = bytes.contains_str("\r\n").then(|| bytes.replace("\r\n", "\n"));
        let forms = [Some(bytes), unix.as_deref()];
        forms.into_iter().flatten().any(|bytes| {
            let id = gix::objs::compute_hash(repo.git.object_hash(), gix::objs::Kind::Blob, bytes);
            id.is_ok_and(|id| repo.git.has_object(id) && (!self.is_new(&repo, &id) || self.is_staged(&repo, &id)))
        })
    }

    /// Whether the index has it, and will still have it.
    fn is_staged(&self, repo: &Repo, id: &gix::oid) -> bool {
        !self.index_goes
            && repo
                .index()
                .is_some_and(|index| index.entries().iter().any(|entry| *entry.id == *id))
    }

    /// Whether git got an object after the snapshot: work that was committed or staged since.
    pub(super) fn is_new(&self, repo: &Repo, id: &gix::oid) -> bool {
        let hex = id.to_hex().to_string();
        let Some((two, rest)) = hex.split_at_checked(2) else {
            return true;
        };
        let loose = repo
            .git
            .common_dir()
            .join("objects")
            .join(two)
            .join(rest)
            .symlink_metadata();
        let time = loose
            .ok()
            .and_then(|meta| meta.modified().ok()?.duration_since(UNIX_EPOCH).ok());
        match time {
            Some(time) => u64::try_from(time.as_millis()).unwrap_or(u64::MAX) + TICK_MS >= self.since_ms,
            // What was packed meanwhile says it by its own time, if it is a commit.
            None => repo.git.find_commit(id).is_ok_and(|commit| {
                let time = commit.time().map_or(i64::MAX, |time| time.seconds);
                u64::try_from(time).unwrap_or_default() > self.since_ms / 1000
            }),
        }
    }
}
