//! `tollgate check`.

use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use agents::Agent;
use broker::Broker;
use policy::{Judgement, Kind, Posture, Request, Subject, Verdict};
use serde_json::json;

use crate::exit::{Exit, Fault};
use crate::setup::places;
use crate::ui::Ui;
use crate::view;

/// The longest command that is read from standard input.
const LIMIT: u64 = 1 << 20;

/// What is to be judged, for `check` and `explain`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The command, as one word in quotes or word by word; `-` reads it from standard input. One that starts with a dash, or
    /// that has a flag as `check` has it, stands after `--`.
    #[arg(num_args = 1.., required_unless_present_any = ["write", "read"], conflicts_with_all = ["write", "read"])]
    command: Vec<String>,
    /// A file tool writes this path.
    #[arg(long, value_name = "PATH", conflicts_with = "read")]
    write: Option<String>,
    /// A file tool reads this path.
    #[arg(long, value_name = "PATH")]
    read: Option<String>,
    /// The working directory; this one where it is not given.
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Say what this agent would be told.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Judge as in this posture, whatever is set: `guard`, `strict`, `observe` or `off`.
    #[arg(long, value_name = "NAME", value_parser = posture)]
    posture: Option<Posture>,
    /// As one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

fn posture(word: &str) -> Result<Posture, String> {
    let all = Posture::ALL.map(Posture::as_str).join("`, `");
    Posture::parse(word).ok_or_else(|| format!("it can be `{all}`"))
}

/// A request that was judged and not decided.
pub(crate) struct Judged {
    pub(crate) request: Request,
    pub(crate) judgement: Judgement,
    pub(crate) agent: Option<Agent>,
    /// The posture where the request is.
    pub(crate) posture: Posture,
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let judged = judge(args)?;
    if args.json {
        ui.line(as_json(&judged).to_string());
    } else {
        show(&judged, ui);
    }
    Ok(exit(judged.judgement.verdict()))
}

/// Judges on the same path as the hook. Nothing is run and nothing is recorded.
pub(crate) fn judge(args: &Args) -> Result<Judged, Fault> {
    let agent = agent(args.agent.as_deref())?;
    let request = request(args)?;
    let broker = Broker::open_with(places::find()?, args.posture);
    if let Some(error) = broker.config_error() {
        let fault = Fault::new(Exit::Refused, format!("The configuration is broken: {error}."));
        let until = "Until it is repaired the hook refuses whatever changes something.";
        return Err(fault.hint(format!("{} {until}", error.hint).trim_start()));
    }
    let judgement = broker.judge(&request);
    let posture = broker.settings_in(Path::new(&request.cwd)).posture;
    Ok(Judged {
        posture,
        request,
        judgement,
        agent,
    })
}

/// The verdict as an exit code.
pub(crate) const fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Allow | Verdict::Warn => Exit::Done,
        Verdict::Ask => Exit::Waiting,
        Verdict::Deny => Exit::Denied,
    }
}

fn agent(name: Option<&str>) -> Result<Option<Agent>, Fault> {
    let Some(name) = name else { return Ok(None) };
    Agent::parse(name).map(Some).ok_or_else(|| {
        let known: Vec<&str> = Agent::ALL.iter().map(|agent| agent.as_str()).collect();
        Fault::new(Exit::Usage, format!("There is no agent `{name}`."))
            .hint(format!("Known are: {}.", known.join(", ")))
    })
}

fn request(args: &Args) -> Result<Request, Fault> {
    let cwd = working_directory(args.cwd.clone())?;
    let file = |kind, path: &str| Request {
        kind,
        subject: Subject::File {
            path: path.into(),
            delete: false,
            content: None,
        },
        cwd: cwd.clone(),
    };
    match (&args.write, &args.read, typed(&args.command).as_deref()) {
        (Some(path), ..) => Ok(file(Kind::FileWrite, path)),
        (None, Some(path), _) => Ok(file(Kind::FileRead, path)),
        (None, None, text) => Ok(Request {
            kind: Kind::CommandRun,
            subject: Subject::Command(command(text.unwrap_or_default())?),
            cwd,
        }),
    }
}

/// The command as given, or from standard input for `-`.
/// The text of a command that was typed as one word, or word by word: then each is a word of it.
fn typed(words: &[String]) -> Option<String> {
    match words {
        [] => None,
        [text] => Some(text.clone()),
        words => Some(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn command(text: &str) -> Result<String, Fault> {
    if text != "-" {
        return Ok(text.into());
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().take(LIMIT + 1).read_to_end(&mut bytes);
    read.map_err(|e| Fault::new(Exit::Io, format!("Standard input could not be read: {e}.")))?;
    if bytes.len() as u64 > LIMIT {
        return Err(Fault::new(Exit::Data, "The command is longer than 1 MiB."));
    }
    String::from_utf8(bytes).map_err(|_| Fault::new(Exit::Data, "The command is not valid UTF-8."))
}

fn working_directory(given: Option<PathBuf>) -> Result<String, Fault> {
    let Some(given) = given else {
        let here = places::here()?.into_os_string().into_string();
        return here.map_err(|_| Fault::new(Exit::Data, "The name of the working directory is not valid UTF-8."));
    };
    let name = format!(" `{}`", given.display());
    let here = given.canonicalize();
    let folder = |here: PathBuf| match here.metadata()? {
        meta if meta.is_dir() => Ok(here),
        _ => Err(ErrorKind::NotADirectory.into()),
    };
    let here = here.and_then(folder).map_err(|e| {
        Fault::new(
            Exit::NoInput,
            format!("The working directory{name} cannot be used: {e}."),
        )
    })?;
    let text = here.into_os_string().into_string();
    text.map_err(|_| Fault::new(Exit::Data, "The name of the working directory is not valid UTF-8."))
}

fn show(judged: &Judged, ui: &mut Ui) {
    let Judged {
        request,
        judgement,
        agent,
        posture,
    } = judged;
    if judgement.findings.is_empty() {
        ui.line("allow: no rule speaks against it");
    }
    view::findings(request, judgement, ui);
    if let Some(classes) = view::classes(judgement) {
        ui.line(format!("classes: {classes}"));
    }
    if !posture.holds() {
        ui.note(format!(
            "The posture is `{}`: the hook lets every call pass.",
            posture.as_str()
        ));
    }
    if let Some(agent) = agent {
        let told = view::told(*agent, std::slice::from_ref(request), judgement.verdict());
        ui.line(format!("{} would be told: {told}", agent.as_str()));
    }
}

fn as_json(judged: &Judged) -> serde_json::Value {
    let Judged {
        request,
        judgement,
        agent,
        posture,
    } = judged;
    let told = agent.map(|agent| view::told(agent, std::slice::from_ref(request), judgement.verdict()));
    json!({
        "verdict": judgement.verdict().as_str(),
        "kind": request.kind.as_str(),
        "subject": view::safe(view::subject(request)),
        "cwd": request.cwd,
        "posture": posture.as_str(),
        "agent": agent.map(Agent::as_str),
        "told": told,
        "classes": judgement.classes,
        "findings": judgement.findings.iter().map(|f| view::finding_json(request, f)).collect::<Vec<_>>(),
        "effects": judgement.effects.iter().map(|e| view::safe(&e.summary())).collect::<Vec<_>>(),
    })
}
