//! The state of a repository: its references and their logs, its settings, what it is in the middle of, its index.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::files::read;
use super::known::Contents;
use super::{Act, Plan, Step, Undo};
use crate::Known;
use crate::looks::Looks;
use crate::manifest::{Name, Repository};
use crate::repo::Repo;
use crate::save::state_files;
use crate::store::random;

/// Files and folders that stand there while git is in the middle of something.
const MIDDLE: &[&str] = &[
    "MERGE_HEAD",
    "MERGE_MSG",
    "MERGE_MODE",
    "MERGE_RR",
    "AUTO_MERGE",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "SQUASH_MSG",
    "ORIG_HEAD",
    "BISECT_START",
    "BISECT_LOG",
    "BISECT_TERMS",
    "BISECT_NAMES",
    "BISECT_EXPECTED_REV",
    "BISECT_ANCESTORS_OK",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
];
/// The name that git locks the index by.
const LOCK: &str = "index.lock";

/// What a state was, by full path.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Steps that bring the state of a repository back.
pub(super) fn plan(
    undo: &Undo<'_>,
    repo: &Repo,
    repository: &Repository,
    contents: &Contents,
    plan: &mut Plan,
) -> io::Result<()> {
    let root = repo.root();
    let (git_dir, common_dir) = (repository.git_dir.path(), repository.common_dir.path());
    let now = now(&git_dir, &common_dir, repository.references);
    let mut old = Files::new();
    for entry in &repository.state {
        if let Some(blob) = entry.blob() {
            old.insert(Path::new("/").join(entry.path.path()), undo.store.get(blob)?);
        }
    }
    let index = repository.index.as_ref().map(|blob| undo.store.get(blob)).transpose()?;
    if fs::read(git_dir.join(LOCK)).is_ok_and(|lock| Some(&lock) != index.as_ref()) {
        let sentence = format!("git is at work in {}: {LOCK} is there", git_dir.display());
        return Err(io::Error::new(ErrorKind::ResourceBusy, sentence));
    }
    let mut steps = Vec::new();
    let is_new = |id: &str| gix::ObjectId::from_hex(id.trim().as_bytes()).is_ok_and(|id| contents.is_new(repo, &id));
    if repository.references {
        references(undo, &common_dir, &git_dir, &old, &now, &is_new, plan, &mut steps);
        logs(&common_dir, &git_dir, &old, &now, plan, &mut steps);
    }
    if repo.git.head_id().is_ok_and(|id| contents.is_new(repo, &id)) {
        plan.newer_commits.push("commits that were made since".into());
    }
    if let Some(bytes) = old
        .get(&git_dir.join("HEAD"))
        .filter(|bytes| now.get(&git_dir.join("HEAD")) != Some(bytes))
    {
        steps.push((git_dir.join("HEAD"), Act::State(bytes.clone())));
    }
    middle(&git_dir, &old, &now, &mut steps);
    settings(&common_dir, &old, &now, &mut steps);
    for (path, act) in steps {
        let (folder, below) = match path.strip_prefix(&git_dir) {
            Ok(below) => (&git_dir, below),
            Err(_) => (&common_dir, path.strip_prefix(&common_dir).unwrap_or(&path)),
        };
        plan.steps.push(Step {
            root: folder.clone(),
            path: Name::from(below),
            act,
        });
    }
    for (id, blob) in &repository.staged {
        let there = gix::ObjectId::from_hex(id.as_bytes()).is_ok_and(|id| repo.git.has_object(id));
        if !there {
            plan.steps.push(Step {
                root: root.to_path_buf(),
                path: Name::default(),
                act: Act::Object(blob.clone()),
            });
        }
    }
    let index_now = fs::read(git_dir.join("index")).ok();
    if let Some(blob) = repository.index.as_ref().filter(|_| index_now != index) {
        plan.steps.push(Step {
            root: git_dir.clone(),
            path: Name::from(Path::new("index")),
            act: Act::Index(blob.clone()),
        });
    } else if repository.index.is_none() && index_now.is_some() {
        plan.steps.push(Step {
            root: git_dir.clone(),
            path: Name::from(Path::new("index")),
            act: Act::Remove,
        });
    }
    Ok(())
}

