//! What bash really runs must be among what was predicted.
//!
//! Scripts that do nothing (every program that they name is a recorder) run in bash, and are judged. Each program that
//! ran has to be among the effects, each file that was written too, and, for `touch` and `mkdir`, each of their words.
//! Where the judgement says that it does not know, anything may have run; that must be rare.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops where something is wrong, and says aloud what it leaves out"
)]

mod jail;
#[path = "../support/mod.rs"]
mod support;

use std::path::{Component, Path, PathBuf};

use jail::{Call, Jail, Ran};
use policy::{Act, Judgement, Kind, Request, Subject, Target, Verdict, judge};
use support::{Machine, guard, shown};

const LINES: &str = include_str!("lines.txt");
const SCRIPTS: &str = include_str!("scripts.txt");
/// Scripts that run what the evaluator does not predict yet.
const PENDING: &str = include_str!("pending.txt");

/// Scripts that there must be.
const ENOUGH: usize = 200;

/// Scripts of which the judgement may say that it does not know what runs.
const UNKNOWN: usize = 20;

fn scripts() -> Vec<&'static str> {
    let lines = LINES.lines().filter(|line| !line.is_empty());
    lines.chain(SCRIPTS.split("%%\n")).collect()
}

/// What a script came to.
enum Outcome {
    Predicted,
    /// The judgement says that anything may run, or asks: nobody is misled.
    Unknown,
    /// Something happened that nobody was told of.
    Missing(String),
}

fn jail(name: &str) -> Option<Jail> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("argv-{name}-{}", std::process::id()));
    let jail = Jail::new(root);
    if jail.is_none() {
        println!("skipped: bash, or a filter that the scripts use, is not in /usr/bin or /bin");
    }
    jail
}

fn outcome(jail: &Jail, script: &str) -> Outcome {
    let ran = jail.run(script);
    let judgement = predicted(script, &jail.cwd().to_string_lossy());
    match missing(&ran, &judgement) {
        None => Outcome::Predicted,
        Some(_) if open(&judgement) => Outcome::Unknown,
        Some(what) => Outcome::Missing(format!("{script}\n    {what}\n    {}", shown(&judgement))),
    }
}

fn open(judgement: &Judgement) -> bool {
    let unknown = judgement.effects.iter().any(|effect| effect.act == Act::RunUnknown);
    unknown || judgement.verdict() >= Verdict::Ask
}

#[test]
fn what_bash_runs_was_predicted() {
    let Some(jail) = jail("right") else { return };
    let scripts = scripts();
    assert!(scripts.len() >= ENOUGH, "only {} scripts", scripts.len());
    let (mut unknown, mut wrong) = (Vec::new(), Vec::new());
    for script in scripts {
        match outcome(&jail, script) {
            Outcome::Predicted => {}
            Outcome::Unknown => unknown.push(script),
            Outcome::Missing(what) => wrong.push(what),
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        unknown.len() <= UNKNOWN,
        "unknown: {}\n{}",
        unknown.len(),
        unknown.join("\n")
    );
}

#[test]
fn what_is_pending_is_still_not_predicted() {
    let Some(jail) = jail("pending") else { return };
    let pending = PENDING.split("%%\n").filter(|script| !script.is_empty());
    let right: Vec<&str> = pending
        .filter(|script| !matches!(outcome(&jail, script), Outcome::Missing(_)))
        .collect();
    assert_eq!(
        right,
        Vec::<&str>::new(),
        "these are predicted now: they belong to the other scripts"
    );
}

fn predicted(script: &str, cwd: &str) -> Judgement {
    let request = Request {
        kind: Kind::CommandRun,
        subject: Subject::Command(script.into()),
        cwd: cwd.into(),
    };
    judge(&request, &Machine::new(), &guard())
}

/// Something that happened and was not predicted.
fn missing(ran: &Ran, judgement: &Judgement) -> Option<String> {
    if ran.calls.is_empty() {
        return Some("nothing ran, so this shows nothing".into());
    }
    for call in &ran.calls {
        let named = |target: &Target| matches!(target, Target::Text(text) if *text == call.name);
        if !judgement
            .effects
            .iter()
            .any(|effect| effect.act == Act::Run && named(&effect.target))
        {
            return Some(format!("{} ran", call.name));
        }
        if let Some(word) = written(call).find(|word| !writes(judgement, &absolute(word, &call.cwd))) {
            return Some(format!("{} was given `{word}` in {}", call.name, call.cwd));
        }
    }
    let unseen = ran.files.iter().find(|file| !writes(judgement, file));
    unseen.map(|file| format!("{file} was written"))
}

/// The words of a call that the facts call files which are written.
fn written(call: &Call) -> impl Iterator<Item = &str> {
    let facts = ["touch", "mkdir"].contains(&call.name.as_str());
    let mut words = call.words.iter().map(String::as_str).filter(move |_| facts);
    let mut dashes = false;
    core::iter::from_fn(move || {
        loop {
            match words.next()? {
                "--" if !dashes => dashes = true,
                // The word behind it is a date.
                "-d" if !dashes => drop(words.next()),
                option if option.starts_with('-') && !dashes => {}
                word => return Some(word),
            }
        }
    })
}

fn absolute(word: &str, cwd: &str) -> String {
    let mut path = PathBuf::new();
    for part in Path::new(cwd).join(word).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            part => path.push(part),
        }
    }
    path.to_string_lossy().into_owned()
}

/// Whether a write of this path is among the effects.
fn writes(judgement: &Judgement, path: &str) -> bool {
    let writes = judgement.effects.iter().filter(|effect| effect.act == Act::Write);
    writes.into_iter().any(|effect| match &effect.target {
        Target::Path(pattern) => covers(pattern, path),
        Target::Unknown(_) => true,
        _ => false,
    })
}

/// `…` and `*` stand for anything.
fn covers(pattern: &str, path: &str) -> bool {
    let mut parts = pattern.split(['…', '*']);
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}
