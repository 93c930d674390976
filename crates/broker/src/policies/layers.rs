//! The layers of policy files, and what they come to together.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use ledger::Hash;
use policy::{Exception, Shelf, Written};

use super::cache::Cache;
use super::compile::{self, Entry, Room};
use super::force::Difference;
use super::patch::PatchRules;
use super::{Layer, Mistake, Place, dates, examples, read};
use crate::config::ConfigError;
use crate::{places, trusted};

/// The folder's name in each layer.
const FOLDER: &str = "policies";
/// What the names of policy files end in.
const ENDINGS: &[&str] = &["yml", "yaml", "toml"];

/// A rule that is in force, with its place.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The rule.
    pub entry: Entry,
    /// Where it stands.
    pub place: Place,
}

/// An exception that is in force, with its place.
#[derive(Clone, Debug)]
pub struct Excepted {
    /// The exception.
    pub exception: Exception,
    /// Why, as its author wrote it.
    pub reason: String,
    /// Its last day.
    pub expires: Option<String>,
    /// Where it stands.
    pub place: Place,
}

/// All layers together.
#[derive(Clone, Debug, Default)]
pub struct PolicySet {
    /// Rules in force, in the order in which they are tried; without those that were read before the last change.
    pub rules: Vec<Standing>,
    /// Exceptions in force.
    pub exceptions: Vec<Excepted>,
    /// Rules on patches in force.
    pub patches: PatchRules,
    /// What is wrong in the machine's and the person's files.
    pub own_faults: Vec<ConfigError>,
    /// What is wrong in the project's files.
    pub project_faults: Vec<ConfigError>,
    /// How the files differ from the last set that loaded whole, while they do not count as a whole themselves.
    pub differences: Vec<Difference>,
    /// The name of all the texts together; empty where there are none.
    pub digest: String,
    /// The name of the texts that were read, whatever was put beside them.
    pub(crate) texts: String,
    /// Each of these texts: the file's name and its hash.
    pub(crate) files: Vec<(String, String)>,
    /// What only a trusted project may say: the rule that an exception is from, and where it stands.
    pub(super) loosening: Vec<(String, Place)>,
    /// Exceptions whose day is over.
    pub(super) over: Vec<Excepted>,
    /// Rules that were read before, and come first.
    pub(super) cache: Option<Arc<Cache>>,
}

/// The layers of the machine, below `system`, and of the person, beside `config.toml`.
pub(super) fn own_layers(system: &Path, config: &Path) -> Vec<(Layer, PathBuf)> {
    vec![(Layer::System, system.join(FOLDER)), (Layer::User, config.join(FOLDER))]
}

/// The layer of the project around a folder. Without a repository the folder itself is the project (spec V-3402).
pub(crate) fn project_layers(cwd: &Path) -> Vec<(Layer, PathBuf)> {
    vec![(Layer::Project, project_folder(cwd))]
}

/// Where the policy files of the project around a folder stand, whether there are any or not.
#[must_use]
pub fn project_folder(cwd: &Path) -> PathBuf {
    places::project(cwd).join(".tollgate").join(FOLDER)
}

/// Reads the text of one policy file by itself, as one of a layer. Nothing is in force through it.
///
/// # Errors
/// What is wrong with it.
pub fn alone(layer: Layer, path: &Path, text: &str) -> Result<PolicySet, ConfigError> {
    let mut set = PolicySet::default();
    set.file(layer, path, text, &mut Room::of(layer), SystemTime::now())
        .map_err(|mistake| read::fault(path, text, mistake))?;
    set.one_name_each();
    let faults: Vec<ConfigError> = set.not_trusted().collect();
    set.project_faults.extend(faults);
    match set.own_faults.iter().chain(&set.project_faults).next() {
        None => Ok(set),
        Some(fault) => Err(fault.clone()),
    }
}

impl PolicySet {
    /// Reads the layers of the machine, below `system`, and of the person, beside `config.toml`.
    #[must_use]
    pub fn own(system: &Path, config: &Path, now: SystemTime) -> Self {
        Self::of(&own_layers(system, config), now)
    }

    /// Adds the layer of the project around `cwd`, which nobody trusts. It only adds rules.
    #[must_use]
    pub fn with_project(self, cwd: &Path, now: SystemTime) -> Self {
        self.join(Self::of(&project_layers(cwd), now), false)
    }

    /// Reads the files of some layers.
    pub(crate) fn of(layers: &[(Layer, PathBuf)], now: SystemTime) -> Self {
        let mut set = Self::default();
        for (layer, folder) in layers {
            set.layer(*layer, folder, now);
        }
        set.one_name_each();
        set.texts.clone_from(&set.digest);
        set
    }

