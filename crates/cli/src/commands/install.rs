//! `tollgate install`.

use std::env;
use std::path::{Path, PathBuf};

use agents::{Agent, Form};
use broker::Places;

use crate::exit::{Exit, Fault};
use crate::setup::change::Change;
use crate::setup::places;
use crate::setup::record::Record;
use crate::setup::site::Site;
use crate::setup::{binary, codex, files, json, refuse_agents, settings, trust};
use crate::ui::Ui;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this agent; without it, every agent that is found.
    #[arg(long, value_parser = Agent::ALL.map(Agent::as_str))]
    agent: Option<String>,
    /// In the project of the working directory instead of the home directory (Claude Code only).
    #[arg(long)]
    project: bool,
    /// In the administrator's settings, for everybody on this machine: what a person or a project says does not switch it
    /// off. Needs root.
    #[arg(long, conflicts_with = "project", requires = "agent")]
    managed: bool,
    /// A folder that stands for the machine's root.
    #[arg(long, hide = true, requires = "managed", value_name = "DIR", default_value = "/")]
    root: PathBuf,
    /// Show what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Trust the hook in Codex without asking.
    #[arg(long)]
    trust: bool,
    /// Only these, as `init` found them.
    #[arg(skip)]
    only: Vec<Agent>,
}

impl Args {
    /// For these agents, for the person.
    pub(crate) fn of(only: Vec<Agent>) -> Self {
        Self {
            only,
            agent: None,
            project: false,
            managed: false,
            root: "/".into(),
            dry_run: false,
            trust: false,
        }
    }
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let places = places::find()?;
    let sites = sites(args, &places)?;
    if args.dry_run {
        return show(&sites, &places, ui);
    }
    refuse_agents("install Tollgate")?;
    let source = binary::source()?;
    if args.managed {
        return managed(args, &sites, &source, &places, ui);
    }
    refuse_unsafe(&places)?;
    // Settings that cannot be edited are found before anything is written.
    sites.iter().try_for_each(|site| plan(site, &places).map(drop))?;
    for folder in [&places.config, &places.state, &places.data.join("bin")] {
        files::make_folder(folder)?;
    }
    let hash = binary::copy(&source, &places::hook(&places))?;
    ui.line(format!(
        "Hook: {} (sha256 {})",
        places::hook(&places).display(),
        hash.hex()
    ));
    let mut exit = Exit::Done;
    for site in &sites {
        put(site, &places, ui)?;
        if site.trust.is_some() {
            exit = trust_hook(site, &places, args.trust, ui)?;
        }
    }
    ui.line("Start the agents anew, then check with `tollgate doctor`.");
    Ok(exit)
}

/// For everybody: the program where only root can write, and an entry that finds the places of whoever runs it.
fn managed(args: &Args, sites: &[Site], source: &Path, places: &Places, ui: &mut Ui) -> Result<Exit, Fault> {
    if args.root == Path::new("/") && !rustix::process::geteuid().is_root() {
        return Err(Fault::new(Exit::Refused, "The administrator's settings are root's.")
            .hint("Run it as root, or leave `--managed` out."));
    }
    sites.iter().try_for_each(|site| plan(site, places).map(drop))?;
    let program = args.root.join(places::MANAGED_HOOK.trim_start_matches('/'));
    files::make_public_folder(program.parent().unwrap_or(&args.root))?;
    let hash = binary::copy(source, &program)?;
    ui.line(format!("Hook: {} (sha256 {})", program.display(), hash.hex()));
    files::make_folder(&places.data)?;
    for site in sites {
        if let Some(folder) = site.settings.parent() {
            files::make_public_folder(folder)?;
        }
        put(site, places, ui)?;
    }
    ui.line("Each person's settings and log are their own: `~/.config/tollgate` and `~/.local/state/tollgate`.");
    ui.line("Where a person has an entry too, every call is asked about twice: `tollgate uninstall` takes theirs out.");
    Ok(Exit::Done)
}

