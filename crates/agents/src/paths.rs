//! What an agent's file tools make of a path before they use it. Each file that a path could come to mean is judged.

use alloc::string::String;
use alloc::vec::Vec;

use policy::{Kind, Subject};

use crate::Refusal;
use crate::call::clean;
use crate::table::{Place, Table};

/// The subjects, and those that stand for them once the agent has read their paths in its way.
pub(crate) fn read_as(table: &Table, subjects: Vec<(Kind, Subject)>) -> Result<Vec<(Kind, Subject)>, Refusal> {
    let mut all = Vec::new();
    for (kind, subject) in subjects {
        let readings = match &subject {
            Subject::File { path, .. } => readings(table, path, kind),
            _ => Vec::new(),
        };
        let mut others = Vec::new();
        for reading in readings {
            let path = clean("the path as the agent reads it", reading)?;
            if let Subject::File { delete, content, .. } = &subject {
                let (delete, content) = (*delete, content.clone());
                others.push((kind, Subject::File { path, delete, content }));
            }
        }
        all.push((kind, subject));
        all.append(&mut others);
    }
    Ok(all)
}

/// Other paths that this one may be taken for.
fn readings(table: &Table, path: &str, kind: Kind) -> Vec<String> {
    let does = |what: &str| table.paths.contains(&what);
    let mut all = Vec::from([String::from(path)]);
    if does("at") {
        let bare = path.strip_prefix('@').map(|rest| rest.trim_start_matches(['/', '\\']));
        all.extend(bare.filter(|bare| !bare.is_empty()).map(String::from));
    }
    if does("percent") {
        let decoded: Vec<String> = all.iter().filter_map(|path| decoded(path)).collect();
        all.extend(decoded);
    }
    if does("below") && kind == Kind::FileWrite {
        let settings = all
            .iter()
            .flat_map(|path| settings_below(table, path))
            .collect::<Vec<_>>();
        all.extend(settings.into_iter().map(String::from));
    }
    all.retain(|reading| reading != path);
    all
}

/// `%2e` and the like as the characters that they stand for; `None` where there are none, or not all can be read.
fn decoded(path: &str) -> Option<String> {
    if !path.contains('%') {
        return None;
    }
    let mut bytes = Vec::new();
    let mut rest = path;
    while let Some((before, behind)) = rest.split_once('%') {
        bytes.extend(before.bytes());
        bytes.push(u8::from_str_radix(behind.get(..2)?, 16).ok()?);
        rest = behind.get(2..)?;
    }
    bytes.extend(rest.bytes());
    String::from_utf8(bytes).ok()
}

/// The project's files that switch hooks on and off and end in this relative path.
fn settings_below<'t>(table: &'t Table, path: &str) -> Vec<&'t str> {
    let name = path.trim_start_matches("./");
    let ends = |file: &&str| file.strip_suffix(name).is_some_and(|folder| folder.ends_with('/'));
    let files = table.switches.iter().filter(|switch| switch.place == Place::Project);
    let mut files: Vec<&str> = files
        .map(|switch| switch.file)
        .filter(|file| !name.is_empty() && ends(file))
        .collect();
    files.dedup();
    files
}
