//! What is put into a folder gets a name of its own there: `cp key ~/.ssh` writes `~/.ssh/key`.
//!
//! A word is such a folder when the facts say so (`write:into`), when it ends as one, when one stands there, or when it is
//! one wherever it is (a home, `/etc`). The names are those of what is put there; of a folder also those below it, as far
//! as they can be listed.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::roles::{Context, is_remote, remote_name};
use super::{Eval, UNKNOWN, Value};
use crate::effect::Tags;
use crate::facts::{Parsed, Role, RoleKind};
use crate::{Act, Answer, FileKind, Target, places};

/// Folders that are listed for the names of one call.
const MAX_FOLDERS: usize = 64;
/// Names that one call puts into a folder.
const MAX_NAMES: usize = 512;
/// Moves of one text that are remembered.
const MAX_MOVES: usize = 64;
/// Labels of places that are folders, whatever else is known of them.
const FOLDERS: &[&str] = &["root", "home", "system-dir", "workspace-root", "temp-root"];

/// The folder that the facts of a call name.
pub(super) fn folder_of<'p>(parsed: &'p Parsed<'_>) -> Option<(&'p Value, Role)> {
    let into = |role: &Role| role.kind == RoleKind::Write && role.arg == "into";
    let option = parsed.options.iter().find(|(o, _)| into(&o.role));
    option.and_then(|(o, value)| Some((value.as_deref()?, o.role)))
}

/// The last of several operands, when what is written there comes from the others.
fn target_of<'w>(parsed: &Parsed<'w>) -> Option<(&'w Value, Role)> {
    let (value, role) = parsed.operands.last().filter(|_| parsed.operands.len() > 1)?;
    let copied = role.kind == RoleKind::Write && ["copy", "link"].iter().any(|t| role.tags.contains(t));
    let fetched = role.kind == RoleKind::Remote && role.arg == "to" && !is_remote(value);
    (copied || fetched).then_some((value, *role))
}

/// The name of what comes out of a packed file: `x` of `x.gz`, `x.tar` of `x.tgz`. Whatever cannot be known is any name there.
pub(super) fn unpacked(value: &Value) -> Option<Value> {
    let text = value.pattern();
    let (stem, end) = text.rsplit_once('.').filter(|(_, end)| !end.contains('/'))?;
    let end = if matches!(end, "tgz" | "txz" | "tbz" | "tbz2" | "tzst") {
        ".tar"
    } else {
        ""
    };
    Some(Value::text(alloc::format!("{stem}{end}")).at(value.span))
}

