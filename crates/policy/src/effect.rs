//! What carrying out a request would do.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use shell::Span;

use crate::{Act, Loss};

/// Labels that most effects have at most.
const USUAL: usize = 6;

/// Labels of an effect, from program facts, the path table and data flow: `recursive`, `force`, `credential`, `network`.
#[derive(Clone, Default)]
pub struct Tags {
    /// The first ones, which need no room of their own.
    first: [&'static str; USUAL],
    /// How many of them there are.
    count: usize,
    more: Vec<&'static str>,
}

impl Tags {
    /// Adds a label once.
    pub fn add(&mut self, tag: &'static str) {
        if self.has(tag) {
            return;
        }
        if let Some(free) = self.first.get_mut(self.count) {
            *free = tag;
            self.count += 1;
        } else {
            self.more.push(tag);
        }
    }
    /// Whether the label is there.
    #[must_use]
    pub fn has(&self, tag: &str) -> bool {
        self.first().contains(&tag) || self.more.contains(&tag)
    }
    /// Whether they are the same in the same order. Most are literally the same text, which is quicker to see.
    pub(crate) fn same(&self, other: &Self) -> bool {
        let alike = |(a, b): (&'static str, &'static str)| core::ptr::eq(a, b) || a == b;
        self.len() == other.len() && self.iter().zip(other.iter()).all(alike)
    }
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.count + self.more.len()
    }
    /// Takes back what was added after the first ones.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.more.truncate(len.saturating_sub(self.count));
        self.count = self.count.min(len);
    }
    /// All labels, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.first().iter().chain(&self.more).copied()
    }

    fn first(&self) -> &[&'static str] {
        self.first.get(..self.count).unwrap_or_default()
    }
}

impl PartialEq for Tags {
    fn eq(&self, other: &Self) -> bool {
        self.same(other)
    }
}

impl Eq for Tags {}

impl fmt::Debug for Tags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// What an effect is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nothing that could be named.
    None,
    /// A path: absolute and lexically clean; `*`, `?` and `[` in it are active globs.
    Path(String),
    /// A host or address.
    Host(String),
    /// Other text: a branch, a package, a piece of code.
    Text(String),
    /// Something that could not be worked out, with the reason.
    Unknown(String),
}

/// Labels that say best where something lies, the most telling first.
const PLACES: &[&str] = &[
    "root",
    "home",
    "credential",
    "self",
    "agent-config",
    "system-dir",
    "workspace-root",
    "above-workspace",
    "device",
    "system",
    "outside",
    "temp",
    "workspace",
];

/// A variable that the text set and a command used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Its name.
    pub name: String,
    /// What it held, at its beginning.
    pub value: String,
    /// Where it was set, if that stands in the request itself.
    pub span: Option<Span>,
}

/// One effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The verb.
    pub act: Act,
    /// The name of a [`Act::Do`] or [`Act::Discard`] (`power.off`, `worktree`), else empty.
    pub what: &'static str,
    /// On what.
    pub target: Target,
    /// Labels.
    pub tags: Tags,
    /// The program that does it, as in the facts; empty for the shell itself and for file tools.
    pub program: String,
    /// The part of the request's text that says so.
    pub span: Span,
    /// How it was reached, outermost first.
    pub chain: Vec<String>,
    /// Variables of the text that the command was made of.
    pub uses: Arc<Vec<Use>>,
    /// The folder in which something is discarded; empty for other acts.
    pub dir: Arc<str>,
    /// Work that is nowhere else and would be gone, as far as the world says.
    pub loss: Loss,
}

impl Effect {
    /// What is done, in words: `recursive delete of /home/ann (home)`.
    #[must_use]
    pub fn deed(&self) -> String {
        let verb = match self.act {
            Act::Run => "start of",
            Act::RunUnknown => "run of what is not known",
            Act::Read => "read of",
            Act::Write => "write to",
            Act::Delete if self.tags.has("recursive") => "recursive delete of",
            Act::Delete => "delete of",
            Act::Permit => "change of rights of",
            Act::Send => "sending of",
            Act::Fetch => "fetch from",
            Act::Connect => "connection to",
            Act::Discard => "discard of",
            Act::Do => "",
        };
        let target = match &self.target {
            Target::None => "",
            Target::Path(t) | Target::Host(t) | Target::Text(t) => t.as_str(),
            Target::Unknown(why) => why.as_str(),
        };
        let place = PLACES.iter().find(|place| self.tags.has(place));
        let place = place.map(|place| alloc::format!("({place})")).unwrap_or_default();
        let words = [verb, self.what, target, &place];
        let words: Vec<&str> = words.into_iter().filter(|w| !w.is_empty()).collect();
        words.join(" ")
    }

