//! `tollgate import`.

use std::path::{Path, PathBuf};

use broker::policies::Layer;
use broker::{Broker, config};
use serde_json::{Value, json};

use crate::commands::config::{broken, project_file};
use crate::exit::{Exit, Fault};
use crate::import::{Answer, Import, Policy, Source};
use crate::setup::{files, places, refuse_agents};
use crate::ui::Ui;
use crate::view::safe;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program whose settings they are.
    from: Source,
    /// Its settings file, or the folder that it is in.
    path: PathBuf,
    /// Into the policy files of the project of the working directory, instead of your own.
    #[arg(long)]
    project: bool,
    /// Say what would be taken over, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// The report as one JSON object.
    #[arg(long)]
    json: bool,
}

/// Only rules that tighten are written, so that it needs no terminal; but no agent says what the rules are.
pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    if !args.dry_run {
        refuse_agents("take settings over")?;
    }
    let sources = args.from.files(&args.path)?;
    let target = target(args)?;
    if target.symlink_metadata().is_ok() {
        return Err(
            Fault::new(Exit::Failed, format!("`{}` is there already.", target.display()))
                .hint("It stays as it is. Move it away first, or edit it."),
        );
    }
    let import = taken(args, &sources, &target)?;
    let head = format!(
        "# Taken over from the settings of {} by `tollgate import`.\n# `tollgate policy list --origin` says what is in force.",
        args.from.name()
    );
    let text = import.policy.text(&head).map_err(|why| {
        Fault::new(Exit::Data, format!("The rules cannot stand in one file: {why}.")).hint("Nothing was written.")
    })?;
    let count = import.policy.len();
    let writes = count > 0 && !args.dry_run;
    if writes {
        write(&target, &text, count, args)?;
    }
    report(args, &import.answers, &target, writes, ui);
    if args.dry_run && count > 0 && !args.json {
        ui.line("");
        ui.text(&text);
    }
    Ok(Exit::Done)
}

/// The file that is written: one for each program.
fn target(args: &Args) -> Result<PathBuf, Fault> {
    let name = format!("imported-{}.yml", args.from.name());
    if args.project && !args.dry_run {
        return project_file(&name);
    }
    let here = places::here()?;
    Ok(match args.project {
        true => broker::policies::project_folder(&here).join(name),
        false => places::find()?.config.join("policies").join(name),
    })
}

fn taken(args: &Args, sources: &[PathBuf], target: &Path) -> Result<Import, Fault> {
    let places = places::find()?;
    let settings = config::own(&places.config).map_err(|e| broken(&e))?;
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let set = Broker::open(places).policies(&here);
    let layer = if args.project { Layer::Project } else { Layer::User };
    let mut import = Import::new(Policy::new(target, layer, &set), &settings);
    for source in sources {
        args.from.read(source, &mut import)?;
    }
    Ok(import)
}

/// Writes the file, and takes it back where it would break the set.
fn write(target: &Path, text: &str, count: usize, args: &Args) -> Result<(), Fault> {
    let broker = Broker::open(places::find()?);
    let note = format!(
        "{count} rules of {} were taken over into `{}`",
        args.from.name(),
        target.display()
    );
    broker.settings_change(&note)?;
    if let (Some(folder), false) = (target.parent(), args.project) {
        files::make_folder(folder)?;
    }
    let mode = if args.project { 0o644 } else { 0o600 };
    if !files::create(target, text.as_bytes(), mode)? {
        return Err(Fault::new(
            Exit::Failed,
            format!("`{}` is there already.", target.display()),
        ));
    }
    let here = target.parent().unwrap_or(target);
    let set = Broker::open(places::find()?).policies(here);
    let mut faults = set.own_faults.iter().chain(&set.project_faults);
    match faults.find(|fault| fault.file == target) {
        None => Ok(()),
        Some(fault) => {
            files::remove(target, text.as_bytes())?;
            let sentence = format!("What was written could not be read: {}.", safe(&fault.to_string()));
            Err(Fault::new(Exit::Failed, sentence).hint("It was taken back."))
        }
    }
}

fn report(args: &Args, answers: &[Answer], target: &Path, written: bool, ui: &mut Ui) {
    if args.json {
        let row = |one: &Answer| json!({"key": safe(&one.key), "fate": one.fate.as_str(), "why": safe(&one.why)});
        let rows: Vec<Value> = answers.iter().map(row).collect();
        let file = target.to_string_lossy();
        ui.line(json!({"format": 1, "file": file, "written": written, "settings": rows}).to_string());
        return;
    }
    for one in answers {
        ui.line(safe(&format!("{:<10} {}: {}", one.fate.as_str(), one.key, one.why)));
    }
    ui.line(match written {
        true => format!("Written: {}", target.display()),
        false if args.dry_run => format!("Nothing was written. The file would be {}.", target.display()),
        false => "Nothing was written: there is no rule to take over.".to_owned(),
    });
}
