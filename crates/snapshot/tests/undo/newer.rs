//! What an undo leaves alone: work that came since, and all that its snapshot does not know.

use std::fs;
use std::os::unix::fs::symlink;

use snapshot::{Known, Limits, Snapshot, Tree, Wanted, take};

use crate::place::{Place, cause, now, print};

/// The whole working tree with its commits, within these limits.
fn tree(place: &Place, dirs: &[&str], limits: Limits) -> Snapshot {
    let trees = dirs.iter().map(|dir| Tree {
        dir: place.at(dir),
        ignored: false,
        commits: true,
    });
    let wanted = Wanted {
        trees: trees.collect(),
        paths: Vec::new(),
    };
    take(&place.store, &wanted, cause(now()), Known::default(), limits)
        .unwrap()
        .unwrap()
}

#[test]
fn what_did_not_fit_into_a_snapshot_is_not_taken_for_what_was_not_there() {
    let place = Place::repository();
    place.run("git branch keep && git tag v1");
    place.write("a", "changed\n");
    for files in 1..12 {
        let kept = tree(&place, &["."], Limits { bytes: 1 << 20, files });
        place.run("git checkout -q -- a");
        let plan = place.plan(&kept);
        plan.run(&place.store, |_| {}).unwrap();
        for path in [
            "src/x",
            ".gitignore",
            ".git/index",
            ".git/refs/heads/main",
            ".git/refs/heads/keep",
        ] {
            assert!(place.at(path).exists(), "{files}: {path} is gone");
        }
        place.write("a", "changed\n");
    }
    for bytes in [0, 10, 60, 200] {
        let kept = tree(&place, &["."], Limits { bytes, files: 1000 });
        let plan = place.plan(&kept);
        plan.run(&place.store, |_| {}).unwrap();
        assert!(place.at(".git/index").exists() && place.at("src/x").exists(), "{bytes}");
    }
}

#[test]
fn an_index_that_is_a_link_is_read_through_it() {
    let place = Place::repository();
    place.write("a", "changed\n");
    place.run("mv .git/index ../index && ln -s ../../index .git/index");
    let kept = tree(&place, &["."], Limits::default());
    place.run("git checkout -q -- a");
    place.back(&kept);
    assert_eq!(
        (place.read("a"), place.read("src/x")),
        ("changed\n".into(), "x\n".into())
    );
}

#[test]
fn commits_that_came_since_are_newer_work_however_they_came() {
    for line in [
        "git commit -qam new",
        "GIT_COMMITTER_DATE='2020-01-01 00:00:00 +0000' git commit -qam new",
        "git commit -q --amend -m again",
        "git checkout -q --detach && git commit -q --allow-empty -m loose",
        "git checkout -qb side && git commit -qam side",
    ] {
        for commits in [true, false] {
            let place = Place::repository();
            place.write("a", "changed\n");
            let trees = vec![Tree {
                dir: place.dir.clone(),
                ignored: false,
                commits,
            }];
            let wanted = Wanted {
                trees,
                paths: Vec::new(),
            };
            std::thread::sleep(std::time::Duration::from_millis(20));
            let kept = take(&place.store, &wanted, cause(now()), Known::default(), Limits::default())
                .unwrap()
                .unwrap();
            std::thread::sleep(std::time::Duration::from_millis(20));
            place.run(line);
            assert!(place.plan(&kept).replaces_newer_work(), "{line} ({commits})");
        }
    }
}

#[test]
fn files_that_are_new_stay_and_what_was_staged_since_is_newer_work() {
    let place = Place::repository();
    place.write("a", "changed\n");
    std::thread::sleep(std::time::Duration::from_millis(20));
    let kept = tree(&place, &["."], Limits::default());
    std::thread::sleep(std::time::Duration::from_millis(20));
    place.run("git checkout -q -- a && touch src/__init__.py && cp src/x config.local");
    place.back(&kept);
    assert_eq!(
        (place.read("src/__init__.py"), place.read("config.local")),
        (String::new(), "x\n".into())
    );
    place.run("git checkout -q -- a && echo staged > w && git add w");
    let plan = place.plan(&kept);
    assert!(plan.newer.contains(&place.at("w")), "{plan:?}");
    assert!(!plan.steps.iter().any(|step| step.full() == place.at("w")), "{plan:?}");
}

