//! A home directory for one run, which goes when the run is over.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, Mode, OFlags, openat, unlinkat};
use rustix::io::Errno;
use rustix::path::Arg;

/// How deep the folders may lie that are removed.
const DEEPEST: u32 = 200;

/// The place. What is in it was written by us and by the client.
#[derive(Debug)]
pub struct Stage {
    root: PathBuf,
}

impl Stage {
    /// Makes a folder of that name, which must not be there, with a home and a project in it.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn build(root: &Path) -> io::Result<Self> {
        let folder = |path: &Path| DirBuilder::new().mode(0o700).create(path);
        folder(root)?;
        let stage = Self {
            root: root.to_path_buf(),
        };
        [stage.home(), stage.project(), stage.temp()]
            .iter()
            .try_for_each(|path| folder(path))?;
        Ok(stage)
    }

    /// A place that was made already.
    #[must_use]
    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
        }
    }

    /// All of it.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Makes the project an empty repository, which some clients want; git itself is not needed for that.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn repository(&self) -> io::Result<()> {
        let git = self.project().join(".git");
        for folder in [git.clone(), git.join("refs"), git.join("objects")] {
            DirBuilder::new().mode(0o700).create(folder)?;
        }
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n")?;
        fs::write(
            git.join("config"),
            "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
        )
    }

    /// The home directory.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Where the client works.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.home().join("project")
    }

    /// Its folder for temporary files.
    #[must_use]
    pub fn temp(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// Writes a file below the home directory.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &str, text: &str, mode: u32) -> io::Result<()> {
        let path = self.home().join(path);
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        fs::write(&path, text)?;
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    }

    /// Removes the place with all that is in it. No link is followed: every name is removed from the folder that was opened,
    /// wherever its path leads by then.
    ///
    /// # Errors
    /// When something stays.
    pub fn clear(self) -> io::Result<()> {
        let above = File::open(self.root.parent().unwrap_or(Path::new("/")))?;
        let name = self.root.file_name().unwrap_or_default().to_owned();
        empty(&open(&above, &name)?, DEEPEST)?;
        Ok(unlinkat(&above, &name, AtFlags::REMOVEDIR)?)
    }
}

fn open(at: &File, name: impl Arg) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(openat(at, name, flags, Mode::empty())?))
}

/// Removes what is in a folder.
fn empty(folder: &File, depth: u32) -> io::Result<()> {
    let depth = depth.checked_sub(1).ok_or(io::ErrorKind::QuotaExceeded)?;
    let entries = Dir::read_from(folder)?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        match unlinkat(folder, name, AtFlags::empty()) {
            // Which of the two a folder gets depends on the file system.
            Err(Errno::ISDIR | Errno::PERM) => {
                empty(&open(folder, name)?, depth)?;
                unlinkat(folder, name, AtFlags::REMOVEDIR)?;
            }
            removed => removed?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_links_lead_to_stays() {
        let around = tempfile::tempdir().unwrap();
        let kept = around.path().join("kept");
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("a"), "a").unwrap();
        let root = around.path().join("stage");
        let stage = Stage::build(&root).unwrap();
        assert!(Stage::build(&root).is_err(), "a second one of that name");
        stage.write("deep/er/b", "b", 0o600).unwrap();
        symlink(&kept, stage.home().join("link")).unwrap();
        symlink(kept.join("a"), stage.project().join("a")).unwrap();
        stage.clear().unwrap();
        assert!(!root.exists());
        assert_eq!(fs::read_to_string(kept.join("a")).unwrap(), "a");
    }

    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let around = tempfile::tempdir().unwrap();
        let (root, kept) = (around.path().join("stage"), around.path().join("kept"));
        let stage = Stage::build(&root).unwrap();
        fs::rename(&root, &kept).unwrap();
        symlink(&kept, &root).unwrap();
        stage.clear().unwrap_err();
        assert!(kept.join("home").exists());
    }
}
