//! The one writer at a time.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use crate::error::LedgerError;

/// Takes the lock of an open folder, for at most `wait`. The lock is held as long as the file that is returned is open.
///
/// Whoever finds it taken waits in the system's own queue, which hands the lock on at once, where asking again and again
/// would leave the disk idle in between. A call that waits there cannot be given up, so a thread waits; where it comes too late,
/// what it got is dropped with its file.
pub(crate) fn take(
    folder: &File,
    path: &Path,
    wait: Duration,
    open: impl Fn() -> Result<File, LedgerError>,
) -> Result<Option<File>, LedgerError> {
    let taken = loop {
        match folder.try_lock() {
            Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Interrupted => {}
            tried => break tried,
        }
    };
    match taken {
        Ok(()) => return Ok(None),
        Err(TryLockError::Error(e)) => return Err(LedgerError::io("lock", path)(e)),
        Err(TryLockError::WouldBlock) => {}
    }
    // A lock belongs to an opening of the file, so the thread needs one of its own.
    let waiting = open()?;
    let (send, got) = mpsc::channel();
    let spawned = std::thread::Builder::new().stack_size(64 << 10).spawn(move || {
        let locked = self::wait(&waiting).map(|()| waiting);
        let _too_late = send.send(locked);
    });
    spawned.map_err(LedgerError::io("lock", path))?;
    match got.recv_timeout(wait) {
        Ok(locked) => locked.map(Some).map_err(LedgerError::io("lock", path)),
        Err(_) => Err(LedgerError::Busy {
            path: path.to_path_buf(),
        }),
    }
}

/// Waits for the lock as long as it takes. A signal that interrupts the wait does not end it.
pub(crate) fn wait(file: &File) -> io::Result<()> {
    loop {
        match file.lock() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            locked => return locked,
        }
    }
}
