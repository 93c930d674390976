//! Random repositories, commands that destroy, and back again: everything is as it was, to the byte.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use snapshot::{Known, Limits, Store, Tree, Undo, Wanted, take};

use crate::place::{cause, now, print, run};

/// A command, what it needs to have kept, and whether it leaves newer work behind, which only `force` replaces.
struct Case {
    command: &'static str,
    wants: Wants,
    newer: bool,
}

#[derive(Clone, Copy)]
enum Wants {
    /// The working tree and the state.
    Tree,
    /// The same with what is ignored.
    All,
    /// Files and folders.
    Paths(&'static [&'static str]),
}

const fn tree(command: &'static str) -> Case {
    Case {
        command,
        wants: Wants::Tree,
        newer: false,
    }
}
const fn all(command: &'static str) -> Case {
    Case {
        command,
        wants: Wants::All,
        newer: false,
    }
}
const fn forced(command: &'static str) -> Case {
    Case {
        command,
        wants: Wants::Tree,
        newer: true,
    }
}
const fn paths(command: &'static str, paths: &'static [&'static str]) -> Case {
    Case {
        command,
        wants: Wants::Paths(paths),
        newer: false,
    }
}

const CASES: &[Case] = &[
    tree("git reset -q --hard"),
    tree("git reset -q --hard HEAD~1"),
    tree("git reset -q --hard topic"),
    tree("git reset -q --merge; git reset -q --keep HEAD~1"),
    tree("git checkout -q -- ."),
    tree("git checkout -q HEAD -- a src"),
    tree("git checkout -qf topic"),
    tree("git checkout -qf --detach HEAD~1"),
    tree("git checkout -qB main topic"),
    tree("git restore ."),
    tree("git restore --staged --worktree ."),
    tree("git restore --source=HEAD~1 a"),
    tree("git switch -qf topic"),
    tree("git switch -q --discard-changes topic"),
    tree("git clean -qfd"),
    all("git clean -qfdx"),
    all("git clean -qfdX"),
    all("git stash -q; git stash drop -q"),
    all("git stash -qu; git stash clear"),
    tree("git stash drop -q"),
    tree("git stash drop -q stash@{1}"),
    tree("git stash clear"),
    tree("git branch -qD topic side"),
    tree("git tag -d one"),
    tree("git update-ref -d refs/heads/side"),
    forced("git branch -M side topic"),
    forced("git reset -q --hard; git rebase -q topic || git rebase --abort"),
    forced("git reset -q --hard; git rebase -q topic"),
    tree("git merge --abort; git reset -q --hard"),
    tree("git rm -qrf ."),
    tree("git rm -qrf --cached ."),
    tree("git read-tree --reset -u topic"),
    tree("git reset -q --hard; git gc -q --prune=now"),
    tree("git branch -qD topic side; git reflog expire --expire=now --all; git gc -q --prune=now"),
    paths("rm -rf src draft", &["src", "draft"]),
    paths("rm -f a new run.sh", &["a", "new", "run.sh"]),
    paths("mv -f new a", &["new", "a"]),
    Case {
        command: "rm -rf src && ln -s /etc src",
        wants: Wants::Paths(&["src"]),
        newer: true,
    },
    paths("rm -f a && mkdir a", &["a"]),
    paths("truncate -s 0 a new", &["a", "new"]),
    forced("printf 'other\\n' > a; sed -i s/b/X/ src/x; rm -rf draft; touch src/made"),
    forced("chmod 600 a; chmod +x new; ln -sf nowhere link; mv src elsewhere"),
];

struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
    fn happens(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// A repository in one of many states.
fn repository(dir: &Path, random: &mut Random) {
    fs::create_dir_all(dir.join("src/deep")).unwrap();
    run(dir, "git init -q -b main .");
    let write = |path: &str, text: &str| fs::write(dir.join(path), text).unwrap();
    write("a", "a\n");
    write("src/x", "a\nb\nc\n");
    write("src/deep/y", "y\n");
    write("run.sh", "#!/bin/sh\n");
    write(".gitignore", "*.log\n.env\nbuild/\n");
    fs::set_permissions(dir.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("a", dir.join("link")).unwrap();
    if random.below(4) == 0 {
        write(".gitattributes", "*.txt text=auto eol=crlf\n");
        write("lines.txt", "one\r\ntwo\r\n");
    }
    run(dir, "git add . && git commit -qm one && git tag one");
    write("a", "a\na2\n");
    run(dir, "git commit -qam two");
    run(dir, "git branch side && git checkout -qb topic HEAD~1");
    write("a", "topic\n");
    write("only-topic", "t\n");
    run(dir, "git add . && git commit -qm topic && git checkout -q main");
    for n in 0..random.below(3) {
        write("src/x", &format!("stash {n}\n"));
        run(dir, "git stash -q");
    }
    match random.below(6) {
        0 => run(dir, "git checkout -q --detach && git commit -q --allow-empty -m loose"),
        1 => run(dir, "git merge -q topic"),
        2 => run(dir, "git pack-refs --all"),
        _ => {}
    }
    if random.happens() {
        write("a", "staged\n");
        run(dir, "git add a");
    }
    if random.happens() {
        write("a", "changed\n");
    }
    if random.happens() {
        write("src/x", "changed too\n");
    }
    if random.happens() {
        fs::remove_file(dir.join("src/deep/y")).unwrap();
    }
    if random.happens() {
        write("new", "new\n");
        fs::set_permissions(dir.join("new"), fs::Permissions::from_mode(0o600)).unwrap();
    }
    if random.happens() {
        fs::create_dir_all(dir.join("draft/empty")).unwrap();
        write("draft/1", "1\n");
        let odd = std::ffi::OsStr::from_bytes(b"draft/\xff odd\n");
        fs::write(dir.join(odd), "odd").unwrap();
        symlink("../a", dir.join("draft/up")).unwrap();
    }
    if random.happens() {
        write(".env", "SECRET=1\n");
        write("x.log", "log\n");
    }
    if random.below(3) == 0 {
        fs::set_permissions(dir.join("a"), fs::Permissions::from_mode(0o640)).unwrap();
        write("src/staged-new", "s\n");
        run(dir, "git add src/staged-new");
    }
    if random.below(5) == 0 {
        fs::remove_file(dir.join("run.sh")).unwrap();
        fs::create_dir(dir.join("run.sh")).unwrap();
        write("run.sh/in", "in\n");
    }
}

fn wanted(dir: &Path, wants: Wants) -> Wanted {
    let tree = |ignored| Wanted {
        trees: vec![Tree {
            dir: dir.to_path_buf(),
            ignored,
            commits: true,
        }],
        paths: Vec::new(),
    };
    match wants {
        Wants::Tree => tree(false),
        Wants::All => tree(true),
        Wants::Paths(paths) => Wanted {
            trees: Vec::new(),
            paths: paths.iter().map(|path| dir.join(path)).collect(),
        },
    }
}

#[test]
fn what_a_command_destroys_comes_back_to_the_byte() {
    rounds(2, 11);
}

/// 5,000 rounds in all, in two halves that run side by side.
#[test]
#[ignore = "the suite `undo` runs it"]
fn what_a_command_destroys_comes_back_to_the_byte_in_many_states() {
    assert!(rounds(60, 5) >= 2_500);
}

#[test]
#[ignore = "the suite `undo` runs it"]
fn what_a_command_destroys_comes_back_to_the_byte_in_many_more_states() {
    assert!(rounds(60, 77) >= 2_500);
}

/// Every command in so many states.
fn rounds(states: u64, seed: u64) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let mut random = Random(seed);
    let mut rounds = 0;
    for state in 0..states {
        let original = base.join("original");
        let _gone = fs::remove_dir_all(&original);
        repository(&original, &mut random);
        for case in CASES {
            rounds += 1;
            there_and_back(&base, &original, case, state);
        }
        fs::remove_dir_all(base.join(format!("state-{state}"))).unwrap();
    }
    rounds
}

fn there_and_back(base: &Path, original: &Path, case: &Case, state: u64) {
    let name = format!("state {state}: {}", case.command);
    let dir = base.join("copy");
    let _gone = fs::remove_dir_all(&dir);
    run(base, &format!("cp -a {} {}", original.display(), dir.display()));
    let store = Store::below(&base.join(format!("state-{state}")));
    let before = print(&dir);
    let now = now();
    let kept = take(
        &store,
        &wanted(&dir, case.wants),
        cause(now),
        Known::default(),
        Limits::default(),
    )
    .unwrap();
    assert_eq!(print(&dir), before, "{name}: the snapshot itself changed something");
    run(&dir, case.command);
    let Some(kept) = kept else {
        assert_eq!(print(&dir), before, "{name}: nothing was kept");
        return;
    };
    assert!(kept.head.missing.is_empty(), "{name}: {:?}", kept.head.missing);
    let undo = Undo {
        store: &store,
        snapshot: &kept,
        only: &[],
        force: case.newer,
    };
    let plan = undo.plan().unwrap();
    assert!(
        case.newer || !plan.replaces_newer_work(),
        "{name}: {:?} {:?}",
        plan.newer,
        plan.newer_commits
    );
    let replaced = take(
        &store,
        &plan.replaces(),
        cause(now + 1),
        Known::default(),
        Limits::default(),
    )
    .unwrap();
    let replaced = replaced.map(|replaced| replaced.head.missing).unwrap_or_default();
    assert!(replaced.is_empty(), "{name}: {replaced:?}");
    plan.run(&store, |_| {})
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let after = print(&dir);
    for (path, what) in &before {
        assert_eq!(after.get(path), Some(what), "{name}: {}", path.display());
    }
    for path in after.keys() {
        // What was made since, and is nowhere else, stays.
        assert!(
            case.newer || before.contains_key(path),
            "{name}: {} came and stays",
            path.display()
        );
    }
    let again = undo.plan().unwrap();
    assert!(again.is_done(), "{name}: a second undo finds {:?}", again.steps);
}
