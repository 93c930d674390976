//! Where a path is: labels from its place (root, home, workspace, temp) and from the path table.

mod likely;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use rulebook::PathRow;

use crate::Answer;
use crate::effect::Tags;
use crate::eval::UNKNOWN;
use crate::glob;
use crate::rules::{GLOB_NAMES, GLOBS, KEY_INDEX, KEYLESS, KEYS, PATHS};
use crate::world::Recorder;

/// What of a folder of our own is a record.
const RECORD: [&str; 4] = ["ledger", "approvals", "breaker", "approval.secret"];
/// What lies beside a record and tells nothing that is secret.
const OPEN: [&str; 3] = ["approvals", "breaker", "policies"];
/// Names in a path that are looked up; the kernel takes no path that is much longer.
const MAX_PARTS: usize = 2048;
/// Directories whose loss breaks the system.
const SYSTEM: &[&str] = &[
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "usr",
    "var",
    "System",
    "Library",
    "Applications",
    "private",
    "nix",
    "snap",
    "windows",
    "mnt",
    "media",
];
/// Directories that hold people's homes.
const HOMES: &[&str] = &["home", "Users"];

/// A path made absolute and clean: `.` and `..` resolved in the text, doubled slashes dropped.
pub(crate) fn clean(path: &str, cwd: &str) -> String {
    if path.strip_prefix('/').is_some_and(is_clean) {
        return path.to_string();
    }
    let on_drive = drive(path);
    let (start, path) = match &on_drive {
        Some(on_drive) => ("", on_drive.as_str()),
        None if path.starts_with('/') => ("", path),
        None => (cwd, path),
    };
    let mut out = String::with_capacity(start.len() + path.len() + 2);
    if is_clean(path) && start.starts_with('/') && start.get(1..).is_some_and(is_clean) {
        out.push_str(start);
        out.push('/');
        out.push_str(path);
        return out;
    }
    for part in start.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => out.truncate(out.rfind('/').unwrap_or(0)),
            part => {
                out.push('/');
                out.push_str(part);
            }
        }
    }
    if out.is_empty() {
        out.push('/');
    }
    out
}

/// Whether each part of a relative path is plainly a name, as most are.
fn is_clean(path: &str) -> bool {
    let mut last = b'/';
    let clean = path.bytes().all(|byte| {
        let begins = core::mem::replace(&mut last, byte) == b'/';
        !begins || !matches!(byte, b'/' | b'.')
    });
    clean && last != b'/'
}

/// `C:\\x`, `c:/x`, `\\\\?\\C:\\x`: a path of Windows below `/C:`.
fn drive(path: &str) -> Option<String> {
    let path = path.strip_prefix("\\\\?\\").unwrap_or(path);
    if path.as_bytes().get(1) != Some(&b':') {
        return None;
    }
    let (letter, rest) = path.split_once(':')?;
    let one = letter.len() == 1 && letter.chars().all(|c| c.is_ascii_alphabetic());
    one.then(|| format!("/{}:/{}", letter.to_ascii_uppercase(), rest.replace('\\', "/")))
}

/// Whether `path` is `dir` or lies below it.
pub(crate) fn within(path: &str, dir: &str) -> bool {
    path == dir || dir == "/" || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'))
}

/// Adds the labels of `path` (absolute, clean, globs active) to `tags`: of the path as written, and of the path with
/// its links followed where that differs.
pub(crate) fn label(path: &str, workspace: &str, world: &Recorder<'_>, tags: &mut Tags) {
    label_one(path, workspace, world, tags);
    // Windows parts directories by the other stroke.
    if path.contains('\\') {
        label_one(&path.replace('\\', "/"), workspace, world, tags);
    }
    let fixed = fixed_part(path);
    if let Answer::Known(real) = world.real_path(fixed)
        && real != fixed
    {
        let rest = path.get(fixed.len()..).unwrap_or_default();
        label_one(&clean(&format!("{real}{rest}"), "/"), workspace, world, tags);
    }
}

/// Adds the labels of `path` as it is written, wherever it leads.
pub(crate) fn label_as_named(path: &str, workspace: &str, world: &Recorder<'_>, tags: &mut Tags) {
    label_one(path, workspace, world, tags);
}

/// The directories before the first active glob: the part of a pattern that the world can be asked about.
fn fixed_part(path: &str) -> &str {
    if !is_wild(path) {
        return path;
    }
    match path.find(['*', '?', '[', UNKNOWN]) {
        None => path,
        Some(at) => {
            let head = path.get(..at).unwrap_or_default();
            head.rfind('/')
                .and_then(|slash| head.get(..slash))
                .filter(|h| !h.is_empty())
                .unwrap_or("/")
        }
    }
}

