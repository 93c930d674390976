//! Whether a person acts, and no agent.
//!
//! An agent is a process that this installation's ledger has recorded as the caller of a hook, and everything below it. What
//! only a person may do needs a terminal whose session no agent began; a process that cut itself off from its agent has
//! none, and one that made a terminal of its own is below the agent still, or carries the agent's marks.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use agents::Agent;
use rustix::fs::OFlags;

use crate::identity::{self, Process};

/// The first namespace of process ids, by the number that the kernel gives it (`PROC_PID_INIT_INO`).
const MACHINE: &str = "pid:[4026531836]";
/// A process cannot have more ancestors than there are process ids; the bound is for a `/proc` that changes underway.
const MOST: usize = 1024;

/// Somebody at a terminal that no agent began. Nothing else makes one.
#[derive(Debug)]
pub struct Person {
    terminal: String,
}

/// Why it is not certain that a person acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAPerson {
    /// The sign of an agent.
    Agent(String),
    /// There is no terminal.
    NoTerminal,
    /// It cannot be told: the ledger cannot be read.
    Unknown(String),
}

impl std::fmt::Display for NotAPerson {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Agent(sign) => f.write_str(sign),
            Self::NoTerminal => f.write_str("there is no terminal"),
            Self::Unknown(why) => write!(f, "it cannot be told who asks: {why}"),
        }
    }
}

impl Person {
    /// The person at the terminal of this process.
    ///
    /// # Errors
    /// When an agent is above this process or began its terminal, or when there is no terminal.
    pub(crate) fn here(ledger: &Path) -> Result<Self, NotAPerson> {
        no_agent(ledger)?;
        let terminal = terminal().ok_or(NotAPerson::NoTerminal)?;
        let leader = rustix::termios::tcgetsid(&terminal).map_err(|_| NotAPerson::NoTerminal)?;
        let leader = u32::try_from(leader.as_raw_nonzero().get()).map_err(|_| NotAPerson::NoTerminal)?;
        clean(leader, ledger)?;
        let name = Process::read(std::process::id()).and_then(|own| own.terminal());
        Ok(Self {
            terminal: name.unwrap_or_else(|| "/dev/tty".into()),
        })
    }

    /// The terminal's name.
    #[must_use]
    pub fn terminal(&self) -> &str {
        &self.terminal
    }
}

/// Whether no agent is above this process.
///
/// # Errors
/// The sign of one.
pub(crate) fn no_agent(ledger: &Path) -> Result<(), NotAPerson> {
    clean(std::process::id(), ledger)
}

/// The terminal that controls this process.
fn terminal() -> Option<File> {
    let flags = i32::try_from((OFlags::NOCTTY | OFlags::NONBLOCK).bits()).ok()?;
    let open = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(flags)
        .open("/dev/tty");
    open.ok().filter(|tty| rustix::termios::isatty(tty))
}

/// Whether neither a process nor one above it is an agent, carries its marks, or is a caller that the ledger knows.
fn clean(pid: u32, ledger: &Path) -> Result<(), NotAPerson> {
    let line = ancestors(pid);
    if line.is_empty() {
        return Err(NotAPerson::Unknown(
            "`/proc` does not tell which processes there are".into(),
        ));
    }
    let sign = |(pid, _): &(u32, u64)| marked(*pid).or_else(|| named(*pid));
    if let Some(sign) = line.iter().find_map(sign) {
        return Err(NotAPerson::Agent(sign));
    }
    match recorded(&line, ledger) {
        Ok(None) => Ok(()),
        Ok(Some(0)) => Err(NotAPerson::Unknown(
            "an agent asked this gate from outside the container or namespace that this is".into(),
        )),
        Ok(Some(pid)) => Err(NotAPerson::Agent(format!(
            "process {pid} above this one has asked this gate as an agent"
        ))),
        Err(error) => Err(NotAPerson::Unknown(error)),
    }
}

/// A process and all above it, with the start of each.
fn ancestors(mut pid: u32) -> Vec<(u32, u64)> {
    let mut line = Vec::new();
    while let Some(process) = (pid > 1 && line.len() < MOST).then(|| Process::read(pid)).flatten() {
        line.push((pid, process.start_ticks));
        pid = process.parent;
    }
    line
}

/// An agent's mark in what a process was started with. `/proc` is asked: what a process changes in its own environment
/// later does not show there.
fn marked(pid: u32) -> Option<String> {
    let started_with = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let has = |mark: &str| {
        started_with.split(|b| *b == 0).any(|entry| {
            entry
                .strip_prefix(mark.as_bytes())
                .is_some_and(|rest| rest.starts_with(b"="))
        })
    };
    Agent::ALL.into_iter().find_map(|agent| {
        let mark = agent.marks().iter().find(|mark| has(mark))?;
        Some(format!("{} set the variable `{mark}` for process {pid}", agent.title()))
    })
}

/// A process that is a known agent. A cleared environment hides nothing from this.
fn named(pid: u32) -> Option<String> {
    let agent = agent_at(pid)?;
    Some(format!("process {pid} above this one is {}", agent.title()))
}

