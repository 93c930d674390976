//! New records as they come.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use ledger::{Hash, Place};

use crate::error::ViewError;
use crate::read::{end, lines_from};

/// What a look found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// The log went on from where it was, or did not.
    Followed,
    /// What was read last is not there any more: the log was cut or replaced. What is new from now on is shown.
    Replaced,
}

/// The end of a ledger, looked at again and again, across segments.
#[derive(Debug)]
pub struct Follow {
    dir: PathBuf,
    next: Place,
    /// The line before that, to see that the log is still the same.
    last: Option<(Place, Hash)>,
}

impl Follow {
    /// Begins at what is the end now.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn from_end(dir: &Path) -> Result<Self, ViewError> {
        let next = end(dir)?.unwrap_or_default();
        Ok(Self {
            dir: dir.to_path_buf(),
            next,
            last: None,
        })
    }

    /// Hands out the lines that are new, as they are stored.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn look(&mut self, mut each: impl FnMut(&[u8]) -> ControlFlow<()>) -> Result<News, ViewError> {
        if let Some((place, hash)) = self.last
            && ledger::line_at(&self.dir, place)?.is_none_or(|line| Hash::of(&line) != hash)
        {
            *self = Self::from_end(&self.dir)?;
            return Ok(News::Replaced);
        }
        let mut last = self.last;
        let next = lines_from(&self.dir, self.next, |place, line| {
            last = Some((place, Hash::of(line)));
            each(line)
        })?;
        self.last = last;
        self.next = next.unwrap_or(self.next);
        Ok(News::Followed)
    }
}
