//! Files of the machine: what runs them, and what their names do.

use alloc::string::String;
use alloc::vec::Vec;

use super::{deeds_on, effects_on, evaluated_on};
use crate::eval::look::{Source, named_interpreter};
use crate::tests::Table;
use crate::world::Recorder;
use crate::{Answer, FileKind, Loss, Settings, Work, World};

fn deletes(table: Table, text: &str) -> Vec<String> {
    let mut all: Vec<String> = deeds_on(table, text)
        .into_iter()
        .filter_map(|deed| Some(deed.strip_prefix("delete ")?.replace("/home/ann/proj/", "")))
        .collect();
    all.sort();
    all
}

#[test]
fn what_a_file_holds_is_run() {
    let table = || {
        Table::new()
            .with_file("a.sh", "rm x")
            .with_file("b.py", "import os\nos.remove('y')\n")
    };
    for (text, expected) in [
        ("sh a.sh", &["x"][..]),
        ("./a.sh", &["x"]),
        (". ./a.sh", &["x"]),
        ("sh < a.sh", &["x"]),
        ("cat a.sh | sh", &["x"]),
        ("sh *.sh", &["x"]),
        ("python3 b.py", &["y"]),
        ("cp a.sh c.sh; sh c.sh", &["x"]),
        ("sh c.sh", &[]),
        ("sh \"$X\"", &[]),
        ("echo ls > a.sh; sh a.sh", &[]),
    ] {
        assert_eq!(deletes(table(), text), expected, "{text}");
    }
}

#[test]
fn files_start_one_another_up_to_a_bound() {
    let table = Table::new()
        .with_file("1.sh", "sh 2.sh")
        .with_file("2.sh", "sh 3.sh; rm b")
        .with_file("3.sh", "sh 4.sh; rm c")
        .with_file("4.sh", "rm d");
    assert_eq!(deletes(table, "sh 1.sh"), ["b", "c"]);
    let many = |count: usize| {
        let (mut table, mut text) = (Table::new(), String::new());
        for n in 0..count {
            table = table.with_file(&alloc::format!("{n}.sh"), &alloc::format!("rm f{n}"));
            text += &alloc::format!("sh {n}.sh; sh {n}.sh; ");
        }
        deletes(table, &text).len()
    };
    assert_eq!((many(16), many(18)), (16, 16));
}

#[test]
fn a_place_in_a_file_is_a_line() {
    let source = Source::new("/d/f", "ab\ncd\n\nx");
    for (line, start) in [(0, Some(0)), (1, Some(3)), (2, Some(6)), (3, Some(7)), (4, None)] {
        assert_eq!(source.start_of(line), start, "{line}");
    }
    for (at, place) in [
        (0, "/d/f:1"),
        (2, "/d/f:1"),
        (3, "/d/f:2"),
        (6, "/d/f:3"),
        (7, "/d/f:4"),
        (99, "/d/f:4"),
    ] {
        assert_eq!(source.place(shell::Span { start: at, end: at }), place, "{at}");
    }
    assert_eq!((source.folder(), source.path()), (Some("/d"), "/d/f"));
}

#[test]
fn the_first_line_names_the_language() {
    let (table, settings) = (Table::new(), Settings::default());
    let recorder = Recorder::new(&table, &settings);
    for (line, expected) in [
        ("#!/bin/sh", Some("sh")),
        ("#!/bin/bash -e\nx", Some("sh")),
        ("#!/usr/bin/env python3", Some("python")),
        ("#!/usr/bin/env -S python3.11 -u", Some("python")),
        ("#!/usr/bin/env A=b perl", Some("perl")),
        ("#!/usr/bin/rm", None),
        ("#!/usr/bin/nothing-known", None),
        ("#!", None),
        ("rm x", None),
        ("# !/bin/sh", None),
    ] {
        assert_eq!(named_interpreter(line, &recorder), expected, "{line}");
    }
}