fn label_one(path: &str, workspace: &str, world: &Recorder<'_>, tags: &mut Tags) {
    place(path, workspace, world, tags);
    for index in candidates(path, world) {
        let Some((glob, row)) = GLOBS.get(index) else { continue };
        let Some(row) = PATHS.get(*row) else { continue };
        if !is_unprotected(row, path, workspace, world) {
            label_by(row, glob, path, world, tags);
        }
    }
    for (glob, row) in world.added.globs() {
        label_by(row, glob, path, world, tags);
    }
    if world
        .own_dirs()
        .iter()
        .any(|dir| within(path, dir) || (glob_head(path) && glob::overlaps(path, dir)))
    {
        tags.add("self");
    }
    let of_record = |dir: &String| match path.strip_prefix(dir.as_str()) {
        Some("") => true,
        Some(rest) => rest
            .strip_prefix('/')
            .is_some_and(|rest| RECORD.iter().any(|name| within(rest, name))),
        None => false,
    };
    if world.own_dirs().iter().any(of_record) {
        tags.add("record");
    }
    if world.own_dirs().iter().any(|dir| takes_secrets(path, dir, world)) {
        tags.add("secret-dir");
    }
    // Whoever moves or locks a folder above has the same effect.
    let above = |dir: &String| path != "/" && path != dir.as_str() && within(dir, path);
    if world.own_dirs().iter().any(above) {
        tags.add("above-self");
    }
}

/// Whether a path is all of the folder that holds the record and its keys, or the part of it that does, wherever it lies.
fn takes_secrets(path: &str, dir: &str, world: &Recorder<'_>) -> bool {
    let Some(rest) = path
        .strip_prefix(dir)
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
    else {
        return false;
    };
    let part = rest.trim_start_matches('/');
    let whole = part.is_empty() || is_pattern(part) && !part.contains('/');
    let held = || {
        ["approval.secret", "ledger"]
            .iter()
            .any(|name| !matches!(world.kind(&format!("{dir}/{name}")), Answer::Absent | Answer::Unknown))
    };
    (whole || RECORD.contains(&part) && !OPEN.contains(&part) || part == "ledger/anchors") && held()
}

/// Whether the person took a path out of a row on protected parts of a project. No other row can be silenced.
fn is_unprotected(row: &PathRow, path: &str, workspace: &str, world: &Recorder<'_>) -> bool {
    let means = |glob: &String| {
        let inside = path.strip_prefix(workspace).and_then(|rest| rest.strip_prefix('/'));
        [Some(path), inside]
            .into_iter()
            .flatten()
            .any(|path| glob::matches(glob, path))
    };
    !world.unprotected.is_empty() && row.tags.contains(&"full-review") && world.unprotected.iter().any(means)
}

fn label_by(row: &PathRow, glob: &str, path: &str, world: &Recorder<'_>, tags: &mut Tags) {
    if covers(glob, path, world) && !row.except.iter().any(|g| excluded(g, path)) {
        row.tags.iter().for_each(|t| tags.add(t));
    }
}

/// Whether a name without `/` has no labels but those of the folder that it is in.
pub(crate) fn is_ordinary(name: &str, world: &Recorder<'_>) -> bool {
    let path = format!("/{name}");
    let built_in = candidates(&path, world)
        .into_iter()
        .filter_map(|index| GLOBS.get(index))
        .map(|(g, _)| *g);
    let added = world.added.globs().iter().map(|(g, _)| *g);
    built_in.chain(added).all(|glob| !glob::overlaps(glob, &path))
        && !world.own_dirs().iter().any(|dir| dir.ends_with(&path))
}

/// Protected files that are links, as people keep their settings elsewhere: where each leads, and its labels.
pub(crate) fn protected_links(workspace: &str, world: &Recorder<'_>) -> Vec<(String, &'static [&'static str])> {
    const SETTINGS: &[&str] = &["agent-config", "shell-profile", "ssh-config", "git-config"];
    let mut links = Vec::new();
    for (glob, row) in GLOBS {
        let Some(row) = PATHS
            .get(*row)
            .filter(|row| row.tags.iter().any(|t| SETTINGS.contains(t)))
        else {
            continue;
        };
        let name = glob.strip_prefix("~/").or_else(|| glob.strip_prefix("**/"));
        let Some(name) = name.filter(|n| !n.contains('*')) else {
            continue;
        };
        for base in [world.home(), workspace] {
            let place = format!("{base}/{name}");
            if let Answer::Known(real) = world.real_path(&place)
                && real != place
            {
                links.push((real, row.tags));
            }
        }
    }
    links
}

/// Whether something in a path may stand for several names, or is not known.
pub(crate) fn is_wild(path: &str) -> bool {
    // Nearly no path has any of these bytes; the last is the first one of [`UNKNOWN`].
    let sign = |byte: u8| matches!(byte, b'*' | b'?' | b'[') || byte == 0xee;
    path.bytes().any(sign) && path.contains(['*', '?', '[', UNKNOWN])
}

fn glob_head(path: &str) -> bool {
    path.bytes().any(|byte| matches!(byte, b'*' | b'?'))
}

/// Whether something in a path may stand for several names.
fn is_pattern(path: &str) -> bool {
    path.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'['))
}

