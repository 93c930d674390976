//! The folder of caches in the state folder: one for the files of the machine and the person, one for each project.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ledger::Hash;

use super::Layer;
use super::cache::{self, Cache};
use super::layers::PolicySet;
use super::stamps::Stamps;
use crate::files;
use crate::secret::{known_secret, machine_secret};

/// The folder's name in the state folder.
const FOLDER: &str = "policies";
/// Caches that are kept; the oldest goes first.
const MOST: usize = 64;

/// One cache, whether it is there or not.
pub(super) struct Store<'s> {
    state: &'s Path,
    name: String,
    layers: &'s [(Layer, PathBuf)],
}

impl<'s> Store<'s> {
    pub(super) fn of(state: &'s Path, layers: &'s [(Layer, PathBuf)]) -> Self {
        let project = layers.iter().find(|(layer, _)| *layer == Layer::Project);
        let name = project.map_or_else(
            || "own".to_owned(),
            |(_, folder)| Hash::of(folder.as_os_str().as_encoded_bytes()).hex(),
        );
        Self { state, name, layers }
    }

    fn folder(&self) -> PathBuf {
        self.state.join(FOLDER)
    }

    /// The last set that loaded whole.
    pub(super) fn open(&self) -> Option<Cache> {
        let secret = || known_secret(self.state).ok().flatten();
        Cache::open(&self.folder().join(&self.name), secret, self.layers)
    }

    /// Keeps a set that loaded whole. Where that fails the files are read again next time.
    pub(super) fn keep(&self, set: &PolicySet, stamps: &Stamps) {
        if stamps.files.is_empty() {
            // There is none where there never were files.
            let _ = std::fs::remove_file(self.folder().join(&self.name));
            return;
        }
        let Ok(secret) = machine_secret(self.state) else {
            return;
        };
        if let Some(bytes) = cache::bytes(set, self.layers, stamps, &secret) {
            let _ = self.write(&bytes);
        }
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let folder = self.folder();
        // Whoever holds the lock writes the same.
        if let Some(lock) = files::try_lock(&folder)? {
            files::replace(&lock, &folder.join(&self.name), bytes)?;
            prune(&folder)?;
        }
        Ok(())
    }
}

/// Takes the oldest caches of projects away where there are too many.
fn prune(folder: &Path) -> io::Result<()> {
    let mut caches: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in crate::files::entries(folder)? {
        let entry = entry?;
        if !["own", files::LOCK, files::NEW]
            .iter()
            .any(|name| entry.file_name() == *name)
        {
            caches.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    caches.sort();
    let too_many = caches.len().saturating_sub(MOST);
    caches
        .iter()
        .take(too_many)
        .try_for_each(|(_, path)| std::fs::remove_file(path))
}
