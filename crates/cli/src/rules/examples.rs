//! Examples of rules and facts, tried on a machine that is not there.

use policy::{Added, Answer, FileKind, Judgement, Kind, Posture, Request, Settings, Subject, Verdict, World};
use rulebook::{Book, Entry, Example, Fault};

/// The machine of the person: their home, a repository in it where the agent works, and nothing else.
struct Stage<'s> {
    home: &'s str,
    own: Vec<String>,
}

/// Where the agent works, in the home.
const PROJECT: &str = "project";

impl World for Stage<'_> {
    fn home(&self) -> &str {
        self.home
    }
    fn user(&self) -> &str {
        self.home.rsplit('/').next().unwrap_or_default()
    }
    fn var(&self, _: &str) -> Answer<String> {
        Answer::Absent
    }
    fn real_path(&self, path: &str) -> Answer<String> {
        Answer::Known(path.into())
    }
    fn kind(&self, path: &str) -> Answer<FileKind> {
        match path.strip_prefix(self.home) == Some(&format!("/{PROJECT}/.git")) {
            true => Answer::Known(FileKind::Dir),
            false => Answer::Absent,
        }
    }
    fn own_dirs(&self) -> &[String] {
        &self.own
    }
}

/// How many examples the stanzas have.
pub(crate) fn count(book: &Book) -> usize {
    let programs = book.programs.iter().map(|entry| entry.examples.len());
    programs
        .chain(book.rules.iter().map(|entry| entry.examples.len()))
        .sum()
}

/// Every example of the book that does not hold with what was added.
pub(crate) fn wrong(book: &Book, added: &Added, home: &str) -> Vec<Fault> {
    let try_on = Trial { added, home };
    let programs = book
        .programs
        .iter()
        .flat_map(|entry| try_on.stanza(entry, entry.says.program.names.first()));
    programs
        .chain(
            book.rules
                .iter()
                .flat_map(|entry| try_on.stanza(entry, Some(&entry.says.id))),
        )
        .collect()
}

struct Trial<'t> {
    added: &'t Added,
    home: &'t str,
}

impl Trial<'_> {
    fn stanza<T>(&self, entry: &Entry<T>, name: Option<&&'static str>) -> Vec<Fault> {
        let name = name.copied().unwrap_or_default();
        let failed = entry.examples.iter().filter_map(|example| self.example(name, example));
        let fault = |(sentence, hint)| Fault {
            file: entry.file.clone(),
            line: Some(entry.line),
            stanza: name.into(),
            sentence,
            hint,
        };
        failed.map(fault).collect()
    }

    /// What is wrong with an example, and what to do.
    fn example(&self, name: &str, example: &Example) -> Option<(String, String)> {
        match example {
            Example::Effect { command, effect } => {
                let effects: Vec<String> = self
                    .judge(command, Posture::Guard)
                    .effects
                    .iter()
                    .map(policy::Effect::summary)
                    .collect();
                let found = effects.iter().any(|summary| summary.contains(effect));
                (!found).then(|| {
                    let sentence = format!("the example `{command}` has no effect `{effect}`");
                    (sentence, format!("Its effects are: {}.", listed(&effects)))
                })
            }
            Example::Match(command) => (!self.found(name, command)).then(|| {
                let effects = self.judge(command, Posture::Guard).effects;
                let effects: Vec<String> = effects.iter().map(policy::Effect::summary).collect();
                let sentence = format!("the example `{command}` does not match");
                (sentence, format!("Its effects are: {}.", listed(&effects)))
            }),
            Example::NotMatch(command) => self.found(name, command).then(|| {
                let sentence = format!("the example `{command}` matches, and must not");
                (sentence, format!("`tollgate explain '{command}'` shows why."))
            }),
        }
    }

    /// Whether the rule speaks, in the posture in which it has something to say.
    fn found(&self, rule: &str, command: &str) -> bool {
        [Posture::Guard, Posture::Strict].into_iter().any(|posture| {
            let findings = self.judge(command, posture).findings;
            findings
                .iter()
                .any(|finding| finding.rule == rule && finding.verdict > Verdict::Allow)
        })
    }

    fn judge(&self, text: &str, posture: Posture) -> Judgement {
        let stage = Stage {
            home: self.home,
            own: vec![format!("{}/.config/tollgate", self.home)],
        };
        let settings = Settings {
            posture,
            added: self.added.clone(),
            ..Settings::default()
        };
        policy::judge(&request(text, format!("{}/{PROJECT}", self.home)), &stage, &settings)
    }
}

fn listed(effects: &[String]) -> String {
    match effects {
        [] => "none".into(),
        some => some
            .iter()
            .map(|effect| format!("`{effect}`"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// `write PATH`, `read PATH`, `delete PATH`, `tool NAME`; anything else is a command.
fn request(text: &str, cwd: String) -> Request {
    let file = |path: &str, delete: bool| Subject::File {
        path: path.into(),
        delete,
        content: None,
    };
    let tool = |name: &str| Subject::Tool {
        name: name.into(),
        input: "{}".into(),
    };
    let (kind, subject) = match text.split_once(' ') {
        Some(("write", path)) => (Kind::FileWrite, file(path, false)),
        Some(("delete", path)) => (Kind::FileWrite, file(path, true)),
        Some(("read", path)) => (Kind::FileRead, file(path, false)),
        Some(("tool", name)) => (Kind::ToolOther, tool(name)),
        _ => (Kind::CommandRun, Subject::Command(text.into())),
    };
    Request { kind, subject, cwd }
}
