//! The working tree of a repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice as _;
use gix::dir::entry::Kind;
use gix::dir::walk::EmissionMode;
use gix::index::entry::{Flags, Mode, Stage};
use gix::index::{Entry as Tracked, State};

use super::seen::{self, Seen};
use super::{Taking, Tree, absolute, stamp};
use crate::files;
use crate::manifest::{Entry, Name, Part, Repository, What};
use crate::repo::Repo;

/// Files with attributes that are longer are not read.
const MOST_ATTRIBUTES: u64 = 1 << 20;
/// An index that changes while it is looked at is looked at so often.
const TRIES: usize = 3;

impl Taking<'_> {
    /// The whole working tree, and the state of the repository.
    pub(super) fn whole(&mut self, repo: &Repo, tree: &Tree, id: &str) -> io::Result<Option<Part>> {
        let index_path = repo.git.index_path();
        // It may be a link; what it leads to is what git reads.
        let index_path = index_path.canonicalize().unwrap_or(index_path);
        let seen = || index_path.symlink_metadata().ok().map(|meta| stamp(&meta));
        for _ in 0..TRIES {
            let before = seen();
            // Each try reads the index anew.
            let Some(repo) = Repo::at(repo.root(), self.looks.means()) else {
                break;
            };
            let Some(index) = repo.index().filter(|index| !index.is_sparse()) else {
                break;
            };
            let kept = self.entry(&index_path, Name::default())?;
            if before != seen() {
                continue;
            }
            let blob = kept.as_ref().and_then(|entry| entry.blob().cloned());
            // Without its index nobody could tell what was there.
            if before.is_some() && blob.is_none() {
                break;
            }
            let of_index = Repository {
                index_time: kept.and_then(|entry| Some(entry.stamp?.mtime)).unwrap_or_default(),
                index: blob,
                usual: usual_rights(repo.root(), index),
                ignored: tree.ignored,
                ..Repository::default()
            };
            return self.part(&repo, index, of_index, tree, id);
        }
        self.misses(format!(
            "the repository {}, whose index cannot be read",
            repo.root().display()
        ));
        Ok(None)
    }

    /// What the index does not say: the most important first, should the limits end it.
    fn part(
        &mut self,
        repo: &Repo,
        index: &State,
        of_index: Repository,
        tree: &Tree,
        id: &str,
    ) -> io::Result<Option<Part>> {
        let (root, usual) = (repo.root(), of_index.usual);
        // The files that git knows and those that it does not are looked at side by side.
        let (seen_files, walked) = std::thread::scope(|scope| {
            let looking = scope.spawn(move || seen::look(root, index, usual));
            let walked = walked(repo, "", tree.ignored);
            (looking.join().unwrap_or_default(), walked)
        });
        let staged = self.staged(repo, index)?;
        let mut entries = self.changed(repo, index, usual, &seen_files)?;
        let nothing_new = walked.as_ref().is_some_and(|walked| walked.paths.is_empty());
        // Where no commit is at stake, and git has all else, there is nothing to bring back.
        if !tree.commits && nothing_new && entries.is_empty() && staged.is_empty() {
            return Ok(None);
        }
        let state = self.state(repo, id, tree)?;
        entries.extend(self.untracked(repo, walked)?);
        if !tree.commits && entries.is_empty() && staged.is_empty() {
            return Ok(None);
        }
        Ok(Some(Part {
            root: Name::from(root),
            repository: Some(Repository {
                index: of_index.index,
                index_time: of_index.index_time,
                usual,
                ignored: of_index.ignored,
                staged,
                ..state
            }),
            entries,
        }))
    }

    /// Tracked files that are not as the index says, and those with rights of their own.
    fn changed(&mut self, repo: &Repo, index: &State, usual: u32, seen: &[Seen]) -> io::Result<Vec<Entry>> {
        let converts = converts(repo, index);
        let whole = seen.len() == index.entries().len();
        let mut entries = Vec::new();
        let mut folders = Folders::default();
        for (at, tracked) in index.entries().iter().enumerate() {
            let seen = seen.get(at).copied().filter(|_| whole).unwrap_or(Seen::Look);
            if seen == Seen::Passed {
                continue;
            }
            folders.add(tracked.path(index), seen == Seen::Missing);
            if seen == Seen::Same && converts == Converts::Nothing {
                continue;
            }
            let path = Name::from_bytes(tracked.path(index));
            let full = repo.root().join(path.path());
            let meta = full.symlink_metadata();
            let Ok(meta) = meta else {
                entries.push(Entry {
                    path,
                    mode: 0,
                    what: What::Nothing,
                    stamp: None,
                });
                continue;
            };
            let same = tracked.stage() == Stage::Unconflicted && self.is_same(repo, index, tracked, &full, converts);
            let rights = meta.permissions().mode() & 0o7777;
            let expected = expected_rights(tracked.mode, usual);
            if same && (meta.is_symlink() || rights == expected) {
                continue;
            }
            if same {
                let what = What::Git(tracked.id.to_string());
                entries.push(Entry {
                    path,
                    mode: rights,
                    what,
                    stamp: Some(stamp(&meta)),
                });
            } else {
                entries.extend(self.entry(&full, path)?);
            }
        }
        let plain = expected_rights(Mode::FILE_EXECUTABLE, usual);
        for (path, lacks) in folders.all {
            let kept = self.entry(&repo.root().join(path.path()), path)?;
            entries.extend(kept.filter(|entry| entry.what == What::Folder && (lacks || entry.mode != plain)));
        }
        Ok(entries)
    }

    /// Whether a tracked file holds the very bytes of its object.
    fn is_same(&self, repo: &Repo, index: &State, tracked: &Tracked, full: &Path, converts: Converts) -> bool {
        let Ok(meta) = gix::index::fs::Metadata::from_path_no_follow(full) else {
            return false;
        };
        let Ok(stat) = gix::index::entry::Stat::from_fs(&meta) else {
            return false;
        };
        let is_kind = match tracked.mode {
            Mode::SYMLINK => meta.is_symlink(),
            _ => {
                !meta.is_symlink() && !meta.is_dir() && meta.is_executable() == (tracked.mode == Mode::FILE_EXECUTABLE)
            }
        };
        if !is_kind || tracked.flags.contains(Flags::INTENT_TO_ADD) {
            return false;
        }
        let untouched = seen::is_untouched(&stat, &tracked.stat, index);
        match converts {
            Converts::Nothing if untouched => true,
            // What git puts out in another form has another length nearly always; a filter can do anything.
            Converts::Lines if untouched => {
                let header = repo.git.find_header(tracked.id);
                header.is_ok_and(|header| header.size() == u64::from(tracked.stat.size))
            }
            _ => self
                .holds_object(repo, tracked, full, meta.is_symlink())
                .unwrap_or(false),
        }
    }

    fn holds_object(&self, repo: &Repo, tracked: &Tracked, full: &Path, link: bool) -> Option<bool> {
        let bytes = if link {
            fs::read_link(full).ok()?.into_os_string().into_encoded_bytes()
        } else {
            repo.means.bytes(full.symlink_metadata().ok()?.len())?;
            fs::read(full).ok()?
        };
        let id = gix::objs::compute_hash(repo.git.object_hash(), gix::objs::Kind::Blob, &bytes).ok()?;
        Some(id == tracked.id && repo.git.has_object(id))
    }

    /// What nobody tracks below a folder of the repository, with the folders that hold nothing.
    fn untracked(&mut self, repo: &Repo, walked: Option<files::Found<Name>>) -> io::Result<Vec<Entry>> {
        let Some(walked) = walked else {
            self.misses(format!("what nobody tracks in {}", repo.root().display()));
            return Ok(Vec::new());
        };
        if !walked.complete {
            self.misses("more untracked files than are looked at".into());
        }
        let mut entries = Vec::new();
        for (path, kind, is_ignored) in walked.paths {
            let full = repo.root().join(path.path());
            if is_ignored {
                self.ignored(repo, &full, &mut entries)?;
            } else if kind == Kind::Repository {
                self.nested(repo, &full, &mut entries)?;
            } else {
                entries.extend(self.entry(&full, path)?);
            }
        }
        Ok(entries)
    }

    /// What git ignores, but for folders that a build fills.
    fn ignored(&mut self, repo: &Repo, full: &Path, entries: &mut Vec<Entry>) -> io::Result<()> {
        let known = repo.means.clone();
        let below = full.strip_prefix(repo.root()).unwrap_or(full);
        let rebuilt = |path: &Path| {
            path.components().any(|part| {
                part.as_os_str()
                    .to_str()
                    .is_some_and(|name| known.known.is_rebuilt(name))
            })
        };
        if rebuilt(below) {
            return Ok(());
        }
        let mut todo: Vec<PathBuf> = vec![full.to_path_buf()];
        while let Some(next) = todo.pop() {
            let path = Name::from(next.strip_prefix(repo.root()).unwrap_or(&next));
            entries.extend(self.entry(&next, path)?);
            let is_folder = next.symlink_metadata().is_ok_and(|meta| meta.is_dir());
            let skipped = next.file_name().is_some_and(|name| rebuilt(Path::new(name)));
            if is_folder && !skipped && self.paths_left > 0 {
                match fs::read_dir(&next) {
                    Ok(found) => todo.extend(found.filter_map(|entry| Some(entry.ok()?.path()))),
                    Err(_) => self.misses(format!("{}, which cannot be listed", next.display())),
                }
            }
        }
        Ok(())
    }

    /// A repository in the repository: all of it.
    fn nested(&mut self, repo: &Repo, full: &Path, entries: &mut Vec<Entry>) -> io::Result<()> {
        let mut found = Vec::new();
        self.plain(full, &mut found)?;
        let root = absolute(repo.root());
        entries.extend(found.into_iter().filter_map(|entry| {
            let path = entry
                .path
                .bytes()
                .strip_prefix(root.bytes())?
                .strip_prefix(b"/")?
                .to_vec();
            Some(Entry {
                path: Name::from_bytes(&path),
                ..entry
            })
        }));
        Ok(())
    }

    /// A folder of the repository, for entries below `/`: what git has is named by its object.
    pub(super) fn part_of(&mut self, repo: &Repo, inside: &str, path: &Path, found: &mut Vec<Entry>) -> io::Result<()> {
        let Some(index) = repo.index().filter(|index| !index.is_sparse()) else {
            return self.plain(path, found);
        };
        let converts = converts(repo, index);
        // What is only staged has an object that git may take away.
        let committed = crate::changes::committed(repo, index);
        let is_committed = |tracked: &Tracked| match &committed {
            Some(None) => true,
            Some(Some(head)) => {
                let old = head.entry_by_path(tracked.path(index));
                old.is_some_and(|old| old.id == tracked.id)
            }
            None => false,
        };
        let mut own = Vec::new();
        let (mut modules, mut gone) = (Vec::new(), Vec::new());
        for tracked in crate::changes::entries(index, &[inside.to_owned()]) {
            let name = Name::from_bytes(tracked.path(index));
            let full = repo.root().join(name.path());
            let Ok(meta) = full.symlink_metadata() else {
                gone.push(name);
                continue;
            };
            if tracked.mode == Mode::COMMIT {
                modules.push(full);
            } else if tracked.stage() == Stage::Unconflicted
                && self.is_same(repo, index, tracked, &full, converts)
                && !meta.is_symlink()
                && is_committed(tracked)
            {
                let (mode, what) = (meta.permissions().mode() & 0o7777, What::Git(tracked.id.to_string()));
                own.push(Entry {
                    path: name,
                    mode,
                    what,
                    stamp: Some(stamp(&meta)),
                });
            } else {
                own.extend(self.entry(&full, name)?);
            }
        }
        own.extend(self.untracked(repo, walked(repo, inside, true))?);
        for module in modules {
            self.nested(repo, &module, &mut own)?;
        }
        gone.extend(own.iter().map(|entry| entry.path.clone()));
        own.extend(self.folders(repo, path, &gone)?);
        let root = absolute(repo.root());
        found.extend(own.into_iter().map(|entry| {
            let path = [root.bytes(), b"/", entry.path.bytes()].concat();
            Entry {
                path: Name::from_bytes(&path),
                ..entry
            }
        }));
        Ok(())
    }

    /// The folders that these files lie in, down from `top`.
    fn folders(&mut self, repo: &Repo, top: &Path, files: &[Name]) -> io::Result<Vec<Entry>> {
        let mut folders = BTreeSet::from([top.to_path_buf()]);
        for file in files {
            let full = repo.root().join(file.path());
            let above = full.ancestors().skip(1).take_while(|folder| folder.starts_with(top));
            let new: Vec<PathBuf> = above
                .map(Path::to_path_buf)
                .take_while(|folder| !folders.contains(folder))
                .collect();
            folders.extend(new);
        }
        let mut found = Vec::new();
        for folder in folders {
            let path = Name::from(folder.strip_prefix(repo.root()).unwrap_or(&folder));
            found.extend(self.entry(&folder, path)?);
        }
        Ok(found)
    }
}

