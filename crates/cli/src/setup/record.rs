//! What install wrote and what stood there before, so that uninstall can put back the very bytes.

use std::fs;
use std::path::{Path, PathBuf};

use agents::Agent;
use ledger::Hash;
use serde::{Deserialize, Serialize};

use crate::exit::{Exit, Fault};
use crate::setup::{files, own};

/// The record of an installation: `installed.toml` in the data folder, with former contents in `before/` beside it.
#[derive(Debug)]
pub(crate) struct Record {
    data: PathBuf,
    list: List,
}

#[derive(Debug, Deserialize, Serialize)]
struct List {
    format: u32,
    #[serde(default, rename = "file")]
    files: Vec<Written>,
}

/// One file that install wrote.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Written {
    /// For which agent.
    agent: String,
    /// Its real path.
    pub(crate) path: PathBuf,
    /// The hash of what stood there before; absent where there was no file.
    before: Option<String>,
    /// The hash of what install wrote.
    after: String,
    /// The folders that were made for it, outermost first.
    #[serde(default)]
    folders: Vec<PathBuf>,
}

impl Record {
    /// Reads the record; without a file there is an empty one.
    pub(crate) fn load(data: &Path) -> Result<Self, Fault> {
        let path = data.join("installed.toml");
        let list = match files::read_text(&path)? {
            None => List {
                format: 1,
                files: Vec::new(),
            },
            Some(text) => toml::from_str(&text).map_err(|e| broken(&path, e.message()))?,
        };
        if list.format != 1 {
            return Err(broken(&path, "a newer Tollgate wrote it"));
        }
        Ok(Self {
            data: data.to_path_buf(),
            list,
        })
    }

    /// Files that were written for an agent.
    pub(crate) fn files(&self, agent: Agent) -> Vec<Written> {
        self.list
            .files
            .iter()
            .filter(|file| file.agent == agent.as_str())
            .cloned()
            .collect()
    }

    /// The folders that were made for a file, outermost first.
    pub(crate) fn folders(&self, path: &Path) -> Vec<PathBuf> {
        self.list
            .files
            .iter()
            .find(|file| file.path == path)
            .map(|file| file.folders.clone())
            .unwrap_or_default()
    }

    /// Whether nothing is installed any more.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.files.is_empty()
    }

    /// What stood in a file before install, if nobody has changed it since: `Some(None)` where there was no file.
    pub(crate) fn before(&self, path: &Path, now: &[u8]) -> Result<Option<Option<Vec<u8>>>, Fault> {
        let Some(file) = self.list.files.iter().find(|file| file.path == path) else {
            return Ok(None);
        };
        if file.after != Hash::of(now).hex() {
            return Ok(None);
        }
        let Some(hash) = &file.before else {
            return Ok(Some(None));
        };
        let kept = files::read(&self.kept(hash))?.filter(|bytes| Hash::of(bytes).hex() == *hash);
        Ok(kept.map(Some))
    }

    /// Keeps a file of ours that somebody has changed since, before it is written over or removed. Says where; `None` where it
    /// holds what install wrote.
    pub(crate) fn keep_changed(&self, path: &Path, text: &str) -> Result<Option<PathBuf>, Fault> {
        let hash = Hash::of(text.as_bytes()).hex();
        let known = self
            .list
            .files
            .iter()
            .any(|file| file.path == path && file.after == hash);
        if known || !own::is_ours(text) {
            return Ok(None);
        }
        let kept = self.kept(&hash);
        files::make_folder(&self.data.join("before"))?;
        files::replace(&kept, files::read(&kept)?.as_deref(), text.as_bytes(), 0o600)?;
        Ok(Some(kept))
    }

    /// Notes that `after` is about to be written where `before` stood, and keeps `before`. Says where that is.
    pub(crate) fn note(
        &mut self,
        agent: Agent,
        path: &Path,
        before: Option<&[u8]>,
        after: &[u8],
        folders: Vec<PathBuf>,
    ) -> Result<Option<PathBuf>, Fault> {
        let known = self
            .list
            .files
            .iter()
            .find(|file| file.path == path)
            .map(|file| file.folders.clone());
        let written = Written {
            agent: agent.as_str().to_owned(),
            path: path.to_path_buf(),
            before: before.map(|bytes| Hash::of(bytes).hex()),
            after: Hash::of(after).hex(),
            folders: known.filter(|known| !known.is_empty()).unwrap_or(folders),
        };
        let kept = written.before.as_ref().map(|hash| self.kept(hash));
        if let (Some(bytes), Some(kept)) = (before, &kept) {
            files::make_folder(&self.data.join("before"))?;
            files::replace(kept, files::read(kept)?.as_deref(), bytes, 0o600)?;
        }
        self.list.files.retain(|file| file.path != path);
        self.list.files.push(written);
        self.save()?;
        Ok(kept)
    }

    /// Forgets a file that was put back, and what stood there: former settings may hold keys.
    pub(crate) fn forget(&mut self, path: &Path) -> Result<(), Fault> {
        let gone = self
            .list
            .files
            .iter()
            .find(|file| file.path == path)
            .and_then(|file| file.before.clone());
        self.list.files.retain(|file| file.path != path);
        let needed = |hash: &String| self.list.files.iter().any(|file| file.before.as_ref() == Some(hash));
        if let Some(hash) = gone.filter(|hash| !needed(hash)) {
            let _absent = fs::remove_file(self.kept(&hash));
        }
        self.save()
    }

    /// Where a former content is kept.
    fn kept(&self, hash: &str) -> PathBuf {
        self.data.join("before").join(hash)
    }

    fn save(&self) -> Result<(), Fault> {
        let path = self.data.join("installed.toml");
        let text = toml::to_string(&self.list)
            .map_err(|e| Fault::new(Exit::Failed, format!("Cannot write the record: {e}.")))?;
        files::replace(&path, files::read(&path)?.as_deref(), text.as_bytes(), 0o600)
    }
}

fn broken(path: &Path, why: &str) -> Fault {
    Fault::new(Exit::Data, format!("`{}` cannot be read: {why}.", path.display()))
        .hint("Move it away; uninstall then takes out the entry and leaves the rest of the file as it is.")
}
