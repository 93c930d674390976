//! Reading and replacing files of other programs: whole, at once, and without losing what somebody wrote meanwhile.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::exit::{Exit, Fault};

/// The content of a file; `None` where there is none.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, Fault> {
    match content(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(io_fault("read", path, &e)),
    }
}

/// A pipe would keep us waiting until somebody writes into it, and a device has no end.
fn content(path: &Path) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The same as text.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>, Fault> {
    let Some(bytes) = read(path)? else { return Ok(None) };
    let text = String::from_utf8(bytes);
    text.map(Some)
        .map_err(|_| Fault::new(Exit::Data, format!("`{}` is not UTF-8.", path.display())))
}

/// Refuses a link to nothing: a file that is written there would take the link's place.
pub(crate) fn no_dead_link(path: &Path) -> Result<(), Fault> {
    if path.is_symlink() && !path.exists() {
        return Err(Fault::new(
            Exit::Io,
            format!("`{}` is a link, and what it leads to is not there.", path.display()),
        )
        .hint("Make what it leads to, or remove the link."));
    }
    Ok(())
}

/// Where a path really leads: a settings file that is a link stays one, and its target is edited.
pub(crate) fn target(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Replaces a file as a whole, if it still holds what was read. The mode stays; a new file gets `mode`.
pub(crate) fn replace(path: &Path, was: Option<&[u8]>, new: &[u8], mode: u32) -> Result<(), Fault> {
    let mode = fs::metadata(path).map_or(mode, |meta| meta.permissions().mode() & 0o7777);
    replace_as(path, was, new, mode)
}

/// The same with a mode that the file has afterwards whatever it had before.
pub(crate) fn replace_as(path: &Path, was: Option<&[u8]>, new: &[u8], mode: u32) -> Result<(), Fault> {
    let fresh = fresh(path);
    let written = write_new(&fresh, new, mode);
    let changed = read(path)?.as_deref() != was;
    let done = match written {
        Ok(()) if changed => Err(Fault::new(
            Exit::Io,
            format!("`{}` was changed by another program.", path.display()),
        )
        .hint("Run the command again.")),
        Ok(()) => fs::rename(&fresh, path).map_err(|e| io_fault("replace", path, &e)),
        Err(e) => Err(io_fault("write", &fresh, &e)),
    };
    if done.is_err() {
        let _absent = fs::remove_file(&fresh);
    }
    done
}

/// Makes a file that is not there, whole or not at all. Says whether it did: what is there stays as it is.
pub(crate) fn create(path: &Path, bytes: &[u8], mode: u32) -> Result<bool, Fault> {
    let fresh = fresh(path);
    let made = write_new(&fresh, bytes, mode).and_then(|()| fs::hard_link(&fresh, path));
    let _absent = fs::remove_file(&fresh);
    match made {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(io_fault("write", path, &e)),
    }
}

/// Removes a file, if it still holds what was read.
pub(crate) fn remove(path: &Path, was: &[u8]) -> Result<(), Fault> {
    if read(path)?.as_deref() != Some(was) {
        return Err(Fault::new(
            Exit::Io,
            format!("`{}` was changed by another program.", path.display()),
        )
        .hint("Run the command again."));
    }
    fs::remove_file(path).map_err(|e| io_fault("remove", path, &e))
}

/// Makes a folder and those above it, readable for this user alone. Returns those that were not there, outermost first.
pub(crate) fn make_folder(path: &Path) -> Result<Vec<PathBuf>, Fault> {
    let mut missing: Vec<PathBuf> = path
        .ancestors()
        .take_while(|p| !p.exists())
        .map(Path::to_path_buf)
        .collect();
    missing.reverse();
    for folder in &missing {
        let made = fs::create_dir(folder).and_then(|()| fs::set_permissions(folder, fs::Permissions::from_mode(0o700)));
        made.map_err(|e| io_fault("make", folder, &e))?;
    }
    Ok(missing)
}

/// The same for a folder that everybody may look into.
pub(crate) fn make_public_folder(path: &Path) -> Result<(), Fault> {
    for folder in make_folder(path)? {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).map_err(|e| io_fault("make", &folder, &e))?;
    }
    Ok(())
}

/// The fault of a failed operation on a path.
pub(crate) fn io_fault(verb: &str, path: &Path, error: &io::Error) -> Fault {
    Fault::new(Exit::Io, format!("Cannot {verb} `{}`: {error}.", path.display()))
}

fn write_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let _absent = fs::remove_file(path);
    let mut file: File = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    file.sync_all()
}

/// Where the new content stands until it is whole. The name is hidden: no folder of settings is read with it.
fn fresh(path: &Path) -> PathBuf {
    path.with_file_name(format!(".{}.tollgate-new", name(path)))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
