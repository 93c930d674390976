//! The machine as a record remembers it: the answers that a judgement used, for judging the same request again.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;

use crate::{Answer, Contents, FileKind, Loss, Work, World};

/// A world of kept answers. What was not kept is unknown, which no rule reads as harmless, and is named afterwards.
#[derive(Debug, Default)]
pub struct Recorded {
    /// The person's home directory.
    pub home: String,
    /// The person's login name.
    pub user: String,
    /// Directories that belong to Tollgate itself.
    pub own: Vec<String>,
    /// The answers, by question and subject.
    pub answers: BTreeMap<(String, String), String>,
    /// Files that still hold what they held then.
    pub files: BTreeMap<String, Contents>,
    /// What could not be answered as it was then.
    inexact: RefCell<BTreeSet<&'static str>>,
}

impl Recorded {
    /// A machine of which nothing is known but who the person is and what belongs to Tollgate.
    #[must_use]
    pub fn of(home: &str, user: &str, own: &[String]) -> Self {
        Self {
            home: home.into(),
            user: user.into(),
            own: own.to_vec(),
            ..Self::default()
        }
    }

    /// Why a judgement of this world may differ from the one of then, one clause each.
    #[must_use]
    pub fn inexact(&self) -> Vec<&'static str> {
        self.inexact.borrow().iter().copied().collect()
    }

    fn kept(&self, question: &str, subject: &str) -> Option<&str> {
        let key = (question.to_string(), subject.to_string());
        self.answers.get(&key).map(String::as_str)
    }

    fn not_kept<T>(&self, why: &'static str) -> Answer<T> {
        self.inexact.borrow_mut().insert(why);
        Answer::Unknown
    }
}

