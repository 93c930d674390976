//! `tollgate log verify`.

use std::path::Path;

use ledger::{Expected, Hash, Ledger, Report};
use serde_json::{Value, json};

use super::fault;
use crate::exit::{Exit, Fault};
use crate::ui::Ui;
use crate::view;

#[derive(clap::Args)]
pub(super) struct Args {
    /// A head that was noted before: it must be in the chain.
    #[arg(long, value_name = "HEX")]
    expect_head: Option<String>,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(ledger: &Ledger, args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let expect = args.expect_head.as_deref().map(|hex| {
        Hash::parse(hex).ok_or_else(|| {
            Fault::new(
                Exit::Refused,
                "The expected head is not 64 lowercase hexadecimal digits.",
            )
            .hint("`tollgate log verify` prints the head in that form.")
        })
    });
    let report = ledger::verify(ledger.dir(), expect.transpose()?).map_err(|e| fault(&e, Exit::Refused))?;
    if args.json {
        ui.line(as_json(&report).to_string());
    } else {
        tell(&report, ui);
    }
    if args.expect_head.is_none() && is_absent(ledger.dir(), &report) {
        ui.note(ABSENT);
    }
    Ok(if report.intact() { Exit::Done } else { Exit::Denied })
}

/// An empty chain has no break, and nothing in it says that it was ever longer.
const ABSENT: &str =
    "no ledger here: nothing was ever recorded, or the whole folder was removed; only --expect-head can tell";

/// Whether there is nothing to check: no record, no head, and no folder or an empty one.
fn is_absent(folder: &Path, report: &Report) -> bool {
    let holds_nothing = || std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    report.records == 0 && report.broken == 0 && report.bytes == 0 && holds_nothing()
}

/// The words for a report.
pub(crate) fn tell(report: &Report, ui: &mut Ui) {
    ui.line(match report {
        _ if report.intact() => "intact",
        _ if report.only_unvouched() => "UNVOUCHED",
        _ if report.only_lost() => "LOST-ACKNOWLEDGED",
        _ => "TAMPERED",
    });
    ui.line(format!("  head     {}", report.head));
    ui.line(format!(
        "  records  {} ({} bytes), last number {}",
        report.records, report.bytes, report.seq
    ));
    ui.line(format!(
        "  segments {}, of which {} are sealed by their own key, which is erased",
        report.segments, report.sealed
    ));
    if !report.first.is_empty() {
        ui.line(view::safe(&format!("  from     {} to {}", report.first, report.last)));
    }
    for found in &report.breaks {
        ui.line(view::safe(&format!("  broken   {found}")));
    }
    let more = report.broken.saturating_sub(report.breaks.len() as u64);
    if more > 0 {
        ui.line(format!("  broken   and {more} more places"));
    }
    if report.torn > 0 {
        ui.line(format!(
            "  torn     {} bytes of an append that was never acknowledged",
            report.torn
        ));
    }
    if report.mended > 0 {
        ui.line(format!("  mended   {} times", report.mended));
    }
    if let Expected::Found { later } = report.expected {
        ui.line(format!("  expected head found, with {later} records after it"));
    }
    if report.clock_back > 0 {
        ui.line(format!(
            "  clock    went back {} times; the order is that of the numbers",
            report.clock_back
        ));
    }
    ui.line(format!("  head file {}", report.head_file.as_str()));
    for name in &report.unknown {
        let shown = view::safe(name);
        ui.line(format!(
            "  unknown  `{shown}` is no file of a ledger; nothing in it was checked"
        ));
    }
    let more = report.strangers.saturating_sub(report.unknown.len() as u64);
    if more > 0 {
        ui.line(format!("  unknown  and {more} more files"));
    }
    // The loss window: what a power cut could take with it now.
    let at_risk =
        "allowed records at the end were left to the system to write (it takes about 30 s); all else was flushed";
    ui.line(format!("  at risk  {} {at_risk}", report.unflushed));
}

fn as_json(report: &Report) -> Value {
    let breaks = report
        .breaks
        .iter()
        .map(|b| json!({"kind": b.kind.as_str(), "segment": b.segment, "line": b.line, "offset": b.offset, "time": b.time, "what": b.what}));
    json!({
        "intact": report.intact(),
        "records": report.records,
        "bytes": report.bytes,
        "segments": report.segments,
        "sealed": report.sealed,
        "seq": report.seq,
        "head": report.head.hex(),
        "first": report.first,
        "last": report.last,
        "broken": report.broken,
        "breaks": breaks.collect::<Vec<_>>(),
        "torn_bytes": report.torn,
        "mended": report.mended,
        "clock_back": report.clock_back,
        "head_file": report.head_file.as_str(),
        "unknown_files": report.unknown.iter().map(|name| view::safe(name)).collect::<Vec<_>>(),
        "expected_later": match report.expected { Expected::Found { later } => Some(later), _ => None },
        "unflushed": report.unflushed,
        "flush": {"asks": true, "denials": true, "approvals": true, "allows": false},
    })
}
