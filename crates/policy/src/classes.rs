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
const MEANINGS: [fn(&Seen<'_>) -> bool; CLASSES.len()] = [
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
    "self",
    "agent-config",
    "credential",
    "sendable-not",
    "persistence",
    "privilege",
    "ssh-config",
];

/// An effect, and what several classes ask about it.
struct Seen<'e> {
    kind: Kind,
    effect: &'e Effect,
    /// It changes a file, by more than its rights.
    changes: bool,
    /// It is on a path that is set apart.
    apart: bool,
}

impl Classes {
    /// The classes of an effect of a request of this kind.
    pub(crate) fn of(kind: Kind, effect: &Effect) -> Self {
        let seen = Seen {
            kind,
            effect,
            changes: matches!(effect.act, Act::Write | Act::Delete),
            apart: matches!(effect.act, Act::Write | Act::Delete) && is_apart(kind, effect),
        };
        let holds = MEANINGS.iter().enumerate().filter(|(_, is)| is(&seen));
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
fn read_workspace(seen: &Seen<'_>) -> bool {
    match seen.effect.act {
        Act::Run => seen.has("read_workspace"),
        Act::Read => seen.has("workspace") || seen.is_anywhere(),
        _ => false,
    }
}

/// A file of the project is changed, or who may use it, and no class or rule of its own speaks about that.
fn write_workspace(seen: &Seen<'_>) -> bool {
    match seen.effect.act {
        Act::Run => seen.has("write_workspace"),
        Act::Write | Act::Delete | Act::Permit => !seen.apart && (seen.has("workspace") || seen.is_anywhere()),
        _ => false,
    }
}

/// A file outside of the project is read, or a web tool looks something up.
fn read_external_source(seen: &Seen<'_>) -> bool {
    match seen.effect.act {
        Act::Read => seen.has("outside") || seen.is_anywhere(),
        Act::Fetch => seen.kind == Kind::NetConnect,
        _ => false,
    }
}

/// Something reaches out of the machine. What speaks to this machine only, by name, does not.
fn network_access(seen: &Seen<'_>) -> bool {
    const BRINGS: &[&str] = &["network_access", "install_dependency", "push_code", "open_pr", "deploy"];
    match (seen.effect.act, &seen.effect.target) {
        (Act::Run, _) => has_one(seen.effect, BRINGS),
        (Act::Fetch | Act::Connect | Act::Send, Target::Host(host)) => !names::is_here(host),
        (Act::Fetch | Act::Send, _) => true,
        _ => false,
    }
}

fn shell_execute(seen: &Seen<'_>) -> bool {
    seen.kind == Kind::CommandRun
}

/// A package is installed, or a file tool changes what says which ones are.
fn install_dependency(seen: &Seen<'_>) -> bool {
    seen.runs("install_dependency") || seen.kind == Kind::FileWrite && seen.changes_one(&["manifest"])
}

fn modify_ci_cd(seen: &Seen<'_>) -> bool {
    seen.changes_one(&["ci", "infra"])
}

fn modify_auth(seen: &Seen<'_>) -> bool {
    seen.changes_one(&["auth", "privilege", "ssh-config"])
}

/// What keeps secrets, money or the gate itself is changed.
fn modify_security(seen: &Seen<'_>) -> bool {
    seen.changes_one(&["security", "credential", "sendable-not", "self", "agent-config"])
}

fn push_code(seen: &Seen<'_>) -> bool {
    seen.runs("push_code")
}

fn open_pr(seen: &Seen<'_>) -> bool {
    seen.runs("open_pr")
}

fn deploy(seen: &Seen<'_>) -> bool {
    seen.runs("deploy")
}

impl Seen<'_> {
    fn has(&self, label: &str) -> bool {
        self.effect.tags.has(label)
    }

    /// A program is started that the facts give this class.
    fn runs(&self, class: &str) -> bool {
        self.effect.act == Act::Run && self.has(class)
    }

    /// A file with one of these labels, all of which set it apart, is changed.
    fn changes_one(&self, labels: &[&str]) -> bool {
        self.changes && self.apart && has_one(self.effect, labels)
    }

    /// Where it is cannot be known, so it may be in the project, and outside of it.
    fn is_anywhere(&self) -> bool {
        matches!(self.effect.target, Target::Unknown(_))
    }
}

/// Only a file tool that changes a manifest is of a class of its own.
fn is_apart(kind: Kind, effect: &Effect) -> bool {
    has_one(effect, SET_APART) || kind == Kind::FileWrite && effect.tags.has("manifest")
}

fn has_one(effect: &Effect, labels: &[&str]) -> bool {
    labels.iter().any(|label| effect.tags.has(label))
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use crate::tests::Table;
    use crate::{Kind, Request, Settings, Subject, judge};

    fn classes(text: &str) -> String {
        let file = |path: &str, delete| Subject::File {
            path: path.into(),
            delete,
            content: None,
        };
        let (kind, subject) = match text.split_once(' ') {
            Some(("write", path)) => (Kind::FileWrite, file(path, false)),
            Some(("delete", path)) => (Kind::FileWrite, file(path, true)),
            Some(("read", path)) => (Kind::FileRead, file(path, false)),
            Some(("get", url)) => (Kind::NetConnect, Subject::Url(url.into())),
            _ => (Kind::CommandRun, Subject::Command(text.into())),
        };
        let request = Request {
            kind,
            subject,
            cwd: "/home/ann/proj".into(),
        };
        judge(&request, &Table::new(), &Settings::default()).classes.join(" ")
    }

    #[test]
    fn a_class_follows_from_what_is_done_to_what() {
        for (text, expected) in [
            ("read src/a", "read_workspace"),
            ("read ~/x", "read_external_source"),
            ("write src/a", "write_workspace"),
            ("delete src/a", "write_workspace"),
            ("write ~/x", ""),
            ("write .github/workflows/a.yml", "modify_ci_cd"),
            ("write infra/x", "modify_ci_cd"),
            ("delete auth/x", "modify_auth"),
            ("write secrets/x", "modify_security"),
            ("write package.json", "install_dependency"),
            ("delete package.json", "install_dependency"),
            ("read package.json", "read_workspace"),
            ("read auth/x", "read_workspace"),
            ("get https://h.example", "read_external_source network_access"),
            ("get http://localhost:8000", "read_external_source"),
            ("unknown-tool", "shell_execute"),
            ("cat a", "read_workspace shell_execute"),
            ("cat ~/a", "read_workspace read_external_source shell_execute"),
            ("cat \"$X\"", "read_workspace read_external_source shell_execute"),
            ("touch \"$X\"", "write_workspace shell_execute"),
            ("touch a", "write_workspace shell_execute"),
            ("chmod +x a", "write_workspace shell_execute"),
            ("touch package.json", "write_workspace shell_execute"),
            ("chmod +x auth/a", "write_workspace shell_execute"),
            ("touch auth/a", "shell_execute modify_auth"),
            ("git push", "network_access shell_execute push_code"),
            ("curl https://h.example", "network_access shell_execute"),
            ("curl http://localhost:1", "network_access shell_execute"),
            ("nc h.example 80", "network_access shell_execute"),
            ("npm install x", "network_access shell_execute install_dependency"),
            ("fly deploy", "network_access shell_execute deploy"),
            ("gh pr create", "network_access shell_execute open_pr"),
        ] {
            assert_eq!(classes(text), expected, "{text}");
        }
    }
}
