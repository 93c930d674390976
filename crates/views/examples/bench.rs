//! `cargo xtask bench views`: how long an index of 1,000,000 records takes, and a search with it.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a measurement may fail loudly"
)]

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ledger::{Hash, rfc3339};
use serde_json::json;
use views::{Filter, Views};

const RECORDS: u64 = 1_000_000;
const DAYS: u64 = 30;
const DAY: u64 = 86_400_000;
const START: u64 = 1_790_000_000_000 / DAY * DAY;
const SEGMENT: u64 = 64 << 20;
const AGENTS: [&str; 3] = ["claude", "codex", "claude"];
/// Bars.
const RATE: f64 = 50_000.0;
const LONGEST: Duration = Duration::from_millis(20);

/// Numbers that look like chance and are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

fn main() -> ExitCode {
    // Beside the program, which lies on a real disk: /tmp may be memory.
    let program = std::env::current_exe().unwrap();
    let folder = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
    let ledger = folder.path().join("ledger");
    let bytes = write(&ledger);
    println!("{RECORDS} records of {} bytes, {DAYS} days", bytes / RECORDS);
    let views = Views::new(folder.path(), &ledger);
    let good = [built(&views, folder.path()), grown(&views), searched(&views)];
    others(&views);
    ExitCode::from(u8::from(good.contains(&false)))
}

fn say(good: bool, text: &str) -> bool {
    println!("{} {text}", if good { "ok  " } else { "OVER" });
    good
}

fn built(views: &Views, folder: &Path) -> bool {
    let (from, worked) = (Instant::now(), worked());
    drop(views.index().unwrap());
    let rate = RECORDS as f64 / from.elapsed().as_secs_f64();
    println!("     {:.1} s of the processor", self::worked() - worked);
    let size = fs::metadata(folder.join("index/ledger.sqlite")).unwrap().len();
    let text = format!("indexing: {rate:.0} records/s (bar {RATE:.0}), {} MiB", size >> 20);
    say(rate >= RATE, &text)
}

/// The seconds of the processor that this process took so far.
fn worked() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: f64 = fields
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum();
    ticks / 100.0
}

/// What was taken in costs little to open.
fn grown(views: &Views) -> bool {
    let mut times: Vec<Duration> = (0..100).map(|_| timed(|| drop(views.index().unwrap()))).collect();
    let p95 = p95(&mut times);
    say(p95 <= LONGEST, &format!("opening: p95 {:.2} ms (bar 20)", ms(p95)))
}

/// Agent, verdict and day, with the index opened and brought up to date each time, and the hits read from the ledger.
fn searched(views: &Views) -> bool {
    let mut dice = Dice(2);
    let (mut times, mut hits) = (Vec::new(), 0);
    for _ in 0..500 {
        let day = START + dice.below(DAYS) * DAY;
        let filter = Filter {
            agent: Some(AGENTS[dice.below(2) as usize].into()),
            verdict: Some(["allow", "warn", "ask", "deny"][dice.below(4) as usize].into()),
            since: Some(day),
            until: Some(day + DAY),
            ..Filter::default()
        };
        let from = Instant::now();
        hits += views.search(&filter, 50).unwrap().len();
        times.push(from.elapsed());
    }
    let p95 = p95(&mut times);
    let text = format!(
        "agent + verdict + day: p95 {:.2} ms (bar 20), median {:.2} ms, {hits} hits",
        ms(p95),
        ms(times[250])
    );
    say(p95 <= LONGEST && hits > 20_000, &text)
}

/// Without bars.
fn others(views: &Views) {
    let s = |text: &str| Some(text.to_owned());
    let filters = [
        (
            "rule",
            Filter {
                rule: s("rule_7"),
                ..Filter::default()
            },
        ),
        (
            "path",
            Filter {
                path: s("/home/ann/work/project/src/module_77"),
                ..Filter::default()
            },
        ),
        (
            "path with much below it",
            Filter {
                path: s("/home/ann/work"),
                ..Filter::default()
            },
        ),
        (
            "host",
            Filter {
                host: s("example.org"),
                ..Filter::default()
            },
        ),
        (
            "session",
            Filter {
                session: s("session-77"),
                ..Filter::default()
            },
        ),
        (
            "words that are there",
            Filter {
                text: s("cargo test"),
                ..Filter::default()
            },
        ),
        (
            "words that are nowhere",
            Filter {
                text: s("no such words"),
                ..Filter::default()
            },
        ),
    ];
    for (name, filter) in filters {
        let from = Instant::now();
        let hits = views.search(&filter, 50).unwrap().len();
        println!("     {name}: {:.1} ms, {hits} hits", ms(from.elapsed()));
    }
    println!(
        "     statistics: {:.0} ms",
        ms(timed(|| drop(views.stats(&Filter::default()).unwrap())))
    );
    println!(
        "     the last 50: {:.1} ms",
        ms(timed(|| drop(views.last(50).unwrap())))
    );
}