/// Globs of the table that could mean `path`, in their order.
fn candidates(path: &str, world: &Recorder<'_>) -> Vec<usize> {
    let wild = is_wild(path);
    let names = if wild {
        likely::names_of(path, world)
    } else {
        Vec::new()
    };
    let meant = |index: &usize| {
        GLOB_NAMES
            .get(*index)
            .is_some_and(|glob| likely::possible(glob, &names))
    };
    if is_pattern(path) {
        let tail = |index: &usize| {
            GLOBS
                .get(*index)
                .is_some_and(|(glob, _)| !glob::tails_differ(glob, path))
        };
        return (0..GLOBS.len()).filter(tail).filter(meant).collect();
    }
    let pairs = rulebook::pairs(path);
    let keyless = KEYLESS.iter().filter(|(_, literal)| pairs & literal == *literal);
    let mut found: Vec<usize> = keyless.map(|(index, _)| *index).collect();
    for name in path.split('/').filter(|n| !n.is_empty()).take(MAX_PARTS) {
        let named = |at: usize| KEYS.get(at).filter(|(key, _)| key.eq_ignore_ascii_case(name));
        if let Some((_, globs)) = rulebook::place(KEY_INDEX, name, |at| named(at).is_some()).and_then(named) {
            found.extend(*globs);
        }
    }
    found.sort_unstable();
    found.dedup();
    // What is not known is no name that a glob could tell, and so it is looked up like any other.
    if wild {
        found.retain(meant);
    }
    found
}

/// Whether a glob of the table (`~/` for anybody's home) can mean `path`.
fn covers(pattern: &str, path: &str, world: &Recorder<'_>) -> bool {
    let Some(rest) = pattern.strip_prefix("~/") else {
        return glob::overlaps(pattern, path);
    };
    if glob::tails_differ(rest, path) {
        return false;
    }
    if path.starts_with(['/']) && path.chars().nth(1) == Some(UNKNOWN) {
        return glob::overlaps(&format!("**/{rest}"), path);
    }
    glob::overlaps(&format!("{}/{rest}", world.home()), path)
        || ["/home/*", "/root", "/Users/*"]
            .iter()
            .any(|home| glob::overlaps(&format!("{home}/{rest}"), path))
}

/// An exception holds for a pattern only when all that it can mean is excepted: when it ends in the same literal text.
fn excluded(pattern: &str, path: &str) -> bool {
    if !path.contains(['*', '?', '[']) {
        return glob::matches(pattern, path);
    }
    let tail = pattern.rsplit('*').next().unwrap_or_default();
    !tail.is_empty() && path.ends_with(tail)
}

/// The names that a path is made of, as far as they are looked at: the first ones and the last one.
struct Parts<'p> {
    first: [&'p str; 3],
    last: &'p str,
    count: usize,
}

impl<'p> Parts<'p> {
    fn of(path: &'p str) -> Self {
        let mut parts = Parts {
            first: [""; 3],
            last: "",
            count: 0,
        };
        for part in path.split('/').filter(|part| !part.is_empty()) {
            if let Some(place) = parts.first.get_mut(parts.count) {
                *place = part;
            }
            parts.last = part;
            parts.count += 1;
        }
        parts
    }

    /// One of the first names; empty where there is none.
    fn at(&self, index: usize) -> &'p str {
        self.first.get(index).copied().unwrap_or_default()
    }

    /// Whether these are so many names, or everything below them.
    fn are_all_of(&self, count: usize) -> bool {
        self.count == count || (self.count == count + 1 && everything(self.last))
    }
}

