//! What the effects of a call would take away or write over.

use std::path::{Component, Path, PathBuf};

use policy::{Act, Effect, Judgement, Kind, Request, Target};
use snapshot::{Tree, Wanted};

/// Names that one pattern may stand for.
const NAMES: usize = 2048;
/// Effects of one request up to which each target is known: beyond that a judgement may keep one for many.
const TOLD_APART: usize = 512;
/// What is only moved is kept so that the way back leads over it, up to this many bytes.
const MOVED: u64 = 8 << 20;

/// What the requests of a call would take away or write over, and what of it cannot be told, in words.
pub(super) fn wanted(requests: &[Request], judgements: &[Judgement]) -> (Wanted, Vec<String>) {
    let mut wanted = Wanted::default();
    let mut missing = Vec::new();
    for (request, judgement) in requests.iter().zip(judgements) {
        if judgement.effects.len() > TOLD_APART && judgement.effects.iter().any(loses) {
            missing.push("what so many commands at once change".to_owned());
        }
        let mut moved = Vec::new();
        for effect in &judgement.effects {
            if effect.act == Act::Delete && effect.tags.has("moved") {
                moved.extend(deleted(effect));
            } else {
                of_effect(effect, request, &mut wanted);
            }
        }
        // What is moved is not lost; what it is moved over is, and then the way back leads over both.
        if !wanted.paths.is_empty() {
            let small = |path: &PathBuf| path.symlink_metadata().is_ok_and(|meta| meta.len() <= MOVED);
            wanted.paths.extend(moved.into_iter().filter(small));
        }
    }
    (wanted, missing)
}

fn of_effect(effect: &Effect, request: &Request, wanted: &mut Wanted) {
    let cwd = Path::new(&request.cwd);
    let is_named = matches!(&effect.target, Target::Path(_));
    // A search may begin in more places than its effect names.
    if effect.tags.has("searched") && matches!(effect.act, Act::Delete | Act::Write) {
        tree(wanted, cwd, effect.act == Act::Delete, false);
    }
    match effect.act {
        Act::Discard => discard(effect, wanted),
        // git takes it out of its index, too.
        Act::Delete if effect.program == "git" => tree(wanted, cwd, false, false),
        Act::Delete if is_named => wanted.paths.extend(deleted(effect)),
        Act::Write if is_named => wanted.paths.extend(overwritten(effect)),
        // Nobody can say which files that are.
        Act::Delete | Act::Write if effect.tags.has("unknown-target") && !effect.tags.has("append") => {
            tree(wanted, cwd, effect.act == Act::Delete, false);
        }
        Act::Do if effect.what == "work.rewrite" => {
            tree(wanted, Path::new(&*effect.dir), false, effect.tags.has("commits"));
        }
        Act::RunUnknown if request.kind == Kind::CommandRun => tree(wanted, cwd, false, false),
        _ => {}
    }
}

/// Whether something is gone after it.
pub(super) fn loses(effect: &Effect) -> bool {
    matches!(effect.act, Act::Discard | Act::Delete)
}

fn tree(wanted: &mut Wanted, dir: &Path, ignored: bool, commits: bool) {
    if !dir.is_absolute() {
        return;
    }
    match wanted.trees.iter_mut().find(|tree| tree.dir == dir) {
        Some(tree) => {
            tree.ignored |= ignored;
            tree.commits |= commits;
        }
        None => wanted.trees.push(Tree {
            dir: dir.to_path_buf(),
            ignored,
            commits,
        }),
    }
}

/// What version control held and would let go.
fn discard(effect: &Effect, wanted: &mut Wanted) {
    if effect.tags.has("nothing-lost") {
        return;
    }
    let dir = Path::new(&*effect.dir);
    let ignored = ["also-ignored", "only-ignored"].iter().any(|tag| effect.tags.has(tag));
    let commits = matches!(
        effect.what,
        "branch" | "tag" | "commits" | "detached" | "stash" | "history" | "merge" | "tree"
    );
    tree(wanted, dir, ignored, commits);
    // Another working tree, or repositories within this one.
    if let (true, Target::Text(target)) = (matches!(effect.what, "tree" | "modules"), &effect.target) {
        let folder = dir.join(target);
        wanted.paths.extend(git_folder(&folder));
        wanted.paths.push(folder);
    }
}

