//! A repository that is only looked at.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gix::open::{Options, Permissions, permissions};
use gix::sec::Permission;
use policy::Loss;

use crate::looks::Means;

/// Files that git opens whenever it is asked something.
const OPENED: &[&str] = &[
    "HEAD",
    "config",
    "config.worktree",
    "commondir",
    "index",
    "packed-refs",
    "shallow",
    "info/exclude",
    "info/attributes",
    "objects/info/alternates",
];

/// A repository with a working tree.
#[derive(Debug)]
pub(crate) struct Repo {
    pub(crate) git: gix::Repository,
    pub(crate) means: Rc<Means>,
    /// Files whose content was compared, and whether it is another one than the index says.
    pub(crate) compared: RefCell<BTreeMap<String, bool>>,
    /// What all tracked files hold beyond the last commit.
    pub(crate) changes: OnceCell<Option<Loss>>,
    index: OnceCell<Option<gix::index::File>>,
    root: PathBuf,
}

impl Repo {
    /// The repository whose working tree starts here.
    pub(crate) fn at(root: &Path, means: &Rc<Means>) -> Option<Self> {
        means.files(OPENED.len())?;
        can_be_opened(root)?;
        let git = options().open(root).ok()?.to_thread_local();
        let here = root.canonicalize().ok()?;
        let workdir = git.workdir()?.canonicalize().ok()?;
        // `core.worktree` can say that the working tree is somewhere else.
        (workdir == here).then(|| Self {
            git,
            means: means.clone(),
            compared: RefCell::default(),
            changes: OnceCell::new(),
            index: OnceCell::new(),
            root: here,
        })
    }

    /// The index as it is stored; an empty one where there is none.
    pub(crate) fn index(&self) -> Option<&gix::index::File> {
        let open = || match self.git.open_index() {
            Ok(index) => Some(index),
            Err(_) if self.git.index_path().symlink_metadata().is_err() => Some(gix::index::File::from_state(
                gix::index::State::new(self.git.object_hash()),
                self.git.index_path(),
            )),
            Err(_) => None,
        };
        self.index.get_or_init(open).as_ref()
    }

    /// Whether there is no commit yet.
    pub(crate) fn is_unborn(&self) -> bool {
        self.git.head().is_ok_and(|head| head.is_unborn())
    }

    /// Whether this is a working tree beside another one, whose store it uses.
    pub(crate) fn is_linked(&self) -> bool {
        self.git.git_dir() != self.git.common_dir()
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

/// Whether nothing that git would open for this working tree is a pipe or a device, at which it would wait.
fn can_be_opened(root: &Path) -> Option<()> {
    let dot_git = root.join(".git");
    let dir = if dot_git.is_dir() {
        dot_git
    } else {
        root.join(named(&dot_git)?.strip_prefix("gitdir:")?.trim())
    };
    regular(&dir)?;
    match dir.join("commondir") {
        file if file.is_file() => regular(&dir.join(named(&file)?.trim())),
        _ => Some(()),
    }
}

/// What a file of one line says.
fn named(file: &Path) -> Option<String> {
    let meta = fs::metadata(file)
        .ok()
        .filter(|meta| meta.is_file() && meta.len() < 4096)?;
    (meta.len() > 0).then(|| fs::read_to_string(file).ok()).flatten()
}

fn regular(dir: &Path) -> Option<()> {
    let fine = |name: &str| match fs::metadata(dir.join(name)) {
        Ok(meta) => meta.is_file(),
        Err(e) => e.kind() == ErrorKind::NotFound,
    };
    OPENED.iter().all(|name| fine(name)).then_some(())
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
