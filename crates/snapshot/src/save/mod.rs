//! Taking a snapshot: what stands there now is written down, and what is nowhere else is kept.
//!
//! The repository is only read, but for references below `refs/tollgate/`, which hold commits that nothing else may lead to
//! soon. What does not fit the limits is named in [`Head::missing`] and not silently left out.

mod gitdir;
mod hold;
mod plain;
mod seen;
mod tree;

pub(crate) use gitdir::state_files;
pub(crate) use hold::let_go;
pub(crate) use tree::expected_rights;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::OFlags;

use crate::looks::{Known, Looks};
use crate::manifest::{Blob, Cause, Entry, FORMAT, Head, Name, Part, Snapshot, Stamp, What};
use crate::repo::Repo;
use crate::store::Store;

/// A file that changes while it is copied is copied so often.
const TRIES: usize = 3;
/// A file that changed this shortly before a snapshot may have changed again without another time.
const RACY_NS: i64 = 2_000_000_000;
/// Places that a list names; a snapshot may be about more.
const MOST_ROOTS: usize = 64;
/// What is missing is named so often.
const MOST_MISSING: usize = 20;

/// What an effect would take away or write over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Repositories whose whole working tree and state are meant.
    pub trees: Vec<Tree>,
    /// Files and folders, absolute.
    pub paths: Vec<PathBuf>,
}

/// A repository that something is done to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// A folder in it.
    pub dir: PathBuf,
    /// What is ignored is meant, too.
    pub ignored: bool,
    /// Commits may be lost, and are held.
    pub commits: bool,
}

impl Wanted {
    /// Whether nothing is.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        self.trees.is_empty() && self.paths.is_empty()
    }
}

/// How much one snapshot may keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of contents that the store did not have.
    pub bytes: u64,
    /// Paths that are written down.
    pub files: usize,
}

impl Limits {
    /// For a person who waits: what they are about to replace is kept however much it is.
    #[must_use]
    pub const fn ample() -> Self {
        Self {
            bytes: 64 << 30,
            files: 2_000_000,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 256 << 20,
            files: 50_000,
        }
    }
}

/// Takes a snapshot of what is wanted; `None` where none of it is there.
///
/// # Errors
/// Where the store cannot be written. What cannot be read is named in the snapshot.
pub fn take(
    store: &Store,
    wanted: &Wanted,
    cause: Cause,
    known: Known,
    limits: Limits,
) -> io::Result<Option<Snapshot>> {
    let _held = store.hold()?;
    let id = store.free_id(cause.time_ms)?;
    let mut taking = Taking::new(store, known, limits);
    let mut parts = Vec::new();
    let mut roots = Vec::new();
    for (repo, tree) in taking.repositories(&wanted.trees) {
        roots.push(Name::from(repo.root()));
        let whole = taking.whole(&repo, &tree, &id)?;
        parts.extend(whole);
    }
    let entries = taking.paths(&wanted.paths)?;
    // That nothing stood there matters only beside something, and a folder is nothing by itself.
    let holds = |entry: &Entry| !matches!(entry.what, What::Nothing | What::Folder);
    let empty = |entry: &Entry| entry.what == What::Folder && entries.len() == 1 && is_empty(entry);
    let something = !parts.is_empty() || entries.iter().any(|entry| holds(entry) || empty(entry));
    if something && !entries.is_empty() {
        parts.push(Part {
            root: Name::from(Path::new("/")),
            repository: None,
            entries,
        });
    }
    if parts.is_empty() && taking.missing.is_empty() {
        return Ok(None);
    }
    let head = Head {
        format: FORMAT,
        id,
        cause,
        files: 0,
        bytes: 0,
        roots: {
            roots.extend(wanted.paths.iter().map(|path| Name::from(real(path).as_path())));
            roots.truncate(MOST_ROOTS);
            roots
        },
        missing: std::mem::take(&mut taking.missing),
    };
    let mut snapshot = Snapshot { head, parts };
    let blobs: BTreeSet<&Blob> = snapshot.blobs().collect();
    let (files, bytes) = (blobs.len() as u64, blobs.iter().map(|blob| blob.bytes).sum());
    (snapshot.head.files, snapshot.head.bytes) = (files, bytes);
    if let Err(error) = store.keep(&snapshot) {
        // What does not count holds no commits either.
        for repository in snapshot.parts.iter().filter_map(|part| part.repository.as_ref()) {
            let_go(&repository.common_dir.path(), &snapshot.head.id);
        }
        return Err(error);
    }
    Ok(Some(snapshot))
}

