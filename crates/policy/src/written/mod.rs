//! Rules that people wrote in policy files, as far as they speak about one request.
//!
//! They are data of whoever read the files; this module says when one of them holds. They stand beside the built-in rules:
//! the strictest finding decides, and among equals the built-in one comes first, then those of the person, then those of the
//! project (spec V-0303).

mod index;
mod needles;
mod pattern;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

pub use index::Index;
pub use pattern::{BadPattern, Pattern};

use crate::classes::Classes;
use crate::effect::Effect;
use crate::{Act, Kind, Origin, Request, Subject, Target, Verdict, glob};

/// All of them that are in force, in the order in which they are tried.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Rules that are made when a request could concern them. They come before the others.
    pub shelf: Option<Arc<dyn Shelf>>,
    /// The rules.
    pub rules: Vec<WrittenRule>,
    /// What takes a finding of a built-in rule away.
    pub exceptions: Vec<Exception>,
    /// The name of the texts that all this stood in, for the record; empty where there are none.
    pub digest: String,
}

/// Rules that are too many to be made for every request.
pub trait Shelf: fmt::Debug + Send + Sync {
    /// The index of all of them.
    fn index(&self) -> &Index;
    /// The rule of a number that the index named.
    fn rule(&self, at: u32) -> WrittenRule;
}

/// One rule: it holds for a request when everything in it does.
#[derive(Clone, Debug)]
pub struct WrittenRule {
    /// Its name in findings.
    pub id: String,
    /// Whose rule it is.
    pub origin: Origin,
    /// The verdict.
    pub verdict: Verdict,
    /// Why, as its author wrote it.
    pub why: String,
    /// Kinds of request that it speaks about; all when empty.
    pub kinds: Vec<Kind>,
    /// What the command, or a command that it starts, is like.
    pub command: Option<Pattern>,
    /// What one of the effects is like.
    pub effect: Option<Wanted>,
}

/// What an effect has to be like.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Acts; all when empty.
    pub acts: Vec<Act>,
    /// Globs of its path or other target; all when empty. `**/` is any number of folders, `**` anything, `*` and `?` end at `/`.
    pub targets: Vec<String>,
    /// Globs of the host that it speaks to; all when empty.
    pub hosts: Vec<String>,
    /// Labels that it must all have.
    pub labels: Vec<String>,
    /// The permission class that it must be of.
    pub class: Option<&'static str>,
}

/// A scoped exception: for commands whose own text is like this, one built-in rule is silent.
#[derive(Clone, Debug)]
pub struct Exception {
    /// What the text of the command is like.
    pub pattern: Pattern,
    /// The rule that is silent.
    pub suppresses: String,
    /// The folder that the request must be in; any where there is none.
    pub cwd: Option<String>,
}

impl Exception {
    /// Whether it speaks of requests in this folder.
    fn is_in(&self, cwd: &str) -> bool {
        let plain = |path: &str| path.trim_end_matches('/').len();
        let same = |own: &String| own.get(..plain(own)) == cwd.get(..plain(cwd));
        self.cwd.as_ref().is_none_or(same)
    }
}

impl Written {
    /// Whether any rule wants to know the words of every command that a text starts.
    pub(crate) fn listens(&self) -> bool {
        let listens = |shelf: &Arc<dyn Shelf>| shelf.index().listens();
        self.shelf.as_ref().is_some_and(listens) || self.rules.iter().any(|rule| rule.command.is_some())
    }

    /// The rules that could hold for a request, in their order.
    pub(crate) fn concerned<'r>(
        &'r self,
        request: &Request,
        effects: &[Effect],
        calls: &[String],
    ) -> impl Iterator<Item = Cow<'r, WrittenRule>> {
        let found = |shelf: &'r Arc<dyn Shelf>| {
            let numbers = shelf.index().concerned(request, effects, calls);
            numbers.into_iter().map(|at| Cow::Owned(shelf.rule(at)))
        };
        let kept = self.shelf.as_ref().map(found).into_iter().flatten();
        kept.chain(self.rules.iter().map(Cow::Borrowed))
    }

    /// Whether an exception covers the finding of a built-in rule about this effect. What was reached through another text
    /// (`bash -c`, a script, a substitution) is never excused: the exception was written for what it says itself.
    pub(crate) fn excuses(&self, rule: &str, request: &Request, effect: &Effect) -> bool {
        let Subject::Command(text) = &request.subject else {
            return false;
        };
        effect.chain.is_empty()
            && !effect.tags.has("in-file")
            && self.exceptions.iter().any(|exception| {
                exception.suppresses == rule && exception.is_in(&request.cwd) && exception.pattern.matches(text)
            })
    }
}

impl WrittenRule {
    /// The effect that makes the rule hold; `Some(None)` where it holds for the request as a whole.
    pub(crate) fn holds<'e>(
        &self,
        request: &Request,
        effects: &'e [Effect],
        classes: &[Classes],
        calls: &[String],
        roots: &[&str],
    ) -> Option<Option<&'e Effect>> {
        if !self.kinds.is_empty() && !self.kinds.contains(&request.kind) {
            return None;
        }
        if let Some(pattern) = &self.command {
            let Subject::Command(text) = &request.subject else {
                return None;
            };
            if !pattern.matches(text) && !calls.iter().any(|call| pattern.matches(call)) {
                return None;
            }
        }
        match &self.effect {
            None => Some(None),
            Some(wanted) => {
                let mut each = effects.iter().zip(classes);
                let found = each.find(|(effect, classes)| wanted.fits(effect, **classes, roots));
                found.map(|(effect, _)| Some(effect))
            }
        }
    }
}

impl Wanted {
    fn fits(&self, effect: &Effect, classes: Classes, roots: &[&str]) -> bool {
        (self.acts.is_empty() || self.acts.contains(&effect.act))
            && self.class.is_none_or(|class| classes.has(class))
            && self.labels.iter().all(|label| effect.tags.has(label))
            && (self.targets.is_empty() || self.targets.iter().any(|glob| target_fits(glob, &effect.target, roots)))
            && (self.hosts.is_empty() || self.hosts.iter().any(|glob| host_fits(glob, &effect.target)))
    }
}

/// A path is compared as it is, and as it is called from each of the roots (the project): `src/*.rs` means what it seems to.
fn target_fits(pattern: &str, target: &Target, roots: &[&str]) -> bool {
    match target {
        Target::Path(path) => {
            let inside = |root: &&str| path.strip_prefix(root.trim_end_matches('/'))?.strip_prefix('/');
            path_fits(pattern, path) || roots.iter().filter_map(inside).any(|path| path_fits(pattern, path))
        }
        Target::Host(text) | Target::Text(text) => glob::like(pattern, text),
        Target::None | Target::Unknown(_) => false,
    }
}

/// Whether a glob of a policy file means a path. Brackets are letters like any other there: `pages/[id].tsx`.
#[must_use]
pub fn path_fits(pattern: &str, path: &str) -> bool {
    let pattern = pattern.replace(['[', ']'], "?");
    // `**/x` is also an `x` at the top.
    let forms = [Some(pattern.as_str()), pattern.strip_prefix("**/")];
    // The path may be a pattern of the command, or a name with brackets in it.
    forms
        .into_iter()
        .flatten()
        .any(|form| glob::overlaps(form, path) || glob::matches(form, path))
}

fn host_fits(pattern: &str, target: &Target) -> bool {
    let (Target::Host(text) | Target::Text(text)) = target else {
        return false;
    };
    let rest = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let bare = host.rsplit_once(':').map_or(host, |(bare, _)| bare);
    glob::like(pattern, bare) || glob::like(pattern, host)
}
