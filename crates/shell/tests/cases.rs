//! Compares the parser with `bash -n` over files of commands that are not part of this repository.
//!
//! `TOLLGATE_CASES` names JSONL files, separated by colons, whose records have a field `command`. Nothing is run:
//! bash only reads.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test stops where something is wrong"
)]

mod support;

use std::time::Instant;
use support::{bash_accepts, bash_is_here};

#[test]
#[ignore = "compares files that are not part of this repository: cargo xtask test cases"]
fn files_of_commands_read_as_bash_reads_them() {
    let files = std::env::var("TOLLGATE_CASES").expect("TOLLGATE_CASES names files");
    assert!(bash_is_here(), "there is no bash to compare with");
    let commands: Vec<String> = files.split(':').flat_map(commands_in).collect();
    assert!(!commands.is_empty(), "TOLLGATE_CASES names no commands");
    let start = Instant::now();
    let faulty: Vec<bool> = commands.iter().map(|text| shell::parse(text).has_faults()).collect();
    let per_command = start.elapsed() / u32::try_from(commands.len()).unwrap();
    let mut disagreements = Vec::new();
    for (text, faulty) in commands.iter().zip(faulty) {
        if bash_accepts(text) == faulty {
            let side = if faulty {
                "bash reads it, we do not"
            } else {
                "bash refuses it, we do not"
            };
            disagreements.push(format!("{side}: {text:?}"));
        }
    }
    println!(
        "{} commands, {per_command:?} each, {} disagreements",
        commands.len(),
        disagreements.len()
    );
    // Bash 5.2 refuses an escaped operator in an array inside `$( )`, which 5.1 and 5.3 read. Room for such things.
    let few = disagreements.len() * 1000 <= commands.len();
    assert!(few, "{}", disagreements.join("\n"));
}

fn commands_in(file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let record = |line| serde_json::from_str::<serde_json::Value>(line).expect("a JSON record");
    text.lines()
        .filter_map(|line| record(line)["command"].as_str().map(str::to_owned))
        .collect()
}