#[test]
fn what_git_would_run_of_a_repository() {
    let hook = |name: &str| Table::new().with_file(name, "rm x");
    const USUAL: &str = ".git/hooks/pre-commit";
    for (table, text, expected) in [
        (hook(USUAL), "git commit -m a", &["x"][..]),
        (hook(USUAL), "git status", &[]),
        (hook(USUAL), "git -c core.hooksPath=/none commit -m a", &[]),
        (hook("/h/pre-commit"), "git -c core.hookspath=/h commit -m a", &["x"]),
        (
            hook("/home/ann/h/pre-commit"),
            "git -c core.hooksPath=~/h commit -m a",
            &["x"],
        ),
        (
            hook("k/pre-commit").with_file(".git/config", "[core]\n\thooksPath = k\n"),
            "git commit -m a",
            &["x"],
        ),
        (
            hook("k/pre-commit").with_file(".git/config", "[other]\n\thooksPath = k\n"),
            "git commit -m a",
            &[],
        ),
        (
            Table::new().with_file(".git/config", "[alias]\n\tgo = !rm x\n\tc = clean -f\n"),
            "git go",
            &["x"],
        ),
        (
            Table::new().with_file(".git/config", "[alias] go = \"!rm \\\"x y\\\"\"\n"),
            "git go",
            &["x y"],
        ),
        (
            Table::new().with_file(".git/config", "[alias]\n\tgo = !ls\n\tgo = !rm x\n"),
            "git go",
            &["x"],
        ),
        (
            Table::new().with_file("/home/ann/.gitconfig", "[alias]\n\tgo = !rm\n"),
            "git go x",
            &["x"],
        ),
        (
            Table::new()
                .with_file(".git/config", "[include]\n\tpath = more\n")
                .with_file(".git/more", "[alias]\n\tgo = !rm x\n"),
            "git go",
            &["x"],
        ),
        (
            Table::new()
                .with_file(".git/config", "[includeIf \"gitdir:~/\"]\n\tpath = ~/more\n")
                .with_file("/home/ann/more", "[alias]\n\tgo = !rm x\n"),
            "git go",
            &["x"],
        ),
        (Table::new(), "git -c alias.go='!rm x' go", &["x"]),
        (Table::new(), "git -c alias.go='!ls' -c alias.GO='!rm x' go", &["x"]),
    ] {
        assert_eq!(deletes(table, text), expected, "{text}");
    }
}

#[test]
fn a_worktree_has_the_settings_of_where_it_came_from() {
    let table = || {
        Table::new()
            .with_file(".git", "gitdir: /r/.git/worktrees/w\n")
            .with_file("/r/.git/worktrees/w/commondir", "../..\n")
            .with_file("/r/.git/config", "[alias]\n\tgo = !rm x\n")
    };
    assert_eq!(deletes(table(), "git go"), ["x"]);
    let module = Table::new()
        .with_file(".git", "gitdir: ../m\n")
        .with_file("/home/ann/m/config", "[alias]\n\tgo = !rm x\n");
    assert_eq!(deletes(module, "git go"), ["x"]);
    let odd = Table::new()
        .with_file(".git", "elsewhere\n")
        .with_file("/home/ann/m/config", "[alias]\n\tgo = !rm x\n");
    assert!(deletes(odd, "git go").is_empty());
}

