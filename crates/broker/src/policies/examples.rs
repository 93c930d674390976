//! The examples of a rule, held against it when its file is read: a rule that does not do what its author says is a mistake.

use std::path::Path;

use policy::{
    Answer, Contents, Exception, FileKind, Kind, Loss, Request, Settings, Subject, Work, World, Written, judge,
};

use super::Mistake;
use super::compile::Entry;

/// Examples that are held against one rule.
const MOST: usize = 64;
/// Where examples are thought to happen.
const HOME: &str = "/home/person";
pub(super) const PROJECT: &str = "/home/person/project";

/// Nothing is known but where one is.
pub(super) struct Nowhere;

impl World for Nowhere {
    fn home(&self) -> &str {
        HOME
    }
    fn user(&self) -> &str {
        "person"
    }
    fn var(&self, _: &str) -> Answer<String> {
        Answer::Unknown
    }
    fn real_path(&self, path: &str) -> Answer<String> {
        Answer::Known(path.into())
    }
    fn kind(&self, path: &str) -> Answer<FileKind> {
        if Path::new(path) == Path::new(PROJECT).join(".git") {
            Answer::Known(FileKind::Dir)
        } else {
            Answer::Unknown
        }
    }
    fn read(&self, _: &str) -> Answer<Contents> {
        Answer::Unknown
    }
    fn list(&self, _: &str) -> Answer<Vec<String>> {
        Answer::Unknown
    }
    fn loss(&self, _: &str, _: Work<'_>) -> Answer<Loss> {
        Answer::Unknown
    }
    fn own_dirs(&self) -> &[String] {
        &[]
    }
}

/// Checks the examples of a rule.
pub(super) fn hold(entry: &Entry) -> Result<(), Mistake> {
    few(&entry.id, entry.positive.len() + entry.negative.len())?;
    let Some(rule) = &entry.rule else {
        return Ok(());
    };
    let settings = Settings {
        written: Written {
            rules: vec![rule.clone()],
            ..Written::default()
        },
        ..Settings::default()
    };
    let holds = |text: &String| {
        let judgement = judge(&request(text), &Nowhere, &settings);
        judgement.findings.iter().any(|finding| finding.rule == entry.id)
    };
    said(&entry.id, &entry.positive, &entry.negative, holds)
}

/// Checks the examples of an exception: the texts that it excuses.
pub(super) fn excused(exception: &Exception, positive: &[String], negative: &[String]) -> Result<(), Mistake> {
    few(&exception.suppresses, positive.len() + negative.len())?;
    let holds = |text: &String| exception.pattern.matches(text);
    said(&exception.suppresses, positive, negative, holds)
}

fn few(id: &str, count: usize) -> Result<(), Mistake> {
    if count > MOST {
        return Err(Mistake::of(id, &format!("it has more than {MOST} examples")));
    }
    Ok(())
}

fn said(id: &str, positive: &[String], negative: &[String], holds: impl Fn(&String) -> bool) -> Result<(), Mistake> {
    if let Some(text) = positive.iter().find(|text| !holds(text)) {
        let said = format!("its example `{text}` does not match it");
        return Err(Mistake::of(id, &said).hint("Mend the rule or the example."));
    }
    if let Some(text) = negative.iter().find(|text| holds(text)) {
        let said = format!("its example `{text}` matches it and must not");
        return Err(Mistake::of(id, &said).hint("Mend the rule or the example."));
    }
    Ok(())
}

/// `read PATH`, `write PATH`, `delete PATH`, `fetch URL`; anything else is a command.
fn request(text: &str) -> Request {
    let file = |path: &str, delete| Subject::File {
        path: path.trim().into(),
        delete,
        content: None,
    };
    let (kind, subject) = match text.split_once(' ') {
        Some(("read", path)) => (Kind::FileRead, file(path, false)),
        Some(("write", path)) => (Kind::FileWrite, file(path, false)),
        Some(("delete", path)) => (Kind::FileWrite, file(path, true)),
        Some(("fetch", url)) => (Kind::NetConnect, Subject::Url(url.trim().into())),
        _ => (Kind::CommandRun, Subject::Command(text.into())),
    };
    Request {
        kind,
        subject,
        cwd: PROJECT.into(),
    }
}
