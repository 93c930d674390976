//! The machine's secret: 32 random bytes with which this program seals what it leaves for itself, so that nobody can put
//! anything there by writing a file.

use std::fmt;
use std::fs::{DirBuilder, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

/// The file's name in the state folder.
const FILE: &str = "approval.secret";
/// The name that it has until all of it is written.
const UNFINISHED: &str = "approval.secret.new";
const LEN: usize = 32;

/// Why there is no secret to be had.
#[derive(Debug)]
pub(crate) enum SecretError {
    /// The system said no.
    Io {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// Others could know it or put another one in its place.
    Unsafe {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The system has no random bytes.
    NoRandomness(getrandom::Error),
}

impl SecretError {
    /// What a person can do about it, one sentence.
    pub(crate) const fn hint(&self) -> &'static str {
        match self {
            Self::Io { .. } => "Make sure that the state folder can be written.",
            Self::Unsafe { .. } => "Make it yours alone, or take it away: what was sealed with it does not count then.",
            Self::NoRandomness(_) => "The system is not ready; try again.",
        }
    }
}

impl fmt::Display for SecretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { what, path, source } => write!(f, "cannot {what} `{}`: {source}", path.display()),
            Self::Unsafe { path, why } => write!(f, "`{}` is no safe place for a secret: {why}", path.display()),
            Self::NoRandomness(error) => write!(f, "cannot make a secret: {error}"),
        }
    }
}

impl std::error::Error for SecretError {}

/// The secret of the state folder, made the first time that it is asked for.
///
/// # Errors
/// When it can neither be read nor made, or when others could read or replace it.
pub(crate) fn machine_secret(state: &Path) -> Result<[u8; LEN], SecretError> {
    match open_folder(state)? {
        Some(folder) => match read(&folder, state)? {
            Some(secret) => Ok(secret),
            None => make(&folder, state),
        },
        None => {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(state);
            made.map_err(io("create", state))?;
            let missing = || io("open", state)(io::ErrorKind::NotFound.into());
            make(&open_folder(state)?.ok_or_else(missing)?, state)
        }
    }
}

/// The secret of the state folder, where there is one. Looking makes none.
///
/// # Errors
/// When it cannot be read, or when others could read or replace it.
pub(crate) fn known_secret(state: &Path) -> Result<Option<[u8; LEN]>, SecretError> {
    match open_folder(state)? {
        Some(folder) => read(&folder, state),
        None => Ok(None),
    }
}

/// A secret that is kept nowhere.
///
/// # Errors
/// When the system has no random bytes.
pub(crate) fn passing_secret() -> Result<[u8; LEN], SecretError> {
    let mut secret = [0; LEN];
    getrandom::fill(&mut secret).map_err(SecretError::NoRandomness)?;
    Ok(secret)
}

fn open_folder(state: &Path) -> Result<Option<File>, SecretError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = match retry_on_intr(|| rustix::fs::open(state, flags, Mode::empty())) {
        Ok(fd) => File::from(fd),
        Err(Errno::NOENT) => return Ok(None),
        Err(e) => return Err(io("open", state)(e.into())),
    };
    let meta = folder.metadata().map_err(io("look at", state))?;
    let why = if meta.uid() != rustix::process::geteuid().as_raw() {
        "it belongs to another user"
    } else if meta.mode() & 0o022 != 0 {
        "others may write there"
    } else {
        return Ok(Some(folder));
    };
    Err(unsafe_at(state, why))
}

fn read(folder: &File, state: &Path) -> Result<Option<[u8; LEN]>, SecretError> {
    let path = state.join(FILE);
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = match retry_on_intr(|| rustix::fs::openat(folder, FILE, flags, Mode::empty())) {
        Ok(fd) => File::from(fd),
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::LOOP) => return Err(unsafe_at(&path, "it is a link")),
        Err(e) => return Err(io("open", &path)(e.into())),
    };
    let meta = file.metadata().map_err(io("look at", &path))?;
    let why = if !meta.is_file() {
        "it is no regular file"
    } else if meta.uid() != rustix::process::geteuid().as_raw() {
        "it belongs to another user"
    } else if meta.mode() & 0o077 != 0 {
        "others can read it"
    } else if meta.nlink() > 1 {
        "it has a second name"
    } else if meta.len() != LEN as u64 {
        "it does not hold 32 bytes"
    } else {
        let mut secret = [0; LEN];
        (&file).read_exact(&mut secret).map_err(io("read", &path))?;
        return Ok(Some(secret));
    };
    Err(unsafe_at(&path, why))
}