/// What nobody tracks below a folder of the repository.
fn walked(repo: &Repo, below: &str, ignored: bool) -> Option<files::Found<Name>> {
    let below = match below {
        "" => Vec::new(),
        folder => vec![folder.to_owned()],
    };
    files::walk_all(repo, &below, ignored.then_some(EmissionMode::CollapseDirectory))
}

/// Folders of tracked files, and whether one of their files is not there: an empty folder is nothing that git would tell.
#[derive(Default)]
struct Folders {
    all: BTreeMap<Name, bool>,
    /// The folder of the last file: the next one lies in it mostly.
    last: Vec<u8>,
}

impl Folders {
    fn add(&mut self, file: &[u8], is_missing: bool) {
        let mut path = file;
        let end = path.iter().rposition(|byte| *byte == b'/').unwrap_or_default();
        let folder = path.get(..end).unwrap_or_default();
        if self.last == folder && !is_missing {
            return;
        }
        self.last = folder.to_vec();
        while let Some(end) = path.iter().rposition(|byte| *byte == b'/') {
            path = path.get(..end).unwrap_or_default();
            match self.all.get_mut(&Name::from_bytes(path)) {
                // All above are known by then.
                Some(lacks) if *lacks || !is_missing => return,
                Some(lacks) => *lacks = true,
                None => {
                    self.all.insert(Name::from_bytes(path), is_missing);
                }
            }
        }
    }
}

