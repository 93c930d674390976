//! Running other programs.

use crate::error::{Error, Result};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A program, to be run in the root of the workspace.
pub(crate) fn program(name: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// The cargo that runs this task, with its arguments between blanks.
pub(crate) fn cargo(arguments: &str) -> Command {
    let mut command = program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments.split_whitespace());
    command
}

/// Runs a program that must succeed.
pub(crate) fn must(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command
        .status()
        .map_err(|error| Error::new(format!("cannot run `{name}`: {error}")))?;
    if status.success() {
        Ok(())
    } else {
        Err(Error::new(format!("`{name}` failed: {status}")))
    }
}

/// What a program prints, which must succeed.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| Error::new(format!("cannot run `{name}`: {error}")))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Error::new(format!(
            "`{name}` failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )))
    }
}

/// Whether a program can be found.
pub(crate) fn is_installed(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// Judges texts that nobody wrote: see `crates/policy/examples/fuzz.rs`.
pub(crate) fn fuzz(words: &[&str]) -> Result<()> {
    must(cargo("run --release --quiet --package tollgate-policy --example fuzz --").args(words))
}
