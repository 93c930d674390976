//! Walls around everything that is not code.

use super::Finding;
use super::files::Files;

/// A rule that cannot be read protects nobody.
pub(super) fn rules_parse(files: &Files) -> Vec<Finding> {
    let rules = files
        .all()
        .filter(|(path, _)| path.starts_with("rules/") && path.ends_with(".toml"));
    rules
        .filter_map(|(path, text)| {
            let error = toml::from_str::<toml::Table>(text).err()?;
            Some(Finding {
                place: path.to_owned(),
                why: error.to_string(),
            })
        })
        .collect()
}

/// A path of the machine that something was written on means nothing on the reader's.
pub(super) fn machine_paths(files: &Files) -> Vec<Finding> {
    let root = crate::programs::root().to_string_lossy().into_owned();
    let wrong = [root, ["/wo", "rk/"].concat()];
    let mut findings = Vec::new();
    for (path, text) in files.all() {
        for (number, line) in text.lines().enumerate() {
            if wrong.iter().any(|prefix| names_path(line, prefix)) {
                let place = format!("{path}:{}", number + 1);
                findings.push(Finding {
                    place,
                    why: "names a path of one machine".to_owned(),
                });
            }
        }
    }
    findings
}

/// Whether an absolute path that begins so stands in a line, and not just the middle of another path.
fn names_path(line: &str, prefix: &str) -> bool {
    line.match_indices(prefix).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|letter| letter.is_alphanumeric() || "_-.~/}$".contains(letter))
    })
}
