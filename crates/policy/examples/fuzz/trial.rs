//! What has to hold for every text.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use policy::Verdict;

use crate::support::{command, guard};
use crate::targets::Target;

/// The bars for one text, in time of the processor and in KiB.
const MOST_TIME: Duration = Duration::from_millis(50);
const MOST_MEMORY: u64 = 64 << 10;
/// Work that is little.
const LITTLE: [u32; 2] = [40, 1000];

/// Whether all is well with a text; if not, it is said what is wrong.
pub(crate) fn holds(target: &Target, way: usize, text: &str, timed: bool) -> bool {
    if target.is_rules() {
        return read_as_rules(text, timed);
    }
    let (machine, asked) = target.question(way, text);
    let request = command(&asked);
    let judge = || policy::judge(&request, &machine, &guard());
    let before = forget_peak();
    let Some((first, time)) = tried(judge) else {
        return false;
    };
    let held = peak().saturating_sub(before);
    let mut good = in_time(time, text, timed, judge);
    if timed && held > MOST_MEMORY {
        println!("LARGE: {held} KiB for {} bytes", text.len());
        good = false;
    }
    if judge() != first {
        println!("IN TWO WAYS");
        good = false;
    }
    let verdict = first.verdict().min(Verdict::Ask);
    for little in LITTLE {
        let less = policy::judge_within(&request, &machine, &guard(), little).verdict();
        if less < verdict {
            println!(
                "MILDER WITH LESS WORK: {} instead of {}",
                less.as_str(),
                verdict.as_str()
            );
            good = false;
        }
    }
    good && (!target.is_shell() || reads_alike(text))
}

/// A rule file is read or refused.
fn read_as_rules(text: &str, timed: bool) -> bool {
    let read = || {
        let mut book = rulebook::Book::default();
        let _ = book.add("rules.toml", text);
        let _ = rulebook::role_tables("calls.toml", text);
    };
    tried(read).is_some_and(|((), time)| in_time(time, text, timed, read))
}

fn tried<T>(run: impl Fn() -> T) -> Option<(T, Duration)> {
    let before = cpu();
    let done = catch_unwind(AssertUnwindSafe(run));
    let time = cpu().saturating_sub(before);
    if done.is_err() {
        println!("PANIC");
    }
    done.ok().map(|value| (value, time))
}

/// Whether it took no longer than it may. Others may have got in the way, so it is tried again.
fn in_time<T>(time: Duration, text: &str, timed: bool, run: impl Fn() -> T) -> bool {
    let mut time = time;
    for _ in 0..3 {
        if !timed || time <= MOST_TIME {
            return true;
        }
        let before = cpu();
        let _ = run();
        time = time.min(cpu().saturating_sub(before));
    }
    println!("SLOW: {time:?} for {} bytes", text.len());
    false
}

/// Begins to measure the most that is held; gives what is held already, for what was read of rules stays.
fn forget_peak() -> u64 {
    let _ = fs::write("/proc/self/clear_refs", "5");
    peak()
}

fn reads_alike(text: &str) -> bool {
    let whole = shell::parse(text);
    let parts: Vec<shell::Script> = shell::Scripts::new(text).collect();
    let mut items: Vec<&shell::Item> = parts.iter().flat_map(|script| &script.items).collect();
    // Of a very long list the rest is one piece there.
    let kept = whole.items.len().min(2048);
    items.truncate(kept);
    let alike = whole.items.iter().take(kept).eq(items);
    let faults = whole.has_faults() == parts.iter().any(shell::Script::has_faults);
    if !alike || !faults {
        println!("READ IN TWO WAYS");
    }
    alike && faults
}

/// How long this process has run, in the steps of the scheduler.
pub(crate) fn cpu() -> Duration {
    let text = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// The most that this process held at once since [`forget_peak`], in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}
