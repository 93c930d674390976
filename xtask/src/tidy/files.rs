//! The files of the repository, in memory, so that the walls can be tested on a small one.

use crate::error::Result;
use crate::programs::root;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Text files by their path in the repository.
pub(super) struct Files(BTreeMap<String, String>);

/// Names that hold nothing of ours. `.git` is a file in a second working tree.
const FOREIGN: [&str; 3] = ["target", ".git", "node_modules"];

impl Files {
    pub(super) fn of_the_workspace() -> Result<Files> {
        let mut files = BTreeMap::new();
        read_folder(&root(), "", &mut files)?;
        Ok(Files(files))
    }

    #[cfg(test)]
    pub(super) fn sample<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> Files {
        Files(files.map(|(path, text)| (path.to_owned(), text.to_owned())).collect())
    }

    /// All files, by path.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    pub(super) fn get(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// The manifest of every crate in the house, with the crate's folder.
    pub(super) fn manifests(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.all().filter_map(|(path, text)| {
            let folder = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
            (!folder.contains('/')).then_some((folder, path, text))
        })
    }

    /// The Rust sources of every crate in the house that are no tests, with the crate's folder.
    pub(super) fn sources(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.all().filter_map(|(path, text)| {
            let (folder, inside) = path.strip_prefix("crates/")?.split_once('/')?;
            let source = inside.strip_prefix("src/")?.strip_suffix(".rs")?;
            let test = source == "tests" || source.ends_with("/tests") || source.contains("tests/");
            (!test).then_some((folder, path, text))
        })
    }
}

fn read_folder(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() && !FOREIGN.contains(&name.as_str()) {
            read_folder(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file()
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            files.insert(path, text);
        }
    }
    Ok(())
}
