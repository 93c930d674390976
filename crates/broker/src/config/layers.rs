//! The layers that settings come in: built-in < system < user < project < environment < flags. A later layer is heard
//! before an earlier one.
//!
//! What came with a clone, and what an agent could have set, may only tighten: the project's file, unless the person trusts
//! it, and the variables.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ledger::Hash;
use policy::{Posture, Settings};

use super::keys::KEYS;
use super::listing::{Setting, lines, rows};
use super::stored::{Keeping, Snapshots, Stored, Word};
use super::{Answers, ConfigError, FILE, Limits, stored, text};
use crate::places::Places;
use crate::trusted;

/// More than a project has to say.
const LARGEST: usize = 64 << 10;

/// Who said what holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nobody: it came with the program.
    BuiltIn,
    /// The machine's administrator, in `/etc/tollgate/config.toml`.
    System,
    /// The person, in `config.toml`.
    User,
    /// The project, in `.tollgate/config.toml`.
    Project,
    /// A variable.
    Environment,
    /// The command line.
    Flags,
}

impl Source {
    /// The word used in every output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::System => "system",
            Self::User => "user",
            Self::Project => "project",
            Self::Environment => "environment",
            Self::Flags => "flags",
        }
    }
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Who said it.
    pub source: Source,
    /// The file, variable or flag; empty for what is built in.
    pub place: PathBuf,
    /// The line of the file, counted from 1.
    pub line: Option<usize>,
}

impl Origin {
    pub(super) const BUILT_IN: Self = Self {
        source: Source::BuiltIn,
        place: PathBuf::new(),
        line: None,
    };
}

/// What one layer says: the keys that it names, each with its line.
#[derive(Debug)]
pub(crate) struct Said {
    source: Source,
    place: PathBuf,
    stored: Stored,
    lines: [Option<usize>; KEYS.len()],
}

impl Said {
    fn of(source: Source, place: PathBuf, text: &str) -> Result<Self, ConfigError> {
        Ok(Self {
            stored: stored(&place, text)?,
            lines: lines(text),
            source,
            place,
        })
    }

    /// One key, said without a file.
    fn one(source: Source, place: &str, key: &str, stored: Stored) -> Self {
        Self {
            source,
            place: place.into(),
            stored,
            lines: KEYS.map(|one| (one.name == key).then_some(0)),
        }
    }
}

/// All keys with their values, and where each comes from.
#[derive(Clone, Debug)]
pub(crate) struct Merged {
    stored: Stored,
    origins: [Origin; KEYS.len()],
}

impl Default for Merged {
    fn default() -> Self {
        Self {
            stored: Stored::default(),
            origins: KEYS.map(|_| Origin::BUILT_IN),
        }
    }
}

impl Merged {
    /// Takes over what a layer says. Keys for which `may` says why not stay as they are.
    fn take(&mut self, said: &Said, may: impl Fn(&super::keys::Key, &Stored) -> Option<String>) -> Vec<ConfigError> {
        let mut refused = Vec::new();
        for ((key, line), origin) in KEYS.iter().zip(said.lines).zip(&mut self.origins) {
            let Some(line) = line else { continue };
            let line = Some(line).filter(|line| *line > 0);
            if let Some(reason) = may(key, &self.stored) {
                refused.push(ConfigError {
                    line,
                    ..ConfigError::of(&said.place, reason)
                });
                continue;
            }
            (key.take)(&mut self.stored, &said.stored);
            *origin = Origin {
                source: said.source,
                place: said.place.clone(),
                line,
            };
        }
        refused
    }

    /// The settings of a judgement, without rules and policy files.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            posture: self.stored.posture.0,
            disabled: self.stored.rules.ids().map(str::to_owned).collect(),
            unprotected: self.stored.paths.globs().map(str::to_owned).collect(),
            ..Settings::default()
        }
    }

    pub(crate) const fn limits(&self) -> Limits {
        self.stored.breaker
    }

    pub(crate) const fn keeping(&self) -> Keeping {
        self.stored.ledger
    }

    pub(crate) const fn answers(&self) -> Answers {
        self.stored.approvals
    }

    pub(crate) const fn snapshots(&self) -> Snapshots {
        self.stored.snapshots
    }

    /// Every key.
    pub(crate) fn rows(&self) -> Vec<Setting> {
        rows(&self.stored, &self.origins)
    }

    /// As strict as a project can say, where it cannot be read what it says.
    fn tightest(mut self, place: &Path) -> Self {
        let said = Said {
            source: Source::Project,
            place: place.to_path_buf(),
            stored: Stored {
                posture: Word(Posture::Strict),
                approvals: Answers {
                    remember: false,
                    wait_seconds: 0,
                },
                ..Stored::default()
            },
            lines: KEYS.map(|key| key.of_projects.then_some(0)),
        };
        let _nothing = self.take(&said, |_, _| None);
        self
    }
}

