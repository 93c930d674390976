//! What an agent tells without asking: recorded, and at the start of a session looked at for what would switch the gate off.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use agents::json::{self, Json};
use agents::{Agent, Call, Form, Hook, News, Place, Role, Switch};
use ledger::{Event, Hash, Outcome, Part, Record};

use crate::decide::Broker;
use crate::{identity, note, places};

/// Settings that are larger are not read: the agents have smaller ones.
const LARGEST: u64 = 4 << 20;

impl Broker {
    /// Records what an agent told. At the start of a session there is a line for the person.
    #[must_use]
    pub fn told(&self, call: &Call) -> Option<String> {
        let news = call.news.as_ref()?;
        let warnings = match news.role {
            Role::Start => self.warnings(call),
            _ => Vec::new(),
        };
        // It happened, whether it can be recorded or not.
        let _recorded = self.ledger().append(&self.record_of(call, news, &warnings));
        (news.role == Role::Start).then(|| self.greeting(&warnings))
    }

    fn record_of(&self, call: &Call, news: &News, warnings: &[String]) -> Record {
        let is_evidence = matches!(news.role, Role::After | Role::Failed);
        let kind = if is_evidence { Event::Evidence } else { Event::News };
        let mut record = note::base(kind, identity::agent(call.agent.as_str()), self.settings());
        record.session = note::line(&call.session);
        record.call = note::line(&call.tool_use_id);
        let digest = |text: &str| {
            if text.is_empty() {
                String::new()
            } else {
                Hash::of(text.as_bytes()).hex()
            }
        };
        let mut request = ledger::Request {
            digest: digest(&call.input_digest_source),
            event: note::line(&call.event),
            tool: note::line(&call.tool),
            parts: Vec::new(),
        };
        if is_evidence {
            record.outcome = Some(Outcome {
                failed: news.failed,
                exit: news.exit,
                ms: news.ms,
                bytes: news.text.len() as u64,
                sha256: Hash::of(news.text.as_bytes()).hex(),
            });
            // What the call put where a snapshot holds something else is its own, and nobody's newer work.
            let noted = self
                .snapshots()
                .note_after(call.agent.as_str(), &record.session, &record.call);
            record.snapshot = noted.ok().flatten().unwrap_or_default();
        } else if news.role == Role::Prompt {
            request.parts = vec![Part {
                kind: "prompt".into(),
                text: String::new(),
                bytes: Some(news.text.len() as u64),
                content: digest(&news.text),
            }];
        }
        record.request = Some(request);
        record.note = note::line(&warnings.join(" "));
        record
    }

    /// The line at the start of a session: what is in force, and what is wrong.
    fn greeting(&self, warnings: &[String]) -> String {
        let posture = self.settings().posture;
        let does = if posture.holds() {
            "guards this session"
        } else {
            "holds nothing in this session"
        };
        let mut line = format!("Tollgate {does} (posture {}).", posture.as_str());
        for warning in warnings {
            line.push_str(" Warning: ");
            line.push_str(warning);
        }
        line
    }

    /// What would switch the gate off, or lead the agent elsewhere, one sentence each.
    fn warnings(&self, call: &Call) -> Vec<String> {
        let agent = call.agent;
        let variable = |name: &str| env::var(name).ok();
        let elsewhere = agent.led_elsewhere(variable).into_iter();
        let mut warnings: Vec<String> = elsewhere
            .map(|(name, host)| format!("`{name}` leads the agent to `{host}`."))
            .collect();
        let folder = self.agent_folder(agent);
        warnings.extend(self.entry(agent, &folder.join(agent.settings_file())));
        let switched = agent
            .switches()
            .iter()
            .flat_map(|switch| {
                files(switch, &folder, Path::new(&call.cwd))
                    .into_iter()
                    .map(move |file| (switch, file))
            })
            .filter(|(switch, file)| is_on(switch, file));
        warnings.extend(
            switched.map(|(switch, file)| format!("`{}` in `{}` switches hooks off.", switch.key, file.display())),
        );
        warnings.iter().map(|warning| note::line(warning)).collect()
    }