/// Makes the secret, unless somebody else did while we waited for the lock.
fn make(folder: &File, state: &Path) -> Result<[u8; LEN], SecretError> {
    crate::files::wait(folder).map_err(io("lock", state))?;
    let made = match read(folder, state) {
        Ok(None) => write(folder, state),
        Ok(Some(secret)) => Ok(secret),
        Err(error) => Err(error),
    };
    folder.unlock().map_err(io("unlock", state))?;
    made
}

/// The name is only there when all bytes are on the disk.
fn write(folder: &File, state: &Path) -> Result<[u8; LEN], SecretError> {
    let path = state.join(UNFINISHED);
    let secret = passing_secret()?;
    match rustix::fs::unlinkat(folder, UNFINISHED, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(e) => return Err(io("take away", &path)(e.into())),
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = retry_on_intr(|| rustix::fs::openat(folder, UNFINISHED, flags, Mode::RUSR | Mode::WUSR));
    let mut file = File::from(file.map_err(|e| io("create", &path)(e.into()))?);
    file.write_all(&secret).map_err(io("write", &path))?;
    file.sync_all().map_err(io("flush", &path))?;
    let renamed = rustix::fs::renameat(folder, UNFINISHED, folder, FILE);
    renamed.map_err(|e| io("rename", &path)(e.into()))?;
    folder.sync_all().map_err(io("flush", state))?;
    Ok(secret)
}

fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SecretError + use<> {
    let path = path.to_path_buf();
    move |source| SecretError::Io { what, path, source }
}

fn unsafe_at(path: &Path, why: &'static str) -> SecretError {
    SecretError::Unsafe {
        path: path.to_path_buf(),
        why,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::thread;

    use super::*;

    fn state() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("deep/state");
        (folder, state)
    }

    fn mode(path: &Path, bits: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(bits)).unwrap();
    }

    #[test]
    fn v_3302_it_is_made_once_and_is_the_owners_alone() {
        let (_folder, state) = state();
        let (_other, elsewhere) = self::state();
        let secret = machine_secret(&state).unwrap();
        assert_eq!(machine_secret(&state).unwrap(), secret);
        assert_ne!(machine_secret(&elsewhere).unwrap(), secret);
        let bits = |path: &Path| path.metadata().unwrap().mode() & 0o777;
        assert_eq!((bits(&state), bits(&state.join(FILE))), (0o700, 0o600));
        assert!(!state.join(UNFINISHED).exists());
    }

    #[test]
    fn looking_makes_none() {
        let (_folder, state) = state();
        assert!(known_secret(&state).unwrap().is_none() && !state.exists());
        fs::create_dir_all(&state).unwrap();
        assert!(known_secret(&state).unwrap().is_none() && !state.join(FILE).exists());
        let secret = machine_secret(&state).unwrap();
        assert_eq!(known_secret(&state).unwrap(), Some(secret));
    }

    #[test]
    fn all_who_ask_at_once_get_the_same_one() {
        let (_folder, state) = state();
        fs::create_dir_all(&state).unwrap();
        // What a crash left behind is in nobody's way.
        fs::write(state.join(UNFINISHED), "half").unwrap();
        let asking: Vec<_> = (0..16)
            .map(|_| {
                let state = state.clone();
                thread::spawn(move || machine_secret(&state).unwrap())
            })
            .collect();
        let secrets: Vec<[u8; LEN]> = asking.into_iter().map(|one| one.join().unwrap()).collect();
        assert!(secrets.iter().all(|secret| *secret == secrets[0]));
    }

    #[test]
    fn what_others_could_know_or_replace_is_refused() {
        let (_folder, state) = state();
        let secret = machine_secret(&state).unwrap();
        let file = state.join(FILE);
        let refused = |said: &str| {
            let error = machine_secret(&state).unwrap_err();
            assert!(error.to_string().contains(said) && !error.hint().is_empty(), "{error}");
        };
        mode(&file, 0o640);
        refused("others can read it");
        mode(&file, 0o600);
        mode(&state, 0o777);
        refused("others may write there");
        mode(&state, 0o700);
        assert_eq!(machine_secret(&state).unwrap(), secret);
        fs::hard_link(&file, state.join("second")).unwrap();
        refused("second name");
        fs::rename(state.join("second"), state.join("kept")).unwrap();
        fs::remove_file(&file).unwrap();
        symlink("kept", &file).unwrap();
        refused("it is a link");
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        refused("no regular file");
        fs::remove_dir(&file).unwrap();
        fs::write(&file, [1; 31]).unwrap();
        mode(&file, 0o600);
        refused("32 bytes");
    }
}
