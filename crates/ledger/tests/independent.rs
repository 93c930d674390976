//! `docs/verify.py`, which somebody could have written from docs/ledger.md alone, finds what the program finds.
//!
//! Needs `python3`; where it is missing the test says so and passes.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test may fail loudly"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ledger::{Ledger, Record, verify};

/// What is done to a ledger, and to which of its files.
type Damage = fn(&Path);

fn edit(path: &Path, change: impl Fn(&str) -> String) {
    let text = fs::read_to_string(path).unwrap();
    let changed = change(&text);
    assert_ne!(text, changed, "{}", path.display());
    fs::write(path, changed).unwrap();
}

fn lines(path: &Path, change: impl Fn(&mut Vec<&str>)) {
    edit(path, |text| {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        change(&mut lines);
        lines.concat()
    });
}

/// Damage that shows without a signature.
const DAMAGE: [(&str, Damage); 17] = [
    ("nothing", |_| {}),
    ("a word", |d| {
        edit(&d.join("000001.ndjson"), |t| t.replacen("note 2", "note 3", 1))
    }),
    ("a deletion", |d| {
        lines(&d.join("000002.ndjson"), |l| {
            l.remove(1);
        })
    }),
    ("a doubling", |d| lines(&d.join("000001.ndjson"), |l| l.insert(2, l[1]))),
    ("a swap", |d| lines(&d.join("000002.ndjson"), |l| l.swap(0, 1))),
    ("no first segment", |d| {
        fs::remove_file(d.join("000001.ndjson")).unwrap()
    }),
    ("no second segment", |d| {
        fs::remove_file(d.join("000002.ndjson")).unwrap()
    }),
    ("a cut end", |d| {
        lines(&last(d), |l| {
            l.pop();
        })
    }),
    ("half a record", |d| edit(&last(d), |t| t[..t.len() - 9].into())),
    ("a segment's end", |d| {
        lines(&d.join("000002.ndjson"), |l| {
            l.pop();
        })
    }),
    ("no head", |d| fs::remove_file(d.join("head")).unwrap()),
    ("a head of another end", |d| {
        edit(&d.join("head"), |t| t.replace(" seq=0", " seq=1"))
    }),
    ("a torn append", |d| edit(&last(d), |t| format!("{t}{{\"format\":1"))),
    ("nonsense", |d| edit(&last(d), |t| format!("{t}nonsense\n"))),
    ("no epochs", |d| fs::remove_file(d.join("epochs")).unwrap()),
    ("an epoch of another end", |d| {
        edit(&d.join("epochs"), |t| t.replacen("\"seq\":", "\"seq\":1", 2))
    }),
    ("a backdated record", |d| {
        edit(&last(d), |t| {
            let at = t.rfind("\"time\":\"").unwrap() + 8;
            format!("{}1999{}", &t[..at], &t[at + 4..])
        });
    }),
];

fn last(dir: &Path) -> PathBuf {
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    names
        .filter(|path| path.extension().is_some_and(|e| e == "ndjson"))
        .max()
        .unwrap()
}

#[test]
fn the_python_check_agrees() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/verify.py");
    let python = |args: &[&Path]| Command::new("python3").arg(&script).args(args).output();
    if python(&[]).map(|output| output.status.code()).ok().flatten() != Some(64) {
        println!("skipped: `python3` does not work here");
        return;
    }
    for (what, damage) in DAMAGE {
        let state = tempfile::tempdir().unwrap();
        let ledger = Ledger::at(state.path()).in_segments_of(1500);
        for n in 0..20 {
            let record = Record {
                verdict: "allow".into(),
                note: format!("note {n}"),
                ..Record::default()
            };
            let _ = ledger.append(&record).unwrap();
        }
        damage(ledger.dir());
        let report = verify(ledger.dir(), None).unwrap();
        let output = python(&[ledger.dir()]).unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let theirs = match output.status.code() {
            Some(0) => true,
            Some(20) => false,
            other => panic!("{what}: {other:?} {said}{}", String::from_utf8_lossy(&output.stderr)),
        };
        assert_eq!(theirs, report.intact(), "{what}: {said}{:?}", report.breaks);
        assert_eq!(theirs, ["nothing", "a torn append"].contains(&what), "{what}: {said}");
        if theirs {
            assert!(said.contains(&report.head.hex()), "{said}");
        }
    }
}

#[test]
fn the_python_check_has_sixty_lines_and_nothing_but_its_own_library() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/verify.py");
    let text = fs::read_to_string(script).unwrap();
    assert!(text.lines().count() <= 60);
    let imports: Vec<&str> = text.lines().filter(|line| line.starts_with("import ")).collect();
    assert_eq!(imports, ["import hashlib, json, os, re, sys"]);
}
