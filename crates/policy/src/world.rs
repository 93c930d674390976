//! The questions that a judgement may ask about the machine.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;

use rulebook::Program;

use crate::{Added, Settings, facts};

/// What the world says. `Unknown` must never be read as harmless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<T> {
    /// It was looked at, and this is it.
    Known(T),
    /// It was looked at, and there is no such thing.
    Absent,
    /// It could not be looked at.
    Unknown,
}

/// What stands at a path, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// Anything else: a device, a socket, a pipe.
    Other,
}

/// Most names that are given of what would be lost.
pub const LOSS_NAMES: usize = 5;

/// What a file holds, as far as a judgement may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The text; `None` for a file that is binary or too long to be looked at.
    pub text: Option<String>,
    /// SHA-256 of its bytes in hex; empty when it was not read to its end.
    pub digest: String,
    /// Its length in bytes.
    pub bytes: u64,
}

/// Work that something would throw away. Paths are absolute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work<'a> {
    /// What tracked files at and below these paths hold beyond the last commit; without paths, everywhere.
    Changes(&'a [String]),
    /// Files that are not tracked, at and below these paths; without paths, everywhere below the folder.
    Untracked {
        /// Where.
        below: &'a [String],
        /// Which of them.
        ignored: Ignored,
    },
    /// What was stashed: the entry of this number, or all of it.
    Stash(Option<usize>),
    /// What was done by hand while a merge, a rebase or their like waits.
    Merge,
    /// What the submodules at and below these paths hold; without paths, all of them.
    Modules(&'a [String]),
    /// Commits that only the detached place in history leads to that the working tree is at.
    Detached,
    /// Commits that nothing but these references (`refs/heads/topic`) lead to.
    Branches(&'a [String]),
    /// Files that are not tracked and stand where this revision has others; nothing, when it is no revision.
    Replaced(&'a str),
    /// Commits that nothing leads to any more when the current branch is moved to this revision.
    Commits(&'a str),
    /// Whatever stands at and below this path and is nowhere else: changed and untracked files, repositories with
    /// work of their own, ignored files that hold secrets.
    Everything(&'a str),
}

/// Which untracked files are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// Those that no rule of the repository ignores.
    No,
    /// All of them.
    Also,
    /// Only those that are ignored.
    Only,
}

impl Work<'_> {
    pub(crate) fn subject(&self, dir: &str) -> String {
        match self {
            Self::Changes(below) | Self::Untracked { below, .. } | Self::Modules(below) if !below.is_empty() => {
                below.join(" ")
            }
            Self::Branches(names) => alloc::format!("{} in {dir}", names.join(" ")),
            Self::Commits(name) | Self::Replaced(name) => alloc::format!("{name} in {dir}"),
            Self::Everything(path) => (*path).to_string(),
            _ => dir.to_string(),
        }
    }

    pub(crate) const fn question(&self) -> &'static str {
        match self {
            Self::Changes(_) | Self::Merge | Self::Modules(_) => "changes",
            Self::Untracked { .. } => "untracked",
            Self::Stash(_) => "stashes",
            Self::Branches(_) | Self::Commits(_) | Self::Detached => "commits",
            Self::Replaced(_) => "replaced",
            Self::Everything(_) => "only-copy",
        }
    }
}

/// Work that is nowhere else. All zero is the proof that nothing would be lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// Tracked files with changes that were not committed, in this and in inner repositories.
    pub changed: u32,
    /// Files that git does not keep.
    pub untracked: u32,
    /// Commits or stashes.
    pub commits: u32,
    /// Ignored files that hold secrets, such as `.env`.
    pub secrets: u32,
    /// Size of the files in bytes.
    pub bytes: u64,
    /// Not all was looked at, so the counts are less than what there is.
    pub more: bool,
    /// Some of the names, [`LOSS_NAMES`] at most.
    pub names: Vec<String>,
}

impl Loss {
    /// What could not be looked at: nothing is counted, and everything may be lost.
    #[must_use]
    pub fn more() -> Self {
        Self {
            more: true,
            ..Self::default()
        }
    }

    /// Adds what else would be lost, and keeps only as many names as are shown.
    pub fn add(&mut self, more: Self) {
        self.changed = self.changed.saturating_add(more.changed);
        self.untracked = self.untracked.saturating_add(more.untracked);
        self.commits = self.commits.saturating_add(more.commits);
        self.secrets = self.secrets.saturating_add(more.secrets);
        self.bytes = self.bytes.saturating_add(more.bytes);
        self.more |= more.more;
        self.names.extend(more.names);
        self.names.truncate(LOSS_NAMES);
    }

    /// Whether nothing would be lost.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        self.changed == 0 && self.untracked == 0 && self.commits == 0 && self.secrets == 0 && !self.more
    }

    /// In words: `changes in 2 files and 1 untracked file (a.rs, b.rs, notes; 4 kB)`.
    #[must_use]
    pub fn words(&self) -> String {
        let count = |n: u32, one: &str, many: &str| match n {
            0 => None,
            1 => Some(alloc::format!("1 {one}")),
            n => Some(alloc::format!("{n} {many}")),
        };
        let parts: Vec<String> = [
            count(
                self.changed,
                "file with uncommitted changes",
                "files with uncommitted changes",
            ),
            count(
                self.untracked,
                "file that git does not keep",
                "files that git does not keep",
            ),
            count(self.secrets, "ignored file with secrets", "ignored files with secrets"),
            count(
                self.commits,
                "commit that is nowhere else",
                "commits that are nowhere else",
            ),
        ]
        .into_iter()
        .flatten()
        .collect();
        let mut text = parts.join(", ");
        match (self.more, text.is_empty()) {
            (true, true) => return "more than can be looked at".to_string(),
            (true, false) => text.insert_str(0, "more than "),
            _ => {}
        }
        let total = self.changed + self.untracked + self.commits + self.secrets;
        let more = if (self.names.len() as u64) < u64::from(total) {
            ", …"
        } else {
            ""
        };
        if !self.names.is_empty() {
            text.push_str(&alloc::format!(": {}{more}", self.names.join(", ")));
        }
        if self.bytes > 0 {
            text.push_str(&alloc::format!(" ({})", size(self.bytes)));
        }
        text
    }
}

