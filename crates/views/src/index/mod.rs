//! An index of the ledger in SQLite. It says where to look, and never what stands there.

mod count;
mod fill;
mod meter;
mod query;
mod schema;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ledger::{Hash, Line, Place};
use rusqlite::{Connection, OptionalExtension as _};

use crate::error::ViewError;
use crate::search::Told;
pub(crate) use fill::{BEGINNING, beginning};
use meter::Meter;
pub(crate) use query::Plan;
use schema::{APPLICATION, SCHEMA, TABLES};

/// How long another program that builds the index is waited for.
const PATIENCE: Duration = Duration::from_secs(120);
const STEP: Duration = Duration::from_millis(20);
const NAME: &str = "ledger.sqlite";

/// The index of a ledger, as far as the ledger went when it was opened.
pub struct Index {
    ledger: PathBuf,
    path: PathBuf,
    base: Connection,
}

/// How far the ledger is indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reached {
    /// The hash of the first line.
    first: String,
    /// The last line, its hash, and where the next one will stand.
    last: Place,
    hash: String,
    next: Place,
    /// How many lines there are.
    lines: i64,
}

impl Index {
    /// Opens the index in `folder` and takes in what is new in the ledger; makes it anew where it is missing, damaged,
    /// foreign, or of another ledger, and tells then how far it is.
    ///
    /// # Errors
    /// When the ledger cannot be read, or no index be written.
    pub fn open(folder: &Path, ledger: &Path, told: Option<Told>) -> Result<Self, ViewError> {
        let path = folder.join(NAME);
        let unusable = |e: io::Error| ViewError::Index {
            path: path.clone(),
            why: e.to_string(),
        };
        let _lock = lock(folder, ledger).map_err(unusable)?;
        match Self::attach(&path, ledger).and_then(Self::refreshed) {
            Ok(Some(index)) => Ok(index),
            // Whatever is wrong with an index, a new one is right.
            Ok(None) | Err(ViewError::Index { .. }) => {
                discard(&path).map_err(unusable)?;
                Self::build(&path, ledger, told)
            }
            Err(e) => Err(e),
        }
    }

    /// Throws the index away. The next one is made from the ledger.
    pub(crate) fn forget(folder: &Path, ledger: &Path) -> Result<(), ViewError> {
        let path = folder.join(NAME);
        let unusable = |e: io::Error| ViewError::Index {
            path: path.clone(),
            why: e.to_string(),
        };
        let _lock = lock(folder, ledger).map_err(unusable)?;
        discard(&path).map_err(unusable)
    }

    fn attach(path: &Path, ledger: &Path) -> Result<Self, ViewError> {
        let unusable = |why: String| ViewError::Index {
            path: path.to_path_buf(),
            why,
        };
        let meta = path.symlink_metadata().map_err(|e| unusable(e.to_string()))?;
        if !meta.is_file() || meta.nlink() != 1 || meta.mode() & 0o077 != 0 {
            return Err(unusable("it is no file of ours".into()));
        }
        let base = Connection::open(path).map_err(|e| unusable(e.to_string()))?;
        Ok(Self {
            ledger: ledger.to_path_buf(),
            path: path.to_path_buf(),
            base,
        })
    }

    /// The index with what is new in the ledger; `None` where it is of another one.
    fn refreshed(mut self) -> Result<Option<Self>, ViewError> {
        let index = self.path.clone();
        let wrong = |e: rusqlite::Error| unusable(&index, &e);
        self.set_up().map_err(wrong)?;
        let Some(reached) = self.reached().map_err(wrong)? else {
            return Ok(None);
        };
        if !self.is_of_this_ledger(&reached)? {
            return Ok(None);
        }
        self.take_in(reached)?;
        Ok(Some(self))
    }

    /// Makes an index from the whole ledger.
    fn build(path: &Path, ledger: &Path, told: Option<Told>) -> Result<Self, ViewError> {
        let wrong = |e: rusqlite::Error| unusable(path, &e);
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        made.map_err(|e| ViewError::Index {
            path: path.to_path_buf(),
            why: e.to_string(),
        })?;
        let mut index = Self::attach(path, ledger)?;
        index.set_up().map_err(wrong)?;
        // Nothing has to survive until all of it is there: what is not finished is made anew.
        let quick = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;";
        index.base.execute_batch(quick).map_err(wrong)?;
        index.base.execute_batch(TABLES).map_err(wrong)?;
        let mut meter = Meter::of(ledger, told);
        let reached = index.fill_all(&mut meter)?;
        meter.end();
        let safe = "PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL;";
        index.base.execute_batch(safe).map_err(wrong)?;
        let synced = File::open(path).and_then(|file| file.sync_all());
        synced.map_err(|e| ViewError::Index {
            path: path.to_path_buf(),
            why: e.to_string(),
        })?;
        index.finish(&reached).map_err(wrong)?;
        Ok(index)
    }

