//! `tollgate trust`: lets this repository's own files loosen, for what they say now.

use std::path::{Path, PathBuf};

use broker::{Broker, Fits, Project, Trusted};
use serde_json::{Value, json};

use super::policy::here;
use crate::exit::{Exit, Fault};
use crate::setup::places;
use crate::ui::Ui;
use crate::view::one_line;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// List the repositories that are trusted, and whether each still says what it said.
    #[arg(long, conflicts_with_all = ["remove", "yes"])]
    list: bool,
    /// Take the trust back; of this repository where no path is given.
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = ".", conflicts_with = "yes")]
    remove: Option<PathBuf>,
    /// Do not ask again after what it says was shown.
    #[arg(long)]
    yes: bool,
    /// With `--list`: as one JSON object.
    #[arg(long, requires = "list")]
    json: bool,
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let broker = Broker::open(places::find()?);
    match &args.remove {
        Some(path) => remove(&broker, path, ui),
        None if args.list => list(&broker, args.json, ui),
        None => trust(&broker, args.yes, ui),
    }
}

/// The project of the working directory.
pub(crate) fn project(broker: &Broker, folder: &Path) -> Result<Project, Fault> {
    let gone = || Fault::new(Exit::NoInput, "The folder of this project cannot be looked at.");
    broker.project(folder).ok_or_else(gone)
}

fn trust(broker: &Broker, yes: bool, ui: &mut Ui) -> Result<Exit, Fault> {
    let person = broker.person("trust a repository")?;
    let project = project(broker, &here()?)?;
    let root = one_line(&project.root.to_string_lossy());
    if let Some(fault) = project.faults.first() {
        let sentence = format!(
            "What `{root}` says cannot be read whole: {}.",
            one_line(&fault.to_string())
        );
        return Err(Fault::new(Exit::Refused, sentence).hint("Mend it first; `tollgate policy doctor` names all."));
    }
    if !project.loosens {
        ui.line(format!("{root} says nothing that needs trust: it only tightens."));
        return Ok(Exit::Done);
    }
    let before = broker.trust_of(&project);
    if matches!(before, Some((_, Fits::Yes))) {
        ui.line(format!("{root} is trusted already, and says what it said then."));
        return Ok(Exit::Done);
    }
    show(&root, &project, before.as_ref(), ui);
    if !yes && !ui.confirm("Trust it for exactly this?") {
        ui.line("It is not trusted.");
        return Ok(Exit::Waiting);
    }
    broker.trust(&person, &project)?;
    ui.line("Trusted, until one of these files changes. What counts for all of the gate stays as it is.");
    Ok(Exit::Done)
}

fn show(root: &str, project: &Project, before: Option<&(Trusted, Fits)>, ui: &mut Ui) {
    ui.line(format!("{root} wants to say, as if you had said it:"));
    for line in &project.says {
        ui.line(format!("  {}", one_line(line)));
    }
    if let Some((trusted, Fits::Changed(changes))) = before {
        ui.line(format!("Since it was trusted at {}:", trusted.at.rfc3339()));
        for change in changes {
            ui.line(format!("  {}", one_line(change)));
        }
    }
}

fn remove(broker: &Broker, path: &Path, ui: &mut Ui) -> Result<Exit, Fault> {
    let path = here()?.join(path);
    // What is gone has the path that the list shows.
    let root = broker.project(&path).map_or(path, |project| project.root);
    let shown = one_line(&root.to_string_lossy());
    let taken = broker.distrust(&root)?;
    ui.line(match taken {
        true => format!("{shown} is not trusted any more: its files only tighten."),
        false => format!("{shown} was not trusted."),
    });
    Ok(Exit::Done)
}

fn list(broker: &Broker, as_json: bool, ui: &mut Ui) -> Result<Exit, Fault> {
    let all = broker.all_trusted()?;
    if as_json {
        let rows: Vec<Value> = all.iter().map(|(trusted, fits)| row(trusted, fits)).collect();
        ui.line(json!({"format": 1, "trusted": rows}).to_string());
        return Ok(Exit::Done);
    }
    if all.is_empty() {
        ui.line("No repository is trusted.");
    }
    for (trusted, fits) in &all {
        ui.line(format!(
            "{:<8} {}  since {} at {}",
            word(fits),
            one_line(&trusted.root),
            trusted.at.rfc3339(),
            one_line(&trusted.by)
        ));
        if let Fits::Changed(changes) = fits {
            for change in changes {
                ui.line(format!("         {}", one_line(change)));
            }
        }
    }
    Ok(Exit::Done)
}

fn row(trusted: &Trusted, fits: &Fits) -> Value {
    let changes: Vec<String> = match fits {
        Fits::Changed(changes) => changes.iter().map(|change| one_line(change)).collect(),
        _ => Vec::new(),
    };
    json!({
        "root": one_line(&trusted.root), "state": word(fits), "at": trusted.at.rfc3339(), "by": one_line(&trusted.by),
        "changes": changes,
    })
}

/// The word for how it stands.
pub(crate) const fn word(fits: &Fits) -> &'static str {
    match fits {
        Fits::Yes => "trusted",
        Fits::Gone => "gone",
        Fits::Changed(_) => "changed",
    }
}
