//! `cargo xtask coverage`: which requirements have a test, from the names of the tests.
//!
//! `docs/spec-coverage.md` lists the requirements by section, and says of those that are met in another way, or not at all,
//! why. A test covers the requirements that its name begins with (`v_3101_v_3105_...`); a page of cases in `spec/` covers
//! those that its headings name (`(V-2830)`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

const PAGE: &str = "docs/spec-coverage.md";
const LETTERS: [char; 4] = ['B', 'F', 'V', 'M'];

/// A section of the page.
#[derive(Debug, Default, PartialEq, Eq)]
struct Section {
    title: String,
    rows: Vec<String>,
    /// What is met in another way, and why.
    different: BTreeMap<String, String>,
}

impl Section {
    fn open<'s>(&'s self, tested: &'s BTreeSet<String>) -> impl Iterator<Item = &'s String> {
        let met = |id: &&String| tested.contains(*id) || self.different.contains_key(*id);
        self.rows.iter().filter(move |id| !met(id))
    }
}

/// Prints the table; fails where the page names a row twice or a reason for no row.
pub(crate) fn run() -> Result<()> {
    let sections = sections(&fs::read_to_string(PAGE)?);
    let tested = tested()?;
    faults(&sections)?;
    println!(
        "{:<44} {:>5} {:>7} {:>10} {:>5}",
        "section", "rows", "tested", "different", "open"
    );
    let mut sum = [0; 4];
    for section in &sections {
        let open: Vec<&String> = section.open(&tested).collect();
        let different = section.different.keys().filter(|id| !tested.contains(*id)).count();
        let counts = [
            section.rows.len(),
            section.rows.len() - open.len() - different,
            different,
            open.len(),
        ];
        line(&section.title, counts);
        sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        if !open.is_empty() {
            let open: Vec<&str> = open.into_iter().map(String::as_str).collect();
            println!("    open: {}", open.join(" "));
        }
    }
    line("all", sum);
    let [rows, done, different, _] = sum;
    println!(
        "{:.1} % of the rows without a reason",
        100.0 * done as f64 / (rows - different).max(1) as f64
    );
    Ok(())
}

fn line(title: &str, [rows, tested, different, open]: [usize; 4]) {
    println!("{title:<44} {rows:>5} {tested:>7} {different:>10} {open:>5}");
}

fn sections(page: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            sections.push(Section {
                title: title.to_owned(),
                ..Section::default()
            });
            continue;
        }
        let Some(section) = sections.last_mut() else { continue };
        match line.strip_prefix("| ").and_then(|row| row.split_once(" | ")) {
            Some((id, why)) if is_id(id) => {
                let why = why.trim_end_matches(['|', ' ']).to_owned();
                section.different.insert(id.to_owned(), why);
            }
            Some(_) => {}
            None => section
                .rows
                .extend(line.split_whitespace().filter(|word| is_id(word)).map(str::to_owned)),
        }
    }
    sections
}

fn is_id(word: &str) -> bool {
    let Some((letter, number)) = word.split_once('-') else {
        return false;
    };
    LETTERS.iter().any(|known| letter == known.to_string())
        && !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit())
}

fn faults(sections: &[Section]) -> Result<()> {
    let mut seen = BTreeSet::new();
    for section in sections {
        if let Some(twice) = section.rows.iter().find(|id| !seen.insert((*id).clone())) {
            return Err(Error::new(format!("{PAGE} lists {twice} twice")));
        }
        let listed = |id: &String| section.rows.contains(id);
        if let Some((id, _)) = section.different.iter().find(|(id, why)| !listed(id) || why.is_empty()) {
            return Err(Error::new(format!(
                "{PAGE} has a reason for {id}, which section `{}` does not list",
                section.title
            )));
        }
    }
    Ok(())
}

/// The requirements that tests and pages of cases name.
fn tested() -> Result<BTreeSet<String>> {
    let mut ids = BTreeSet::new();
    for path in files(Path::new("crates"), "rs")? {
        for line in fs::read_to_string(path)?.lines() {
            ids.extend(line.trim_start().strip_prefix("fn ").map(of_name).unwrap_or_default());
        }
    }
    for path in files(Path::new("spec"), "md")? {
        for line in fs::read_to_string(path)?.lines().filter(|line| line.starts_with('#')) {
            let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            ids.extend(words.filter(|word| is_id(word)).map(str::to_owned));
        }
    }
    Ok(ids)
}

/// The requirements that the name of a test begins with: `v_3101_m_98_words` names two.
fn of_name(name: &str) -> Vec<String> {
    let name = name.split(['(', '<']).next().unwrap_or_default();
    let parts: Vec<&str> = name.split('_').collect();
    parts
        .chunks(2)
        .map_while(|pair| match pair {
            [letter, number] => Some(format!("{}-{number}", letter.to_uppercase())),
            _ => None,
        })
        .take_while(|id| is_id(id))
        .collect()
}

fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path, ending)?);
        } else if path.extension().is_some_and(|own| own == ending) {
            found.push(path);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tests_tell_what_they_cover() {
        assert_eq!(of_name("v_3101_the_fifth() {"), ["V-3101"]);
        assert_eq!(of_name("v_3101_m_98_the_fifth() {"), ["V-3101", "M-98"]);
        assert!(of_name("a_test() {").is_empty());
        assert!(of_name("r_13_each() {").is_empty(), "another list's");
    }

    #[test]
    fn the_page_is_read_by_section() {
        let page = "# x\n\n## 31. Breaker\n\nV-1 V-2\nM-3\n\n| row | why |\n| --- | --- |\n| V-2 | another way |\n";
        let sections = sections(page);
        assert_eq!(sections.len(), 1);
        assert_eq!(sections[0].rows, ["V-1", "V-2", "M-3"]);
        let tested = BTreeSet::from(["V-1".to_owned()]);
        assert_eq!(sections[0].open(&tested).collect::<Vec<_>>(), ["M-3"]);
        assert!(faults(&sections).is_ok());
    }

    #[test]
    fn a_reason_without_a_row_and_a_row_that_stands_twice_are_faults() {
        for page in [
            "## a\nV-1\n| V-2 | why |\n",
            "## a\nV-1 V-1\n",
            "## a\nV-1\n## b\nV-1\n",
        ] {
            assert!(faults(&sections(page)).is_err(), "{page}");
        }
    }
}
