//! A table for programs that calculate.

use std::io::{self, Write};

use super::{Record, Shape};
use crate::effects::{hosts, paths};

const COLUMNS: [&str; 17] = [
    "seq",
    "time",
    "kind",
    "agent",
    "session",
    "call",
    "verdict",
    "rules",
    "risk",
    "tool",
    "subject",
    "paths",
    "hosts",
    "cwd",
    "repository",
    "note",
    "sha256",
];

pub(super) struct Table;

impl Shape for Table {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{}\r\n", COLUMNS.join(","))
    }

    fn record(&mut self, record: &Record<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
        let entry = record.entry;
        let rules: Vec<&str> = entry.findings.iter().map(|finding| finding.rule.as_ref()).collect();
        let lists = [rules.join(" "), paths(entry).join("\n"), hosts(entry).join("\n")];
        let [rules, paths, hosts] = &lists;
        let (seq, hash) = (entry.seq.to_string(), record.hash());
        let row: [&str; COLUMNS.len()] = [
            &seq,
            &entry.time,
            &entry.kind,
            &entry.agent.name,
            &entry.session,
            &entry.call,
            &entry.verdict,
            rules,
            entry.risk(),
            &entry.request.tool,
            entry.subject(),
            paths,
            hosts,
            &entry.cwd.path,
            &entry.repository,
            &entry.note,
            &hash,
        ];
        let cells: Vec<String> = row.iter().map(|text| cell(&record.safe(text))).collect();
        write!(out, "{}\r\n", cells.join(","))
    }
}

/// A text as a cell. What a program could take for a formula begins with a quotation mark, which makes it a text.
fn cell(text: &str) -> String {
    let formula = text
        .trim_start()
        .starts_with(['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}']);
    let guard = if formula || text.starts_with(['\t', '\r', '\n']) {
        "'"
    } else {
        ""
    };
    if text.contains(['"', ',', '\n', '\r', ';', '\t']) {
        return format!("\"{guard}{}\"", text.replace('"', "\"\""));
    }
    format!("{guard}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_no_cell_is_a_formula() {
        for (text, wanted) in [
            ("git status", "git status"),
            ("a,b", "\"a,b\""),
            ("say \"a\"\nb", "\"say \"\"a\"\"\nb\""),
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("=1,\"2\"", "\"'=1,\"\"2\"\"\""),
            ("+1", "'+1"),
            ("-rf", "'-rf"),
            ("@x", "'@x"),
            (" =1", "' =1"),
            ("\t=1", "\"'\t=1\""),
            ("\u{ff1d}1", "'\u{ff1d}1"),
            ("a=1", "a=1"),
            ("", ""),
        ] {
            assert_eq!(cell(text), wanted, "{text:?}");
        }
    }
}
