//! What the tests share: a machine from a table, and the judgement of a text on it.

#![allow(dead_code, reason = "each test uses a part of it")]

pub(crate) mod cases;

use std::collections::BTreeMap;

use policy::{Answer, Effect, FileKind, Judgement, Kind, Posture, Request, Settings, Subject, World, judge};

/// The machine of `ann`, who works in the repository `proj` in her home.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    own: Vec<String>,
    kinds: BTreeMap<String, FileKind>,
    /// From a path to what it really is.
    links: BTreeMap<String, String>,
}

/// Where she works.
pub(crate) const CWD: &str = "/home/ann/proj";

impl Machine {
    pub(crate) fn new() -> Self {
        Self {
            own: vec![
                "/home/ann/.config/tollgate".into(),
                "/home/ann/.local/state/tollgate".into(),
            ],
            kinds: BTreeMap::from([(format!("{CWD}/.git"), FileKind::Dir)]),
            links: BTreeMap::new(),
        }
    }

    /// The same machine with one more symbolic link.
    pub(crate) fn with_link(mut self, from: &str, to: &str) -> Self {
        self.links.insert(from.into(), to.into());
        self
    }
}

impl World for Machine {
    fn home(&self) -> &str {
        "/home/ann"
    }
    fn user(&self) -> &str {
        "ann"
    }
    fn var(&self, _: &str) -> Answer<String> {
        Answer::Absent
    }
    fn real_path(&self, path: &str) -> Answer<String> {
        let followed = self.links.iter().find_map(|(from, to)| {
            let rest = path.strip_prefix(from.as_str())?;
            let below = rest.is_empty() || rest.starts_with('/');
            below.then(|| format!("{}{rest}", to.trim_end_matches('/')))
        });
        match followed {
            Some(real) if real.is_empty() => Answer::Known("/".into()),
            Some(real) => Answer::Known(real),
            None => Answer::Known(path.into()),
        }
    }
    fn kind(&self, path: &str) -> Answer<FileKind> {
        self.kinds.get(path).map_or(Answer::Absent, |kind| Answer::Known(*kind))
    }
    fn own_dirs(&self) -> &[String] {
        &self.own
    }
}

/// A command in the project.
pub(crate) fn command(text: &str) -> Request {
    Request {
        kind: Kind::CommandRun,
        subject: Subject::Command(text.into()),
        cwd: CWD.into(),
    }
}

/// A command, judged in posture guard.
pub(crate) fn judged(text: &str) -> Judgement {
    judge(&command(text), &Machine::new(), &guard())
}

pub(crate) fn guard() -> Settings {
    Settings {
        posture: Posture::Guard,
        ..Settings::default()
    }
}

/// The rules that matched, in one line.
pub(crate) fn rules(judgement: &Judgement) -> Vec<&str> {
    judgement.findings.iter().map(|finding| finding.rule.as_str()).collect()
}

/// Everything that a person needs to see why a judgement came out as it did.
pub(crate) fn shown(judgement: &Judgement) -> String {
    let effects: Vec<String> = judgement.effects.iter().map(Effect::summary).collect();
    format!(
        "{} {}\n      effects: {}",
        judgement.verdict().as_str(),
        rules(judgement).join(" "),
        effects.join("; ")
    )
}