    /// Whether a project says what only a trusted one may say.
    pub(crate) const fn loosens(&self) -> bool {
        !self.loosening.is_empty()
    }

    /// Its exceptions, over or not, a line each.
    pub(crate) fn excepts(&self) -> Vec<String> {
        let line = |one: &Excepted| {
            let folder = one.exception.cwd.as_ref().map(|cwd| format!(" in `{cwd}`"));
            let until = one.expires.as_ref().map(|day| format!(" until {day}"));
            format!(
                "`{}` is silent for commands like `{}`{}{} ({})",
                one.exception.suppresses,
                one.exception.pattern.text(),
                folder.unwrap_or_default(),
                until.unwrap_or_default(),
                one.reason,
            )
        };
        self.all_exceptions().map(line).collect()
    }

    /// A fault for all that a project may not say while nobody trusts it.
    fn not_trusted(&self) -> impl Iterator<Item = ConfigError> {
        let from_project = self.loosening.iter().filter(|(_, place)| place.layer == Layer::Project);
        from_project.map(|(rule, place)| ConfigError {
            file: place.file.clone(),
            line: place.line,
            reason: format!("`{rule}`: a project's file may only tighten, and `allow` does not"),
            hint: "Put it into a policy file of your own, or let a person run `tollgate trust` in the repository."
                .into(),
        })
    }

    /// These layers, and behind them that of a project. It takes something away only where it is trusted.
    pub(crate) fn join(mut self, mut project: Self, trusted: bool) -> Self {
        if trusted {
            self.exceptions.append(&mut project.exceptions);
            self.over.append(&mut project.over);
        } else {
            let faults: Vec<ConfigError> = project.not_trusted().collect();
            self.project_faults.extend(faults);
        }
        let twice = |(name, place): (&str, &Place)| Some(same_name(name, place, &self.place_of(name)?));
        let twice: Vec<ConfigError> = project.names().filter_map(twice).collect();
        self.project_faults.extend(project.project_faults);
        self.project_faults.extend(twice);
        self.rules.extend(project.rules);
        self.patches.extend(project.patches);
        self.differences.extend(project.differences);
        if !project.digest.is_empty() {
            let both = format!("{}\n{}", self.digest, project.digest);
            self.digest = Hash::of(both.as_bytes()).hex();
        }
        self
    }

    /// What a judgement needs of it.
    #[must_use]
    pub fn written(&self) -> Written {
        Written {
            shelf: self.cache.clone().map(|cache| cache as Arc<dyn Shelf>),
            rules: self.rules.iter().filter_map(|rule| rule.entry.rule.clone()).collect(),
            exceptions: self.exceptions.iter().map(|one| one.exception.clone()).collect(),
            digest: self.digest.clone(),
        }
    }

    /// Whether nothing is wrong with it.
    pub(super) const fn is_whole(&self) -> bool {
        self.own_faults.is_empty() && self.project_faults.is_empty()
    }

    /// All exceptions, over or not.
    pub(super) fn all_exceptions(&self) -> impl Iterator<Item = &Excepted> {
        self.exceptions.iter().chain(&self.over)
    }

    /// The names of all rules that were read, each with its place.
    fn names(&self) -> impl Iterator<Item = (&str, &Place)> {
        let rules = self.rules.iter().map(|rule| (rule.entry.id.as_str(), &rule.place));
        rules.chain(self.patches.places())
    }

    fn place_of(&self, name: &str) -> Option<Place> {
        let kept = self.cache.as_ref().and_then(|cache| cache.place_of(name));
        kept.or_else(|| {
            self.names()
                .find(|(other, _)| *other == name)
                .map(|(_, place)| place.clone())
        })
    }

    fn layer(&mut self, layer: Layer, folder: &Path, now: SystemTime) {
        let paths = match files(layer, folder) {
            Ok(paths) => paths,
            Err(reason) => return self.fault(layer, ConfigError::of(folder, reason)),
        };
        let mut room = Room::of(layer);
        for path in paths {
            if layer != Layer::Project {
                room = Room::of(layer);
            }
            let text = match open(layer, &path).and_then(trusted::read) {
                Ok(text) => text,
                Err(reason) => {
                    self.fault(layer, ConfigError::of(&path, reason));
                    continue;
                }
            };
            let (name, hash) = (called(layer, folder, &path), Hash::of(text.as_bytes()).hex());
            let names = format!("{}{name}\0{hash}\n", self.digest);
            self.digest = Hash::of(names.as_bytes()).hex();
            self.files.push((name, hash));
            if let Err(mistake) = self.file(layer, &path, &text, &mut room, now) {
                self.fault(layer, read::fault(&path, &text, mistake));
            }
        }
    }

