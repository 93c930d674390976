//! A planned change of one file, which can be shown before it is made.

use std::path::PathBuf;

use similar::TextDiff;

use crate::exit::Fault;
use crate::setup::files;

/// The permission bits of a new file: this user's alone.
pub(crate) const PRIVATE: u32 = 0o600;

/// What a file holds and what it would hold; `None` where there is no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    /// The permission bits of a file that is made for it.
    pub(crate) mode: u32,
}

impl Change {
    /// Plans an edit of a file's text.
    pub(crate) fn plan(path: PathBuf, edit: impl FnOnce(&str) -> Result<String, Fault>) -> Result<Self, Fault> {
        files::no_dead_link(&path)?;
        let before = files::read_text(&path)?;
        let after = edit(before.as_deref().unwrap_or_default())?;
        Ok(Self {
            path,
            before,
            after: Some(after),
            mode: PRIVATE,
        })
    }

    /// Whether anything would change.
    pub(crate) fn is_needed(&self) -> bool {
        self.before != self.after
    }

    /// The change as a unified diff.
    pub(crate) fn diff(&self) -> String {
        let [old, new] = [&self.before, &self.after].map(|text| text.as_deref().unwrap_or_default());
        let name = self.path.display().to_string();
        let side = |text: &Option<String>| {
            if text.is_some() {
                name.clone()
            } else {
                "/dev/null".to_owned()
            }
        };
        let diff = TextDiff::from_lines(old, new);
        diff.unified_diff()
            .context_radius(3)
            .header(&side(&self.before), &side(&self.after))
            .to_string()
    }

    /// Makes the change. A file that was there keeps its permission bits.
    pub(crate) fn make(&self) -> Result<(), Fault> {
        let before = self.before.as_ref().map(String::as_bytes);
        match (&self.after, before) {
            (Some(after), _) => files::replace(&self.path, before, after.as_bytes(), self.mode),
            (None, Some(before)) => files::remove(&self.path, before),
            (None, None) => Ok(()),
        }
    }
}
