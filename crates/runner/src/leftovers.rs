//! Processes that a run left behind.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

/// Ends every process that was started with this home directory, and says how many there were. It is meant for a home that
/// was made for one run: what left the group of its client is still known by that.
pub fn end_all_at_home(home: &Path) -> usize {
    let wanted = [b"HOME=", home.as_os_str().as_bytes()].concat();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let left = numbers.filter(|pid: &i32| *pid > 1 && starts_with(*pid, &wanted));
    left.filter_map(Pid::from_raw)
        .filter(|pid| kill_process(*pid, Signal::KILL).is_ok())
        .count()
}

/// Whether a process was started with this variable.
fn starts_with(pid: i32, variable: &[u8]) -> bool {
    let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environ.split(|b| *b == 0).any(|entry| entry == variable)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn only_what_lives_in_that_home_is_ended() {
        let sleep = |home: &str| Command::new("/bin/sleep").arg("60").env("HOME", home).spawn().unwrap();
        let (mut here, mut elsewhere) = (sleep("/nowhere/of-this-test"), sleep("/nowhere/of-this-test-2"));
        // A child has its parent's environment until it has become its program.
        while end_all_at_home(Path::new("/nowhere/of-this-test")) == 0 {}
        assert!(!here.wait().unwrap().success());
        assert!(elsewhere.try_wait().unwrap().is_none());
        elsewhere.kill().unwrap();
        elsewhere.wait().unwrap();
    }
}
