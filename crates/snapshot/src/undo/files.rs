//! Changing one file below a folder, and never anything outside of it: no link on the way is followed.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, Mode, OFlags, RawMode, Stat};
use rustix::io::Errno;

use crate::manifest::Name;
use crate::store::random;

/// The folder that a file lies in, held open, and the file's name in it.
pub(super) struct Rooted {
    folder: OwnedFd,
    name: Vec<u8>,
}

const FOLDER: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC)
    .union(OFlags::RDONLY);

impl Rooted {
    /// Goes down to the folder, and makes what is missing on the way.
    pub(super) fn at(root: &Path, path: &Name) -> io::Result<Self> {
        let path = path.path();
        let mut parts = Vec::new();
        for part in path.components() {
            match part {
                Component::Normal(name) => parts.push(name.as_bytes().to_vec()),
                _ => return Err(io::Error::new(ErrorKind::InvalidInput, "not a plain path")),
            }
        }
        let Some(name) = parts.pop() else {
            return Err(io::Error::new(ErrorKind::InvalidInput, "no path"));
        };
        let mut folder = rustix::fs::open(root, FOLDER, Mode::empty())?;
        for part in parts {
            folder = match rustix::fs::openat(&folder, part.as_slice(), FOLDER, Mode::empty()) {
                Err(Errno::NOENT) => {
                    made(rustix::fs::mkdirat(
                        &folder,
                        part.as_slice(),
                        Mode::from_raw_mode(0o777),
                    ))?;
                    rustix::fs::openat(&folder, part.as_slice(), FOLDER, Mode::empty())?
                }
                opened => opened?,
            };
        }
        Ok(Self { folder, name })
    }

    /// The file, the link or the empty folder goes. A folder that holds something stays.
    pub(super) fn remove(&self) -> io::Result<()> {
        let name = self.name.as_slice();
        match rustix::fs::unlinkat(&self.folder, name, AtFlags::empty()) {
            Err(Errno::ISDIR | Errno::PERM) => match rustix::fs::unlinkat(&self.folder, name, AtFlags::REMOVEDIR) {
                Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOENT) => Ok(()),
                done => Ok(done?),
            },
            Err(Errno::NOENT) => Ok(()),
            done => Ok(done?),
        }
    }

    /// A folder, if there is none.
    pub(super) fn folder(&self) -> io::Result<()> {
        made(rustix::fs::mkdirat(
            &self.folder,
            self.name.as_slice(),
            Mode::from_raw_mode(0o700),
        ))
    }

    /// The file has this content from one moment to the next. A file with several names that is the inode it was is written in
    /// its place; what only got the name meanwhile is somebody else's.
    pub(super) fn write(&self, bytes: &[u8], rights: Option<u32>, was: Option<(u64, u64)>) -> io::Result<()> {
        let name = self.name.as_slice();
        let there = rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW).ok();
        let is_file = |mode: RawMode| rustix::fs::FileType::from_raw_mode(mode) == rustix::fs::FileType::RegularFile;
        let is_the_same = |there: &Stat| was == Some((there.st_dev, there.st_ino));
        if there.is_some_and(|there| is_file(there.st_mode) && there.st_nlink > 1 && is_the_same(&there)) {
            return self.write_in_place(bytes, rights);
        }
        let before = there
            .filter(|there| is_file(there.st_mode))
            .map(|there| there.st_mode & 0o7777);
        let new = format!(".tollgate-{}", random()?);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // Nobody else reads it before it has its own rights.
        let file = rustix::fs::openat(&self.folder, new.as_str(), flags, Mode::from_raw_mode(0o600))?;
        let mut file = File::from(file);
        let written = file.write_all(bytes).and_then(|()| {
            let rights = rights.or(before).unwrap_or(0o644);
            Ok(rustix::fs::fchmod(&file, Mode::from_raw_mode(rights))?)
        });
        let placed = written.and_then(|()| Ok(rustix::fs::renameat(&self.folder, new.as_str(), &self.folder, name)?));
        if placed.is_err() {
            let _gone = rustix::fs::unlinkat(&self.folder, new.as_str(), AtFlags::empty());
        }
        placed
    }

    fn write_in_place(&self, bytes: &[u8], rights: Option<u32>) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(
            &self.folder,
            self.name.as_slice(),
            flags,
            Mode::empty(),
        )?);
        file.write_all(bytes)?;
        if let Some(rights) = rights {
            rustix::fs::fchmod(&file, Mode::from_raw_mode(rights))?;
        }
        Ok(())
    }

    /// A link, in place of whatever file or link is there.
    pub(super) fn link(&self, to: &Name) -> io::Result<()> {
        let new = format!(".tollgate-{}", random()?);
        rustix::fs::symlinkat(to.bytes(), &self.folder, new.as_str())?;
        let placed = rustix::fs::renameat(&self.folder, new.as_str(), &self.folder, self.name.as_slice());
        if placed.is_err() {
            let _gone = rustix::fs::unlinkat(&self.folder, new.as_str(), AtFlags::empty());
        }
        Ok(placed?)
    }

    /// Rights of a file or folder; a link has none.
    pub(super) fn rights(&self, rights: u32) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.folder, self.name.as_slice(), flags, Mode::empty()) {
            Ok(file) => Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(rights))?),
            // What nobody may read is not opened; its name is no link, or it would not be in the plan.
            Err(Errno::ACCESS) => {
                let mode = Mode::from_raw_mode(rights);
                Ok(rustix::fs::chmodat(
                    &self.folder,
                    self.name.as_slice(),
                    mode,
                    AtFlags::empty(),
                )?)
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn made(result: Result<(), Errno>) -> io::Result<()> {
    match result {
        Err(Errno::EXIST) => Ok(()),
        done => Ok(done?),
    }
}

/// What a regular file holds; `None` where there is none.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
