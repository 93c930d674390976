//! `tollgate log verify`.

use std::path::{Path, PathBuf};

use broker::{Broker, Flush};
use ledger::{Anchors, Checkpoint, Expected, Hash, Ledger, LedgerError, Report, RunReport};
use serde_json::{Value, json};

use super::{fault, prove};
use crate::exit::{Exit, Fault};
use crate::setup::places;
use crate::ui::Ui;
use crate::view;

#[derive(clap::Args)]
pub(super) struct Args {
    /// A head that was noted before: it must be in the chain.
    #[arg(long, value_name = "HEX")]
    expect_head: Option<String>,
    /// Checkpoints that were kept elsewhere: the log must hold what they say.
    #[arg(long, value_name = "FILE")]
    anchor: Vec<PathBuf>,
    /// The machine's public key, as `log anchor` printed it; without it the one that is kept here counts.
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Checks a proof of `log prove` and nothing else.
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
    /// The stored line that the proof is about, where this ledger does not hold it.
    #[arg(long, value_name = "FILE", requires = "proof")]
    record: Option<PathBuf>,
    /// The earlier checkpoint that the proof is about.
    #[arg(long, value_name = "FILE", requires = "proof")]
    earlier: Option<PathBuf>,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(ledger: &Ledger, args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    if args.key.as_deref().is_some_and(|key| !ledger::is_verifier(key)) {
        return Err(Fault::new(Exit::Usage, "`--key` is no public key.")
            .hint("`tollgate log anchor` prints it after `signed by`."));
    }
    if let Some(proof) = &args.proof {
        let check = prove::Check {
            proof,
            key: args.key.as_deref(),
            record: args.record.as_deref(),
            earlier: args.earlier.as_deref(),
            json: args.json,
        };
        return prove::check(ledger.dir(), &check, ui);
    }
    let expect = args.expect_head.as_deref().map(|hex| {
        Hash::parse(hex).ok_or_else(|| {
            Fault::new(
                Exit::Refused,
                "The expected head is not 64 lowercase hexadecimal digits.",
            )
            .hint("`tollgate log verify` prints the head in that form.")
        })
    });
    let expect = expect.transpose()?;
    let (anchors, unsigned) = anchors(ledger.dir(), args)?;
    let flush = Broker::open(places::find()?).keeping().flush;
    let mut bar = ui.progress("verify");
    let report = ledger::verify_with(ledger.dir(), expect, &anchors, &mut |done, all| bar.at(done, all));
    bar.end();
    let report = report.map_err(|e| fault(&e, Exit::Refused))?;
    let state = ledger.dir().parent().unwrap_or(ledger.dir());
    let runs = ledger::verify_runs(state, &report);
    let good = report.intact() && unsigned == 0 && report.runs_left == 0 && runs.iter().all(RunReport::intact);
    if args.json {
        let mut whole = as_json(&report, flush);
        let one = |run: &RunReport| match &run.report {
            Ok(report) => {
                json!({"run": view::safe(&run.run), "chained": run.chained, "report": as_json(report, flush)})
            }
            Err(why) => json!({"run": view::safe(&run.run), "chained": run.chained, "error": view::safe(why)}),
        };
        if let Some(fields) = whole.as_object_mut() {
            fields.insert("intact".into(), good.into());
            fields.insert("runs_left".into(), report.runs_left.into());
            fields.insert("runs".into(), runs.iter().map(one).collect());
        }
        ui.line(whole.to_string());
    } else {
        if report.intact() && !good {
            ui.line("NOT INTACT: what is not this log itself is named below");
        }
        tell(&report, flush, ui);
        runs.iter().for_each(|run| tell_run(run, ui));
        if report.runs_left > 0 {
            ui.line(format!(
                "  run      {} more records name runs that were not looked at",
                report.runs_left
            ));
        }
    }
    if unsigned > 0 {
        ui.note(format!(
            "{unsigned} checkpoints are not signed by the machine's key: they count for nothing"
        ));
    }
    if args.expect_head.is_none() && is_absent(ledger.dir(), &report) {
        ui.note(ABSENT);
    }
    // A checkpoint that somebody kept and that does not bear the key is no proof of anything good.
    Ok(if good { Exit::Done } else { Exit::Denied })
}

/// The checkpoints made here and those kept elsewhere, and how many are not signed.
fn anchors(dir: &Path, args: &Args) -> Result<(Vec<Checkpoint>, u64), Fault> {
    let anchors = Anchors::of(dir);
    let failed = |e: LedgerError| fault(&e, Exit::Refused);
    let (mut all, mut unsigned) = anchors.made().map_err(failed)?;
    for text in prove::texts(&args.anchor)? {
        let (kept, bad) = anchors.kept(&text, args.key.as_deref()).map_err(failed)?;
        if kept.is_empty() && bad == 0 {
            return Err(
                Fault::new(Exit::Data, "There is no checkpoint in the file that `--anchor` names.")
                    .hint("`tollgate log anchor --to FILE` writes one."),
            );
        }
        all.extend(kept);
        unsigned += bad;
    }
    Ok((all, unsigned))
}

/// An empty chain has no break, and nothing in it says that it was ever longer.
const ABSENT: &str =
    "no ledger here: nothing was ever recorded, or the whole folder was removed; only --expect-head can tell";

/// Whether there is nothing to check: no record, no head, and no folder or an empty one.
fn is_absent(folder: &Path, report: &Report) -> bool {
    let holds_nothing = || std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    report.records == 0 && report.broken == 0 && report.bytes == 0 && holds_nothing()
}

/// The word for a report: the mildest that covers all that was found.
fn word(report: &Report) -> &'static str {
    match report {
        _ if report.intact() => "intact",
        _ if report.only_unvouched() => "UNVOUCHED",
        _ if report.only_unflushed() => "LOST-UNFLUSHED",
        _ if report.only_lost() => "LOST-ACKNOWLEDGED",
        _ => "TAMPERED",
    }
}