/// The layers that are the same wherever a request is.
#[derive(Debug, Default)]
pub(crate) struct Layers {
    own: Merged,
    above: Vec<Said>,
    /// Why a layer cannot be read: what it says is not known.
    pub(crate) faults: Vec<ConfigError>,
    /// What is not listened to.
    ignored: Vec<ConfigError>,
}

/// What holds in one place.
#[derive(Clone, Debug)]
pub(crate) struct InForce {
    pub(crate) merged: Merged,
    /// What does not count, and why.
    pub(crate) ignored: Vec<ConfigError>,
    /// What is wrong with the project's file.
    pub(crate) project_faults: Vec<ConfigError>,
}

impl Layers {
    /// Reads the files of the machine and the person, and the variables.
    pub(crate) fn read(places: &Places, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let mut layers = Self::default();
        match system(&places.system) {
            System::None => {}
            System::Foreign(error) => layers.ignored.push(error),
            System::Ours(path, Ok(text)) => layers.file(Source::System, path, &text),
            System::Ours(_, Err(error)) => layers.faults.push(error),
        }
        match text(&places.config) {
            Ok((path, Some(text))) => layers.file(Source::User, path, &text),
            Ok((_, None)) => {}
            Err(error) => layers.faults.push(error),
        }
        for (name, key, of) in VARIABLES {
            match variable(name).filter(|value| !value.is_empty()).map(|value| of(&value)) {
                Some(Ok(stored)) => layers.above.push(Said::one(Source::Environment, name, key, stored)),
                Some(Err(reason)) => layers.faults.push(ConfigError {
                    hint: format!("Unset it, or set it to what `{key}` can be."),
                    ..ConfigError::of(Path::new(name), reason)
                }),
                None => {}
            }
        }
        layers
    }

    fn file(&mut self, source: Source, path: PathBuf, text: &str) {
        match Said::of(source, path, text) {
            Ok(said) => {
                let _all = self.own.take(&said, |_, _| None);
            }
            Err(error) => self.faults.push(error),
        }
    }

    /// The posture that a command line names.
    pub(crate) fn with_posture(&mut self, posture: Posture) {
        let stored = Stored {
            posture: Word(posture),
            ..Stored::default()
        };
        self.above
            .push(Said::one(Source::Flags, "--posture", "posture", stored));
    }

    /// What holds where no project says anything.
    pub(crate) fn anywhere(&self) -> InForce {
        self.topped(self.own.clone(), Vec::new())
    }

    /// What holds in a project that says this; `trusted` is whether it may loosen.
    pub(crate) fn in_project(&self, project: &ProjectFile, trusted: bool) -> InForce {
        match &project.0 {
            None => self.anywhere(),
            Some((path, Err(error))) => self.topped(self.own.clone().tightest(path), vec![error.clone()]),
            Some((path, Ok((said, _)))) => {
                let mut merged = self.own.clone();
                let faults = merged.take(said, |key, is| not_a_projects(key, is, &said.stored, trusted));
                if faults.is_empty() {
                    self.topped(merged, Vec::new())
                } else {
                    let hint =
                        "Take the line away, or let a person run `tollgate trust` where the repository may say so.";
                    let with_hint = |fault| ConfigError {
                        hint: hint.into(),
                        ..fault
                    };
                    let faults = faults.into_iter().map(with_hint).collect();
                    self.topped(self.own.clone().tightest(path), faults)
                }
            }
        }
    }

    /// Whether a project's file says something that only a trusted one may say.
    pub(crate) fn loosened_by(&self, project: &ProjectFile) -> bool {
        let Some((_, Ok((said, _)))) = &project.0 else {
            return false;
        };
        let mut named = KEYS.iter().zip(said.lines).filter(|(_, line)| line.is_some());
        named.any(|(key, _)| !(key.tightens)(&self.own.stored, &said.stored))
    }

    /// Variables and flags come last.
    fn topped(&self, mut merged: Merged, project_faults: Vec<ConfigError>) -> InForce {
        let mut ignored = self.ignored.clone();
        for said in &self.above {
            ignored.extend(merged.take(said, |key, is| {
                let loose = said.source == Source::Environment && !(key.tightens)(is, &said.stored);
                loose.then(|| {
                    format!(
                        "it would loosen `{}`, and a variable may only tighten, so it does not count",
                        key.name
                    )
                })
            }));
        }
        InForce {
            merged,
            ignored,
            project_faults,
        }
    }
}

