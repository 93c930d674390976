//! The installed copy of the hook program.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use agents::PROGRAM;
use ledger::Hash;

use crate::exit::{Exit, Fault};
use crate::setup::files;
use crate::setup::files::io_fault;

/// The hook program beside the running one, which the installed one is copied from.
pub(crate) fn source() -> Result<PathBuf, Fault> {
    let own = env::current_exe().map_err(|e| Fault::new(Exit::Io, format!("This program cannot find itself: {e}.")))?;
    let source = own.canonicalize().unwrap_or(own).with_file_name(PROGRAM);
    if !source.is_file() {
        return Err(
            Fault::new(Exit::Unavailable, format!("`{}` is not there.", source.display()))
                .hint(format!("`{PROGRAM}` belongs beside `tollgate`; build or unpack both.")),
        );
    }
    Ok(source)
}

/// The hash of a program.
pub(crate) fn hash(path: &Path) -> Result<Option<Hash>, Fault> {
    Ok(files::read(path)?.map(|bytes| Hash::of(&bytes)))
}

/// Copies the hook program to its place, unless the same bytes are there already. Running hooks keep the file that they
/// were started from.
pub(crate) fn copy(source: &Path, to: &Path) -> Result<Hash, Fault> {
    let new = fs::read(source).map_err(|e| io_fault("read", source, &e))?;
    let old = files::read(to)?;
    if old.as_deref() != Some(&new) {
        files::replace(to, old.as_deref(), &new, 0o755)?;
    }
    Ok(Hash::of(&new))
}
