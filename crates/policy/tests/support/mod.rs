//! What the tests share: a machine from a table, and the judgement of a text on it.

#![allow(dead_code, reason = "each test uses a part of it")]

pub(crate) mod cases;
pub(crate) mod shapes;

use std::collections::{BTreeMap, BTreeSet};

use policy::{
    Answer, Contents, Effect, FileKind, Judgement, Kind, Loss, Posture, Request, Settings, Subject, Verdict, Work,
    World, judge,
};

/// The machine of `ann`, who works in the repository `proj` in her home.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    own: Vec<String>,
    kinds: BTreeMap<String, FileKind>,
    /// From a path to what it really is.
    links: BTreeMap<String, String>,
    /// From a path to what the file holds.
    files: BTreeMap<String, String>,
    /// The variables that it has.
    vars: BTreeMap<String, String>,
    /// What all questions about work that could be lost are answered with.
    loss: Option<Answer<Loss>>,
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
            files: BTreeMap::new(),
            vars: BTreeMap::new(),
            loss: None,
        }
    }

    /// Whether nothing is known about its files and variables.
    pub(crate) fn is_bare(&self) -> bool {
        self.own.len() == 2 && self.files.is_empty() && self.vars.is_empty() && self.loss.is_none()
    }

    /// The same machine with one more folder that is Tollgate's own.
    pub(crate) fn with_own(mut self, dir: &str) -> Self {
        self.own.push(dir.into());
        self
    }

    /// The same machine with one more variable.
    pub(crate) fn with_var(mut self, name: &str, value: &str) -> Self {
        self.vars.insert(name.into(), value.into());
        self
    }

    /// The same machine with one more file; the path may be relative to the project.
    pub(crate) fn with_file(mut self, path: &str, text: &str) -> Self {
        let path = match path.strip_prefix("~/") {
            Some(rest) => format!("/home/ann/{rest}"),
            None if path.starts_with('/') => path.into(),
            None => format!("{CWD}/{path}"),
        };
        self.files.insert(path, text.into());
        self
    }

    /// The same machine, where this is what would be lost: `nothing`, or counts (`changed:2,untracked:1`), or `more` than can be looked at, or it is `absent`.
    pub(crate) fn with_loss(mut self, what: &str) -> Self {
        let mut loss = Loss {
            more: what == "more",
            ..Loss::default()
        };
        for (name, count) in what.split(',').filter_map(|part| part.split_once(':')) {
            let count = count.parse().expect("a count");
            match name {
                "changed" => loss.changed = count,
                "untracked" => loss.untracked = count,
                "commits" => loss.commits = count,
                "secrets" => loss.secrets = count,
                other => panic!("nothing is lost by the name `{other}`"),
            }
        }
        self.loss = Some(match what {
            "absent" => Answer::Absent,
            _ => Answer::Known(loss),
        });
        self
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
    fn var(&self, name: &str) -> Answer<String> {
        self.vars.get(name).cloned().map_or(Answer::Absent, Answer::Known)
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
        if self.files.contains_key(path) {
            return Answer::Known(FileKind::File);
        }
        let below = |file: &String| file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        if self.files.keys().any(below) {
            return Answer::Known(FileKind::Dir);
        }
        self.kinds.get(path).map_or(Answer::Absent, |kind| Answer::Known(*kind))
    }
    fn read(&self, path: &str) -> Answer<Contents> {
        self.files.get(path).map_or(Answer::Absent, |text| {
            Answer::Known(Contents {
                text: Some(text.clone()),
                digest: format!("{:064x}", text.len()),
                bytes: text.len() as u64,
            })
        })
    }
    fn list(&self, dir: &str) -> Answer<Vec<String>> {
        let folder = format!("{}/", dir.trim_end_matches('/'));
        let names = self.files.keys().filter_map(|path| path.strip_prefix(&folder));
        let names: BTreeSet<String> = names
            .filter_map(|rest| rest.split('/').next())
            .map(str::to_owned)
            .collect();
        if names.is_empty() {
            return Answer::Absent;
        }
        Answer::Known(names.into_iter().collect())
    }
    fn loss(&self, _: &str, _: Work<'_>) -> Answer<Loss> {
        self.loss.clone().unwrap_or(Answer::Unknown)
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

/// Posture strict.
pub(crate) fn strict() -> Settings {
    Settings {
        posture: Posture::Strict,
        ..Settings::default()
    }
}

/// `write PATH`, `read PATH`, `delete PATH`, `fetch URL`, anything else a command.
pub(crate) fn request(text: &str) -> Request {
    let file = |path: &str, delete| Subject::File {
        path: path.into(),
        delete,
        content: None,
    };
    let (kind, subject) = match text.split_once(' ') {
        Some(("write", path)) => (Kind::FileWrite, file(path, false)),
        Some(("delete", path)) => (Kind::FileWrite, file(path, true)),
        Some(("read", path)) => (Kind::FileRead, file(path, false)),
        Some(("fetch", url)) => (Kind::NetConnect, Subject::Url(url.into())),
        _ => return command(text),
    };
    Request {
        kind,
        subject,
        cwd: CWD.into(),
    }
}

/// The judgement of one of these.
pub(crate) fn on(machine: &Machine, text: &str, settings: &Settings) -> Judgement {
    judge(&request(text), machine, settings)
}

/// What the postures say about requests of a class, by the rule that speaks.
pub(crate) fn says(rule: &str, text: &str, in_guard: Verdict, in_strict: Verdict) {
    for (settings, expected) in [(guard(), in_guard), (strict(), in_strict)] {
        let judgement = on(&Machine::new(), text, &settings);
        let found = judgement.findings.iter().find(|finding| finding.rule == rule);
        let verdict = found.map_or(Verdict::Allow, |finding| finding.verdict);
        assert_eq!(verdict, expected, "{rule} on `{text}`: {}", shown(&judgement));
    }
}
