//! `tollgate rehearse`: the half of `doctor --live` that runs apart, in a network of its own where there can be one. It starts
//! the client with a scripted model and says what the model heard; what that proves is for `doctor` and the ledger to say.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agents::json::{Json, quote};
use agents::{Agent, Drive, Replay, Run, Step};
use broker::proofs::canary;
use broker::{Broker, Own, Places};
use live::{Model, Stage};
use runner::{End, Input, Outcome, Profile};

use crate::exit::{Exit, Fault};
use crate::setup::site::Site;
use crate::setup::{places, proof, refuse_agents, staged, version};
use crate::ui::Ui;

/// How long the client may take.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);
/// How long it may take to say its version.
pub(crate) const VERSION_LIMIT: Duration = Duration::from_secs(20);
/// How much is kept of what it says.
const KEEP: usize = 1 << 20;
/// What the first command of the script prints, and no text of it holds.
pub(crate) const SIGN: &str = "here-12333";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which agent.
    #[arg(long, value_parser = Agent::ALL.map(Agent::as_str))]
    agent: String,
    /// The folder that was made for this run.
    #[arg(long, value_name = "DIR")]
    stage: PathBuf,
    /// The name of the canary.
    #[arg(long, value_name = "NAME")]
    canary: String,
    /// It runs in a network in which nobody else is.
    #[arg(long)]
    alone: bool,
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    refuse_agents("start an agent's client")?;
    let unknown = || Fault::new(Exit::Unavailable, format!("`{}` cannot be run here.", args.agent));
    let agent = Agent::parse(&args.agent).ok_or_else(unknown)?;
    let places = places::find()?;
    let stage = Stage::at(&args.stage);
    if let Some(replay) = agent.replay() {
        ui.line(replayed(agent, replay, &stage, &places, &args.canary)?);
        return Ok(Exit::Done);
    }
    let drive = agent.drive().ok_or_else(unknown)?;
    let program = proof::program(agent).ok_or_else(unknown)?;
    let play = Play {
        agent,
        drive,
        program: &program,
        stage: &stage,
        places: &places,
        alone: args.alone,
    };
    let report = play.run(&args.canary);
    let _ended = runner::end_all_at_home(&stage.home());
    ui.line(report?);
    Ok(Exit::Done)
}

/// One run of a client.
struct Play<'p> {
    agent: Agent,
    drive: &'static Drive,
    program: &'p Path,
    stage: &'p Stage,
    places: &'p Places,
    alone: bool,
}

