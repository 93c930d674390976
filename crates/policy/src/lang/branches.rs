//! Code that may run or not: what it assigns stands beside what was there before.
//!
//! Conditions are not believed. Inside of a branch a value is what the branch has just made it; where the branch ends,
//! each name that it gave a value to may hold that value or the one from before.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::blocks::simple_end;
use super::cursor::Cursor;
use super::either::one_of;
use super::functions::Own;
use super::lexer::Tok;
use super::syntax::Blocks;
use super::value::Val;
use super::walk::{Walk, bare};

/// Words that a branch begins with, whatever the language.
const OPENING: &[&str] = &[
    "if", "unless", "elif", "elsif", "elseif", "else", "while", "until", "try", "except", "catch", "case", "switch",
    "when", "match", "class", "module", "begin", "do", "rescue",
];

/// Words between the branches of one construct.
const BETWEEN: &[&str] = &[
    "else", "elsif", "elseif", "elif", "when", "rescue", "ensure", "except", "catch", "default", "in",
];

/// Words behind which nothing of a branch is sure to run.
const LEAVING: &[&str] = &[
    "break", "continue", "next", "last", "redo", "return", "raise", "throw", "die", "goto", "retry",
];

/// Words that make what stands before them a branch.
const BEHIND: &[&str] = &["if", "unless", "while", "until", "for", "foreach", "rescue"];

/// What names held before the branch that is walked.
#[derive(Default)]
pub(super) struct Branch {
    before: BTreeMap<String, Option<Val>>,
    /// What they held in between, where the branch can be left at any place.
    between: BTreeMap<String, Val>,
    leaky: bool,
    /// The names that mean something else outside, where it is a function.
    own: Option<Rc<Own>>,
}

impl Branch {
    fn owns(&self, name: &str) -> bool {
        self.own.as_ref().is_some_and(|own| own.has(name))
    }

    /// Whether what a name held before does not matter any more.
    pub(super) fn has_noted(&self, name: &str) -> bool {
        !self.leaky && self.before.contains_key(name)
    }

    fn note(&mut self, name: &str, held: Option<Val>) {
        if !self.before.contains_key(name) {
            self.before.insert(name.to_string(), held);
        } else if let (true, Some(held)) = (self.leaky, held) {
            let known = self.between.remove(name);
            let held = one_of(known.into_iter().chain([held]).collect());
            self.between.insert(name.to_string(), held);
        }
    }
}

/// The branches that begin in one run of statements.
#[derive(Default)]
pub(super) struct Open {
    ends: Vec<usize>,
    /// Up to here a word was looked for that makes a statement a branch.
    seen: usize,
}

