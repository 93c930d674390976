//! `tollgate doctor --live`: the real client, with the entry as it is installed, is asked by a scripted model for a command
//! that the gate must refuse.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agents::Agent;
use agents::json::{self, Json};
use broker::proofs::{Subject, Trial, canary};
use broker::{Broker, Own, Places};
use live::Stage;
use runner::{Input, Profile};

use crate::commands::rehearse::{LIMIT, SIGN, VERSION_LIMIT};
use crate::exit::{Exit, Fault};
use crate::setup::patient::Patient;
use crate::setup::{proof, refuse_agents};
use crate::ui::Ui;
use crate::view::{head, one_line};

/// Where the programs are that make a network; `PATH` is not asked, for they run as root.
const FOLDERS: [&str; 4] = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];
/// What the other half may see of the environment.
const VARIABLES: [&str; 11] = [
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "LANG",
    "TMPDIR",
    "TOLLGATE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
];

/// Tries every agent that is installed; says of each how it went, and whether all were stopped.
pub(super) fn run(patients: &[Patient], places: &Places, ui: &mut Ui) -> Result<bool, Fault> {
    refuse_agents("prove that an agent is stopped")?;
    let mut all = true;
    for patient in patients.iter().filter(|one| one.installed) {
        let title = patient.agent.title();
        match tried(patient, places) {
            Ok(proved) => ui.note(format!("{title}: {proved}")),
            Err(fault) => {
                all = false;
                ui.note(format!("{title}: not proved. {} {}", fault.sentence, fault.hint).trim_end());
            }
        }
    }
    Ok(all)
}

/// One agent.
fn tried(patient: &Patient, places: &Places) -> Result<String, Fault> {
    let agent = patient.agent;
    let failed = |sentence: String| Fault::new(Exit::Failed, sentence);
    if let Some(bad) = patient.checks.iter().find(|check| check.is_bad()) {
        return Err(failed(bad.detail.clone()).hint(bad.hint.clone()));
    }
    let subject = proof::subject(&patient.site, places)?;
    if agent.is_driven() && subject.is_none() {
        return Err(failed(format!(
            "Its program is not on `PATH` ({}).",
            agent.programs().join(", ")
        )));
    }
    let (name, root) = stage_name()?;
    let stage = Stage::build(&root).map_err(|e| failed(format!("`{}` could not be made: {e}.", root.display())))?;
    let tried = in_stage(&stage, agent, &name, subject, places);
    let cleared = stage
        .clear()
        .map_err(|e| failed(format!("`{}` could not be removed: {e}.", root.display())));
    tried.and_then(|proved| cleared.map(|()| proved))
}

/// A name that nobody guesses, and a folder of it below that for temporary files.
fn stage_name() -> Result<(String, PathBuf), Fault> {
    let temp = std::env::temp_dir().canonicalize();
    let temp = temp.map_err(|e| Fault::new(Exit::Io, format!("There is no folder for temporary files: {e}.")))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let name = format!("{}-{}", std::process::id(), now.as_nanos());
    let root = temp.join(format!("tollgate-live-{name}"));
    Ok((name, root))
}

fn in_stage(
    stage: &Stage,
    agent: Agent,
    name: &str,
    subject: Option<Subject>,
    places: &Places,
) -> Result<String, Fault> {
    let failed = |sentence: String| Fault::new(Exit::Failed, sentence);
    stage
        .repository()
        .map_err(|e| failed(format!("The project of the run could not be made: {e}.")))?;
    let Seen { report, alone, since } = see(stage, agent, name, places)?;
    let text = |field: &str| report.get(field).and_then(Json::as_str).unwrap_or_default();
    let heard = report.get("heard").and_then(Json::as_array).unwrap_or_default();
    let how = format!("{}. {}", text("end"), one_line(&head(text("errors"), 300)));
    if report.get("ran") != Some(&Json::Bool(false)) {
        return Err(
            failed("The client ran the command that the gate must refuse.".to_owned())
                .hint("Run `tollgate install`, and look with `tollgate doctor`."),
        );
    }
    if !heard.iter().filter_map(Json::as_str).any(|told| told.contains(SIGN)) {
        return Err(failed(format!(
            "The client did not carry out a harmless command: {how}"
        )));
    }
    if !agent.is_driven() {
        return Ok(format!(
            "emulated: the installed hook refuses in its protocol, known from {}; the client itself was not run",
            agent.seen()
        ));
    }
    let mut subject = subject.unwrap_or_default();
    if subject.version.is_empty() {
        subject.version = text("version").to_owned();
    }
    let canary = canary(name);
    let trial = Trial {
        agent,
        canary: &canary,
        since,
        alone,
    };
    let version = subject.version.clone();
    let proved = Broker::open(places.clone()).prove(trial, subject)?;
    let proved = proved.ok_or_else(|| {
        failed(format!("The ledger has no refusal of the command: {how}"))
            .hint("The client did not ask the hook, or the posture holds nothing.")
    })?;
    let network = if alone {
        "in a network of its own"
    } else {
        "kept from the network by proxy variables alone"
    };
    Ok(format!(
        "stopped (version {version}, {network}; record {})",
        proved.record
    ))
}