/// `812 bytes`, `14 kB`, `3 MB`
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => alloc::format!("{bytes} bytes"),
        1_000..1_000_000 => alloc::format!("{} kB", bytes / 1_000),
        1_000_000..1_000_000_000 => alloc::format!("{} MB", bytes / 1_000_000),
        _ => alloc::format!("{} GB", bytes / 1_000_000_000),
    }
}

/// The machine as a judgement sees it. Implemented by the broker for the real one, by tests from a table, by replay
/// from the answers kept in the record.
pub trait World {
    /// The home directory of the person, absolute, without a trailing slash.
    fn home(&self) -> &str;
    /// The login name of the person.
    fn user(&self) -> &str;
    /// A variable of the agent's environment. Only asked for variables that a command's meaning hangs on.
    fn var(&self, name: &str) -> Answer<String>;
    /// The path with every link of its longest existing part followed; `path` is absolute and lexically clean.
    fn real_path(&self, path: &str) -> Answer<String>;
    /// What stands at an absolute path, links followed.
    fn kind(&self, path: &str) -> Answer<FileKind>;
    /// Directories that belong to Tollgate itself (configuration, state, data), absolute. An agent may not write there.
    fn own_dirs(&self) -> &[String];
    /// What the regular file at an absolute path holds, links followed.
    fn read(&self, _path: &str) -> Answer<Contents> {
        Answer::Unknown
    }
    /// The names in a directory, sorted; `Unknown` when there are too many.
    fn list(&self, _dir: &str) -> Answer<Vec<String>> {
        Answer::Unknown
    }
    /// What of this work in the repository around `dir` (for [`Work::Everything`]: wherever it stands) is nowhere else.
    /// `Known` only after all of it was looked at.
    fn loss(&self, _dir: &str, _work: Work<'_>) -> Answer<Loss> {
        Answer::Unknown
    }
}

