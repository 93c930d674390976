//! `cargo xtask bench hook`: what an agent waits for when it asks the hook about a harmless command.
//!
//! Whole processes are timed, from their start to their end, in turn with a C program that does nothing. So whatever
//! slows this machine down slows both, and the ratio of the medians means something on any machine.

mod hostile;
pub(crate) mod moat;
pub(crate) mod policy;
pub(crate) mod rules;

use crate::error::{Error, Result};
use crate::programs::{cargo, must, program, target};
use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 400;
const WARM_UP: usize = 20;
/// The bars: the hook may take this many times what the C program takes, and hold this much memory.
const MOST_TIME: f64 = 2.0;
const MOST_MEMORY: u64 = 12 * 1024;

const NOTHING: &str = include_str!("nothing.c");
const PEAK: &str = include_str!("peak.c");

/// A question as Claude Code asks it before it runs a command.
fn question(command: &str, folder: &Path) -> String {
    format!(
        r#"{{"session_id":"00000000-0000-4000-8000-000000000000","transcript_path":"{0}/t.jsonl","cwd":"{0}","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"{command}","description":"Look"}},"tool_use_id":"toolu_0"}}"#,
        folder.display()
    )
}

/// Everything that is measured, in a folder of its own.
struct Bench {
    folder: PathBuf,
    nothing: PathBuf,
    peak: PathBuf,
    hook: PathBuf,
    arguments: Vec<OsString>,
}

/// Judgements inside a process, built as it is released: see `crates/policy/examples/judge.rs`, which has the bars.
pub(crate) fn judge(places: &[&str]) -> Result<()> {
    let mut run = cargo("run --profile dist --quiet --package tollgate-policy --example judge --");
    must(run.args(places))
}

/// The ledger under load, built as it is released: see `crates/ledger/examples/bench.rs`, which has the bars.
pub(crate) fn ledger() -> Result<()> {
    must(&mut cargo(
        "run --profile dist --quiet --package tollgate-ledger --example bench",
    ))
}

/// What a snapshot costs, built as it is released: see `crates/snapshot/examples/bench.rs`, which has the bars.
pub(crate) fn snapshot() -> Result<()> {
    must(&mut cargo(
        "run --profile dist --quiet --package tollgate-snapshot --example bench",
    ))
}

/// The index of a long ledger, built as it is released: see `crates/views/examples/bench.rs`, which has the bars.
pub(crate) fn views() -> Result<()> {
    must(&mut cargo(
        "run --profile dist --quiet --package tollgate-views --example bench",
    ))
}

pub(crate) fn run(hook: PathBuf) -> Result<()> {
    let bench = Bench::prepare(hook, "hook")?;
    bench.denies()?;
    let question = question("git status", &bench.folder.join("work"));
    let before = bench.records()?;
    let (mut hook, mut nothing) = (Vec::new(), Vec::new());
    for round in 0..WARM_UP + ROUNDS {
        let times = bench.round(round, &question)?;
        if round >= WARM_UP {
            hook.push(times.0);
            nothing.push(times.1);
        }
    }
    let recorded = bench.records()? - before;
    if recorded < WARM_UP + ROUNDS {
        return Err(Error::new(format!(
            "{} questions left only {recorded} records",
            WARM_UP + ROUNDS
        )));
    }
    let memory = bench.memory(&question)?;
    fs::remove_dir_all(&bench.folder)?;
    report(median(hook), median(nothing), memory, recorded)
}

fn report(hook: Duration, nothing: Duration, memory: u64, recorded: usize) -> Result<()> {
    let ratio = hook.as_secs_f64() / nothing.as_secs_f64();
    println!("{ROUNDS} rounds, {recorded} records");
    println!("hook     {:>7.0} us (median)", hook.as_secs_f64() * 1e6);
    println!("nothing  {:>7.0} us (median)", nothing.as_secs_f64() * 1e6);
    println!("ratio    {ratio:>7.2} (at most {MOST_TIME})");
    println!(
        "memory   {:>7.1} MiB at its peak (at most {})",
        memory as f64 / 1024.0,
        MOST_MEMORY / 1024
    );
    if ratio > MOST_TIME || memory > MOST_MEMORY {
        return Err(Error::new("the hook is over its bar"));
    }
    Ok(())
}

