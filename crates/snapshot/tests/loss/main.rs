//! What would be lost, in real repositories that git made.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops where something is wrong"
)]
#![allow(clippy::disallowed_methods, reason = "the repositories are made by git itself")]

mod place;
mod refs;

use std::fs;
use std::path::Path;
use std::process::Command;

use policy::{Answer, Ignored, Loss, Work};
use tempfile::TempDir;

use place::{Place, looks, repository};

fn untracked(ignored: Ignored) -> Work<'static> {
    Work::Untracked { below: &[], ignored }
}

#[test]
fn a_clean_tree_loses_nothing() {
    let place = repository();
    place.write("build/out.o", "x");
    assert!(place.known(Work::Changes(&[])).is_nothing());
    assert!(place.known(untracked(Ignored::No)).is_nothing());
    assert!(place.known(Work::Stash(None)).is_nothing());
    assert!(place.known(Work::Commits("HEAD")).is_nothing());
    assert!(place.everything("src").is_nothing());
    assert!(place.everything("build").is_nothing());
    assert_eq!(place.loss(Work::Everything(&place.path("absent"))), Answer::Absent);
}

#[test]
fn changes_are_found_staged_or_not() {
    let place = repository();
    place.write("src/a.rs", "fn a() { changed() }\n");
    assert_eq!(place.known(Work::Changes(&[])).changed, 1);
    place.git(&["add", "src/a.rs"]);
    let loss = place.known(Work::Changes(&[]));
    assert_eq!((loss.changed, loss.names), (1, vec!["src/a.rs".to_owned()]));
    place.write("new.rs", "new\n");
    place.git(&["add", "new.rs"]);
    assert_eq!(place.known(Work::Changes(&[])).changed, 2);
    let src = [place.path("src")];
    assert_eq!(place.known(Work::Changes(&src)).changed, 1);
    assert_eq!(place.everything("src").changed, 1);
    assert_eq!(place.everything("src/b.rs").changed, 0);
}

#[test]
fn a_change_that_keeps_size_and_time_is_found() {
    let place = repository();
    let path = place.root.join("src/a.rs");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    place.write("src/a.rs", "fn x() {}\n");
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
    assert_eq!(place.known(Work::Changes(&[])).changed, 1);
}

#[test]
fn touching_a_file_changes_nothing_in_it() {
    let place = repository();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(100);
    let file = fs::File::options()
        .write(true)
        .open(place.root.join("src/a.rs"))
        .unwrap();
    file.set_modified(later).unwrap();
    fs::remove_file(place.root.join("src/b.rs")).unwrap();
    assert!(place.known(Work::Changes(&[])).is_nothing());
}

#[test]
fn untracked_and_ignored_files_are_told_apart() {
    let place = repository();
    place.write("notes/one", "12345");
    place.write("notes/two", "12345");
    place.write("build/out.o", "1");
    place.write("x.log", "1");
    let loss = place.known(untracked(Ignored::No));
    assert_eq!((loss.untracked, loss.bytes), (2, 10));
    assert_eq!(place.known(untracked(Ignored::Only)).untracked, 2);
    assert_eq!(place.known(untracked(Ignored::Also)).untracked, 4);
    let notes = [place.path("notes")];
    assert_eq!(
        place
            .known(Work::Untracked {
                below: &notes,
                ignored: Ignored::No
            })
            .untracked,
        2
    );
    let src = [place.path("src")];
    assert!(
        place
            .known(Work::Untracked {
                below: &src,
                ignored: Ignored::No
            })
            .is_nothing()
    );
    assert_eq!(place.everything("notes").untracked, 2);
}

#[test]
fn ignored_secrets_count() {
    let place = repository();
    place.write("config/.env", "KEY=1");
    assert_eq!(place.everything("config").secrets, 1);
    assert_eq!(place.everything("config").untracked, 0);
}

#[test]
fn an_inner_repository_counts_with_all_it_has() {
    let place = repository();
    let inner = place.root.join("vendor/inner");
    fs::create_dir_all(&inner).unwrap();
    let inner = Place {
        _dir: TempDir::new().unwrap(),
        root: inner,
    };
    inner.git(&["init", "-q", "-b", "main"]);
    inner.write("f", "f");
    inner.commit("inner");
    assert_eq!(place.everything("vendor").commits, 1);
    assert_eq!(place.everything("vendor/inner").commits, 1);
    inner.write("f", "changed");
    assert_eq!(place.everything("vendor/inner").changed, 1);
}

