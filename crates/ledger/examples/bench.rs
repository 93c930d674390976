//! `cargo xtask bench ledger`: writers that contend, flushes, long logs, verification.
//!
//! Rates of this machine are compared with something bare in the same run, so that the ratio means something anywhere.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement may fail loudly"
)]

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use ledger::{Event, Flush, Ledger, Record, Request, verify};

const WRITERS: usize = 64;
const EACH: usize = 1000;
/// Records that every writer flushes.
const FLUSHED: usize = 20;
const PATIENCE: Duration = Duration::from_secs(120);

/// A record of a usual size.
fn record() -> Record {
    Record {
        kind: Event::Decision,
        verdict: "allow".into(),
        request: Some(Request {
            digest: "0123456789abcdef".repeat(4),
            event: "PreToolUse".into(),
            tool: "Bash".into(),
            parts: Vec::new(),
        }),
        effects: vec!["run git status".into(), "read /home/somebody/work/project/.git".into()],
        note: "x".repeat(600),
        ..Record::default()
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [kind, state, count] = args.as_slice() {
        return write(kind, Path::new(state), count.parse().unwrap());
    }
    // A folder on a real disk: /tmp may be memory.
    let folder = tempfile::tempdir_in(std::env::current_dir().unwrap()).unwrap();
    let good = [
        contention(folder.path()),
        flushes(folder.path()),
        long_log(folder.path()),
        verification(folder.path()),
    ];
    ExitCode::from(u8::from(good.contains(&false)))
}

/// One writer: as the hook, it opens the ledger anew for every record.
fn write(kind: &str, state: &Path, count: usize) -> ExitCode {
    let flush = if kind == "full" { Flush::Full } else { Flush::Held };
    let ledger = Ledger::at(state).waiting(PATIENCE).flushing(flush);
    let record = record();
    for _ in 0..count {
        if ledger.append(&record).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// All writers at once; the seconds that they took.
fn hammer(kind: &str, state: &Path, count: usize) -> f64 {
    let from = Instant::now();
    let writers: Vec<_> = (0..WRITERS)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args([kind, state.to_str().unwrap(), &count.to_string()])
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    from.elapsed().as_secs_f64()
}

fn contention(folder: &Path) -> bool {
    let state = folder.join("contention");
    let seconds = hammer("held", &state, EACH);
    let report = verify(&state.join("ledger"), None).unwrap();
    let all = (WRITERS * EACH) as u64;
    assert!(report.intact() && report.records == all, "{report:?}");
    let rate = all as f64 / seconds;
    say(
        rate >= 5000.0,
        &format!("{WRITERS} writers x {EACH}: {rate:.0} records/s, one chain (bar 5000)"),
    )
}

fn flushes(folder: &Path) -> bool {
    let count = WRITERS * FLUSHED;
    let bare = bare(&folder.join("bare"), count);
    let seconds = hammer("full", &folder.join("full"), FLUSHED);
    let ratio = seconds / bare;
    let (ours, theirs) = (count as f64 / seconds, count as f64 / bare);
    say(
        ratio <= 1.3,
        &format!(
            "every record flushed: {ours:.0}/s against {theirs:.0}/s of a bare write and flush: {ratio:.2} x (bar 1.3)"
        ),
    )
}

/// What the disk itself does: one writer, one file, a line and a flush.
fn bare(path: &Path, count: usize) -> f64 {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    let line = [b'x'; 1100];
    let from = Instant::now();
    for _ in 0..count {
        file.write_all(&line).unwrap();
        file.sync_data().unwrap();
    }
    from.elapsed().as_secs_f64()
}

fn long_log(folder: &Path) -> bool {
    let (short, long) = (Ledger::at(&folder.join("short")), Ledger::at(&folder.join("long")));
    fill(&short, 1 << 20);
    // Sealed segments are not opened by an append, so that their bytes may be a hole.
    for _ in 0..160 {
        let _ = long.clone().in_segments_of(1).append(&record()).unwrap();
    }
    for number in 1..160 {
        let path = long.dir().join(format!("{number:06}.ndjson"));
        File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_len(64 << 20)
            .unwrap();
    }
    fill(&long, 1 << 20);
    // In turn, so that whatever slows the machine down slows both.
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..4000 {
        for (ledger, times) in [(&short, &mut a), (&long, &mut b)] {
            let from = Instant::now();
            let _ = ledger.append(&record()).unwrap();
            times.push(from.elapsed());
        }
    }
    let (a, b) = (p99(a), p99(b));
    let ratio = b.as_secs_f64() / a.as_secs_f64();
    say(
        ratio <= 1.2,
        &format!("p99 of an append: {a:?} at 1 MB, {b:?} at 10 GB: {ratio:.2} x (bar 1.2)"),
    )
}

fn fill(ledger: &Ledger, bytes: u64) {
    let record = record();
    let from = Instant::now();
    let mut written = 0;
    while written < bytes && from.elapsed() < PATIENCE {
        let _ = ledger.append(&record).unwrap();
        written += 1100;
    }
}

fn p99(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() * 99 / 100]
}

fn verification(folder: &Path) -> bool {
    let ledger = Ledger::at(&folder.join("verified")).in_segments_of(1 << 40);
    fill(&ledger, 300 << 20);
    let log = ledger.dir().join("000001.ndjson");
    let bytes = fs::metadata(&log).unwrap().len();
    let (mut ours, mut theirs) = (f64::MAX, f64::MAX);
    for _ in 0..3 {
        let from = Instant::now();
        assert!(verify(ledger.dir(), None).unwrap().intact());
        ours = ours.min(from.elapsed().as_secs_f64());
        let from = Instant::now();
        let sum = Command::new("sha256sum").arg(&log).stdout(Stdio::null()).status();
        assert!(sum.unwrap().success());
        theirs = theirs.min(from.elapsed().as_secs_f64());
    }
    let rate = |seconds: f64| bytes as f64 / seconds / 1e6;
    let (share, memory) = (theirs / ours, peak());
    say(
        share >= 0.6 && memory <= 64 << 10,
        &format!(
            "verify: {:.0} MB/s against {:.0} MB/s of sha256sum: {share:.2} (bar 0.6), {} MiB (bar 64)",
            rate(ours),
            rate(theirs),
            memory >> 10
        ),
    )
}

/// The most memory that this process ever held, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}

fn say(good: bool, what: &str) -> bool {
    println!("{} {what}", if good { "met    " } else { "MISSED " });
    good
}