impl World for Recorded {
    fn home(&self) -> &str {
        &self.home
    }
    fn user(&self) -> &str {
        &self.user
    }
    fn var(&self, name: &str) -> Answer<String> {
        match self.kept("var", name) {
            Some("absent") => Answer::Absent,
            Some("unknown") => Answer::Unknown,
            Some(_) => self.not_kept("variables are kept without their values"),
            None => self.not_kept("a variable was not asked for then"),
        }
    }
    fn real_path(&self, path: &str) -> Answer<String> {
        match self.kept("real_path", path) {
            Some("absent") => Answer::Absent,
            Some("unknown") => Answer::Unknown,
            Some(real) => Answer::Known(real.into()),
            // Paths that lead nowhere else are not kept.
            None => Answer::Known(path.into()),
        }
    }
    fn kind(&self, path: &str) -> Answer<FileKind> {
        match self.kept("kind", path) {
            Some("file") => Answer::Known(FileKind::File),
            Some("directory") => Answer::Known(FileKind::Dir),
            Some("other") => Answer::Known(FileKind::Other),
            Some("absent") => Answer::Absent,
            Some(_) => Answer::Unknown,
            None => self.not_kept("a path was not looked at then"),
        }
    }
    fn own_dirs(&self) -> &[String] {
        &self.own
    }
    fn read(&self, path: &str) -> Answer<Contents> {
        match (self.kept("read", path), self.files.get(path)) {
            (Some("absent"), _) => Answer::Absent,
            (Some("unknown"), _) => Answer::Unknown,
            (Some(_), Some(contents)) => Answer::Known(contents.clone()),
            (Some(_), None) => self.not_kept("a file that was read has changed since"),
            (None, _) => self.not_kept("a file was not read then"),
        }
    }
    fn list(&self, dir: &str) -> Answer<Vec<String>> {
        match self.kept("list", dir) {
            Some("absent") => Answer::Absent,
            Some("unknown") => Answer::Unknown,
            Some("0 names") => Answer::Known(Vec::new()),
            _ => self.not_kept("names in folders are not kept"),
        }
    }
    fn loss(&self, dir: &str, work: Work<'_>) -> Answer<Loss> {
        match self.kept(work.question(), &work.subject(dir)) {
            Some("nothing") => Answer::Known(Loss::default()),
            Some("absent") => Answer::Absent,
            Some("unknown") => Answer::Unknown,
            // How much it was says the old record; that it was something is what a rule asks.
            Some(_) => Answer::Known(Loss::more()),
            None => self.not_kept("what would be lost was not looked at then"),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn world(answers: &[(&str, &str, &str)]) -> Recorded {
        let answers = answers
            .iter()
            .map(|(question, subject, answer)| (((*question).into(), (*subject).into()), (*answer).into()));
        Recorded {
            answers: answers.collect(),
            ..Recorded::default()
        }
    }

    #[test]
    fn kept_answers_are_given_again_and_others_are_unknown_and_named() {
        let world = world(&[
            ("kind", "/a", "directory"),
            ("kind", "/b", "absent"),
            ("real_path", "/l", "/a"),
            ("var", "PATH", "set"),
            ("changes", "/w", "nothing"),
            ("only-copy", "/w/x", "1 file that git does not keep: x"),
        ]);
        assert_eq!(world.kind("/a"), Answer::Known(FileKind::Dir));
        assert_eq!(world.kind("/b"), Answer::Absent);
        assert_eq!(world.real_path("/l"), Answer::Known("/a".into()));
        assert_eq!(world.real_path("/other"), Answer::Known("/other".into()));
        assert_eq!(world.loss("/w", Work::Changes(&[])), Answer::Known(Loss::default()));
        assert_eq!(world.loss("/w", Work::Everything("/w/x")), Answer::Known(Loss::more()));
        assert!(world.inexact().is_empty());
        assert_eq!(world.var("PATH"), Answer::Unknown);
        assert_eq!(world.kind("/c"), Answer::Unknown);
        assert_eq!(
            world.inexact(),
            vec![
                "a path was not looked at then",
                "variables are kept without their values"
            ]
        );
    }

    #[test]
    fn every_answer_comes_back_as_it_was() {
        let world = world(&[
            ("var", "A", "absent"),
            ("var", "B", "unknown"),
            ("real_path", "/a", "absent"),
            ("real_path", "/b", "unknown"),
            ("kind", "/a", "file"),
            ("kind", "/b", "other"),
            ("kind", "/c", "unknown"),
            ("read", "/a", "absent"),
            ("read", "/b", "unknown"),
            ("list", "/a", "absent"),
            ("list", "/b", "unknown"),
            ("list", "/c", "0 names"),
            ("changes", "/a", "absent"),
            ("changes", "/b", "unknown"),
        ]);
        assert_eq!((world.var("A"), world.var("B")), (Answer::Absent, Answer::Unknown));
        assert_eq!(world.real_path("/a"), Answer::Absent);
        assert_eq!(world.real_path("/b"), Answer::Unknown);
        assert_eq!(world.kind("/a"), Answer::Known(FileKind::File));
        assert_eq!(world.kind("/b"), Answer::Known(FileKind::Other));
        assert_eq!(world.kind("/c"), Answer::Unknown);
        assert_eq!((world.read("/a"), world.read("/b")), (Answer::Absent, Answer::Unknown));
        assert_eq!((world.list("/a"), world.list("/b")), (Answer::Absent, Answer::Unknown));
        assert_eq!(world.list("/c"), Answer::Known(Vec::new()));
        assert_eq!(world.loss("/a", Work::Changes(&[])), Answer::Absent);
        assert_eq!(world.loss("/b", Work::Changes(&[])), Answer::Unknown);
        assert_eq!(world.inexact(), Vec::<&str>::new());
        assert_eq!(world.list("/d"), Answer::Unknown);
        assert_eq!(world.read("/d"), Answer::Unknown);
        assert_eq!(world.var("C"), Answer::Unknown);
        assert_eq!(world.loss("/d", Work::Merge), Answer::Unknown);
        assert_eq!(world.inexact().len(), 4);
    }

    #[test]
    fn who_the_person_is_is_given() {
        let world = Recorded::of("/home/ann", "ann", &["/own".into()]);
        assert_eq!((world.home(), world.user()), ("/home/ann", "ann"));
        assert_eq!(world.own_dirs(), ["/own"]);
    }

    #[test]
    fn a_file_counts_only_where_it_holds_what_it_held() {
        let mut world = world(&[("read", "/s", "sha256:aa")]);
        assert_eq!(world.read("/s"), Answer::Unknown);
        let contents = Contents {
            text: Some("x".into()),
            digest: "aa".into(),
            bytes: 1,
        };
        world.files.insert("/s".into(), contents.clone());
        assert_eq!(world.read("/s"), Answer::Known(contents));
    }
}
