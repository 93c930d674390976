//! Judges texts that nobody wrote: what grammars say, and texts of `spec/` and `fuzz/` cut up, put together, nested and
//! repeated; as commands, as code of other languages, as files that are looked through, as rule files.
//!
//! `fuzz --rounds N` tries the same texts every time; `fuzz --minutes N [SEED]` and `fuzz --cpu-minutes N [SEED]` go on for
//! so long, and look at time and memory, too. A text fails that makes the judgement panic, that is judged in two ways, or
//! more mildly with less work, that takes long or much memory or never ends, or that [`shell::Scripts`] reads otherwise than
//! [`shell::parse`]. What fails is printed; with `--keep` before all it is kept in `fuzz/`, where later runs begin with it.
//! `fuzz --text TARGET FILE` tries a text again.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool that prints, and stops where something is wrong"
)]

mod grammar;
#[path = "../../tests/support/mod.rs"]
mod support;
mod targets;
mod texts;
mod trial;
mod watch;

use std::fs;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Small and the same everywhere: xorshift.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 8).unwrap_or_default() % most.max(1)
    }

    pub(crate) fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all.get(self.below(all.len())).copied().unwrap_or_default()
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (keep, words) = match words.as_slice() {
        ["--keep", rest @ ..] => (true, rest),
        words => (false, words),
    };
    let number = |word: &str| word.parse::<u64>().expect("a number");
    let minutes = |word: &str| Duration::from_secs(60 * number(word));
    let begin = Instant::now();
    watch::start();
    let failed = match words {
        ["--rounds", n] => rounds(0, false, keep, |done| done < number(n)),
        ["--minutes", n] => rounds(1, true, keep, |_| begin.elapsed() < minutes(n)),
        ["--minutes", n, seed] => rounds(number(seed), true, keep, |_| begin.elapsed() < minutes(n)),
        ["--cpu-minutes", n] => rounds(1, true, keep, |_| trial::cpu() < minutes(n)),
        ["--cpu-minutes", n, seed] => rounds(number(seed), true, keep, |_| trial::cpu() < minutes(n)),
        ["--text", name, file] => again(name, &fs::read_to_string(file).expect("a file")),
        _ => {
            eprintln!(
                "usage: fuzz [--keep] --rounds N | --minutes N [SEED] | --cpu-minutes N [SEED] | --text TARGET FILE"
            );
            return ExitCode::from(64);
        }
    };
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Tries one text in all ways; how many failed.
fn again(name: &str, text: &str) -> usize {
    let all = targets::all();
    let target = all.iter().find(|t| t.name == name).expect("a target");
    (0..target.ways())
        .filter(|way| {
            let said = format!("in way {way}");
            !watch::over(move || said.clone(), || trial::holds(target, *way, text, true))
        })
        .count()
}

/// Tries texts as long as `goes_on` says; how many failed.
fn rounds(seed: u64, timed: bool, keep: bool, goes_on: impl Fn(u64) -> bool) -> usize {
    let all = targets::all();
    let (mut done, mut failed) = (0, 0);
    // What is kept comes first, as it is.
    for target in &all {
        for text in target.kept() {
            failed += (0..target.ways())
                .filter(|way| !trial::holds(target, *way, text, timed))
                .count();
        }
    }
    while goes_on(done) {
        let mut random = Random((seed << 32 | done).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        // A third is for the shell, which is what stands around everything else.
        let target = match random.below(3) {
            0 => all.first(),
            _ => all.get(random.below(all.len())),
        };
        let Some(target) = target else { break };
        let text = texts::text(&mut random, target, &all);
        let way = random.below(target.ways());
        let (name, tried) = (target.name, text.clone());
        let kept = move || {
            let file = keep_text(name, keep, &format!("{seed}-{done}"), &tried);
            format!("round {done} of seed {seed}, {name} in way {way}: {file}")
        };
        if !watch::over(kept.clone(), || trial::holds(target, way, &text, timed)) {
            failed += 1;
            println!("    {}", kept());
        }
        done += 1;
        if timed && done.is_multiple_of(50_000) {
            let minutes = trial::cpu().as_secs_f64() / 60.0;
            println!("{done} texts, {failed} failed, {minutes:.1} minutes");
        }
    }
    println!("{done} texts, {failed} failed");
    failed
}

/// Writes a text that failed to a file, and gives its name.
fn keep_text(target: &str, keep: bool, name: &str, text: &str) -> String {
    let file = if keep {
        targets::folder(target).join(format!("found-{name}"))
    } else {
        std::env::temp_dir().join(format!("tollgate-fuzz-{target}-{name}"))
    };
    fs::write(&file, text).map_or_else(|e| e.to_string(), |()| file.display().to_string())
}
