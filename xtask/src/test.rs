//! `cargo xtask test`

use crate::error::{Error, Result};
use crate::programs::{cargo, must};
use crate::suites::{SUITES, Suite};
use crate::{deny, tidy};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

/// How many checks ended how. A step counts as one; a run of tests counts as what cargo says of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: u32,
    failed: u32,
    skipped: u32,
}

/// Everything, in the order in which failures are cheapest to find.
pub(crate) fn everything() -> Result<()> {
    let mut tally = Tally::default();
    tally.step("formatting", || must(&mut cargo("fmt --all --check")));
    tally.step("walls", tidy::run);
    tally.step("lints", || {
        must(&mut cargo("clippy --workspace --all-targets --quiet -- -D warnings"))
    });
    tally.step("licences and sources", deny::run);
    // Tests find both programs next to them, so both are built first; the tests share what this builds.
    tally.step("programs", || must(&mut cargo("build --workspace --bins")));
    tally.tests("tests", &mut cargo("test --workspace --no-fail-fast"));
    for suite in SUITES {
        tally.suite(suite);
    }
    tally.close()
}

/// The named suites only.
pub(crate) fn only(names: &[&str]) -> Result<()> {
    let mut tally = Tally::default();
    for name in names {
        let Some(suite) = SUITES.iter().find(|suite| suite.name == *name) else {
            let known: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
            return Err(Error::new(format!(
                "there is no suite `{name}`, only {}",
                known.join(", ")
            )));
        };
        tally.suite(suite);
    }
    tally.close()
}

impl Tally {
    fn step(&mut self, name: &str, run: impl FnOnce() -> Result<()>) {
        let ran = timed(name, run);
        self.passed += u32::from(ran);
        self.failed += u32::from(!ran);
    }

    fn suite(&mut self, suite: &Suite) {
        if let Some(missing) = suite.missing() {
            self.skipped += 1;
            println!(
                "== suite {}: SKIPPED, for {missing}. It shows that {}.",
                suite.name, suite.shows
            );
            return;
        }
        for arguments in suite.cargo {
            if arguments.starts_with("test") {
                self.tests(&format!("suite {}", suite.name), &mut cargo(arguments));
            } else {
                self.step(&format!("suite {}: {arguments}", suite.name), || {
                    must(&mut cargo(arguments))
                });
            }
        }
    }

    /// Runs tests with their output shown, and counts what cargo counted. A run that breaks before its tests end is one
    /// failure.
    fn tests(&mut self, name: &str, command: &mut Command) {
        let mut counted = Tally::default();
        let ran = timed(name, || {
            let mut child = command.stdout(Stdio::piped()).spawn()?;
            for line in child
                .stdout
                .take()
                .into_iter()
                .flat_map(|stdout| BufReader::new(stdout).lines())
            {
                let line = line?;
                counted.add(counts(&line).unwrap_or_default());
                println!("{line}");
            }
            let status = child.wait()?;
            if status.success() {
                Ok(())
            } else {
                Err(Error::new(format!("the tests failed: {status}")))
            }
        });
        self.add(counted);
        self.failed += u32::from(!ran && counted.failed == 0);
    }

    fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// The closing line, for people and for whatever runs this.
    fn close(self) -> Result<()> {
        let Tally {
            passed,
            failed,
            skipped,
        } = self;
        println!("{passed} passed, {failed} failed, {skipped} skipped");
        if failed > 0 {
            Err(Error::new("there were failures"))
        } else {
            Ok(())
        }
    }
}

/// Runs a step, says how it went and how long it took, and returns whether it went well.
fn timed(name: &str, run: impl FnOnce() -> Result<()>) -> bool {
    let start = Instant::now();
    println!("== {name}");
    let result = run();
    if let Err(error) = &result {
        println!("{error}");
    }
    let word = if result.is_ok() { "ok" } else { "FAILED" };
    println!("== {name}: {word} in {:.1} s", start.elapsed().as_secs_f32());
    result.is_ok()
}

/// The counts in a line like `test result: ok. 3 passed; 0 failed; 1 ignored; ...`.
///
/// A test that runs one test of its own program again, in another namespace say, filters all others out. Its result is
/// that of the outer test, so it is not counted twice.
fn counts(line: &str) -> Option<Tally> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    if !counts.contains("; 0 filtered out") {
        return None;
    }
    let count = |word: &str| {
        let before = counts.split("; ").find_map(|part| part.strip_suffix(word))?;
        before.trim().parse().ok()
    };
    Some(Tally {
        passed: count("passed")?,
        failed: count("failed")?,
        skipped: count("ignored")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_line_is_counted() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        assert_eq!(
            counts(line),
            Some(Tally {
                passed: 12,
                failed: 3,
                skipped: 1
            })
        );
        assert_eq!(counts(&line.replace("0 filtered", "8 filtered")), None);
        assert_eq!(counts("test result_lines ... ok"), None);
    }
}