fn timed(run: impl FnOnce()) -> Duration {
    let from = Instant::now();
    run();
    from.elapsed()
}

fn p95(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() * 95 / 100]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Writes a ledger, and says how many bytes it has.
fn write(folder: &Path) -> u64 {
    fs::create_dir(folder).unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    let (mut dice, mut prev) = (Dice(1), Hash::GENESIS.hex());
    let (mut all, mut in_segment, mut segment) = (0, SEGMENT, 0);
    let mut out = None;
    for seq in 1..=RECORDS {
        if in_segment >= SEGMENT {
            segment += 1;
            in_segment = 0;
            let path = folder.join(format!("{segment:06}.ndjson"));
            let file = File::create(&path).unwrap();
            file.set_permissions(fs::Permissions::from_mode(0o600)).unwrap();
            out = Some(BufWriter::with_capacity(1 << 20, file));
        }
        let line = record(seq, &prev, &mut dice);
        prev = Hash::of(line.as_bytes()).hex();
        writeln!(out.as_mut().unwrap(), "{line}").unwrap();
        in_segment += line.len() as u64 + 1;
        all += line.len() as u64 + 1;
    }
    out.unwrap().flush().unwrap();
    all
}

/// A record of the usual fields and size: one in ten has a finding.
fn record(seq: u64, prev: &str, dice: &mut Dice) -> String {
    let time = rfc3339(START + seq * (DAYS * DAY) / (RECORDS + 1));
    let module = dice.below(20_000);
    let verdict = ["warn", "ask", "deny"]
        .get(dice.below(30) as usize)
        .copied()
        .unwrap_or("allow");
    let path = format!("/home/ann/work/project/src/module_{module}/mod.rs");
    let command = match dice.below(4) {
        0 => format!("cargo test --package module_{module}"),
        1 => format!("sed -n 1,200p src/module_{module}/mod.rs"),
        2 => format!("git diff --stat src/module_{module}"),
        _ => format!(
            "curl -s https://host{}.example.org/api/v1/items/{module}",
            dice.below(300)
        ),
    };
    let mut effects = vec![
        "run git (known) by git".to_owned(),
        format!("read {path} (workspace) by git"),
    ];
    if command.starts_with("curl") {
        effects.push(format!("fetch host{}.example.org (network) by curl", dice.below(300)));
    }
    let findings = match verdict {
        "allow" => json!([]),
        _ => json!([{
            "rule": format!("rule_{}", dice.below(60)), "verdict": verdict, "risk": "high", "text": command,
            "chain": ["command 1:1", format!("read of {path} (workspace)")],
        }]),
    };
    let looks = [
        json!({"subject": path, "question": "kind", "answer": "file"}),
        json!({"subject": path, "question": "real_path", "answer": path}),
    ];
    let mut record = json!({
        "format": 1, "seq": seq, "prev": prev, "time": time, "mono_ns": seq * 1_000_000,
        "boot_id": "11111111-2222-3333-4444-555555555555", "kind": "decision",
        "agent": {"name": AGENTS[dice.below(3) as usize], "pid": 4242, "start_ticks": 123_456, "version": "2.1.0"},
        "session": format!("session-{}", seq / 500), "call": format!("toolu_{seq}"),
        "request": {"digest": prev, "event": "PreToolUse", "tool": "Bash", "parts": [{"kind": "command.run", "text": command}]},
        "effects": effects, "classes": ["read_only"], "verdict": verdict, "decision": {"posture": "guard", "mode": "default"},
        "policy_digest": prev, "rules_digest": prev, "version": "0.1.0",
        "cwd": {"path": "/home/ann/work/project", "dev": 64_769, "ino": 1_234_567}, "repository": "/home/ann/work/project",
        "looks": looks,
    });
    if findings.as_array().is_some_and(|list| !list.is_empty()) {
        record["findings"] = findings;
    }
    record.to_string()
}