fn not_a_projects(key: &super::keys::Key, is: &Stored, would: &Stored, trusted: bool) -> Option<String> {
    let name = key.name;
    if !key.of_projects {
        let said = format!("`{name}` is about all that agents do on this machine, and no project's to say");
        return Some(said);
    }
    let loosens = !trusted && !(key.tightens)(is, would);
    loosens.then(|| format!("it would loosen `{name}`, and a project may only tighten"))
}

/// What a variable says.
type Variable = (&'static str, &'static str, fn(&OsString) -> Result<Stored, String>);

/// The variables that are listened to. A repository or an agent can set them, so that they only tighten.
const VARIABLES: [Variable; 2] = [
    ("TOLLGATE_POSTURE", "posture", |value| {
        let word = value.to_string_lossy();
        let posture = Posture::parse(&word).ok_or_else(|| {
            let all = Posture::ALL.map(Posture::as_str).join("`, `");
            format!("it is `{word}`; it can be `{all}`")
        })?;
        Ok(Stored {
            posture: Word(posture),
            ..Stored::default()
        })
    }),
    ("TOLLGATE_APPROVALS_REMEMBER", "approvals.remember", |value| {
        let remember = match value.to_str() {
            Some("true") => true,
            Some("false") => false,
            _ => {
                return Err(format!(
                    "it is `{}`; it can be `true`, `false`",
                    value.to_string_lossy()
                ));
            }
        };
        Ok(Stored {
            approvals: Answers {
                remember,
                ..Answers::default()
            },
            ..Stored::default()
        })
    }),
];

/// The machine's settings file, where there is one and it is root's alone.
enum System {
    None,
    /// It is not the machine's: it is named and not listened to.
    Foreign(ConfigError),
    /// It is, and this stands in it, or why that is not known.
    Ours(PathBuf, Result<String, ConfigError>),
}

fn system(folder: &Path) -> System {
    let path = folder.join(FILE);
    match path.symlink_metadata() {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return System::None,
        _ => {}
    }
    if let Err(reason) = trusted::roots_alone(&path) {
        return System::Foreign(ConfigError {
            hint: "It does not count. Make it root's, mode 0644, in folders of root's, and no link.".into(),
            ..ConfigError::of(&path, reason)
        });
    }
    let text = trusted::roots(&path).and_then(trusted::read);
    let text = text.map_err(|reason| ConfigError::of(&path, reason));
    System::Ours(path, text)
}

/// What a project's own settings file says, if there is one.
#[derive(Debug)]
pub(crate) struct ProjectFile(Option<(PathBuf, Read)>);

/// What stands in a file, with the hash of its text, or why that is not known.
type Read = Result<(Said, Hash), ConfigError>;

impl ProjectFile {
    /// Reads `.tollgate/config.toml` below the root of a project.
    pub(crate) fn read(root: &Path) -> Self {
        let folder = root.join(".tollgate");
        let path = folder.join(FILE);
        match path.symlink_metadata() {
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Self(None),
            _ => {}
        }
        let said = project_text(&folder, &path)
            .map_err(|reason| ConfigError::of(&path, reason))
            .and_then(|text| {
                let hash = Hash::of(text.as_bytes());
                Ok((Said::of(Source::Project, path.clone(), &text)?, hash))
            });
        Self(Some((path, said)))
    }

    /// The name of its text; empty where there is none, or none that can be read.
    pub(crate) fn digest(&self) -> String {
        match &self.0 {
            Some((_, Ok((_, hash)))) => hash.hex(),
            _ => String::new(),
        }
    }

    /// What it says, as lines of the file.
    pub(crate) fn says(&self) -> Vec<String> {
        let Some((_, Ok((said, _)))) = &self.0 else {
            return Vec::new();
        };
        let rows = rows(&said.stored, &KEYS.map(|_| Origin::BUILT_IN));
        let named = rows.into_iter().zip(said.lines).filter(|(_, line)| line.is_some());
        named.map(|(row, _)| format!("{} = {}", row.key, row.value)).collect()
    }
}

fn project_text(folder: &Path, path: &Path) -> Result<String, String> {
    // A link could show what the person may read and the project may not (spec V-3403).
    if folder.is_symlink() || path.is_symlink() {
        return Err("it is a link, and a project's file must not be one".into());
    }
    let text = trusted::read(trusted::any(path)?)?;
    if text.len() > LARGEST {
        return Err(format!("it is larger than {} KiB", LARGEST >> 10));
    }
    Ok(text)
}
