//! Files that a person's settings are read from: nobody else may change them, replace them or take them away.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::safe::{Unsafe, only_own_hands, only_own_hands_if_there, only_own_links};

/// More than any settings need.
const LIMIT: u64 = 1 << 20;

/// Nobody else may write in the folder or in one above it; nor where a link stands that is followed on the way.
pub(crate) fn folder(path: &Path) -> Result<(), String> {
    only_own_hands_if_there(path)
        .and_then(|()| only_own_links(path))
        .map_err(|found| by_others(&found))
}

/// The text of a file in a folder that was looked at; `None` where there is no file.
pub(crate) fn file(path: &Path) -> Result<Option<String>, String> {
    if path.is_symlink() {
        let target = path.canonicalize().ok();
        only_own_links(path)
            // The file itself is looked at when it is open.
            .and_then(|()| target.as_deref().and_then(Path::parent).map_or(Ok(()), only_own_hands))
            .map_err(|found| by_others(&found))?;
    }
    text(path)
}

fn by_others(found: &Unsafe) -> String {
    format!(
        "others could replace it, `{}` is not safe: {}",
        found.path.display(),
        found.why
    )
}

fn text(path: &Path) -> Result<Option<String>, String> {
    // A pipe would keep us waiting until somebody writes into it.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return dangling(path).map_or(Ok(None), Err),
        Err(e) => return Err(format!("it cannot be opened: {e}")),
    };
    let meta = file.metadata().map_err(|e| format!("it cannot be looked at: {e}"))?;
    if !meta.is_file() {
        return Err("it is no regular file".into());
    }
    if meta.uid() != 0 && meta.uid() != rustix::process::geteuid().as_raw() || meta.mode() & 0o022 != 0 {
        return Err("other users can change it; make it yours, mode 0600".into());
    }
    if meta.len() > LIMIT {
        return Err("it is larger than 1 MiB".into());
    }
    let mut text = String::new();
    file.take(LIMIT)
        .read_to_string(&mut text)
        .map_err(|e| format!("it cannot be read: {e}"))?;
    Ok(Some(text))
}

/// What is wrong with a file that is not there: it, or a folder above it, is a link to nothing. Settings were meant.
pub(crate) fn dangling(path: &Path) -> Option<String> {
    let first = path.ancestors().find(|part| part.symlink_metadata().is_ok())?;
    first
        .metadata()
        .is_err()
        .then(|| format!("`{}` is a link to nothing", first.display()))
}