#[test]
fn what_cannot_be_read_is_unknown() {
    let place = repository();
    fs::write(place.root.join(".git/index"), b"DIRC nonsense").unwrap();
    assert_eq!(place.loss(Work::Changes(&[])), Answer::Unknown);
    let place = repository();
    fs::write(place.root.join(".git/HEAD"), "nonsense\n").unwrap();
    assert_eq!(place.loss(Work::Changes(&[])), Answer::Unknown);
    assert_eq!(
        place.loss(Work::Branches(&["refs/heads/absent".into()])),
        Answer::Unknown
    );
    let bare = TempDir::new().unwrap();
    assert_eq!(looks().loss(bare.path(), Work::Changes(&[])), Answer::Unknown);
    let outside = ["/etc".to_owned()];
    assert_eq!(repository().loss(Work::Changes(&outside)), Answer::Unknown);
}

#[test]
fn nothing_of_the_repository_is_run() {
    let place = repository();
    let marker = place.root.parent().unwrap().join("ran");
    let script = format!("touch {}", marker.display());
    place.write(".gitattributes", "* filter=x diff=x\n");
    for key in [
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "core.fsmonitor",
        "diff.x.textconv",
    ] {
        let config = place.root.join(".git/config");
        let (section, name) = key.rsplit_once('.').unwrap();
        let head = match section.split_once('.') {
            Some((section, sub)) => format!("[{section} \"{sub}\"]"),
            None => format!("[{section}]"),
        };
        let text = fs::read_to_string(&config).unwrap() + &format!("{head}\n\t{name} = \"{script}\"\n");
        fs::write(config, text).unwrap();
    }
    place.write("src/a.rs", "changed\n");
    assert_eq!(place.known(Work::Changes(&[])).changed, 1);
    assert_eq!(place.known(untracked(Ignored::Also)).untracked, 1);
    assert!(!marker.exists(), "a filter ran");
}

#[test]
fn a_folder_that_no_repository_knows_is_counted() {
    let dir = TempDir::new().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for n in 0..30 {
        fs::create_dir_all(root.join("letters")).unwrap();
        fs::write(root.join(format!("letters/{n}.pdf")), "pdf").unwrap();
    }
    let path = root.join("letters").to_str().unwrap().to_owned();
    let Answer::Known(loss) = looks().loss(&root, Work::Everything(&path)) else {
        panic!()
    };
    assert_eq!((loss.untracked, loss.bytes, loss.names.len()), (30, 90, 5));
    assert!(Path::new(&path).exists());
}

#[test]
fn untracked_files_in_the_way_of_a_revision_count() {
    let place = repository();
    place.git(&["checkout", "-q", "-b", "other"]);
    place.write("plan.txt", "theirs");
    place.commit("plan");
    place.git(&["checkout", "-q", "main"]);
    assert!(place.known(Work::Replaced("other")).is_nothing());
    place.write("plan.txt", "mine");
    assert_eq!(place.known(Work::Replaced("other")).untracked, 1);
    assert!(place.known(Work::Replaced("src/a.rs")).is_nothing());
}

#[test]
fn a_file_taken_out_of_the_index_or_replaced_by_a_folder_counts() {
    let place = repository();
    place.git(&["rm", "-q", "--cached", "src/a.rs"]);
    place.write("src/a.rs", "edited\n");
    assert!(!place.known(Work::Changes(&[])).is_nothing());
    let place = repository();
    fs::remove_file(place.root.join("src/a.rs")).unwrap();
    place.write("src/a.rs/inside", "x");
    assert_eq!(place.known(Work::Changes(&[])).changed, 1);
    let place = repository();
    place.git(&["update-index", "--skip-worktree", "src/a.rs"]);
    place.write("src/a.rs", "mine\n");
    assert_eq!(place.everything("src/a.rs").changed, 1);
}

#[test]
fn repositories_in_ignored_folders_and_in_one_another_count() {
    let place = repository();
    place.write(".gitignore", "scratch/\nnode_modules/\n");
    place.commit("ignore");
    let make = |path: &str| {
        let root = place.root.join(path);
        fs::create_dir_all(&root).unwrap();
        let inner = Place {
            _dir: TempDir::new().unwrap(),
            root,
        };
        inner.git(&["init", "-q", "-b", "main"]);
        inner.write("f", "f");
        inner.commit("inner");
        inner
    };
    make("scratch/one");
    assert_eq!(place.everything("scratch").commits, 1);
    make("node_modules/dep");
    assert!(place.everything("node_modules").is_nothing());
    make("outer/inner");
    make("outer");
    assert!(place.everything("outer").commits >= 1);
    assert!(!place.known(untracked(Ignored::No)).is_nothing());
}

