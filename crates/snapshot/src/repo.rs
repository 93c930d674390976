//! A repository that is only looked at.

use std::path::{Path, PathBuf};

use gix::open::{Options, Permissions, permissions};
use gix::sec::Permission;

/// A repository with a working tree.
pub(crate) struct Repo {
    pub(crate) git: gix::Repository,
    root: PathBuf,
}

impl Repo {
    /// The repository that git would use in this folder.
    pub(crate) fn around(dir: &Path) -> Option<Self> {
        let root = dir
            .ancestors()
            .find(|dir| dir.join(".git").symlink_metadata().is_ok())?;
        Self::at(root)
    }

    /// The repository whose working tree starts here.
    pub(crate) fn at(root: &Path) -> Option<Self> {
        let git = options().open(root).ok()?.to_thread_local();
        let here = root.canonicalize().ok()?;
        let workdir = git.workdir()?.canonicalize().ok()?;
        // `core.worktree` can say that the working tree is somewhere else.
        (workdir == here).then_some(Self { git, root: here })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Whether the commits lie in this folder, and not in that of another working tree.
    pub(crate) fn owns_its_store(&self) -> bool {
        self.git
            .common_dir()
            .canonicalize()
            .is_ok_and(|dir| dir.starts_with(&self.root))
    }

    /// Absolute paths as paths inside the repository; `None` when one lies outside of it.
    pub(crate) fn within(&self, paths: &[String]) -> Option<Vec<String>> {
        paths.iter().map(|path| self.inside(Path::new(path))).collect()
    }

    /// An absolute path as a path inside the repository, the root as the empty one.
    pub(crate) fn inside(&self, path: &Path) -> Option<String> {
        // The folder may be a link; the last part is what is meant itself.
        let real = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => existing(parent)?.join(name),
            _ => path.to_path_buf(),
        };
        let real = if real == self.root {
            real
        } else {
            path.canonicalize().ok().filter(|p| *p == self.root).unwrap_or(real)
        };
        crate::text(real.strip_prefix(&self.root).ok()?)
    }
}

/// The real path of a folder that may not exist to its end.
fn existing(path: &Path) -> Option<PathBuf> {
    let there = path.ancestors().find(|p| p.exists())?;
    let rest = path.strip_prefix(there).ok()?;
    Some(there.canonicalize().ok()?.join(rest))
}

/// Settings are read, because they say what is ignored; nothing that they name is run.
fn options() -> Options {
    let config = permissions::Config {
        git_binary: false,
        system: true,
        git: true,
        user: true,
        env: false,
        includes: true,
    };
    let attributes = permissions::Attributes {
        git_binary: false,
        system: false,
        git: false,
    };
    let env = permissions::Environment {
        home: Permission::Allow,
        xdg_config_home: Permission::Allow,
        ..permissions::Environment::isolated()
    };
    Options::default()
        .permissions(Permissions {
            env,
            config,
            attributes,
        })
        .open_path_as_is(false)
}
