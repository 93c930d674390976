//! The folder of a ledger and what is in it: segments, the head, the keys, the epochs, the reserve, what was set aside.

use std::fs::{DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Dir, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use crate::error::LedgerError;
use crate::files::{Log, Slot};
use crate::lock;

const HEAD: &str = "head";
/// The private key of the open segment, and the next one while a segment is being begun.
const KEY: &str = "key";
const NEXT_KEY: &str = "key.next";
const EPOCHS: &str = "epochs";
/// The folder of anchors.
pub(crate) const ANCHORS: &str = "anchors";
const RESERVE: &str = "reserve";
const SEGMENT: &str = ".ndjson";
/// Remains of a broken append: in `000001.torn-120` they stood at byte 120 of the first segment.
const TORN: &str = ".torn-";

/// The folder of a ledger. Its own descriptor carries the lock: unlike a lock file it cannot be deleted and made anew
/// under a writer that holds it.
pub(crate) struct Folder {
    file: File,
    path: PathBuf,
    /// The lock, where it was waited for.
    held: Option<File>,
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
        let Some(file) = absent(open(path))? else {
            return Ok(None);
        };
        Ok(Some(Self {
            file,
            path: path.to_path_buf(),
            held: None,
        }))
    }

    /// Takes the lock, for at most `wait`. It is given back when the folder is dropped.
    pub(crate) fn lock(&mut self, wait: Duration) -> Result<(), LedgerError> {
        let (path, own) = (self.path.clone(), self.file.metadata());
        let own = own.map_err(LedgerError::io("look at", &self.path))?;
        self.held = lock::take(&self.file, &self.path, wait, move || {
            let again = open(&path)?;
            let meta = again.metadata().map_err(LedgerError::io("look at", &path))?;
            if (meta.dev(), meta.ino()) == (own.dev(), own.ino()) {
                return Ok(again);
            }
            let why = "was put in the place of another folder just now";
            Err(LedgerError::Unsafe {
                path: path.clone(),
                why,
            })
        })?;
        Ok(())
    }

    /// Gives the lock back.
    pub(crate) fn unlock(&mut self) {
        self.held = None;
        // Where it was not waited for, the folder's own file has it; an error means that it does not.
        let _not_held = self.file.unlock();
    }

    /// A segment, for appending; made where it is missing.
    pub(crate) fn log(&self, segment: u32) -> Result<Log, LedgerError> {
        let name = segment_name(segment);
        let (file, len) = self.file(&name, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)?;
        Ok(Log::new(file, len, self.path.join(name)))
    }

    /// A segment, for reading; `None` where there is none.
    pub(crate) fn read_log(&self, segment: u32) -> Result<Option<Log>, LedgerError> {
        let name = segment_name(segment);
        let file = absent(self.file(&name, OFlags::RDONLY))?;
        Ok(file.map(|(file, len)| Log::new(file, len, self.path.join(name))))
    }

    /// The head file, for writing; made where it is missing.
    pub(crate) fn head(&self) -> Result<Slot, LedgerError> {
        self.slot(HEAD, OFlags::RDWR | OFlags::CREATE)
    }

    /// The head file, for reading; `None` where there is none.
    pub(crate) fn read_head(&self) -> Result<Option<Slot>, LedgerError> {
        absent(self.slot(HEAD, OFlags::RDONLY))
    }

    /// The file of epochs, for appending; made where it is missing.
    pub(crate) fn epochs(&self) -> Result<Log, LedgerError> {
        let (file, len) = self.file(EPOCHS, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)?;
        Ok(Log::new(file, len, self.path.join(EPOCHS)))
    }

    /// The file of epochs, for reading; `None` where there is none.
    pub(crate) fn read_epochs(&self) -> Result<Option<Log>, LedgerError> {
        let file = absent(self.file(EPOCHS, OFlags::RDONLY))?;
        Ok(file.map(|(file, len)| Log::new(file, len, self.path.join(EPOCHS))))
    }

    /// What the key file holds; empty where there is none.
    pub(crate) fn key(&self) -> Result<Vec<u8>, LedgerError> {
        self.content(KEY)
    }

    /// What the file of the next key holds; empty where there is none.
    pub(crate) fn next_key(&self) -> Result<Vec<u8>, LedgerError> {
        self.content(NEXT_KEY)
    }

    /// Puts the next key on the disk, beside the present one.
    pub(crate) fn stage_key(&self, text: &str) -> Result<(), LedgerError> {
        let slot = self.slot(NEXT_KEY, OFlags::RDWR | OFlags::CREATE)?;
        slot.write(text)?;
        slot.cut(text)?;
        slot.sync()?;
        self.sync()
    }

    /// Erases the present key and puts the next one in its place. Zeros are written over it first, because a name that
    /// is taken away leaves the bytes where they are.
    pub(crate) fn install_key(&self) -> Result<(), LedgerError> {
        if let Some(slot) = absent(self.slot(KEY, OFlags::RDWR))? {
            slot.write(&"0".repeat(slot.len()))?;
            slot.sync()?;
        }
        let renamed = retry_on_intr(|| rustix::fs::renameat(&self.file, NEXT_KEY, &self.file, KEY));
        renamed.map_err(|e| LedgerError::io("rename", &self.path.join(NEXT_KEY))(e.into()))?;
        self.sync()
    }

    /// The reserve, for writing; made where it is missing.
    pub(crate) fn reserve(&self) -> Result<(File, u64), LedgerError> {
        self.file(RESERVE, OFlags::RDWR | OFlags::CREATE)
    }

    /// The numbers of the segments, in order.
    pub(crate) fn segments(&self) -> Result<Vec<u32>, LedgerError> {
        let mut numbers = Vec::new();
        for name in self.names()? {
            numbers.extend(segment_number(&name?));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The names in the folder that are no part of a ledger, as the system lists them.
    pub(crate) fn strangers(&self) -> Result<impl Iterator<Item = Result<String, LedgerError>>, LedgerError> {
        Ok(self
            .names()?
            .filter(|name| !name.as_ref().is_ok_and(|name| is_ours(name))))
    }

    fn names(&self) -> Result<impl Iterator<Item = Result<String, LedgerError>>, LedgerError> {
        let path = self.path.clone();
        let fault = move |e: Errno| LedgerError::io("list", &path)(e.into());
        let names = retry_on_intr(|| Dir::read_from(&self.file)).map_err(&fault)?;
        Ok(names.map(move |entry| match entry {
            Ok(entry) => Ok(entry.file_name().to_string_lossy().into_owned()),
            Err(e) => Err(fault(e)),
        }))
    }

    /// Copies a segment from `from` to its end into a file of its own, and cuts it off.
    pub(crate) fn set_aside(&self, log: &mut Log, from: u64) -> Result<String, LedgerError> {
        let (name, mut aside) = self.fresh(&log.name(), from)?;
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
    fn fresh(&self, segment: &str, from: u64) -> Result<(String, File), LedgerError> {
        let first = format!("{}{TORN}{from}", segment.strip_suffix(SEGMENT).unwrap_or(segment));
        let mut name = first.clone();
        for again in 1_u32.. {
            match self.file(&name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL) {
                Err(LedgerError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
                    name = format!("{first}.{again}");
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

    fn content(&self, name: &str) -> Result<Vec<u8>, LedgerError> {
        match absent(self.slot(name, OFlags::RDONLY))? {
            Some(slot) => slot.read(),
            None => Ok(Vec::new()),
        }
    }

    fn slot(&self, name: &str, flags: OFlags) -> Result<Slot, LedgerError> {
        let (file, len) = self.file(name, flags)?;
        Ok(Slot::new(file, len, self.path.join(name)))
    }

    /// Opens a file of the folder and says how long it is.
    fn file(&self, name: &str, flags: OFlags) -> Result<(File, u64), LedgerError> {
        let path = self.path.join(name);
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let fd = retry_on_intr(|| rustix::fs::openat(&self.file, name, flags, Mode::RUSR | Mode::WUSR))
            .map_err(|e| LedgerError::io("open", &path)(e.into()))?;
        let file = File::from(fd);
        let len = trusted(&file, &path, Expect::File)?;
        Ok((file, len))
    }
}

/// The name of a segment's file.
pub(crate) fn segment_name(segment: u32) -> String {
    format!("{segment:06}{SEGMENT}")
}

/// The number of the segment whose file has this name.
fn segment_number(name: &str) -> Option<u32> {
    let number = name.strip_suffix(SEGMENT)?.parse().ok()?;
    (number > 0 && segment_name(number) == name).then_some(number)
}

/// Whether a ledger has a file of that name.
fn is_ours(name: &str) -> bool {
    let set_aside = |(segment, rest): (&str, &str)| {
        segment_number(&format!("{segment}{SEGMENT}")).is_some()
            && !rest.is_empty()
            && rest.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    };
    matches!(name, "." | ".." | HEAD | KEY | NEXT_KEY | EPOCHS | RESERVE | ANCHORS)
        || segment_number(name).is_some()
        || name.split_once(TORN).is_some_and(set_aside)
}

fn open(path: &Path) -> Result<File, LedgerError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))
        .map_err(|e| LedgerError::io("open", path)(e.into()))?;
    let file = File::from(fd);
    trusted(&file, path, Expect::Folder)?;
    Ok(file)
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