fn now(git_dir: &Path, common_dir: &Path, references: bool) -> Files {
    let mut files = state_files(git_dir, references);
    if common_dir != git_dir {
        files.extend(state_files(common_dir, references));
    }
    files
        .into_iter()
        .filter_map(|path| read(&path).map(|bytes| (path, bytes)))
        .collect()
}

/// All references of a state: plain files before packed ones.
fn refs(files: &Files, common_dir: &Path, git_dir: &Path) -> BTreeMap<String, String> {
    let mut refs = BTreeMap::new();
    let packed = files.get(&common_dir.join("packed-refs"));
    for line in packed
        .map(|bytes| String::from_utf8_lossy(bytes))
        .unwrap_or_default()
        .lines()
    {
        if let Some((id, name)) = line.split_once(' ').filter(|_| !line.starts_with(['#', '^'])) {
            refs.insert(name.to_owned(), id.to_owned());
        }
    }
    for folder in [common_dir, git_dir] {
        let below = folder.join("refs");
        for (path, bytes) in files
            .range(below.clone()..)
            .take_while(|(path, _)| path.starts_with(&below))
        {
            if let Some(name) = path.strip_prefix(folder).ok().and_then(Path::to_str) {
                refs.insert(name.to_owned(), String::from_utf8_lossy(bytes).trim().to_owned());
            }
        }
    }
    refs.retain(|name, _| !name.starts_with("refs/tollgate/"));
    refs
}

/// References get what they had.
#[expect(
    clippy::too_many_arguments,
    reason = "the state then and now, and what to do about it"
)]
fn references(
    undo: &Undo<'_>,
    common_dir: &Path,
    git_dir: &Path,
    old: &Files,
    now: &Files,
    is_new: &dyn Fn(&str) -> bool,
    plan: &mut Plan,
    steps: &mut Vec<(PathBuf, Act)>,
) {
    let (before, after) = (refs(old, common_dir, git_dir), refs(now, common_dir, git_dir));
    for (name, value) in &before {
        let current = after.get(name);
        if current == Some(value) {
            continue;
        }
        if current.is_some_and(|id| is_new(id)) {
            plan.newer_commits.push(format!("commits on {name}"));
        }
        // `refs/worktree` and `refs/bisect` belong to a working tree alone.
        let own = ["refs/worktree/", "refs/bisect/"]
            .iter()
            .any(|start| name.starts_with(start));
        let folder = if own { git_dir } else { common_dir };
        steps.push((folder.join(name), Act::State(format!("{value}\n").into_bytes())));
    }
    // A reference that came since stays, but for those who want it all back: its commits are in the snapshot of now.
    let loose = |name: &String| now.contains_key(&common_dir.join(name));
    for name in after
        .keys()
        .filter(|name| undo.force && !before.contains_key(*name) && loose(name))
    {
        steps.push((common_dir.join(name), Act::Remove));
    }
}

/// Logs keep what was written since, but for that of stashes, which are what their log says.
fn logs(common_dir: &Path, git_dir: &Path, old: &Files, now: &Files, plan: &mut Plan, steps: &mut Vec<(PathBuf, Act)>) {
    let stashes = common_dir.join("logs/refs/stash");
    let is_log = |path: &Path| path.starts_with(common_dir.join("logs")) || path.starts_with(git_dir.join("logs"));
    for (path, bytes) in old.iter().filter(|(path, _)| is_log(path)) {
        let current = now.get(path);
        if current == Some(bytes) {
            continue;
        }
        let text = String::from_utf8_lossy(bytes);
        let current = current
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .unwrap_or_default();
        let added: Vec<&str> = current
            .lines()
            .filter(|line| !text.lines().any(|old| old == *line))
            .collect();
        if *path == stashes {
            // A stash that was dropped leaves the log of those above it changed, and nothing added.
            if added.iter().any(|line| !is_rewritten(line, &text)) {
                plan.newer_commits.push("stashes".into());
            }
            steps.push((path.clone(), Act::State(bytes.clone())));
        } else if !current.starts_with(text.as_ref()) {
            let mut all = text.into_owned();
            added.iter().for_each(|line| {
                all.push_str(line);
                all.push('\n');
            });
            steps.push((path.clone(), Act::State(all.into_bytes())));
        }
    }
}

