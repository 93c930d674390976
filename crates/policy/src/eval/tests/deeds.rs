//! What is done, and to what.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use core::cell::RefCell;

use super::{deeds, effects, evaluated};
use crate::eval::Eval;
use crate::tests::Table;
use crate::world::Recorder;
use crate::{Answer, FileKind, Kind, Loss, Request, Settings, Subject, Work, World, judge};

/// The deeds of this verb.
fn with_verb(verb: &str, text: &str) -> Vec<String> {
    let mut all: Vec<String> = deeds(text).into_iter().filter(|deed| deed.starts_with(verb)).collect();
    all.sort();
    all
}

#[test]
fn a_credential_that_is_named_to_a_program_is_read() {
    const KEY: &str = "read /home/ann/.ssh/id_rsa";
    for (text, expected) in [
        ("tool ~/.ssh/id_rsa", &[KEY][..]),
        ("tool --key=/home/ann/.ssh/id_rsa", &[KEY]),
        ("tool key=/home/ann/.ssh/id_rsa", &[KEY]),
        ("tool -k=", &[]),
        ("tool @/home/ann/.ssh/id_rsa", &[KEY]),
        ("tool --data=@/home/ann/.ssh/id_rsa", &[KEY]),
        ("tool file:///home/ann/.ssh/id_rsa", &[KEY]),
        ("tool fileb:///home/ann/.ssh/id_rsa", &[KEY]),
        ("tool '~/.ssh/id_rsa'", &[KEY]),
        ("tool ../.ssh/id_rsa", &[KEY]),
        ("tool '/home/ann/.ssh/*'", &[]),
        ("tool 'say /home/ann/.ssh/id_rsa'", &[]),
        ("tool https://example.org/.ssh/id_rsa", &[]),
        ("tool /home/ann/notes", &[]),
    ] {
        assert_eq!(with_verb("read", text), expected, "{text}");
    }
}

#[test]
fn what_an_option_of_an_unlisted_program_names_is_written() {
    for (text, expected) in [
        ("tool -o out x", &["write /home/ann/proj/out"][..]),
        ("tool --output /a/b", &["write /a/b"]),
        (
            "tool --write x --out y",
            &["write /home/ann/proj/x", "write /home/ann/proj/y"],
        ),
        ("tool -o -x out", &[]),
        ("tool out -o", &[]),
        ("tool -p out", &[]),
    ] {
        assert_eq!(with_verb("write", text), expected, "{text}");
    }
}

#[test]
fn a_command_that_is_not_known_points_at_something() {
    for (text, tags) in [
        ("$X -rf ~", &["recursive", "on-root-or-home"][..]),
        ("$X -Rf /", &["recursive", "on-root-or-home"]),
        ("$X --recursive /etc", &["recursive", "on-root-or-home"]),
        ("$X -r /etc", &["on-root-or-home"]),
        ("$X -f ~/.ssh/id_rsa", &["on-credential"]),
        ("$X --rf x", &[]),
        ("$X fr x", &[]),
        ("$X a/b", &[]),
    ] {
        let all = effects(text).join("\n");
        for tag in ["recursive", "on-root-or-home", "on-credential"] {
            assert_eq!(all.contains(tag), tags.contains(&tag), "{tag} of {text}: {all}");
        }
    }
}

#[test]
fn what_is_put_into_a_folder_has_a_name_there() {
    for (text, expected) in [
        (
            "cp a authorized_keys ~/.ssh",
            &["write /home/ann/.ssh", "write /home/ann/.ssh/authorized_keys"][..],
        ),
        (
            "cp -t ~/.ssh config",
            &["write /home/ann/.ssh", "write /home/ann/.ssh/config"],
        ),
        ("cp x/.bashrc ~/", &["write /home/ann", "write /home/ann/.bashrc"]),
        ("cp notes ~/", &["write /home/ann"]),
        ("cp a b", &["write /home/ann/proj/b"]),
        ("mv x/.bashrc ~", &["write /home/ann", "write /home/ann/.bashrc"]),
        ("cp ~/.bashrc .", &["write /home/ann/proj"]),
    ] {
        assert_eq!(with_verb("write", text), expected, "{text}");
    }
}

/// A map as one line.
fn line(map: &BTreeMap<String, String>) -> String {
    let pairs: Vec<String> = map.iter().map(|(new, old)| alloc::format!("{new}<{old}")).collect();
    pairs.join(" ").replace("/home/ann/proj/", "")
}

