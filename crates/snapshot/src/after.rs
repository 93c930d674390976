//! What a call itself left behind: it is told when the call is over, and then it is nobody's newer work.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::manifest::Snapshot;
use crate::store::{Store, hex};

/// Snapshots among which that of a call is looked for: it was the newest when the call began.
const NEAR: usize = 16;
/// Files whose content is looked at.
const MOST: usize = 256;
/// The longest of them.
const LONGEST: u64 = 8 << 20;

impl Store {
    /// Notes what the call of this name has put where its snapshot holds something else. The name of the snapshot, if there is one.
    ///
    /// # Errors
    /// Where the store cannot be read or written.
    pub fn note_after(&self, agent: &str, session: &str, call: &str) -> io::Result<Option<String>> {
        if call.is_empty() {
            return Ok(None);
        }
        let ids = self.ids()?;
        let heads = ids.iter().rev().take(NEAR).filter_map(|id| self.head(id));
        let mut of_call = heads.filter(|head| {
            let cause = &head.cause;
            (cause.agent.as_str(), cause.session.as_str(), cause.call.as_str()) == (agent, session, call)
        });
        let Some(head) = of_call.next() else { return Ok(None) };
        let made = made(&self.snapshot(&head.id)?);
        if !made.is_empty() {
            self.keep_beside(&head.id, made.join("\n").as_bytes())?;
        }
        Ok(Some(head.id))
    }

    /// The digests of what the call of a snapshot left behind.
    pub(crate) fn made_by(&self, id: &str) -> Vec<String> {
        let text = self.beside(id).and_then(|path| fs::read_to_string(path).ok());
        text.unwrap_or_default().lines().map(str::to_owned).collect()
    }
}

fn made(snapshot: &Snapshot) -> Vec<String> {
    let entries = snapshot.parts.iter().flat_map(|part| {
        let root = part.root.path();
        part.entries
            .iter()
            .filter_map(move |entry| Some((root.join(entry.path.path()), entry.blob()?)))
    });
    let changed = entries
        .take(MOST)
        .filter_map(|(path, blob)| digest(&path).filter(|now| *now != blob.sha256));
    changed.collect()
}

fn digest(path: &Path) -> Option<String> {
    let meta = path.symlink_metadata().ok()?;
    let small = meta.is_file() && meta.len() <= LONGEST;
    small
        .then(|| fs::read(path).ok())
        .flatten()
        .map(|bytes| hex(&Sha256::digest(&bytes)))
}

/// Beside a snapshot: `<id>.after`.
pub(crate) fn name(manifest: &Path) -> PathBuf {
    manifest.with_extension("after")
}
