//! Judges texts that nobody wrote: cases of `spec/`, cut up, put together, nested and repeated.
//!
//! `fuzz --rounds N` tries the same texts every time; `fuzz --minutes N [SEED]` goes on for so long, and looks at time and
//! memory, too. A text fails that makes the judgement panic, that is judged in two ways, that takes long or much memory, or
//! that [`shell::Scripts`] reads otherwise than [`shell::parse`]. What fails is printed, and `fuzz --text FILE` tries it again.

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
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use support::{Machine, cases, command, guard};

/// The bars for one text, in time of the processor and in KiB.
const MOST_TIME: Duration = Duration::from_millis(50);
const MOST_MEMORY: u64 = 20 << 10;
/// The longest text that is made.
const LONGEST: usize = 64 << 10;

/// What other texts are put into; `@` is the place.
const AROUND: &[&str] = &[
    "$(@)",
    "\"$(@)\"",
    "`@`",
    "(@)",
    "{ @; }",
    "eval '@'",
    "bash -c '@'",
    "bash -c \"@\"",
    "sh <<'E'\n@\nE\n",
    "cat <<E\n@\nE\n",
    "f() { @; }; f",
    "f() { @; f $1x; }; f a",
    "if @; then @; fi",
    "while @; do @; done",
    "for i in 1 2 3; do @; done",
    "for i in {1..40}; do @; done",
    "case $x in a) @;; *) @;; esac",
    "@ && @ || @",
    "@ | @",
    "@ &",
    "x='@'; eval \"$x\"",
    "python3 -c '@'",
    "perl -e '@'",
    "ruby -e \"@\"",
    "node -e '@'",
    "awk '@'",
    "sed '@' f",
    "find . -exec @ \\;",
    "xargs @",
    "echo @ | base64 -d | sh",
    "x[$(@)]=1",
    "${x:-@}",
    "$((@))",
    "[[ @ ]]",
    "trap '@' EXIT",
    "alias a='@'; a",
    "sudo @",
    "env A=b @",
    "ssh h '@'",
    "docker run i @",
    "<(@)",
    "@ > f",
    "@ < f",
    "source f @",
    "cd @",
    "export A=@",
    "set -- @; \"$@\"",
    "printf '%s' @",
    "read -r x <<< '@'",
    "a=(@)",
    "{@,@}",
    "'@'",
    "\"@\"",
    "\\@",
    "# @\n",
    "@\n@",
    "git -c x='@' y",
    "make -f - <<'E'\na:\n\t@\nE\n",
    "psql -c '@'",
    "os.system(\"@\")",
    "system('@')",
    "subprocess.run([\"@\"])",
];
/// Pieces that are put in anywhere.
const PIECES: &[&str] = &[
    "$x", "\"", "'", "`", "$(", ")", "{", "}", ";", "\n", "|", "&&", "<<E\n", "\\", "*", "~", "/", "..", "${", "[",
    "]", "((", "$((", "=", "-rf", "\0", "é", "\u{202e}", "!", "#", "%", "\t", "EOF", "then", "done", "esac", "in",
    "function", "$@", "$1", "<(",
];

/// Small and the same everywhere: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 8).unwrap_or_default() % most.max(1)
    }

    fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all.get(self.below(all.len())).copied().unwrap_or_default()
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |word: &str| word.parse::<u64>().expect("a number");
    let failed = match words.as_slice() {
        ["--rounds", n] => rounds(0, false, |done| done < number(n)),
        ["--minutes", n] => minutes(number(n), 1),
        ["--minutes", n, seed] => minutes(number(n), number(seed)),
        ["--text", file] => usize::from(!holds(&fs::read_to_string(file).expect("a file"), true, true)),
        _ => {
            eprintln!("usage: fuzz --rounds N | --minutes N [SEED] | --text FILE");
            return ExitCode::from(64);
        }
    };
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn minutes(minutes: u64, seed: u64) -> usize {
    let begin = Instant::now();
    rounds(seed, true, |_| begin.elapsed() < Duration::from_secs(60 * minutes))
}

