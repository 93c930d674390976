//! `tollgate log export`.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use views::{Export, Exported, Filter, Format, ViewError, Views};

use super::otlp::Sender;
use super::{filter, unseen};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;
use crate::{rules, view};

/// What is written at a time.
const BUFFER: usize = 1 << 16;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The form: `ndjson`, `csv`, `sarif`, `ocsf`, `cef`, `otlp` or `policy-log`.
    #[arg(long, value_name = "FORMAT", value_parser = format, required_unless_present = "otlp_endpoint")]
    format: Option<Format>,
    /// A file to make; without one it is standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Sends them as OTLP logs to this address (https, or http on this machine) instead of writing them.
    #[arg(long, value_name = "URL", conflicts_with_all = ["out", "format"])]
    otlp_endpoint: Option<String>,
    #[command(flatten)]
    filter: filter::Wanted,
}

fn format(name: &str) -> Result<Format, String> {
    Format::parse(name).ok_or_else(|| {
        let names = Format::ALL.map(Format::as_str);
        format!("`{name}` is no form; there are {}", names.join(", "))
    })
}

pub(super) fn run(views: &Views, args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let why = reasons()?;
    let export = Export {
        safe: &view::safe,
        about: &|rule| why.get(rule).cloned(),
        version: env!("CARGO_PKG_VERSION"),
    };
    let filter = args.filter.filter();
    let format = args.format.unwrap_or(Format::Otlp);
    let exported = match (&args.otlp_endpoint, &args.out) {
        (Some(address), _) => to_endpoint(views, export, &filter, address, ui)?,
        (None, None) => to_output(views, format, export, &filter, ui)?,
        (None, Some(path)) => {
            let exported = to_file(views, format, export, &filter, path)?;
            ui.note(format!("{} records were written.", exported.records));
            exported
        }
    };
    if exported.unreadable > 0 && format != Format::Ndjson {
        ui.note(format!(
            "{} lines are no records, and were left out: `tollgate log verify` names them.",
            exported.unreadable
        ));
    }
    Ok(Exit::Done)
}

/// Why the built-in rules are there.
fn reasons() -> Result<BTreeMap<String, String>, Fault> {
    let book = rules::built_in()?;
    Ok(book
        .rules
        .iter()
        .map(|rule| (rule.says.id.into(), rule.says.why.into()))
        .collect())
}

/// To standard output. A reader that goes away is no error.
pub(super) fn to_output(
    views: &Views,
    format: Format,
    export: Export<'_>,
    filter: &Filter,
    ui: &mut Ui,
) -> Result<Exported, Fault> {
    let mut out = BufWriter::with_capacity(BUFFER, ui.raw());
    let exported = views.export(format, export, filter, &mut out);
    // What could not be written is told at the end of the program.
    let _kept = out.flush();
    match exported {
        Err(ViewError::Write(_)) => Ok(Exported::default()),
        exported => exported.map_err(|e| unseen(&e)),
    }
}

/// To a collector of logs. What it took before it failed is there, and comes a second time when all is sent again.
fn to_endpoint(
    views: &Views,
    export: Export<'_>,
    filter: &Filter,
    address: &str,
    ui: &mut Ui,
) -> Result<Exported, Fault> {
    let mut sender = Sender::to(address)?;
    let exported = views.export(Format::Otlp, export, filter, &mut sender);
    let exported = exported.map_err(|e| match e {
        ViewError::Write(why) => {
            let sent = sender.requests;
            let why = view::safe(&why.to_string());
            Fault::new(
                Exit::Io,
                format!("The endpoint did not take the records: {why}; {sent} requests before went well."),
            )
            .hint("Nothing is sent again by itself: narrow it down with `--since`, and call it again.")
        }
        other => unseen(&other),
    })?;
    ui.note(format!("{} records were sent.", exported.records));
    if sender.rejected > 0 {
        let (rejected, why) = (sender.rejected, view::safe(&sender.why));
        return Err(Fault::new(
            Exit::Io,
            format!("The endpoint did not keep {rejected} of the records: {why}."),
        ));
    }
    Ok(exported)
}

/// To a new file that only its owner can read: it holds what the ledger holds.
fn to_file(views: &Views, format: Format, export: Export<'_>, filter: &Filter, path: &Path) -> Result<Exported, Fault> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let file = made.map_err(|e| unmade(path, &e))?;
    let mut out = BufWriter::with_capacity(BUFFER, file);
    let exported = views.export(format, export, filter, &mut out);
    let exported = exported.and_then(|exported| out.flush().map(|()| exported).map_err(ViewError::Write));
    exported.map_err(|e| {
        // Half of an export is none.
        let _left = fs::remove_file(path);
        unseen(&e)
    })
}

fn unmade(path: &Path, error: &io::Error) -> Fault {
    let fault = Fault::new(Exit::Io, format!("`{}` could not be made: {error}.", path.display()));
    match error.kind() {
        io::ErrorKind::AlreadyExists => fault.hint("Name a file that is not there yet."),
        _ => fault,
    }
}
