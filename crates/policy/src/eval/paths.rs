//! Paths: what a word names, where that is, and what is done to it.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Eval, Labels, Piece, UNKNOWN, Value};
use crate::effect::Tags;
use crate::places;
use crate::{Act, Answer, FileKind, Loss, Target};

/// Paths whose labels are remembered.
const MAX_LABELLED: usize = 512;
/// Files that nobody deletes one by one.
const MANY: usize = 5;

/// Labels of paths, each in a place that follows from the path: the last one that belongs there is kept.
#[derive(Debug, Default)]
pub(super) struct Labelled(Vec<(String, Tags)>);

impl Labelled {
    fn get(&self, path: &str) -> Option<&Tags> {
        let (known, tags) = self.0.get(Self::place(path))?;
        (known == path).then_some(tags)
    }

    fn insert(&mut self, path: &str, tags: Tags) {
        if self.0.is_empty() {
            self.0.resize_with(MAX_LABELLED, Default::default);
        }
        if let Some(slot) = self.0.get_mut(Self::place(path)) {
            path.clone_into(&mut slot.0);
            slot.1 = tags;
        }
    }

    fn place(path: &str) -> usize {
        let hash = super::memo::hash(path);
        usize::try_from((hash ^ (hash >> 32)) & 0xffff).unwrap_or_default() % MAX_LABELLED
    }
}