/// Whether a line of the log of stashes is an old one whose predecessor went.
fn is_rewritten(line: &str, old: &str) -> bool {
    let rest = |line: &str| line.split_once(' ').map(|(_, rest)| rest.to_owned());
    rest(line).is_some_and(|new| old.lines().any(|old| rest(old).as_ref() == Some(&new)))
}

/// What git was in the middle of.
fn middle(git_dir: &Path, old: &Files, now: &Files, steps: &mut Vec<(PathBuf, Act)>) {
    let is_middle = |path: &Path| MIDDLE.iter().any(|name| path.starts_with(git_dir.join(name)));
    for (path, bytes) in old.iter().filter(|(path, _)| is_middle(path)) {
        if now.get(path) != Some(bytes) {
            steps.push((path.clone(), Act::State(bytes.clone())));
        }
    }
    for path in now.keys().filter(|path| is_middle(path) && !old.contains_key(*path)) {
        steps.push((path.clone(), Act::Remove));
    }
    for name in ["rebase-merge", "rebase-apply", "sequencer"] {
        let folder = git_dir.join(name);
        if folder.is_dir() && !old.keys().any(|path| path.starts_with(&folder)) {
            steps.push((folder, Act::Remove));
        }
    }
}

/// Settings come back where a command took some away, and stay where somebody wrote new ones.
fn settings(common_dir: &Path, old: &Files, now: &Files, steps: &mut Vec<(PathBuf, Act)>) {
    let path = common_dir.join("config");
    let (Some(before), current) = (old.get(&path), now.get(&path)) else {
        return;
    };
    let lines = String::from_utf8_lossy(before);
    let known = |line: &str| lines.lines().any(|old| old == line);
    let only_less = current.is_none_or(|now| String::from_utf8_lossy(now).lines().all(known));
    if current != Some(before) && only_less {
        steps.push((path, Act::State(before.clone())));
    }
}

/// Repositories whose objects are needed, each opened once.
#[derive(Default)]
pub(super) struct Objects(RefCell<BTreeMap<PathBuf, Repo>>);

impl Objects {
    /// The content of an object of the repository whose working tree starts here.
    pub(super) fn get(&self, root: &Path, id: &str) -> io::Result<Vec<u8>> {
        let id = gix::ObjectId::from_hex(id.as_bytes()).map_err(io::Error::other)?;
        self.with(root, |repo| {
            let object = repo.git.find_object(id);
            Ok(object
                .map_err(|error| io::Error::new(ErrorKind::NotFound, error.to_string()))?
                .data
                .clone())
        })
    }

    /// Puts a content among the objects of a repository.
    pub(super) fn put(&self, root: &Path, bytes: &[u8]) -> io::Result<()> {
        self.with(root, |repo| {
            repo.git.write_blob(bytes).map(|_| ()).map_err(io::Error::other)
        })
    }

    fn with<T>(&self, root: &Path, act: impl FnOnce(&Repo) -> io::Result<T>) -> io::Result<T> {
        let mut repos = self.0.borrow_mut();
        if !repos.contains_key(root) {
            let repo = Repo::at(root, Looks::new(Known::default()).means());
            let gone = || io::Error::new(ErrorKind::NotFound, "the repository cannot be read");
            repos.insert(root.to_path_buf(), repo.ok_or_else(gone)?);
        }
        match repos.get(root) {
            Some(repo) => act(repo),
            None => Err(ErrorKind::NotFound.into()),
        }
    }
}

/// Replaces the index. Its lock is git's own, so no git works on it meanwhile. The lock is there with its whole content from
/// one moment to the next: one that an undo before this one left can be told by that.
pub(super) fn put_index(git_dir: &Path, bytes: &[u8]) -> io::Result<()> {
    let lock = git_dir.join(LOCK);
    let new = git_dir.join(format!(".tollgate-{}", random()?));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let written = options.open(&new).and_then(|mut file| file.write_all(bytes));
    let locked = written.and_then(|()| take_name(&new, &lock));
    let _gone = fs::remove_file(&new);
    match locked {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if fs::read(&lock)? != bytes {
                return Err(io::Error::new(ErrorKind::ResourceBusy, "git is at work here"));
            }
        }
        locked => locked?,
    }
    fs::rename(&lock, git_dir.join("index"))
}

/// Gives a file a name that none has.
fn take_name(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL) => fs::hard_link(from, to),
        done => Ok(done?),
    }
}