#[test]
fn what_was_moved_is_known_by_its_old_name() {
    for (text, expected) in [
        ("mv a b", "b<a"),
        ("mv a b; mv b c", "b<a c<a"),
        ("mv -t /x a b", "/x/a<a /x/b<b"),
        ("mv a /x/", "/x/a<a"),
        ("mv a b .git", ".git/a<a .git/b<b"),
        ("mv d/e/f .", "f<d/e/f"),
        ("mv a a", ""),
        ("mv a* b", ""),
        ("mv $X b", ""),
        ("mv a $X/b", ""),
        ("cp a b", ""),
    ] {
        evaluated(text, |eval, _| assert_eq!(line(&eval.state.moved), expected, "{text}"));
    }
}

#[test]
fn what_a_link_stands_for() {
    for (text, expected) in [
        ("ln -s /x b", "b</x"),
        ("ln -s /x/y .git", ".git/y</x/y"),
        ("ln -s /x/y d/", "d/y</x/y"),
        ("ln -s x b", "b<x"),
        ("ln -s b b", ""),
    ] {
        evaluated(text, |eval, _| assert_eq!(line(&eval.state.links), expected, "{text}"));
    }
    for (text, expected) in [
        ("ln -s /x b; rm b/c", "delete /x/c"),
        ("ln -s /x b; ln -s b/y c; rm c/z", "delete /x/y/z"),
        ("ln -s /x b; rm bc", "delete /home/ann/proj/bc"),
    ] {
        assert_eq!(with_verb("delete", text), [expected], "{text}");
    }
}

#[test]
fn what_a_copy_of_a_program_is() {
    for (text, expected) in [
        ("cp /bin/rm x; ./x a", "delete /home/ann/proj/a"),
        ("cp /bin/rm .git/; .git/rm a", "delete /home/ann/proj/a"),
    ] {
        assert!(deeds(text).iter().any(|d| d == expected), "{text}: {:?}", deeds(text));
    }
}

#[test]
fn what_a_container_shares_is_deleted_there() {
    for (text, expected) in [
        ("docker run -v /x:/d alpine rm /d/a", "delete /x/a"),
        ("docker run -v /x:/d:rw alpine rm /d/a", "delete /x/a"),
        ("docker run -v ./s:/d alpine rm /d/a", "delete /home/ann/proj/s/a"),
        ("docker run -v ~/s:/d -w /d alpine rm a", "delete /home/ann/s/a"),
        (
            "docker run --mount type=bind,source=/x,target=/d alpine rm /d/a",
            "delete /x/a",
        ),
        (
            "docker run --mount type=bind,src=/x,dst=/d alpine rm /d/a",
            "delete /x/a",
        ),
        ("docker run -v /x:/d -v /y:/d/e alpine rm /d/e/a", "delete /y/a"),
        ("docker run -v vol:/d -v /x:/e alpine rm /d/a", "delete /d/a"),
        ("docker run -v /x:/d alpine rm /da", "delete /da"),
        ("docker run -v /x:/d alpine rm /d/a; rm /d/b", "delete /d/b"),
    ] {
        assert!(deeds(text).iter().any(|d| d == expected), "{text}: {:?}", deeds(text));
    }
}

#[test]
fn a_path_is_what_the_directory_makes_of_it() {
    for (text, expected) in [
        ("rm a/../b", "delete /home/ann/proj/b"),
        ("rm ../../b", "delete /home/b"),
        ("rm ../../../../b", "delete /b"),
        ("cd .git; rm a", "delete /home/ann/proj/.git/a"),
        ("rm file:///x/a", "delete /x/a"),
        ("rm file://localhost/x/a", "delete /x/a"),
        ("rm '~/a'", "delete /home/ann/a"),
        ("rm '~x/a'", "delete /home/ann/proj/~x/a"),
        ("cd \"$X\"; rm /a", "delete /a"),
    ] {
        assert!(
            with_verb("delete", text).iter().any(|d| d == expected),
            "{text}: {:?}",
            deeds(text)
        );
    }
    assert!(with_verb("delete", "rm ''").is_empty());
}

/// The questions about work that could be lost.
fn asked(text: &str) -> String {
    let request = Request {
        kind: Kind::CommandRun,
        subject: Subject::Command(text.into()),
        cwd: "/home/ann/proj".into(),
    };
    let judgement = judge(&request, &Table::new(), &Settings::default());
    let about_work = |question: &str| {
        matches!(
            question,
            "changes" | "untracked" | "stashes" | "commits" | "replaced" | "only-copy"
        )
    };
    let asked = judgement.looks.iter().filter(|look| about_work(look.question));
    let asked: Vec<String> = asked
        .map(|look| alloc::format!("{} {}", look.question, look.subject))
        .collect();
    asked.join("; ").replace("/home/ann/proj", "P")
}