#[test]
fn a_pattern_stands_for_the_names_that_are_there() {
    let table = || {
        Table::new()
            .with_file("-rf", "")
            .with_file("a.txt", "")
            .with_file("d/-x", "")
            .with_file(".h", "")
    };
    let injected = |text: &str| {
        effects_on(table(), text)
            .iter()
            .any(|e| e.starts_with("do option.injected -rf"))
    };
    for (text, expected) in [
        ("rm *", true),
        ("rm ?rf", true),
        ("rm ./*", false),
        ("rm a*", false),
        ("rm d/*", false),
        ("cd d; rm *", false),
    ] {
        assert_eq!(injected(text), expected, "{text}");
    }
    let matches = |pattern: &str| {
        evaluated_on(table(), &alloc::format!("set -- {pattern}"), |eval, _| {
            let first = eval.state.positional.first().cloned().unwrap_or_default();
            eval.matches(&first)
                .map(|all| all.join(" ").replace("/home/ann/proj/", ""))
        })
    };
    for (pattern, expected) in [
        ("*", Some("-rf a.txt d")),
        ("a*", Some("a.txt")),
        ("*/*", Some("d/-x")),
        ("d/*", Some("d/-x")),
        (".*", Some(".git .h")),
        ("x*", Some("")),
        ("a.txt", None),
        ("$X*", None),
    ] {
        let got = matches(pattern).map(|all| all.replace(".git ", ""));
        assert_eq!(
            got.as_deref(),
            expected.map(|e| e.trim_start_matches(".git ")),
            "{pattern}"
        );
    }
    let many = |count: usize| {
        let mut table = Table::new();
        for n in 0..count {
            table = table.with_file(&alloc::format!("m/{n}"), "");
        }
        evaluated_on(table, "set -- m/*", |eval, _| {
            let first = eval.state.positional.first().cloned().unwrap_or_default();
            eval.matches(&first).map(|all| all.len())
        })
    };
    assert_eq!((many(256), many(257)), (Some(256), None));
}

#[test]
fn what_is_put_into_a_folder_is_written_by_its_name() {
    let table = || {
        Table::new()
            .with_file("k/.ssh/authorized_keys", "")
            .with_file("k/.bashrc", "")
            .with_file("k/notes", "")
            .with_file("/srv/d/x", "")
    };
    let writes = |text: &str| {
        let mut all: Vec<String> = deeds_on(table(), text)
            .into_iter()
            .filter_map(|deed| Some(deed.strip_prefix("write ")?.into()))
            .collect();
        all.sort();
        all.join(" ")
    };
    for (text, expected) in [
        (
            "cp -r k/. ~",
            "/home/ann /home/ann/.bashrc /home/ann/.ssh /home/ann/.ssh/authorized_keys",
        ),
        ("cp -r k ~", "/home/ann"),
        (
            "cp k/.* ~/",
            "/home/ann /home/ann/.bashrc /home/ann/.ssh /home/ann/.ssh/authorized_keys",
        ),
        ("cp k/.bashrc ~/", "/home/ann /home/ann/.bashrc"),
        ("cp k/notes ~/", "/home/ann"),
        ("cp k/.bashrc \"$X\"/", ""),
        ("cp k/.bashrc ~/*/", "/home/ann/*"),
        ("cp authorized_keys ~/.ss*/", "/home/ann/.ss*"),
        ("cp k/.bashrc ..", "/home/ann /home/ann/.bashrc"),
        ("cp k/notes /srv/d", "/srv/d"),
        ("cp a b", "/home/ann/proj/b"),
        (
            "rsync -a k/ ~",
            "/home/ann /home/ann/.bashrc /home/ann/.ssh /home/ann/.ssh/authorized_keys",
        ),
        ("rsync -a k ~", "/home/ann"),
    ] {
        assert_eq!(writes(text), expected, "{text}");
    }
}

#[test]
fn all_files_moved_to_one_name_collide() {
    let collide = |text: &str| {
        effects_on(Table::new().with_file("/srv/d/x", ""), text)
            .join("\n")
            .contains("files.collide")
    };
    assert!(collide("mv * /srv/new"));
    assert!(!collide("mv * /srv/d"), "a folder is there");
    assert!(!collide("mv * sub"), "in the project");
    assert!(!collide("mv a b /srv/new"));
    assert!(!collide("cp * /srv/new"));
    assert!(!collide("echo x > /srv/new; mv * /srv/new"));
}

/// A machine with one link that writes down what work it is asked about.
struct Linked {
    table: Table,
    works: core::cell::RefCell<Vec<String>>,
}

