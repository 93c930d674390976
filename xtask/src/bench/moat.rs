//! `cargo xtask bench moat`: the scenarios of OpenMoat's own bench, sent to our hook.
//!
//! Its scorecard counts a refusal and a question as different answers, and its own policy refuses where we hold a call for
//! a person. So it is run twice: as installed, and with rules that say in our notation what its policy refuses. Its program
//! wants a home outside of temporary folders.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::programs::{cargo, must, program, root};

const VERSION: &str = "0.12.1";
const POLICY: &str = include_str!("moat/policy.toml");
/// Mismatches that there may be with those rules. Each is named by the run.
const MOST: usize = 10;

pub(crate) fn run() -> Result<()> {
    let folder = root().join("target/moat");
    let tool = tool(&folder)?;
    must(&mut cargo(
        "build --release --quiet --package tollgate-hook --target-dir target/moat/build",
    ))?;
    let hook = folder.join("tollgate-hook");
    fs::copy(folder.join("build/release/tollgate-hook"), &hook)?;
    for name in ["home", "tmp", "config/tollgate/rules"] {
        fs::create_dir_all(folder.join(name))?;
    }
    fs::write(folder.join("config/tollgate/rules/openmoat.toml"), POLICY)?;
    mismatches(&tool, &folder, &format!("{} claude", hook.display()))?;
    let with_rules = format!(
        "env XDG_CONFIG_HOME={} {} claude",
        folder.join("config").display(),
        hook.display()
    );
    let count = mismatches(&tool, &folder, &with_rules)?;
    if count > MOST {
        return Err(Error::new(format!("{count} mismatches, more than {MOST}")));
    }
    Ok(())
}

/// Runs the bench on a hook, prints what did not match, and counts it.
fn mismatches(tool: &Path, folder: &Path, hook: &str) -> Result<usize> {
    let output = program(tool)
        .args(["bench", "--host", "claude-code", "--hook", hook])
        .current_dir(folder)
        .env("HOME", folder.join("home"))
        .env("TMPDIR", folder.join("tmp"))
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let Some((_, rest)) = text.split_once("\nmismatches: ") else {
        return Err(Error::new(format!("the bench says nothing of mismatches:\n{text}")));
    };
    let lines: Vec<&str> = rest
        .lines()
        .take_while(|line| !line.starts_with("hook failure"))
        .collect();
    println!("{hook}\nmismatches: {}\n", lines.join("\n"));
    let count = lines.first().and_then(|line| line.trim().parse().ok());
    count.ok_or_else(|| Error::new("the count of mismatches is no number"))
}

/// The bench's program, built once.
fn tool(folder: &Path) -> Result<PathBuf> {
    let tool = folder.join("bin/openmoat");
    if !tool.is_file() {
        println!("building openmoat {VERSION}, which takes some minutes the first time");
        let mut install = cargo("install --locked openmoat --version");
        install.arg(VERSION).arg("--root").arg(folder);
        must(&mut install)?;
    }
    Ok(tool)
}
