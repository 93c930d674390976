//! Codex's patch format: which files a patch adds, changes, moves and deletes.
//!
//! Codex reads its own format leniently (blanks around markers, a here-document around the patch). Here a line that
//! could be a marker counts as one, so that no reading of Codex names a file that was not judged.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use policy::Subject;

use crate::Refusal;
use crate::call::clean;

pub(crate) const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const UPDATE: &str = "*** Update File:";
const DELETE: &str = "*** Delete File:";
const MOVE: &str = "*** Move to:";
/// How a line begins that clients take off before the patch: they let it stand in a shell's words or in a fence.
const WRAPPERS: [&str; 5] = ["<<", "cat <<", "apply_patch", "%%bash", "```"];
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

/// What stands between the first and the last line of the patch.
fn body(patch: &str) -> Result<&str, Refusal> {
    let begin = patch
        .find(BEGIN)
        .ok_or_else(|| unreadable("it does not begin with `*** Begin Patch`"))?;
    let (before, rest) = patch.split_at(begin);
    let wraps = |line: &str| line.is_empty() || WRAPPERS.iter().any(|w| line.starts_with(w));
    if !before.lines().all(|line| wraps(line.trim())) {
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

pub(crate) fn unreadable(why: &str) -> Refusal {
    Refusal::new("unreadable-patch", format!("The patch cannot be read: {why}."))
}
