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

mod python;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ledger::{Hash, Ledger, Record, verify};

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
        let ledger = ledger(state.path());
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

/// The ledger of the tests here: three segments or more.
fn ledger(state: &Path) -> Ledger {
    let ledger = Ledger::at(state).in_segments_of(1500);
    for n in 0..20 {
        let record = Record {
            verdict: "allow".into(),
            note: format!("note {n}"),
            ..Record::default()
        };
        let _ = ledger.append(&record).unwrap();
    }
    ledger
}

fn compared(ledger: &Ledger) -> bool {
    let report = verify(ledger.dir(), None).unwrap();
    let breaks: Vec<String> = report.breaks.iter().map(ToString::to_string).collect();
    python::agrees(ledger.dir(), &breaks, &report.head.hex());
    report.intact()
}

/// A file that says the same in other words is none of ours.
#[test]
fn the_python_check_agrees_on_another_spelling_of_epochs_and_head() {
    type Spelling = (&'static str, &'static str, fn(&str) -> String);
    let spellings: [Spelling; 16] = [
        ("epochs", "a space", |t| t.replacen(",\"seq\"", ", \"seq\"", 1)),
        ("epochs", "a space at the end", |t| t.replacen("}\n", "} \n", 1)),
        ("epochs", "another order", |t| {
            t.replacen("\"segment\":1,", "", 1).replacen('}', ",\"segment\":1}", 1)
        }),
        ("epochs", "one more field", |t| t.replacen('}', ",\"x\":1}", 1)),
        ("epochs", "a field twice", |t| {
            t.replacen("\"segment\":1,", "\"segment\":1,\"segment\":1,", 1)
        }),
        ("epochs", "an escape", |t| {
            t.replacen("\"time\":\"2", "\"time\":\"\\u0032", 1)
        }),
        ("epochs", "a number that is no whole one", |t| {
            t.replacen("\"segment\":1,", "\"segment\":1.0,", 1)
        }),
        ("epochs", "an empty reason", |t| {
            t.replacen(",\"signature\"", ",\"unsealed\":\"\",\"signature\"", 1)
        }),
        ("epochs", "another end of line", |t| t.replacen('\n', "\r\n", 1)),
        ("epochs", "half a line more", |t| format!("{t}{{\"segment\"")),
        ("head", "a word more", |t| t.replacen(" seq=", "  seq=", 1)),
        ("head", "fewer digits", |t| t.replacen("segment=0", "segment=", 1)),
        ("head", "no end of line", |t| t.trim_end().into()),
        ("head", "something behind it", |t| format!("{t}\n")),
        ("head", "another state", |t| t.replacen("state=good", "state=fine", 1)),
        ("head", "large letters", |t| t.to_uppercase()),
    ];
    for (file, what, change) in spellings {
        let state = tempfile::tempdir().unwrap();
        let ledger = ledger(state.path());
        edit(&ledger.dir().join(file), change);
        assert_eq!(compared(&ledger), what == "half a line more", "{file}: {what}");
    }
}

/// A line behind the head counts when it continues the chain, and is read alike then.
#[test]
fn the_python_check_agrees_on_another_spelling_of_a_record() {
    type Change = (&'static str, &'static str);
    let good: [Change; 5] = [
        ("\"kind\"", "\"new\":{\"a\":[1,2.5,null]},\"kind\""),
        ("\"kind\"", " \"kind\""),
        ("{\"format\"", " {\"format\""),
        ("\"verdict\":\"allow\"", "\"verdict\":\"\\u0061llow\""),
        ("\"verdict\":\"allow\",", ""),
    ];
    let bad: [Change; 22] = [
        ("\"format\":1", "\"format\":1.0"),
        ("\"format\":1", "\"format\":true"),
        ("\"format\":1", "\"format\":2"),
        ("\"format\":1,", ""),
        ("\"format\":1,", "\"format\":1,\"format\":1,"),
        ("\"seq\":", "\"seq\":1"),
        ("\"seq\":", "\"seq\":-"),
        ("\"prev\":\"", "\"prev\":\"0"),
        ("\"prev\":", "\"prev\":null,\"x\":"),
        ("\"time\":", "\"time\":7,\"x\":"),
        ("\"time\":\"2", "\"time\":\"1"),
        ("\"time\":\"2", "\"time\":\"\\ud800"),
        ("\"mono_ns\":", "\"mono_ns\":0,\"x\":"),
        ("\"mono_ns\":", "\"mono_ns\":-1,\"x\":"),
        ("\"mono_ns\":", "\"mono_ns\":18446744073709551616,\"x\":"),
        ("\"boot_id\":", "\"boot_id\":null,\"x\":"),
        ("\"kind\":\"decision\"", "\"kind\":7"),
        ("\"kind\":\"decision\"", "\"kind\":\"decision\",\"clock_back\":1"),
        ("\"kind\":\"decision\"", "\"kind\":\"run_head\""),
        ("\"kind\":\"decision\"", "\"kind\":\"broken\""),
        ("\"kind\":\"decision\"", "\"kind\":\"unvouched\""),
        ("\"kind\"", "\"new\":NaN,\"kind\""),
    ];
    for (from, to, reads) in good
        .map(|(from, to)| (from, to, true))
        .into_iter()
        .chain(bad.map(|(from, to)| (from, to, false)))
    {
        let state = tempfile::tempdir().unwrap();
        let ledger = ledger(state.path());
        let text = fs::read_to_string(last(ledger.dir())).unwrap();
        let line = text.lines().last().unwrap();
        let (seq, prev) = (verify(ledger.dir(), None).unwrap().seq, Hash::of(line.as_bytes()).hex());
        let at = line.find("\"prev\":\"").unwrap() + 8;
        let next = format!("{}{prev}{}", &line[..at], &line[at + 64..]);
        let next = next.replacen(&format!("\"seq\":{seq}"), &format!("\"seq\":{}", seq + 1), 1);
        assert!(next.contains(from), "{from} {next}");
        edit(&last(ledger.dir()), |t| format!("{t}{}\n", next.replacen(from, to, 1)));
        assert_eq!(compared(&ledger), reads, "{from} -> {to}");
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