impl Bench {
    fn prepare(hook: PathBuf, name: &str) -> Result<Bench> {
        let folder = target().join(format!("bench-{name}-{}", std::process::id()));
        for name in ["work", "config", "state", "data"] {
            fs::create_dir_all(folder.join(name))?;
        }
        must(
            program("git")
                .args(["init", "--quiet"])
                .current_dir(folder.join("work")),
        )?;
        let places = ["config", "state", "data"].map(|name| [format!("--{name}").into(), folder.join(name).into()]);
        let arguments = [OsString::from("claude")]
            .into_iter()
            .chain(places.into_iter().flatten())
            .collect();
        let nothing = compile("nothing", NOTHING, &folder)?;
        let peak = compile("peak", PEAK, &folder)?;
        Ok(Bench {
            folder,
            nothing,
            peak,
            hook,
            arguments,
        })
    }

    fn hook(&self) -> Command {
        let mut command = Command::new(&self.hook);
        command.args(&self.arguments);
        command
    }

    /// Times both programs once, each being first in every other round.
    fn round(&self, round: usize, question: &str) -> Result<(Duration, Duration)> {
        let mut nothing = Command::new(&self.nothing);
        if round.is_multiple_of(2) {
            let hook = timed(&mut self.hook(), question)?;
            return Ok((hook, timed(&mut nothing, question)?));
        }
        let nothing = timed(&mut nothing, question)?;
        Ok((timed(&mut self.hook(), question)?, nothing))
    }

    /// What is fast because it does not look is not worth measuring.
    fn denies(&self) -> Result<()> {
        self.answers("rm -rf /", "\"permissionDecision\":\"")
    }

    /// What the hook says of a command holds some words.
    fn answers(&self, command: &str, words: &str) -> Result<()> {
        let mut answer = String::new();
        let mut child = start(&mut self.hook())?;
        give(&mut child, &question(command, &self.folder.join("work")));
        child
            .stdout
            .take()
            .into_iter()
            .try_for_each(|mut out| out.read_to_string(&mut answer).map(|_| ()))?;
        child.wait()?;
        let held = answer.contains("\"deny\"") || answer.contains("\"ask\"");
        if held && answer.contains(words) {
            return Ok(());
        }
        Err(Error::new(format!("the hook lets `{command}` pass: {answer:?}")))
    }

    /// The lines of the ledger.
    fn records(&self) -> Result<usize> {
        lines_in(&self.folder.join("state"))
    }

    /// The most that the hook held at once, in KiB.
    fn memory(&self, question: &str) -> Result<u64> {
        self.used(question).map(|(_, memory)| memory)
    }

    /// The time that the hook took of the processor.
    fn worked(&self, question: &str) -> Result<Duration> {
        self.used(question).map(|(time, _)| time)
    }

    /// Time of the processor, and KiB.
    fn used(&self, question: &str) -> Result<(Duration, u64)> {
        let mut command = Command::new(&self.peak);
        command.arg(&self.hook).args(&self.arguments).stderr(Stdio::piped());
        let mut child = start(&mut command)?;
        give(&mut child, question);
        let output = child.wait_with_output()?;
        let printed = String::from_utf8_lossy(&output.stderr);
        let mut numbers = printed.lines().rev().map_while(|line| line.parse::<u64>().ok());
        match (numbers.next(), numbers.next()) {
            (Some(memory), Some(time)) => Ok((Duration::from_micros(time), memory)),
            _ => Err(Error::new(format!("nothing was measured: {printed}"))),
        }
    }
}

fn start(command: &mut Command) -> Result<std::process::Child> {
    Ok(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?)
}

/// Writes the question. The program that does nothing may end without having read it.
fn give(child: &mut std::process::Child, question: &str) {
    if let Some(mut stdin) = child.stdin.take() {
        let _unread = stdin.write_all(question.as_bytes());
    }
}

fn timed(command: &mut Command, question: &str) -> Result<Duration> {
    let mut answer = Vec::new();
    let begin = Instant::now();
    let mut child = start(command)?;
    give(&mut child, question);
    child
        .stdout
        .take()
        .into_iter()
        .try_for_each(|mut out| out.read_to_end(&mut answer).map(|_| ()))?;
    let status = child.wait()?;
    let time = begin.elapsed();
    if status.success() {
        Ok(time)
    } else {
        Err(Error::new(format!("a measured program failed: {status}")))
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn compile(name: &str, text: &str, folder: &Path) -> Result<PathBuf> {
    let source = folder.join(format!("{name}.c"));
    fs::write(&source, text)?;
    let built = folder.join(name);
    must(program("cc").arg("-O2").arg("-o").arg(&built).arg(&source))?;
    Ok(built)
}

/// The lines of the NDJSON files below a folder.
fn lines_in(folder: &Path) -> Result<usize> {
    let mut lines = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            lines += lines_in(&path)?;
        } else if path.extension().is_some_and(|ending| ending == "ndjson") {
            lines += fs::read_to_string(&path)?.lines().count();
        }
    }
    Ok(lines)
}
