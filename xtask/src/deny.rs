//! Licences, banned crates and sources of everything that is built, by `deny.toml`.

use crate::error::Result;
use crate::programs::{cargo, must, program, root};
use std::path::PathBuf;

const VERSION: &str = "0.20.2";

pub(crate) fn run() -> Result<()> {
    must(program(tool()?).args(["--log-level", "error", "check", "licenses", "bans", "sources"]))
}

/// The pinned cargo-deny, built once into `target/tools`. Unoptimized, it is built much sooner and fast enough.
fn tool() -> Result<PathBuf> {
    let folder = root().join("target/tools");
    let tool = folder
        .join("bin")
        .join(format!("cargo-deny{}", std::env::consts::EXE_SUFFIX));
    let stamp = folder.join(format!("cargo-deny-{VERSION}"));
    if !(tool.is_file() && stamp.is_file()) {
        println!("building cargo-deny {VERSION}, which takes some minutes the first time");
        let mut install = cargo("install --debug --locked --force cargo-deny --version");
        // Its own target folder would be rebuilt by nothing else; debug information would double the time to link.
        install
            .arg(VERSION)
            .arg("--root")
            .arg(&folder)
            .env("CARGO_PROFILE_DEV_DEBUG", "0");
        must(&mut install)?;
        std::fs::write(stamp, "")?;
    }
    Ok(tool)
}
