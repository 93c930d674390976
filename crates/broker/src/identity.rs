//! Who asks: the process that started the hook.

use std::os::unix::process::parent_id;

/// Shells that only stand between an agent and its hook.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ash", "ksh", "fish"];
/// How many of them are looked past.
const STEPS: usize = 4;

/// The identity of the agent's process, as far as the system tells.
pub(crate) fn agent(name: &str) -> ledger::Agent {
    let mut agent = ledger::Agent {
        name: name.into(),
        version: claimed_version().unwrap_or_default(),
        ..ledger::Agent::default()
    };
    let mut pid = parent_id();
    for _ in 0..STEPS {
        let Some(process) = Process::read(pid) else { break };
        agent.pid = Some(pid);
        agent.start_ticks = Some(process.start_ticks);
        if !SHELLS.contains(&process.name.as_str()) || process.parent <= 1 {
            break;
        }
        pid = process.parent;
    }
    agent.boot_id = ledger::boot_id();
    agent
}

/// What `/proc/PID/stat` says.
struct Process {
    name: String,
    parent: u32,
    start_ticks: u64,
}

impl Process {
    fn read(pid: u32) -> Option<Self> {
        Self::parse(&ledger::read_small(&format!("/proc/{pid}/stat"))?)
    }

    /// The name stands in parentheses and may hold some itself, so the last one ends it.
    fn parse(stat: &str) -> Option<Self> {
        let (head, tail) = stat.rsplit_once(')')?;
        let (_, name) = head.split_once('(')?;
        let fields: Vec<&str> = tail.split_ascii_whitespace().collect();
        Some(Self {
            name: name.into(),
            parent: fields.get(1)?.parse().ok()?,
            start_ticks: fields.get(19)?.parse().ok()?,
        })
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
        assert_eq!(
            (process.name.as_str(), process.parent, process.start_ticks),
            ("a) b (c)", 7, 987_654)
        );
        assert!(Process::parse("garbage").is_none());
    }

    #[test]
    fn the_parent_is_found() {
        let agent = agent("claude");
        assert_eq!(agent.name, "claude");
        assert!(agent.pid.is_some() && agent.start_ticks.is_some());
    }
}
