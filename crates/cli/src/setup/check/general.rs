//! What is checked once for all agents.

use std::path::{Path, PathBuf};

use broker::{Broker, Fits, Places};

use crate::commands;
use crate::rules::{self, examples};
use crate::setup::check::Check;
use crate::setup::{binary, places};
use crate::view::one_line;

/// What is checked once for all agents.
pub(crate) fn general(places: &Places) -> Vec<Check> {
    vec![
        config(places),
        layers(places),
        trust(places),
        posture(places),
        own_rules(places),
        program(places),
        no_other_hands(places),
        state(&places.state),
    ]
}

/// The person's settings. While they cannot be read, everything that changes something is refused.
fn config(places: &Places) -> Check {
    const NAME: &str = "config";
    match Broker::open(places.clone()).config_error() {
        None => Check::fine(
            NAME,
            format!("The settings in `{}` can be read.", places.config.display()),
        ),
        Some(error) => Check::bad(
            NAME,
            format!("{error}."),
            format!("{} Mend the file; until then only harmless calls pass.", error.hint).trim_start(),
        ),
    }
}

fn here() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))
}

/// Settings that are not listened to, or that the project has and nobody can read.
fn layers(places: &Places) -> Check {
    const NAME: &str = "layers";
    let set = Broker::open(places.clone()).config_in(&here());
    match set.ignored.iter().chain(&set.project_faults).next() {
        None => Check::fine(NAME, "Every layer of settings that is there counts."),
        Some(fault) => Check::note(NAME, format!("{}.", one_line(&fault.to_string())), fault.hint.as_str()),
    }
}

/// Repositories that were trusted and say something else now.
fn trust(places: &Places) -> Check {
    const NAME: &str = "trust";
    let all = match Broker::open(places.clone()).all_trusted() {
        Ok(all) => all,
        Err(error) => {
            return Check::note(
                NAME,
                format!("It cannot be told what is trusted: {error}."),
                error.hint(),
            );
        }
    };
    let changed = all.iter().find(|(_, fits)| *fits != Fits::Yes);
    match (changed, all.len()) {
        (Some((trusted, fits)), _) => Check::note(
            NAME,
            format!(
                "`{}` is {} since it was trusted.",
                one_line(&trusted.root),
                commands::trust::word(fits)
            ),
            "Until a person runs `tollgate trust` there it only tightens; `tollgate trust --list` says what changed.",
        ),
        (None, 0) => Check::fine(NAME, "No repository is trusted."),
        (None, count) => Check::fine(
            NAME,
            format!("Trusted repositories: {count}. Each says what it said then."),
        ),
    }
}

/// That trust in this project was given and fits no more, in a sentence.
pub(crate) fn distrusted(broker: &Broker, here: &Path) -> Option<String> {
    let project = broker.project(here)?;
    let (_, fits) = broker.trust_of(&project)?;
    let root = one_line(&project.root.to_string_lossy());
    (fits != Fits::Yes).then(|| format!("the trust in `{root}`: it changed since (`tollgate trust`)"))
}

/// A posture that holds nothing is the person's choice, and nothing to overlook.
fn posture(places: &Places) -> Check {
    const NAME: &str = "posture";
    let posture = Broker::open(places.clone()).settings_in(&here()).posture;
    let said = format!("The posture is `{}`.", posture.as_str());
    if posture.holds() {
        Check::fine(NAME, said)
    } else {
        let hint = "Every call passes. Set `posture = \"guard\"` in `config.toml` to hold what is dangerous.";
        Check::note(NAME, said, hint)
    }
}

/// The person's own rules do what their examples say. Whether they can be read is a matter of the settings: the hook
/// checks that, and no examples.
fn own_rules(places: &Places) -> Check {
    const NAME: &str = "rules";
    let (book, errors) = rules::own(&places.config);
    let (added, clash) = broker::added(&book);
    if !errors.is_empty() || clash.is_some() {
        return Check::note(
            NAME,
            "Your own rules cannot all be read.",
            "`tollgate rules check` names every fault.",
        );
    }
    match examples::wrong(&book, &added, &places.home.to_string_lossy()).as_slice() {
        [] if book.is_empty() => Check::fine(NAME, "There are no rules of your own."),
        [] => Check::fine(NAME, format!("Your own rules: {}. All hold.", rules::contents(&book))),
        [first, ..] => Check::bad(NAME, format!("{first}."), first.hint.as_str()),
    }
}

/// The installed hook program: there, and the one that belongs to this program.
fn program(places: &Places) -> Check {
    const NAME: &str = "binary";
    let path = places::hook(places);
    let again = "Run `tollgate install`.";
    match (
        binary::hash(&path),
        binary::source().and_then(|source| binary::hash(&source)),
    ) {
        (Ok(None), _) => Check::bad(
            NAME,
            format!("The hook program `{}` is not there.", path.display()),
            again,
        ),
        (Ok(Some(installed)), Ok(Some(own))) if installed == own => Check::fine(
            NAME,
            format!(
                "`{}` is the hook of this version (sha256 {}).",
                path.display(),
                own.hex()
            ),
        ),
        (Ok(Some(_)), Ok(_)) => Check::bad(
            NAME,
            format!("`{}` is not the hook of this version.", path.display()),
            again,
        ),
        (Ok(Some(installed)), Err(_)) => Check::note(
            NAME,
            format!(
                "`{}` (sha256 {}) has nothing to be compared with.",
                path.display(),
                installed.hex()
            ),
            "Keep `tollgate-hook` beside `tollgate`.",
        ),
        (Err(fault), _) => Check::bad(NAME, fault.sentence, again),
    }
}

fn no_other_hands(places: &Places) -> Check {
    const NAME: &str = "places";
    match places::unsafe_one(places) {
        None => Check::fine(
            NAME,
            "No other user can replace the hook, its configuration or its ledger.",
        ),
        Some((_, found)) => Check::bad(
            NAME,
            format!("`{}` is not safe: {}.", found.path.display(), found.why),
            "Take the right to write there away from others, or move it with `TOLLGATE_HOME`.",
        ),
    }
}

/// The ledger's folder: a decision that cannot be recorded is refused, so a folder that cannot be written stops all work.
fn state(folder: &Path) -> Check {
    const NAME: &str = "state";
    let probe = folder.join(".doctor");
    let tried = std::fs::write(&probe, b"").and_then(|()| std::fs::remove_file(&probe));
    match tried {
        Ok(()) => Check::fine(NAME, format!("`{}` can be written.", folder.display())),
        Err(e) if !folder.exists() => Check::note(
            NAME,
            format!("`{}` is not there yet ({e}).", folder.display()),
            "The first decision makes it.",
        ),
        Err(e) => Check::bad(
            NAME,
            format!("`{}` cannot be written: {e}.", folder.display()),
            "Every call is refused until decisions can be recorded there.",
        ),
    }
}
