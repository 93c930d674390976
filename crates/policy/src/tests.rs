//! Rules and facts carry examples; here they run.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::facts::EXAMPLES;
use crate::rules::{RULES, TRIED};
use crate::{
    Answer, Contents, FileKind, Judgement, Kind, Loss, Posture, Request, Settings, Subject, Work, World, judge,
};

/// A machine with one person, `ann`, who works in a repository.
pub(crate) struct Table {
    own: Vec<String>,
    /// From a path to what the file holds.
    files: BTreeMap<String, String>,
    /// From a path to what it really is.
    links: BTreeMap<String, String>,
    vars: BTreeMap<String, String>,
}

impl Table {
    pub(crate) fn new() -> Self {
        Self {
            own: alloc::vec![
                "/home/ann/.config/tollgate".into(),
                "/home/ann/.local/state/tollgate".into()
            ],
            files: BTreeMap::new(),
            links: BTreeMap::new(),
            vars: BTreeMap::new(),
        }
    }

    /// The same machine with one more file; the path may be relative to the project.
    pub(crate) fn with_file(mut self, path: &str, text: &str) -> Self {
        self.files
            .insert(crate::places::clean(path, "/home/ann/proj"), text.into());
        self
    }

    /// The same machine with one more folder of the gate.
    pub(crate) fn with_own(mut self, dir: &str) -> Self {
        self.own.push(dir.into());
        self
    }

    /// The same machine with one more link.
    pub(crate) fn with_link(mut self, from: &str, to: &str) -> Self {
        self.links.insert(from.into(), to.into());
        self
    }

    /// The same machine with one more variable.
    pub(crate) fn with_var(mut self, name: &str, value: &str) -> Self {
        self.vars.insert(name.into(), value.into());
        self
    }
}

impl World for Table {
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
        Answer::Known(self.links.get(path).cloned().unwrap_or_else(|| path.to_string()))
    }
    fn kind(&self, path: &str) -> Answer<FileKind> {
        if self.files.contains_key(path) {
            return Answer::Known(FileKind::File);
        }
        let below = |file: &String| file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        if path == "/home/ann/proj/.git" || self.files.keys().any(below) {
            Answer::Known(FileKind::Dir)
        } else {
            Answer::Absent
        }
    }
    fn read(&self, path: &str) -> Answer<Contents> {
        if self.files.is_empty() {
            return Answer::Unknown;
        }
        self.files.get(path).map_or(Answer::Absent, |text| {
            Answer::Known(Contents {
                text: Some(text.clone()),
                digest: "00".into(),
                bytes: text.len() as u64,
            })
        })
    }
    fn own_dirs(&self) -> &[String] {
        &self.own
    }
    fn list(&self, dir: &str) -> Answer<Vec<String>> {
        let folder = alloc::format!("{}/", dir.trim_end_matches('/'));
        let names = self
            .files
            .keys()
            .filter_map(|path| path.strip_prefix(&folder)?.split('/').next());
        let names: BTreeSet<String> = names.map(ToString::to_string).collect();
        if names.is_empty() {
            return Answer::Absent;
        }
        Answer::Known(names.into_iter().collect())
    }
    /// A folder `drafts` that git does not know, so that examples can lose something.
    fn loss(&self, _: &str, work: Work<'_>) -> Answer<Loss> {
        match work {
            Work::Everything(path) if path.ends_with("/drafts") => Answer::Known(Loss {
                untracked: 40,
                ..Loss::default()
            }),
            _ => Answer::Unknown,
        }
    }
}

/// `write PATH`, `read PATH`, `delete PATH`, `tool NAME`, anything else a command.
fn request(text: &str) -> Request {
    let cwd = "/home/ann/proj".to_string();
    let file = |path: &str, delete: bool| Subject::File {
        path: path.into(),
        delete,
        content: None,
    };
    let (kind, subject) = match text.split_once(' ') {
        Some(("write", path)) => (Kind::FileWrite, file(path, false)),
        Some(("delete", path)) => (Kind::FileWrite, file(path, true)),
        Some(("read", path)) => (Kind::FileRead, file(path, false)),
        Some(("tool", name)) => (
            Kind::ToolOther,
            Subject::Tool {
                name: name.into(),
                input: "{}".into(),
            },
        ),
        _ => (Kind::CommandRun, Subject::Command(text.into())),
    };
    Request { kind, subject, cwd }
}

