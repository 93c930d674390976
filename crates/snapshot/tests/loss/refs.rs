//! Commits, branches, tags and stashes.

use std::fs;

use policy::{Answer, Work};
use tempfile::TempDir;

use crate::place::{Place, repository};

#[test]
fn commits_that_are_elsewhere_are_not_lost() {
    let place = repository();
    assert_eq!(place.known(Work::Commits("HEAD~1")).commits, 1);
    place.git(&["branch", "keep"]);
    assert!(place.known(Work::Commits("HEAD~1")).is_nothing());
    assert!(place.known(Work::Branches(&["refs/heads/keep".into()])).is_nothing());
    place.git(&["checkout", "-q", "keep"]);
    place.write("k", "k");
    place.commit("only here");
    place.git(&["checkout", "-q", "main"]);
    let loss = place.known(Work::Branches(&["refs/heads/keep".into()]));
    assert_eq!((loss.commits, loss.names), (1, vec!["only here".to_owned()]));
    place.git(&["tag", "v1", "keep"]);
    assert!(place.known(Work::Branches(&["refs/heads/keep".into()])).is_nothing());
    assert!(place.known(Work::Branches(&["refs/tags/v1".into()])).is_nothing());
}

#[test]
fn a_branch_that_is_not_there_is_absent_and_loses_nothing_beside_others() {
    let place = repository();
    let branch = |name: &str| format!("refs/heads/{name}");
    assert_eq!(place.loss(Work::Branches(&[branch("gone")])), Answer::Absent);
    assert_eq!(
        place.loss(Work::Branches(&[branch("gone"), branch("gone/too")])),
        Answer::Absent
    );
    place.git(&["checkout", "-q", "-b", "keep"]);
    place.write("k", "k");
    place.commit("only here");
    place.git(&["checkout", "-q", "main"]);
    let both = [branch("gone"), branch("keep")];
    assert_eq!(place.known(Work::Branches(&both)).commits, 1);
    place.git(&["pack-refs", "--all"]);
    assert_eq!(place.known(Work::Branches(&both)).commits, 1);
    assert_eq!(place.loss(Work::Branches(&[branch("gone")])), Answer::Absent);
    // Names for other names, and names that no reference can have.
    for name in ["@{-1}", "-", "a..b", ""] {
        assert_eq!(place.loss(Work::Branches(&[branch(name)])), Answer::Unknown, "{name}");
    }
    // Before the first commit, and where references are kept in another way, nothing is proved.
    fs::write(place.root.join(".git/HEAD"), "ref: refs/heads/.invalid\n").unwrap();
    assert_eq!(place.loss(Work::Branches(&[branch("gone")])), Answer::Unknown);
    fs::write(place.root.join(".git/HEAD"), "ref: refs/heads/unborn\n").unwrap();
    assert_eq!(place.loss(Work::Branches(&[branch("gone")])), Answer::Unknown);
}

#[test]
fn stashes_are_counted() {
    let place = repository();
    place.write("src/a.rs", "stashed\n");
    place.git(&["stash", "-q"]);
    assert_eq!(place.known(Work::Stash(None)).commits, 1);
}

#[test]
fn a_published_clone_loses_nothing() {
    let place = repository();
    let clone = place.root.parent().unwrap().join("clone");
    place.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    let clone = Place {
        _dir: TempDir::new().unwrap(),
        root: clone,
    };
    assert!(clone.everything(".").is_nothing());
    clone.write("src/a.rs", "more\n");
    clone.commit("not pushed");
    assert_eq!(clone.everything(".").commits, 1);
}

#[test]
fn a_linked_working_tree_keeps_its_commits_elsewhere() {
    let place = repository();
    place.git(&["worktree", "add", "-q", "../w7", "-b", "w7"]);
    let tree = Place {
        _dir: TempDir::new().unwrap(),
        root: place.root.parent().unwrap().join("w7"),
    };
    assert!(place.everything("../w7").is_nothing());
    tree.write("draft", "x");
    tree.write("src/a.rs", "changed\n");
    let loss = place.everything("../w7");
    assert_eq!((loss.changed, loss.untracked), (1, 1));
}

#[test]
fn branches_that_go_together_do_not_keep_one_another() {
    let place = repository();
    place.git(&["checkout", "-q", "-b", "t1"]);
    place.write("t", "t");
    place.commit("only on both");
    place.git(&["branch", "t2"]);
    place.git(&["checkout", "-q", "main"]);
    let both = ["refs/heads/t1".to_owned(), "refs/heads/t2".to_owned()];
    assert_eq!(place.known(Work::Branches(&both)).commits, 1);
    assert!(place.known(Work::Branches(&both[..1])).is_nothing());
    // A tag of the same name as a branch is another thing.
    place.git(&["tag", "main", "t1"]);
    place.git(&["branch", "-q", "-D", "t1", "t2"]);
    assert_eq!(place.known(Work::Branches(&["refs/tags/main".into()])).commits, 1);
}

#[test]
fn one_stash_is_one() {
    let place = repository();
    for text in ["first", "second"] {
        place.write("src/a.rs", text);
        place.git(&["stash", "-q", "-m", text]);
    }
    assert_eq!(place.known(Work::Stash(None)).commits, 2);
    let newest = place.known(Work::Stash(Some(0)));
    assert_eq!(newest.commits, 1);
    assert!(newest.names[0].contains("second"), "{:?}", newest.names);
    assert!(place.known(Work::Stash(Some(5))).is_nothing());
}

#[test]
fn commits_of_a_detached_working_tree_go_with_it() {
    let place = repository();
    place.git(&["worktree", "add", "-q", "--detach", "../side"]);
    let side = place.root.parent().unwrap().join("side");
    assert!(place.everything("../side").is_nothing());
    let beside = Place {
        _dir: TempDir::new().unwrap(),
        root: side,
    };
    beside.write("src/new.rs", "new");
    beside.commit("only here");
    assert_eq!(place.everything("../side").commits, 1);
    assert_eq!(beside.known(Work::Detached).commits, 1);
    assert!(place.known(Work::Detached).is_nothing());
    beside.git(&["branch", "kept"]);
    assert!(beside.known(Work::Detached).is_nothing());
}
