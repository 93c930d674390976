//! The project's own tasks.
//!
//! `cargo xtask test` is everything that must hold before a change lands; the other tasks are its parts, or tools.

mod bench;
mod coverage;
mod deny;
mod dist;
mod error;
mod programs;
mod suites;
mod test;
mod tidy;

use std::env;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask TASK

  test            formatting, lints, walls, licences, all tests, all suites; ends with `N passed, N failed`
  test SUITE...   only these suites
  tidy            the walls of the house
  coverage        which requirements have a test, from the tests' names and docs/spec-coverage.md
  agents          the tables of README.md and docs/agents.md, from rules/agents.toml
  rules           docs/rules.md, from the rules
  dist            both programs as they are released, in target/dist
  fuzz [--keep] --minutes N [SEED]
                  judges texts that nobody wrote; `cargo xtask test fuzz` tries the same few each time
  bench hook      how long the hook takes, against a C program that does nothing
  bench hook FILE the same for a program that was built in another way
  bench judge DIR... how long judgements take and what memory they need: the cases of spec/, texts of 1 MiB, and the
                  scripts (*.sh) and cases (*.jsonl) in folders of one's own
  bench ledger    writers that contend, flushes, a log of 10 GB, and verification against sha256sum
  bench moat      what the scenarios of OpenMoat's bench say of the hook
  bench policy [FILE]
                  how long the hook takes with policy files of 0, 100 and 1,000 rules
  bench rules     how long the hook takes with few programs, with all, and with rules of one's own
  bench snapshot  what a snapshot costs in trees of up to 100,000 files
  bench views     how long an index of a million records takes, and a search with it";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["test"] => test::everything(),
        ["test", suites @ ..] => test::only(suites),
        ["tidy"] => tidy::run(),
        ["coverage"] => coverage::run(),
        ["agents"] => tidy::agents::write(),
        ["rules"] => tidy::pages::write(),
        ["dist"] => dist::run().map(|_| ()),
        ["bench", "hook"] => dist::run().and_then(|folder| bench::run(folder.join("tollgate-hook"))),
        ["fuzz", words @ ..] => programs::fuzz(words),
        ["bench", "judge", places @ ..] => bench::judge(places),
        ["bench", "ledger"] => bench::ledger(),
        ["bench", "snapshot"] => bench::snapshot(),
        ["bench", "views"] => bench::views(),
        ["bench", "moat"] => bench::moat::run(),
        ["bench", "rules"] => bench::rules::run(),
        ["bench", "policy"] => bench::policy::run(None),
        ["bench", "policy", program] => bench::policy::run(Some(program.into())),
        ["bench", "hook", program] => bench::run(program.into()),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(64);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
