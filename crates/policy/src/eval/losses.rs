//! What would be lost: asked of the world, where the text itself has not changed it before.
//!
//! The answer softens only on proof. It has to be `Known`, and nothing in the text before it may have changed the
//! repository: what the world says is how things stand before the text runs.

use alloc::string::String;
use alloc::vec::Vec;

use shell::Span;

use super::roles::Context;
use super::{Eval, Labels, UNKNOWN, Value};
use crate::effect::Tags;
use crate::facts::{Does, On, Parsed};
use crate::world::{Ignored, Loss, Work};
use crate::{Act, Answer, Effect, FileKind, Target, places};

/// Variables that make git work on another repository than the one that lies there.
const REDIRECTS: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
];
/// Untracked files that the delete of a folder may take along without being asked about: what an agent made for itself a
/// moment ago.
const FEW_FILES: u32 = 5;
/// The same in bytes.
const FEW_BYTES: u64 = 64 << 10;

/// Deletes of one text that are added up.
const MAX_TAKEN: usize = 256;

/// Files that say what git ignores, and git's own.
fn rules_of_git(target: &Target) -> bool {
    matches!(target, Target::Path(p) if p.ends_with("/.gitignore") || p.ends_with("/.gitattributes") || p.contains("/.git/"))
}

/// Whether what led to commits does so no more.
pub(super) fn moves_refs(act: Act, what: &str) -> bool {
    act == Act::Discard && matches!(what, "branch" | "tag" | "commits" | "stash")
}

