//! How much is looked at for one judgement, and what is known about names.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use policy::{Answer, Loss, Work};

use crate::repo::Repo;

/// Files and folders that are looked at for one judgement.
const FILES: u64 = 300_000;
/// Bytes of files that are read for one judgement because their time says that they may have changed.
const BYTES: u64 = 64 << 20;

/// What is known about the names of files that git ignores, as patterns of the table of paths.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Folders that a build fills, and fills again.
    pub rebuilt: Vec<&'static str>,
    /// Files that hold secrets or data.
    pub precious: Vec<&'static str>,
    /// Which of these do not.
    pub samples: Vec<&'static str>,
}

impl Known {
    pub(crate) fn is_rebuilt(&self, name: &str) -> bool {
        is_like(&self.rebuilt, name)
    }

    pub(crate) fn is_precious(&self, name: &str) -> bool {
        is_like(&self.precious, name) && !is_like(&self.samples, name)
    }
}

/// Whether a name is like one of the patterns `**/name`, `**/*end` and `**/start*`.
fn is_like(patterns: &[&str], name: &str) -> bool {
    patterns.iter().any(|pattern| {
        let pattern = pattern.trim_start_matches("**/");
        match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
            (Some(end), _) => name.ends_with(end),
            (None, Some(start)) => name.starts_with(start),
            (None, None) => name == pattern,
        }
    })
}

/// What one judgement may look at, and what it knows.
#[derive(Debug)]
pub(crate) struct Means {
    pub(crate) known: Known,
    files: Cell<u64>,
    bytes: Cell<u64>,
}

impl Means {
    /// Looks at so many files; `None` when that is more than there may be.
    pub(crate) fn files(&self, count: usize) -> Option<()> {
        spend(&self.files, count as u64)
    }

    /// Reads so many bytes.
    pub(crate) fn bytes(&self, count: u64) -> Option<()> {
        spend(&self.bytes, count)
    }
}

fn spend(left: &Cell<u64>, count: u64) -> Option<()> {
    let rest = left.get().checked_sub(count);
    left.set(rest.unwrap_or(0));
    rest.map(|_| ())
}

/// The looks of one judgement: nothing is looked at twice, and all of them together are bounded.
#[derive(Debug)]
pub struct Looks {
    means: Rc<Means>,
    repos: RefCell<BTreeMap<PathBuf, Option<Rc<Repo>>>>,
    answers: RefCell<BTreeMap<(PathBuf, String), Answer<Loss>>>,
}

impl Looks {
    /// Nothing was looked at yet.
    #[must_use]
    pub fn new(known: Known) -> Self {
        Self {
            means: Rc::new(Means {
                known,
                files: Cell::new(FILES),
                bytes: Cell::new(BYTES),
            }),
            repos: RefCell::default(),
            answers: RefCell::default(),
        }
    }

    /// What of `work` is nowhere else, for a command that runs in `dir`.
    pub fn loss(&self, dir: &Path, work: Work<'_>) -> Answer<Loss> {
        let key = (dir.to_path_buf(), format!("{work:?}"));
        if let Some(known) = self.answers.borrow().get(&key) {
            return known.clone();
        }
        let answer = crate::answer(self, dir, work);
        self.answers.borrow_mut().insert(key, answer.clone());
        answer
    }

    pub(crate) fn means(&self) -> &Rc<Means> {
        &self.means
    }

    /// The repository that git would use in this folder.
    pub(crate) fn around(&self, dir: &Path) -> Option<Rc<Repo>> {
        let root = dir.ancestors().find(|dir| crate::holds_repository(dir))?;
        if let Some(known) = self.repos.borrow().get(root) {
            return known.clone();
        }
        let repo = Repo::at(root, &self.means).map(Rc::new);
        self.repos.borrow_mut().insert(root.to_path_buf(), repo.clone());
        repo
    }
}
