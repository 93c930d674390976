//! The rules as people see them: the built-in ones as they stand in their files, and those that a person added.

pub(crate) mod examples;

use std::path::Path;

use broker::ConfigError;
use rulebook::{Book, Entry};

use crate::exit::{Exit, Fault};

include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// Where a stanza stands that is built in.
const BUILT_IN: &str = "rules/";

/// The built-in rules.
pub(crate) fn built_in() -> Result<Book, Fault> {
    let mut book = Book::default();
    for (name, text) in TEXTS {
        let fault = |fault: rulebook::Fault| Fault::new(Exit::Failed, format!("A built-in rule is broken: {fault}."));
        book.add(&format!("{BUILT_IN}{name}"), text).map_err(fault)?;
    }
    Ok(book)
}

/// What a person added, as far as it can be read, and what is wrong with the rest.
pub(crate) fn own(config: &Path) -> (Book, Vec<ConfigError>) {
    let (mut book, mut errors) = (Book::default(), Vec::new());
    for file in broker::rule_files(config) {
        let read = file.and_then(|(path, text)| Ok(book.add(&path.to_string_lossy(), &text)?));
        errors.extend(read.err());
    }
    (book, errors)
}

/// Whether a stanza is built in.
pub(crate) fn is_ours<T>(entry: &Entry<T>) -> bool {
    entry.file.starts_with(BUILT_IN)
}

/// Where a stanza stands, for people.
pub(crate) fn place<T>(entry: &Entry<T>) -> String {
    match is_ours(entry) {
        true => "built-in".into(),
        false => format!("{}:{}", entry.file, entry.line),
    }
}

/// `2 programs, 1 rule, no paths; 5 examples`
pub(crate) fn contents(book: &Book) -> String {
    let count = |n: usize, one: &str| match n {
        0 => format!("no {one}s"),
        1 => format!("1 {one}"),
        n => format!("{n} {one}s"),
    };
    format!(
        "{}, {}, {}; {}",
        count(book.programs.len(), "program"),
        count(book.rules.len(), "rule"),
        count(book.paths.len(), "path row"),
        count(examples::count(book), "example")
    )
}
