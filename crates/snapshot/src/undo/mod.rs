//! Bringing a snapshot back.
//!
//! First a [`Plan`]: what differs from the snapshot, and which of it is newer work, so that a person can look at it and say
//! no. Then its steps, each of which leaves either the old or the new state of one file: whoever is stopped midway runs it
//! again, and what is right already is left alone. Before the first step the caller takes a snapshot of what the plan will
//! replace ([`Plan::replaces`]), so an undo can be undone.

mod files;
mod known;
mod plan;
mod same;
mod state;
mod way;

use std::io;
use std::path::{Path, PathBuf};

use crate::manifest::{Blob, Name, Snapshot};
use crate::save::{Tree, Wanted};
use crate::store::Store;

use files::Rooted;
use state::Objects;

/// What is to be brought back.
#[derive(Clone, Copy, Debug)]
pub struct Undo<'a> {
    /// Where the snapshots are.
    pub store: &'a Store,
    /// The snapshot.
    pub snapshot: &'a Snapshot,
    /// Only what lies at and below these paths, absolute; everything, where there are none.
    pub only: &'a [PathBuf],
    /// Newer work is replaced, too.
    pub force: bool,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The folder that the path is below. Nothing outside of it is touched, whatever links lie there.
    pub root: PathBuf,
    /// The path below it.
    pub path: Name,
    /// What happens there.
    pub act: Act,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// The file, the link or the empty folder goes.
    Remove,
    /// A folder is made.
    Folder,
    /// A file gets this content and these rights. Where it is still the inode that it was, and has other names, they get it, too.
    Write(Content, Option<u32>, Option<(u64, u64)>),
    /// A link is made.
    Link(Name),
    /// Rights are set.
    Rights(u32),
    /// A file of the repository's state gets these bytes.
    State(Vec<u8>),
    /// A content is put among the objects of the repository.
    Object(Blob),
    /// The index is replaced, under git's own lock.
    Index(Blob),
}

/// Where a content comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The store.
    Kept(Blob),
    /// An object of the repository whose working tree starts here.
    Git(PathBuf, String),
}

/// What an undo would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// In this order.
    pub steps: Vec<Step>,
    /// What would be replaced though it is in neither the snapshot nor the last commit nor the index.
    pub newer: Vec<PathBuf>,
    /// Commits and stashes that are newer, in words.
    pub newer_commits: Vec<String>,
    /// What was made since and is newer work: it stays.
    pub left: Vec<PathBuf>,
    /// What cannot be brought back, in words.
    pub missing: Vec<String>,
    /// Repositories whose state is replaced.
    trees: Vec<Tree>,
}

impl Undo<'_> {
    /// What would be done.
    ///
    /// # Errors
    /// Where the snapshot cannot be read, or git is just at work in the repository.
    pub fn plan(&self) -> io::Result<Plan> {
        plan::plan(self)
    }

    /// Puts what the snapshot holds below another folder, and touches nothing else. Returns the number of files.
    ///
    /// # Errors
    /// Where a file cannot be written or is there already.
    pub fn extract(&self, to: &Path) -> io::Result<u64> {
        plan::extract(self, to)
    }

    /// How the files of now differ from those of the snapshot.
    ///
    /// # Errors
    /// As for [`Self::plan`].
    pub fn changes(&self) -> io::Result<Vec<Change>> {
        let plan = self.plan()?;
        let objects = Objects::default();
        let mut changes = Vec::new();
        for step in &plan.steps {
            let was = match &step.act {
                Act::Remove => None,
                Act::Write(content, ..) => Some(content.bytes(self.store, &objects)?),
                Act::Link(to) => Some([b"link to ", to.bytes(), b"\n"].concat()),
                _ => continue,
            };
            changes.push(Change {
                is: now(&step.full()),
                path: step.full(),
                was,
            });
        }
        let left = plan.left.iter().map(|path| Change {
            path: path.clone(),
            was: None,
            is: now(path),
        });
        changes.extend(left);
        changes.retain(|change| change.was != change.is);
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    /// Whether a path is among those that are to be brought back.
    fn is_meant(&self, path: &Path) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| path.starts_with(only))
    }
}

/// A file that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which.
    pub path: PathBuf,
    /// What it held; `None` where it was not there.
    pub was: Option<Vec<u8>>,
    /// What it holds; `None` where it is not there any more.
    pub is: Option<Vec<u8>>,
}

/// What stands there now; of a link where it leads.
fn now(path: &Path) -> Option<Vec<u8>> {
    match std::fs::read_link(path) {
        Ok(to) => Some([b"link to ", to.into_os_string().into_encoded_bytes().as_slice(), b"\n"].concat()),
        Err(_) => files::read(path),
    }
}

impl Plan {
    /// Whether everything is as it was.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.steps.is_empty()
    }

    /// Whether newer work stands in the way.
    #[must_use]
    pub const fn replaces_newer_work(&self) -> bool {
        !self.newer.is_empty() || !self.newer_commits.is_empty()
    }

    /// What a snapshot has to keep before the steps are taken.
    #[must_use]
    pub fn replaces(&self) -> Wanted {
        let paths = self.steps.iter().filter(|step| step.act.is_on_a_file());
        Wanted {
            trees: self.trees.clone(),
            paths: paths.map(Step::full).collect(),
        }
    }

    /// Takes the steps. Tells `progress` how many are done.
    ///
    /// # Errors
    /// The first step that failed. Those before it are done; the same plan made anew goes on from there.
    pub fn run(&self, store: &Store, mut progress: impl FnMut(usize)) -> io::Result<()> {
        let objects = Objects::default();
        for (done, step) in self.steps.iter().enumerate() {
            progress(done);
            let taken = step.take(store, &objects);
            taken.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", step.full().display())))?;
        }
        progress(self.steps.len());
        Ok(())
    }
}

impl Act {
    const fn is_on_a_file(&self) -> bool {
        !matches!(self, Self::State(_) | Self::Object(_) | Self::Index(_))
    }
}

impl Step {
    /// The whole path.
    #[must_use]
    pub fn full(&self) -> PathBuf {
        self.root.join(self.path.path())
    }

    fn take(&self, store: &Store, objects: &Objects) -> io::Result<()> {
        match &self.act {
            Act::Object(blob) => return objects.put(&self.root, &store.get(blob)?),
            Act::Index(blob) => return state::put_index(&self.root, &store.get(blob)?),
            _ => {}
        }
        let place = Rooted::at(&self.root, &self.path)?;
        match &self.act {
            Act::Remove => place.remove(),
            Act::Folder => place.folder(),
            Act::Write(content, rights, was) => place.write(&content.bytes(store, objects)?, *rights, *was),
            Act::Link(to) => place.link(to),
            Act::Rights(rights) => place.rights(*rights),
            Act::State(bytes) => place.write(bytes, None, None),
            Act::Object(_) | Act::Index(_) => Ok(()),
        }
    }
}

impl Content {
    fn bytes(&self, store: &Store, objects: &Objects) -> io::Result<Vec<u8>> {
        match self {
            Self::Kept(blob) => store.get(blob),
            Self::Git(root, id) => objects.get(root, id),
        }
    }
}
