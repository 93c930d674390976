//! Puts the texts of the built-in rules into `tollgate`, so that it can show them. The hook has only the tables.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let rules = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../rules");
    println!("cargo::rerun-if-changed={}", rules.display());
    println!("cargo::rerun-if-changed=build.rs");
    let mut files = Vec::new();
    for folder in ["programs", "verdicts"] {
        let mut here = Vec::new();
        for entry in fs::read_dir(rules.join(folder))? {
            here.push(entry?.path());
        }
        here.retain(|path: &PathBuf| path.extension().is_some_and(|ending| ending == "toml"));
        here.sort();
        files.append(&mut here);
    }
    files.push(rules.join("paths.toml"));
    let mut rows = Vec::new();
    for file in files {
        let name = file.strip_prefix(&rules)?.display().to_string();
        rows.push(format!("({name:?}, include_str!({:?})),\n", file.canonicalize()?));
    }
    let text = format!(
        "/// The built-in rule files, by their paths in `rules/`.\nconst TEXTS: &[(&str, &str)] = &[\n{}];\n",
        rows.concat()
    );
    fs::write(Path::new(&env::var("OUT_DIR")?).join("texts.rs"), text)?;
    Ok(())
}
