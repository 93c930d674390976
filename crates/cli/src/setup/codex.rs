//! What Codex itself says about its hooks: `codex app-server`, asked over its standard input and output.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agents::json::{self, Json};
use broker::{Broker, Own, Places};
use runner::{End, Input, Profile, Talk};

use crate::exit::{Exit, Fault};
use crate::setup::site::Site;
use crate::setup::{files, trust};

/// A hook as Codex lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    /// The name of its trust table.
    pub(crate) key: String,
    /// Its hash as of now.
    pub(crate) hash: String,
    /// `trusted`, `untrusted`, `modified`, ...
    pub(crate) trust: String,
    /// False where a person switched it off.
    pub(crate) enabled: bool,
    /// The command, as it stands in the settings.
    pub(crate) command: String,
    /// The file that it comes from.
    pub(crate) file: PathBuf,
}

impl Listed {
    /// Whether Codex runs it.
    pub(crate) fn is_trusted(&self) -> bool {
        self.trust == "trusted" && self.enabled
    }
}

/// What the server may see of the environment: no key, no token.
const VARIABLES: [&str; 6] = ["HOME", "PATH", "CODEX_HOME", "LANG", "TMPDIR", "USER"];
const HELLO: &str = r#"{"id":1,"method":"initialize","params":{"clientInfo":{"name":"tollgate","title":"Tollgate","version":"VERSION"}}}"#;
const READY: &str = r#"{"method":"initialized"}"#;

/// The hooks that Codex would use in `folder`.
fn hooks(program: &Path, folder: &Path, places: &Places) -> Result<Vec<Listed>, Fault> {
    let mut answer = None;
    let mut talk = |line: &str| next(line, folder, &mut answer);
    let profile = Profile {
        // It is asked one local question; it has no reason to call anybody.
        args: [
            "app-server",
            "-c",
            "analytics.enabled=false",
            "-c",
            "check_for_update_on_startup=false",
        ]
        .map(Into::into)
        .into(),
        cwd: folder.to_path_buf(),
        env: Profile::inherit(&VARIABLES),
        input: Input::Talk(&mut talk),
        deadline: Duration::from_secs(20),
        keep: 1 << 20,
    };
    let clearance = Broker::open(places.clone()).clear_own(Own::CodexAppServer, program)?;
    let outcome = runner::run(clearance, profile);
    match (answer, outcome.end) {
        (Some(answer), _) => listed(&answer).ok_or_else(|| unclear("its list of hooks has another form")),
        (None, End::NotStarted(why)) => Err(unclear(&why)),
        (None, End::TimedOut) => Err(unclear("it did not answer within 20 seconds")),
        (None, End::Exited(code)) => Err(unclear(&format!("it ended with code {code} and no answer"))),
        (None, End::Signalled(signal)) => Err(unclear(&format!("signal {signal} ended it"))),
    }
}

/// Our hooks in a settings file, as Codex sees them: the one that is asked about calls, and those that only hear.
pub(crate) fn ours(program: &Path, site: &Site, places: &Places) -> Result<(Listed, Vec<Listed>), Fault> {
    let folder = site.settings.parent().unwrap_or(Path::new("/"));
    let mine = |hook: &Listed| files::target(&hook.file) == site.settings && hook.command.contains(agents::PROGRAM);
    let mut all: Vec<Listed> = hooks(program, folder, places)?.into_iter().filter(mine).collect();
    let asked = all.iter().position(|hook| hook.key.contains(trust::ASKED));
    let asked = asked.map(|at| all.swap_remove(at)).ok_or_else(|| {
        Fault::new(
            Exit::Failed,
            format!("Codex does not see the hook in `{}`.", site.settings.display()),
        )
        .hint("Look at `/hooks` in Codex: another layer may switch hooks off.")
    })?;
    Ok((asked, all))
}

/// The next step of the talk after a line of the server.
fn next(line: &str, folder: &Path, answer: &mut Option<Json>) -> Talk {
    let say = |text: String| Talk::Say(format!("{text}\n").into_bytes());
    if line.is_empty() {
        return say(HELLO.replace("VERSION", env!("CARGO_PKG_VERSION")));
    }
    let Ok(message) = json::parse(line.as_bytes()) else {
        return Talk::Listen;
    };
    if message.get("method").is_some() {
        return Talk::Listen;
    }
    match message.get("id").map(Json::text).as_deref() {
        Some("1") if answer.is_none() => {
            let folder = json::quote(&folder.to_string_lossy());
            say(format!(
                r#"{READY}{}{{"id":2,"method":"hooks/list","params":{{"cwds":[{folder}]}}}}"#,
                '\n'
            ))
        }
        Some("2") => {
            *answer = Some(message);
            Talk::End
        }
        _ => Talk::Listen,
    }
}

/// The hooks in the server's answer.
fn listed(answer: &Json) -> Option<Vec<Listed>> {
    let folders = answer.get("result")?.get("data")?.as_array()?;
    let hooks = folders
        .iter()
        .filter_map(|folder| folder.get("hooks")?.as_array())
        .flatten();
    hooks.map(one).collect()
}

fn one(hook: &Json) -> Option<Listed> {
    let text = |name: &str| hook.get(name).and_then(Json::as_str).map(str::to_owned);
    Some(Listed {
        key: text("key")?,
        hash: text("currentHash")?,
        trust: text("trustStatus")?,
        enabled: hook.get("enabled") != Some(&Json::Bool(false)),
        command: text("command").unwrap_or_default(),
        file: text("sourcePath")?.into(),
    })
}

fn unclear(why: &str) -> Fault {
    Fault::new(
        Exit::Unavailable,
        format!("Codex could not be asked about its hooks: {why}."),
    )
    .hint("Start `codex`, open `/hooks`, and trust the hook there.")
}