    /// One line without contents: `delete /home/ann (recursive, force) by rm`.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut line = String::from(self.act.as_str());
        if !self.what.is_empty() {
            line.push(' ');
            line.push_str(self.what);
        }
        match &self.target {
            Target::None => {}
            Target::Path(t) | Target::Host(t) | Target::Text(t) => {
                line.push(' ');
                line.push_str(t);
            }
            Target::Unknown(why) => {
                line.push_str(" (unknown: ");
                line.push_str(why);
                line.push(')');
            }
        }
        let tags: Vec<&str> = self.tags.iter().collect();
        if !tags.is_empty() {
            line.push_str(" (");
            line.push_str(&tags.join(", "));
            line.push(')');
        }
        if !self.program.is_empty() {
            line.push_str(" by ");
            line.push_str(&self.program);
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::sync::Arc;
    use alloc::vec::Vec;

    use super::{Effect, Tags, Target};
    use crate::{Act, Loss};

    const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

    fn tags(names: &[&'static str]) -> Tags {
        let mut tags = Tags::default();
        names.iter().for_each(|name| tags.add(name));
        tags
    }

    #[test]
    fn labels_are_kept_once_in_their_order() {
        for count in 0..=8 {
            let some = NAMES.get(..count).unwrap_or_default();
            let mut all = tags(some);
            some.iter().for_each(|name| all.add(name));
            assert_eq!(all.iter().collect::<Vec<_>>(), some);
            assert_eq!(all.len(), count);
            assert!(some.iter().all(|name| all.has(name)) && !all.has("z"));
            for kept in 0..=9 {
                let mut cut = all.clone();
                cut.truncate(kept);
                assert_eq!(
                    cut.iter().collect::<Vec<_>>(),
                    NAMES.get(..kept.min(count)).unwrap_or_default()
                );
            }
        }
        assert_eq!(tags(&["a", "b"]), tags(&["a", "b"]));
        assert_ne!(tags(&["a", "b"]), tags(&["b", "a"]));
        assert_ne!(tags(&["a", "b"]), tags(&["a"]));
        assert_eq!(alloc::format!("{:?}", tags(&["a"])), "[\"a\"]");
    }

    fn effect(act: Act, what: &'static str, target: Target, names: &[&'static str], program: &str) -> Effect {
        Effect {
            act,
            what,
            target,
            tags: tags(names),
            program: program.into(),
            span: shell::Span::default(),
            chain: Vec::new(),
            uses: Arc::default(),
            dir: Arc::default(),
            loss: Loss::default(),
        }
    }

    #[test]
    fn an_effect_is_told_in_words() {
        let path = || Target::Path("/x".into());
        for (effect, deed, summary) in [
            (
                effect(Act::Delete, "", path(), &["recursive", "home"], "rm"),
                "recursive delete of /x (home)",
                "delete /x (recursive, home) by rm",
            ),
            (
                effect(Act::Delete, "", path(), &[], "rm"),
                "delete of /x",
                "delete /x by rm",
            ),
            (
                effect(Act::Write, "", path(), &["recursive"], ""),
                "write to /x",
                "write /x (recursive)",
            ),
            (
                effect(Act::Do, "push.force", Target::None, &[], "git"),
                "push.force",
                "do push.force by git",
            ),
            (
                effect(Act::Run, "", Target::Text("ls".into()), &[], "ls"),
                "start of ls",
                "run ls by ls",
            ),
            (
                effect(Act::Read, "", path(), &["workspace", "credential"], "cat"),
                "read of /x (credential)",
                "read /x (workspace, credential) by cat",
            ),
            (
                effect(Act::RunUnknown, "", Target::Unknown("why".into()), &[], "sh"),
                "run of what is not known why",
                "run-unknown (unknown: why) by sh",
            ),
            (
                effect(Act::Send, "", Target::Host("h".into()), &[], "curl"),
                "sending of h",
                "send h by curl",
            ),
            (
                effect(Act::Fetch, "", Target::Host("h".into()), &[], "curl"),
                "fetch from h",
                "fetch h by curl",
            ),
            (
                effect(Act::Connect, "", Target::Host("h".into()), &[], "nc"),
                "connection to h",
                "connect h by nc",
            ),
            (
                effect(Act::Permit, "", path(), &[], "chmod"),
                "change of rights of /x",
                "permit /x by chmod",
            ),
            (
                effect(Act::Discard, "worktree", Target::None, &[], "git"),
                "discard of worktree",
                "discard worktree by git",
            ),
        ] {
            assert_eq!((effect.deed().as_str(), effect.summary().as_str()), (deed, summary));
        }
        let places: Vec<String> = ["root", "temp", "workspace"]
            .iter()
            .map(|place| effect(Act::Read, "", path(), &[place], "").deed())
            .collect();
        assert_eq!(
            places,
            ["read of /x (root)", "read of /x (temp)", "read of /x (workspace)"]
        );
    }
}