/// A snapshot that is being taken.
struct Taking<'a> {
    store: &'a Store,
    looks: Looks,
    bytes_left: u64,
    paths_left: usize,
    missing: Vec<String>,
    /// Contents of the last snapshots by their path, as long as the file was not touched.
    before: Option<BTreeMap<PathBuf, (Stamp, Blob)>>,
}

impl<'a> Taking<'a> {
    fn new(store: &'a Store, known: Known, limits: Limits) -> Self {
        Self {
            store,
            looks: Looks::new(known),
            bytes_left: limits.bytes,
            paths_left: limits.files,
            missing: Vec::new(),
            before: None,
        }
    }

    /// Something is not in the snapshot.
    fn misses(&mut self, what: String) {
        if self.missing.len() < MOST_MISSING && !self.missing.contains(&what) {
            self.missing.push(what);
        }
    }

    /// Whether one more path may be written down.
    fn may_add(&mut self) -> bool {
        let left = self.paths_left > 0;
        self.paths_left = self.paths_left.saturating_sub(1);
        if !left {
            self.misses("more files than one snapshot may hold".into());
        }
        left
    }

    /// What stands at a path; `None` for nothing, and for what cannot be kept: a socket, a pipe, a device.
    fn entry(&mut self, full: &Path, path: Name) -> io::Result<Option<Entry>> {
        let Ok(meta) = full.symlink_metadata() else {
            return Ok(None);
        };
        if !self.may_add() {
            return Ok(None);
        }
        let kind = meta.file_type();
        let what = if kind.is_symlink() {
            fs::read_link(full).ok().map(|to| What::Link(Name::from(to.as_path())))
        } else if kind.is_dir() {
            Some(What::Folder)
        } else if kind.is_file() {
            self.content(full, &meta)?.map(What::File)
        } else {
            None
        };
        let stamp = kind.is_file().then(|| stamp(&meta));
        Ok(what.map(|what| Entry {
            path,
            mode: meta.permissions().mode() & 0o7777,
            what,
            stamp,
        }))
    }

    /// Keeps what a file holds.
    fn content(&mut self, full: &Path, meta: &Metadata) -> io::Result<Option<Blob>> {
        if let Some(blob) = self.known_content(full, &stamp(meta)) {
            return Ok(Some(blob));
        }
        for _ in 0..TRIES {
            let mut options = File::options();
            // What took the file's place meanwhile is neither followed nor waited for.
            let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
            options.read(true).custom_flags(flags.bits().cast_signed());
            let Some((file, before)) = options.open(full).ok().and_then(|file| {
                let meta = file.metadata().ok().filter(Metadata::is_file)?;
                Some((file, meta))
            }) else {
                break;
            };
            if before.len() > self.bytes_left {
                self.misses(format!("{}, which is too big", full.display()));
                return Ok(None);
            }
            let kept = self.store.put_file(file, before.len())?;
            let after = full.symlink_metadata();
            if let Some(blob) = kept.filter(|_| after.is_ok_and(|after| stamp(&after) == stamp(&before))) {
                self.bytes_left = self.bytes_left.saturating_sub(blob.bytes);
                return Ok(Some(blob));
            }
        }
        let why = match full.symlink_metadata() {
            Ok(meta) if meta.is_file() => "which changes all the time or cannot be read",
            _ => return Ok(None),
        };
        self.misses(format!("{}, {why}", full.display()));
        Ok(None)
    }

    /// The content that a snapshot before this one kept of a file that was not touched since.
    fn known_content(&mut self, full: &Path, now: &Stamp) -> Option<Blob> {
        let store = self.store;
        let before = self.before.get_or_insert_with(|| contents_before(store));
        let (stamp, blob) = before.get(full)?;
        (stamp == now && store.has(blob)).then(|| blob.clone())
    }
}

/// Snapshots whose contents are known again.
const REMEMBERED: usize = 3;

fn contents_before(store: &Store) -> BTreeMap<PathBuf, (Stamp, Blob)> {
    let mut known = BTreeMap::new();
    let ids = store.ids().unwrap_or_default();
    let newest = ids.iter().rev().take(REMEMBERED);
    let snapshots: Vec<Snapshot> = newest.filter_map(|id| store.snapshot(id).ok()).collect();
    for snapshot in snapshots.iter().rev() {
        let taken_ns = i64::try_from(snapshot.head.cause.time_ms)
            .unwrap_or_default()
            .saturating_mul(1_000_000);
        for part in &snapshot.parts {
            let roots = part.repository.iter().flat_map(|repository| {
                repository
                    .state
                    .iter()
                    .map(|entry| (Path::new("/").to_path_buf(), entry))
            });
            let entries = part.entries.iter().map(|entry| (part.root.path(), entry));
            for (root, entry) in entries.chain(roots) {
                let Some((stamp, blob)) = entry.stamp.zip(entry.blob()) else {
                    continue;
                };
                if stamp.mtime.max(stamp.ctime) < taken_ns - RACY_NS {
                    known.insert(root.join(entry.path.path()), (stamp, blob.clone()));
                }
            }
        }
    }
    known
}

