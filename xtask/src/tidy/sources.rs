//! Walls inside the sources of a crate.

use super::Finding;
use super::files::Files;

/// Crates that cannot do anything but compute.
const PURE: [&str; 5] = ["shell", "rulebook", "policy", "scrub", "agents"];

/// A file that is longer holds more than one idea.
const LONGEST: usize = 600;

/// Files that may be longer, each with its reason.
const LONG: &[(&str, &str)] = &[];

/// Text that may stand only in some places.
struct Forbidden {
    /// Any of these.
    texts: &'static [&'static str],
    /// Crates or files that may have it.
    allowed: &'static [&'static str],
    why: &'static str,
}

const FORBIDDEN: &[Forbidden] = &[
    Forbidden {
        texts: &[
            "process::Command",
            "libc::fork",
            "libc::exec",
            "posix_spawn(",
            "CommandExt",
        ],
        allowed: &["crates/runner/", "crates/sandbox/"],
        why: "only the runner starts processes, and only against a clearance",
    },
    Forbidden {
        texts: &["std::env", "env::var"],
        allowed: &[
            "crates/broker/",
            "crates/runner/",
            "crates/sandbox/",
            "crates/hook/src/main.rs",
            "crates/cli/",
        ],
        why: "the environment is read once, where the world is an argument",
    },
    Forbidden {
        texts: &["TcpListener", "UnixListener", "UdpSocket"],
        allowed: &["crates/console/", "crates/live/src/model.rs"],
        why: "nothing listens but the console, and the scripted model of a proof for as long as the proof takes",
    },
    Forbidden {
        texts: &["print!(", "println!(", "io::stdout", "io::stderr"],
        allowed: &["crates/cli/src/ui.rs", "crates/hook/src/serve.rs"],
        why: "only `ui.rs` prints; everything else returns what it has to say",
    },
    Forbidden {
        texts: &["unsafe {", "unsafe fn", "unsafe impl", "allow(unsafe_code"],
        allowed: &["crates/sandbox/"],
        why: "only the sandbox is unsafe",
    },
    Forbidden {
        texts: &["remove_dir_all"],
        allowed: &[],
        why: "a tool that guards files removes them one by one, by name",
    },
    Forbidden {
        texts: &["dbg!(", "todo!(", "unimplemented!("],
        allowed: &[],
        why: "left over from writing",
    },
];

/// Marks of unfinished work, which live in comments.
const MARKS: [&str; 3] = ["TODO", "FIXME", "XXX"];

/// The first thing that a reader of a crate sees is what it is for.
pub(super) fn headers(files: &Files) -> Vec<Finding> {
    let roots = files
        .sources()
        .filter(|(_, path, _)| path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs"));
    roots
        .filter(|(_, _, text)| !text.starts_with("//!"))
        .map(|(_, path, _)| finding(path, 0, "has no header"))
        .collect()
}

/// Without `std` there is no file, process, clock or environment to reach for.
pub(super) fn no_std(files: &Files) -> Vec<Finding> {
    let pure = files
        .sources()
        .filter(|(folder, path, _)| PURE.contains(folder) && path.ends_with("/src/lib.rs"));
    let wrong = pure.filter(|(_, _, text)| !text.lines().any(|line| line == "#![no_std]"));
    wrong
        .map(|(_, path, _)| finding(path, 0, "is pure, so it must be `#![no_std]`"))
        .collect()
}

/// See [`LONGEST`].
pub(super) fn length(files: &Files) -> Vec<Finding> {
    let long = files
        .all()
        .filter(|(path, text)| path.ends_with(".rs") && text.lines().count() > LONGEST);
    long.filter(|(path, _)| !LONG.iter().any(|(allowed, _)| allowed == path))
        .map(|(path, _)| finding(path, 0, "is longer than 600 lines: split it by its ideas"))
        .collect()
}

/// See [`FORBIDDEN`].
pub(super) fn forbidden(files: &Files) -> Vec<Finding> {
    files
        .sources()
        .flat_map(|(_, path, text)| forbidden_in(path, text))
        .collect()
}

fn forbidden_in(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim() == "#[cfg(test)]" {
            // By custom the tests of a module stand at its end.
            break;
        }
        let (code, comment) = split(line);
        let spread = spread_imports(&code);
        for wall in FORBIDDEN
            .iter()
            .filter(|wall| !wall.allowed.iter().any(|place| path.starts_with(place)))
        {
            if wall
                .texts
                .iter()
                .any(|text| code.contains(text) || spread.contains(text))
            {
                findings.push(finding(path, number + 1, wall.why));
            }
        }
        if MARKS.iter().any(|mark| comment.contains(mark)) {
            findings.push(finding(path, number + 1, "unfinished work is an issue, not a comment"));
        }
    }
    findings
}

/// The code of a line without the insides of its strings, and its comment.
fn split(line: &str) -> (String, &str) {
    let mut code = String::new();
    let mut quoted = false;
    let mut escaped = false;
    for (at, letter) in line.char_indices() {
        let rest = line.get(at..).unwrap_or_default();
        if !quoted && rest.starts_with("//") {
            return (code, rest);
        }
        let quote = letter == '"' && !escaped && !(code.ends_with('\'') && rest.starts_with("\"'"));
        escaped = letter == '\\' && !escaped;
        quoted ^= quote;
        if !quoted || quote {
            code.push(letter);
        }
    }
    (code, "")
}

/// `use std::process::{self, Command}` also says `process::Command`.
fn spread_imports(code: &str) -> String {
    let Some((path, names)) = code.split_once("::{") else {
        return String::new();
    };
    let last = path.rsplit([':', ' ']).next().unwrap_or_default();
    let names = names.trim_end_matches([';', '}']).split(',').map(str::trim);
    names
        .map(|name| format!("{last}::{name}"))
        .collect::<Vec<_>>()
        .join(" ")
}

fn finding(path: &str, line: usize, why: &str) -> Finding {
    let place = if line == 0 {
        path.to_owned()
    } else {
        format!("{path}:{line}")
    };
    Finding {
        place,
        why: why.to_owned(),
    }
}