/// The agent that a process is: by its name, its program, or the script that its interpreter runs.
fn agent_at(pid: u32) -> Option<Agent> {
    let folder = PathBuf::from(format!("/proc/{pid}"));
    let comm = fs::read_to_string(folder.join("comm")).unwrap_or_default();
    let program = fs::read_link(folder.join("exe")).unwrap_or_default();
    let line = fs::read(folder.join("cmdline")).unwrap_or_default();
    // An interpreter's second word is a path; a second word without one may be any file's name (`vim claude`).
    let mut words = line
        .split(|b| *b == 0)
        .take(2)
        .map(|word| String::from_utf8_lossy(word).into_owned());
    let mut names = vec![comm.trim_end().to_owned(), base(&program.to_string_lossy())];
    names.extend(words.next().map(|word| base(&word)));
    names.extend(words.next().filter(|word| word.contains('/')).map(|word| base(&word)));
    Agent::ALL
        .into_iter()
        .find(|agent| names.iter().any(|name| agent.programs().contains(&name.as_str())))
}

/// The last part of a path, without the extension of a script.
fn base(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.strip_suffix(".js").unwrap_or(name).to_owned()
}

/// The first of these processes that a record names as an agent of this boot; 0 where an agent asked from outside the
/// namespace that this is, so that no number here can be compared.
fn recorded(line: &[(u32, u64)], ledger: &Path) -> Result<Option<u32>, String> {
    let (boot, own) = (ledger::boot_id(), identity::namespace());
    let wanted: Vec<(u32, String)> = line
        .iter()
        .map(|(pid, start)| {
            (
                *pid,
                format!("\"pid\":{pid},\"start_ticks\":{start},\"boot_id\":\"{boot}\""),
            )
        })
        .collect();
    for path in segments(ledger)? {
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            Err(e) => return Err(format!("`{}` cannot be read: {e}", path.display())),
        };
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let mut text = Vec::new();
        let (mut of_this_boot, mut empty) = (false, true);
        loop {
            text.clear();
            let read = reader.read_until(b'\n', &mut text);
            if read.map_err(|e| format!("`{}` cannot be read: {e}", path.display()))? == 0 {
                break;
            }
            empty = false;
            of_this_boot |= holds(&text, boot.as_bytes());
            if from_outside(&text, &boot, &own) {
                return Ok(Some(0));
            }
            if let Some((pid, _)) = wanted.iter().find(|(_, needle)| holds(&text, needle.as_bytes())) {
                return Ok(Some(*pid));
            }
        }
        // Whatever is older is of an earlier boot, and no process of that is left.
        if !empty && !of_this_boot && is_segment(&path) {
            break;
        }
    }
    Ok(None)
}

/// Whether a record of this boot names an agent of the machine's own namespace, while this is another one.
fn from_outside(text: &[u8], boot: &str, own: &str) -> bool {
    own != MACHINE
        && holds(
            text,
            format!("\"boot_id\":\"{boot}\",\"pid_ns\":\"{MACHINE}\"").as_bytes(),
        )
}

fn holds(text: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(text, needle).is_some()
}

/// Whether a file has the name of a segment.
fn is_segment(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    stem.len() >= 6 && stem.bytes().all(|b| b.is_ascii_digit())
}

/// The files of the ledger, the newest segment first.
pub(crate) fn segments(ledger: &Path) -> Result<Vec<PathBuf>, String> {
    match crate::files::entries(ledger) {
        Ok(entries) => {
            let mut paths: Vec<PathBuf> = entries
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|ending| ending == "ndjson"))
                .collect();
            paths.sort_by_key(|path| std::cmp::Reverse((path.as_os_str().len(), path.clone())));
            Ok(paths)
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(format!("`{}` cannot be read: {e}", ledger.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_from_paths() {
        assert_eq!(base("/usr/lib/node_modules/@openai/codex/bin/codex.js"), "codex");
        assert_eq!(base("claude"), "claude");
    }

    #[test]
    fn r_14_where_processes_cannot_be_seen_nobody_is_a_person() {
        let ledger = tempfile::tempdir().unwrap();
        let gone = u32::MAX - 1;
        assert!(matches!(clean(gone, ledger.path()), Err(NotAPerson::Unknown(_))));
    }

    #[test]
    fn an_agent_of_the_machine_is_not_to_be_seen_from_another_namespace() {
        let record = format!("{{\"pid\":7,\"start_ticks\":9,\"boot_id\":\"b\",\"pid_ns\":\"{MACHINE}\"}}");
        assert!(from_outside(record.as_bytes(), "b", "pid:[4026532999]"));
        assert!(!from_outside(record.as_bytes(), "b", MACHINE), "the same namespace");
        assert!(
            !from_outside(record.as_bytes(), "before", "pid:[4026532999]"),
            "another boot"
        );
    }

    #[test]
    fn only_the_records_of_this_boot_are_read() {
        let ledger = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(ledger.path().join(name), text).unwrap();
        let boot = ledger::boot_id();
        let record = format!("{{\"pid\":7,\"start_ticks\":9,\"boot_id\":\"{boot}\"}}\n");
        let line = [(7, 9)];
        put("000001.ndjson", &record);
        put("000002.ndjson", &format!("{{\"boot_id\":\"{boot}\"}}\n"));
        assert_eq!(recorded(&line, ledger.path()), Ok(Some(7)));
        // A name that no segment has ends nothing.
        put("x.ndjson", "{}\n");
        put("000003.ndjson", "");
        assert_eq!(recorded(&line, ledger.path()), Ok(Some(7)));
        put("000002.ndjson", "{\"boot_id\":\"another\"}\n");
        assert_eq!(recorded(&line, ledger.path()), Ok(None));
    }
}
