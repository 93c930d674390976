//! Snapshots and the way back, in folders that the tests make and destroy themselves.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::string_slice,
    reason = "a test stops where something is wrong"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "the repositories are made and destroyed by git itself"
)]

mod limits;
mod newer;
mod odd;
mod place;
mod rounds;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use place::{Place, print};
use snapshot::Undo;

#[test]
fn a_folder_without_a_repository_comes_back_with_rights_and_links() {
    let place = Place::new();
    place.write("d/one", "1");
    place.write("d/deep/two", "2");
    fs::create_dir(place.at("d/empty")).unwrap();
    symlink("one", place.at("d/link")).unwrap();
    fs::set_permissions(place.at("d/one"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(place.at("d/deep"), fs::Permissions::from_mode(0o500)).unwrap();
    let before = print(&place.dir);
    let kept = place.keep(&["d"]);
    place.run("chmod 700 d/deep; rm -rf d");
    assert!(!place.at("d").exists());
    place.back(&kept);
    assert_eq!(print(&place.dir), before);
    place.run("chmod 700 d/deep");
}

#[test]
fn newer_work_is_named_and_what_git_or_the_snapshot_has_is_none() {
    let place = Place::repository();
    place.write("new", "mine\n");
    let kept = place.keep(&["new", "a"]);
    place.write("new", "newer\n");
    assert_eq!(place.plan(&kept).newer, [place.at("new")]);
    // What the snapshot has itself, at another path, is not lost.
    place.write("new", "a\n");
    assert!(!place.plan(&kept).replaces_newer_work());
    // What the index has.
    place.write("new", "staged\n");
    place.run("git add new");
    assert!(!place.plan(&kept).replaces_newer_work());
    // An emptied file holds nobody's work.
    place.write("new", "");
    assert!(!place.plan(&kept).replaces_newer_work());
    place.back(&kept);
    assert_eq!(place.read("new"), "mine\n");
}

#[test]
fn what_the_call_itself_wrote_is_not_newer_work() {
    let place = Place::new();
    place.write("f", "old");
    let mut kept = place.keep(&["f"]);
    place.write("f", "written by the call");
    assert!(place.plan(&kept).replaces_newer_work());
    kept.head.cause.makes.push(sha256("written by the call"));
    assert!(!place.plan(&kept).replaces_newer_work());
}

fn sha256(text: &str) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[test]
fn a_part_comes_back_alone() {
    let place = Place::repository();
    place.write("a", "a2\n");
    place.write("src/x", "x2\n");
    let kept = place.keep_tree(".", false).unwrap();
    place.run("git checkout -q -- .");
    let only = [place.at("src")];
    let undo = Undo {
        only: &only,
        ..place.undo(&kept)
    };
    undo.plan().unwrap().run(&place.store, |_| {}).unwrap();
    assert_eq!((place.read("a"), place.read("src/x")), ("a\n".into(), "x2\n".into()));
}

#[test]
fn a_snapshot_can_be_put_elsewhere_and_replaces_nothing_there() {
    let place = Place::repository();
    place.write("a", "a2\n");
    place.write("new", "new\n");
    let kept = place.keep_tree(".", false).unwrap();
    place.run("git checkout -q -- . && git clean -qfd");
    let to = place.at("../aside");
    fs::create_dir(&to).unwrap();
    let files = place.undo(&kept).extract(&to.canonicalize().unwrap()).unwrap();
    assert_eq!(files, 4);
    assert_eq!(fs::read_to_string(to.join("a")).unwrap(), "a2\n");
    assert_eq!(fs::read_to_string(to.join("new")).unwrap(), "new\n");
    assert_eq!(fs::read_to_string(to.join("src/x")).unwrap(), "x\n");
    assert_eq!(place.read("a"), "a\n");
    assert!(
        place.undo(&kept).extract(&to.canonicalize().unwrap()).is_err(),
        "it is there already"
    );
}

#[test]
fn a_difference_is_told_by_content() {
    let place = Place::repository();
    place.write("new", "one\n");
    let kept = place.keep_tree(".", false).unwrap();
    place.write("new", "two\n");
    place.write("made", "since\n");
    fs::remove_file(place.at("a")).unwrap();
    let changes = place.undo(&kept).changes().unwrap();
    let told: Vec<_> = changes
        .iter()
        .map(|c| {
            (
                c.path.file_name().unwrap().to_str().unwrap(),
                c.was.is_some(),
                c.is.is_some(),
            )
        })
        .collect();
    assert_eq!(told, [("a", true, false), ("made", false, true), ("new", true, true)]);
}

#[test]
fn commits_that_nothing_leads_to_any_more_are_held() {
    let place = Place::repository();
    place.run("git checkout -qb topic && git commit -q --allow-empty -m topic && git checkout -q main");
    let tree = snapshot::Tree {
        dir: place.dir.clone(),
        ignored: false,
        commits: true,
    };
    let wanted = snapshot::Wanted {
        trees: vec![tree],
        paths: Vec::new(),
    };
    let kept = snapshot::take(
        &place.store,
        &wanted,
        place::cause(place::now()),
        snapshot::Known::default(),
        snapshot::Limits::default(),
    );
    let kept = kept.unwrap().unwrap();
    place.run("git branch -qD topic && git reflog expire --expire=now --all && git gc -q --prune=now");
    place.back(&kept);
    let log = std::process::Command::new("git")
        .args(["log", "-1", "--format=%s", "topic"])
        .current_dir(&place.dir)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&log.stdout), "topic\n");
}
