//! `tollgate uninstall`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use agents::{Agent, Form};
use broker::Places;

use crate::commands::install::unreadable;
use crate::exit::{Exit, Fault};
use crate::setup::change::{Change, PRIVATE};
use crate::setup::record::Record;
use crate::setup::site::Site;
use crate::setup::{files, places, refuse_agents, settings, trust};
use crate::ui::Ui;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this agent; without it, every agent that it was installed for.
    #[arg(long, value_parser = Agent::ALL.map(Agent::as_str))]
    agent: Option<String>,
    /// In the project of the working directory instead of the home directory (Claude Code only).
    #[arg(long)]
    project: bool,
    /// In the administrator's settings. Needs root.
    #[arg(long, conflicts_with = "project", requires = "agent")]
    managed: bool,
    /// A folder that stands for the machine's root.
    #[arg(long, hide = true, requires = "managed", value_name = "DIR", default_value = "/")]
    root: PathBuf,
    /// Show what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let places = places::find()?;
    if !args.dry_run {
        refuse_agents("uninstall Tollgate")?;
    }
    let mut record = Record::load(&places.data)?;
    for site in sites(args, &record, &places)? {
        let changes = plan(&site, &record)?;
        if changes.is_empty() {
            ui.line(format!(
                "{}: not installed in {}",
                site.agent.title(),
                site.settings.display()
            ));
        }
        for change in changes {
            if args.dry_run {
                ui.text(&change.diff());
            } else {
                let title = site.agent.title();
                let kept = kept(&site, &change, &record)?;
                take_out(&change, &mut record)?;
                ui.line(format!("{title}: taken out of {}", change.path.display()));
                if let Some(kept) = kept {
                    ui.line(format!(
                        "{title}: somebody had changed it; what stood there is kept in {}",
                        kept.display()
                    ));
                }
            }
        }
    }
    if !args.dry_run && record.is_empty() {
        remove_hook(&places);
    }
    Ok(Exit::Done)
}

/// Where it may be installed: the agents' settings of today, and every place that install wrote to.
fn sites(args: &Args, record: &Record, places: &Places) -> Result<Vec<Site>, Fault> {
    let named = args.agent.as_deref().and_then(Agent::parse);
    if let (true, Some(agent)) = (args.managed, named) {
        return Ok(vec![Site::managed(agent, &args.root)?]);
    }
    if args.project {
        let here =
            env::current_dir().map_err(|e| Fault::new(Exit::Io, format!("There is no working directory: {e}.")))?;
        return Ok(vec![Site::of_project(
            named.unwrap_or(Agent::Claude),
            &here,
            &places.home,
        )?]);
    }
    let mut sites: Vec<Site> = Vec::new();
    for agent in Agent::ALL
        .into_iter()
        .filter(|agent| named.is_none_or(|named| named == *agent))
    {
        let written = record.files(agent).into_iter().map(|file| file.path);
        let written = written
            .filter(|path| {
                path.ends_with(agent.settings_file()) || agent.project_file().is_some_and(|f| path.ends_with(f))
            })
            .map(|path| Site::at(agent, &path));
        for site in [Site::of_person(agent, places)].into_iter().chain(written) {
            if !sites.iter().any(|known| known.is(&site)) {
                sites.push(site);
            }
        }
    }
    Ok(sites)
}

/// The changes that take our entry and its trust out; none where there is nothing of ours.
fn plan(site: &Site, record: &Record) -> Result<Vec<Change>, Fault> {
    let text = files::read_text(&site.settings)?.unwrap_or_default();
    let mut changes = vec![back(&site.settings, record, |text| {
        settings::without_hook(text, site.agent)
    })?];
    if let Some(file) = &site.trust {
        changes.push(back(file, record, |trusted| {
            trust::without_trust(trusted, site, &text).map(Some)
        })?);
    }
    changes.retain(Change::is_needed);
    Ok(changes)
}

/// A file as it was before install; where somebody changed it since, the file of today without what is ours.
fn back(
    path: &Path,
    record: &Record,
    without: impl Fn(&str) -> Result<Option<String>, String>,
) -> Result<Change, Fault> {
    let Some(text) = files::read_text(path)? else {
        return Ok(Change {
            path: path.to_path_buf(),
            before: None,
            after: None,
            mode: PRIVATE,
        });
    };
    let after = match record.before(path, text.as_bytes())? {
        Some(former) => former.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        None => without(&text).map_err(|why| unreadable(path, &why))?,
    };
    Ok(Change {
        path: path.to_path_buf(),
        before: Some(text),
        after,
        mode: PRIVATE,
    })
}

/// Keeps a file of ours that goes away and that somebody has changed.
fn kept(site: &Site, change: &Change, record: &Record) -> Result<Option<PathBuf>, Fault> {
    match (&change.before, &change.after, site.agent.form()) {
        (Some(text), None, Form::File) => record.keep_changed(&change.path, text),
        _ => Ok(None),
    }
}

/// Makes the change, removes folders that install made and that are empty again, and forgets the file.
fn take_out(change: &Change, record: &mut Record) -> Result<(), Fault> {
    change.make()?;
    if change.after.is_none() {
        for folder in record.folders(&change.path).iter().rev() {
            // It stays where it is not empty.
            let _kept = fs::remove_dir(folder);
        }
    }
    record.forget(&change.path)
}

/// Removes the hook program that no settings name any more. Configuration and ledger stay: they are the person's.
fn remove_hook(places: &Places) {
    let _absent = fs::remove_file(places::hook(places));
    let _kept = fs::remove_dir(places.data.join("bin"));
}
