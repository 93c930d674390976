//! Layouts that are no plain repository.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};

use crate::place::{Place, print};

#[test]
fn a_linked_working_tree_has_its_own_index_and_shares_the_rest() {
    let place = Place::repository();
    place.run("git branch topic && git worktree add -q ../linked topic");
    let linked = place.at("../linked").canonicalize().unwrap();
    fs::write(linked.join("a"), "linked\n").unwrap();
    place.write("a", "main\n");
    let before = (print(&linked), print(&place.dir));
    let kept = place.keep_tree("../linked", false).unwrap();
    crate::place::run(&linked, "git reset -q --hard");
    place.back(&kept);
    assert_eq!((print(&linked), print(&place.dir)), before);
}

#[test]
fn a_stash_that_another_working_tree_drops_comes_back() {
    let place = Place::repository();
    place.run("git branch topic && git worktree add -q ../linked topic");
    place.write("a", "stashed\n");
    place.run("git stash -q");
    let before = print(&place.dir);
    let linked = place.at("../linked").canonicalize().unwrap();
    let tree = snapshot::Tree {
        dir: linked.clone(),
        ignored: false,
        commits: true,
    };
    let wanted = snapshot::Wanted {
        trees: vec![tree],
        paths: Vec::new(),
    };
    let cause = crate::place::cause(crate::place::now());
    let kept = snapshot::take(
        &place.store,
        &wanted,
        cause,
        snapshot::Known::default(),
        snapshot::Limits::default(),
    );
    let kept = kept.unwrap().unwrap();
    crate::place::run(&linked, "git stash drop -q && git gc -q --prune=now");
    place.back(&kept);
    assert_eq!(print(&place.dir), before);
}

#[test]
fn a_removed_working_tree_comes_back_with_what_was_in_it() {
    let place = Place::repository();
    place.run("git branch topic && git worktree add -q ../linked topic");
    let linked = place.at("../linked").canonicalize().unwrap();
    fs::write(linked.join("a"), "work\n").unwrap();
    let kept = place.keep(&["../linked", ".git/worktrees/linked"]);
    place.run("git worktree remove --force ../linked");
    assert!(!linked.exists());
    place.back(&kept);
    assert_eq!(fs::read_to_string(linked.join("a")).unwrap(), "work\n");
    let status = std::process::Command::new("git")
        .args(["status", "--short"])
        .current_dir(&linked)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&status.stdout), " M a\n");
}

#[test]
fn repositories_within_a_repository_come_back_whole() {
    let place = Place::repository();
    place.write("inner/f", "f\n");
    place.run("cd inner && git init -q -b main . && git add . && git commit -qm inner && echo g > g");
    let before = print(&place.at("inner"));
    let kept = place.keep(&["inner"]);
    fs::remove_dir_all(place.at("inner")).unwrap();
    place.back(&kept);
    assert_eq!(print(&place.at("inner")), before);
}

#[test]
fn a_whole_project_comes_back_with_its_repository() {
    let place = Place::new();
    place.write("p/f", "f\n");
    place.run("cd p && git init -q -b main . && git add . && git commit -qm one && echo g > g");
    let before = print(&place.at("p"));
    let kept = place.keep(&["p"]);
    fs::remove_dir_all(place.at("p")).unwrap();
    place.back(&kept);
    assert_eq!(print(&place.at("p")), before);
}

#[test]
fn what_git_ignores_is_kept_but_for_what_a_build_makes_again() {
    let place = Place::repository();
    place.write(".env", "KEY=1\n");
    place.write("node_modules/m/index.js", "x");
    place.write("web/node_modules/m/index.js", "x");
    place.write("x.log", "log\n");
    let kept = place.keep_tree(".", true).unwrap();
    place.run("git clean -qfdx");
    place.back(&kept);
    assert_eq!(
        (place.read(".env"), place.read("x.log")),
        ("KEY=1\n".into(), "log\n".into())
    );
    assert!(!place.at("node_modules").exists() && !place.at("web/node_modules/m").exists());
}

#[test]
fn contents_never_go_into_the_repository() {
    let place = Place::repository();
    place.write(".env", "KEY=1\n");
    place.write("a", "not for others\n");
    let objects = || {
        let count = std::process::Command::new("git")
            .args(["count-objects"])
            .current_dir(&place.dir)
            .output()
            .unwrap();
        String::from_utf8_lossy(&count.stdout).into_owned()
    };
    let before = objects();
    place.keep_tree(".", true).unwrap();
    place.keep(&["src"]);
    assert_eq!(objects(), before);
}

