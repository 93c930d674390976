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
use crate::session;

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
        let name = rustix::termios::ttyname(&terminal, Vec::new());
        let name = name.map(|name| name.to_string_lossy().into_owned());
        Ok(Self {
            terminal: name.unwrap_or_else(|_| "/dev/tty".into()),
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
    if let Some(sign) = session::inside() {
        return Err(NotAPerson::Agent(sign));
    }
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
    if let Some(sign) = line.iter().find_map(|(pid, _)| marked(*pid)) {
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
        loop {
            text.clear();
            let read = reader.read_until(b'\n', &mut text);
            if read.map_err(|e| format!("`{}` cannot be read: {e}", path.display()))? == 0 {
                break;
            }
            if from_outside(&text, &boot, &own) {
                return Ok(Some(0));
            }
            if let Some((pid, _)) = wanted.iter().find(|(_, needle)| holds(&text, needle.as_bytes())) {
                return Ok(Some(*pid));
            }
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

/// The files of the ledger.
fn segments(ledger: &Path) -> Result<Vec<PathBuf>, String> {
    match ledger.read_dir() {
        Ok(entries) => Ok(entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "ndjson"))
            .collect()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(format!("`{}` cannot be read: {e}", ledger.display())),
    }
}
