//! What is too much, what fails, and what goes in time.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use snapshot::{Keep, Limits};

use crate::place::{Place, now, print};

#[test]
fn what_does_not_fit_is_named_and_the_rest_is_kept() {
    let place = Place::new();
    place.write("d/small", "small");
    place.write("d/big", &"x".repeat(10_000));
    let kept = place
        .keep_within(
            &["d"],
            Limits {
                bytes: 1_000,
                files: 100,
            },
        )
        .unwrap();
    assert!(
        kept.head.missing.iter().any(|what| what.contains("d/big")),
        "{:?}",
        kept.head.missing
    );
    fs::remove_dir_all(place.at("d")).unwrap();
    let plan = place.plan(&kept);
    assert_eq!(plan.missing, kept.head.missing);
    plan.run(&place.store, |_| {}).unwrap();
    assert_eq!(place.read("d/small"), "small");
    assert!(!place.at("d/big").exists());
    let few = place.keep_within(&["d"], Limits { bytes: 1_000, files: 1 }).unwrap();
    assert!(!few.head.missing.is_empty());
}

#[test]
fn nothing_there_is_no_snapshot() {
    let place = Place::repository();
    assert!(place.keep_within(&["none"], Limits::default()).is_none());
    assert!(
        place.keep_tree(".", false).is_none(),
        "a clean tree has nothing that git does not have"
    );
    assert_eq!(place.store.count(), 0);
}

