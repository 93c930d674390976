//! A folder as it is, without a repository's help.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::{Taking, absolute};
use crate::manifest::Entry;

impl Taking<'_> {
    /// Everything at and below a folder. Links are kept as links; other file systems that are mounted there are not entered.
    pub(super) fn plain(&mut self, path: &Path, found: &mut Vec<Entry>) -> io::Result<()> {
        let device = path.symlink_metadata().map(|meta| meta.dev()).ok();
        let mut todo: Vec<PathBuf> = vec![path.to_path_buf()];
        while let Some(next) = todo.pop() {
            if self.paths_left == 0 {
                let _named = self.may_add();
                return Ok(());
            }
            let Ok(meta) = next.symlink_metadata() else { continue };
            found.extend(self.entry(&next, absolute(&next))?);
            if !meta.is_dir() {
                continue;
            }
            if Some(meta.dev()) != device {
                self.misses(format!("{}, which is another file system", next.display()));
                continue;
            }
            match fs::read_dir(&next) {
                Ok(entries) => todo.extend(entries.filter_map(|entry| Some(entry.ok()?.path()))),
                Err(_) => self.misses(format!("{}, which cannot be listed", next.display())),
            }
        }
        Ok(())
    }
}