#[test]
fn a_link_in_the_way_is_not_followed() {
    let place = Place::new();
    place.write("d/f", "mine\n");
    place.write("elsewhere/f", "not to be touched\n");
    let kept = place.keep(&["d"]);
    fs::remove_dir_all(place.at("d")).unwrap();
    symlink("elsewhere", place.at("d")).unwrap();
    let plan = place.plan(&kept);
    assert!(plan.newer.contains(&place.at("d")), "{plan:?}");
    plan.run(&place.store, |_| {}).unwrap();
    assert_eq!(place.read("elsewhere/f"), "not to be touched\n");
    assert_eq!(place.read("d/f"), "mine\n");
    assert!(place.at("d").symlink_metadata().unwrap().is_dir());
}

#[test]
fn a_file_with_two_names_keeps_both() {
    let place = Place::new();
    place.write("one", "before\n");
    fs::hard_link(place.at("one"), place.at("two")).unwrap();
    let kept = place.keep(&["one"]);
    fs::File::create(place.at("one")).unwrap();
    assert_eq!(place.read("two"), "");
    place.back(&kept);
    assert_eq!(
        (place.read("one"), place.read("two")),
        ("before\n".into(), "before\n".into())
    );
    assert_eq!(
        place.at("one").metadata().unwrap().ino(),
        place.at("two").metadata().unwrap().ino()
    );
}

#[test]
fn files_that_git_stores_in_another_form_come_back_as_they_were() {
    let place = Place::repository();
    place.write(".gitattributes", "*.txt text eol=crlf\n*.up filter=up\n");
    place.run(
        "git config filter.up.clean 'tr a-z A-Z; touch ran' && git config filter.up.smudge 'tr A-Z a-z; touch ran'",
    );
    place.write("lines.txt", "one\r\ntwo\r\n");
    place.write("x.up", "small\n");
    place.run("git add . && git commit -qm forms; rm -f ran");
    let before = print(&place.dir);
    let kept = place.keep(&["lines.txt", "x.up", "src"]);
    let all = place.keep_tree(".", false).unwrap();
    place.run("rm -f lines.txt x.up && rm -rf src");
    place.back(&kept);
    assert_eq!(print(&place.dir), before);
    place.run("rm -f lines.txt x.up");
    place.back(&all);
    assert_eq!(print(&place.dir), before);
    assert!(!place.at("ran").exists(), "a filter of the repository ran");
}

#[test]
fn files_left_out_of_a_sparse_checkout_stay_out() {
    let place = Place::repository();
    place.write("more/y", "y\n");
    place.run("git add . && git commit -qm more && git sparse-checkout set --no-cone src");
    place.write("src/x", "changed\n");
    let before = print(&place.dir);
    let kept = place.keep_tree(".", false).unwrap();
    place.run("git checkout -q -- src");
    place.back(&kept);
    assert_eq!(print(&place.dir), before);
}

#[test]
fn an_index_that_git_has_locked_is_left_to_it() {
    let place = Place::repository();
    place.write("a", "changed\n");
    place.write(".git/index.lock", "");
    let kept = place.keep_tree(".", false).unwrap();
    place.write("a", "a\n");
    let error = place.undo(&kept).plan().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ResourceBusy);
    fs::remove_file(place.at(".git/index.lock")).unwrap();
    place.back(&kept);
    assert_eq!(place.read("a"), "changed\n");
}

#[test]
fn a_repository_without_a_working_tree_or_a_commit() {
    let place = Place::new();
    place.run("git init -q --bare bare.git");
    assert!(
        place
            .keep_tree("bare.git", false)
            .is_none_or(|kept| !kept.head.missing.is_empty())
    );
    place.run("git init -q -b main young && cd young && echo 1 > staged && git add staged && echo 2 > loose");
    let before = print(&place.at("young"));
    let kept = place.keep_tree("young", false).unwrap();
    place.run("cd young && git rm -qf --cached staged && rm -f staged loose && git gc -q --prune=now");
    place.back(&kept);
    assert_eq!(print(&place.at("young")), before);
}
