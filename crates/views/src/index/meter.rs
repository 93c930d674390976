//! How far the making of an index is.

use std::path::Path;

use crate::search::Told;

/// How often it is told, in bytes of the ledger.
const STEP: u64 = 4 << 20;

/// Counts what was taken in. A short ledger tells nothing.
#[derive(Default)]
pub(super) struct Meter {
    told: Option<Told>,
    all: u64,
    done: u64,
    /// What had been taken in when it was told last.
    last: u64,
}

impl Meter {
    /// Of a ledger, as long as it is now.
    pub(super) fn of(ledger: &Path, told: Option<Told>) -> Self {
        let length = |_: &Told| {
            let entries = ledger.read_dir().into_iter().flatten().flatten();
            let segments = entries.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "ndjson"));
            segments.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
        };
        Self {
            told,
            all: told.as_ref().map_or(0, length),
            ..Self::default()
        }
    }

    /// A line was taken in.
    pub(super) fn line(&mut self, line: &[u8]) {
        self.done += line.len() as u64 + 1;
        if self.done - self.last >= STEP {
            self.last = self.done;
            self.tell(self.done.min(self.all));
        }
    }

    /// All of it was. Nothing is said where nothing was said before.
    pub(super) fn end(&self) {
        if self.last > 0 {
            self.tell(self.all);
        }
    }

    fn tell(&self, done: u64) {
        if let Some(told) = self.told {
            told(done, self.all);
        }
    }
}
