//! `cargo xtask bench snapshot`: what a snapshot costs a call that waits for it.
//!
//! Each tree is made by git in a throw-away folder, and looked at once before: a judgement has always looked before a snapshot
//! is taken. What is printed are medians and the worst of some rounds, with their bars.
#![allow(clippy::disallowed_methods, reason = "git makes the trees")]
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench says what it measured, and fails loudly"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use snapshot::{Cause, Known, Limits, Store, Tree, Undo, Wanted, take};

const ROUNDS: usize = 15;

fn main() -> ExitCode {
    let mut met = true;
    for (files, changed, commits, bar) in [(1_000, 0, true, 3), (10_000, 50, false, 40), (100_000, 50, false, 250)] {
        met &= tree(files, changed, commits, Duration::from_millis(bar));
    }
    if met { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn tree(files: usize, changed: usize, commits: bool, bar: Duration) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("tree");
    fs::create_dir(&dir).unwrap();
    for n in 0..files {
        let path = dir.join(format!("d{}/e{}", n / 1000, n / 50 % 20));
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join(format!("f{n}")), format!("content {n}\n").repeat(20)).unwrap();
    }
    git(&dir, &["init", "-q", "-b", "main", "."]);
    git(&dir, &["add", "."]);
    git(
        &dir,
        &["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "one"],
    );
    std::thread::sleep(Duration::from_millis(1100));
    git(&dir, &["status", "-s"]);
    let wanted = Wanted {
        trees: vec![Tree {
            dir: dir.clone(),
            ignored: false,
            commits,
        }],
        paths: Vec::new(),
    };
    let store = Store::below(folder.path());
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        for n in 0..changed {
            let file = n * (files / changed.max(1));
            let path = dir.join(format!("d{}/e{}/f{file}", file / 1000, file / 50 % 20));
            fs::write(path, format!("changed in round {round}\n").repeat(20)).unwrap();
        }
        let cause = Cause {
            time_ms: 1_796_000_000_000 + round as u64 * 60_000,
            request: "bench".into(),
            ..Cause::default()
        };
        let from = Instant::now();
        let taken = take(&store, &wanted, cause, Known::default(), Limits::default())
            .unwrap()
            .unwrap();
        times.push(from.elapsed());
        assert!(taken.head.missing.is_empty(), "{:?}", taken.head.missing);
        let undo = Undo {
            store: &store,
            snapshot: &taken,
            only: &[],
            force: false,
        };
        assert!(round > 0 || undo.plan().unwrap().is_done());
    }
    times.sort();
    let (median, worst) = (times[ROUNDS / 2], times[ROUNDS - 1]);
    let met = median <= bar;
    let said = if met { "met" } else { "NOT MET" };
    println!("{files:>7} files, {changed:>2} changed: median {median:>9.1?}, worst {worst:>9.1?}, bar {bar:?}: {said}");
    met
}

fn git(dir: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .args(arguments)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    assert!(command.output().unwrap().status.success(), "{arguments:?}");
}
