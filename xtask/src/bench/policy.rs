//! `cargo xtask bench policy`: what policy files cost a call that none of their rules concerns, and what
//! hostile ones cost.
//!
//! Three hooks take turns, with no rules, some, and many. The bar is on the time that an agent waits for; the time of the
//! processor is told as well, because it stays what it is where other programs want the processor too.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use super::{Bench, ROUNDS, WARM_UP, hostile, median, question, rules, timed};
use crate::error::{Error, Result};

/// How many rules there are, of which the first is what the others are compared with.
const RULES: [usize; 3] = [0, 100, 1000];
/// Rules of one file.
const EACH: usize = 250;
/// The bar: what all of the rules may add, in microseconds.
const MOST: f64 = 500.0;
/// By then nothing has changed for so long that the files count, and what was read is kept.
const QUIET: Duration = Duration::from_secs(1);

/// What was measured of one hook.
#[derive(Default)]
struct Times {
    waited: Vec<Duration>,
    worked: Vec<Duration>,
}

pub(crate) fn run(hook: Option<PathBuf>) -> Result<()> {
    let hook = hook.map_or_else(|| rules::build("all", None), Ok)?;
    let prepare = |count: usize| Bench::prepare(hook.clone(), &format!("policy-{count}"));
    let benches: Vec<Bench> = RULES.into_iter().map(prepare).collect::<Result<_>>()?;
    for (bench, count) in benches.iter().zip(RULES) {
        write_rules(bench, count)?;
    }
    thread::sleep(QUIET);
    let mut times = RULES.map(|_| Times::default());
    for round in 0..WARM_UP + ROUNDS {
        for turn in 0..benches.len() {
            let which = (round + turn) % benches.len();
            let bench = &benches[which];
            let question = question("git status", &bench.folder.join("work"));
            let waited = timed(&mut bench.hook(), &question)?;
            let worked = bench.worked(&question)?;
            if round >= WARM_UP {
                times[which].waited.push(waited);
                times[which].worked.push(worked);
            }
        }
    }
    hostile::run(&hook)?;
    for (bench, count) in benches.iter().zip(RULES) {
        bench.denies()?;
        if count > 0 {
            bench.answers("tool-7 deploy", "the team said so")?;
        }
        fs::remove_dir_all(&bench.folder)?;
    }
    report(times)
}

/// Rules as a company may have them: on commands, on paths, and on what is sent where.
fn write_rules(bench: &Bench, count: usize) -> Result<()> {
    let folder = bench.folder.join("config/policies");
    fs::create_dir_all(&folder)?;
    for file in 0..count.div_ceil(EACH) {
        let (mut commands, mut paths, mut effects) = (String::new(), String::new(), String::new());
        for rule in (file * EACH)..count.min((file + 1) * EACH) {
            match rule % 4 {
                0 => {
                    paths += &format!(
                        "  - {{glob: \"src/part-{rule}/**\", on: [write], effect: ask, reason: the owners look at it, \
                         match: [write src/part-{rule}/a.rs], not_match: [read src/part-{rule}/a.rs]}}\n"
                    );
                }
                1 => {
                    effects += &format!(
                        "  - {{id: host-{rule}, on: [send, fetch, connect], to: \"host-{rule}.example\", effect: deny, \
                         reason: nothing goes there}}\n"
                    );
                }
                _ => {
                    commands += &format!(
                        "  - {{pattern: \"^tool-{rule} (deploy|release)\", action: deny, reason: the team said so, \
                         match: [tool-{rule} deploy], not_match: [tool-{rule} plan]}}\n"
                    );
                }
            }
        }
        let text = format!("commands:\n{commands}paths:\n{paths}effects:\n{effects}");
        fs::write(folder.join(format!("{file}.yml")), text)?;
    }
    Ok(())
}

fn report(times: [Times; 3]) -> Result<()> {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!("{ROUNDS} rounds, medians");
    let [waited, worked] = [|t: &Times| t.waited.clone(), |t: &Times| t.worked.clone()]
        .map(|of| times.each_ref().map(|times| micros(median(of(times)))));
    for ((count, waited), worked) in RULES.into_iter().zip(waited).zip(worked) {
        println!("{count:>5} rules  {waited:>7.0} us until the answer, {worked:>7.0} us of the processor");
    }
    let added = |of: [f64; 3]| of[2] - of[0];
    println!(
        "added        {:>7.0} us (at most {MOST:.0}), {:>7.0} us of the processor",
        added(waited),
        added(worked)
    );
    if added(waited) > MOST {
        return Err(Error::new("policy files cost too much"));
    }
    Ok(())
}
