//! The literate cases of `spec/`, read.
//!
//! A fence of kind `cases` holds a command a line, one of kind `case` a command of many lines, one of kind `files` what
//! other tools want. Behind `#` (or in the head of a `case`) stand the verdict, the rules that must be among the findings,
//! and as `!rule` those that must not. Words in the head say on what machine: `strict`, `cwd=`, `link=FROM->TO`,
//! `own=FOLDER` (Tollgate's own, beside the usual ones), `var=NAME=VALUE`, `disabled=`, `broken=`, `lost=` (`nothing`, `absent`, `more` than can be looked at, or counts as in
//! `changed:2,untracked:1`: what every question about lost work is answered with). A fence `file PATH` holds a file of the
//! machine, for the cases up to the next heading.

use std::fs;
use std::path::{Path, PathBuf};

use policy::{Judgement, Kind, Posture, Request, Settings, Subject, Verdict, judge};

use super::{CWD, Machine};

/// One case.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// File and line, for people.
    pub(crate) place: String,
    /// What is wanted, as it stands in the file.
    pub(crate) text: String,
    pub(crate) verdict: Verdict,
    /// Rules that must be among the findings.
    pub(crate) with: Vec<String>,
    /// Rules that must not.
    pub(crate) without: Vec<String>,
    kind: Fence,
    setting: Setting,
}

/// On what machine, and what its person has set.
#[derive(Clone, Debug)]
struct Setting {
    machine: Machine,
    settings: Settings,
    cwd: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fence {
    Commands,
    Command,
    Files,
}

impl Case {
    pub(crate) fn judge(&self) -> Judgement {
        judge(&self.request(), &self.setting.machine, &self.setting.settings)
    }

    /// Whether it is a command that everybody may run as it stands: on the usual machine, in posture guard.
    fn is_plain_command(&self) -> bool {
        let setting = &self.setting;
        let usual = setting.settings.disabled.is_empty() && setting.settings.broken.is_none();
        let bare = setting.machine.is_bare();
        self.kind != Fence::Files && usual && bare && setting.settings.posture == Posture::Guard && setting.cwd == CWD
    }

    /// The text of such a command.
    pub(crate) fn plain_command(&self) -> Option<String> {
        self.is_plain_command().then(|| characters(&self.text))
    }

    /// What is wrong with the judgement, if anything is.
    pub(crate) fn fault(&self, judgement: &Judgement) -> Option<String> {
        let has = |rule: &String| judgement.findings.iter().any(|finding| finding.rule == *rule);
        let right = judgement.verdict() == self.verdict && self.with.iter().all(has) && !self.without.iter().any(has);
        let mut expected = vec![self.verdict.as_str().to_owned()];
        expected.extend(self.with.iter().cloned());
        expected.extend(self.without.iter().map(|rule| format!("!{rule}")));
        (!right).then(|| {
            format!(
                "{}: `{}`\n    expected {}\n    got {}",
                self.place,
                self.text,
                expected.join(" "),
                super::shown(judgement)
            )
        })
    }

    fn request(&self) -> Request {
        let text = characters(&self.text);
        let (kind, subject) = match self.kind {
            Fence::Files => tool(&text).unwrap_or_else(|| panic!("{}: no such tool: {text}", self.place)),
            Fence::Commands | Fence::Command => (Kind::CommandRun, Subject::Command(text)),
        };
        Request {
            kind,
            subject,
            cwd: self.setting.cwd.clone(),
        }
    }
}

/// What a line of a `files` fence wants.
fn tool(line: &str) -> Option<(Kind, Subject)> {
    let (verb, rest) = line.split_once(' ')?;
    let file = |delete| Subject::File {
        path: rest.into(),
        delete,
        content: None,
    };
    let called = || Subject::Tool {
        name: rest.into(),
        input: "{}".into(),
    };
    Some(match verb {
        "read" => (Kind::FileRead, file(false)),
        "write" => (Kind::FileWrite, file(false)),
        "delete" => (Kind::FileWrite, file(true)),
        "tool" => (Kind::ToolOther, called()),
        "mcp" => (Kind::McpCall, called()),
        "fetch" => (Kind::NetConnect, Subject::Url(rest.into())),
        _ => return None,
    })
}

/// `\u{202e}` becomes the character, so that the files hold none that nobody can see.
fn characters(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once('}').expect("`\\u{` is closed");
        let number = u32::from_str_radix(number, 16).expect("`\\u{..}` holds a number");
        out.push(char::from_u32(number).expect("`\\u{..}` is a character"));
        out.push_str(rest);
    }
    out
}

/// The files of `spec/`, by name.
pub(crate) fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec");
    let entries = fs::read_dir(&folder).expect("spec/ is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    files.retain(|file| !file.is_dir());
    files.sort();
    files
}

