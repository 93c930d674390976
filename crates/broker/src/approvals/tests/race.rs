//! Many processes want the one call that a yes covers.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test starts processes that report to it"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::{Approvals, Scope, Status, asked, at, bound, yes};

const PROCESSES: usize = 32;
const ROUNDS: usize = 10_000;
/// A few, for every run of the tests.
const FEW: usize = 20;
/// The variable that makes this test one of the processes.
const ROLE: &str = "TOLLGATE_RACE";

#[test]
fn of_many_processes_one_uses_a_yes() {
    match std::env::var_os(ROLE) {
        Some(state) => racer(Path::new(&state)),
        None => race(FEW),
    }
}

#[test]
#[ignore = "a suite of its own: `cargo xtask test race`"]
fn m_54_of_32_processes_one_uses_a_yes_in_each_of_10_000_rounds() {
    race(ROUNDS);
}

/// A process that tries the call of each round that it is told of.
fn racer(state: &Path) {
    for line in std::io::stdin().lines() {
        let won = Approvals::at(state)
            .and_then(|store| store.cover(&bound(&line.unwrap()), &at(2), true))
            .unwrap()
            .is_some();
        // The harness of the tests prints to standard output too.
        eprintln!("{}", u8::from(won));
    }
}

struct Racer {
    child: Child,
    go: ChildStdin,
    won: BufReader<std::process::ChildStderr>,
    _out: ChildStdout,
}

fn start(state: &Path) -> Racer {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "approvals::tests::race::of_many_processes_one_uses_a_yes",
            "--nocapture",
        ])
        .env(ROLE, state)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    Racer {
        go: child.stdin.take().unwrap(),
        won: BufReader::new(child.stderr.take().unwrap()),
        _out: child.stdout.take().unwrap(),
        child,
    }
}

fn race(rounds: usize) {
    // In memory where there is room for that: the disk has no part in it.
    let memory = Path::new("/dev/shm");
    let home = tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir()).unwrap();
    let store = Approvals::at(home.path()).unwrap();
    let mut racers: Vec<Racer> = (0..PROCESSES).map(|_| start(home.path())).collect();
    for round in 0..rounds {
        let name = round.to_string();
        let approval = store.ask(asked(true), bound(&name), &at(0)).unwrap();
        let said = yes(Scope::Once, &at(1));
        store.resolve(&approval.id, Status::Approved, said, &at(1)).unwrap();
        for racer in &mut racers {
            writeln!(racer.go, "{name}").unwrap();
        }
        let mut winners = 0;
        for racer in &mut racers {
            let mut line = String::new();
            racer.won.read_line(&mut line).unwrap();
            winners += line.trim().parse::<usize>().unwrap();
        }
        assert_eq!(winners, 1, "round {round}");
        if round % 50 == 49 {
            store.clear(&at(3)).unwrap();
        }
    }
    for racer in racers {
        drop(racer.go);
        let mut child = racer.child;
        assert!(child.wait().unwrap().success());
    }
}