/// The words for a report.
pub(crate) fn tell(report: &Report, flush: Flush, ui: &mut Ui) {
    ui.line(word(report));
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
    let unanchored = report.seq.saturating_sub(report.anchored);
    ui.line(match report.anchored {
        0 => String::from("  anchored nothing: no checkpoint vouches for this log (`tollgate log anchor`)"),
        seq => format!("  anchored up to record {seq}; {unanchored} records came after it"),
    });
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
    let rule = match flush {
        Flush::Held => {
            "allowed records at the end were left to the system to write (it takes about 30 s); all else is flushed"
        }
        Flush::Full => "records at the end were left to the system to write; every record is flushed now",
    };
    ui.line(format!("  at risk  {} {rule}", report.unflushed));
}

/// One line for the ledger of a run, and one for each place where it is broken.
fn tell_run(run: &RunReport, ui: &mut Ui) {
    let how = if run.chained {
        ""
    } else {
        "; no end of it is chained into this ledger"
    };
    match &run.report {
        Ok(report) => {
            let word = word(report);
            ui.line(view::safe(&format!(
                "  run      {} {word}, {} records{how}",
                run.run, report.records
            )));
            for found in &report.breaks {
                ui.line(view::safe(&format!("             {found}")));
            }
        }
        Err(why) => ui.line(view::safe(&format!(
            "  run      {} could not be checked: {why}",
            run.run
        ))),
    }
}

fn as_json(report: &Report, flush: Flush) -> Value {
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
        "anchored": report.anchored,
        "unanchored": report.seq.saturating_sub(report.anchored),
        "mended": report.mended,
        "clock_back": report.clock_back,
        "head_file": report.head_file.as_str(),
        "unknown_files": report.unknown.iter().map(|name| view::safe(name)).collect::<Vec<_>>(),
        "expected_later": match report.expected { Expected::Found { later } => Some(later), _ => None },
        "unflushed": report.unflushed,
        "flush": {"asks": true, "denials": true, "approvals": true, "allows": flush == Flush::Full},
    })
}