/// One question that was asked and its answer, kept in the record so that the judgement can be repeated. Paths that lead
/// nowhere else (no link on the way) are not listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The path or variable.
    pub subject: String,
    /// What was looked at: `real_path`, `kind`, `var`, `read`, `list`, or the work that could be lost (`changes`, ...).
    pub question: &'static str,
    /// The answer in words. Variables are recorded as `set`, `absent` or `unknown`, never with their value.
    pub answer: String,
}

/// Most questions that are kept; a judgement asks about far fewer things.
const MAX_LOOKS: usize = 256;

/// Asks another world, and writes down what was asked and answered.
pub(crate) struct Recorder<'w> {
    /// What a person added to the tables: it is looked up wherever the world is.
    pub(crate) added: &'w Added,
    /// Globs of paths that built-in rows on protected parts of a project are silent about.
    pub(crate) unprotected: &'w [String],
    inner: &'w dyn World,
    looks: RefCell<Vec<Look>>,
}

impl<'w> Recorder<'w> {
    pub(crate) fn new(inner: &'w dyn World, settings: &'w Settings) -> Self {
        Self {
            added: &settings.added,
            unprotected: &settings.unprotected,
            inner,
            looks: RefCell::new(Vec::new()),
        }
    }

    pub(crate) fn into_looks(self) -> Vec<Look> {
        self.looks.into_inner()
    }

    fn record<T>(&self, question: &'static str, subject: &str, answer: &Answer<T>, known: impl Fn(&T) -> String) {
        let mut looks = self.looks.borrow_mut();
        let asked = |look: &Look| look.question == question && look.subject == subject;
        if looks.len() >= MAX_LOOKS || looks.iter().any(asked) {
            return;
        }
        looks.push(Look {
            subject: subject.into(),
            question,
            answer: match answer {
                Answer::Known(value) => known(value),
                Answer::Absent => "absent".to_string(),
                Answer::Unknown => "unknown".to_string(),
            },
        });
    }
}

