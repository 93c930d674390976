//! Turns `rules/*.toml` into tables that need no loading. A mistake in a rule file fails the build with its place.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    missing_docs,
    reason = "a build script's error path is a failed build"
)]

mod programs;
mod rules;
mod text;

use std::path::{Path, PathBuf};
use std::{env, fs};

use sha2::{Digest, Sha256};

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../rules");
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    println!("cargo::rerun-if-changed={}", root.display());
    println!("cargo::rerun-if-changed=build");
    let mut digest = Sha256::new();
    let program_files = read_all(&root.join("programs"), &mut digest);
    let verdict_files = read_all(&root.join("verdicts"), &mut digest);
    let settings = read(&root.join("settings.toml"), &mut digest);
    let paths = read(&root.join("paths.toml"), &mut digest);
    let calls = read(&root.join("calls.toml"), &mut digest);
    fs::write(
        out.join("programs.rs"),
        programs::generate(&program_files, &settings, &calls),
    )
    .unwrap();
    fs::write(out.join("rules.rs"), rules::generate(&verdict_files, &paths)).unwrap();
    let hex: String = digest.finalize().iter().map(|b| format!("{b:02x}")).collect();
    fs::write(
        out.join("digest.rs"),
        format!(
            "/// SHA-256 over all rule files, in the order of their names.\npub const RULES_DIGEST: &str = \"{hex}\";\n"
        ),
    )
    .unwrap();
}

fn read_all(dir: &Path, digest: &mut Sha256) -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    files.sort();
    files.into_iter().map(|p| read(&p, digest)).collect()
}

fn read(path: &Path, digest: &mut Sha256) -> (String, String) {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    digest.update(name.as_bytes());
    digest.update(text.as_bytes());
    (name, text)
}