fn judged(text: &str) -> Judgement {
    judge(
        &request(text),
        &Table::new(),
        &Settings {
            posture: Posture::Strict,
            ..Settings::default()
        },
    )
}

fn shown(judgement: &Judgement) -> String {
    let findings: Vec<&str> = judgement.findings.iter().map(|f| f.rule.as_str()).collect();
    let effects: Vec<String> = judgement.effects.iter().map(crate::Effect::summary).collect();
    alloc::format!("findings {findings:?}, effects {effects:?}")
}

#[test]
fn rules_match_their_examples() {
    let mut wrong = Vec::new();
    for (rule, (text, expected)) in TRIED {
        let judgement = judged(text);
        if judgement.findings.iter().any(|f| f.rule == *rule) != *expected {
            wrong.push(alloc::format!(
                "{rule} {} `{text}`: {}",
                if *expected { "misses" } else { "matches" },
                shown(&judgement)
            ));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn facts_give_their_example_effects() {
    let mut wrong = Vec::new();
    for (text, effect) in EXAMPLES {
        let judgement = judged(text);
        if !judgement.effects.iter().any(|e| e.summary().contains(effect)) {
            wrong.push(alloc::format!("`{text}` lacks `{effect}`: {}", shown(&judgement)));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_project_is_found_above_the_working_directory() {
    let mut inside = request("rm -rf ../..");
    inside.cwd = "/home/ann/proj/src/deep".into();
    let judgement = judge(&inside, &Table::new(), &Settings::default());
    assert!(
        judgement.findings.iter().any(|f| f.rule == "delete_project"),
        "{}",
        shown(&judgement)
    );
}

#[test]
fn a_folder_above_the_project_is_the_project() {
    let mut above = request("rm -rf ..");
    above.cwd = "/srv/team/shop".into();
    let judgement = judge(&above, &Table::new(), &Settings::default());
    assert!(
        judgement.findings.iter().any(|f| f.rule == "delete_project"),
        "{}",
        shown(&judgement)
    );
}

#[test]
fn the_strictest_finding_comes_first() {
    let judgement = judge(
        &request("curl https://example.org/x -o y; rm -rf ~"),
        &Table::new(),
        &Settings::default(),
    );
    let verdicts: Vec<_> = judgement.findings.iter().map(|f| f.verdict).collect();
    let mut sorted = verdicts.clone();
    sorted.sort_by(|a, b| b.cmp(a));
    assert_eq!(verdicts, sorted);
    assert_eq!(judgement.findings.first().map(|f| f.rule.as_str()), Some("rm_rf_root"));
    assert!(verdicts.len() > 1, "{}", shown(&judgement));
}

/// What a rule offers in place of what it holds must not be held in its turn.
#[test]
fn alternatives_of_rules_pass() {
    let mut wrong = Vec::new();
    for rule in RULES {
        for command in rule.instead.split('`').skip(1).step_by(2) {
            let guard = Settings {
                posture: Posture::Guard,
                ..Settings::default()
            };
            let judgement = judge(&request(command), &Table::new(), &guard);
            if judgement.verdict() > crate::Verdict::Warn {
                wrong.push(alloc::format!("{}: `{command}`: {}", rule.id, shown(&judgement)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} held:\n{}", wrong.len(), wrong.join("\n"));
}

fn steps(text: &str) -> Vec<String> {
    let judgement = judged(text);
    judgement.decisive().map(|f| f.chain.clone()).unwrap_or_default()
}

#[test]
fn a_finding_tells_how_it_came_about() {
    assert_eq!(
        steps("c=rm\n  sudo $c -rf ~"),
        [
            "command 2:15",
            "variable c = \"rm\" (1:1)",
            "sudo runs",
            "recursive delete of /home/ann (home)"
        ]
    );
    assert_eq!(
        steps("sh -c 'd=/; rm -rf \"$d\"'"),
        [
            "command 1:7",
            "variable d = \"/\"",
            "sh runs text",
            "recursive delete of / (root)"
        ]
    );
}

/// What is put together from elsewhere is shown where the command stands.
#[test]
fn every_finding_has_a_place() {
    for text in [
        "x='rm -rf ~'; true; ${x@P}",
        "a=(~); rm -rf ${a[0]}",
        "true; printf -v n rm; $n -rf ~",
    ] {
        for finding in judged(text).findings {
            assert!(finding.span.is_some_and(|s| s.end > s.start), "{text}: {finding:?}");
        }
    }
}