/// All cases of `spec/`.
pub(crate) fn all() -> Vec<Case> {
    files().iter().flat_map(|file| read(file)).collect()
}

/// The cases of one file.
pub(crate) fn read(file: &Path) -> Vec<Case> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let text = fs::read_to_string(file).expect("it can be read");
    let mut lines = text.lines().enumerate().map(|(n, line)| (n + 1, line));
    let mut cases = Vec::new();
    let mut machine = Machine::new();
    while let Some((number, line)) = lines.next() {
        if line.starts_with('#') {
            machine = Machine::new();
        }
        let Some(head) = line.strip_prefix("```") else { continue };
        let body: Vec<(usize, &str)> = lines.by_ref().take_while(|(_, line)| *line != "```").collect();
        if let Some(path) = head.strip_prefix("file ") {
            let text: Vec<&str> = body.iter().map(|(_, line)| *line).collect();
            machine = machine.with_file(path, &(text.join("\n") + "\n"));
            continue;
        }
        cases.extend(fence(&format!("spec/{name}"), number, head, &body, &machine));
    }
    cases
}

fn fence(file: &str, number: usize, head: &str, body: &[(usize, &str)], machine: &Machine) -> Vec<Case> {
    let place = |n: usize| format!("{file}:{n}");
    let (kind, words) = head.split_once(' ').unwrap_or((head, ""));
    let kind = match kind {
        "cases" => Fence::Commands,
        "case" => Fence::Command,
        "files" => Fence::Files,
        other => panic!("{}: a fence of a kind that nobody reads: `{other}`", place(number)),
    };
    let (setting, expected) = setting(words, machine, &place(number));
    let new = |n: usize, text: &str, words: &[&str]| case(place(n), text, words, kind, setting.clone());
    if kind == Fence::Command {
        let text: Vec<&str> = body.iter().map(|(_, line)| *line).collect();
        return vec![new(number, &text.join("\n"), &expected)];
    }
    assert!(expected.is_empty(), "{}: unknown: {expected:?}", place(number));
    let lines = body.iter().filter(|(_, line)| !line.is_empty());
    lines
        .map(|(n, line)| {
            let (text, expected) = line
                .rsplit_once(" # ")
                .unwrap_or_else(|| panic!("{}: no verdict", place(*n)));
            let expected: Vec<&str> = expected.split_whitespace().collect();
            new(*n, text.trim_end(), &expected)
        })
        .collect()
}

/// The words of a head that say on what machine, and those that say what is expected.
fn setting<'t>(words: &'t str, machine: &Machine, place: &str) -> (Setting, Vec<&'t str>) {
    let mut setting = Setting {
        machine: machine.clone(),
        settings: super::guard(),
        cwd: CWD.into(),
    };
    let mut rest = Vec::new();
    for word in words.split_whitespace() {
        match word.split_once('=') {
            None if word == "strict" => setting.settings.posture = Posture::Strict,
            None => rest.push(word),
            Some(("cwd", dir)) => setting.cwd = dir.into(),
            Some(("own", dir)) => setting.machine = setting.machine.clone().with_own(dir),
            Some(("disabled", rule)) => setting.settings.disabled.push(rule.into()),
            Some(("broken", why)) => setting.settings.broken = Some(why.into()),
            Some(("lost", what)) => setting.machine = setting.machine.with_loss(what),
            Some(("var", var)) => {
                let (name, value) = var
                    .split_once('=')
                    .unwrap_or_else(|| panic!("{place}: a variable is NAME=VALUE"));
                setting.machine = setting.machine.with_var(name, value);
            }
            Some(("link", link)) => {
                let (from, to) = link
                    .split_once("->")
                    .unwrap_or_else(|| panic!("{place}: a link is FROM->TO"));
                setting.machine = setting.machine.with_link(from, to);
            }
            Some(_) => panic!("{place}: nobody knows `{word}`"),
        }
    }
    (setting, rest)
}

fn case(place: String, text: &str, expected: &[&str], kind: Fence, setting: Setting) -> Case {
    let (verdict, rules) = expected.split_first().unwrap_or_else(|| panic!("{place}: no verdict"));
    let verdict = match *verdict {
        "allow" => Verdict::Allow,
        "warn" => Verdict::Warn,
        "ask" => Verdict::Ask,
        "deny" => Verdict::Deny,
        other => panic!("{place}: no verdict is called `{other}`"),
    };
    let (without, with): (Vec<&str>, Vec<&str>) = rules.iter().partition(|rule| rule.starts_with('!'));
    Case {
        place,
        text: text.into(),
        verdict,
        with: with.into_iter().map(str::to_owned).collect(),
        without: without
            .iter()
            .map(|rule| rule.trim_start_matches('!').to_owned())
            .collect(),
        kind,
        setting,
    }
}
