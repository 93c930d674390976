//! `tollgate policy test`.

use std::path::PathBuf;

use broker::Broker;
use policy::{Judgement, Kind, Request, Subject, Verdict};
use serde_json::{Value, json};

use crate::exit::{Exit, Fault};
use crate::setup::places;
use crate::ui::Ui;
use crate::view::safe;

#[derive(clap::Args)]
pub(super) struct Args {
    /// A YAML or TOML file with a list `cases`: each names a `command`, or a path to `read`, `write` or `delete`, or an
    /// address to `fetch`, and what it expects: `allow`, `warn`, `ask` or `deny`, and a `rule` that must be found.
    file: PathBuf,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

/// A case with what came of it.
struct Tried {
    text: String,
    expected: String,
    verdict: &'static str,
    rules: Vec<String>,
    good: bool,
}

pub(super) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let name = args.file.display();
    let text = std::fs::read_to_string(&args.file).map_err(|e| {
        let missing = e.kind() == std::io::ErrorKind::NotFound;
        let exit = if missing { Exit::NoInput } else { Exit::Io };
        Fault::new(exit, format!("`{name}` cannot be read: {e}."))
    })?;
    let cases = broker::policies::cases(&args.file, &text)
        .map_err(|error| Fault::new(Exit::Data, format!("The cases cannot be read: {error}.")).hint(&error.hint))?;
    let broker = Broker::open(places::find()?);
    let cwd = super::here()?.to_string_lossy().into_owned();
    let mut tried = Vec::new();
    for case in cases {
        let (kind, subject, text) = subject(&case)?;
        let cwd = case.cwd.clone().unwrap_or_else(|| cwd.clone());
        let judgement = broker.judge(&Request { kind, subject, cwd });
        tried.push(Tried::new(&case, text, &judgement));
    }
    let wrong = tried.iter().filter(|tried| !tried.good).count();
    if args.json {
        let cases: Vec<Value> = tried.iter().map(Tried::as_json).collect();
        ui.line(json!({"format": 1, "cases": cases, "wrong": wrong}).to_string());
    } else {
        tried
            .iter()
            .filter(|tried| !tried.good)
            .for_each(|tried| tried.show(ui));
        ui.line(format!("{} cases, {wrong} wrong", tried.len()));
    }
    Ok(if wrong == 0 { Exit::Done } else { Exit::Failed })
}

fn subject(case: &broker::policies::Case) -> Result<(Kind, Subject, String), Fault> {
    let file = |path: &str, delete| Subject::File {
        path: path.into(),
        delete,
        content: None,
    };
    let found = [
        case.command
            .as_ref()
            .map(|c| (Kind::CommandRun, Subject::Command(c.clone()), c.clone())),
        case.read
            .as_ref()
            .map(|p| (Kind::FileRead, file(p, false), format!("read {p}"))),
        case.write
            .as_ref()
            .map(|p| (Kind::FileWrite, file(p, false), format!("write {p}"))),
        case.delete
            .as_ref()
            .map(|p| (Kind::FileWrite, file(p, true), format!("delete {p}"))),
        case.fetch
            .as_ref()
            .map(|u| (Kind::NetConnect, Subject::Url(u.clone()), format!("fetch {u}"))),
    ];
    let mut found = found.into_iter().flatten();
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        _ => Err(Fault::new(
            Exit::Data,
            "A case names one of `command`, `read`, `write`, `delete`, `fetch`.",
        )),
    }
}

impl Tried {
    fn new(case: &broker::policies::Case, text: String, judgement: &Judgement) -> Self {
        let rules: Vec<String> = judgement.findings.iter().map(|f| f.rule.clone()).collect();
        let expected = Verdict::parse(&case.expect);
        let found = case.rule.as_ref().is_none_or(|rule| rules.contains(rule));
        Self {
            text,
            good: expected == Some(judgement.verdict()) && found,
            expected: match &case.rule {
                Some(rule) => format!("{} by {rule}", case.expect),
                None => case.expect.clone(),
            },
            verdict: judgement.verdict().as_str(),
            rules,
        }
    }

    fn show(&self, ui: &mut Ui) {
        ui.line(safe(&format!("wrong: {}", self.text)));
        let by = if self.rules.is_empty() {
            String::new()
        } else {
            format!(" by {}", self.rules.join(", "))
        };
        ui.line(safe(&format!("  expected {}, got {}{by}", self.expected, self.verdict)));
    }

    fn as_json(&self) -> Value {
        json!({
            "case": safe(&self.text), "expected": self.expected, "verdict": self.verdict, "rules": self.rules,
            "good": self.good,
        })
    }
}
