//! Repositories that a person trusts, each for what its files say now.
//!
//! What came with a clone may only tighten. A person who has read it can let it loosen too; that holds for these very bytes
//! in this very folder, and is kept in the state folder, sealed with the machine's secret. Any other byte ends it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ledger::{Event, Hash};
use serde::{Deserialize, Serialize};

use crate::answers::Refused;
use crate::approvals::{Secret, StoreError};
use crate::config::{ConfigError, ProjectFile};
use crate::decide::Broker;
use crate::error::Error;
use crate::moment::Moment;
use crate::people::Person;
use crate::policies::PolicySet;
use crate::secret::{known_secret, machine_secret};
use crate::{files, note, places};

/// The folder's name in the state folder.
const FOLDER: &str = "trust";
/// The format of what is stored.
const FORMAT: u32 = 1;
/// The name of a project's settings, as policy files are named.
const CONFIG: &str = ".tollgate/config.toml";

/// What came with a repository, as it was read at one moment.
#[derive(Clone, Debug)]
pub struct Project {
    /// Its root, with links followed.
    pub root: PathBuf,
    /// What only a trusted repository may say, and every setting that it names, a line each.
    pub says: Vec<String>,
    /// Whether any of that needs trust.
    pub loosens: bool,
    /// What is wrong in its files beside that.
    pub faults: Vec<ConfigError>,
    identity: (u64, u64),
    policies: String,
    config: String,
    files: BTreeMap<String, String>,
}

/// A repository that a person trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trusted {
    v: u32,
    /// The root.
    pub root: String,
    identity: (u64, u64),
    policies: String,
    config: String,
    files: BTreeMap<String, String>,
    says: Vec<String>,
    /// When.
    pub at: Moment,
    /// At which terminal.
    pub by: String,
    mac: String,
}

/// Whether trust still fits what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fits {
    /// It does.
    Yes,
    /// The folder is gone, or another one stands there.
    Gone,
    /// Something changed since, a sentence each; until it is trusted anew, the repository may only tighten.
    Changed(Vec<String>),
}

/// Whether a project with these texts is trusted. Nothing that cannot be read is.
pub(crate) fn fits(state: &Path, root: &Path, policies: &str, config: &str) -> bool {
    let fits = || {
        let (real, identity) = real(root)?;
        let trusted = read(state, &real)?;
        Some(trusted.identity == identity && trusted.policies == policies && trusted.config == config)
    };
    fits().unwrap_or_default()
}

/// The folder by its real name, with device and inode.
fn real(root: &Path) -> Option<(PathBuf, (u64, u64))> {
    let real = root.canonicalize().ok()?;
    let meta = fs::symlink_metadata(&real).ok()?;
    Some((real, (meta.dev(), meta.ino())))
}

fn path(state: &Path, root: &Path) -> PathBuf {
    let name = Hash::of(root.as_os_str().as_encoded_bytes()).hex();
    state.join(FOLDER).join(format!("{name}.json"))
}

/// What is stored of a root, if it is as it was written.
fn read(state: &Path, root: &Path) -> Option<Trusted> {
    let text = files::text(&path(state, root)).ok()?;
    let stored: Trusted = serde_json::from_str(&text).ok()?;
    let mac = stored.mac.clone();
    let unsigned = Trusted {
        mac: String::new(),
        ..stored
    };
    let secret = Secret::new(known_secret(state).ok()??);
    let genuine = unsigned.v == FORMAT
        && Path::new(&unsigned.root) == root
        && secret.signed(&serde_json::to_vec(&unsigned).ok()?, &mac);
    genuine.then_some(Trusted { mac, ..unsigned })
}

fn write(state: &Path, trusted: &Trusted) -> Result<(), StoreError> {
    let secret = Secret::new(machine_secret(state)?);
    let text = |trusted: &Trusted| serde_json::to_vec(trusted).map_err(|e| StoreError::Io(e.into()));
    let signed = Trusted {
        mac: secret.sign(&text(trusted)?),
        ..trusted.clone()
    };
    let lock = files::lock(&state.join(FOLDER))?;
    let path = path(state, Path::new(&trusted.root));
    Ok(files::replace(&lock, &path, &text(&signed)?)?)
}

impl Broker {
    /// The project around a folder, read anew. `None` where the folder is not there.
    #[must_use]
    pub fn project(&self, cwd: &Path) -> Option<Project> {
        let (root, identity) = real(places::project(cwd))?;
        let set = PolicySet::of(&crate::policies::project_layers(&root), SystemTime::now());
        let file = ProjectFile::read(&root);
        let mut files: BTreeMap<String, String> = set.files.iter().cloned().collect();
        if !file.digest().is_empty() {
            files.insert(CONFIG.into(), file.digest());
        }
        let mut faults = set.project_faults.clone();
        faults.extend(self.layers.in_project(&file, true).project_faults);
        let mut says = set.excepts();
        says.extend(file.says().into_iter().map(|line| format!("{CONFIG}: {line}")));
        Some(Project {
            loosens: set.loosens() || self.layers.loosened_by(&file),
            says,
            faults,
            identity,
            policies: set.texts,
            config: file.digest(),
            files,
            root,
        })
    }

