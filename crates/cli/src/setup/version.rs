//! Which version of an agent is installed, from its files: it is not started for that.

use std::fs;
use std::path::Path;

use agents::Agent;
use agents::json::{self, Json};

/// Three numbers, compared one by one.
pub(crate) type Version = [u32; 3];

/// From this version on Claude Code can block a call when its hook fails.
pub(crate) const BLOCKS_ON_FAILURE: Version = [2, 1, 295];

/// The version of a program: its own name or a folder above it where versions stand side by side, else the package that
/// it lies in.
pub(crate) fn of(program: &Path, agent: Agent) -> Option<Version> {
    let program = program.canonicalize().ok()?;
    let by_name = program
        .ancestors()
        .take(2)
        .find_map(|part| parse(part.file_name()?.to_str()?));
    by_name.or_else(|| {
        program
            .ancestors()
            .skip(1)
            .take(4)
            .find_map(|folder| of_package(&folder.join("package.json"), agent))
    })
}

/// The version as it is written.
pub(crate) fn text([major, minor, patch]: Version) -> String {
    format!("{major}.{minor}.{patch}")
}

/// The first version in what a program says of itself.
pub(crate) fn said(text: &str) -> Option<Version> {
    let mut words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '/'));
    words.find_map(|word| parse(word.trim_start_matches('v')))
}

/// A package of another name says nothing about the agent.
fn of_package(file: &Path, agent: Agent) -> Option<Version> {
    let package = json::parse(&fs::read(file).ok()?).ok()?;
    let name = package.get("name").and_then(Json::as_str)?;
    let mut ours = agent.drive()?.packages.iter();
    ours.any(|package| name.starts_with(package))
        .then(|| parse(package.get("version")?.as_str()?))
        .flatten()
}

/// Reads `1.2.3`, with anything behind a `-`.
fn parse(text: &str) -> Option<Version> {
    let numbers = text.split('-').next()?;
    let numbers: Vec<u32> = numbers.split('.').map(|n| n.parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_three_numbers() {
        assert_eq!(parse("2.1.332"), Some([2, 1, 332]));
        assert_eq!(parse("0.171.0-linux-x64"), Some([0, 171, 0]));
        for text in ["claude", "2.1", "2.1.x", "1.2.3.4", ""] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(
            said("2.1.332 (Claude Code)").map(self::text).as_deref(),
            Some("2.1.332")
        );
        assert_eq!(said("codex-cli 0.171.0\n"), Some([0, 171, 0]));
        assert_eq!(said("no number"), None);
        assert!([2, 1, 197] < BLOCKS_ON_FAILURE && BLOCKS_ON_FAILURE < [2, 2, 0]);
    }
}
