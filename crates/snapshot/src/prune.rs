//! Letting go of snapshots that are too old or too many.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::manifest::{Blob, Head, Snapshot};
use crate::save::let_go;
use crate::store::Store;

/// What was begun this long ago and has no name yet has nobody any more who would finish it.
const ABANDONED: Duration = Duration::from_secs(3600);

/// What is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// For so many days.
    pub days: u64,
    /// Contents of at most so many bytes, those of the oldest go first.
    pub bytes: u64,
    /// Contents that nobody needs are looked for even where no snapshot goes.
    pub thoroughly: bool,
}

/// What a pruning did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// The snapshots that went, oldest first.
    pub snapshots: Vec<String>,
    /// Bytes of contents that went with them.
    pub bytes: u64,
}

impl Store {
    /// Takes away what is not to be kept, and all contents that no snapshot needs. `spared` ones stay in any case. `None` where
    /// somebody is just taking a snapshot: then another time.
    ///
    /// # Errors
    /// Where the store cannot be read or written. What cannot be read is kept, and so are all contents then.
    pub fn prune(&self, keep: Keep, now_ms: u64, spared: impl Fn(&Head) -> bool) -> io::Result<Option<Pruned>> {
        let Some(_alone) = self.hold_alone()? else {
            return Ok(None);
        };
        let (heads, damaged) = self.list()?;
        let mut pruned = Pruned::default();
        let oldest = now_ms.saturating_sub(keep.days.saturating_mul(24 * 3600 * 1000));
        let mut held: u64 = heads.iter().map(|head| head.bytes).sum();
        for head in heads.iter().rev() {
            let goes = (head.cause.time_ms < oldest || held > keep.bytes) && !spared(head);
            if goes {
                held = held.saturating_sub(head.bytes);
                self.let_one_go(&head.id)?;
                pruned.snapshots.push(head.id.clone());
            }
        }
        self.tidy()?;
        // With every manifest read it takes a while, so only where there is a reason.
        if damaged.is_empty() && (keep.thoroughly || !pruned.snapshots.is_empty()) {
            pruned.bytes = self.sweep()?;
        }
        Ok(Some(pruned))
    }

    fn let_one_go(&self, id: &str) -> io::Result<()> {
        let snapshot = self.snapshot(id)?;
        for repository in snapshot.parts.iter().filter_map(|part| part.repository.as_ref()) {
            let_go(&repository.common_dir.path(), id);
        }
        self.forget(id)
    }

    /// Contents that no snapshot needs.
    fn sweep(&self) -> io::Result<u64> {
        let mut needed: BTreeSet<Blob> = BTreeSet::new();
        for id in self.ids()? {
            let snapshot: Snapshot = match self.snapshot(&id) {
                // Nobody knows what it needs.
                Err(error) if error.kind() == ErrorKind::InvalidData => return Ok(0),
                read => read?,
            };
            needed.extend(snapshot.blobs().cloned());
        }
        let digests: BTreeSet<&str> = needed.iter().map(|blob| blob.sha256.as_str()).collect();
        let mut bytes = 0;
        for two in listed(&self.root().join("blobs"))? {
            for file in listed(&two)? {
                let name = |path: &Path| {
                    path.file_name()
                        .map(|name| name.to_string_lossy().into_owned())
                        .unwrap_or_default()
                };
                if !digests.contains(format!("{}{}", name(&two), name(&file)).as_str()) {
                    bytes += file.symlink_metadata().map_or(0, |meta| meta.len());
                    fs::remove_file(&file)?;
                }
            }
        }
        Ok(bytes)
    }

    /// What somebody who was stopped has left.
    fn tidy(&self) -> io::Result<()> {
        for file in listed(&self.root().join("new"))? {
            let age = file.symlink_metadata().and_then(|meta| meta.modified());
            let age = age.ok().and_then(|then| SystemTime::now().duration_since(then).ok());
            if age.is_some_and(|age| age > ABANDONED) {
                fs::remove_file(&file)?;
            }
        }
        Ok(())
    }
}

fn listed(folder: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
