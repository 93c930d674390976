//! Packages that a command installs: what is said of each, and what the files of the project know of it (spec F-1503). Nothing
//! is asked of a registry.

use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::roles::Context;
use super::{Eval, Labels, Value};
use crate::effect::Tags;
use crate::packages::{self, Named};
use crate::{Act, Answer, FileKind, Target, facts, places};

/// Packages of one judgement that are looked for in the files of the project.
const MOST: usize = 8;
/// What it costs, in bytes that are looked at, to hold a name against all that are well known.
const NAMES: usize = 2048;
/// Folders above that are looked through for them.
const MAX_ABOVE: usize = 8;

/// What a project says about its packages: the folder, and the texts of its manifests and lock files.
#[derive(Debug)]
pub(super) struct Listing {
    registry: &'static str,
    cwd: String,
    dir: String,
    texts: Vec<String>,
}

impl Eval<'_> {
    /// A word that names a package of a registry.
    pub(super) fn package(&mut self, registry: &'static str, value: &Value, context: &Context) -> Labels {
        let Some(named) = value.known().and_then(packages::read) else {
            return value.labels;
        };
        self.spend_bytes(NAMES);
        let mut tags = context.tags.clone();
        tags.add(registry);
        if named.is_pinned() {
            tags.add("pinned");
        }
        self.look_up(registry, &named, &mut tags);
        let program = context.program;
        if let Some(known) = named.near(registry).filter(|_| !tags.has("listed")) {
            let target = Target::Text(alloc::format!("{}, which is not {known}", named.name));
            self.effect(
                Act::Do,
                "install.look-alike",
                target,
                Tags::default(),
                program,
                value.span,
            );
        }
        let target = Target::Text(value.known().unwrap_or_default().to_string());
        self.effect(Act::Do, "install.package", target, tags, program, value.span);
        value.labels
    }

    /// What the project knows of a package: `listed`, `has-scripts`, `no-scripts`.
    fn look_up(&mut self, registry: &'static str, named: &Named, tags: &mut Tags) {
        let Some(listing) = self.listing(registry) else { return };
        let name = named.name.as_str();
        if listing.texts.iter().any(|text| mentions(text, name)) {
            tags.add("listed");
        }
        if registry != "npm" {
            return;
        }
        let bin = alloc::format!("{}/node_modules/.bin/{name}", listing.dir);
        if !name.contains('/') && self.world.kind(&bin) == Answer::Known(FileKind::File) {
            tags.add("listed");
        }
        let installed = alloc::format!("{}/node_modules/{name}/package.json", listing.dir);
        let scripts = match self.world.read(&installed) {
            Answer::Known(contents) => contents.text.as_deref().and_then(has_scripts),
            Answer::Absent | Answer::Unknown => listing.texts.iter().find_map(|text| locked_scripts(text, name)),
        };
        match scripts {
            Some(true) => tags.add("has-scripts"),
            Some(false) => tags.add("no-scripts"),
            None => {}
        }
    }

    /// The manifest of the project around the present folder, and its lock file.
    fn listing(&mut self, registry: &'static str) -> Option<Rc<Listing>> {
        let cwd = self.state.cwd.clone()?;
        let known = |listing: &&Rc<Listing>| listing.registry == registry && listing.cwd == cwd;
        if let Some(found) = self.listings.iter().find(known) {
            return Some(Rc::clone(found));
        }
        if self.listings.len() >= MOST {
            return None;
        }
        let listing = Rc::new(self.read_listing(registry, cwd));
        self.listings.push(Rc::clone(&listing));
        Some(listing)
    }

    fn read_listing(&self, registry: &'static str, cwd: String) -> Listing {
        let rows = facts::settings("package-files").iter();
        let names = rows.filter(|(of, _)| *of == registry).flat_map(|(_, role)| role.tags);
        let names: Vec<&str> = names.copied().collect();
        let mut dir = cwd.clone();
        let mut texts = Vec::new();
        for _ in 0..MAX_ABOVE {
            texts = names
                .iter()
                .filter_map(|name| self.text_of(&places::clean(name, &dir)))
                .collect();
            let above = dir.rsplit_once('/').map(|(above, _)| above.to_string());
            match above {
                Some(above) if texts.is_empty() && dir != self.workspace && places::within(&dir, &self.workspace) => {
                    dir = above;
                }
                _ => break,
            }
        }
        if texts.is_empty() {
            dir.clone_from(&cwd);
        }
        Listing {
            registry,
            cwd,
            dir,
            texts,
        }
    }

    fn text_of(&self, path: &str) -> Option<String> {
        match self.world.read(path) {
            Answer::Known(contents) => contents.text,
            Answer::Absent | Answer::Unknown => None,
        }
    }
}

/// Whether a manifest or lock file names a package: not as a part of another name.
fn mentions(text: &str, name: &str) -> bool {
    let goes_on = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let whole = |(at, _): (usize, &str)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|t| t.chars().next());
        !before.is_some_and(|c| goes_on(c) || c == '.') && !after.is_some_and(goes_on)
    };
    text.match_indices(name).any(whole)
}

/// Whether a package that is installed has scripts that run when it is.
fn has_scripts(text: &str) -> Option<bool> {
    let whole: serde_json::Value = serde_json::from_str(text).ok()?;
    let runs = |name: &&str| whole.get("scripts").is_some_and(|scripts| scripts.get(name).is_some());
    Some(["preinstall", "install", "postinstall"].iter().any(runs))
}

/// The same from npm's lock file, which has a paragraph for each package.
fn locked_scripts(text: &str, name: &str) -> Option<bool> {
    let head = alloc::format!("\"node_modules/{name}\": {{");
    let (_, rest) = text.split_once(&head)?;
    let paragraph = rest.split("\"node_modules/").next().unwrap_or_default();
    Some(paragraph.contains("\"hasInstallScript\": true"))
}