/// Refuses places where another user could replace the hook or what it goes by.
fn refuse_unsafe(places: &Places) -> Result<(), Fault> {
    match places::unsafe_one(places) {
        None => Ok(()),
        Some((place, found)) => Err(Fault::new(
            Exit::Refused,
            format!("`{}` is not safe: {}.", found.path.display(), found.why),
        )
        .hint(format!(
            "Another user could replace `{}` there. Choose a place of your own.",
            place.display()
        ))),
    }
}

/// Where to install: what was named, or every agent that is found. A dry run is about all where none is.
fn sites(args: &Args, places: &Places) -> Result<Vec<Site>, Fault> {
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
    let found: Vec<Agent> = match named {
        Some(agent) => vec![agent],
        None if !args.only.is_empty() => args.only.clone(),
        None => Agent::ALL
            .into_iter()
            .filter(|agent| Site::agent_is_present(*agent, places))
            .collect(),
    };
    let found = if found.is_empty() && args.dry_run {
        Agent::ALL.into()
    } else {
        found
    };
    if found.is_empty() {
        return Err(Fault::new(Exit::Unavailable, "No agent was found here.").hint(format!(
            "Name one: `tollgate install --agent NAME`, with {}.",
            Agent::ALL.map(Agent::as_str).join(", ")
        )));
    }
    Ok(found.into_iter().map(|agent| Site::of_person(agent, places)).collect())
}

fn show(sites: &[Site], places: &Places, ui: &mut Ui) -> Result<Exit, Fault> {
    for site in sites {
        let change = plan(site, places)?;
        if change.is_needed() {
            ui.text(&change.diff());
        } else {
            ui.line(format!(
                "{}: nothing to change in {}",
                site.agent.title(),
                change.path.display()
            ));
        }
    }
    ui.line(format!(
        "Nothing was changed. The hook would be {}.",
        places::hook(places).display()
    ));
    refuse_unsafe(places).map(|()| Exit::Done).map_err(|fault| Fault {
        sentence: format!("Without `--dry-run` this would be refused: {}", fault.sentence),
        ..fault
    })
}

/// The settings with our entry in them.
fn plan(site: &Site, places: &Places) -> Result<Change, Fault> {
    let hook = site.agent.hook(&places::for_site(site, places)?);
    let change = Change::plan(site.settings.clone(), |text| {
        let with = settings::with_hook(text, site.agent, &hook).and_then(|text| pinned(&text, site));
        with.map_err(|why| unreadable(&site.settings, &why))
    })?;
    Ok(Change {
        mode: if site.managed { 0o644 } else { settings::mode(&hook) },
        ..change
    })
}

/// An administrator's settings with what keeps others from switching hooks off.
fn pinned(text: &str, site: &Site) -> Result<String, String> {
    if !site.managed {
        return Ok(text.to_owned());
    }
    json::with_pins(text, site.agent.pins())
}

/// Puts the entry into the settings and keeps what stood there.
fn put(site: &Site, places: &Places, ui: &mut Ui) -> Result<(), Fault> {
    let change = plan(site, places)?;
    let (title, shown) = (site.agent.title(), change.path.display());
    if !change.is_needed() {
        ui.line(format!("{title}: already installed in {shown}"));
        return Ok(());
    }
    let kept = write(site.agent, &change, places, |text| {
        settings::without_hook(text, site.agent)
    })?;
    ui.line(format!("{title}: installed in {shown}"));
    if let Some(kept) = kept {
        ui.line(format!("{title}: what stood there is kept in {}", kept.display()));
    }
    let after = change.after.as_deref().unwrap_or_default();
    if site.agent.form() != Form::File && json::readable(after, site.agent).is_err() {
        ui.note(if site.agent.reads_comments() {
            format!("{title} does not read trailing commas: those in {shown} switch the whole file off.")
        } else {
            format!("{title} reads strict JSON: comments or trailing commas in {shown} switch the whole file off.")
        });
        ui.note("hint: take them out, or the hook is never called.");
    }
    Ok(())
}

