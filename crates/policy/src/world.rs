//! The questions that a judgement may ask about the machine.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;

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
}

/// One question that was asked and its answer, kept in the record so that the judgement can be repeated. Paths that lead
/// nowhere else (no link on the way) are not listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The path or variable.
    pub subject: String,
    /// What was looked at: `real_path`, `kind`, `var`.
    pub question: &'static str,
    /// The answer in words. Variables are recorded as `set`, `absent` or `unknown`, never with their value.
    pub answer: String,
}

/// Most questions that are kept; a judgement asks about far fewer things.
const MAX_LOOKS: usize = 256;

/// Asks another world, and writes down what was asked and answered.
pub(crate) struct Recorder<'w> {
    inner: &'w dyn World,
    looks: RefCell<Vec<Look>>,
}

impl<'w> Recorder<'w> {
    pub(crate) fn new(inner: &'w dyn World) -> Self {
        Self {
            inner,
            looks: RefCell::new(Vec::new()),
        }
    }

    pub(crate) fn into_looks(self) -> Vec<Look> {
        self.looks.into_inner()
    }

    fn record<T>(&self, question: &'static str, subject: &str, answer: &Answer<T>, known: impl Fn(&T) -> String) {
        let answer = match answer {
            Answer::Known(value) => known(value),
            Answer::Absent => "absent".to_string(),
            Answer::Unknown => "unknown".to_string(),
        };
        let mut looks = self.looks.borrow_mut();
        if looks.len() < MAX_LOOKS && !looks.iter().any(|l| l.question == question && l.subject == subject) {
            looks.push(Look {
                subject: subject.into(),
                question,
                answer,
            });
        }
    }
}

impl World for Recorder<'_> {
    fn home(&self) -> &str {
        self.inner.home()
    }
    fn user(&self) -> &str {
        self.inner.user()
    }
    fn var(&self, name: &str) -> Answer<String> {
        let answer = self.inner.var(name);
        self.record("var", name, &answer, |_| "set".to_string());
        answer
    }
    fn real_path(&self, path: &str) -> Answer<String> {
        let answer = self.inner.real_path(path);
        // A path that leads nowhere else is the usual case: a record without the look says so.
        if !matches!(&answer, Answer::Known(real) if real == path) {
            self.record("real_path", path, &answer, Clone::clone);
        }
        answer
    }
    fn kind(&self, path: &str) -> Answer<FileKind> {
        let answer = self.inner.kind(path);
        let word = |kind: &FileKind| match kind {
            FileKind::File => "file".to_string(),
            FileKind::Dir => "directory".to_string(),
            FileKind::Other => "other".to_string(),
        };
        self.record("kind", path, &answer, word);
        answer
    }
    fn own_dirs(&self) -> &[String] {
        self.inner.own_dirs()
    }
}
