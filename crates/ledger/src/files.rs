//! The files of a ledger, opened so that nobody else can stand behind their names.

use std::cell::Cell;
use std::fs::{DirBuilder, File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Dir, Mode, OFlags};
use rustix::io::Errno;

use crate::error::LedgerError;
use crate::head::{Head, Stored};

/// The log.
pub(crate) const LOG: &str = "000001.ndjson";
/// The head file.
const HEAD: &str = "head";
/// What the names of files with the remains of an append start with; the byte at which they stood follows.
const TORN: &str = "000001.torn-";
/// The lock is asked for again after at most this time.
const LONGEST_NAP: Duration = Duration::from_millis(2);
/// More than any head file holds.
const HEAD_LIMIT: usize = 512;

/// The folder of a ledger. Its own descriptor carries the lock: unlike a lock file it cannot be deleted and made anew
/// under a writer that holds it.
pub(crate) struct Folder {
    file: File,
    path: PathBuf,
}

impl Folder {
    /// Opens the folder, making it where it is missing.
    pub(crate) fn open_or_create(path: &Path) -> Result<Self, LedgerError> {
        match Self::open(path)? {
            Some(folder) => Ok(folder),
            None => {
                let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
                made.map_err(LedgerError::io("create", path))?;
                let missing = || LedgerError::io("open", path)(io::ErrorKind::NotFound.into());
                Self::open(path)?.ok_or_else(missing)
            }
        }
    }

    /// Opens the folder; `None` where there is none.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, LedgerError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(fd) => File::from(fd),
            Err(Errno::NOENT) => return Ok(None),
            Err(e) => return Err(LedgerError::io("open", path)(e.into())),
        };
        trusted(&file, path, Expect::Folder)?;
        Ok(Some(Self {
            file,
            path: path.to_path_buf(),
        }))
    }

    /// Takes the lock, for at most `wait`. It is given back when the folder is dropped.
    pub(crate) fn lock(&self, wait: Duration) -> Result<(), LedgerError> {
        let from = Instant::now();
        let mut nap = Duration::from_micros(50);
        loop {
            match self.file.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::Error(e)) => return Err(LedgerError::io("lock", &self.path)(e)),
                Err(TryLockError::WouldBlock) if from.elapsed() >= wait => {
                    return Err(LedgerError::Busy {
                        path: self.path.clone(),
                    });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(nap),
            }
            nap = (nap * 2).min(LONGEST_NAP);
        }
    }

    /// The log, for appending; made where it is missing.
    pub(crate) fn log(&self) -> Result<Log, LedgerError> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
        let (file, len) = self.file(LOG, flags)?;
        Ok(Log::new(file, len, self.path.join(LOG)))
    }

    /// The log, for reading; `None` where there is none.
    pub(crate) fn read_log(&self) -> Result<Option<Log>, LedgerError> {
        let file = absent(self.file(LOG, OFlags::RDONLY))?;
        Ok(file.map(|(file, len)| Log::new(file, len, self.path.join(LOG))))
    }

    /// The head file, for writing; made where it is missing.
    pub(crate) fn head(&self) -> Result<HeadSlot, LedgerError> {
        let (file, _) = self.file(HEAD, OFlags::RDWR | OFlags::CREATE)?;
        let path = self.path.join(HEAD);
        Ok(HeadSlot { file, path })
    }

    /// What the head file says, without making one.
    pub(crate) fn read_head(&self) -> Result<Stored, LedgerError> {
        match absent(self.file(HEAD, OFlags::RDONLY))? {
            None => Ok(Stored::Absent),
            Some((file, _)) => {
                let path = self.path.join(HEAD);
                HeadSlot { file, path }.read()
            }
        }
    }

    /// The names in the folder that are no part of a ledger, as the system lists them.
    pub(crate) fn strangers(&self) -> Result<impl Iterator<Item = Result<String, LedgerError>>, LedgerError> {
        let fault = |path: &Path, e: Errno| LedgerError::io("list", path)(e.into());
        let names = Dir::read_from(&self.file).map_err(|e| fault(&self.path, e))?;
        let path = self.path.clone();
        Ok(names.filter_map(move |entry| {
            let name = match entry {
                Ok(entry) => entry.file_name().to_string_lossy().into_owned(),
                Err(e) => return Some(Err(fault(&path, e))),
            };
            (!is_ours(&name)).then_some(Ok(name))
        }))
    }

    /// Copies the log from `from` to its end into a file of its own, and cuts it off.
    pub(crate) fn set_aside(&self, log: &mut Log, from: u64) -> Result<String, LedgerError> {
        let (name, mut aside) = self.fresh(from)?;
        let path = self.path.join(&name);
        let mut at = from;
        while at < log.len {
            let chunk = log.read(at, log.len.min(at + 65_536))?;
            aside.write_all(&chunk).map_err(LedgerError::io("write", &path))?;
            at += chunk.len() as u64;
        }
        aside.sync_all().map_err(LedgerError::io("flush", &path))?;
        log.truncate(from)?;
        Ok(name)
    }

    /// A new file for what is cut off at `from`.
    fn fresh(&self, from: u64) -> Result<(String, File), LedgerError> {
        let mut name = format!("{TORN}{from}");
        for again in 1_u32.. {
            match self.file(&name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL) {
                Err(LedgerError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
                    name = format!("{TORN}{from}.{again}");
                }
                other => return other.map(|(file, _)| (name, file)),
            }
        }
        Err(LedgerError::io("create", &self.path)(
            io::ErrorKind::AlreadyExists.into(),
        ))
    }

    /// Flushes the names in the folder, which is needed once for every new file.
    pub(crate) fn sync(&self) -> Result<(), LedgerError> {
        self.file.sync_all().map_err(LedgerError::io("flush", &self.path))
    }

    /// Opens a file of the folder and says how long it is.
    fn file(&self, name: &str, flags: OFlags) -> Result<(File, u64), LedgerError> {
        let path = self.path.join(name);
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let fd = rustix::fs::openat(&self.file, name, flags, Mode::RUSR | Mode::WUSR)
            .map_err(|e| LedgerError::io("open", &path)(e.into()))?;
        let file = File::from(fd);
        let len = trusted(&file, &path, Expect::File)?;
        Ok((file, len))
    }
}