impl Recorder<'_> {
    /// The facts about a program, by its base name.
    pub(crate) fn program(&self, name: &str) -> Option<&'static Program> {
        facts::program(name, self.added)
    }
    pub(crate) fn home(&self) -> &str {
        self.inner.home()
    }
    pub(crate) fn user(&self) -> &str {
        self.inner.user()
    }
    pub(crate) fn var(&self, name: &str) -> Answer<String> {
        let answer = self.inner.var(name);
        self.record("var", name, &answer, |_| "set".to_string());
        answer
    }
    pub(crate) fn real_path(&self, path: &str) -> Answer<String> {
        let answer = self.inner.real_path(path);
        // A path that leads nowhere else is the usual case: a record without the look says so.
        if !matches!(&answer, Answer::Known(real) if real == path) {
            self.record("real_path", path, &answer, Clone::clone);
        }
        answer
    }
    pub(crate) fn kind(&self, path: &str) -> Answer<FileKind> {
        let answer = self.inner.kind(path);
        let word = |kind: &FileKind| match kind {
            FileKind::File => "file".to_string(),
            FileKind::Dir => "directory".to_string(),
            FileKind::Other => "other".to_string(),
        };
        self.record("kind", path, &answer, word);
        answer
    }
    pub(crate) fn own_dirs(&self) -> &[String] {
        self.inner.own_dirs()
    }
    pub(crate) fn read(&self, path: &str) -> Answer<Contents> {
        let answer = self.inner.read(path);
        self.record("read", path, &answer, |c| match c.digest.as_str() {
            "" => alloc::format!("{} bytes, too long", c.bytes),
            digest => alloc::format!("sha256:{digest}"),
        });
        answer
    }
    pub(crate) fn list(&self, dir: &str) -> Answer<Vec<String>> {
        let answer = self.inner.list(dir);
        self.record("list", dir, &answer, |names| alloc::format!("{} names", names.len()));
        answer
    }
    pub(crate) fn loss(&self, dir: &str, work: Work<'_>) -> Answer<Loss> {
        let answer = self.inner.loss(dir, work);
        let words = |loss: &Loss| match loss.is_nothing() {
            true => "nothing".to_string(),
            false => loss.words(),
        };
        self.record(work.question(), &work.subject(dir), &answer, words);
        answer
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec::Vec;

    use super::{Answer, FileKind, Ignored, Loss, MAX_LOOKS, Recorder, Work, size};
    use crate::Settings;
    use crate::tests::Table;

    #[test]
    fn work_is_asked_for_by_a_name_and_a_place() {
        let paths: Vec<String> = ["/a".into(), "/b".into()].into();
        let untracked = |below| Work::Untracked {
            below,
            ignored: Ignored::No,
        };
        for (work, question, subject) in [
            (Work::Changes(&[]), "changes", "/d"),
            (Work::Changes(&paths), "changes", "/a /b"),
            (untracked(&[]), "untracked", "/d"),
            (untracked(&paths), "untracked", "/a /b"),
            (Work::Modules(&[]), "changes", "/d"),
            (Work::Modules(&paths), "changes", "/a /b"),
            (Work::Stash(Some(1)), "stashes", "/d"),
            (Work::Merge, "changes", "/d"),
            (Work::Detached, "commits", "/d"),
            (Work::Branches(&paths), "commits", "/a /b in /d"),
            (Work::Commits("x"), "commits", "x in /d"),
            (Work::Replaced("x"), "replaced", "x in /d"),
            (Work::Everything("/a"), "only-copy", "/a"),
        ] {
            assert_eq!(work.question(), question, "{work:?}");
            assert_eq!(work.subject("/d"), subject, "{work:?}");
        }
    }

    #[test]
    fn sizes_are_told_in_the_unit_that_fits() {
        for (bytes, expected) in [
            (0, "0 bytes"),
            (999, "999 bytes"),
            (1_000, "1 kB"),
            (999_999, "999 kB"),
            (1_000_000, "1 MB"),
            (999_999_999, "999 MB"),
            (1_000_000_000, "1 GB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn names_are_followed_by_dots_where_there_are_more() {
        let names = |names: &[&str], [changed, untracked, commits, secrets]: [u32; 4]| {
            Loss {
                changed,
                untracked,
                commits,
                secrets,
                names: names.iter().map(|name| String::from(*name)).collect(),
                ..Loss::default()
            }
            .words()
        };
        for counts in [[2, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 2]] {
            assert!(names(&["a", "b"], counts).ends_with(": a, b"), "{counts:?}");
            assert!(names(&["a"], counts).ends_with(": a, …"), "{counts:?}");
        }
    }

    #[test]
    fn each_question_is_written_down_once_and_not_too_many() {
        let (table, settings) = (Table::new(), Settings::default());
        let recorder = Recorder::new(&table, &settings);
        assert_eq!(recorder.kind("/home/ann/proj/.git"), Answer::Known(FileKind::Dir));
        recorder.kind("/home/ann/proj/.git");
        recorder.list("/home/ann/proj/.git");
        recorder.real_path("/a");
        recorder.var("HOME");
        recorder.var("TERM");
        recorder.loss("/d", Work::Everything("/d/drafts"));
        recorder.read("/x");
        let looks = recorder.into_looks();
        let told: Vec<String> = looks
            .iter()
            .map(|look| alloc::format!("{} {}: {}", look.question, look.subject, look.answer))
            .collect();
        assert_eq!(
            told,
            [
                "kind /home/ann/proj/.git: directory",
                "list /home/ann/proj/.git: absent",
                "var HOME: absent",
                "var TERM: absent",
                "only-copy /d/drafts: 40 files that git does not keep",
                "read /x: unknown",
            ]
        );
        let recorder = Recorder::new(&table, &settings);
        for n in 0..MAX_LOOKS + 5 {
            recorder.kind(&alloc::format!("/{n}"));
        }
        assert_eq!(recorder.into_looks().len(), MAX_LOOKS);
    }
}
