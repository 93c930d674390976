//! `tollgate init`.

use std::path::Path;

use agents::Agent;
use broker::config::FILE;
use broker::{Broker, Places};
use policy::Posture;

use crate::commands::config::{SETTINGS, STARTER};
use crate::commands::install;
use crate::exit::{Exit, Fault};
use crate::setup::site::Site;
use crate::setup::{files, places, refuse_agents};
use crate::ui::Ui;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Ask nothing: posture `guard`, a policy file to begin with, every agent that is found.
    #[arg(long)]
    yes: bool,
}

/// Shows each step. What is there stays as it is.
pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    refuse_agents("set Tollgate up")?;
    if !args.yes && !ui.can_ask() {
        return Err(
            Fault::new(Exit::Usage, "There is no terminal to ask on.").hint("`tollgate init --yes` asks nothing.")
        );
    }
    let places = places::find()?;
    let broker = Broker::open(places.clone());
    if !args.yes {
        let _person = broker.person("set Tollgate up")?;
    }
    let mut setup = Setup {
        places: &places,
        broker: &broker,
        asks: !args.yes,
        ui,
    };
    setup.settings()?;
    setup.policies()?;
    let exit = setup.agents()?;
    ui.line("Done. `tollgate doctor` checks it, `tollgate demo` shows it.");
    Ok(exit)
}

struct Setup<'s> {
    places: &'s Places,
    broker: &'s Broker,
    /// Whether a person answers.
    asks: bool,
    ui: &'s mut Ui,
}

impl Setup<'_> {
    fn settings(&mut self) -> Result<(), Fault> {
        let path = self.places.config.join(FILE);
        if path.symlink_metadata().is_ok() {
            self.stays("Settings", &path);
            return Ok(());
        }
        let posture = self.posture();
        let said = format!("posture = \"{}\"", posture.as_str());
        let text = SETTINGS.replacen("# posture = \"guard\"", &said, 1);
        self.write(
            "Settings",
            &path,
            &text,
            &format!("`posture` is `{}`", posture.as_str()),
        )
    }

    /// `guard`, or what a person says.
    fn posture(&mut self) -> Posture {
        let question =
            "Posture (guard asks about what is dangerous, strict about much more, observe and off hold nothing):";
        while self.asks {
            let word = self.ui.ask(question, Posture::default().as_str());
            match Posture::parse(&word) {
                Some(posture) => return posture,
                None => self.ui.note("It can be `guard`, `strict`, `observe` or `off`."),
            }
        }
        Posture::default()
    }

    fn policies(&mut self) -> Result<(), Fault> {
        let folder = self.places.config.join("policies");
        if folder.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
            self.stays("Policy files", &folder);
            return Ok(());
        }
        if !self.agrees("Write a policy file to begin with, in which everything is a comment?") {
            self.ui.line("Policy files: none");
            return Ok(());
        }
        self.write("Policy file", &folder.join("starter.yml"), STARTER, "it holds no rule")
    }

    /// Puts the hook into the settings of the agents that are found. The strictest exit code counts.
    fn agents(&mut self) -> Result<Exit, Fault> {
        let here = |agent: &Agent| Site::agent_is_present(*agent, self.places);
        let found: Vec<Agent> = Agent::ALL.into_iter().filter(here).collect();
        if found.is_empty() {
            self.ui
                .line("Agents: none was found; `tollgate install --agent claude` or `--agent codex` when there is one");
        }
        let mut agreed = Vec::new();
        for agent in found {
            let title = agent.title();
            if !self.agrees(&format!("Put the gate into the settings of {title}?")) {
                self.ui.line(format!("{title}: left as it is"));
                continue;
            }
            agreed.push(agent);
        }
        match agreed.is_empty() {
            true => Ok(Exit::Done),
            false => install::run(&install::Args::of(agreed), self.ui),
        }
    }

    fn agrees(&mut self, question: &str) -> bool {
        !self.asks || matches!(self.ui.ask(question, "yes").as_str(), "y" | "Y" | "yes")
    }

    fn stays(&mut self, what: &str, path: &Path) {
        self.ui.line(format!("{what}: {} stays as it is", path.display()));
    }

    fn write(&mut self, what: &str, path: &Path, text: &str, told: &str) -> Result<(), Fault> {
        if let Some(folder) = path.parent() {
            files::make_folder(folder)?;
        }
        self.broker
            .settings_change(&format!("`{}` is written: {told}", path.display()))?;
        if files::create(path, text.as_bytes(), 0o600)? {
            self.ui.line(format!("{what}: {} written; {told}", path.display()));
        } else {
            self.stays(what, path);
        }
        Ok(())
    }
}
