//! `tollgate approvals approve --rule`: a yes that is written down as an exception.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use broker::approvals::Approval;
use broker::policies::{Layer, alone};
use broker::{Broker, Moment, Person, Replayed};
use policy::{Request, Subject, Verdict};

use crate::commands::learn::{pattern, quoted};
use crate::commands::log::unreadable;
use crate::exit::{Exit, Fault};
use crate::setup::files;
use crate::ui::Ui;
use crate::view::{one_line, safe};

/// How long the exception holds where nothing is said.
const DAYS: u32 = 30;
/// Past calls that are shown.
const MOST: usize = 20;
/// How long it is waited for that the exception counts: policy files have to rest first.
const PATIENCE: Duration = Duration::from_secs(4);
const STEP: Duration = Duration::from_millis(100);

/// Shows the exception and what it would have covered, asks, and writes it. False where the person says no.
pub(super) fn write(
    broker: &Broker,
    person: &Person,
    approval: &Approval,
    days: Option<u32>,
    yes: bool,
    ui: &mut Ui,
) -> Result<bool, Fault> {
    let (request, rules) = broker.exceptable(approval)?;
    let path = path(broker, approval)?;
    let text = text(&request, &rules, days.unwrap_or(DAYS), person)?;
    alone(Layer::User, &path, &text).map_err(|error| {
        let sentence = format!("No rule can be written for it: {}.", one_line(&error.reason));
        Fault::new(Exit::Failed, sentence).hint("Approve it for this one call.")
    })?;
    ui.line(format!(
        "This would be written into {}:",
        one_line(&path.to_string_lossy())
    ));
    ui.text(&text);
    covered(&broker.past(&request).map_err(|e| unreadable(&e))?, ui);
    if !yes && !ui.confirm("Write it?") {
        return Ok(false);
    }
    let what = format!("`{}` is written at {}", path.display(), person.terminal());
    broker.settings_change(&what)?;
    if !files::create(&path, text.as_bytes(), 0o600)? {
        let sentence = format!("`{}` is there already.", path.display());
        return Err(Fault::new(Exit::Failed, one_line(&sentence)).hint("Take it away first."));
    }
    in_force(broker, &request, ui);
    Ok(true)
}

/// A file of its own among the person's policy files, so that it is found and taken away easily.
fn path(broker: &Broker, approval: &Approval) -> Result<PathBuf, Fault> {
    let folder = broker.places().config.join("policies");
    files::make_folder(&folder)?;
    Ok(folder.join(format!("approved-{}.yml", approval.id)))
}

/// The very command, in this folder, until a day.
fn text(request: &Request, rules: &[String], days: u32, person: &Person) -> Result<String, Fault> {
    let Subject::Command(command) = &request.subject else {
        return Err(Fault::new(Exit::Failed, "A rule is about a command."));
    };
    if safe(&request.cwd) != request.cwd || request.cwd.contains(char::is_control) {
        let sentence = "The name of the folder cannot be written into a policy file.";
        return Err(Fault::new(Exit::Failed, sentence).hint("Approve it for this one call."));
    }
    let now = Moment::now();
    let end = Moment {
        wall_ms: now.wall_ms.saturating_add(u64::from(days) * 24 * 3_600_000),
        ..now.clone()
    };
    let day = |moment: &Moment| moment.rfc3339().chars().take(10).collect::<String>();
    let mut text = String::from("allow:\n");
    for rule in rules {
        text += &format!(
            "  - pattern: {}\n    suppresses: {rule}\n    cwd: {}\n    reason: {}\n    expires: \"{}\"\n",
            quoted(&pattern(command)),
            quoted(&request.cwd),
            quoted(&format!("approved on {} at {}", day(&now), person.terminal())),
            day(&end),
        );
    }
    Ok(text)
}

/// What the exception would have let through.
fn covered(past: &[Replayed], ui: &mut Ui) {
    let asked: Vec<&Replayed> = past.iter().filter(|one| one.was == Verdict::Ask.as_str()).collect();
    ui.line(format!(
        "Past questions that it would have spared you: {}.",
        asked.len()
    ));
    let skipped = asked.len().saturating_sub(MOST);
    for one in asked.iter().skip(skipped) {
        ui.line(format!("  {} #{} {}", one.time, one.seq, one_line(&one.text)));
    }
}

/// Waits until the exception counts, so that the call that is made next passes.
fn in_force(broker: &Broker, request: &Request, ui: &mut Ui) {
    let from = Instant::now();
    while from.elapsed() < PATIENCE {
        thread::sleep(STEP);
        if Broker::open(broker.places().clone()).judge(request).verdict() < Verdict::Ask {
            return;
        }
    }
    let folder = Path::new(&request.cwd).display();
    ui.note(format!(
        "It does not count yet: `tollgate policy doctor` in `{}` says why.",
        one_line(&folder.to_string())
    ));
}
