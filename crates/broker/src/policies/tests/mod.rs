//! What is in force while files change, break and come back, with a cache and without.

mod cached;
mod edits;
mod last;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use policy::{Kind, Request, Settings, Subject, Verdict, judge};

use super::{Change, How, PolicySet};
use crate::places::Places;

/// Rules of which one asks, one refuses, and one looks at paths.
const TEAM: &str = "commands:
  - {id: no-apply, pattern: ^terraform apply, action: deny, reason: the pipeline applies}
  - {id: ask-make, pattern: make release, action: ask, reason: it is Friday}
paths:
  - {id: look-db, glob: db/**, on: [write], effect: ask, reason: the data team looks}
";

struct Machine(tempfile::TempDir);

impl Machine {
    fn new(team: &str) -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        for folder in [
            "system",
            "config/policies",
            "project/.git",
            "project/.tollgate/policies",
            "state",
        ] {
            fs::create_dir_all(machine.at(folder)).unwrap();
            mode(&machine.at(folder), 0o755);
        }
        machine.write("config/policies/a.yml", team);
        machine
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.at(name), text).unwrap();
        mode(&self.at(name), 0o644);
    }

    fn places(&self) -> Places {
        Places {
            home: self.at("home"),
            own_home: None,
            system: self.at("system"),
            config: self.at("config"),
            state: self.at("state"),
            data: self.at("data"),
        }
    }

    fn own(&self, now: SystemTime) -> PolicySet {
        PolicySet::in_force(&self.places(), How::Quickly, now)
    }

    fn all(&self, now: SystemTime) -> PolicySet {
        let (places, project) = (self.places(), self.at("project"));
        self.own(now)
            .join(PolicySet::of_project(&places, &project, How::Quickly, now), false)
    }

    fn cache(&self) -> PathBuf {
        self.at("state/policies/own")
    }
}

fn mode(path: &Path, bits: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(bits)).unwrap();
}

/// So long after the last change that the files count.
fn later() -> SystemTime {
    SystemTime::now() + Duration::from_secs(1)
}

fn settings(set: &PolicySet) -> Settings {
    Settings {
        written: set.written(),
        broken: set.own_faults.first().map(ToString::to_string),
        project_broken: set.project_faults.first().map(ToString::to_string),
        ..Settings::default()
    }
}

/// `write PATH`, or a command.
fn request(text: &str) -> Request {
    let (kind, subject) = match text.strip_prefix("write ") {
        Some(path) => {
            let path = path.into();
            let file = Subject::File {
                path,
                delete: false,
                content: None,
            };
            (Kind::FileWrite, file)
        }
        None => (Kind::CommandRun, Subject::Command(text.into())),
    };
    Request {
        kind,
        subject,
        cwd: super::examples::PROJECT.into(),
    }
}

fn verdict(set: &PolicySet, text: &str) -> Verdict {
    judge(&request(text), &super::examples::Nowhere, &settings(set)).verdict()
}

fn found(set: &PolicySet, text: &str) -> Vec<String> {
    let judgement = judge(&request(text), &super::examples::Nowhere, &settings(set));
    judgement.findings.into_iter().map(|finding| finding.rule).collect()
}

fn changes(set: &PolicySet) -> Vec<(&str, Change)> {
    let all = set.differences.iter();
    all.map(|difference| (difference.name.as_str(), difference.change))
        .collect()
}