    /// What is known of a project's trust, and whether it still fits. `None` where nobody trusted it.
    #[must_use]
    pub fn trust_of(&self, project: &Project) -> Option<(Trusted, Fits)> {
        let trusted = read(&self.places().state, &project.root)?;
        let fits = trusted.fits(project);
        Some((trusted, fits))
    }

    /// Every repository that a person trusted, by its root, and whether the trust still fits.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn all_trusted(&self) -> Result<Vec<(Trusted, Fits)>, StoreError> {
        let state = &self.places().state;
        let stored = files::paths(&state.join(FOLDER))?;
        let roots = stored.iter().filter_map(|path| {
            let named: Trusted = serde_json::from_str(&files::text(path).ok()?).ok()?;
            read(state, Path::new(&named.root)).filter(|_| self::path(state, Path::new(&named.root)) == *path)
        });
        let mut all: Vec<Trusted> = roots.collect();
        all.sort_by(|a, b| a.root.cmp(&b.root));
        let fits = |trusted: Trusted| {
            let project = self.project(Path::new(&trusted.root));
            let fits = project.map_or(Fits::Gone, |project| trusted.fits(&project));
            (trusted, fits)
        };
        Ok(all.into_iter().map(fits).collect())
    }

    /// Trusts a project for what was read of it, and records that first.
    ///
    /// # Errors
    /// When it cannot be recorded or kept.
    pub fn trust(&self, person: &Person, project: &Project) -> Result<(), Refused> {
        let root = project.root.to_str().ok_or(StoreError::NotOffered(
            "a repository whose path is no text cannot be trusted",
        ))?;
        let trusted = Trusted {
            v: FORMAT,
            root: root.to_owned(),
            identity: project.identity,
            policies: project.policies.clone(),
            config: project.config.clone(),
            files: project.files.clone(),
            says: project.says.clone(),
            at: Moment::now(),
            by: person.terminal().into(),
            mac: String::new(),
        };
        let digest = Hash::of(format!("{}\n{}", trusted.policies, trusted.config).as_bytes()).hex();
        let text = format!("`{root}` is trusted for {digest} at {}", person.terminal());
        self.record_trust(&text)?;
        Ok(write(&self.places().state, &trusted)?)
    }

    /// Takes trust back; false where there was none. `root` is the repository's path, which may be gone.
    ///
    /// # Errors
    /// When an agent tries it, or it cannot be recorded or kept.
    pub fn distrust(&self, root: &Path) -> Result<bool, Refused> {
        self.no_agent("take trust back")?;
        let state = &self.places().state;
        let path = path(state, root);
        if path.symlink_metadata().is_err() {
            return Ok(false);
        }
        self.record_trust(&format!("`{}` is not trusted any more", root.display()))?;
        let _lock = files::lock(&state.join(FOLDER)).map_err(StoreError::from)?;
        fs::remove_file(path).map_err(StoreError::from)?;
        Ok(true)
    }

    fn record_trust(&self, text: &str) -> Result<(), Refused> {
        let record = note::remark(Event::Trust, text, self.settings());
        let recorded = self.ledger().append(&record);
        recorded.map(drop).map_err(|e| Refused::Record(Error::from(e)))
    }
}

impl Trusted {
    fn fits(&self, project: &Project) -> Fits {
        if self.identity != project.identity {
            return Fits::Gone;
        }
        if self.policies == project.policies && self.config == project.config {
            return Fits::Yes;
        }
        Fits::Changed(self.changes(project))
    }

    /// What changed since a project was trusted: its files, and what only a trusted one may say.
    fn changes(&self, project: &Project) -> Vec<String> {
        let mut changes = Vec::new();
        for (name, hash) in &project.files {
            match self.files.get(name) {
                None => changes.push(format!("`{name}` is new")),
                Some(before) if before != hash => changes.push(format!("`{name}` changed")),
                Some(_) => {}
            }
        }
        let gone = self.files.keys().filter(|name| !project.files.contains_key(*name));
        changes.extend(gone.map(|name| format!("`{name}` is gone")));
        let added = project.says.iter().filter(|line| !self.says.contains(line));
        changes.extend(added.map(|line| format!("it says now: {line}")));
        let taken = self.says.iter().filter(|line| !project.says.contains(line));
        changes.extend(taken.map(|line| format!("it no longer says: {line}")));
        changes
    }
}
