//! The layers of policy files, and what they come to together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ledger::Hash;
use policy::{Exception, Written};

use super::compile::{self, Entry};
use super::patch::PatchRules;
use super::{Layer, Mistake, Place, dates, examples, read};
use crate::config::ConfigError;
use crate::{places, trusted};

/// The folder's name in each layer.
const FOLDER: &str = "policies";
/// What the names of policy files end in.
const ENDINGS: &[&str] = &["yml", "yaml", "toml"];
/// Rules of a project (spec V-3406).
const MOST_PROJECT_RULES: usize = 64;

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
    /// Rules in force, in the order in which they are tried.
    pub rules: Vec<Standing>,
    /// Exceptions in force.
    pub exceptions: Vec<Excepted>,
    /// Rules on patches in force.
    pub patches: PatchRules,
    /// What is wrong in the machine's and the person's files.
    pub own_faults: Vec<ConfigError>,
    /// What is wrong in the project's files.
    pub project_faults: Vec<ConfigError>,
    /// The name of all the texts together; empty where there are none.
    pub digest: String,
}

impl PolicySet {
    /// Reads the layers of the machine, below `system`, and of the person, beside `config.toml`.
    #[must_use]
    pub fn own(system: &Path, config: &Path, now: SystemTime) -> Self {
        let mut set = Self::default();
        set.layer(Layer::System, &system.join(FOLDER), now);
        set.layer(Layer::User, &config.join(FOLDER), now);
        set.one_name_each();
        set
    }

    /// Adds the layer of the project around `cwd`. It only adds rules.
    #[must_use]
    pub fn with_project(mut self, cwd: &Path, now: SystemTime) -> Self {
        // Without a repository the folder itself is the project (spec V-3402).
        let root = places::repository(cwd).unwrap_or(cwd);
        let folder = root.join(".tollgate").join(FOLDER);
        let own = core::mem::take(&mut self.own_faults);
        let before = (self.rules.len(), self.patches.len());
        self.layer(Layer::Project, &folder, now);
        if (self.rules.len(), self.patches.len()) != before {
            self.one_name_each();
        }
        self.own_faults = own;
        self
    }

    /// What a judgement needs of it.
    #[must_use]
    pub fn written(&self) -> Written {
        Written {
            rules: self.rules.iter().filter_map(|rule| rule.entry.rule.clone()).collect(),
            exceptions: self.exceptions.iter().map(|one| one.exception.clone()).collect(),
            digest: self.digest.clone(),
        }
    }

    fn layer(&mut self, layer: Layer, folder: &Path, now: SystemTime) {
        let paths = match files(layer, folder) {
            Ok(paths) => paths,
            Err(reason) => return self.fault(layer, ConfigError::of(folder, reason)),
        };
        let before = (self.rules.len(), self.patches.len());
        for path in paths {
            let text = match text(layer, &path) {
                Ok(text) => text,
                Err(reason) => {
                    self.fault(layer, ConfigError::of(&path, reason));
                    continue;
                }
            };
            let names = format!(
                "{}{}\0{}\n",
                self.digest,
                path.display(),
                Hash::of(text.as_bytes()).hex()
            );
            self.digest = Hash::of(names.as_bytes()).hex();
            if let Err(mistake) = self.file(layer, &path, &text, now) {
                self.fault(layer, read::fault(&path, &text, mistake));
            }
        }
        let added = self.rules.len() + self.patches.len() - before.0 - before.1;
        if layer == Layer::Project && added > MOST_PROJECT_RULES {
            self.rules.truncate(before.0);
            self.patches.truncate(before.1);
            let reason = format!("a project may have {MOST_PROJECT_RULES} rules, and this one has more");
            self.fault(layer, ConfigError::of(folder, reason));
        }
    }

    /// Takes all of a file, or nothing of it.
    fn file(&mut self, layer: Layer, path: &Path, text: &str, now: SystemTime) -> Result<(), Mistake> {
        let file = read::read(path, text)?;
        let place = |name: &str| Place {
            layer,
            file: path.to_path_buf(),
            line: read::line_of(text, name),
        };
        let mut patches = PatchRules::default();
        for rule in &file.rules {
            patches.add(rule, place(&rule.id))?;
        }
        let compiled = compile::compile(file, layer)?;
        for entry in &compiled.entries {
            examples::hold(entry)?;
        }
        for (exception, allow) in &compiled.exceptions {
            examples::excused(exception, &allow.positive, &allow.negative)?;
        }
        for (exception, allow) in compiled.exceptions {
            if allow.expires.as_ref().is_none_or(|day| !dates::is_over(day, now)) {
                self.exceptions.push(Excepted {
                    place: place(&allow.pattern),
                    exception,
                    reason: allow.reason,
                    expires: allow.expires,
                });
            }
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
        let rules = self.rules.iter().map(|rule| (rule.entry.id.as_str(), &rule.place));
        for (id, place) in rules.chain(self.patches.places()) {
            if let Some(first) = seen.insert(id, place) {
                let fault = ConfigError {
                    file: place.file.clone(),
                    line: place.line,
                    reason: format!("`{id}`: a rule in `{}` has this name", first.file.display()),
                    hint: "Give one of them another `id`.".into(),
                };
                faults.push((place.layer, fault));
            }
        }
        for (layer, fault) in faults {
            self.fault(layer, fault);
        }
    }
}

/// The files of a layer, by name. No folder is no files.
fn files(layer: Layer, folder: &Path) -> Result<Vec<PathBuf>, String> {
    match layer {
        // Neither `.tollgate` nor the folder in it: a link could lead anywhere (spec V-3403).
        Layer::Project if folder.ancestors().take(2).any(Path::is_symlink) => {
            Err("a project's policies are a folder, and no link to one".into())
        }
        Layer::Project => trusted::files(folder, ENDINGS),
        Layer::System | Layer::User => trusted::own_files(folder, ENDINGS),
    }
}

fn text(layer: Layer, path: &Path) -> Result<String, String> {
    match layer {
        // A link could show what the person may read and the project may not (spec V-3403).
        Layer::Project if path.is_symlink() => Err("it is a link, and a project's file must not be one".into()),
        Layer::Project => trusted::any_text(path),
        Layer::System => trusted::roots(path),
        Layer::User => trusted::file(path)?.ok_or_else(|| "it went away while it was read".into()),
    }
}