#[test]
fn before_the_first_commit_everything_is_nowhere_else() {
    let dir = TempDir::new().unwrap();
    let root = dir.path().canonicalize().unwrap().join("new");
    fs::create_dir(&root).unwrap();
    let place = Place { _dir: dir, root };
    place.git(&["init", "-q", "-b", "main"]);
    place.write("src/a.rs", "one");
    place.write("src/b.rs", "two");
    assert_eq!(place.everything("src").untracked, 2);
    place.git(&["add", "src/a.rs"]);
    let loss = place.everything("src");
    assert_eq!((loss.changed, loss.untracked), (1, 1));
    assert_eq!(place.loss(Work::Changes(&[])), Answer::Unknown);
}

#[test]
fn a_store_without_a_working_tree_is_no_rubbish() {
    let place = repository();
    place.git(&["clone", "-q", "--bare", ".", "build/copy.git"]);
    assert!(place.everything("build").is_nothing(), "a build fills it again");
    place.git(&["clone", "-q", "--bare", ".", "kept.log/copy.git"]);
    assert!(place.everything("kept.log").more);
    assert!(place.everything("kept.log/copy.git").more);
}

#[test]
fn what_was_done_by_hand_in_a_merge_is_told_from_what_git_did() {
    let place = repository();
    place.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    place.write("src/a.rs", "theirs\n");
    place.commit("theirs");
    place.git(&["checkout", "-q", "main"]);
    place.write("src/a.rs", "ours\n");
    place.commit("ours");
    assert!(place.known(Work::Merge).is_nothing());
    let merge = Command::new("git")
        .args(["merge", "-q", "side"])
        .current_dir(&place.root)
        .output()
        .unwrap();
    assert!(!merge.status.success());
    assert!(place.known(Work::Merge).is_nothing());
    place.write("src/a.rs", "both, with care\n");
    assert_eq!(place.known(Work::Merge).changed, 1);
    place.git(&["add", "src/a.rs"]);
    assert_eq!(place.known(Work::Merge).changed, 1);
}

#[test]
fn lines_that_only_end_otherwise_are_no_change() {
    let place = repository();
    place.write("src/a.rs", "fn a() {}\r\n");
    assert!(place.known(Work::Changes(&[])).is_nothing());
    place.write("src/a.rs", "fn z() {}\r\n");
    assert_eq!(place.known(Work::Changes(&[])).changed, 1);
}

#[test]
fn a_folder_that_is_ignored_as_a_whole_counts_by_its_files() {
    let place = repository();
    (0..7).for_each(|n| place.write(&format!("build/{n}.o"), "object"));
    let below: Vec<String> = Vec::new();
    let all = place.known(Work::Untracked {
        below: &below,
        ignored: Ignored::Also,
    });
    assert_eq!((all.untracked, all.bytes), (7, 42));
}

#[test]
fn pipes_are_never_opened() {
    for at in [
        ".git/index",
        ".git/HEAD",
        ".git/info/exclude",
        ".git/config",
        ".gitignore",
        "src/a.rs",
    ] {
        let place = repository();
        let pipe = place.root.join(at);
        drop(fs::remove_file(&pipe));
        let made = Command::new("mkfifo").arg(&pipe).status();
        if !made.is_ok_and(|status| status.success()) {
            return;
        }
        let answer = place.loss(Work::Changes(&[]));
        let proof = matches!(&answer, Answer::Known(loss) if loss.is_nothing());
        assert!(!proof || at == ".git/info/exclude", "{at}: {answer:?}");
        let _ = place.loss(Work::Untracked {
            below: &[],
            ignored: Ignored::No,
        });
        let _ = place.loss(Work::Everything(&place.path("src")));
    }
}

#[test]
fn what_is_more_than_the_bounds_is_never_nothing() {
    let looks = looks();
    let place = repository();
    (0..400).for_each(|n| place.write(&format!("many/{n}"), ""));
    let many = place.path("many");
    let mut last = Answer::Unknown;
    for n in 0..2_000 {
        last = looks.loss(&place.root.join(format!("d{n}")), Work::Everything(&many));
    }
    assert!(
        matches!(&last, Answer::Known(loss) if loss.more && !loss.is_nothing()),
        "{last:?}"
    );
    assert!(Loss::more().words().contains("more"));
}

#[test]
fn repositories_that_are_too_many_to_look_at_count_as_more() {
    let place = repository();
    let make = |number: usize| {
        let root = place.root.join(format!("vendor/{number}"));
        fs::create_dir_all(&root).unwrap();
        let inner = Place {
            _dir: TempDir::new().unwrap(),
            root,
        };
        inner.git(&["init", "-q"]);
    };
    (0..16).for_each(make);
    assert!(place.everything("vendor").is_nothing());
    make(16);
    assert!(place.everything("vendor").more);
}
