//! The pinned clients, installed from npm once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const PINS: [(&str, &str); 2] = [
    ("package.json", include_str!("../../../../xtask/agents/package.json")),
    (
        "package-lock.json",
        include_str!("../../../../xtask/agents/package-lock.json"),
    ),
];

/// The folder of a client's program, or nothing where it cannot be installed here.
pub(crate) fn program(package: &str, file: &str) -> Option<PathBuf> {
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    let modules = INSTALLED.get_or_init(install);
    let program = modules.join(package).join(file);
    if !program.is_file() {
        eprintln!("SKIPPED {package}: npm has not installed `{}`", program.display());
        return None;
    }
    Some(program)
}

/// Installs exactly the lock file into `target/agents`, unless it stands there already. The platform's own programs are
/// run, so that neither install scripts nor a certain Node matter.
fn install() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("agents");
    let stamp = folder.join("installed.lock");
    let lock = PINS[1].1;
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
        return folder.join("node_modules");
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
    folder.join("node_modules")
}
