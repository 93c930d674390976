//! `cargo xtask dist`: both programs as they are released.
//!
//! The hook is started for every call of an agent's tools, so its start matters more than anything it does. Most of a
//! start is spent before `main`: in the dynamic loader, in relocations, and in asking the processor what it can do,
//! which is slow in a virtual machine. So on Linux both programs are linked statically and at a fixed address, and
//! hashing does not look for special instructions. Measured with `cargo xtask bench hook FILE` in a virtual machine, as
//! times of a C program that does nothing: dynamic 3.05, static 1.58, static at a fixed address 1.10, and 1.07 so.

use crate::error::{Error, Result};
use crate::programs::{cargo, must, output, program, target};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const PACKAGES: &str = "--package tollgate --package tollgate-hook";
const PROGRAMS: [&str; 2] = ["tollgate", "tollgate-hook"];
const LINUX_FLAGS: &str = "-C target-feature=+crt-static -C relocation-model=static --cfg sha2_backend=\"soft\" --cfg sha2_256_backend=\"soft\"";

/// Builds both programs and returns the folder that they are in.
pub(crate) fn run() -> Result<PathBuf> {
    let host = host()?;
    must(&mut build("dist", PACKAGES, &host))?;
    let folder = target().join("dist");
    fs::create_dir_all(&folder)?;
    for name in PROGRAMS {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        let built = folder.join(&file);
        fs::copy(target().join(&host).join("dist").join(&file), &built)?;
        println!("{} ({} KiB)", built.display(), fs::metadata(&built)?.len() / 1024);
    }
    Ok(folder)
}

/// A build of packages, linked as they are released. What is released knows all programs.
pub(crate) fn build(profile: &str, packages: &str, host: &str) -> Command {
    // With an explicit target the flags are for the programs only, and not for build scripts and macros, which have to
    // stay dynamic.
    let mut build = cargo(&format!(
        "build --profile {profile} --locked {packages} --target {host}"
    ));
    if host.ends_with("linux-gnu") {
        build.env("RUSTFLAGS", LINUX_FLAGS);
    }
    build.env_remove("TOLLGATE_BENCH_PROGRAMS");
    build
}

/// The name of this platform.
pub(crate) fn host() -> Result<String> {
    let version = output(program("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| Error::new("`rustc -vV` names no host"))
}