/// Makes a change and keeps what stood there before. Says where that is.
fn write(
    agent: Agent,
    change: &Change,
    places: &Places,
    without: impl Fn(&str) -> Result<Option<String>, String>,
) -> Result<Option<PathBuf>, Fault> {
    let mut record = Record::load(&places.data)?;
    let former = former(&record, change, without)?;
    let folders = match change.path.parent() {
        Some(folder) => files::make_folder(folder)?,
        None => Vec::new(),
    };
    let after = change.after.as_deref().unwrap_or_default().as_bytes();
    let changed = match (&change.before, agent.form()) {
        (Some(text), Form::File) => record.keep_changed(&change.path, text)?,
        _ => None,
    };
    let kept = record.note(agent, &change.path, former.as_deref(), after, folders)?;
    change.make()?;
    Ok(kept.or(changed))
}

/// What stood in a file before the first install: the same bytes where nobody changed it since, else the file of today
/// without what is ours.
fn former(
    record: &Record,
    change: &Change,
    without: impl Fn(&str) -> Result<Option<String>, String>,
) -> Result<Option<Vec<u8>>, Fault> {
    let Some(text) = &change.before else { return Ok(None) };
    match record.before(&change.path, text.as_bytes())? {
        Some(former) => Ok(former),
        None => without(text)
            .map(|text| text.map(String::into_bytes))
            .map_err(|why| unreadable(&change.path, &why)),
    }
}

/// Codex skips a hook that nobody trusts, without a word. The hash comes from Codex itself; the yes from a person.
fn trust_hook(site: &Site, places: &Places, trusted: bool, ui: &mut Ui) -> Result<Exit, Fault> {
    let Some(program) = places::program("codex") else {
        return Err(Fault::new(
            Exit::Unavailable,
            "Codex is not installed, so nobody can say the hash of its hook.",
        )
        .hint("Install Codex and run `tollgate install --agent codex` again; until then it skips the hook."));
    };
    let (hook, hears) = codex::ours(&program, site, places)?;
    ui.line(format!("Codex: the hook's hash is {}", hook.hash));
    if hook.is_trusted() && hears.iter().all(codex::Listed::is_trusted) {
        ui.line("Codex: the hook is trusted");
        return Ok(Exit::Done);
    }
    if !trusted && !ui.confirm("Codex runs the hook only when it is trusted. Trust it?") {
        ui.note("Codex: the hook is not trusted, and Codex skips it without a word.");
        ui.note("hint: run `tollgate install --agent codex --trust`, or trust it in Codex with `/hooks`.");
        return Ok(Exit::Waiting);
    }
    for hook in [&hook].into_iter().chain(&hears) {
        write_trust(site, places, hook)?;
    }
    let (seen, _) = codex::ours(&program, site, places)?;
    if seen.trust != "trusted" {
        return Err(
            Fault::new(Exit::Failed, format!("Codex still calls the hook `{}`.", seen.trust))
                .hint("Trust it in Codex with `/hooks`."),
        );
    }
    ui.line("Codex: trusted from now on");
    Ok(Exit::Done)
}

/// Writes the hash into the table that Codex looks into.
fn write_trust(site: &Site, places: &Places, hook: &codex::Listed) -> Result<(), Fault> {
    let Some(file) = &site.trust else { return Ok(()) };
    let change = Change::plan(file.clone(), |text| {
        trust::with_trust(text, &hook.key, &hook.hash).map_err(|why| unreadable(file, &why))
    })?;
    let settings = files::read_text(&site.settings)?.unwrap_or_default();
    write(site.agent, &change, places, |text| {
        trust::without_trust(text, site, &settings).map(Some)
    })?;
    Ok(())
}

/// The fault of settings that cannot be edited.
pub(crate) fn unreadable(path: &Path, why: &str) -> Fault {
    Fault::new(Exit::Data, format!("`{}` cannot be read: {why}.", path.display()))
        .hint("Nothing was changed. Mend the file and run the command again.")
}