impl Eval<'_> {
    /// Work that version control holds is thrown away.
    pub(super) fn discard(
        &mut self,
        does: &Does,
        on: &[&Value],
        tags: Tags,
        context: &Context,
        parsed: &Parsed,
        span: Span,
    ) {
        let given = |o: &&str| parsed.option(o).is_some();
        // `-e '!x'` makes what is ignored not ignored.
        let back = parsed
            .option("-e")
            .and_then(|(_, v)| v.as_ref())
            .is_some_and(|v| v.pattern().contains('!'));
        let elsewhere =
            ["--git-dir", "--work-tree", "-c", "--config-env"].iter().any(given) || (back && !tags.has("only-ignored"));
        let files: Vec<&Value>;
        let on = match tags.has("named-file") {
            true => {
                files = on.iter().copied().filter(|v| self.is_named_file(v)).collect();
                &files
            }
            false => on,
        };
        // `git clean` takes all its operands together, and everything when there are none.
        if matches!(does.what, "untracked" | "branch" | "tag" | "modules") || does.on == On::None {
            let loss = self.discarded(does.what, on, &tags).filter(|_| !elsewhere);
            let target = on.first().map_or(Target::None, |v| shown(v));
            return self.lose(does, target, tags, loss, context, span);
        }
        for value in on {
            let mut tags = tags.clone();
            value.labels.names().for_each(|l| tags.add(l));
            let loss = self.discarded(does.what, &[value], &tags).filter(|_| !elsewhere);
            self.lose(does, shown(value), tags, loss, context, span);
        }
    }

    fn lose(&mut self, does: &Does, target: Target, mut tags: Tags, loss: Option<Loss>, context: &Context, span: Span) {
        let mut loss = loss.unwrap_or_else(|| {
            tags.add("loss-unknown");
            Loss::default()
        });
        // git itself refuses where there are changes.
        if tags.has("clean-only") {
            (loss.changed, loss.untracked) = (0, 0);
        }
        if loss.is_nothing() && !tags.has("loss-unknown") {
            tags.add("nothing-lost");
        }
        self.effect_with(does.act, does.what, target, &mut tags, context.program, span, loss);
    }

    /// What would be lost, as far as that is proved.
    fn discarded(&self, what: &str, on: &[&Value], tags: &Tags) -> Option<Loss> {
        let dir = self.state.cwd.clone()?;
        let of_commits = matches!(what, "branch" | "tag" | "commits" | "stash" | "detached");
        if self.disturbed || (of_commits && self.moved_refs) || self.is_redirected() {
            return None;
        }
        let paths = on.iter().map(|v| self.plain_path(v)).collect::<Option<Vec<String>>>();
        let folder = match what {
            "tag" => "refs/tags",
            _ if tags.has("tracking") => "refs/remotes",
            _ => "refs/heads",
        };
        let full = |v: &&Value| v.known().map(|name| reference(folder, name));
        let refs = on
            .iter()
            .map(full)
            .collect::<Option<Vec<String>>>()
            .filter(|refs| !refs.is_empty());
        let name = || on.first().and_then(|v| v.known());
        let work = match what {
            "worktree" => Work::Changes(paths.as_deref()?),
            "tree" => Work::Everything(paths.as_deref()?.first()?),
            "untracked" => Work::Untracked {
                below: paths.as_deref()?,
                ignored: if tags.has("only-ignored") {
                    Ignored::Only
                } else if tags.has("also-ignored") {
                    Ignored::Also
                } else {
                    Ignored::No
                },
            },
            "stash" => Work::Stash(match on {
                [] => None,
                [entry, ..] => Some(stash_entry(entry.known()?)?),
            }),
            "merge" => Work::Merge,
            "modules" => Work::Modules(paths.as_deref()?),
            "detached" => Work::Detached,
            "branch" | "tag" => Work::Branches(refs.as_deref()?),
            "replaced" => Work::Replaced(name()?),
            "commits" => Work::Commits(name()?),
            _ => return None,
        };
        let loss = match (self.world.loss(&dir, work), work) {
            // What is not there leads to nothing.
            (Answer::Absent, Work::Branches(_)) => Some(Loss::default()),
            (answer, _) => known(answer),
        };
        // Of a pattern only the folder was looked at: what is lost there may lie beside it.
        let pattern = on.iter().any(|v| v.pattern().contains(['*', '?', '[']));
        loss.filter(|loss| !pattern || loss.is_nothing())
    }

    /// Whether git takes a word that may be a branch or a file for a file: it stands there, and no branch or tag has the name.
    fn is_named_file(&self, value: &Value) -> bool {
        if value.written().is_some_and(|text| text.contains(['*', '?', '['])) {
            return true;
        }
        let Some((name, dir)) = value.known().zip(self.state.cwd.as_deref()) else {
            return false;
        };
        let path = self.plain_path(value);
        let there = |path: String| matches!(self.world.kind(&path), Answer::Known(FileKind::File | FileKind::Dir));
        let is_ref = |folder: &str| known(self.world.loss(dir, Work::Branches(&[reference(folder, name)]))).is_some();
        path.is_some_and(there) && !is_ref("refs/heads") && !is_ref("refs/tags")
    }

    /// Whether git would work on another repository than the one around the directory.
    fn is_redirected(&self) -> bool {
        let set = |name: &&str| self.state.vars.contains_key(name) || self.world.var(name) != Answer::Absent;
        REDIRECTS.iter().any(set)
    }

    /// The path of a word that has nothing unknown in it; of a pattern the folder that all it can stand for lies in.
    fn plain_path(&self, value: &Value) -> Option<String> {
        let text = value.written().filter(|t| !t.starts_with(':'))?;
        let fixed = match text.find(['*', '?', '[']) {
            Some(at) => text.get(..at)?.rsplit_once('/').map_or(".", |(dir, _)| dir),
            None => text.as_ref(),
        };
        match self.resolve(&Value::text(fixed)) {
            Target::Path(path) if !path.contains(UNKNOWN) => Some(path),
            _ => None,
        }
    }

    /// What a delete takes with it that is nowhere else: inside the project, and of what was moved out of it. The labels say
    /// so: `unsaved` where a person would miss it, `nothing-lost` where git has all of it.
    pub(super) fn only_copy(&mut self, path: &str, value: &Value, tags: &mut Tags) -> Loss {
        let old = self.moved_from(path);
        let origin = old.as_deref().unwrap_or(path);
        let mut at_first = Tags::default();
        self.label(origin, &mut at_first);
        // What a search with a filter finds below a place is not all of the place.
        let listed = value.labels.has(Labels::ALL_FOUND);
        let found = tags.has("find-delete") && !tags.has("unfiltered") || value.labels.has(Labels::FOUND) && !listed;
        let elsewhere = ["moved", "packed"].iter().any(|t| tags.has(t));
        let regrows = found || elsewhere || ["regenerable", "cache", "temp"].iter().any(|t| at_first.has(t));
        if !at_first.has("workspace") || regrows {
            return Loss::default();
        }
        let answer = if value.has_glob() && old.is_none() {
            self.each(value)
        } else if origin.contains(UNKNOWN) {
            Answer::Unknown
        } else {
            let place = if listed { super::paths::all_of(origin) } else { origin };
            let behind = self.behind(place, value, tags);
            self.world.loss(&self.workspace, Work::Everything(&behind))
        };
        let Answer::Known(loss) = answer else {
            return Loss::default();
        };
        if loss.is_nothing() {
            if !self.disturbed {
                tags.add("nothing-lost");
            }
            return loss;
        }
        let all = self.taken_in_all(origin, &loss);
        let much = all.untracked >= FEW_FILES || (all.untracked > 1 && all.bytes >= FEW_BYTES);
        if loss.changed > 0 || loss.commits > 0 || loss.secrets > 0 || loss.more || much {
            tags.add("unsaved");
        }
        if much { all } else { loss }
    }

    /// Whether a word means what the text itself made in another folder, and nothing stands where it would lead from here:
    /// `cd /tmp && git clone URL x && cd x && make; cd .. && rm -rf x`, where a `cd` failed.
    pub(super) fn is_meant_elsewhere(&self, path: &str, value: &Value) -> bool {
        let Some(word) = value.known().filter(|word| !word.starts_with(['/', '~', '.'])) else {
            return false;
        };
        let word = alloc::format!("/{}", word.trim_end_matches('/'));
        let made = |effect: &Effect| {
            effect.act == Act::Write && matches!(&effect.target, Target::Path(at) if at != path && at.ends_with(&word))
        };
        self.effects.iter().any(made) && self.is_nowhere(path)
    }

    /// Whether nothing stands at a path, and nothing in the text before can have put something there.
    fn is_nowhere(&self, path: &str) -> bool {
        let open = places::is_wild(path) || self.disturbed || self.moved_from(path).is_some();
        if open || self.world.kind(path) != Answer::Absent {
            return false;
        }
        let beside = |other: &str| places::within(other, path) || places::within(path, other);
        let puts = |effect: &Effect| match &effect.target {
            Target::Path(written) => effect.act == Act::Write && beside(written),
            Target::Unknown(_) => effect.act == Act::Write,
            _ => false,
        };
        let linked = self.state.links.keys().any(|link| beside(link));
        !linked && !self.effects.iter().any(puts) && self.world.loss(path, Work::Everything(path)) == Answer::Absent
    }

    /// What this text deletes that is nowhere else, this path included: one by one it is as much as at once.
    fn taken_in_all(&mut self, path: &str, loss: &Loss) -> Loss {
        let known = self.taken.iter().any(|(before, _)| places::within(path, before));
        if !known && self.taken.len() < MAX_TAKEN {
            self.taken.push((path.into(), loss.clone()));
        }
        let mut all = Loss::default();
        self.taken.iter().for_each(|(_, loss)| all.add(loss.clone()));
        all
    }

    /// Where something was before the text moved it.
    pub(super) fn moved_from(&self, path: &str) -> Option<String> {
        let above = |(new, _): &(&String, &String)| places::within(path, new);
        let (new, old) = self.state.moved.iter().filter(above).max_by_key(|(new, _)| new.len())?;
        Some(alloc::format!("{old}{}", path.get(new.len()..).unwrap_or_default()))
    }

    /// The folder behind a link, where a program enters it: `find link/`.
    fn behind(&self, path: &str, value: &Value, tags: &Tags) -> String {
        let enters = value.pattern().ends_with('/') || tags.has("follow");
        match self.world.real_path(path) {
            Answer::Known(real) if enters => real,
            _ => path.into(),
        }
    }

    /// What is lost with each path that a pattern stands for; where those are too many, with the folder that they are in.
    fn each(&self, value: &Value) -> Answer<Loss> {
        let Some(paths) = self.matches(value) else {
            let folder = self.plain_path(value);
            return folder.map_or(Answer::Unknown, |dir| {
                self.world.loss(&self.workspace, Work::Everything(&dir))
            });
        };
        let mut all = Loss::default();
        let mut found = false;
        for path in paths {
            match self.world.loss(&self.workspace, Work::Everything(&path)) {
                Answer::Known(loss) => {
                    found = true;
                    all.add(loss);
                }
                Answer::Absent => {}
                Answer::Unknown => return Answer::Unknown,
            }
        }
        if found { Answer::Known(all) } else { Answer::Unknown }
    }
}