/// The labels of where a path lies, without those that the table of paths gives.
pub(crate) fn place(path: &str, workspace: &str, world: &Recorder<'_>, tags: &mut Tags) {
    let parts = Parts::of(path);
    let first = parts.at(0);
    if parts.count == 0 || first.contains(['*', '?', '[', UNKNOWN]) {
        tags.add("root");
        return;
    }
    // A home that lies in a folder for temporary files is a home all the same.
    if is_temp(path) && !within(path, world.home()) {
        tags.add("temp");
        if parts.count == 1 || (first == "var" || first == "private") && parts.count == 2 {
            tags.add("temp-root");
        }
    } else if is_project_of_a_service(first, path, workspace) {
        // A project that is served from here is a project, not the system.
    } else if SYSTEM.contains(&first) && (first != "dev" || parts.count == 1) {
        tags.add("system");
        if parts.are_all_of(1) {
            tags.add("system-dir");
        }
        if parts.count <= 3 {
            tags.add("system-top");
        }
    }
    if first.len() == 2 && first.ends_with(':') {
        drive_place(&parts, tags);
    }
    homes(path, &parts, world, tags);
    if first == "dev" {
        device(&parts, tags);
    }
    relation(path, workspace, world, tags);
}

/// Where a path of Windows is: the drive's root, the system's folders, somebody's home.
fn drive_place(parts: &Parts<'_>, tags: &mut Tags) {
    const OWN: &[&str] = &[
        "windows",
        "program files",
        "program files (x86)",
        "programdata",
        "boot",
        "recovery",
    ];
    let top = parts.at(1).to_ascii_lowercase();
    let whole = |n: usize| parts.are_all_of(n + 1);
    if whole(0) {
        tags.add("root");
    } else if OWN.contains(&top.as_str()) || top.starts_with('$') {
        tags.add("system");
        if whole(1) {
            tags.add("system-dir");
        }
    } else if top == "users" {
        tags.add("in-home");
        if whole(1) || whole(2) {
            tags.add("home");
        }
    }
}

/// Whether the path lies in a project below `/srv`, `/var` and their like, where people do keep projects.
fn is_project_of_a_service(first: &str, path: &str, workspace: &str) -> bool {
    let places = ["var", "srv", "opt", "mnt", "media", "run", "private"];
    places.contains(&first) && workspace.matches('/').count() >= 2 && within(path, workspace) && path != workspace
}

fn homes(path: &str, parts: &Parts<'_>, world: &Recorder<'_>, tags: &mut Tags) {
    let home = world.home();
    let whole = |dir: &str| {
        path == dir
            || path
                .strip_prefix(dir)
                .and_then(|r| r.strip_prefix('/'))
                .is_some_and(everything)
    };
    let first = parts.at(0);
    let others = HOMES.contains(&first) && (parts.count == 1 || parts.are_all_of(2));
    if whole(home) || whole("/root") || others || within(home, path) {
        tags.add("home");
    }
    if within(path, home) || within(path, "/root") || HOMES.contains(&first) {
        tags.add("in-home");
    }
}

/// A last component that means all there is: `*`, `.*`, `.??*`, `{*,.*}` after brace expansion.
pub(crate) fn everything(part: &str) -> bool {
    !part.is_empty()
        && part.contains('*')
        && part
            .chars()
            .all(|c| matches!(c, '*' | '.' | '?' | '[' | ']' | '!' | '^'))
}

fn is_temp(path: &str) -> bool {
    [
        "/tmp",
        "/var/tmp",
        "/private/tmp",
        "/private/var/tmp",
        "/var/folders",
        "/dev/shm",
    ]
    .iter()
    .any(|t| within(path, t))
}

fn device(parts: &Parts<'_>, tags: &mut Tags) {
    const HARMLESS: &[&str] = &[
        "null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty", "fd", "pts", "shm", "ptmx",
        "console",
    ];
    match (parts.at(1), parts.at(2)) {
        ("tcp" | "udp", "localhost" | "127.0.0.1" | "::1") => tags.add("loopback-socket"),
        ("tcp" | "udp", _) => tags.add("socket"),
        ("", _) => {}
        (name, _) if HARMLESS.contains(&name) => tags.add("harmless-device"),
        _ => tags.add("device"),
    }
}

fn relation(path: &str, workspace: &str, world: &Recorder<'_>, tags: &mut Tags) {
    if workspace.is_empty() {
        return;
    }
    if path == workspace {
        tags.add("workspace-root");
    } else if path
        .strip_prefix(workspace)
        .and_then(|r| r.strip_prefix('/'))
        .is_some_and(everything)
    {
        tags.add("workspace-all");
    } else if within(workspace, path) {
        tags.add("above-workspace");
    }
    // Somebody who works in their home directory has not made all of it a project.
    if within(path, workspace) && (workspace != world.home() || path == workspace) {
        tags.add("workspace");
    } else if !tags.has("temp") && !tags.has("harmless-device") {
        tags.add("outside");
    }
}

#[cfg(test)]
mod tests;
