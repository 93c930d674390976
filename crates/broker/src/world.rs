//! The machine as a judgement sees it: looked at, never changed, and never for long.

use std::cell::{Cell, OnceCell};
use std::collections::VecDeque;
use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use ledger::Hash;
use policy::{Answer, Contents, FileKind, Loss, Work, World};

use crate::places::Places;

/// Links that are followed for one path, as in the kernel.
const LINKS: usize = 40;
/// Parts of a path that are looked at.
const PARTS: usize = 256;
/// Bytes of a file that are read for a judgement.
const LONGEST_FILE: u64 = 256 << 10;
/// Names in a folder that are listed.
const NAMES: usize = 1024;
/// Questions that are answered for one decision. What is asked beyond that is unknown.
const QUESTIONS: usize = 4096;

/// This machine.
pub(crate) struct Machine<'a> {
    places: &'a Places,
    home: String,
    user: String,
    own: OnceCell<Vec<String>>,
    asked: Cell<usize>,
    looks: OnceCell<snapshot::Looks>,
}

impl<'a> Machine<'a> {
    /// The machine for somebody whose home is `home`.
    pub(crate) fn new(places: &'a Places, home: &Path) -> Self {
        let home = home.to_string_lossy().trim_end_matches('/').to_owned();
        let named = |name| std::env::var(name).ok().filter(|user| !user.is_empty());
        let last = || home.rsplit('/').next().unwrap_or_default().to_owned();
        Self {
            user: named("USER").or_else(|| named("LOGNAME")).unwrap_or_else(last),
            places,
            home,
            own: OnceCell::new(),
            asked: Cell::new(0),
            looks: OnceCell::new(),
        }
    }

    fn may_ask(&self) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.asked.get() <= QUESTIONS
    }

    /// The own folders and this program, by the names given and by their real names.
    fn own(&self) -> Vec<String> {
        let Places {
            config, state, data, ..
        } = self.places;
        let program = std::env::current_exe().ok();
        let mut own = Vec::new();
        for place in [Some(config), Some(state), Some(data), program.as_ref()]
            .into_iter()
            .flatten()
        {
            let name = place.to_string_lossy().into_owned();
            if let Answer::Known(real) = follow(place)
                && real != name
            {
                own.push(real);
            }
            own.push(name);
        }
        own
    }
}

impl World for Machine<'_> {
    fn home(&self) -> &str {
        &self.home
    }

    fn user(&self) -> &str {
        &self.user
    }

    fn var(&self, name: &str) -> Answer<String> {
        match std::env::var_os(name).map(std::ffi::OsString::into_string) {
            None => Answer::Absent,
            Some(Ok(value)) => Answer::Known(value),
            Some(Err(_)) => Answer::Unknown,
        }
    }

    fn real_path(&self, path: &str) -> Answer<String> {
        if self.may_ask() {
            follow(Path::new(path))
        } else {
            Answer::Unknown
        }
    }

    fn kind(&self, path: &str) -> Answer<FileKind> {
        if !self.may_ask() || path.contains('\0') {
            return Answer::Unknown;
        }
        match fs::metadata(path) {
            Ok(meta) if meta.is_file() => Answer::Known(FileKind::File),
            Ok(meta) if meta.is_dir() => Answer::Known(FileKind::Dir),
            Ok(_) => Answer::Known(FileKind::Other),
            Err(e) if is_absence(e.kind()) => Answer::Absent,
            Err(_) => Answer::Unknown,
        }
    }

    fn own_dirs(&self) -> &[String] {
        self.own.get_or_init(|| self.own())
    }

    fn read(&self, path: &str) -> Answer<Contents> {
        if self.may_ask() {
            read(Path::new(path))
        } else {
            Answer::Unknown
        }
    }

    fn list(&self, dir: &str) -> Answer<Vec<String>> {
        if !self.may_ask() || dir.contains('\0') {
            return Answer::Unknown;
        }
        match crate::files::entries(Path::new(dir)) {
            Ok(entries) => names(entries).map_or(Answer::Unknown, Answer::Known),
            Err(e) if is_absence(e.kind()) => Answer::Absent,
            Err(_) => Answer::Unknown,
        }
    }

    fn loss(&self, dir: &str, work: Work<'_>) -> Answer<Loss> {
        if !self.may_ask() {
            return match work {
                Work::Everything(_) => Answer::Known(Loss::more()),
                _ => Answer::Unknown,
            };
        }
        let looks = self.looks.get_or_init(|| snapshot::Looks::new(names_of_ignored()));
        looks.loss(Path::new(dir), work)
    }
}

