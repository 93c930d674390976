//! Codex's patch format: which files a patch adds, changes, moves and deletes.
//!
//! Codex reads its own format leniently (blanks around markers, a here-document around the patch). Here a line that
//! could be a marker counts as one, so that no reading of Codex names a file that was not judged.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use policy::{Kind, Request, Subject};

use crate::Refusal;
use crate::call::clean;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const UPDATE: &str = "*** Update File:";
const DELETE: &str = "*** Delete File:";
const MOVE: &str = "*** Move to:";
/// Markers that name no file of this machine.
const OTHER: [&str; 2] = ["*** End of File", "*** Environment ID:"];

/// The files of a patch, each with what would happen to it.
pub(crate) fn read(patch: &str) -> Result<Vec<Subject>, Refusal> {
    let body = body(patch)?;
    let mut changes: Vec<Subject> = Vec::new();
    for line in body.lines() {
        match marker(line) {
            Some((ADD | UPDATE, path)) => changes.push(file(path, false)?),
            Some((DELETE, path)) => changes.push(file(path, true)?),
            Some((MOVE, path)) => moved(&mut changes, path)?,
            Some(_) => {}
            None if line.trim_start().starts_with("*** ") && !line.starts_with(['+', '-']) => {
                return Err(unreadable(&format!("it has the unknown line `{}`", line.trim())));
            }
            None => text(&mut changes, line)?,
        }
    }
    if changes.is_empty() {
        return Err(unreadable("it names no file"));
    }
    Ok(changes)
}

/// The files of all patches that stand in a shell command. The client takes such a patch out of the command and applies
/// it itself, after a `cd` where the command starts with one; its hook sees the command alone. A text that is no patch
/// is just a text: it is judged as part of the command.
pub(crate) fn in_command(command: &str, cwd: &str) -> Vec<Request> {
    let folder = first_cd(command);
    let mut requests = Vec::new();
    for part in command.split(BEGIN).skip(1) {
        let Ok(changes) = read(&format!("{BEGIN}{part}")) else {
            continue;
        };
        for subject in changes {
            let below = folder.and_then(|folder| below(folder, &subject));
            let request = |subject| Request {
                kind: Kind::FileWrite,
                subject,
                cwd: String::from(cwd),
            };
            requests.extend([Some(subject), below].into_iter().flatten().map(request));
        }
    }
    requests
}

/// The folder of a `cd` at the start of a command.
fn first_cd(command: &str) -> Option<&str> {
    let rest = command.trim_start().strip_prefix("cd")?;
    let (folder, _) = rest.split_once("&&")?;
    let folder = folder.strip_prefix([' ', '\t'])?.trim().trim_matches(['"', '\'']);
    (!folder.is_empty()).then_some(folder)
}

/// A file that is named relatively, seen from `folder`.
fn below(folder: &str, subject: &Subject) -> Option<Subject> {
    let Subject::File { path, delete, content } = subject else {
        return None;
    };
    let relative = !path.starts_with(['/', '~']);
    relative.then(|| Subject::File {
        path: format!("{folder}/{path}"),
        delete: *delete,
        content: content.clone(),
    })
}

/// What stands between the first and the last line of the patch.
fn body(patch: &str) -> Result<&str, Refusal> {
    let begin = patch
        .find(BEGIN)
        .ok_or_else(|| unreadable("it does not begin with `*** Begin Patch`"))?;
    let (before, rest) = patch.split_at(begin);
    let before = before.trim();
    if !(before.is_empty() || before.starts_with("<<")) {
        return Err(unreadable("text stands before `*** Begin Patch`"));
    }
    let rest = rest.strip_prefix(BEGIN).unwrap_or(rest);
    let end = rest
        .rfind(END)
        .ok_or_else(|| unreadable("it does not end with `*** End Patch`"))?;
    Ok(rest.split_at(end).0)
}

/// The marker at the start of a line and what follows it. Added and removed lines are text, whatever they hold.
fn marker(line: &str) -> Option<(&'static str, &str)> {
    if line.starts_with(['+', '-']) {
        return None;
    }
    let line = line.trim();
    [ADD, UPDATE, DELETE, MOVE]
        .into_iter()
        .chain(OTHER)
        .find_map(|m| Some((m, line.strip_prefix(m)?.trim())))
}

fn file(path: &str, delete: bool) -> Result<Subject, Refusal> {
    let path = clean("path of a patch", String::from(path))?;
    if path.is_empty() {
        return Err(unreadable("a file has no name"));
    }
    let content = if delete { None } else { Some(String::new()) };
    Ok(Subject::File { path, delete, content })
}

/// The file named last goes away, and its text continues under the new name.
fn moved(changes: &mut Vec<Subject>, path: &str) -> Result<(), Refusal> {
    match changes.last_mut() {
        Some(Subject::File { delete, .. }) => *delete = true,
        _ => return Err(unreadable("a move stands before any file")),
    }
    changes.push(file(path, false)?);
    Ok(())
}

/// Keeps an added line as new text of the file named last.
fn text(changes: &mut [Subject], line: &str) -> Result<(), Refusal> {
    match changes.last_mut() {
        Some(Subject::File { content, .. }) => {
            if let (Some(content), Some(added)) = (content, line.strip_prefix('+')) {
                content.push_str(added);
                content.push('\n');
            }
            Ok(())
        }
        _ if line.trim().is_empty() => Ok(()),
        _ => Err(unreadable("text stands before any file")),
    }
}

fn unreadable(why: &str) -> Refusal {
    Refusal::new("unreadable-patch", format!("The patch cannot be read: {why}."))
}
