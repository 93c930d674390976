//! Whether this process looks as if an agent had started it: by the variables and names of the agents that are known.

use std::env;
use std::fs;
use std::path::Path;

use agents::Agent;

/// The sign by which an agent's session was known.
pub(crate) fn inside() -> Option<String> {
    marked().or_else(started_by)
}

/// A variable that an agent sets for what it starts.
fn marked() -> Option<String> {
    let (agent, mark) = Agent::ALL
        .into_iter()
        .flat_map(|agent| agent.marks().iter().map(move |mark| (agent, *mark)))
        .find(|(_, mark)| env::var_os(mark).is_some())?;
    Some(format!("{} set the variable `{mark}`", agent.title()))
}

/// A process above this one that is an agent. `/proc` is asked, so that a cleared environment hides nothing.
fn started_by() -> Option<String> {
    let mut pid = std::os::unix::process::parent_id();
    // A process cannot have more ancestors than there are process ids; the bound is for a `/proc` that changes underway.
    for _ in 0..1024 {
        if pid == 0 {
            return None;
        }
        let folder = Path::new("/proc").join(pid.to_string());
        if let Some(agent) = agent_at(&folder) {
            return Some(format!("process {pid} above this one is {}", agent.title()));
        }
        pid = parent(&fs::read_to_string(folder.join("stat")).ok()?)?;
    }
    None
}

/// The agent that a process is: by its name, its program, or the script that its interpreter runs.
fn agent_at(folder: &Path) -> Option<Agent> {
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

/// The parent in a `stat` line. The name before it may hold blanks and brackets, so reading starts at the last bracket.
fn parent(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_read_behind_any_name() {
        assert_eq!(parent("7 (a) S) R 12 3 4"), Some(12));
        assert_eq!(parent(""), None);
    }

    #[test]
    fn names_are_taken_from_paths() {
        assert_eq!(base("/usr/lib/node_modules/@openai/codex/bin/codex.js"), "codex");
        assert_eq!(base("claude"), "claude");
    }
}
