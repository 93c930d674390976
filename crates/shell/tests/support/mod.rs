//! What the tests of the parser share.

#![allow(
    dead_code,
    clippy::disallowed_methods,
    reason = "each test uses a part of it, and asks bash"
)]

use std::process::Command;

/// Whether bash would read a text, given the way agents give it. `bash -n` reads and runs nothing.
///
/// The exit code alone does not say it: after an error inside `[[ ]]` bash complains and exits with 0. A warning (a
/// here-document that the end of the text ends) is no refusal.
pub(crate) fn bash_accepts(text: &str) -> bool {
    let output = Command::new("bash")
        .args(["--norc", "--noprofile", "-n", "-c", "--", text])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("bash is needed by this test");
    let complaints = String::from_utf8_lossy(&output.stderr);
    output.status.success() && !complaints.contains("expected") && !complaints.contains("syntax error")
}

/// Whether there is a bash to ask.
pub(crate) fn bash_is_here() -> bool {
    Command::new("bash")
        .arg("-c")
        .arg(":")
        .status()
        .is_ok_and(|status| status.success())
}

/// What bash prints when it runs a script. Only for scripts of the test's own making that do nothing but print.
pub(crate) fn bash_prints(script: &str) -> String {
    let output = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", "--", script])
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("bash is needed by this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