/// Whether a ledger has a file of that name.
fn is_ours(name: &str) -> bool {
    let set_aside = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    matches!(name, "." | ".." | LOG | HEAD) || name.strip_prefix(TORN).is_some_and(set_aside)
}

/// Turns "there is none" into `None`.
fn absent<T>(file: Result<T, LedgerError>) -> Result<Option<T>, LedgerError> {
    match file {
        Ok(file) => Ok(Some(file)),
        Err(LedgerError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(other) => Err(other),
    }
}

enum Expect {
    File,
    Folder,
}

/// Refuses what another user could write, or what has a second name elsewhere. Returns the length.
fn trusted(file: &File, path: &Path, expect: Expect) -> Result<u64, LedgerError> {
    let meta = file.metadata().map_err(LedgerError::io("look at", path))?;
    let why = match expect {
        Expect::File if !meta.is_file() => Some("is no regular file"),
        Expect::File if meta.nlink() > 1 => Some("has a second name (hard link)"),
        _ if meta.uid() != rustix::process::geteuid().as_raw() => Some("belongs to another user"),
        _ if meta.mode() & 0o022 != 0 => Some("can be written by others"),
        _ => None,
    };
    why.map_or(Ok(meta.len()), |why| {
        Err(LedgerError::Unsafe {
            path: path.to_path_buf(),
            why,
        })
    })
}

/// The open log.
pub(crate) struct Log {
    file: File,
    path: PathBuf,
    /// Its length.
    pub(crate) len: u64,
    /// How many bytes were read of it.
    pub(crate) read: Cell<u64>,
}

impl Log {
    const fn new(file: File, len: u64, path: PathBuf) -> Self {
        let read = Cell::new(0);
        Self { file, path, len, read }
    }

    /// The bytes of a range that lies within the log.
    pub(crate) fn read(&self, start: u64, end: u64) -> Result<Vec<u8>, LedgerError> {
        let mut bytes = vec![0; usize::try_from(end.saturating_sub(start)).unwrap_or_default()];
        let read = self.file.read_exact_at(&mut bytes, start);
        read.map_err(LedgerError::io("read", &self.path))?;
        self.read.set(self.read.get() + bytes.len() as u64);
        Ok(bytes)
    }

    /// Adds bytes at the end with one call. When that fails, what was written of them is cut off again; if that fails
    /// too, the next append finds a torn line.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), LedgerError> {
        if let Err(e) = self.file.write_all(bytes) {
            let _ = self.file.set_len(self.len);
            return Err(LedgerError::io("write", &self.path)(e));
        }
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Flushes the log to the disk.
    pub(crate) fn sync(&self) -> Result<(), LedgerError> {
        self.file.sync_data().map_err(LedgerError::io("flush", &self.path))
    }

    fn truncate(&mut self, to: u64) -> Result<(), LedgerError> {
        self.file.set_len(to).map_err(LedgerError::io("cut", &self.path))?;
        self.len = to;
        Ok(())
    }

    /// The file from its start, for reading in a stream.
    pub(crate) fn into_file(self) -> File {
        self.file
    }
}

/// The open head file.
pub(crate) struct HeadSlot {
    file: File,
    path: PathBuf,
}

impl HeadSlot {
    /// What it says.
    pub(crate) fn read(&self) -> Result<Stored, LedgerError> {
        let mut bytes = [0; HEAD_LIMIT];
        let n = self
            .file
            .read_at(&mut bytes, 0)
            .map_err(LedgerError::io("read", &self.path))?;
        Ok(match bytes.get(..n) {
            None | Some([]) => Stored::Absent,
            Some(text) => Head::parse(text).map_or(Stored::Damaged, Stored::Valid),
        })
    }

    /// Writes the head of an empty log and flushes it: from then on the file's bytes are only written over.
    pub(crate) fn begin(&self) -> Result<(), LedgerError> {
        self.write(&Head::GENESIS)?;
        self.file.sync_all().map_err(LedgerError::io("flush", &self.path))
    }

    /// Cuts off what stands behind the head: what was damaged may have been longer.
    pub(crate) fn cut(&self, head: &Head) -> Result<(), LedgerError> {
        let cut = self.file.set_len(head.text().len() as u64);
        cut.map_err(LedgerError::io("cut", &self.path))
    }

    /// Writes the head over the old one, in place: a rename would cost three calls more, and the few bytes of a head lie
    /// in one sector, which a disk writes as a whole or not at all.
    pub(crate) fn write(&self, head: &Head) -> Result<(), LedgerError> {
        let text = head.text();
        let write = self.file.write_all_at(text.as_bytes(), 0);
        write.map_err(LedgerError::io("write", &self.path))
    }
}