/// The full name of a branch or tag; of a `+from:to` that of what is moved.
fn reference(folder: &str, name: &str) -> String {
    let name = name.rsplit(':').next().unwrap_or(name);
    match name.starts_with("refs/") {
        true => name.into(),
        false => alloc::format!("{folder}/{name}"),
    }
}

/// The number of a stash: `2`, `stash@{2}`; the newest where none is named.
fn stash_entry(name: &str) -> Option<usize> {
    let number = name.strip_prefix("stash@{").and_then(|rest| rest.strip_suffix('}'));
    match name {
        "drop" | "stash" => Some(0),
        _ => number.unwrap_or(name).parse().ok(),
    }
}

fn shown(value: &Value) -> Target {
    Target::Text(value.pattern().replace(UNKNOWN, "…"))
}

fn known(answer: Answer<Loss>) -> Option<Loss> {
    match answer {
        Answer::Known(loss) => Some(loss),
        Answer::Absent | Answer::Unknown => None,
    }
}

/// Whether the effect may have brought work here that is nowhere else, so that what the world said before is no proof any
/// more. What the text itself writes, and what programs make that are known for it, can be made again.
pub(super) fn disturbs(act: Act, what: &str, target: &Target, tags: &Tags) -> bool {
    match act {
        Act::RunUnknown => true,
        Act::Run => matches!(target, Target::Path(_)),
        Act::Delete => tags.has("moved") || rules_of_git(target),
        Act::Do => matches!(what, "git.takes-work" | "mount.over"),
        Act::Write => rules_of_git(target),
        _ => false,
    }
}
