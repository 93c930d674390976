//! Short scripts between lines of `%%`: those that bash reads (`bash/accepted.txt`), those that it refuses
//! (`bash/refused.txt`), and those whose mistakes it finds only when it runs them, or never names (`bash/later.txt`).
//!
//! The parser must say the same, and so must the bash of this machine.

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

use support::{bash_accepts, bash_is_here};

const ACCEPTED: &str = include_str!("bash/accepted.txt");
const REFUSED: &str = include_str!("bash/refused.txt");
const LATER: &str = include_str!("bash/later.txt");

/// The scripts of a file, each with the newline that ends its last line.
fn scripts(file: &str) -> impl Iterator<Item = String> {
    file.split("%%\n").map(str::to_owned)
}

/// The scripts for which `says` is not `expected`.
fn wrong(file: &str, expected: bool, says: impl Fn(&str) -> bool) -> Vec<String> {
    scripts(file).filter(|text| says(text) != expected).collect()
}

#[test]
fn what_bash_reads_has_no_faults() {
    assert_eq!(
        wrong(ACCEPTED, false, |text| shell::parse(text).has_faults()),
        Vec::<String>::new()
    );
}

#[test]
fn what_bash_refuses_has_faults() {
    assert_eq!(
        wrong(REFUSED, true, |text| shell::parse(text).has_faults()),
        Vec::<String>::new()
    );
}

#[test]
fn what_bash_refuses_only_later_has_faults() {
    assert_eq!(
        wrong(LATER, true, |text| shell::parse(text).has_faults()),
        Vec::<String>::new()
    );
}

#[test]
fn the_files_tell_the_truth_about_bash() {
    if !bash_is_here() {
        println!("skipped: there is no bash to ask");
        return;
    }
    assert_eq!(
        wrong(ACCEPTED, true, bash_accepts),
        Vec::<String>::new(),
        "refused by bash"
    );
    assert_eq!(
        wrong(LATER, true, bash_accepts),
        Vec::<String>::new(),
        "refused by bash at once"
    );
    assert_eq!(
        wrong(REFUSED, false, bash_accepts),
        Vec::<String>::new(),
        "read by bash"
    );
}