impl Walk<'_> {
    /// A name gets a value; `held` is what it held.
    pub(super) fn note(&mut self, name: &str, held: Option<Val>) {
        if let Some(branch) = self.branches.last_mut() {
            branch.note(name, held);
        }
    }

    fn open(&mut self, leaky: bool) {
        self.branches.push(Branch {
            leaky,
            ..Branch::default()
        });
    }

    fn close(&mut self, newest_stays: bool) {
        let Some(mut branch) = self.branches.pop() else { return };
        for (name, held) in core::mem::take(&mut branch.before) {
            if branch.owns(&name) {
                match held {
                    Some(held) => self.known.insert(name, held),
                    None => self.known.remove(&name),
                };
                continue;
            }
            if let Some(new) = self.known.remove(&name) {
                let mut all: Vec<Val> = held.iter().cloned().collect();
                all.extend(branch.between.remove(&name));
                if newest_stays {
                    all.insert(0, new);
                } else {
                    all.push(new);
                }
                self.known.insert(name.clone(), one_of(all));
            }
            self.note(&name, held);
        }
    }

    /// Walks what may run or not.
    pub(super) fn maybe<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.open(false);
        let out = f(self);
        self.close(false);
        out
    }

    /// Walks a function, which may be called or not.
    pub(super) fn within<T>(&mut self, own: Rc<Own>, f: impl FnOnce(&mut Self) -> T) -> T {
        self.branches.push(Branch {
            own: Some(own),
            ..Branch::default()
        });
        let out = f(self);
        self.close(false);
        out
    }

    /// The same for what is not what plain reading gives.
    pub(super) fn aside<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.open(false);
        let out = f(self);
        self.close(true);
        out
    }

    /// Names that only count in `f`: outside they hold what they held, or what they hold inside.
    pub(super) fn with_names<T>(&mut self, names: &[String], f: impl FnOnce(&mut Self) -> T) -> T {
        let held: Vec<Option<Val>> = names.iter().map(|n| self.known.get(bare(n)).cloned()).collect();
        let out = f(self);
        for (name, held) in names.iter().zip(held) {
            let new = self.known.get(bare(name)).cloned();
            if let (Some(held), Some(new)) = (held, new) {
                self.bind(name, one_of(alloc::vec![held, new]));
            }
        }
        out
    }

    /// What follows may not be reached from what was before, in the same branch.
    fn part(&mut self) {
        let Some(mut branch) = self.branches.pop() else { return };
        for (name, held) in &branch.before {
            if branch.own.as_ref().is_some_and(|own| own.has(name)) {
                continue;
            }
            if let Some(new) = self.known.remove(name) {
                let all = held.iter().cloned().chain(branch.between.remove(name)).chain([new]);
                let all = one_of(all.collect());
                branch.between.insert(name.clone(), all.clone());
                self.known.insert(name.clone(), all);
            }
        }
        self.branches.push(branch);
    }

    /// Looks whether a branch begins with the statement that stands here.
    pub(super) fn branch(&mut self, cur: &Cursor, open: &mut Open) {
        let end = match cur.tok() {
            Some(Tok::Op("{")) => Some(cur.closing(cur.at)),
            Some(Tok::Name(name)) => {
                if LEAVING.contains(&name.as_str()) || self.is_between_branches(name) && !open.ends.is_empty() {
                    self.part();
                }
                self.worded_branch(cur, name, open)
            }
            _ => self.modified(cur, open),
        };
        let Some(end) = end.filter(|end| *end > cur.at) else {
            return;
        };
        // A branch ends with the one that it stands in.
        let end = open.ends.last().map_or(end, |outer| end.min(*outer));
        let before = cur.at.checked_sub(1).and_then(|at| cur.get(at));
        let leaks = |t: Option<&Tok>| matches!(t, Some(Tok::Name(n)) if matches!(n.as_str(), "try" | "begin" | "eval"));
        let leaky = leaks(cur.tok()) || cur.is("{") && leaks(before);
        open.ends.push(end);
        self.open(leaky);
    }

    /// Closes the branches that end here.
    pub(super) fn branches_end(&mut self, at: usize, open: &mut Open) {
        while open.ends.last().is_some_and(|end| *end <= at) {
            open.ends.pop();
            self.close(false);
        }
    }

    fn is_between_branches(&self, name: &str) -> bool {
        match self.syntax.blocks {
            Blocks::Indented => false,
            Blocks::Words => BETWEEN.contains(&name),
            Blocks::Braces => matches!(name, "case" | "default" | "else" | "elseif"),
        }
    }

    fn worded_branch(&mut self, cur: &Cursor, name: &str, open: &mut Open) -> Option<usize> {
        if !OPENING.contains(&name) || matches!(cur.ahead(1), Some(Tok::Op("=" | "." | ","))) {
            return self.modified(cur, open);
        }
        let end = match self.syntax.blocks {
            Blocks::Indented => self.indented_end(cur),
            Blocks::Words if BETWEEN.contains(&name) => return None,
            Blocks::Words => self.construct_end(cur),
            Blocks::Braces => self.braceless_end(cur)?,
        };
        self.pay(end.saturating_sub(cur.at));
        Some(end)
    }

    /// `if (x) y;`, `if (x): y; endif;`, `if x then y end if`: where the statement ends; a block speaks for itself.
    fn braceless_end(&self, cur: &Cursor) -> Option<usize> {
        let mut at = cur.at + 1;
        while cur
            .get(at)
            .is_some_and(|t| matches!(t, Tok::Name(n) if OPENING.contains(&n.as_str())))
        {
            at += 1;
        }
        if cur.get(at) == Some(&Tok::Op("(")) {
            at = cur.closing(at) + 1;
        }
        let ends = |i: &usize| matches!(cur.get(*i), Some(Tok::Name(n)) if n.starts_with("end"));
        let worded = |at: usize| (at..cur.end).find(ends).unwrap_or(cur.end);
        if self.lang == "php" && cur.get(at) == Some(&Tok::Op(":")) {
            return Some(worded(at));
        }
        while matches!(cur.get(at), Some(Tok::Newline(_))) {
            at += 1;
        }
        if cur.get(at) == Some(&Tok::Op("{")) {
            return None;
        }
        let end = simple_end(&cur.range(at, cur.end));
        let then = (at..end).any(|i| matches!(cur.get(i), Some(Tok::Name(n)) if n == "then"));
        Some(if then { worded(end) } else { end })
    }

    /// `x = 1 if y`: where the statement ends, when a word behind it makes a branch of it.
    fn modified(&mut self, cur: &Cursor, open: &mut Open) -> Option<usize> {
        let blank = matches!(cur.tok(), Some(Tok::Newline(_)));
        if !matches!(self.lang, "perl" | "ruby") || blank || cur.at < open.seen {
            return None;
        }
        let mut at = cur.at;
        let mut found = false;
        while at < cur.end {
            match cur.get(at) {
                Some(Tok::Op("(" | "[" | "{")) => at = cur.closing(at),
                Some(Tok::Op(";" | ")" | "]" | "}")) => break,
                Some(Tok::Newline(_)) if self.lang == "ruby" => break,
                Some(Tok::Name(n)) => found |= at > cur.at && BEHIND.contains(&n.as_str()),
                _ => {}
            }
            at += 1;
        }
        self.pay(at.saturating_sub(cur.at));
        open.seen = at;
        found.then_some(at)
    }
}

/// Whether what stands there can leave the loop that it is in.
pub(super) fn leaves(cur: &Cursor) -> bool {
    (cur.at..cur.end).any(|at| matches!(cur.get(at), Some(Tok::Name(n)) if LEAVING.contains(&n.as_str())))
}

/// A body without the braces around it, which are no branch.
pub(super) fn inside(body: &Cursor) -> Cursor {
    if body.is("{") {
        let close = body.closing(body.at);
        if close + 1 >= body.end {
            return body.range(body.at + 1, close);
        }
    }
    body.clone()
}
