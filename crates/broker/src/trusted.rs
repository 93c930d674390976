//! Files that a person's settings are read from: nobody else may change them, replace them or take them away.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use crate::safe::{Unsafe, only_own_hands, only_own_hands_if_there, only_own_links};

/// More than any settings need.
const LIMIT: u64 = 1 << 20;
/// More files than anybody keeps apart in one folder.
const MOST: usize = 100;

/// Nobody else may write in the folder or in one above it; nor where a link stands that is followed on the way.
pub(crate) fn folder(path: &Path) -> Result<(), String> {
    only_own_hands_if_there(path)
        .and_then(|()| only_own_links(path))
        .map_err(|found| by_others(&found))
}

/// [`files`] of a folder that nobody else may write in.
pub(crate) fn own_files(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, String> {
    if folder.symlink_metadata().is_ok() {
        dangling(folder).map_or(Ok(()), Err)?;
        self::folder(folder)?;
    }
    files(folder, endings)
}

/// The files of a folder that end so, by name. No folder is no files. What editors and people leave beside them, and what
/// is hidden, is none of them.
pub(crate) fn files(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, String> {
    let meant = |path: &PathBuf| {
        let hidden = path
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        let ending = path.extension().and_then(|ending| ending.to_str());
        // Large letters in it make it no other file.
        !hidden && ending.is_some_and(|ending| endings.iter().any(|one| one.eq_ignore_ascii_case(ending)))
    };
    let entries = match crate::files::entries(folder) {
        Err(e) if e.kind() == ErrorKind::NotFound => return dangling(folder).map_or(Ok(Vec::new()), Err),
        entries => entries.map_err(|e| format!("it cannot be read: {e}"))?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(|e| format!("it cannot be read: {e}"))?.path());
    }
    paths.retain(meant);
    if paths.len() > MOST {
        return Err(format!("it holds more than {MOST} files"));
    }
    paths.sort();
    Ok(paths)
}

/// The text of a file in a folder that was looked at; `None` where there is no file.
pub(crate) fn file(path: &Path) -> Result<Option<String>, String> {
    own(path)?.map(read).transpose()
}

/// A file in a folder that was looked at, open; `None` where there is no file.
pub(crate) fn own(path: &Path) -> Result<Option<File>, String> {
    if path.is_symlink() {
        let target = path.canonicalize().ok();
        only_own_links(path)
            // The file itself is looked at when it is open.
            .and_then(|()| target.as_deref().and_then(Path::parent).map_or(Ok(()), only_own_hands))
            .map_err(|found| by_others(&found))?;
    }
    checked(path)
}

/// A file of the machine's administrator, open: root's, in folders of root's, and changed by nobody else.
pub(crate) fn roots(path: &Path) -> Result<File, String> {
    roots_alone(path)?;
    checked(path)?.ok_or_else(|| "it went away while it was read".into())
}

/// Whether a path is root's, as all folders above it are, and nobody else can change or replace it.
pub(crate) fn roots_alone(path: &Path) -> Result<(), String> {
    for part in path.ancestors() {
        let meta = part
            .symlink_metadata()
            .map_err(|e| format!("it cannot be looked at: {e}"))?;
        if meta.uid() != 0 || (meta.mode() & 0o022 != 0 && meta.mode() & 0o1000 == 0) || meta.is_symlink() {
            return Err(format!(
                "`{}` is not root's alone, so it is not the system's",
                part.display()
            ));
        }
    }
    Ok(())
}

/// A file that came with a project, open: whoever may change the project may change it.
pub(crate) fn any(path: &Path) -> Result<File, String> {
    open(path)?.ok_or_else(|| "it went away while it was read".into())
}

fn by_others(found: &Unsafe) -> String {
    format!(
        "others could replace it, `{}` is not safe: {}",
        found.path.display(),
        found.why
    )
}

fn checked(path: &Path) -> Result<Option<File>, String> {
    let Some(file) = open(path)? else {
        return Ok(None);
    };
    let meta = file.metadata().map_err(|e| format!("it cannot be looked at: {e}"))?;
    if meta.uid() != 0 && meta.uid() != rustix::process::geteuid().as_raw() || meta.mode() & 0o022 != 0 {
        return Err("other users can change it; make it yours, mode 0600".into());
    }
    Ok(Some(file))
}

/// A regular file, open; `None` where there is none.
fn open(path: &Path) -> Result<Option<File>, String> {
    // A pipe would keep us waiting until somebody writes into it.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty())) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return dangling(path).map_or(Ok(None), Err),
        Err(e) => return Err(format!("it cannot be opened: {e}")),
    };
    let meta = file.metadata().map_err(|e| format!("it cannot be looked at: {e}"))?;
    if !meta.is_file() {
        return Err("it is no regular file".into());
    }
    if meta.len() > LIMIT {
        return Err("it is larger than 1 MiB".into());
    }
    Ok(Some(file))
}

/// The text of an open file.
pub(crate) fn read(file: File) -> Result<String, String> {
    let mut text = String::new();
    file.take(LIMIT)
        .read_to_string(&mut text)
        .map_err(|e| format!("it cannot be read: {e}"))?;
    Ok(text)
}

/// What is wrong with a file that is not there: it, or a folder above it, is a link to nothing. Settings were meant.
pub(crate) fn dangling(path: &Path) -> Option<String> {
    let first = path.ancestors().find(|part| part.symlink_metadata().is_ok())?;
    first
        .metadata()
        .is_err()
        .then(|| format!("`{}` is a link to nothing", first.display()))
}
