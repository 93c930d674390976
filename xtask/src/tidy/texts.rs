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
    let lines = files
        .all()
        .flat_map(|(path, text)| text.lines().enumerate().map(move |(n, line)| (path, n + 1, line)));
    lines
        .filter(|(_, _, line)| wrong.iter().any(|text| line.contains(text.as_str())))
        .map(|(path, line, _)| Finding {
            place: format!("{path}:{line}"),
            why: "names a path of one machine".to_owned(),
        })
        .collect()
}
