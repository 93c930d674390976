//! The permission classes of a request: labels that follow from its effects, and from nothing else (spec F-1501, M-13).
//!
//! What a class means stands in the table below, one predicate a class (spec M-100 to M-111). What is thought of one is said
//! by rules: `rules/verdicts/60-classes.toml`, and the `classes` of policy files.

use alloc::vec::Vec;

use rulebook::CLASSES;

use crate::facts::names;
use crate::{Act, Effect, Kind, Target};

/// The classes of one effect, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Classes(u16);

/// What each class means, in the order of [`CLASSES`].
const MEANINGS: [fn(Kind, &Effect) -> bool; CLASSES.len()] = [
    read_workspace,
    write_workspace,
    read_external_source,
    network_access,
    shell_execute,
    install_dependency,
    modify_ci_cd,
    modify_auth,
    modify_security,
    push_code,
    open_pr,
    deploy,
];

/// Labels of paths whose change is of another class than any file of the project.
const SET_APART: &[&str] = &[
    "full-review",
    "ci",
    "infra",
    "auth",
    "security",
    "manifest",
    "self",
    "agent-config",
    "credential",
    "sendable-not",
    "persistence",
];

impl Classes {
    /// The classes of an effect of a request of this kind.
    pub(crate) fn of(kind: Kind, effect: &Effect) -> Self {
        let holds = MEANINGS.iter().enumerate().filter(|(_, is)| is(kind, effect));
        Self(holds.fold(0, |set, (at, _)| set | 1 << at))
    }

    /// Whether the class of this name is among them.
    pub(crate) fn has(self, name: &str) -> bool {
        let at = CLASSES.iter().position(|class| *class == name);
        at.is_some_and(|at| self.0 & (1 << at) != 0)
    }
}

/// The names of the classes of a request, in the order of [`CLASSES`]. A command is one that a shell runs, whatever it does.
pub(crate) fn named(kind: Kind, of_effects: &[Classes]) -> Vec<&'static str> {
    let all = of_effects
        .iter()
        .fold(Classes::default(), |all, one| Classes(all.0 | one.0));
    let is_one = |class: &&'static str| all.has(class) || kind == Kind::CommandRun && *class == "shell_execute";
    CLASSES.into_iter().filter(is_one).collect()
}

/// What lies in the project is read. A place that is not known may be there.
fn read_workspace(_: Kind, effect: &Effect) -> bool {
    match effect.act {
        Act::Run => effect.tags.has("read_workspace"),
        Act::Read => effect.tags.has("workspace") || is_anywhere(effect),
        _ => false,
    }
}

/// A file of the project is changed that has no label of its own.
fn write_workspace(_: Kind, effect: &Effect) -> bool {
    match effect.act {
        Act::Run => effect.tags.has("write_workspace"),
        Act::Write | Act::Delete | Act::Permit => {
            let apart = SET_APART.iter().any(|label| effect.tags.has(label));
            (effect.tags.has("workspace") || is_anywhere(effect)) && !apart
        }
        _ => false,
    }
}

/// A file outside of the project is read, or a web tool looks something up.
fn read_external_source(kind: Kind, effect: &Effect) -> bool {
    let outside = effect.tags.has("outside") || is_anywhere(effect);
    effect.act == Act::Read && outside || kind == Kind::NetConnect && effect.act == Act::Fetch
}

/// Something reaches out of the machine. What speaks to this machine only, by name, does not.
fn network_access(_: Kind, effect: &Effect) -> bool {
    const BRINGS: &[&str] = &["network_access", "install_dependency", "push_code", "open_pr", "deploy"];
    match (effect.act, &effect.target) {
        (Act::Run, _) => BRINGS.iter().any(|label| effect.tags.has(label)),
        (Act::Fetch | Act::Connect | Act::Send, Target::Host(host)) => !names::is_here(host),
        (Act::Fetch | Act::Send, _) => true,
        _ => false,
    }
}

fn shell_execute(kind: Kind, _: &Effect) -> bool {
    kind == Kind::CommandRun
}

/// A package is installed, or a file tool changes what says which ones are.
fn install_dependency(kind: Kind, effect: &Effect) -> bool {
    let listed = kind == Kind::FileWrite && changes(effect) && effect.tags.has("manifest");
    effect.act == Act::Run && effect.tags.has("install_dependency") || listed
}

fn modify_ci_cd(_: Kind, effect: &Effect) -> bool {
    changes(effect) && has_one(effect, &["ci", "infra"])
}

fn modify_auth(_: Kind, effect: &Effect) -> bool {
    changes(effect) && has_one(effect, &["auth", "privilege", "ssh-config"])
}

/// What keeps secrets, money or the gate itself is changed.
fn modify_security(_: Kind, effect: &Effect) -> bool {
    const KEEPS: &[&str] = &["security", "credential", "sendable-not", "self", "agent-config"];
    changes(effect) && has_one(effect, KEEPS)
}

fn push_code(_: Kind, effect: &Effect) -> bool {
    effect.act == Act::Run && effect.tags.has("push_code")
}

fn open_pr(_: Kind, effect: &Effect) -> bool {
    effect.act == Act::Run && effect.tags.has("open_pr")
}

fn deploy(_: Kind, effect: &Effect) -> bool {
    effect.act == Act::Run && effect.tags.has("deploy")
}

fn changes(effect: &Effect) -> bool {
    matches!(effect.act, Act::Write | Act::Delete)
}

fn has_one(effect: &Effect, labels: &[&str]) -> bool {
    labels.iter().any(|label| effect.tags.has(label))
}

/// Where it is cannot be known, so it may be in the project, and outside of it.
fn is_anywhere(effect: &Effect) -> bool {
    matches!(effect.target, Target::Unknown(_))
}