impl World for Linked {
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
    fn list(&self, dir: &str) -> Answer<Vec<String>> {
        self.table.list(dir)
    }
    fn own_dirs(&self) -> &[String] {
        self.table.own_dirs()
    }
    fn loss(&self, _: &str, work: Work<'_>) -> Answer<Loss> {
        self.works.borrow_mut().push(alloc::format!("{work:?}"));
        Answer::Known(Loss::default())
    }
}

fn works(table: Table, text: &str) -> String {
    let world = Linked {
        table,
        works: core::cell::RefCell::default(),
    };
    let settings = Settings::default();
    let recorder = Recorder::new(&world, &settings);
    crate::eval::Eval::new(&recorder, "/home/ann/proj").request(text);
    world.works.into_inner().join("; ").replace("/home/ann/proj", "P")
}

#[test]
fn what_lies_behind_a_link_is_lost_where_a_program_enters_it() {
    let table = || Table::new().with_link("/home/ann/proj/now", "/home/ann/proj/r/7");
    for (text, expected) in [
        ("find now -delete", "Everything(\"P/now\")"),
        ("find now/ -delete", "Everything(\"P/r/7\")"),
        ("find -L now -delete", "Everything(\"P/r/7\")"),
        ("find -H now -delete", "Everything(\"P/r/7\")"),
        ("find a/ -delete", "Everything(\"P/a\")"),
        ("rm -rf now", "Everything(\"P/now\")"),
    ] {
        assert_eq!(works(table(), text), expected, "{text}");
    }
}

#[test]
fn a_pattern_loses_what_each_of_its_names_loses() {
    let table = || {
        Table::new()
            .with_file("d/a", "")
            .with_file("d/b", "")
            .with_file("e", "")
    };
    for (text, expected) in [
        ("rm -rf d/*", "Everything(\"P/d/a\"); Everything(\"P/d/b\")"),
        ("rm -rf d/a*", "Everything(\"P/d/a\")"),
        ("rm -rf d/x*", ""),
        ("git checkout -- 'd/*'", "Changes([\"P/d\"])"),
        ("git checkout -- d", "Changes([\"P/d\"])"),
        ("git checkout -- '*'", "Changes([\"P\"])"),
        ("git clean -f e", "Untracked { below: [\"P/e\"], ignored: No }"),
        (
            "git branch -D x && git reset --hard",
            "Branches([\"refs/heads/x\"]); Changes([])",
        ),
        ("git update-ref -d refs/heads/x", "Branches([\"refs/heads/x\"])"),
    ] {
        assert_eq!(works(table(), text), expected, "{text}");
    }
    // Of very many the folder that they are in is looked at.
    let mut many = Table::new();
    for n in 0..300 {
        many = many.with_file(&alloc::format!("m/{n}"), "");
    }
    assert_eq!(works(many, "rm -rf m/*"), "Everything(\"P/m\")");
}

#[test]
fn a_word_that_may_be_a_branch_is_a_file_where_one_stands_there() {
    let table = || Table::new().with_file("src/a", "");
    let changes = |text: &str| works(table(), text).contains("Changes");
    assert!(changes("git checkout -- src"));
    assert!(!changes("git checkout topic"));
}

#[test]
fn only_what_can_bring_work_here_takes_the_proof_away() {
    let nothing = |text: &str| {
        let world = Linked {
            table: Table::new(),
            works: core::cell::RefCell::default(),
        };
        let settings = Settings::default();
        let recorder = Recorder::new(&world, &settings);
        let mut eval = crate::eval::Eval::new(&recorder, "/home/ann/proj");
        eval.request(text);
        let last = eval.effects.last();
        last.is_some_and(|effect| effect.tags.has("nothing-lost"))
    };
    for (text, expected) in [
        ("git reset --hard HEAD", true),
        ("rm -rf src", true),
        ("./tool; rm -rf src", false),
        ("echo x > .gitignore; rm -rf src", false),
        ("echo x > a.gitignore; rm -rf src", true),
        ("rm .git/info/exclude; rm -rf src", false),
        ("rm a; rm -rf src", true),
        ("git stash pop; rm -rf src", false),
    ] {
        assert_eq!(nothing(text), expected, "{text}");
    }
}
