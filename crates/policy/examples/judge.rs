//! How long judgements take and how much memory they need; `cargo xtask bench judge` runs it.
//!
//! Every group has a process of its own, every shape of 1 MiB too, so that the most memory that one of them held says
//! something. The folder or file that is given holds scripts (`*.sh`, `configure`), which are judged as files that a
//! command runs, or cases (`*.jsonl`, one object with a `command` a line).

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

#[path = "../tests/support/mod.rs"]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use support::shapes::SHAPES;
use support::{Machine, cases, command, guard};

/// Times that each is judged; the quickest counts.
const TIMES: usize = 3;
/// What takes longer is measured in time of the processor.
const LONG: Duration = Duration::from_millis(20);
/// The longest script that the hook reads.
const LONGEST_SCRIPT: u64 = 256 << 10;
/// Bytes of scripts that are judged as one text.
const MAX_JOINED: usize = 1 << 20;
/// The bars: of a hundred judgements ninety-nine, any script, a text of 1 MiB; and the memory of all.
const MOST_USUAL: Duration = Duration::from_millis(2);
const MOST_SCRIPT: Duration = Duration::from_millis(50);
const MOST_LONG: Duration = Duration::from_millis(100);
const MOST_MEMORY: u64 = 20 << 10;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let good = match words.as_slice() {
        ["--spec"] => group("spec", MOST_USUAL, usual(&spec())),
        ["--cases", file] => group(file, MOST_USUAL, usual(&commands(Path::new(file)))),
        ["--scripts", folder] => group(folder, MOST_SCRIPT, scripts(Path::new(folder))),
        ["--shape", name] => shape(name),
        ["--joined", folder] => joined(Path::new(folder)),
        places => everything(places),
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// All groups, each in its own process.
fn everything(places: &[&str]) -> bool {
    let mut good = alone(&["--spec"]);
    for place in places {
        let path = Path::new(place);
        for file in files(path)
            .iter()
            .filter(|f| f.extension().is_some_and(|e| e == "jsonl"))
        {
            good &= alone(&["--cases", &file.to_string_lossy()]);
        }
        good &= alone(&["--scripts", place]);
        good &= alone(&["--joined", place]);
    }
    for shape in SHAPES {
        good &= alone(&["--shape", shape.name]);
    }
    good
}

fn alone(words: &[&str]) -> bool {
    let program = std::env::current_exe().expect("this program");
    Command::new(program)
        .args(words)
        .status()
        .is_ok_and(|status| status.success())
}

fn timed(machine: &Machine, text: &str) -> (Duration, policy::Judgement) {
    timed_request(machine, &command(text))
}

fn timed_request(machine: &Machine, request: &policy::Request) -> (Duration, policy::Judgement) {
    let mut best: Option<(Duration, policy::Judgement)> = None;
    for _ in 0..TIMES {
        let (begin, before) = (Instant::now(), cpu());
        let judgement = policy::judge(request, machine, &guard());
        let elapsed = begin.elapsed();
        // The clock of the processor is too coarse for what is short, and the other one counts what others do meanwhile.
        let time = if elapsed > LONG { cpu() - before } else { elapsed };
        if best.as_ref().is_none_or(|(least, _)| time < *least) {
            best = Some((time, judgement));
        }
    }
    best.expect("it was judged")
}

fn usual(texts: &[String]) -> Vec<(Duration, String)> {
    let machine = Machine::new();
    let head = |text: &String| text.chars().take(40).collect::<String>().replace('\n', " ");
    texts.iter().map(|text| (timed(&machine, text).0, head(text))).collect()
}

fn spec() -> Vec<String> {
    cases::all().iter().filter_map(cases::Case::plain_command).collect()
}

fn commands(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let command = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).ok()?;
        row.get("command")?.as_str().map(String::from)
    };
    text.lines().filter_map(command).collect()
}

fn scripts(folder: &Path) -> Vec<(Duration, String)> {
    let mut times = Vec::new();
    for file in files(folder) {
        let named = file.extension().is_some_and(|e| e == "sh") || file.file_name().is_some_and(|n| n == "configure");
        let short = fs::metadata(&file).is_ok_and(|meta| meta.len() <= LONGEST_SCRIPT);
        if let (true, true, Ok(text)) = (named, short, fs::read_to_string(&file)) {
            let machine = Machine::new().with_file("script.sh", &text);
            times.push((timed(&machine, "bash script.sh").0, file.display().to_string()));
        }
    }
    times
}

/// The scripts of a folder one after the other, as texts of 1 MiB.
fn joined(folder: &Path) -> bool {
    let mut texts = vec![String::new()];
    for file in files(folder) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let first = text.lines().next().unwrap_or_default();
        let script = first.starts_with("#!") && first.ends_with("sh") || file.extension().is_some_and(|e| e == "sh");
        if !script || text.len() > MAX_JOINED {
            continue;
        }
        if texts.last().is_some_and(|last| last.len() + text.len() > MAX_JOINED) {
            texts.push(String::new());
        }
        if let Some(last) = texts.last_mut() {
            last.push_str(&text);
            last.push('\n');
        }
    }
    let judged = |text: &String| {
        let (time, judgement) = timed(&Machine::new(), text);
        let gave_up = judgement.effects.iter().any(|e| e.tags.has("limit"));
        let note = if gave_up { ", GAVE UP" } else { "" };
        (time, format!("{} bytes{note}", text.len()))
    };
    let name = format!("{} put together", folder.display());
    group(&name, MOST_LONG, texts.iter().map(judged).collect())
}

fn files(place: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(place) else {
        return vec![place.into()];
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
        .into_iter()
        .flat_map(|path| if path.is_symlink() { vec![path] } else { files(&path) })
        .collect()
}

fn shape(name: &str) -> bool {
    let Some(shape) = SHAPES.iter().find(|shape| shape.name == name) else {
        eprintln!("there is no shape `{name}`");
        return false;
    };
    // The text is held once, as whoever is asked holds it.
    let request = command(&shape.text());
    let (time, judgement) = timed_request(&Machine::new(), &request);
    let gave_up = judgement.effects.iter().any(|e| e.tags.has("limit"));
    let good = time <= MOST_LONG && peak() <= MOST_MEMORY && !gave_up;
    let note = if gave_up { " GAVE UP" } else { "" };
    println!(
        "{:>8.2} ms  {:>5.1} MiB  1 MiB of {name}{note}{}",
        ms(time),
        peak() as f64 / 1024.0,
        over(good)
    );
    good
}

fn group(name: &str, most: Duration, mut times: Vec<(Duration, String)>) -> bool {
    times.sort();
    let at = |percent: usize| times.get((times.len() * percent / 100).min(times.len().saturating_sub(1)));
    let (Some((half, _)), Some((nearly, _)), Some((worst, which))) = (at(50), at(99), times.last()) else {
        return true;
    };
    // Of scripts each counts, of single commands all but one in a hundred.
    let measured = if most == MOST_USUAL { nearly } else { worst };
    let good = *measured <= most && peak() <= MOST_MEMORY;
    println!(
        "{:>8.2} ms  {:>5.1} MiB  p99 of {} in {name}: p50 {:.3} ms, worst {:.2} ms ({which}){}",
        ms(*nearly),
        peak() as f64 / 1024.0,
        times.len(),
        ms(*half),
        ms(*worst),
        over(good)
    );
    good
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn over(good: bool) -> &'static str {
    if good { "" } else { "  OVER ITS BAR" }
}

/// How long this process has run.
fn cpu() -> Duration {
    let text = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// The most that this process held at once, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}
