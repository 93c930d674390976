//! What the tests of the parser share.

use std::io::Write;
use std::process::{Command, Stdio};

/// Whether bash would read a text. `bash -n` reads and runs nothing.
///
/// The exit code alone does not say it: after an error inside `[[ ]]` bash complains and exits with 0. A warning (a
/// here-document that the end of the file ends) is no refusal.
pub(crate) fn bash_accepts(text: &str) -> bool {
    let mut child = Command::new("bash")
        .args(["--norc", "--noprofile", "-n"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bash is needed by this test");
    // Bash may stop reading at an error.
    let _ = child.stdin.take().expect("stdin is piped").write_all(text.as_bytes());
    let output = child.wait_with_output().expect("bash ends");
    let complaints = String::from_utf8_lossy(&output.stderr);
    output.status.success() && complaints.lines().all(|line| line.contains("warning:"))
}