/// Tries texts as long as `goes_on` says; how many failed.
fn rounds(seed: u64, timed: bool, goes_on: impl Fn(u64) -> bool) -> usize {
    let seeds: Vec<String> = cases::all().iter().filter_map(cases::Case::plain_command).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let (mut done, mut failed) = (0, 0);
    while goes_on(done) {
        let mut random = Random((seed << 32 | done).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let text = text(&mut random, &seeds);
        if !holds(&text, random.below(4) == 0, timed) {
            failed += 1;
            let file = std::env::temp_dir().join(format!("tollgate-fuzz-{seed}-{done}"));
            let kept = fs::write(&file, &text).map_or_else(|e| e.to_string(), |()| file.display().to_string());
            println!("    round {done} of seed {seed}: {kept}");
        }
        done += 1;
    }
    println!("{done} texts, {failed} failed");
    failed
}

fn text(random: &mut Random, seeds: &[&str]) -> String {
    let mut text = random.of(seeds).to_string();
    for _ in 0..random.below(6) {
        text = match random.below(8) {
            0..3 => around(random, seeds, &text),
            3 => format!(
                "{text}{}{}",
                random.of(&["; ", "\n", " && ", " | ", " "]),
                random.of(seeds)
            ),
            4 => put_in(random, &text),
            5 => cut(random, &text),
            6 => repeated(random, &text),
            _ => format!("{}\n{text}", random.of(seeds)),
        };
        let end = (0..=LONGEST.min(text.len())).rev().find(|i| text.is_char_boundary(*i));
        text.truncate(end.unwrap_or_default());
    }
    text
}

fn around(random: &mut Random, seeds: &[&str], text: &str) -> String {
    let mut out = String::new();
    for (i, part) in random.of(AROUND).split('@').enumerate() {
        if i == 1 {
            out.push_str(text);
        } else if i > 1 {
            out.push_str(random.of(seeds));
        }
        out.push_str(part);
    }
    out
}

/// A place between two characters.
fn place(random: &mut Random, text: &str) -> usize {
    let at = random.below(text.len() + 1);
    (0..=at).rev().find(|i| text.is_char_boundary(*i)).unwrap_or_default()
}

fn put_in(random: &mut Random, text: &str) -> String {
    let (head, tail) = text.split_at(place(random, text));
    format!("{head}{}{tail}", random.of(PIECES))
}

fn cut(random: &mut Random, text: &str) -> String {
    let (a, b) = (place(random, text), place(random, text));
    let (start, end) = (a.min(b), a.max(b));
    let (head, tail) = (
        text.get(..start).unwrap_or_default(),
        text.get(end..).unwrap_or_default(),
    );
    format!("{head}{tail}")
}

/// One piece of the text very often.
fn repeated(random: &mut Random, text: &str) -> String {
    let (a, b) = (place(random, text), place(random, text));
    let (start, end) = (a.min(b), a.max(b));
    let piece = text.get(start..end).unwrap_or_default();
    let times = (1 << random.below(12)).min(LONGEST / (piece.len() + 1));
    let (head, tail) = (
        text.get(..start).unwrap_or_default(),
        text.get(end..).unwrap_or_default(),
    );
    format!("{head}{}{tail}", piece.repeat(times))
}

/// Judges a text as a command, or as a script that one runs, and says what is wrong with that.
fn holds(text: &str, as_script: bool, timed: bool) -> bool {
    let machine = Machine::new().with_file("script.sh", text).with_file("Makefile", text);
    let asked = if as_script { "bash script.sh" } else { text };
    let judge = || policy::judge(&command(asked), &machine, &guard());
    let held = peak();
    let before = cpu();
    let Ok(first) = catch_unwind(AssertUnwindSafe(judge)) else {
        println!("PANIC");
        return false;
    };
    let time = cpu().saturating_sub(before);
    let mut good = true;
    if timed && time > MOST_TIME {
        // Others may have got in the way.
        let before = cpu();
        let _ = judge();
        let again = cpu().saturating_sub(before);
        if again > MOST_TIME {
            println!("SLOW: {again:?} for {} bytes", text.len());
            good = false;
        }
    }
    if timed && peak() > MOST_MEMORY.max(held) {
        println!("LARGE: {} KiB for {} bytes", peak(), text.len());
        good = false;
    }
    if judge() != first {
        println!("IN TWO WAYS");
        good = false;
    }
    good && reads_alike(text)
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