impl Eval<'_> {
    /// Writes what a call puts into a folder, by the names that it gets there.
    pub(super) fn put_into(&mut self, parsed: &Parsed, context: &Context) {
        let (folder, role, sources) = match (folder_of(parsed), target_of(parsed)) {
            (Some((folder, role)), _) => (folder, role, parsed.operands.as_slice()),
            (None, Some((target, role))) if self.is_folder(target) => {
                let sources = parsed.operands.split_last().map_or(&[][..], |(_, sources)| sources);
                (target, role, sources)
            }
            _ => return,
        };
        let Target::Path(dir) = self.resolve(folder) else {
            return;
        };
        if dir.contains(UNKNOWN) || folder.has_glob() {
            return;
        }
        let plain = self.labels_of(&places::clean("x", &dir));
        for (source, from) in sources {
            for name in self.names_put(source, *from) {
                let path = places::clean(&name, &dir);
                // Only what is more than a file in that folder is worth an effect of its own.
                if self.labels_of(&path).iter().any(|tag| !plain.has(tag)) {
                    let mut tags = context.tags.clone();
                    role.tags.iter().for_each(|t| tags.add(t));
                    let value = Value::text(path.as_str()).at(folder.span);
                    self.path_effect(Act::Write, "", &value, tags, context.program);
                }
            }
        }
    }

    /// All files of the project moved to a name outside it where nothing is: without a folder there, some systems give each
    /// of them that name, and the last one is left.
    pub(super) fn move_onto_one(&mut self, parsed: &Parsed, context: &Context) {
        let Some((target, _)) = target_of(parsed) else {
            return;
        };
        let all = parsed.operands.iter().any(|(value, role)| {
            role.kind == RoleKind::Move
                && value.has_glob()
                && matches!(self.resolve(value), Target::Path(path) if self.labels_of(&path).has("workspace-all"))
        });
        if !all {
            return;
        }
        let Target::Path(place) = self.resolve(target) else {
            return;
        };
        let absent = !matches!(self.world.kind(&place), Answer::Known(_)) && self.written_to(target).is_none();
        if absent && !places::within(&place, &self.workspace) {
            let tags = context.tags.clone();
            self.effect(
                Act::Do,
                "files.collide",
                Target::Path(place),
                tags,
                context.program,
                target.span,
            );
        }
    }

    /// What is moved is what it was, under another name.
    pub(super) fn moves(&mut self, parsed: &Parsed) {
        if !parsed.operands.iter().any(|(_, role)| role.kind == RoleKind::Move) {
            return;
        }
        let folder = folder_of(parsed).map(|(folder, _)| folder);
        let Some((target, sure)) = folder
            .map(|f| (f, true))
            .or_else(|| target_of(parsed).map(|(t, _)| (t, false)))
        else {
            return;
        };
        let into = sure || self.is_folder(target);
        for (source, _) in parsed.operands.iter().filter(|(_, role)| role.kind == RoleKind::Move) {
            let (Target::Path(old), Target::Path(new)) = (self.resolve(source), self.resolve(target)) else {
                continue;
            };
            let name = old.rsplit('/').next().unwrap_or_default();
            let new = if into { places::clean(name, &new) } else { new };
            let known = !old.contains(UNKNOWN) && !new.contains(UNKNOWN) && !source.has_glob();
            if known && old != new && self.state.moved.len() < MAX_MOVES {
                // What was moved before was somewhere else at first.
                let first = self.moved_from(&old).unwrap_or(old);
                self.state.moved.insert(new, first);
            }
        }
    }

    /// Whether what is copied to a word goes into a folder of that name.
    pub(super) fn is_folder(&self, value: &Value) -> bool {
        let text = value.pattern();
        let last = text.rsplit('/').next().unwrap_or_default();
        if matches!(last, "" | "." | "..") {
            return true;
        }
        let Target::Path(path) = self.resolve(value) else {
            return false;
        };
        if path.contains(UNKNOWN) || value.has_glob() {
            return false;
        }
        match self.world.kind(&path) {
            Answer::Known(kind) => kind == FileKind::Dir,
            _ => {
                let tags = self.labels_of(&path);
                // What tells folders apart in the table of paths is what lies in them.
                let named = tags.has("secret-dir") && self.labels_of(&places::clean("x", &path)).has("ssh-dir");
                named || FOLDERS.iter().any(|t| tags.has(t))
            }
        }
    }

    fn labels_of(&self, path: &str) -> Tags {
        let mut tags = Tags::default();
        self.label(path, &mut tags);
        tags
    }

    /// The names that something gets in the folder that it is put into.
    fn names_put(&self, source: &Value, role: Role) -> Vec<String> {
        match role.kind {
            RoleKind::Read | RoleKind::Move | RoleKind::Stat | RoleKind::Write => {}
            RoleKind::Remote if !is_remote(source) => {}
            RoleKind::Remote => return remote_name(source).into_iter().collect(),
            _ => return Vec::new(),
        }
        let paths = match self.resolve(source) {
            Target::Path(_) if source.has_glob() => self.matches(source).unwrap_or_default(),
            Target::Path(path) => alloc::vec![path],
            _ => return Vec::new(),
        };
        let text = source.pattern();
        let contents = matches!(text.as_ref(), "." | "./")
            || text.ends_with("/.")
            || role.tags.contains(&"contents") && text.ends_with('/');
        let mut names = Names::default();
        for path in paths {
            let base = path.rsplit('/').next().unwrap_or_default();
            let base = if contents { "" } else { base };
            if !base.is_empty() && !base.contains(UNKNOWN) {
                names.found.push(base.to_string());
            }
            if !path.contains(UNKNOWN) {
                self.names_below(&path, base, &mut names);
            }
        }
        names.found
    }

    /// The names of all that lies below a path, each with what stands before it there.
    fn names_below(&self, path: &str, before: &str, names: &mut Names) {
        let mut todo = alloc::vec![(path.to_string(), before.to_string())];
        while let Some((dir, before)) = todo.pop() {
            if names.folders >= MAX_FOLDERS || self.world.kind(&dir) != Answer::Known(FileKind::Dir) {
                continue;
            }
            names.folders += 1;
            let Answer::Known(listed) = self.world.list(&dir) else {
                continue;
            };
            for name in listed {
                if names.found.len() >= MAX_NAMES {
                    return;
                }
                let inside = if before.is_empty() {
                    name.clone()
                } else {
                    alloc::format!("{before}/{name}")
                };
                names.found.push(inside.clone());
                todo.push((alloc::format!("{dir}/{name}"), inside));
            }
        }
    }
}

#[derive(Default)]
struct Names {
    found: Vec<String>,
    folders: usize,
}