/// Where git keeps the state of a working tree that lies elsewhere.
fn git_folder(tree: &Path) -> Option<PathBuf> {
    let said = std::fs::read_to_string(tree.join(".git")).ok()?;
    let folder = tree.join(said.strip_prefix("gitdir:")?.trim());
    folder.is_dir().then_some(folder)
}

/// What a delete takes, as far as it is anybody's work.
fn deleted(effect: &Effect) -> Vec<PathBuf> {
    let has = |tag: &&str| effect.tags.has(tag);
    // Nobody brings back a system, and a copy of a key is one more key.
    let never = [
        "root",
        "system",
        "system-dir",
        "device",
        "credential",
        "secret-dir",
        "self",
        "contained",
        "absent",
    ];
    let is_work = has(&"workspace") || (has(&"outside") && !has(&"temp") && !has(&"home"));
    if !is_work || never.iter().any(has) {
        return Vec::new();
    }
    let enters = effect.tags.has("find-delete") || effect.tags.has("recursive") || effect.tags.has("searched");
    let mut paths = Vec::new();
    for path in places(effect).into_iter().filter(|path| !is_made_again(effect, path)) {
        // A search goes into the folder that a link leads to, and so does a name that ends with a slash.
        if let Some(real) = path
            .canonicalize()
            .ok()
            .filter(|real| enters && *real != path && real.is_dir())
        {
            paths.push(real);
        }
        paths.push(path);
    }
    paths
}

/// Whether it has the name of what a build makes, where no repository says more about it.
fn is_made_again(effect: &Effect, path: &Path) -> bool {
    let named = ["regenerable", "cache", "rebuilt"]
        .iter()
        .any(|tag| effect.tags.has(tag));
    named && crate::places::repository(path).is_none()
}

/// What is written over; what is only added to loses nothing, and nor does a folder that is made where it is already.
fn overwritten(effect: &Effect) -> Vec<PathBuf> {
    let has = |tag: &str| effect.tags.has(tag);
    if !has("workspace") || ["append", "create", "contained"].into_iter().any(has) {
        return Vec::new();
    }
    let files = places(effect).into_iter().filter(|path| !is_made_again(effect, path));
    // A write goes through a link, and a new link takes the place of the old name. Into a folder it is written by names that
    // only the program knows.
    let written = |path: PathBuf| {
        if has("link") {
            Some(path)
        } else {
            path.canonicalize().ok()
        }
    };
    let there = |path: &PathBuf| {
        path.symlink_metadata()
            .is_ok_and(|meta| meta.is_file() || meta.is_dir() || has("link"))
    };
    files.filter_map(written).filter(there).collect()
}

/// The paths that a target stands for.
fn places(effect: &Effect) -> Vec<PathBuf> {
    let Target::Path(path) = &effect.target else {
        return Vec::new();
    };
    if !path.contains(['*', '?', '[']) {
        return vec![PathBuf::from(path)];
    }
    // What a search finds lies as deep as it may.
    let deep = ["searched", "found"].iter().any(|tag| effect.tags.has(tag));
    expanded(path, deep)
}

/// The names that are there for a pattern; the folder of all of them, where those are too many or lie at any depth.
fn expanded(pattern: &str, deep: bool) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from("/")];
    for part in Path::new(pattern).components() {
        let Component::Normal(part) = part else { continue };
        let part = part.to_string_lossy();
        if !part.contains(['*', '?', '[']) {
            found.iter_mut().for_each(|path| path.push(&*part));
            continue;
        }
        if deep || part.contains("**") {
            return found;
        }
        let mut next = Vec::new();
        for folder in &found {
            let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let fits = names.filter(|entry| policy::name_fits(&part, &entry.file_name().to_string_lossy()));
            next.extend(fits.map(|entry| entry.path()));
            if next.len() > NAMES {
                return found;
            }
        }
        found = next;
    }
    found.retain(|path| path.symlink_metadata().is_ok());
    found
}