/// What may make a tracked file differ from its object though nobody changed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Converts {
    Nothing,
    /// Ends of lines, encodings, keywords.
    Lines,
    /// A program that the repository names.
    Filters,
}

fn converts(repo: &Repo, index: &State) -> Converts {
    let config = repo.git.config_snapshot();
    let lines =
        config.string("core.autocrlf").is_some_and(|value| value != "false") || config.string("core.eol").is_some();
    let common = repo.git.common_dir();
    let mut files = vec![common.join("info/attributes")];
    files.extend(
        config
            .string("core.attributesFile")
            .and_then(|path| path.to_path().ok().map(Path::to_path_buf)),
    );
    let tracked = index.entries().iter().map(|entry| entry.path(index));
    let tracked = tracked.filter(|path| *path == ".gitattributes" || path.ends_with(b"/.gitattributes"));
    files.extend(tracked.filter_map(|path| Some(repo.root().join(path.to_path().ok()?))));
    files.push(repo.root().join(".gitattributes"));
    let mut found = if lines { Converts::Lines } else { Converts::Nothing };
    for file in files {
        let regular = file
            .metadata()
            .is_ok_and(|meta| meta.is_file() && meta.len() < MOST_ATTRIBUTES);
        let Some(text) = regular.then(|| fs::read(&file).ok()).flatten() else {
            continue;
        };
        if text.contains_str("filter") {
            return Converts::Filters;
        }
        found = Converts::Lines;
    }
    found
}

/// The rights of most tracked files, as the first of them has them.
fn usual_rights(root: &Path, index: &State) -> u32 {
    let plain = index.entries().iter().filter(|entry| entry.mode == Mode::FILE).take(3);
    let rights = plain.filter_map(|entry| {
        let meta = root.join(entry.path(index).to_path().ok()?).symlink_metadata().ok()?;
        meta.is_file().then(|| meta.permissions().mode() & 0o666)
    });
    rights.max().unwrap_or(0o644)
}

/// The rights that a tracked file has, if nothing else is said: who may read may also execute what can be executed.
pub(crate) fn expected_rights(mode: Mode, usual: u32) -> u32 {
    match mode {
        Mode::FILE_EXECUTABLE => usual | (usual & 0o444) >> 2,
        _ => usual,
    }
}
