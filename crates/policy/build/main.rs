//! Turns `rules/*.toml` into tables that need no loading. A mistake in a rule file fails the build with its place.
#![allow(
    clippy::print_stdout,
    missing_docs,
    reason = "a build script talks to cargo by printing"
)]

mod print;
mod tables;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use rulebook::{Book, Fault, name_lists, role_tables};
use sha2::{Digest, Sha256};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Keeps only so many programs: what a start costs must not depend on their number, and this shows it.
const CUT: &str = "TOLLGATE_BENCH_PROGRAMS";

fn main() -> Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../rules");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo::rerun-if-changed={}", root.display());
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-env-changed={CUT}");
    let mut sources = Sources::default();
    let mut book = Book::default();
    for (name, text) in sources.all(&root.join("programs"))? {
        sourced(&name, &text)?;
        book.add(&name, &text).map_err(told)?;
    }
    for (name, text) in sources.all(&root.join("verdicts"))? {
        book.add(&name, &text).map_err(told)?;
    }
    let (name, text) = sources.one(&root.join("settings.toml"))?;
    let settings = role_tables(&name, &text).map_err(told)?;
    let (name, text) = sources.one(&root.join("paths.toml"))?;
    book.add(&name, &text).map_err(told)?;
    let (name, text) = sources.one(&root.join("calls.toml"))?;
    let calls = role_tables(&name, &text).map_err(told)?;
    let (name, text) = sources.one(&root.join("packages.toml"))?;
    let packages = name_lists(&name, &text).map_err(told)?;
    cut(&mut book, &mut sources)?;
    fs::write(out.join("programs.rs"), tables::programs(&book, &settings, &calls))?;
    fs::write(out.join("rules.rs"), tables::rules(&book))?;
    fs::write(out.join("packages.rs"), tables::packages(&packages))?;
    fs::write(out.join("digest.rs"), sources.digest())?;
    Ok(())
}

/// The fault with its hint.
fn told(fault: Fault) -> String {
    format!("{fault}. {}", fault.hint)
}

/// Built-in facts say where they were looked up.
fn sourced(name: &str, text: &str) -> Result<()> {
    let says = text
        .lines()
        .any(|line| line.starts_with("source = \"") && line.len() > "source = \"\"".len());
    says.then_some(())
        .ok_or_else(|| format!("{name}: say where the facts are from, as `source = \"...\"`").into())
}

/// A program that was built so is for a measurement only: it knows less, and its digest is another one.
fn cut(book: &mut Book, sources: &mut Sources) -> Result<()> {
    let Ok(most) = env::var(CUT) else { return Ok(()) };
    let most: usize = most.parse()?;
    // What the measurement itself asks about.
    let asked = ["git", "rm"];
    book.programs
        .sort_by_key(|entry| !asked.iter().any(|name| entry.says.program.names.contains(name)));
    let before = book.programs.len();
    book.programs.truncate(most);
    sources.digest.update(CUT.as_bytes());
    println!(
        "cargo::warning=only {} of {before} programs are known: {CUT} is set",
        book.programs.len()
    );
    Ok(())
}

/// The rule files, and the digest over all that was read.
#[derive(Default)]
struct Sources {
    digest: Sha256,
}

impl Sources {
    /// The files of a folder, in the order of their names.
    fn all(&mut self, folder: &Path) -> Result<Vec<(String, String)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(folder)? {
            files.push(entry?.path());
        }
        files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
        files.sort();
        files.into_iter().map(|path| self.one(&path)).collect()
    }

    fn one(&mut self, path: &Path) -> Result<(String, String)> {
        let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.digest.update(name.as_bytes());
        self.digest.update(text.as_bytes());
        Ok((name, text))
    }

    fn digest(self) -> String {
        let hex: String = self.digest.finalize().iter().map(|b| format!("{b:02x}")).collect();
        format!(
            "/// SHA-256 over all rule files, in the order of their names.\npub const RULES_DIGEST: &str = \"{hex}\";\n"
        )
    }
}
