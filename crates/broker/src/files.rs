//! Folders of state: whole files or none, one writer at a time.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long another writer is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// The names of the lock, and of a file until all of it is written.
pub(crate) const LOCK: &str = "lock";
pub(crate) const NEW: &str = "new";
const STEP: Duration = Duration::from_millis(2);
/// What is larger than this was not written by us.
const LARGEST: u64 = 4 << 20;

/// The right to write, until it is dropped.
pub(crate) struct Lock(File);

impl Lock {
    /// Keeps that something was written under the lock, so that it cannot go unnoticed.
    pub(crate) fn mark(&self) -> io::Result<()> {
        self.0.set_len(1)
    }
}

/// Whether something was written under the lock of the folder.
pub(crate) fn is_marked(folder: &Path) -> bool {
    folder.join(LOCK).symlink_metadata().is_ok_and(|meta| meta.len() > 0)
}

/// The lock of the folder, for a person: whoever does not give it back in time loses it. What such a one writes later is
/// what it would have written before.
pub(crate) fn lock_or_take(folder: &Path) -> io::Result<Lock> {
    match lock(folder) {
        Err(error) if error.kind() == io::ErrorKind::TimedOut => {
            fs::remove_file(folder.join(LOCK))?;
            lock(folder)
        }
        lock => lock,
    }
}

/// Waits for the lock of the folder, and makes the folder where there is none.
pub(crate) fn lock(folder: &Path) -> io::Result<Lock> {
    let from = Instant::now();
    loop {
        match try_lock(folder)? {
            Some(lock) => return Ok(lock),
            None if from.elapsed() < PATIENCE => std::thread::sleep(STEP),
            None => return Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

/// The lock of the folder, where nobody has it. Makes the folder where there is none.
pub(crate) fn try_lock(folder: &Path) -> io::Result<Option<Lock>> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // A link could lead what we keep to another place.
    if folder.is_symlink() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .custom_flags(i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or_default())
        .open(folder.join(LOCK))?;
    loop {
        return match file.try_lock() {
            Ok(()) => Ok(Some(Lock(file))),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(fs::TryLockError::Error(error)) => Err(error),
        };
    }
}

/// Waits for the lock of a file as long as it takes. A signal that interrupts the wait does not end it.
pub(crate) fn wait(file: &File) -> io::Result<()> {
    loop {
        match file.lock() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            locked => return locked,
        }
    }
}

/// Writes all of a file or nothing of it. Whoever reads sees the old one or the new one.
pub(crate) fn replace(_lock: &Lock, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let new = folder.join(NEW);
    match fs::remove_file(&new) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    File::open(folder)?.sync_all()
}

/// Makes a file that must not be there yet. Of all who try, one succeeds.
pub(crate) fn claim(path: &Path) -> io::Result<bool> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    match OpenOptions::new().create_new(true).write(true).mode(0o600).open(path) {
        Ok(file) => file.sync_all().map(|()| true),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(e),
    }
}

/// The text of a regular file of ours.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    let meta = path.symlink_metadata()?;
    if !meta.is_file() || meta.len() > LARGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    fs::read_to_string(path)
}

/// The entries of a folder. A signal that interrupts the opening of it does not end it, as with files.
pub(crate) fn entries(folder: &Path) -> io::Result<fs::ReadDir> {
    loop {
        match folder.read_dir() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            entries => return entries,
        }
    }
}

/// The JSON files in a folder, by name. No folder is none.
pub(crate) fn paths(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match entries(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