/// What says that a file was not touched.
pub(crate) fn stamp(meta: &Metadata) -> Stamp {
    let ns = |seconds: i64, ns: i64| seconds.saturating_mul(1_000_000_000).saturating_add(ns);
    Stamp {
        dev: meta.dev(),
        ino: meta.ino(),
        size: meta.len(),
        mtime: ns(meta.mtime(), meta.mtime_nsec()),
        ctime: ns(meta.ctime(), meta.ctime_nsec()),
    }
}

/// Whether a folder below `/` holds nothing.
fn is_empty(entry: &Entry) -> bool {
    let listed = fs::read_dir(Path::new("/").join(entry.path.path()));
    listed.is_ok_and(|mut names| names.next().is_none())
}

impl Taking<'_> {
    /// The repositories that are meant, each once. Where there is none, git does nothing either.
    fn repositories(&mut self, trees: &[Tree]) -> Vec<(Rc<Repo>, Tree)> {
        let mut found: Vec<(Rc<Repo>, Tree)> = Vec::new();
        for tree in trees {
            match self.looks.around(&tree.dir) {
                Some(repo) => match found.iter_mut().find(|(known, _)| known.root() == repo.root()) {
                    Some((_, known)) => {
                        known.ignored |= tree.ignored;
                        known.commits |= tree.commits;
                    }
                    None => found.push((repo, tree.clone())),
                },
                None if tree.dir.ancestors().any(crate::holds_repository) => {
                    self.misses(format!("the repository around {}", tree.dir.display()));
                }
                None => {}
            }
        }
        found
    }

    /// What lies at and below these paths.
    fn paths(&mut self, paths: &[PathBuf]) -> io::Result<Vec<Entry>> {
        let mut entries: BTreeMap<Name, Entry> = BTreeMap::new();
        for path in outermost(paths) {
            let mut found = Vec::new();
            match path.symlink_metadata() {
                Ok(meta) if meta.is_dir() => self.folder(&path, &mut found)?,
                Ok(_) => found.extend(self.entry(&path, absolute(&path))?),
                Err(error) if error.kind() == ErrorKind::NotFound => found.push(Entry {
                    path: absolute(&path),
                    mode: 0,
                    what: What::Nothing,
                    stamp: None,
                }),
                Err(_) => self.misses(format!("{}, which cannot be looked at", path.display())),
            }
            entries.extend(found.into_iter().map(|entry| (entry.path.clone(), entry)));
        }
        Ok(entries.into_values().collect())
    }

    /// A folder: what a repository around it has is named, all else is kept.
    fn folder(&mut self, path: &Path, found: &mut Vec<Entry>) -> io::Result<()> {
        // git looks neither into a repository within this one nor into what is its own.
        let is_gits = path.components().any(|part| part.as_os_str() == ".git");
        let around: Option<Rc<Repo>> = match is_gits || crate::holds_repository(path) {
            true => None,
            false => path.parent().and_then(|dir| self.looks.around(dir)),
        };
        match around.and_then(|repo| Some((repo.inside(path)?, repo))) {
            Some((inside, repo)) => self.part_of(&repo, &inside, path, found),
            None => self.plain(path, found),
        }
    }
}

/// A path below `/`, as entries without a repository have it.
fn absolute(path: &Path) -> Name {
    Name::from(path.strip_prefix("/").unwrap_or(path))
}

/// A path whose folders are no links: nothing is followed on the way back. The last part is what is meant itself.
#[must_use]
pub fn real(path: &Path) -> PathBuf {
    match (
        path.parent().and_then(|parent| parent.canonicalize().ok()),
        path.file_name(),
    ) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => path.canonicalize().unwrap_or_else(|_| path.to_path_buf()),
    }
}

/// The paths without those that lie in others.
fn outermost(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut sorted: Vec<PathBuf> = paths.iter().map(|path| real(&crate::clean(path))).collect();
    sorted.sort();
    let mut outer: Vec<PathBuf> = Vec::new();
    for path in sorted {
        if outer.last().is_none_or(|last| !path.starts_with(last)) {
            outer.push(path);
        }
    }
    outer
}
