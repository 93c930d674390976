//! `tollgate log prove`, and the check of such a proof.

use std::path::{Path, PathBuf};

use ledger::{Anchors, Line, Proof, Proved, show};
use serde_json::{Value, json};

use crate::exit::{Exit, Fault};
use crate::ui::Ui;

/// Proves that a record is among those that the newest checkpoint counts, or that an earlier checkpoint is about the
/// beginning of the same log.
#[derive(clap::Args)]
pub(super) struct Prove {
    /// The number of the record.
    #[arg(value_name = "SEQ", required_unless_present = "since", conflicts_with = "since")]
    seq: Option<u64>,
    /// The size that the earlier checkpoint counts (its second line).
    #[arg(long, value_name = "SIZE")]
    since: Option<u64>,
}

pub(super) fn run(dir: &Path, args: &Prove, ui: &mut Ui) -> Result<Exit, Fault> {
    let anchors = Anchors::of(dir);
    let proof = match (args.seq, args.since) {
        (Some(seq), _) => anchors.prove(seq),
        (None, size) => anchors.prove_since(size.unwrap_or_default()),
    };
    let none = || {
        Fault::new(Exit::NoInput, "No checkpoint counts that.")
            .hint("`tollgate log anchor` makes one of all that is recorded now.")
    };
    let proof = proof.map_err(|e| super::fault(&e, Exit::Io))?.ok_or_else(none)?;
    ui.text(&proof.text());
    Ok(Exit::Done)
}

/// What a proof is checked with.
pub(super) struct Check<'a> {
    pub(super) proof: &'a Path,
    pub(super) key: Option<&'a str>,
    pub(super) record: Option<&'a Path>,
    pub(super) earlier: Option<&'a Path>,
    pub(super) json: bool,
}

/// Checks a proof. Without a record's line in a file, the line is taken from the ledger that is here.
pub(super) fn check(dir: &Path, check: &Check<'_>, ui: &mut Ui) -> Result<Exit, Fault> {
    let bad = |e: ledger::ProofError| Fault::new(Exit::Data, format!("`{}` {}.", check.proof.display(), e.as_str()));
    let proof = Proof::parse(&read(check.proof)?).map_err(bad)?;
    let anchors = Anchors::of(dir);
    let key = match check.key {
        Some(key) => key.to_owned(),
        None => anchors
            .verifier()
            .map_err(|e| super::fault(&e, Exit::Io))?
            .ok_or_else(|| {
                Fault::new(Exit::Usage, "There is no key to check the proof with.")
                    .hint("Give the one that `tollgate log anchor` printed: `--key KEY`.")
            })?,
    };
    let line = match (check.record, proof.seq()) {
        (Some(file), _) => Some(read(file)?.trim_end_matches('\n').as_bytes().to_vec()),
        (None, Some(seq)) => line(dir, seq)?,
        (None, None) => None,
    };
    let earlier = check.earlier.map(read).transpose()?;
    match proof.check(&key, line.as_deref(), earlier.as_deref()) {
        Ok(proved) => {
            say(number(line.as_deref()), &proved, check.json, ui);
            Ok(Exit::Done)
        }
        Err(ledger::ProofError::Malformed) => Err(bad(ledger::ProofError::Malformed)),
        Err(ledger::ProofError::Missing) => Err(Fault::new(
            Exit::Usage,
            "The proof is about something that was not given.",
        )
        .hint("Give the record's line with `--record FILE`, or the earlier checkpoint with `--earlier FILE`.")),
        Err(error) => {
            if check.json {
                ui.line(json!({"proved": false, "why": error.as_str()}).to_string());
            } else {
                ui.line(format!("NOT PROVED: the proof {}", error.as_str()));
            }
            Ok(Exit::Denied)
        }
    }
}

/// The number that a record itself says it has: behind a loss that is not its place in the tree.
fn number(line: Option<&[u8]>) -> u64 {
    let record: Option<Value> = line.and_then(|line| serde_json::from_slice(line).ok());
    record
        .and_then(|record| record.get("seq")?.as_u64())
        .unwrap_or_default()
}

fn say(number: u64, proved: &Proved, json: bool, ui: &mut Ui) {
    let (what, by) = match proved {
        Proved::Record(by) => (format!("record {number}"), by),
        Proved::Beginning { earlier, later } => (format!("the log of {} records", earlier.size), later),
    };
    if json {
        let line = json!({
            "proved": true, "what": what, "origin": by.origin, "size": by.size, "root": by.root.hex(), "time": by.time,
        });
        ui.line(line.to_string());
    } else {
        ui.line(format!(
            "proved: {what} is in the log of {} records that {} signed at {}",
            by.size, by.origin, by.time
        ));
    }
}

fn read(file: &Path) -> Result<String, Fault> {
    std::fs::read_to_string(file)
        .map_err(|e| Fault::new(Exit::NoInput, format!("`{}` cannot be read: {e}.", file.display())))
}

/// The stored line of a record, counted as the tree counts.
fn line(dir: &Path, seq: u64) -> Result<Option<Vec<u8>>, Fault> {
    let mut records = match show(dir).map_err(|e| super::fault(&e, Exit::Io))? {
        Some(records) => records,
        None => return Ok(None),
    };
    let unreadable = |e: std::io::Error| Fault::new(Exit::Io, format!("The ledger could not be read: {e}."));
    let mut at = 0;
    while let Some(line) = records.read_line().map_err(unreadable)? {
        let Line::Whole(line) = line else { continue };
        at += 1;
        if at == seq {
            return Ok(Some(line.to_vec()));
        }
    }
    Ok(None)
}

/// The texts of the checkpoints that a verification is to hold the log against.
pub(super) fn texts(files: &[PathBuf]) -> Result<Vec<String>, Fault> {
    files.iter().map(|file| read(file)).collect()
}