#[test]
fn the_world_is_asked_what_would_be_lost() {
    let mut wrong = Vec::new();
    for (text, expected) in [
        ("git reset --hard", "changes P"),
        ("git checkout -- a b/c", "replaced a in P; changes P/a; changes P/b/c"),
        ("git clean -f", "untracked P"),
        ("git clean -fd a b", "untracked P/a P/b"),
        ("git stash clear", "stashes P"),
        ("git stash drop", "stashes P"),
        ("git branch -D x", "commits refs/heads/x in P"),
        ("git branch -D x y", "commits refs/heads/x refs/heads/y in P"),
        ("git tag -d v1", "commits refs/tags/v1 in P"),
        ("git worktree remove --force ../w", "only-copy /home/ann/w"),
        ("git -C sub clean -f", "untracked P/sub"),
        ("GIT_DIR=/x git clean -f", ""),
        ("git --git-dir=/x clean -f", "untracked P"),
        ("git clean -f -e '!x'", "untracked P"),
        ("git clean -f \"$X\"", ""),
        ("rm -rf a", "only-copy P/a"),
        ("rm -rf a/ b", "only-copy P/a; only-copy P/b"),
        ("rm -rf /x", ""),
        ("mv a /x; rm -rf /x", "only-copy P/a"),
        ("mv a /x; rm -rf /x/b", "only-copy P/a/b"),
        ("mv a /x; rm -rf /xb", ""),
        ("rm -rf node_modules", ""),
        ("./build; git reset --hard", ""),
        (
            "git branch -D x; git reset --hard HEAD~1",
            "commits refs/heads/x in P; changes P; replaced HEAD~1 in P",
        ),
    ] {
        let got = asked(text);
        if got != expected {
            wrong.push(alloc::format!("{text}: {got}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// A machine that writes down what work it is asked about.
struct Asked {
    table: Table,
    works: RefCell<Vec<String>>,
}

impl World for Asked {
    fn home(&self) -> &str {
        self.table.home()
    }
    fn user(&self) -> &str {
        self.table.user()
    }
    fn var(&self, name: &str) -> Answer<String> {
        self.table.var(name)
    }
    fn real_path(&self, path: &str) -> Answer<String> {
        self.table.real_path(path)
    }
    fn kind(&self, path: &str) -> Answer<FileKind> {
        self.table.kind(path)
    }
    fn own_dirs(&self) -> &[String] {
        self.table.own_dirs()
    }
    fn loss(&self, _: &str, work: Work<'_>) -> Answer<Loss> {
        self.works.borrow_mut().push(alloc::format!("{work:?}"));
        Answer::Unknown
    }
}

/// The work that a text makes the world be asked about.
fn works(text: &str) -> String {
    let world = Asked {
        table: Table::new(),
        works: RefCell::default(),
    };
    let settings = Settings::default();
    let recorder = Recorder::new(&world, &settings);
    Eval::new(&recorder, "/home/ann/proj").request(text);
    world.works.into_inner().join("; ").replace("/home/ann/proj", "P")
}

#[test]
fn the_work_is_named_that_would_be_lost() {
    let wrong: Vec<String> = [
        ("git stash drop", "Stash(Some(0))"),
        ("git stash drop 2", "Stash(Some(2))"),
        ("git stash drop stash@{3}", "Stash(Some(3))"),
        ("git stash drop x", ""),
        ("git stash clear", "Stash(None)"),
        ("git clean -f", "Untracked { below: [], ignored: No }"),
        ("git clean -fx", "Untracked { below: [], ignored: Also }"),
        ("git clean -fX a", "Untracked { below: [\"P/a\"], ignored: Only }"),
        ("git merge --abort", "Merge"),
        ("git tag -d refs/tags/v1", "Branches([\"refs/tags/v1\"])"),
    ]
    .iter()
    .map(|(text, expected)| (text, expected, works(text)))
    .filter(|(_, expected, got)| got != *expected)
    .map(|(text, _, got)| alloc::format!("{text}: {got}"))
    .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

/// The labels of the first effect on a file that a tool names.
fn labels(path: &str) -> String {
    let request = Request {
        kind: Kind::FileRead,
        subject: Subject::File {
            path: path.into(),
            delete: false,
            content: None,
        },
        cwd: "/home/ann/proj".into(),
    };
    let judgement = judge(&request, &Table::new(), &Settings::default());
    judgement
        .effects
        .first()
        .map(crate::Effect::summary)
        .unwrap_or_default()
        .to_string()
}

#[test]
fn a_tool_means_the_home_directory_by_a_tilde() {
    assert!(labels("~/x").starts_with("read /home/ann/x "), "{}", labels("~/x"));
    assert!(labels("~").starts_with("read /home/ann "), "{}", labels("~"));
    assert!(
        labels("~x/y").starts_with("read /home/ann/proj/~x/y "),
        "{}",
        labels("~x/y")
    );
    // Nothing of it lies in the project.
    let above = labels("~/../bob/x");
    assert!(
        above.starts_with("read /home/bob/x ") && !above.contains("workspace"),
        "{above}"
    );
}
