//! Bringing back what a call took away. No agent may: it could put old files over a person's new ones.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use ledger::{Event, Record};
use snapshot::{Cause, Head, Limits, Plan, Pruned, Snapshot, Store, Undo};

use crate::answers::Refused;
use crate::decide::Broker;
use crate::moment::Moment;
use crate::world::names_of_ignored;
use crate::{note, places, saving};

/// Why nothing was brought back.
#[derive(Debug)]
pub enum NotUndone {
    /// There is no snapshot, or none of that name.
    NoSnapshot(String),
    /// Newer work stands where something would be brought back: its paths, and commits in words.
    Newer(Vec<PathBuf>, Vec<String>),
    /// What would be replaced could not be kept first.
    NotKept(Vec<String>),
    /// An agent asked, or it could not be recorded.
    Refused(Refused),
    /// Reading or writing failed.
    Io(io::Error),
}

impl fmt::Display for NotUndone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSnapshot(id) if id.is_empty() => f.write_str("there is no snapshot"),
            Self::NoSnapshot(id) => write!(f, "there is no snapshot `{id}`"),
            Self::Newer(paths, commits) => {
                let paths = paths.iter().map(|path| path.display().to_string());
                let all: Vec<String> = paths.chain(commits.iter().cloned()).collect();
                let shown: Vec<&str> = all.iter().take(5).map(String::as_str).collect();
                let more = all.len().saturating_sub(5);
                let more = if more > 0 {
                    format!(" and {more} more")
                } else {
                    String::new()
                };
                write!(f, "newer work would be replaced: `{}`{more}", shown.join("`, `"))
            }
            Self::NotKept(missing) => write!(
                f,
                "what would be replaced could not be kept first: {}",
                missing.join("; ")
            ),
            Self::Refused(refused) => refused.fmt(f),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NotUndone {}

impl NotUndone {
    /// What a person can do about it, one sentence.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoSnapshot(_) => "`tollgate snapshots list` names those that there are.",
            Self::Newer(..) => {
                "`--path` brings back a part, `--to DIR` puts it elsewhere, `--force` replaces the newer work after keeping it."
            }
            Self::NotKept(_) => "`--to DIR` puts the snapshot elsewhere and replaces nothing.",
            Self::Refused(refused) => refused.hint(),
            Self::Io(_) => "What is right already stays; run it again when the reason is gone.",
        }
    }
}

impl From<io::Error> for NotUndone {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// What was brought back.
#[derive(Clone, Debug, Default)]
pub struct Undone {
    /// How many steps it took; none where everything was as it had been.
    pub steps: usize,
    /// The snapshot of what was there before.
    pub before: String,
    /// What could not be brought back, in words.
    pub missing: Vec<String>,
}

impl Broker {
    /// Where snapshots are kept.
    #[must_use]
    pub fn snapshots(&self) -> Store {
        Store::below(&self.places().state)
    }

    /// The snapshot of this name; without a name the newest that no undo has taken, of the project around `cwd` where there is one.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn snapshot(&self, id: Option<&str>, cwd: &Path) -> Result<Snapshot, NotUndone> {
        let store = self.snapshots();
        let newest = || -> io::Result<Option<String>> {
            let (mut heads, _) = store.list()?;
            heads.retain(|head| head.cause.undo_of.is_empty());
            let project = places::project(cwd);
            let is_here = |head: &&Head| head.roots.iter().any(|root| root.path().starts_with(project));
            Ok(heads.iter().find(is_here).or(heads.first()).map(|head| head.id.clone()))
        };
        let id = match id {
            Some(id) => id.to_owned(),
            None => newest()?.ok_or_else(|| NotUndone::NoSnapshot(String::new()))?,
        };
        match store.snapshot(&id) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(NotUndone::NoSnapshot(id)),
            read => Ok(read?),
        }
    }

    /// Brings a snapshot back. What it replaces is kept in a snapshot of its own, and both are recorded before the first step.
    ///
    /// # Errors
    /// See [`NotUndone`]. Where a step fails those before it are done, and the same again goes on from there.
    pub fn undo(&self, undo: &Undo<'_>, plan: &Plan, progress: impl FnMut(usize)) -> Result<Undone, NotUndone> {
        self.no_agent("bring a snapshot back").map_err(NotUndone::Refused)?;
        if plan.replaces_newer_work() && !undo.force {
            return Err(NotUndone::Newer(plan.newer.clone(), plan.newer_commits.clone()));
        }
        let mut undone = Undone {
            missing: plan.missing.clone(),
            ..Undone::default()
        };
        if plan.is_done() {
            return Ok(undone);
        }
        let id = &undo.snapshot.head.id;
        let cause = Cause {
            time_ms: Moment::now().wall_ms,
            agent: "tollgate".into(),
            request: format!("undo {id}"),
            undo_of: id.clone(),
            ..Cause::default()
        };
        if let Some(before) = snapshot::take(undo.store, &plan.replaces(), cause, names_of_ignored(), Limits::ample())?
        {
            if !before.head.missing.is_empty() {
                return Err(NotUndone::NotKept(before.head.missing));
            }
            undone.before = before.head.id;
        }
        let mut record = note::remark(
            Event::Undo,
            &format!("{id} is brought back, {} steps", plan.steps.len()),
            self.settings(),
        );
        record.snapshot.clone_from(&undone.before);
        self.recorded(&record)?;
        plan.run(undo.store, progress)?;
        undone.steps = plan.steps.len();
        Ok(undone)
    }

    fn recorded(&self, record: &Record) -> Result<(), NotUndone> {
        let recorded = self.ledger().append(record).map(|_| ());
        recorded.map_err(|error| NotUndone::Refused(Refused::Record(error.into())))
    }

    /// Takes snapshots away that are older than so many days, or what the settings say. `None` where somebody is just taking one.
    ///
    /// # Errors
    /// When an agent asks, or the store cannot be written.
    pub fn prune_snapshots(&self, days: Option<u64>) -> Result<Option<Pruned>, NotUndone> {
        self.no_agent("take snapshots away").map_err(NotUndone::Refused)?;
        let mut keep = saving::keep(self.here(Path::new("/")).snapshots);
        keep.thoroughly = true;
        if let Some(days) = days {
            keep.days = days;
        }
        let pruned = self.snapshots().prune(keep, Moment::now().wall_ms, |_: &Head| false)?;
        if let Some(pruned) = pruned.as_ref().filter(|pruned| !pruned.snapshots.is_empty()) {
            let text = format!("snapshots were taken away: {}", pruned.snapshots.join(", "));
            self.recorded(&note::remark(Event::Undo, &text, self.settings()))?;
        }
        Ok(pruned)
    }
}