    /// Takes all of a file, or nothing of it.
    fn file(&mut self, layer: Layer, path: &Path, text: &str, room: &mut Room, now: SystemTime) -> Result<(), Mistake> {
        room.text(text)?;
        let mut file = read::read(path, text)?;
        let mut lines = read::Lines::of(text);
        let mut place = |name: &str| Place {
            layer,
            file: path.to_path_buf(),
            line: lines.find(name),
        };
        let (mut patches, rules) = (PatchRules::default(), core::mem::take(&mut file.rules));
        let compiled = compile::compile(file, layer, rules.len(), room)?;
        for rule in &rules {
            patches.add(rule, place(&rule.id), room)?;
        }
        for entry in &compiled.entries {
            examples::hold(entry)?;
        }
        for (exception, allow) in &compiled.exceptions {
            examples::excused(exception, &allow.positive, &allow.negative)?;
        }
        for (exception, allow) in compiled.exceptions {
            let over = allow.expires.as_ref().is_some_and(|day| dates::is_over(day, now));
            let list = if over { &mut self.over } else { &mut self.exceptions };
            let place = place(&allow.pattern);
            self.loosening.push((exception.suppresses.clone(), place.clone()));
            list.push(Excepted {
                place,
                exception,
                reason: allow.reason,
                expires: allow.expires,
            });
        }
        for entry in compiled.entries {
            let place = place(&entry.id);
            self.rules.push(Standing { entry, place });
        }
        self.patches.extend(patches);
        Ok(())
    }

    fn fault(&mut self, layer: Layer, fault: ConfigError) {
        match layer {
            Layer::System | Layer::User => self.own_faults.push(fault),
            Layer::Project => self.project_faults.push(fault),
        }
    }

    /// One name is one rule, over all lists, files and layers (spec M-34). Both stay in force; the set is broken.
    fn one_name_each(&mut self) {
        let mut seen: BTreeMap<&str, &Place> = BTreeMap::new();
        let mut faults = Vec::new();
        for (id, place) in self.names() {
            if let Some(first) = seen.insert(id, place) {
                faults.push((place.layer, same_name(id, place, first)));
            }
        }
        for (layer, fault) in faults {
            self.fault(layer, fault);
        }
    }
}

/// The name under which a text counts: for a project from its root on, by whatever way that is reached.
fn called(layer: Layer, folder: &Path, path: &Path) -> String {
    let root = folder.ancestors().nth(2).filter(|_| layer == Layer::Project);
    let inside = root.and_then(|root| path.strip_prefix(root).ok());
    inside.unwrap_or(path).display().to_string()
}

fn same_name(id: &str, place: &Place, first: &Place) -> ConfigError {
    ConfigError {
        file: place.file.clone(),
        line: place.line,
        reason: format!("`{id}`: a rule in `{}` has this name", first.file.display()),
        hint: "Give one of them another `id`.".into(),
    }
}

/// The files of a layer, by name. No folder is no files.
pub(super) fn files(layer: Layer, folder: &Path) -> Result<Vec<PathBuf>, String> {
    match layer {
        // Neither `.tollgate` nor the folder in it: a link could lead anywhere (spec V-3403).
        Layer::Project if folder.ancestors().take(2).any(Path::is_symlink) => {
            Err("a project's policies are a folder, and no link to one".into())
        }
        Layer::Project => {
            let mut files = trusted::files(folder, ENDINGS)?;
            files.extend(root_file(folder));
            Ok(files)
        }
        Layer::System | Layer::User => trusted::own_files(folder, ENDINGS),
    }
}

/// The one file at the root of a project, which stands beside the folder that holds the others.
fn root_file(folder: &Path) -> Option<PathBuf> {
    let file = folder.parent()?.parent()?.join(".tollgate.toml");
    file.symlink_metadata().is_ok().then_some(file)
}

/// A file of a layer, open, where it is to be trusted.
pub(super) fn open(layer: Layer, path: &Path) -> Result<File, String> {
    // Records and people name files by text.
    if path.file_name().is_some_and(|name| name.to_str().is_none()) {
        return Err("its name is no text".into());
    }
    match layer {
        // A link could show what the person may read and the project may not (spec V-3403).
        Layer::Project if path.is_symlink() => Err("it is a link, and a project's file must not be one".into()),
        Layer::Project => trusted::any(path),
        Layer::System => trusted::roots(path),
        Layer::User => trusted::own(path)?.ok_or_else(|| "it went away while it was read".into()),
    }
}