    fn agent_folder(&self, agent: Agent) -> PathBuf {
        let moved = agent.folder_variable().and_then(|(variable, below)| {
            let folder = env::var_os(variable).map(PathBuf::from)?;
            folder.is_absolute().then(|| folder.join(below))
        });
        moved.unwrap_or_else(|| self.places().home.join(agent.folder()))
    }

    /// What is wrong with our entry. Where the file is not there, or holds nothing of ours, it is installed elsewhere.
    fn entry(&self, agent: Agent, file: &Path) -> Vec<String> {
        let Some(text) = read(file) else { return Vec::new() };
        let changed = || {
            format!(
                "the hook in `{}` is not the one of this version: `tollgate install`.",
                file.display()
            )
        };
        let text_of = |path: &Path| path.to_string_lossy().into_owned();
        let places = self.places();
        let expected = agent.hook(&agents::Places {
            hook: text_of(&places.data.join("bin").join(agents::PROGRAM)),
            config: text_of(&places.config),
            state: text_of(&places.state),
            data: text_of(&places.data),
        });
        if let Hook::File { text: ours, .. } = &expected {
            return if *ours == text { Vec::new() } else { vec![changed()] };
        }
        let Some(settings) = json::lenient(&text) else {
            return Vec::new();
        };
        let handlers: Vec<Json> = agent
            .events()
            .iter()
            .flat_map(|event| handlers(&settings, agent, event))
            .collect();
        let (ours, foreign): (Vec<&Json>, Vec<&Json>) = handlers.iter().partition(|handler| agent.runs_us(handler));
        let expected = expected.handler_json();
        let mut wrong = Vec::new();
        if !ours.is_empty() && (ours.len() != agent.events().len() || ours.iter().any(|handler| **handler != expected))
        {
            wrong.push(changed());
        }
        if let Some(foreign) = foreign.first() {
            let command = ["command", "bash", "url"]
                .into_iter()
                .find_map(|field| foreign.get(field)?.as_str());
            let command = command.unwrap_or("without a command");
            wrong.push(format!(
                "a hook of somebody else is asked about calls, too: `{command}`."
            ));
        }
        wrong
    }
}

/// The handlers of an event.
fn handlers(settings: &Json, agent: Agent, event: &str) -> Vec<Json> {
    let events = if agent.has_events_on_top() {
        Some(settings)
    } else {
        settings.get("hooks")
    };
    let items = events.and_then(|events| events.get(event)).and_then(Json::as_array);
    let items = items.unwrap_or_default().iter();
    match agent.form() {
        Form::Groups => items
            .filter_map(|group| group.get("hooks")?.as_array())
            .flatten()
            .cloned()
            .collect(),
        _ => items.cloned().collect(),
    }
}

/// The files in which a switch may stand.
fn files(switch: &Switch, folder: &Path, cwd: &Path) -> Vec<PathBuf> {
    match switch.place {
        Place::Home => vec![folder.join(switch.file)],
        Place::Machine => vec![switch.file.into()],
        Place::Project => {
            let root = places::repository(cwd).unwrap_or(cwd);
            let up = cwd.ancestors().take_while(|above| above.starts_with(root));
            up.map(|above| above.join(switch.file))
                .filter(|file| !file.starts_with(folder))
                .collect()
        }
    }
}

fn is_on(switch: &Switch, file: &Path) -> bool {
    let Some(text) = read(file) else { return false };
    let value = if file.extension().is_some_and(|ending| ending == "toml") {
        let table: Option<toml::Table> = toml::from_str(&text).ok();
        table.and_then(|table| json::parse(serde_json::to_string(&table).ok()?.as_bytes()).ok())
    } else {
        json::lenient(&text)
    };
    let value = switch
        .key
        .split('.')
        .try_fold(value.unwrap_or(Json::Null), |value, name| value.get(name).cloned());
    value.is_some_and(|value| match value.as_array() {
        Some(items) if switch.list => items
            .iter()
            .filter_map(Json::as_str)
            .any(|item| item.contains(switch.value)),
        _ => value.text() == switch.value,
    })
}

/// The text of a regular file that is not too large. Others are no settings.
fn read(file: &Path) -> Option<String> {
    let meta = fs::metadata(file).ok()?;
    (meta.is_file() && meta.len() <= LARGEST)
        .then(|| fs::read_to_string(file).ok())
        .flatten()
}
