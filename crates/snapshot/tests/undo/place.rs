//! Folders to destroy, and how to tell that they are as they were.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use snapshot::{Cause, Known, Limits, Plan, Snapshot, Store, Tree, Undo, Wanted, take};

/// Runs a line in a folder, as somebody who has no settings.
pub(crate) fn run(dir: &Path, line: &str) {
    let home = dir.parent().unwrap();
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(line)
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap());
    command
        .env("HOME", home)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    for (name, value) in [
        ("GIT_AUTHOR_NAME", "n"),
        ("GIT_AUTHOR_EMAIL", "a@b"),
        ("GIT_COMMITTER_NAME", "n"),
        ("GIT_COMMITTER_EMAIL", "a@b"),
        ("GIT_COMMITTER_DATE", "1700000000 +0000"),
        ("GIT_AUTHOR_DATE", "1700000000 +0000"),
        ("GIT_EDITOR", "true"),
    ] {
        command.env(name, value);
    }
    let _how_it_ends = command.output().unwrap();
}

/// All that has to be as it was.
pub(crate) fn print(dir: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut todo = vec![dir.to_path_buf()];
    while let Some(next) = todo.pop() {
        let below = next.strip_prefix(dir).unwrap().to_path_buf();
        if below == Path::new(".git") {
            continue;
        }
        let meta = next.symlink_metadata().unwrap();
        let mode = meta.permissions().mode() & 0o7777;
        let what = if meta.is_symlink() {
            format!("link {}", fs::read_link(&next).unwrap().display())
        } else if meta.is_dir() {
            todo.extend(fs::read_dir(&next).unwrap().map(|entry| entry.unwrap().path()));
            format!("folder {mode:o}")
        } else {
            format!("file {mode:o} {:?}", String::from_utf8_lossy(&fs::read(&next).unwrap()))
        };
        found.insert(below, what);
    }
    for name in [
        ".git/index",
        ".git/HEAD",
        ".git/config",
        ".git/logs/refs/stash",
        ".git/MERGE_HEAD",
    ] {
        let bytes = fs::read(dir.join(name)).ok();
        found.insert(name.into(), bytes.map(|bytes| digest(&bytes)).unwrap_or_default());
    }
    let refs = Command::new("git")
        .args(["for-each-ref", "--exclude=refs/tollgate"])
        .current_dir(dir)
        .output()
        .unwrap();
    let sane = Command::new("git")
        .args(["fsck", "--connectivity-only", "--no-dangling"])
        .current_dir(dir)
        .output()
        .unwrap();
    found.insert("refs".into(), String::from_utf8_lossy(&refs.stdout).into_owned());
    found.insert("sane".into(), sane.status.success().to_string());
    found
}

fn digest(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    format!("{:x?}", sha2::Sha256::digest(bytes))
}

/// Now, in milliseconds since 1970.
pub(crate) fn now() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

pub(crate) fn cause(time_ms: u64) -> Cause {
    Cause {
        time_ms,
        agent: "test".into(),
        request: "x".into(),
        ..Cause::default()
    }
}

/// A folder with a store beside it.
pub(crate) struct Place {
    _folder: tempfile::TempDir,
    /// The folder that things are destroyed in.
    pub(crate) dir: PathBuf,
    /// Where snapshots are kept.
    pub(crate) store: Store,
}

impl Place {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let dir = base.join("work");
        fs::create_dir(&dir).unwrap();
        Self {
            store: Store::below(&base.join("state")),
            dir,
            _folder: folder,
        }
    }

    /// A repository with one commit of `a` and `src/x`.
    pub(crate) fn repository() -> Self {
        let place = Self::new();
        place.write("a", "a\n");
        place.write("src/x", "x\n");
        place.write(".gitignore", "*.log\nnode_modules/\n.env\n");
        place.run("git init -q -b main . && git add . && git commit -qm one");
        place
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.dir.join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    pub(crate) fn run(&self, line: &str) {
        run(&self.dir, line);
    }

    /// Keeps these paths.
    pub(crate) fn keep(&self, paths: &[&str]) -> Snapshot {
        self.keep_within(paths, Limits::default()).unwrap()
    }

    pub(crate) fn keep_within(&self, paths: &[&str], limits: Limits) -> Option<Snapshot> {
        let wanted = Wanted {
            trees: Vec::new(),
            paths: paths.iter().map(|path| self.at(path)).collect(),
        };
        take(&self.store, &wanted, cause(now()), known(), limits).unwrap()
    }

    /// Keeps the whole working tree.
    pub(crate) fn keep_tree(&self, dir: &str, ignored: bool) -> Option<Snapshot> {
        let tree = Tree {
            dir: self.at(dir),
            ignored,
            commits: false,
        };
        let wanted = Wanted {
            trees: vec![tree],
            paths: Vec::new(),
        };
        take(&self.store, &wanted, cause(now()), known(), Limits::default()).unwrap()
    }

    pub(crate) fn plan(&self, snapshot: &Snapshot) -> Plan {
        self.undo(snapshot).plan().unwrap()
    }

    pub(crate) fn undo<'a>(&'a self, snapshot: &'a Snapshot) -> Undo<'a> {
        Undo {
            store: &self.store,
            snapshot,
            only: &[],
            force: false,
        }
    }

    /// Brings everything back.
    pub(crate) fn back(&self, snapshot: &Snapshot) {
        self.plan(snapshot).run(&self.store, |_| {}).unwrap();
    }
}

/// Folders that a build fills.
fn known() -> Known {
    Known {
        rebuilt: vec!["**/node_modules"],
        ..Known::default()
    }
}