    /// The last step of a build: only an index with these marks is used.
    fn finish(&mut self, reached: &Reached) -> rusqlite::Result<()> {
        let step = self.base.transaction()?;
        write_reached(&step, reached)?;
        step.pragma_update(None, "application_id", APPLICATION)?;
        step.pragma_update(None, "user_version", SCHEMA)?;
        step.commit()
    }

    fn set_up(&self) -> rusqlite::Result<()> {
        self.base.busy_timeout(Duration::from_secs(10))?;
        self.base
            .execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cache_size = -65536; PRAGMA synchronous = NORMAL;")
    }

    fn reached(&self) -> rusqlite::Result<Option<Reached>> {
        let number = |name| self.base.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        if number("application_id")? != APPLICATION || number("user_version")? != SCHEMA {
            return Ok(None);
        }
        let text = |key: &str| {
            let found = self
                .base
                .query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| {
                    row.get::<_, String>(0)
                });
            found.optional()
        };
        let place = |key: &str| text(key).map(|text| text.as_deref().and_then(place_of));
        let (first, last, hash, next) = (text("first")?, place("last")?, text("hash")?, place("next")?);
        let lines = self
            .base
            .query_row("SELECT coalesce(max(id), 0) FROM lines", [], |row| row.get(0))?;
        let all = first.zip(last).zip(hash).zip(next);
        Ok(all.map(|(((first, last), hash), next)| Reached {
            first,
            last,
            hash,
            next,
            lines,
        }))
    }

    /// Whether the ledger still begins with the line that it began with, and has the last indexed line where it was.
    fn is_of_this_ledger(&self, reached: &Reached) -> Result<bool, ViewError> {
        if reached.lines == 0 {
            return Ok(false);
        }
        let first = first_line(&self.ledger)?.map(|line| Hash::of(&line).hex());
        let last = ledger::line_at(&self.ledger, reached.last)?.map(|line| Hash::of(&line).hex());
        Ok(first.as_ref() == Some(&reached.first) && last.as_ref() == Some(&reached.hash))
    }
}

fn unusable(path: &Path, error: &rusqlite::Error) -> ViewError {
    ViewError::Index {
        path: path.to_path_buf(),
        why: error.to_string(),
    }
}

fn write_reached(base: &Connection, reached: &Reached) -> rusqlite::Result<()> {
    let place = |place: Place| format!("{} {}", place.segment, place.offset);
    for (key, value) in [
        ("first", reached.first.clone()),
        ("last", place(reached.last)),
        ("hash", reached.hash.clone()),
        ("next", place(reached.next)),
    ] {
        base.execute("INSERT OR REPLACE INTO meta(key, value) VALUES(?1, ?2)", [key, &value])?;
    }
    Ok(())
}

fn place_of(text: &str) -> Option<Place> {
    let (segment, offset) = text.split_once(' ')?;
    Some(Place {
        segment: segment.parse().ok()?,
        offset: offset.parse().ok()?,
    })
}

/// The first whole line of the ledger.
fn first_line(ledger: &Path) -> Result<Option<Vec<u8>>, ViewError> {
    let Some(mut records) = ledger::show(ledger)? else {
        return Ok(None);
    };
    while let Some(line) = records.read_line().map_err(ViewError::Read)? {
        if let Line::Whole(bytes) = line {
            return Ok(Some(bytes.to_vec()));
        }
    }
    Ok(None)
}

/// Waits until no other program changes the index. Makes the folder where there is none.
fn lock(folder: &Path, ledger: &Path) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let (own, theirs) = (folder.symlink_metadata()?, ledger.metadata()?);
    // A link could lead what is written to another place, and what others can write they could exchange.
    if !own.is_dir() || own.mode() & 0o077 != 0 || own.uid() != theirs.uid() {
        return Err(io::Error::other("its folder is no folder of ours alone (0700)"));
    }
    let path = folder.join("lock");
    if path.is_symlink() {
        return Err(io::Error::other("its lock is a link"));
    }
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)?;
    let from = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(fs::TryLockError::WouldBlock) if from.elapsed() < PATIENCE => std::thread::sleep(STEP),
            Err(fs::TryLockError::WouldBlock) => return Err(io::ErrorKind::TimedOut.into()),
            Err(fs::TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Removes the index, and first of all its journal, which could be taken for that of the next one.
fn discard(path: &Path) -> io::Result<()> {
    let beside = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    for path in [beside("-journal"), beside("-wal"), beside("-shm"), path.to_path_buf()] {
        match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
    }
    Ok(())
}
