//! The walls of the house: what the compiler and the lints cannot see.
//!
//! Every wall is a function from the files of the repository to what is wrong with them, and says why it stands.

pub(crate) mod agents;
mod files;
mod manifests;
pub(crate) mod pages;
mod sources;
mod texts;

use crate::error::{Error, Result};
use files::Files;

/// Something that crosses a wall.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    /// The file, and the line if there is one.
    place: String,
    /// What is wrong and why that matters.
    why: String,
}

/// A wall.
type Wall = fn(&Files) -> Vec<Finding>;

const WALLS: &[Wall] = &[
    manifests::known_crates,
    manifests::dependency_order,
    manifests::lints,
    sources::headers,
    sources::no_std,
    sources::length,
    sources::forbidden,
    texts::rules_parse,
    texts::machine_paths,
    agents::agents_pages,
    pages::rules_page,
    pages::links,
    pages::bypasses,
    pages::limits,
];

pub(crate) fn run() -> Result<()> {
    let files = Files::of_the_workspace()?;
    let findings = all(&files);
    for finding in &findings {
        println!("{}: {}", finding.place, finding.why);
    }
    if findings.is_empty() {
        Ok(())
    } else {
        Err(Error::new(format!("{} walls crossed", findings.len())))
    }
}

fn all(files: &Files) -> Vec<Finding> {
    WALLS.iter().flat_map(|wall| wall(files)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIB: &str = "//! What it is.\n#![no_std]\n";
    const MANIFEST: &str = "[package]\nname = \"x\"\n[lints]\nworkspace = true\n";

    /// A small house in good order, with some files replaced.
    fn house(changed: &[(&str, &str)]) -> Files {
        let sound = [
            ("Cargo.toml", "[workspace.lints.rust]\nunsafe_code = \"forbid\"\n"),
            ("crates/shell/Cargo.toml", MANIFEST),
            ("crates/shell/src/lib.rs", LIB),
            ("crates/policy/Cargo.toml", MANIFEST),
            ("crates/policy/src/lib.rs", LIB),
            ("crates/cli/Cargo.toml", MANIFEST),
            ("crates/cli/src/main.rs", "//! What it is.\n"),
            ("rules/paths.toml", "a = 1\n"),
        ];
        Files::sample(sound.iter().chain(changed).copied())
    }

    fn places(changed: &[(&str, &str)]) -> Vec<String> {
        all(&house(changed)).into_iter().map(|finding| finding.place).collect()
    }

    /// The line that crosses a wall, put into a file of a crate.
    fn line_in(file: &str, line: &str) -> Vec<String> {
        places(&[(file, &format!("{LIB}{line}\n"))])
    }

    #[test]
    fn a_sound_house_has_no_findings() {
        assert_eq!(places(&[]), Vec::<String>::new());
    }

    #[test]
    fn a_crate_that_uses_one_below_it_is_found() {
        let manifest = format!("{MANIFEST}[dependencies]\npolicy.workspace = true\n");
        assert_eq!(
            places(&[("crates/shell/Cargo.toml", &manifest)]),
            ["crates/shell/Cargo.toml"]
        );
        let manifest = format!("{MANIFEST}[dependencies]\nshell.workspace = true\n");
        assert_eq!(places(&[("crates/policy/Cargo.toml", &manifest)]), Vec::<String>::new());
    }

    #[test]
    fn the_hook_may_not_use_all_that_stands_above_it() {
        let manifest = format!("{MANIFEST}[dependencies]\nrunner.workspace = true\n");
        let found = places(&[
            ("crates/hook/Cargo.toml", &manifest),
            ("crates/hook/src/main.rs", "//! It.\n"),
        ]);
        assert_eq!(found, ["crates/hook/Cargo.toml"]);
    }

    #[test]
    fn only_the_command_line_may_speak_to_the_network() {
        let manifest = format!("{MANIFEST}[dependencies]\nureq = \"3\"\n");
        assert_eq!(
            places(&[("crates/policy/Cargo.toml", &manifest)]),
            ["crates/policy/Cargo.toml"]
        );
        assert_eq!(places(&[("crates/cli/Cargo.toml", &manifest)]), Vec::<String>::new());
    }

    #[test]
    fn an_unknown_crate_is_found() {
        let found = places(&[
            ("crates/utils/Cargo.toml", MANIFEST),
            ("crates/utils/src/lib.rs", "//! It.\n"),
        ]);
        assert_eq!(found, ["crates/utils/Cargo.toml"]);
    }

    #[test]
    fn a_crate_without_the_lints_is_found() {
        assert_eq!(
            places(&[("crates/shell/Cargo.toml", "[package]\n")]),
            ["crates/shell/Cargo.toml"]
        );
        assert_eq!(places(&[("Cargo.toml", "[workspace]\n")]), ["Cargo.toml"]);
    }

    #[test]
    fn a_library_without_a_header_or_with_std_is_found() {
        assert_eq!(
            places(&[("crates/cli/src/main.rs", "fn main() {}\n")]),
            ["crates/cli/src/main.rs"]
        );
        assert_eq!(
            places(&[("crates/shell/src/lib.rs", "//! It.\n")]),
            ["crates/shell/src/lib.rs"]
        );
    }

    #[test]
    fn a_long_file_is_found() {
        let long = format!("{LIB}{}", "\n".repeat(700));
        assert_eq!(
            places(&[("crates/shell/src/lib.rs", &long)]),
            ["crates/shell/src/lib.rs"]
        );
    }

    #[test]
    fn what_may_stand_in_one_place_only_is_found_elsewhere() {
        for line in [
            "use std::process::Command;",
            "use std::process::{self, Command};",
            "use std::env;",
            "let home = std::env::var(\"HOME\");",
            "println!(\"x\");",
            "use std::net::TcpListener;",
            "let out = std::io::stderr();",
            "dbg!(x);",
            "// TODO: later",
            "unsafe { x() }",
            "std::fs::remove_dir_all(x)?;",
        ] {
            assert_eq!(
                line_in("crates/policy/src/lib.rs", line),
                ["crates/policy/src/lib.rs:3"],
                "{line}"
            );
        }
    }

    #[test]
    fn what_stands_in_its_place_or_in_a_test_is_not_found() {
        assert_eq!(
            line_in("crates/cli/src/ui.rs", "let out = std::io::stderr();"),
            Vec::<String>::new()
        );
        assert_eq!(line_in("crates/cli/src/main.rs", "use std::env;"), Vec::<String>::new());
        assert_eq!(
            line_in("crates/policy/src/lib.rs", "let x = \"println!\"; // println!()"),
            Vec::<String>::new()
        );
        let test = "#[cfg(test)]\nmod tests {\n    println!(\"x\");\n}";
        assert_eq!(line_in("crates/policy/src/lib.rs", test), Vec::<String>::new());
        assert_eq!(
            line_in("crates/policy/tests/a.rs", "println!(\"x\");"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn rules_that_do_not_parse_are_found() {
        assert_eq!(places(&[("rules/paths.toml", "a = \n")]), ["rules/paths.toml"]);
    }

    #[test]
    fn paths_of_a_machine_are_found() {
        let path = ["/wo", "rk/main/x"].concat();
        assert_eq!(places(&[("docs/a.md", &format!("see {path}\n"))]), ["docs/a.md:1"]);
        assert_eq!(
            places(&[("docs/a.md", &format!("see ~{path}\n"))]),
            Vec::<String>::new()
        );
    }
}