impl Eval<'_> {
    /// An effect on a path, with the labels of its place; they are given back, too.
    pub(crate) fn path_effect(
        &mut self,
        act: Act,
        what: &'static str,
        value: &Value,
        mut tags: Tags,
        program: &str,
    ) -> Tags {
        // An empty name is no file, and not the directory that one is in.
        if value.known() == Some("") {
            return tags;
        }
        // A link is made where its name is, and not where a link of that name leads.
        let target = match tags.has("link") && !tags.has("through") {
            true => self.beside_links(value),
            false => self.resolve(value),
        };
        if !self.state.mounts.is_empty()
            && let Target::Path(named) = self.pointed_at(value)
            && self.behind_mounts(&named).is_some()
        {
            tags.add("mounted");
        }
        let mut loss = Loss::default();
        match &target {
            Target::Path(path) => {
                // A pattern is compared with the whole table.
                let wild = places::is_wild(path) && self.labelled.borrow().get(path).is_none();
                if !self.spend(if wild { 10 } else { 1 }, value.span) {
                    return tags;
                }
                // A search also hands on what lies behind the link that it starts from.
                let searched = self.marks.iter().any(|mark| mark.label == "searched");
                match tags.has("itself") && act == Act::Delete && !searched && is_by_name(path, value) {
                    true => self.label_links(path, value, &mut tags),
                    false => self.label_all(path, value, &mut tags),
                }
                if act == Act::Write && self.is_directory(path, value) {
                    // What is written gets a name of its own below it.
                    self.label(&alloc::format!("{path}/{UNKNOWN}"), &mut tags);
                }
                if let Some(physical) = self.physical(value).filter(|p| p != path) {
                    self.label(&physical, &mut tags);
                }
                if matches!(act, Act::Write | Act::Delete) {
                    self.label_as_linked(path, &mut tags);
                }
                if path.contains(UNKNOWN) {
                    tags.add("unknown-part");
                }
                if act == Act::Delete {
                    if let Some(label) = self.takes_many(path, value) {
                        tags.add(label);
                    }
                    loss = self.only_copy(path, value, &mut tags);
                    if tags.has("recursive") && tags.has("outside") && self.is_meant_elsewhere(path, value) {
                        tags.add("absent");
                    }
                }
                if act == Act::Write
                    && let Some(label) = self.empties(path, value, &tags)
                {
                    tags.add(label);
                    loss = self.only_copy(path, value, &mut tags);
                }
            }
            Target::Unknown(_) => {
                tags.add("unknown-target");
                if act == Act::Delete {
                    self.label_anything_here(&mut tags);
                }
                // What is known of it may still name a special file: `$d/.ssh/id_rsa`.
                let tail = value.pattern();
                let tail = tail.trim_start_matches(|c| c != '/');
                // An unset variable is empty, and then the rest is the root: `rm -rf $d/*`.
                let empty_prefix = value.pattern().starts_with(UNKNOWN) && value.labels.has(Labels::VARIABLE);
                if empty_prefix && tail.starts_with('/') && !tail.contains(UNKNOWN) {
                    let mut root_tags = Tags::default();
                    self.label(&places::clean(tail, "/"), &mut root_tags);
                    if ["root", "system-dir", "home"].iter().any(|t| root_tags.has(t)) {
                        tags.add("root-if-unset");
                    }
                }
                if tail.len() > 1 {
                    let mut tail_tags = Tags::default();
                    self.label(&places::clean(&alloc::format!("/{UNKNOWN}{tail}"), "/"), &mut tail_tags);
                    tail_tags
                        .iter()
                        .filter(|t| !matches!(*t, "root" | "outside"))
                        .for_each(|t| tags.add(t));
                }
            }
            _ => {}
        }
        for label in value.labels.names() {
            tags.add(label);
        }
        let target = display_path(target);
        self.effect_with(act, what, target, &mut tags, program, value.span, loss);
        tags
    }

    /// Whether what is emptied is all that lies in a folder (`empties-all`): a search without a filter stands for the place
    /// that it starts from, and `*` for the project; or several files that a pattern or a search stands for (`empties-many`).
    fn empties(&self, path: &str, value: &Value, tags: &Tags) -> Option<&'static str> {
        if tags.has("append") || !["truncate", "rewrite"].iter().any(|t| tags.has(t)) {
            return None;
        }
        let listed = value.labels.has(Labels::ALL_FOUND);
        let found = listed || self.marks.iter().any(|mark| mark.label == "unfiltered");
        let whole = ["root", "home", "workspace-root", "above-workspace", "system-dir"];
        let place = if listed { all_of(path) } else { path };
        let is_whole = whole.iter().any(|tag| tags.has(tag)) || listed && tags.has("workspace-all");
        if found && (self.is_directory(place, value) || is_whole)
            || tags.has("workspace-all") && !value.labels.has(Labels::FOUND)
        {
            return Some("empties-all");
        }
        let outside = self.takes_many(path, value) == Some("many");
        let inside =
            || places::within(path, &self.workspace) && self.matches(value).is_some_and(|names| names.len() > 1);
        (outside || inside()).then_some("empties-many")
    }

    /// A name that is not known is any name in the folder that the text is in: of a home or a system's folder that is said.
    fn label_anything_here(&self, tags: &mut Tags) {
        let Some(cwd) = self.state.cwd.as_deref() else { return };
        let mut here = Tags::default();
        self.label(cwd, &mut here);
        if ["root", "home", "system-dir", "above-workspace"]
            .iter()
            .any(|t| here.has(t))
        {
            self.label(&places::clean(&UNKNOWN.to_string(), cwd), tags);
        }
    }

    /// What a pattern outside of the project stands for, if that is much: `many` files, or what a `cache` holds.
    fn takes_many(&self, path: &str, value: &Value) -> Option<&'static str> {
        let several = value.has_glob() || value.labels.has(Labels::FOUND) && path.ends_with("/*");
        let (dir, last) = path.rsplit_once('/').filter(|_| several)?;
        if places::within(path, &self.workspace) {
            return None;
        }
        let mut around = Tags::default();
        self.label(dir, &mut around);
        let many = || self.matches(value).is_none_or(|names| names.len() >= MANY);
        match around.has("cache") {
            true => Some("cache"),
            false => (places::everything(last) || many()).then_some("many"),
        }
    }

    /// Adds the labels of a path. What a pattern could mean is looked for in the whole table, and the same paths come
    /// again and again, so they are remembered.
    pub(super) fn label(&self, path: &str, tags: &mut Tags) {
        if let Some(known) = self.labelled.borrow().get(path) {
            return known.iter().for_each(|tag| tags.add(tag));
        }
        let mut found = Tags::default();
        places::label(path, &self.workspace, self.world, &mut found);
        found.iter().for_each(|tag| tags.add(tag));
        self.labelled.borrow_mut().insert(path, found);
    }

    /// The labels of a path; of a pattern inside the project those of the names that it stands for there.
    fn label_all(&self, path: &str, value: &Value, tags: &mut Tags) {
        let inside = value.has_glob() && places::within(path, &self.workspace);
        let names = if inside { self.matches(value) } else { None };
        let Some(names) = names.filter(|names| !names.is_empty() || self.can_be_listed(path)) else {
            return self.label(path, tags);
        };
        places::place(path, &self.workspace, self.world, tags);
        for name in &names {
            self.label(name, tags);
            // A link leads elsewhere.
            if let Answer::Known(real) = self.world.real_path(name)
                && real != *name
            {
                self.label(&real, tags);
            }
        }
    }

    /// The labels of what is taken away by its name: of a link that stands there the link is, and not what it leads to.
    fn label_links(&self, path: &str, value: &Value, tags: &mut Tags) {
        let names = match value.has_glob() {
            true => self.matches(value).filter(|names| !names.is_empty()),
            false => Some(alloc::vec![path.to_string()]),
        };
        let known = names.filter(|names| !names.iter().any(|name| places::is_wild(name)));
        let Some(names) = known.filter(|names| names.iter().any(|name| self.link_at(name).is_some())) else {
            return self.label_all(path, value, tags);
        };
        if value.has_glob() {
            places::place(path, &self.workspace, self.world, tags);
        }
        for name in names {
            match self.link_at(&name) {
                Some(at) => [&name, &at].iter().for_each(|path| {
                    places::label_as_named(path, &self.workspace, self.world, tags);
                }),
                None => self.label(&name, tags),
            }
        }
    }

    /// Where a link stands, with the folders on the way to it followed, if the path names one.
    fn link_at(&self, path: &str) -> Option<String> {
        let (dir, name) = path.rsplit_once('/').filter(|(dir, _)| !dir.is_empty())?;
        let (Answer::Known(real), Answer::Known(folder)) = (self.world.real_path(path), self.world.real_path(dir))
        else {
            return None;
        };
        let at = places::clean(name, &folder);
        (real != at).then_some(at)
    }

    /// Whether the folder of a pattern's first open part is there to be looked into, so that no match means that there is none.
    fn can_be_listed(&self, path: &str) -> bool {
        let open = path.find(['*', '?', '[']).and_then(|at| path.get(..at)).unwrap_or(path);
        let dir = open.rsplit_once('/').map_or("/", |(dir, _)| dir);
        matches!(self.world.list(dir), Answer::Known(_))
    }

    /// What a path stands for after the links that the text itself has made.
    fn behind_links(&self, mut path: String) -> String {
        for _ in 0..8 {
            let hit = self.state.links.iter().find(|(link, _)| places::within(&path, link));
            let Some((link, target)) = hit else { break };
            let rest = path.get(link.len()..).unwrap_or_default();
            path = places::clean(&alloc::format!("{target}{rest}"), "/");
        }
        path
    }

    /// The absolute path of a name itself: only the folders on the way to it are followed.
    fn beside_links(&self, value: &Value) -> Target {
        match self.pointed_at(value) {
            Target::Path(path) => match path.rsplit_once('/') {
                Some((dir, name)) if !dir.is_empty() => {
                    let dir = self.behind_mounts(dir).unwrap_or_else(|| dir.to_string());
                    Target::Path(places::clean(name, &self.behind_links(dir)))
                }
                _ => Target::Path(path),
            },
            other => other,
        }
    }

    /// `ln -s target link`, `mount --bind target link`
    pub(super) fn link(&mut self, target: &Value, link: &Value) {
        let (Target::Path(target), Target::Path(mut link_path)) = (self.resolve(target), self.resolve(link)) else {
            return;
        };
        if self.is_directory(&link_path, link) {
            let name = target.rsplit('/').next().unwrap_or_default();
            link_path = places::clean(name, &link_path);
        }
        if target != link_path && self.state.links.len() < 64 {
            self.state.links.insert(link_path, target);
        }
    }

    /// A link to what is called as a program is that program under another name.
    pub(super) fn link_to_program(&mut self, target: &Value, link: &Value) {
        let Target::Path(path) = self.resolve(target) else {
            return;
        };
        let name = path.rsplit('/').next().unwrap_or_default().to_string();
        if let Target::Path(place) = self.pointed_at(link)
            && self.world.program(&name).is_some()
        {
            self.state.renamed.insert(place, name);
        }
    }

    /// The name of the program that a path is a copy of, or a link to.
    pub(super) fn renamed(&self, value: &Value) -> Option<String> {
        let Target::Path(named) = self.pointed_at(value) else {
            return None;
        };
        let copied = |path: &str| self.state.renamed.get(path).cloned();
        let behind = || match self.resolve(value) {
            Target::Path(path) => copied(&path),
            _ => None,
        };
        let base = named.rsplit('/').next().unwrap_or_default();
        let of_machine = || match self.world.program(base) {
            Some(_) => None,
            None => self.linked_program(&named),
        };
        // `cat /bin/rm > x` makes a copy, too.
        let poured = || {
            let file = self.written_to(value)?.file.filter(|file| self.is_installed(file))?;
            let name = file.rsplit('/').next().unwrap_or_default();
            self.world.program(name).is_some().then(|| name.to_string())
        };
        copied(&named).or_else(behind).or_else(poured).or_else(of_machine)
    }

    /// The name of the installed program that a link of the machine leads to.
    fn linked_program(&self, path: &str) -> Option<String> {
        let Answer::Known(real) = self.world.real_path(path) else {
            return None;
        };
        let name = real.rsplit('/').next().unwrap_or_default();
        (real != path && self.is_installed(&real) && self.world.program(name).is_some()).then(|| name.to_string())
    }

    fn is_directory(&self, path: &str, value: &Value) -> bool {
        value.pattern().ends_with('/')
            || (!path.contains(UNKNOWN) && self.world.kind(path) == Answer::Known(FileKind::Dir))
    }

    /// The absolute path that a word names, on this machine.
    pub(crate) fn resolve(&self, value: &Value) -> Target {
        match self.pointed_at(value) {
            Target::Path(path) => {
                let path = self.behind_mounts(&path).unwrap_or(path);
                Target::Path(self.behind_links(path))
            }
            other => other,
        }
    }

    /// The absolute path that a word names where the command runs.
    pub(super) fn pointed_at(&self, value: &Value) -> Target {
        let unknown = matches!(value.pieces.first(), Some(Piece::Unknown | Piece::File(_)));
        let text = if unknown { "".into() } else { value.pattern() };
        if unknown || text.starts_with(UNKNOWN) {
            return Target::Unknown("a path that starts with an unknown value".into());
        }
        // file: addresses name paths too.
        let text = text
            .strip_prefix("file://")
            .map_or(text.as_ref(), |rest| rest.strip_prefix("localhost").unwrap_or(rest));
        // A `~` that the shell did not expand was still meant as the home directory by whoever wrote it.
        let expanded;
        let text = match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                expanded = alloc::format!("{}{rest}", self.world.home());
                expanded.as_str()
            }
            _ => text,
        };
        match &self.state.cwd {
            Some(cwd) => Target::Path(places::clean(text, cwd)),
            None if text.starts_with('/') => Target::Path(places::clean(text, "/")),
            None => Target::Unknown("a path below an unknown directory".into()),
        }
    }

    /// Settings that are kept elsewhere and linked to their place are what they are linked as.
    fn label_as_linked(&mut self, path: &str, tags: &mut Tags) {
        let (workspace, world) = (&self.workspace, self.world);
        let links = self
            .linked
            .get_or_insert_with(|| places::protected_links(workspace, world));
        for (_, labels) in links.iter().filter(|(real, _)| real == path) {
            labels.iter().for_each(|t| tags.add(t));
        }
    }

    /// The folder that a `cd` leads to that follows links.
    pub(super) fn followed(&self, value: &Value) -> Target {
        let target = self.physical(value).map_or_else(|| self.resolve(value), Target::Path);
        match target {
            Target::Path(path) => match self.world.real_path(&path) {
                Answer::Known(real) => Target::Path(real),
                _ => Target::Path(path),
            },
            other => other,
        }
    }

    /// Where a path with `..` in it really leads: behind a link, `..` is the folder above the link's target.
    fn physical(&self, value: &Value) -> Option<String> {
        let text = value.known()?;
        if !text.contains("../") && !text.ends_with("..") {
            return None;
        }
        let start = if text.starts_with('/') {
            "/"
        } else {
            self.state.cwd.as_deref()?
        };
        let mut real = start.trim_end_matches('/').to_string();
        if let Answer::Known(followed) = self.world.real_path(start) {
            real = followed.trim_end_matches('/').to_string();
        }
        for part in text.split('/').filter(|p| !p.is_empty() && *p != ".") {
            if part == ".." {
                real = real
                    .rfind('/')
                    .and_then(|at| real.get(..at))
                    .unwrap_or_default()
                    .to_string();
                continue;
            }
            real = alloc::format!("{real}/{part}");
            if let Answer::Known(followed) = self.world.real_path(&real) {
                real = followed;
            }
        }
        Some(if real.is_empty() { "/".into() } else { real })
    }
}

/// Whether a word ends in the very name of what it names: `x/`, `.` and `..` are the folder that a link leads to.
fn is_by_name(path: &str, value: &Value) -> bool {
    let text = value.pattern();
    let name = text.rsplit('/').next().unwrap_or_default();
    let ends = path.rsplit('/').next().unwrap_or_default();
    !matches!(name, "" | "." | "..") && (name == ends || value.has_glob())
}

/// The folder that all that a search found lies in.
pub(super) fn all_of(path: &str) -> &str {
    path.strip_suffix("/*").filter(|dir| !dir.is_empty()).unwrap_or(path)
}

/// Unknown characters are shown as `…`.
fn display_path(target: Target) -> Target {
    match target {
        Target::Path(p) if p.contains(UNKNOWN) => Target::Path(p.replace(UNKNOWN, "…")),
        other => other,
    }
}
