//! `cargo xtask bench rules`: what the number of programs and rules costs at every start.
//!
//! Three hooks take turns: one that knows few programs, one that knows all, and that one again with rules of a person's
//! own. The built-in tables cost nothing to load, so the first two take the same time.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::{Bench, ROUNDS, WARM_UP, median, question, timed};
use crate::dist;
use crate::error::{Error, Result};
use crate::programs::{must, target};

/// How many programs the small hook knows.
const FEW: usize = 40;
/// Rule files of a person, and programs in each.
const FILES: usize = 5;
const EACH: usize = 10;
/// The bars: how much longer a start may take with all programs, and with those rules of one's own.
const MOST_ALL: f64 = 1.15;
const MOST_OWN: f64 = 2.0;

pub(crate) fn run() -> Result<()> {
    let small = Bench::prepare(build("few", Some(FEW))?, "few")?;
    let whole = build("all", None)?;
    let all = Bench::prepare(whole.clone(), "all")?;
    let own = Bench::prepare(whole, "own")?;
    write_rules(&own)?;
    let benches = [&small, &all, &own];
    let mut times = [const { Vec::new() }; 3];
    for round in 0..WARM_UP + ROUNDS {
        // Each is first in every third round.
        for turn in 0..benches.len() {
            let which = (round + turn) % benches.len();
            let bench = benches[which];
            let time = timed(&mut bench.hook(), &question("git status", &bench.folder.join("work")))?;
            if round >= WARM_UP {
                times[which].push(time);
            }
        }
    }
    for bench in benches {
        bench.denies()?;
        fs::remove_dir_all(&bench.folder)?;
    }
    report(times.map(median))
}

/// The hook, linked as it is released: at another address than its own, every pointer of the tables would have to be
/// moved at every start. Each has a target folder of its own, so that no other build takes it for its own.
pub(super) fn build(name: &str, programs: Option<usize>) -> Result<PathBuf> {
    let host = dist::host()?;
    let folder = target().join("bench-rules").join(name);
    let mut build = dist::build("release", "--quiet --package tollgate-hook", &host);
    build.env("CARGO_TARGET_DIR", &folder);
    if let Some(programs) = programs {
        build.env("TOLLGATE_BENCH_PROGRAMS", programs.to_string());
    }
    must(&mut build)?;
    Ok(folder.join(host).join("release").join("tollgate-hook"))
}

/// Rules as somebody may have who taught it all the tools of a company.
fn write_rules(bench: &Bench) -> Result<()> {
    let folder = bench.folder.join("config/rules");
    fs::create_dir_all(&folder)?;
    for file in 0..FILES {
        let mut text = String::new();
        for program in 0..EACH {
            text += &format!(
                "[[program]]\nname = \"bench-{file}-{program}\"\noptions = \"\"\"\n-o --output = write\n-f --force / -q --quiet = flag\n\"\"\"\n\
                 operands = \"read value...\"\ndoes = [\"do bench.force when -f\"]\nexamples = [\"bench-{file}-{program} -f x => bench.force\"]\n\n"
            );
        }
        fs::write(folder.join(format!("{file}.toml")), text)?;
    }
    Ok(())
}

fn report([few, all, own]: [Duration; 3]) -> Result<()> {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let (more, added) = (micros(all) / micros(few), micros(own) / micros(all));
    println!("{ROUNDS} rounds");
    println!("{FEW} programs   {:>7.0} us (median)", micros(few));
    println!(
        "all programs  {:>7.0} us (median), {more:.2} times that (at most {MOST_ALL:.2})",
        micros(all)
    );
    println!(
        "and {} own  {:>7.0} us (median), {added:.2} times that (at most {MOST_OWN:.2})",
        FILES * EACH,
        micros(own)
    );
    if more > MOST_ALL || added > MOST_OWN {
        return Err(Error::new("the number of rules costs too much"));
    }
    Ok(())
}
