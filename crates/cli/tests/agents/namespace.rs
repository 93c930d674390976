//! A network in which only this test's model exists.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use agents::Agent;

use crate::clients::{is_installed, program};

/// Set in the process that runs inside.
const INSIDE: &str = "TOLLGATE_TEST_NAMESPACE";

/// Runs a test's body in network and mount namespaces of its own: the test program starts itself again in there and runs
/// this one test. Whatever a client tries to reach but the model is not reachable.
///
/// The client is installed before: inside, the registry is out of reach.
pub(crate) fn alone(test: &str, agent: Agent, body: impl FnOnce(&Path)) {
    if env::var_os(INSIDE).is_some() {
        return body(&program(agent));
    }
    if !is_installed(agent) {
        eprintln!("SKIPPED {test}: npm has not installed {}", agent.title());
        return;
    }
    let Some(unshare) = unshare() else {
        eprintln!("SKIPPED {test}: this machine gives no network namespace");
        return;
    };
    let status = Command::new("unshare")
        .args(unshare)
        .args(["sh", "-c", r#"ip link set lo up && exec "$@""#, "sh"])
        .arg(env::current_exe().unwrap())
        .args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env(INSIDE, "1")
        .status()
        .unwrap();
    assert!(status.success(), "{test} failed in its namespace");
}

/// How namespaces can be had: as root, or as root of a user namespace.
fn unshare() -> Option<&'static [&'static str]> {
    const WAYS: [&[&str]; 2] = [&["-n", "-m", "--"], &["-r", "-n", "-m", "--"]];
    WAYS.into_iter().find(|way| {
        let mut probe = Command::new("unshare");
        let probe = probe
            .args(*way)
            .args(["ip", "link", "set", "lo", "up"])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    })
}