impl Play<'_> {
    /// Lets the client do what its model says: a harmless command, and the canary. The report is a line of JSON.
    fn run(&self, name: &str) -> Result<String, Fault> {
        let ran = self.stage.home().join("ran");
        let model = Model::start(script(self.drive, name, &ran)).map_err(|e| no_model(&e))?;
        let home = self.stage.home().display().to_string();
        let run = Run {
            url: model.url(),
            home: &home,
        };
        let (person, here) = (Site::of_person(self.agent, self.places), self.here());
        let site = if crate::setup::check::is_entered(&person) {
            person
        } else {
            here.unwrap_or(person)
        };
        staged::put(self.stage, &site, self.places, self.drive, run)?;
        let known = version::of(self.program, self.agent);
        let known = match known {
            Some(known) => Some(known),
            None => version::said(&self.start(vec!["--version".into()], run, VERSION_LIMIT)?.0),
        };
        let before = self.drive.before(run);
        if !before.is_empty() {
            self.start(before, run, LIMIT)?;
        }
        let (_, end, errors) = self.start(self.drive.args(run), run, LIMIT)?;
        let heard: Vec<String> = model.heard().iter().map(|text| quote(text)).collect();
        Ok(format!(
            r#"{{"version":{},"ran":{},"heard":[{}],"end":{},"errors":{}}}"#,
            quote(&known.map(version::text).unwrap_or_default()),
            ran.exists(),
            heard.join(","),
            quote(&end),
            quote(&errors)
        ))
    }

    /// Where it is installed in the project of the working directory.
    fn here(&self) -> Option<Site> {
        let here = std::env::current_dir().ok()?;
        Site::of_project(self.agent, &here, &self.places.home).ok()
    }

    /// Starts the client: what it printed, how it ended, and the end of what it complained about.
    fn start(&self, args: Vec<String>, run: Run<'_>, deadline: Duration) -> Result<(String, String, String), Fault> {
        let profile = Profile {
            args: args.into_iter().map(OsString::from).collect(),
            cwd: self.stage.project(),
            env: self.env(run),
            input: Input::Nothing,
            deadline,
            keep: KEEP,
        };
        let clearance = Broker::open(self.places.clone()).clear_own(Own::Client, self.program)?;
        let Outcome {
            end, stdout, stderr, ..
        } = runner::run(clearance, profile);
        let end = match end {
            End::NotStarted(why) => format!("it could not be started: {why}"),
            End::Exited(code) => format!("it ended with code {code}"),
            End::Signalled(signal) => format!("signal {signal} ended it"),
            End::TimedOut => format!("it did not end within {} seconds", deadline.as_secs()),
        };
        let errors = String::from_utf8_lossy(&stderr);
        let last: Vec<&str> = errors.lines().rev().take(3).collect();
        let last = last.into_iter().rev().collect::<Vec<_>>().join(" ");
        Ok((String::from_utf8_lossy(&stdout).into_owned(), end, last))
    }

    /// Its whole environment. Where it is not alone, whatever it sends elsewhere goes to a port at which nobody is.
    fn env(&self, run: Run<'_>) -> Vec<(OsString, OsString)> {
        let mut env = Profile::inherit(&["PATH", "USER", "LOGNAME"]);
        let mut set = |name: &str, value: &str| env.push((name.into(), value.into()));
        set("HOME", run.home);
        set("TMPDIR", &self.stage.temp().to_string_lossy());
        for (name, value) in [("LANG", "C.UTF-8"), ("TERM", "xterm-256color"), ("SHELL", "/bin/sh")] {
            set(name, value);
        }
        if !self.alone {
            for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
                set(name, "http://127.0.0.1:9");
            }
            for name in ["NO_PROXY", "no_proxy"] {
                set(name, "127.0.0.1,localhost");
            }
        }
        self.drive.env(run).iter().for_each(|(name, value)| set(name, value));
        env
    }
}

/// Asks the installed hook what the client would ask, once about a harmless command and once about the canary, and takes the
/// answers as the client would.
fn replayed(agent: Agent, replay: &Replay, stage: &Stage, places: &Places, name: &str) -> Result<String, Fault> {
    let hook = agent.hook(&places::for_entry(places)?).handler_json();
    let line = hook
        .get("command")
        .and_then(Json::as_str)
        .unwrap_or_default()
        .to_owned();
    let folder = stage.project().display().to_string();
    let runs = |command: &str| -> Result<bool, Fault> {
        let mut env = Profile::inherit(&["PATH", "USER", "LOGNAME"]);
        env.push(("HOME".into(), stage.home().into()));
        let profile = Profile {
            args: vec!["-c".into(), line.clone().into()],
            cwd: stage.project(),
            env,
            input: Input::Bytes(replay.question(command, &folder).into_bytes()),
            deadline: VERSION_LIMIT,
            keep: KEEP,
        };
        let shell = Path::new("/bin/sh");
        let clearance = Broker::open(places.clone()).clear_own(Own::Client, shell)?;
        let outcome = runner::run(clearance, profile);
        let code = match outcome.end {
            End::Exited(code) => code,
            _ => -1,
        };
        Ok(!replay.is_blocked(code, &outcome.stdout))
    };
    let sign = if runs("echo here")? { quote(SIGN) } else { String::new() };
    let ran = runs(&canary(name))?;
    Ok(format!(
        r#"{{"version":"","ran":{ran},"heard":[{sign}],"end":"","errors":""}}"#
    ))
}

/// A command that shows that commands run, and the canary, which leaves a file where it is not stopped.
fn script(drive: &Drive, name: &str, ran: &Path) -> Vec<Step> {
    let canary = format!("touch {}; {}", ran.display(), canary(name));
    vec![drive.shell("printf '%s-%s\\n' here 12333"), drive.shell(&canary)]
}

fn no_model(error: &io::Error) -> Fault {
    Fault::new(Exit::Io, format!("The scripted model could not listen: {error}."))
}
