//! What texts are made for: the shell, each other language, filters, files that are looked through, the notation of rules.

use std::fs;
use std::path::{Path, PathBuf};

use crate::grammar::Grammar;
use crate::support::{Machine, cases};

/// Names of targets, and what is asked about a text of theirs; `@` is the text. Before a `|` stands the file that holds it.
const TARGETS: &[(&str, &[&str])] = &[
    (
        "shell",
        &["@", "script.sh|bash script.sh", "script.sh|source script.sh a b"],
    ),
    ("filters", &["@", "x=$(@); eval \"$x\"", "@ | sh"]),
    ("python", &["python3 - <<'E'\n@\nE\n", "a.py|python3 a.py"]),
    ("node", &["node - <<'E'\n@\nE\n", "a.js|node a.js"]),
    ("perl", &["perl - <<'E'\n@\nE\n", "a.pl|perl a.pl"]),
    ("ruby", &["ruby - <<'E'\n@\nE\n", "a.rb|ruby a.rb"]),
    ("php", &["php <<'E'\n@\nE\n", "a.php|php a.php"]),
    ("lua", &["lua - <<'E'\n@\nE\n", "a.lua|lua a.lua"]),
    ("awk", &["awk -f - f <<'E'\n@\nE\n", "a.awk|awk -f a.awk f"]),
    (
        "sed",
        &[
            "sed -f - f <<'E'\n@\nE\n",
            "a.sed|sed -f a.sed f",
            "echo abc | sed -f a.sed | sh",
        ],
    ),
    (
        "sql",
        &[
            "psql <<'E'\n@\nE\n",
            "mysql <<'E'\n@\nE\n",
            "sqlite3 a.db <<'E'\n@\nE\n",
        ],
    ),
    ("jq", &["jq -n \"$(cat <<'E'\n@\nE\n)\"", "a.jq|jq -f a.jq x.json"]),
    (
        "vim",
        &["vim -es <<'E'\n@\nE\n", "ed f <<'E'\n@\nE\n", "ex f <<'E'\n@\nE\n"],
    ),
    (
        "other",
        &[
            "R --no-save <<'E'\n@\nE\n",
            "tclsh <<'E'\n@\nE\n",
            "julia <<'E'\n@\nE\n",
            "elixir -e \"$(cat <<'E'\n@\nE\n)\"",
            "ghci <<'E'\n@\nE\n",
            "sbcl <<'E'\n@\nE\n",
            "groovy <<'E'\n@\nE\n",
            "mongosh <<'E'\n@\nE\n",
            "gdb <<'E'\n@\nE\n",
            "osascript <<'E'\n@\nE\n",
            "a.go|go run a.go",
            "a.c|gcc a.c",
            "ftp h <<'E'\n@\nE\n",
        ],
    ),
    (
        "make",
        &["Makefile|make", "Makefile|make all x=1", "make -f - <<'E'\n@\nE\n"],
    ),
    (
        "package",
        &[
            "package.json|npm run build",
            "package.json|npm install",
            "composer.json|composer run build",
            "deno.json|deno task build",
        ],
    ),
    ("just", &["justfile|just", "justfile|just build a b"]),
    (
        "gitconfig",
        &[
            ".git/config|git st",
            ".git/config|git commit -m x",
            ".git/hooks/pre-commit|git commit -m x",
        ],
    ),
    ("rules", &[""]),
];

/// A target with its texts.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    asked: &'static [&'static str],
    pub(crate) seeds: Vec<String>,
    pub(crate) grammar: Grammar,
    /// How many of the texts are those of its folder.
    own: usize,
}

/// Where the texts of a target are kept.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(name)
}

/// All of them, each with the files of its folder; for the shell also the cases.
pub(crate) fn all() -> Vec<Target> {
    TARGETS.iter().map(|(name, asked)| read(name, asked)).collect()
}

fn read(name: &'static str, asked: &'static [&'static str]) -> Target {
    let entries = fs::read_dir(folder(name)).map_or_else(|_| Vec::new(), |all| all.flatten().collect());
    let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    let mut seeds = Vec::new();
    let mut grammar = Grammar::default();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap_or_default();
        if path.file_name().is_some_and(|name| name == "grammar") {
            grammar = Grammar::read(&text);
        } else {
            seeds.push(text);
        }
    }
    let own = seeds.len();
    if name == "shell" {
        seeds.extend(cases::all().iter().filter_map(cases::Case::plain_command));
    }
    Target {
        name,
        asked,
        seeds,
        grammar,
        own,
    }
}

impl Target {
    /// Whether its texts are rule files.
    pub(crate) fn is_rules(&self) -> bool {
        self.name == "rules"
    }

    /// Whether its texts are commands.
    pub(crate) fn is_shell(&self) -> bool {
        matches!(self.name, "shell" | "filters")
    }

    /// The texts of its folder.
    pub(crate) fn kept(&self) -> &[String] {
        self.seeds.get(..self.own).unwrap_or_default()
    }

    /// In how many ways something is asked about a text.
    pub(crate) fn ways(&self) -> usize {
        self.asked.len()
    }

    /// What is asked about a text, on which machine.
    pub(crate) fn question(&self, way: usize, text: &str) -> (Machine, String) {
        let machine = Machine::new().with_file("a.sed", text);
        let asked = self.asked.get(way).copied().unwrap_or("@");
        match asked
            .split_once('|')
            .filter(|(file, _)| file.contains(['.', 'M']) || *file == "justfile")
        {
            Some((file, command)) => (machine.with_file(file, text), command.into()),
            None => (machine, asked.replace('@', text)),
        }
    }
}
