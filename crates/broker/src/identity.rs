//! Who asks: the process that started the hook.

use std::os::unix::process::parent_id;

/// Shells that an agent may start its hook with.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "ash", "ksh", "fish", "busybox"];

/// The identity of the agent's process, as far as the system tells: the parent of the hook, or where that is a shell whose
/// `-c` text starts the hook, the shell's parent. Never further up: a person's own shell is no agent.
pub(crate) fn agent(name: &str) -> ledger::Agent {
    let mut agent = ledger::Agent {
        name: name.into(),
        version: claimed_version().unwrap_or_default(),
        boot_id: ledger::boot_id(),
        pid_ns: namespace(),
        ..ledger::Agent::default()
    };
    let parent = parent_id();
    let caller = if starts_us(parent) {
        Process::read(parent).map(|shell| shell.parent).filter(|pid| *pid > 1)
    } else {
        None
    };
    let pid = caller.unwrap_or(parent);
    // A hook whose agent ended first belongs to whoever takes in orphans, and everybody is below that.
    if let Some(process) = Process::read(pid).filter(|_| !takes_in_orphans(pid)) {
        agent.pid = Some(pid);
        agent.start_ticks = Some(process.start_ticks);
    }
    agent
}

/// Whether a process is the init of the machine, of a container or of a login.
fn takes_in_orphans(pid: u32) -> bool {
    let name = ledger::read_small(&format!("/proc/{pid}/comm")).unwrap_or_default();
    pid <= 1 || matches!(name.trim(), "systemd" | "init" | "tini" | "dumb-init" | "launchd")
}

/// The namespace in which this process and its ancestors have their numbers; empty where the system does not tell.
pub(crate) fn namespace() -> String {
    let link = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    link.to_string_lossy().into_owned()
}

/// One agent's process among all that were and will be.
pub(crate) fn key(agent: &ledger::Agent) -> String {
    let number = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
    let (pid, start) = (number(agent.pid.map(u64::from)), number(agent.start_ticks));
    format!("{}:{pid}:{start}:{}", agent.name, agent.boot_id)
}

/// Whether the process of such a key is there; one that nobody can tell is.
pub(crate) fn is_there(key: &str) -> bool {
    let parts: Vec<&str> = key.split(':').collect();
    let [_, pid, start, boot] = parts.as_slice() else {
        return true;
    };
    match (pid.parse(), start.parse::<u64>()) {
        (Ok(pid), Ok(start)) => {
            *boot == ledger::boot_id() && Process::read(pid).is_some_and(|process| process.start_ticks == start)
        }
        _ => true,
    }
}

/// Whether a process is a shell whose `-c` text names this program.
fn starts_us(pid: u32) -> bool {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words: Vec<String> = line
        .split(|b| *b == 0)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect();
    let own = std::env::args().next().unwrap_or_default();
    text_of_shell(&words).is_some_and(|text| names(text, &own))
}

/// The text behind the `-c` of a shell.
fn text_of_shell(words: &[String]) -> Option<&str> {
    let (program, rest) = words.split_first()?;
    let name = program.trim_start_matches('-').rsplit('/').next()?;
    if !SHELLS.contains(&name) {
        return None;
    }
    let is_c = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
    let at = rest.iter().position(is_c)?;
    rest.get(at + 1).map(String::as_str)
}

/// Whether a text names the program that was started as `own`.
fn names(text: &str, own: &str) -> bool {
    let name = own.rsplit('/').next().unwrap_or_default();
    !name.is_empty() && text.contains(name)
}

/// What `/proc/PID/stat` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) parent: u32,
    pub(crate) start_ticks: u64,
    /// The number of the terminal that controls it; 0 without one.
    terminal: u32,
}

impl Process {
    pub(crate) fn read(pid: u32) -> Option<Self> {
        Self::parse(&ledger::read_small(&format!("/proc/{pid}/stat"))?)
    }

    /// The name stands in parentheses and may hold some itself, so the last one ends it.
    fn parse(stat: &str) -> Option<Self> {
        let (_, tail) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = tail.split_ascii_whitespace().collect();
        Some(Self {
            parent: fields.get(1)?.parse().ok()?,
            start_ticks: fields.get(19)?.parse().ok()?,
            terminal: fields.get(4)?.parse().ok()?,
        })
    }

    /// The name of the terminal that controls it. Whoever opens `/dev/tty` is told that name, whichever terminal it is.
    pub(crate) fn terminal(&self) -> Option<String> {
        let (major, minor) = (
            self.terminal >> 8 & 0xfff,
            self.terminal & 0xff | self.terminal >> 12 & 0xf_ff00,
        );
        match major {
            136..=143 => Some(format!("/dev/pts/{}", (major - 136) * 256 + minor)),
            4 if minor < 64 => Some(format!("/dev/tty{minor}")),
            4 => Some(format!("/dev/ttyS{}", minor - 64)),
            _ => None,
        }
    }
}

/// The version in `AI_AGENT=claude-code_2-1-332_harness`. Anybody can set that, so it is a claim.
fn claimed_version() -> Option<String> {
    let claim = std::env::var("AI_AGENT").ok()?;
    let version = claim.split('_').nth(1)?;
    let plain = !version.is_empty() && version.len() <= 32 && version.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    plain.then(|| version.replace('-', "."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let stat = "42 (a) b (c)) S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 10 11";
        let process = Process::parse(stat).unwrap();
        assert_eq!((process.parent, process.start_ticks), (7, 987_654));
        assert!(Process::parse("garbage").is_none());
    }

    #[test]
    fn a_terminal_is_named_by_its_number() {
        let name = |number: u32| {
            Process {
                parent: 1,
                start_ticks: 1,
                terminal: number,
            }
            .terminal()
        };
        for (number, expected) in [
            (34816, "/dev/pts/0"),
            (34816 + 7, "/dev/pts/7"),
            (34816 + 256, "/dev/pts/256"),
            (34816 + (1 << 20), "/dev/pts/256"),
            (1025, "/dev/tty1"),
            (1088, "/dev/ttyS0"),
        ] {
            assert_eq!(name(number).as_deref(), Some(expected), "{number}");
        }
        assert_eq!((name(0), name(5 << 8)), (None, None));
    }

    #[test]
    fn only_a_shell_that_starts_the_hook_is_looked_past() {
        let text = |line: &str| {
            let words: Vec<String> = line.split('|').map(str::to_owned).collect();
            text_of_shell(&words).is_some_and(|text| names(text, "/opt/bin/tollgate-hook"))
        };
        assert!(text("/bin/sh|-c|exec /opt/bin/tollgate-hook claude"));
        assert!(text("bash|-lc|tollgate-hook codex"));
        assert!(!text("bash"), "a person's shell");
        assert!(!text("bash|-c|make test"), "a shell that runs something else");
        assert!(!text("bash|script.sh|tollgate-hook"), "a script");
        assert!(!text("node|-c|tollgate-hook"), "no shell");
    }

    #[test]
    fn who_takes_in_orphans_is_no_caller() {
        assert!(takes_in_orphans(0) && takes_in_orphans(1));
        assert!(!takes_in_orphans(std::process::id()));
    }

    #[test]
    fn the_parent_is_found() {
        let agent = agent("claude");
        assert_eq!(agent.name, "claude");
        assert!(agent.pid.is_some() && agent.start_ticks.is_some());
    }
}