/// What a regular file holds, links followed. What the kernel makes up is not opened.
pub(crate) fn read(path: &Path) -> Answer<Contents> {
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Answer::Unknown;
    }
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() && is_stored(path) => contents(path, meta.len()),
        Err(e) if is_absence(e.kind()) => Answer::Absent,
        _ => Answer::Unknown,
    }
}

/// What the table of paths says about files that git ignores.
pub(crate) fn names_of_ignored() -> snapshot::Known {
    let (rebuilt, _) = policy::patterns("rebuilt");
    let (precious, samples) = policy::patterns("precious");
    snapshot::Known {
        rebuilt,
        precious,
        samples,
    }
}

/// Folders whose files the kernel makes up while they are read: some wait until there is something, some do something.
const MADE_UP: &[&str] = &["/proc", "/sys", "/dev"];
/// A folder among them whose files are files like any other, and are run like them.
const IN_MEMORY: &str = "/dev/shm";

/// Whether the file lies where reading it changes nothing and ends, by its name and by its real name.
fn is_stored(path: &Path) -> bool {
    let made_up = |path: &Path| MADE_UP.iter().any(|dir| path.starts_with(dir)) && !path.starts_with(IN_MEMORY);
    matches!(follow(path), Answer::Known(real) if !made_up(path) && !made_up(Path::new(&real)))
}

/// What a regular file holds. One that says that it is empty is not opened: the kernel says so of what it makes up. One that
/// grows while it is read is longer than it said, and then it is not known.
fn contents(path: &Path, bytes: u64) -> Answer<Contents> {
    if bytes > LONGEST_FILE {
        return Answer::Known(Contents {
            text: None,
            digest: String::new(),
            bytes,
        });
    }
    let mut read = Vec::new();
    if bytes == 0 {
        return Answer::Known(Contents {
            digest: Hash::of(&read).hex(),
            bytes,
            text: script(read),
        });
    }
    let Ok(file) = fs::File::open(path) else {
        return Answer::Unknown;
    };
    match file.take(LONGEST_FILE + 1).read_to_end(&mut read) {
        Ok(_) if read.len() as u64 <= LONGEST_FILE => Answer::Known(Contents {
            digest: Hash::of(&read).hex(),
            bytes: read.len() as u64,
            text: script(read),
        }),
        _ => Answer::Unknown,
    }
}

/// The text of a script, as a shell takes it: a file is a program when its first line holds a zero byte, any later ones are
/// passed over, and bytes that are no UTF-8 hide nothing of the rest.
fn script(bytes: Vec<u8>) -> Option<String> {
    let first = bytes.split(|b| *b == b'\n').next().unwrap_or_default();
    if first.contains(&0) {
        return None;
    }
    let text = String::from_utf8_lossy(&bytes);
    Some(text.trim_start_matches('\u{feff}').replace('\0', ""))
}

fn names(entries: fs::ReadDir) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry.ok()?.file_name().into_string().ok()?);
        if names.len() > NAMES {
            return None;
        }
    }
    names.sort();
    Some(names)
}