#[test]
fn what_nobody_may_read_is_named() {
    let place = Place::new();
    place.write("d/f", "f");
    fs::set_permissions(place.at("d/f"), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(place.at("d/f")).is_ok() {
        eprintln!("SKIPPED: this user may read everything");
        return;
    }
    let kept = place.keep(&["d"]);
    assert!(
        kept.head.missing.iter().any(|what| what.contains("d/f")),
        "{:?}",
        kept.head.missing
    );
}

#[test]
fn a_pipe_is_not_waited_for() {
    let place = Place::new();
    place.write("d/f", "f");
    place.run("mkfifo d/pipe");
    let kept = place.keep(&["d"]);
    assert!(kept.head.missing.is_empty());
    fs::remove_dir_all(place.at("d")).unwrap();
    place.back(&kept);
    assert_eq!(place.read("d/f"), "f");
}

#[test]
fn a_store_that_cannot_be_written_is_an_error_and_no_half_snapshot() {
    let place = Place::repository();
    place.write("a", "changed\n");
    fs::write(place.store.root().parent().unwrap().join("made"), "").unwrap_or_default();
    fs::create_dir_all(place.store.root()).unwrap();
    fs::write(place.store.root().join("new"), "a file where a folder should be").unwrap();
    let wanted = snapshot::Wanted {
        trees: Vec::new(),
        paths: vec![place.at("a")],
    };
    let cause = crate::place::cause(now());
    assert!(
        snapshot::take(
            &place.store,
            &wanted,
            cause,
            snapshot::Known::default(),
            Limits::default()
        )
        .is_err()
    );
    assert_eq!(place.store.count(), 0);
}

#[test]
fn a_damaged_content_is_not_brought_back() {
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
    fs::remove_file(place.at("f")).unwrap();
    let run = place.plan(&kept).run(&place.store, |_| {});
    assert_eq!(run.unwrap_err().kind(), std::io::ErrorKind::InvalidData);
    assert!(!place.at("f").exists());
    fs::remove_file(path).unwrap();
    assert!(place.plan(&kept).missing.iter().any(|what| what.contains("gone")));
}

#[test]
fn the_same_content_is_kept_once_and_an_untouched_file_is_not_read_again() {
    let place = Place::new();
    place.write("f", "content");
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options()
        .write(true)
        .open(place.at("f"))
        .unwrap()
        .set_modified(old)
        .unwrap();
    let (one, two) = (place.keep(&["f"]), place.keep(&["f"]));
    assert_eq!(one.parts, two.parts);
    let blobs = fs::read_dir(place.store.root().join("blobs")).unwrap().count();
    assert_eq!(blobs, 1);
}

#[test]
fn old_snapshots_go_and_their_contents_with_them() {
    let place = Place::repository();
    place.write("a", "one\n");
    let first = place.keep(&["a"]);
    place.write("a", "two\n");
    let second = place.keep(&["a"]);
    let day = 24 * 3600 * 1000;
    let keep = Keep {
        days: 1,
        bytes: u64::MAX,
        thoroughly: false,
    };
    let pruned = place
        .store
        .prune(keep, now() + 2 * day, |head| head.id == second.head.id)
        .unwrap()
        .unwrap();
    assert_eq!(pruned.snapshots, std::slice::from_ref(&first.head.id));
    assert_eq!(pruned.bytes, 4);
    assert!(place.store.snapshot(&first.head.id).is_err());
    fs::remove_file(place.at("a")).unwrap();
    place.back(&second);
    assert_eq!(place.read("a"), "two\n");
}

#[test]
fn too_much_goes_oldest_first() {
    let place = Place::new();
    let mut ids = Vec::new();
    for n in 0..4 {
        place.write("f", &format!("{n}").repeat(100));
        ids.push(place.keep(&["f"]).head.id);
        std::thread::sleep(std::time::Duration::from_millis(3));
    }
    let pruned = place
        .store
        .prune(
            Keep {
                days: 100,
                bytes: 250,
                thoroughly: false,
            },
            now(),
            |_| false,
        )
        .unwrap()
        .unwrap();
    assert_eq!(pruned.snapshots, &ids[..2]);
}

#[test]
fn commits_are_let_go_with_their_snapshot_even_where_git_packed_them() {
    let place = Place::repository();
    let tree = snapshot::Tree {
        dir: place.dir.clone(),
        ignored: false,
        commits: true,
    };
    let wanted = snapshot::Wanted {
        trees: vec![tree],
        paths: Vec::new(),
    };
    let cause = crate::place::cause(now());
    snapshot::take(
        &place.store,
        &wanted,
        cause,
        snapshot::Known::default(),
        Limits::default(),
    )
    .unwrap()
    .unwrap();
    place.run("git pack-refs --all");
    let packed = || fs::read_to_string(place.at(".git/packed-refs")).unwrap();
    assert!(packed().contains("refs/tollgate/"));
    place
        .store
        .prune(
            Keep {
                days: 0,
                bytes: 0,
                thoroughly: false,
            },
            now() + 10,
            |_| false,
        )
        .unwrap()
        .unwrap();
    assert!(!packed().contains("refs/tollgate/") && packed().contains("refs/heads/main"));
}

#[test]
fn somebody_who_writes_all_the_time_does_not_make_a_wrong_snapshot() {
    let place = Place::new();
    let path = place.at("f");
    fs::write(&path, "0".repeat(200_000)).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut n = 0_u8;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                n = n.wrapping_add(1) % 10;
                fs::write(&path, n.to_string().repeat(200_000)).unwrap();
            }
        });
        for _ in 0..20 {
            let kept = place.keep_within(&["f"], Limits::default());
            for kept in kept.iter().filter(|kept| kept.head.missing.is_empty()) {
                let bytes = kept
                    .blobs()
                    .next()
                    .map(|blob| place.store.get(blob).unwrap())
                    .unwrap_or_default();
                let whole = bytes.windows(2).all(|pair| pair[0] == pair[1]);
                assert!(whole, "a mix of two states was taken for one");
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert!(print(&place.dir).len() > 1);
}

#[test]
fn a_snapshot_that_cannot_be_kept_holds_no_commits() {
    let place = Place::repository();
    let tree = snapshot::Tree {
        dir: place.dir.clone(),
        ignored: false,
        commits: true,
    };
    let wanted = snapshot::Wanted {
        trees: vec![tree],
        paths: Vec::new(),
    };
    let keep = || {
        let cause = crate::place::cause(now());
        snapshot::take(
            &place.store,
            &wanted,
            cause,
            snapshot::Known::default(),
            Limits::default(),
        )
    };
    keep().unwrap().unwrap();
    // All contents are there already, so that only the snapshot's own file is left to write.
    let held = || fs::read_dir(place.at(".git/refs/tollgate")).unwrap().count();
    assert_eq!(held(), 1);
    fs::remove_dir_all(place.store.root().join("new")).unwrap();
    fs::write(place.store.root().join("new"), "in the way").unwrap();
    assert!(keep().is_err());
    assert_eq!(held(), 1);
}
