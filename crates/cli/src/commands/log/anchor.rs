//! `tollgate log anchor`: states what the ledger is, to be kept elsewhere.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use broker::{Broker, Own};
use ledger::{Anchored, Anchors};
use runner::{End, Input, Outcome, Profile};
use serde_json::json;

use crate::exit::{Exit, Fault};
use crate::setup::places;
use crate::ui::Ui;
use crate::view;

/// The ref under which a repository keeps checkpoints.
const REF: &str = "refs/tollgate/anchors";
/// How long a keeper may take.
const DEADLINE: Duration = Duration::from_secs(60);
/// What a keeper gets of the environment.
const VARIABLES: [&str; 6] = ["PATH", "HOME", "USER", "LANG", "TMPDIR", "SSH_AUTH_SOCK"];

/// States what the ledger is now, signed, to be kept where whoever can write here cannot.
#[derive(clap::Args)]
pub(super) struct Anchor {
    /// Adds the checkpoint to this file: on another disk, a share, a stick.
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Keeps the checkpoints in this repository, under refs/tollgate/anchors: push that ref somewhere.
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, default_missing_value = ".")]
    git: Option<PathBuf>,
    /// Hands the checkpoint to a program on its standard input; the words after it are its arguments.
    #[arg(long, value_name = "PROGRAM", num_args = 1.., allow_hyphen_values = true)]
    command: Vec<OsString>,
    /// Signs a log in which `log verify` finds something broken, too.
    #[arg(long)]
    despite_damage: bool,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(dir: &Path, args: &Anchor, ui: &mut Ui) -> Result<Exit, Fault> {
    let anchors = Anchors::of(dir);
    let failed = |e: ledger::LedgerError| super::fault(&e, Exit::Io);
    let (known, _) = anchors.made().map_err(failed)?;
    let mut bar = ui.progress("verify");
    let report = ledger::verify_with(dir, None, &known, &mut |done, all| bar.at(done, all));
    bar.end();
    if !report.map_err(failed)?.intact() && !args.despite_damage {
        return Err(Fault::new(Exit::Denied, "The log is not intact, so it is not signed.")
            .hint("`tollgate log verify` names the places; `--despite-damage` signs it as it is."));
    }
    let made = anchors.make().map_err(|e| super::fault(&e, Exit::Io))?;
    let mut kept = Vec::new();
    if let Some(file) = &args.to {
        add(file, &made.note)?;
        kept.push(file.display().to_string());
    }
    if let Some(folder) = &args.git {
        under_a_ref(folder, &anchors)?;
        kept.push(format!("{REF} of {}", folder.display()));
    }
    if let [program, words @ ..] = args.command.as_slice() {
        start(Own::AnchorKeeper, program, words.to_vec(), Path::new("."), &made.note)?;
        kept.push(program.to_string_lossy().into_owned());
    }
    if args.json {
        ui.line(as_json(&made, &kept).to_string());
        return Ok(Exit::Done);
    }
    ui.text(&made.note);
    ui.note(format!("signed by {}", made.verifier));
    for place in &kept {
        ui.note(view::safe(&format!("kept in {place}")));
    }
    if kept.is_empty() {
        ui.note(NOWHERE);
    }
    Ok(Exit::Done)
}

/// Said where the checkpoint was handed to nobody.
const NOWHERE: &str = "Keep these lines, and the key, where nobody who can write here can; `tollgate log verify --anchor FILE` holds the log against them.";

fn as_json(made: &Anchored, kept: &[String]) -> serde_json::Value {
    let c = &made.checkpoint;
    json!({
        "origin": c.origin, "size": c.size, "root": c.root.hex(), "seq": c.seq, "head": c.head.hex(), "time": c.time,
        "note": made.note, "key": made.verifier, "kept": kept,
    })
}

fn add(file: &Path, note: &str) -> Result<(), Fault> {
    let opened = OpenOptions::new().create(true).append(true).open(file);
    let added = opened.and_then(|mut file| {
        file.write_all(note.as_bytes())?;
        file.sync_all()
    });
    added.map_err(|e| Fault::new(Exit::Io, format!("`{}` cannot be written: {e}.", file.display())))
}

/// Keeps all checkpoints as one blob under a ref. Hooks of the repository do not run.
fn under_a_ref(folder: &Path, anchors: &Anchors) -> Result<(), Fault> {
    let all = anchors.notes().map_err(|e| super::fault(&e, Exit::Io))?;
    let git = |words: &[&str], input: &str| -> Result<String, Fault> {
        let quiet = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];
        let args = quiet.iter().chain(words).map(OsString::from).collect();
        let outcome = start(Own::AnchorRef, "git".as_ref(), args, folder, input)?;
        Ok(String::from_utf8_lossy(&outcome.stdout).trim().to_owned())
    };
    let blob = git(&["hash-object", "-w", "--no-filters", "--stdin"], &all)?;
    git(
        &["update-ref", "-m", "tollgate: checkpoint of the ledger", REF, &blob],
        "",
    )?;
    Ok(())
}

/// Runs a program that takes what it reads, and has to end well.
fn start(own: Own, program: &std::ffi::OsStr, args: Vec<OsString>, cwd: &Path, input: &str) -> Result<Outcome, Fault> {
    let shown = program.to_string_lossy();
    let found =
        on_path(program).ok_or_else(|| Fault::new(Exit::Unavailable, format!("There is no program `{shown}`.")))?;
    let profile = Profile {
        args,
        cwd: cwd.to_path_buf(),
        env: Profile::inherit(&VARIABLES),
        input: Input::Bytes(input.as_bytes().to_vec()),
        deadline: DEADLINE,
        keep: 1 << 16,
    };
    let outcome = runner::run(Broker::open(places::find()?).clear_own(own, &found)?, profile);
    let why = match &outcome.end {
        End::Exited(0) => return Ok(outcome),
        End::Exited(code) => format!("ended with code {code}"),
        End::Signalled(signal) => format!("was ended by signal {signal}"),
        End::TimedOut => format!("took longer than {} seconds", DEADLINE.as_secs()),
        End::NotStarted(why) => format!("could not be started: {why}"),
    };
    let said = String::from_utf8_lossy(&outcome.stderr).trim().to_owned();
    Err(Fault::new(
        Exit::Failed,
        format!("`{shown}` {why}; the checkpoint is not kept there."),
    )
    .hint(said))
}

/// The file of a program, as a shell would find it.
fn on_path(program: &std::ffi::OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return path.canonicalize().ok();
    }
    places::program(program.to_str()?)
}