fn is_absence(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The path with every link of its longest existing part followed. A link to something that is not there is followed
/// too: who writes through it makes the file that it names.
pub(crate) fn follow(path: &Path) -> Answer<String> {
    let Some(path) = path.to_str().filter(|p| p.starts_with('/') && !p.contains('\0')) else {
        return Answer::Unknown;
    };
    let mut ahead: VecDeque<String> = parts(path);
    let mut real = PathBuf::from("/");
    let mut links = 0;
    let mut exists = true;
    while let Some(part) = ahead.pop_front() {
        if links > LINKS || ahead.len() > PARTS {
            return Answer::Unknown;
        }
        if part == ".." {
            real.pop();
            continue;
        }
        real.push(&part);
        if !exists {
            continue;
        }
        match fs::symlink_metadata(&real) {
            Ok(meta) if meta.is_symlink() => {
                links += 1;
                let Some(target) = fs::read_link(&real)
                    .ok()
                    .and_then(|t| t.into_os_string().into_string().ok())
                else {
                    return Answer::Unknown;
                };
                if target.starts_with('/') {
                    real = PathBuf::from("/");
                } else {
                    real.pop();
                }
                parts(&target).into_iter().rev().for_each(|part| ahead.push_front(part));
            }
            Ok(_) => {}
            Err(e) if is_absence(e.kind()) => exists = false,
            Err(_) => return Answer::Unknown,
        }
    }
    real.into_os_string()
        .into_string()
        .map_or(Answer::Unknown, Answer::Known)
}

fn parts(path: &str) -> VecDeque<String> {
    path.split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .map(String::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_to_where_a_write_would_land() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        fs::create_dir_all(at("a/b")).unwrap();
        fs::write(at("a/file"), "").unwrap();
        symlink("a", at("link")).unwrap();
        symlink(at("a/b"), at("far")).unwrap();
        symlink("a/new", at("dangling")).unwrap();
        symlink("loop", at("loop")).unwrap();
        symlink("b/../file", at("a/up")).unwrap();
        for (asked, expected) in [
            ("a/b", "a/b"),
            ("link/b", "a/b"),
            ("link/none/x", "a/none/x"),
            ("far/../file", "a/file"),
            ("dangling", "a/new"),
            ("dangling/x", "a/new/x"),
            ("a/up", "a/file"),
            ("a/file/below", "a/file/below"),
            ("none", "none"),
        ] {
            assert_eq!(follow(&at(asked)), Answer::Known(text(at(expected))), "{asked}");
        }
        assert_eq!(follow(&at("loop")), Answer::Unknown);
        assert_eq!(follow(Path::new("relative")), Answer::Unknown);
        assert_eq!(follow(Path::new("/a\0b")), Answer::Unknown);
        assert_eq!(follow(Path::new("/")), Answer::Known("/".into()));
    }

    #[test]
    fn what_the_kernel_makes_up_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        fs::write(at("script"), "echo x").unwrap();
        fs::write(at("empty"), "").unwrap();
        symlink("script", at("link")).unwrap();
        symlink("/proc/version", at("made-up")).unwrap();
        symlink("/proc", at("folder")).unwrap();
        let places = Places::from_variables(crate::Given::default(), |_| Some("/h".into())).unwrap();
        let machine = Machine::new(&places, Path::new("/h"));
        let text = |path: &str| match machine.read(path) {
            Answer::Known(contents) => contents.text,
            _ => None,
        };
        assert_eq!(text(&at("link")).as_deref(), Some("echo x"));
        assert_eq!(text(&at("empty")).as_deref(), Some(""));
        if let Ok(shared) = tempfile::tempdir_in(IN_MEMORY) {
            fs::write(shared.path().join("x"), "echo y").unwrap();
            assert_eq!(
                text(shared.path().join("x").to_str().unwrap()).as_deref(),
                Some("echo y")
            );
        }
        let there = Path::new("/proc/version").exists();
        for path in [
            at("made-up"),
            at("folder/version"),
            "/proc/version".into(),
            "/usr/../proc/version".into(),
        ] {
            assert_eq!(text(&path), None);
            assert!(!there || machine.read(&path) == Answer::Unknown, "{path}");
        }
    }

    #[test]
    fn questions_without_end_become_unknown() {
        let places = Places::from_variables(crate::Given::default(), |_| Some("/h".into())).unwrap();
        let machine = Machine::new(&places, Path::new("/h/"));
        assert_eq!(machine.home(), "/h");
        for _ in 0..QUESTIONS {
            assert_eq!(machine.kind("/"), Answer::Known(FileKind::Dir));
        }
        assert_eq!(machine.kind("/"), Answer::Unknown);
        assert_eq!(machine.real_path("/"), Answer::Unknown);
        assert!(
            machine.own_dirs().contains(&"/h/tollgate".to_owned())
                || machine.own_dirs().contains(&"/h/config".to_owned())
        );
    }
}