/// What the other half saw.
struct Seen {
    report: Json,
    alone: bool,
    /// The number of the record of its start.
    since: u64,
}

/// Runs the other half, in a network of its own where that is to be had.
fn see(stage: &Stage, agent: Agent, name: &str, places: &Places) -> Result<Seen, Fault> {
    let own =
        std::env::current_exe().map_err(|e| Fault::new(Exit::Io, format!("This program cannot find itself: {e}.")))?;
    let words = |alone: bool| {
        let mut words: Vec<OsString> = vec!["rehearse".into(), "--agent".into(), agent.as_str().into()];
        words.extend(["--stage".into(), stage.root().into(), "--canary".into(), name.into()]);
        words.extend(alone.then(|| "--alone".into()));
        words
    };
    if let Some((program, mut args)) = alone(&own) {
        args.extend(words(true));
        if let Ok((report, since)) = start(&program, args, places) {
            return Ok(Seen {
                report,
                alone: true,
                since,
            });
        }
    }
    let (report, since) = start(&own, words(false), places)?;
    Ok(Seen {
        report,
        alone: false,
        since,
    })
}

/// How this program is started in a network in which only the loopback is. That takes root: in a namespace of users the
/// folders of the machine would seem to be somebody else's, and the hook would trust none of them.
fn alone(own: &Path) -> Option<(PathBuf, Vec<OsString>)> {
    const SCRIPT: &str = r#"ip link set lo up && exec "$@""#;
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let find = |name: &str| {
        FOLDERS
            .iter()
            .map(|folder| Path::new(folder).join(name))
            .find(|file| file.is_file())
    };
    let (unshare, sh, _ip) = (find("unshare")?, find("sh")?, find("ip")?);
    let path: OsString = format!("PATH={}:$PATH; {SCRIPT}", FOLDERS.join(":")).into();
    let args = [
        "-n".into(),
        "--".into(),
        sh.into(),
        "-c".into(),
        path,
        "sh".into(),
        own.into(),
    ];
    Some((unshare, args.into()))
}

/// Starts it and reads its report; the number of the record of the start, too.
fn start(program: &Path, args: Vec<OsString>, places: &Places) -> Result<(Json, u64), Fault> {
    let clearance = Broker::open(places.clone()).clear_own(Own::Rehearsal, program)?;
    let since = clearance.seq();
    let moved = Agent::ALL
        .into_iter()
        .filter_map(|agent| Some(agent.folder_variable()?.0));
    let names: Vec<&str> = VARIABLES.into_iter().chain(moved).collect();
    let mut env = Profile::inherit(&names);
    env.sort();
    env.dedup();
    let profile = Profile {
        args,
        cwd: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        env,
        input: Input::Nothing,
        // A run before it, the run, and what is around them.
        deadline: LIMIT * 2 + VERSION_LIMIT + Duration::from_secs(20),
        keep: 4 << 20,
    };
    let outcome = runner::run(clearance, profile);
    let said = String::from_utf8_lossy(&outcome.stderr);
    let report = json::parse(outcome.stdout.trim_ascii());
    report.map(|report| (report, since)).map_err(|_| {
        Fault::new(
            Exit::Failed,
            format!("The run gave no report: {}", one_line(&head(&said, 300))),
        )
    })
}