#[test]
fn a_link_above_a_file_is_no_way_out_and_no_dead_end() {
    let place = Place::repository();
    place.write("../outside/x", "not to be touched\n");
    place.write("src/x", "changed\n");
    let kept = tree(&place, &["."], Limits::default());
    place.run("rm -rf src && ln -s ../outside src");
    let plan = place.plan(&kept);
    assert!(plan.newer.contains(&place.at("src")), "{plan:?}");
    plan.run(&place.store, |_| {}).unwrap();
    assert_eq!(place.read("src/x"), "changed\n");
    assert_eq!(place.read("../outside/x"), "not to be touched\n");
}

#[test]
fn what_is_only_staged_is_kept_with_a_folder_that_goes() {
    let place = Place::repository();
    place.write("src/new", "staged\n");
    place.run("git add src/new");
    let before = print(&place.at("src"));
    let kept = place.keep(&["src"]);
    place.run("rm -rf src && git reset -q --hard && rm -rf src && git gc -q --prune=now");
    place.back(&kept);
    assert_eq!(print(&place.at("src")), before);
}

#[test]
fn where_another_working_tree_is_is_held() {
    let place = Place::repository();
    place.run("git worktree add -q --detach ../other && cd ../other && git commit -q --allow-empty -m there");
    let kept = tree(&place, &["."], Limits::default());
    let held = &kept.parts[0].repository.as_ref().unwrap().held;
    let head = fs::read_to_string(place.at(".git/worktrees/other/HEAD")).unwrap();
    assert!(held.contains(&head.trim().to_owned()), "{held:?}");
}

#[test]
fn a_pipe_in_a_repository_is_not_waited_for() {
    let place = Place::repository();
    place.write("a", "changed\n");
    place.run(
        "mkfifo ../pipe && ln -s ../../pipe .git/foo && ln -s ../../../../pipe .git/refs/heads/odd && mkfifo .git/bar",
    );
    let kept = tree(&place, &["."], Limits::default());
    place.run("git checkout -q -- a");
    fs::write(place.at("a"), "a\n").unwrap();
    place.back(&kept);
    assert_eq!(place.read("a"), "changed\n");
    place.run("rm -f .gitattributes && mkfifo .gitattributes");
    place.keep(&["src"]);
}

#[test]
fn a_content_that_is_damaged_in_the_store_is_kept_anew() {
    let place = Place::new();
    place.write("f", "content");
    let kept = place.keep(&["f"]);
    let blob = kept.blobs().next().unwrap();
    let path = place
        .store
        .root()
        .join("blobs")
        .join(&blob.sha256[..2])
        .join(&blob.sha256[2..]);
    fs::write(&path, "CONTENT").unwrap();
    place.write("f", "content");
    let again = place.keep(&["f"]);
    fs::remove_file(place.at("f")).unwrap();
    place.back(&again);
    assert_eq!(place.read("f"), "content");
}

#[test]
fn many_places_make_no_snapshot_that_a_list_cannot_read() {
    let place = Place::new();
    let long = "x".repeat(200);
    let names: Vec<String> = (0..3000).map(|n| format!("{long}/{long}/{n}")).collect();
    names.iter().for_each(|name| place.write(name, "1"));
    let kept = place.keep(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let (heads, damaged) = place.store.list().unwrap();
    assert_eq!((heads.len(), damaged.len()), (1, 0));
    assert_eq!(heads[0].id, kept.head.id);
}

#[test]
fn a_repository_in_a_link_is_where_the_link_leads() {
    let place = Place::repository();
    place.write("a", "changed\n");
    symlink(&place.dir, place.at("../link")).unwrap();
    let kept = tree(&place, &["../link", "."], Limits::default());
    assert_eq!(kept.parts.len(), 1, "each repository once");
}
