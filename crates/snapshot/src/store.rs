//! Where snapshots are kept: `<state>/snapshots`, the owner's alone.
//!
//! `<id>.json` is a snapshot, `blobs/<two>/<sixty-two>` a content by its SHA-256. A file gets its name only when all of it is
//! there, so whoever is stopped midway leaves nothing that counts. What git ignores is often secret, and what is in a
//! repository can be pushed: contents are never put into the repository.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use crate::after;
use crate::manifest::{Blob, FORMAT, Head, Snapshot};

/// What a file is copied by.
const CHUNK: usize = 256 << 10;
/// The longest head of a snapshot.
const LONGEST_HEAD: u64 = 1 << 20;
/// How long another one who tidies up is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// The snapshots of one state folder.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

/// While it lives, nothing is pruned.
#[derive(Debug)]
pub(crate) struct Held(#[expect(dead_code, reason = "the lock ends with it")] File);

impl Store {
    /// The store below a state folder. Nothing is made yet.
    #[must_use]
    pub fn below(state: &Path) -> Self {
        Self {
            root: state.join("snapshots"),
        }
    }

    /// Its folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file that holds a content.
    pub(crate) fn blob_path(&self, blob: &Blob) -> io::Result<PathBuf> {
        let hex = &blob.sha256;
        let plain = hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit());
        match hex.split_at_checked(2).filter(|_| plain) {
            Some((two, rest)) => Ok(self.root.join("blobs").join(two).join(rest)),
            None => Err(io::Error::new(ErrorKind::InvalidData, "no digest")),
        }
    }

    fn manifest_path(&self, id: &str) -> Option<PathBuf> {
        let plain = id.starts_with("s-") && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        plain.then(|| self.root.join(format!("{id}.json")))
    }

    /// Keeps others from pruning.
    pub(crate) fn hold(&self) -> io::Result<Held> {
        let lock = self.lock_file()?;
        let until = Instant::now() + PATIENCE;
        loop {
            match lock.try_lock_shared() {
                Ok(()) => return Ok(Held(lock)),
                Err(fs::TryLockError::WouldBlock) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Keeps others from taking snapshots, if nobody is about to.
    pub(crate) fn hold_alone(&self) -> io::Result<Option<Held>> {
        let lock = self.lock_file()?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Held(lock))),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn lock_file(&self) -> io::Result<File> {
        private_folder(&self.root)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        options.open(self.root.join("lock"))
    }

    /// Keeps these bytes.
    pub(crate) fn put(&self, bytes: &[u8]) -> io::Result<Blob> {
        let blob = Blob {
            sha256: hex(&Sha256::digest(bytes)),
            bytes: bytes.len() as u64,
        };
        // What is damaged there is written anew.
        let is_there = self.has(&blob) && fs::read(self.blob_path(&blob)?).is_ok_and(|there| there == bytes);
        if !is_there {
            let (path, mut file) = self.unfinished()?;
            let written = file.write_all(bytes).and_then(|()| self.name_blob(&path, &blob));
            if let Err(error) = written {
                let _gone = fs::remove_file(&path);
                return Err(error);
            }
        }
        Ok(blob)
    }

    /// The content of a small file that the store has already costs one look.
    fn put_small(&self, mut from: File, most: u64) -> io::Result<Option<Blob>> {
        let mut bytes = Vec::new();
        (&mut from).take(most + 1).read_to_end(&mut bytes)?;
        match bytes.len() as u64 <= most {
            true => self.put(&bytes).map(Some),
            false => Ok(None),
        }
    }

    /// Keeps what a file holds, at most `most` bytes of it. It is copied first and looked at then, so that whoever writes to
    /// it meanwhile cannot make the digest wrong. `None` where it is longer.
    pub(crate) fn put_file(&self, mut from: File, most: u64) -> io::Result<Option<Blob>> {
        if most <= CHUNK as u64 {
            return self.put_small(from, most);
        }
        let (path, mut to) = self.unfinished()?;
        let mut digest = Sha256::new();
        let mut buffer = vec![0; CHUNK];
        let mut bytes = 0;
        loop {
            let read = match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    let _gone = fs::remove_file(&path);
                    return Err(error);
                }
            };
            let chunk = buffer.get(..read).unwrap_or_default();
            bytes += read as u64;
            if bytes > most {
                let _gone = fs::remove_file(&path);
                return Ok(None);
            }
            digest.update(chunk);
            if let Err(error) = to.write_all(chunk) {
                let _gone = fs::remove_file(&path);
                return Err(error);
            }
        }
        let sha256 = hex(&digest.finalize());
        let blob = Blob { sha256, bytes };
        if self.has(&blob) {
            fs::remove_file(&path)?;
        } else {
            self.name_blob(&path, &blob)?;
        }
        Ok(Some(blob))
    }

    /// Whether the store has a content, as far as its length says.
    pub(crate) fn has(&self, blob: &Blob) -> bool {
        let path = self.blob_path(blob);
        path.is_ok_and(|path| {
            path.symlink_metadata()
                .is_ok_and(|meta| meta.is_file() && meta.len() == blob.bytes)
        })
    }

    fn unfinished(&self) -> io::Result<(PathBuf, File)> {
        let folder = self.root.join("new");
        let path = folder.join(random()?);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let file = match options.open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                private_folder(&folder)?;
                options.open(&path)?
            }
            opened => opened?,
        };
        Ok((path, file))
    }

    fn name_blob(&self, unfinished: &Path, blob: &Blob) -> io::Result<()> {
        let path = self.blob_path(blob)?;
        match fs::rename(unfinished, &path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                private_folder(path.parent().unwrap_or(&self.root))?;
                fs::rename(unfinished, &path)
            }
            done => done,
        }
    }

    /// What a content was. Damaged ones are errors.
    ///
    /// # Errors
    /// Where it cannot be read, or is another one than its digest says.
    pub fn get(&self, blob: &Blob) -> io::Result<Vec<u8>> {
        let bytes = fs::read(self.blob_path(blob)?)?;
        if hex(&Sha256::digest(&bytes)) == blob.sha256 {
            return Ok(bytes);
        }
        Err(io::Error::new(ErrorKind::InvalidData, "the stored content is damaged"))
    }

    /// Keeps a snapshot. From here on it counts, and a crash of the machine does not lose it.
    pub(crate) fn keep(&self, snapshot: &Snapshot) -> io::Result<()> {
        let lines = snapshot.to_lines().map_err(io::Error::other)?;
        let (path, mut file) = self.unfinished()?;
        file.write_all(&lines)?;
        file.sync_data()?;
        let name = self.manifest_path(&snapshot.head.id);
        fs::rename(
            &path,
            name.ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "no name"))?,
        )
    }

    /// The snapshot of this name; a beginning of the name is enough where it fits one only.
    ///
    /// # Errors
    /// `NotFound` where there is none, `InvalidInput` where there are several, else what reading it said.
    pub fn snapshot(&self, id: &str) -> io::Result<Snapshot> {
        let ids = self.ids()?;
        let mut like = ids
            .iter()
            .filter(|known| *known == id || known.starts_with(id) || known.ends_with(id));
        let found = match ids.iter().find(|known| *known == id) {
            Some(exact) => exact,
            None => match (like.next(), like.next()) {
                (Some(one), None) => one,
                (Some(_), Some(_)) => return Err(io::Error::new(ErrorKind::InvalidInput, "several have this name")),
                _ => return Err(ErrorKind::NotFound.into()),
            },
        };
        let path = self.manifest_path(found).ok_or(ErrorKind::NotFound)?;
        Snapshot::from_lines(&fs::read(path)?)
            .ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "it is damaged, or of another version"))
    }

    /// All snapshots, the newest first. Those that cannot be read are left out and named.
    ///
    /// # Errors
    /// Where the folder cannot be read.
    pub fn list(&self) -> io::Result<(Vec<Head>, Vec<String>)> {
        let mut heads = Vec::new();
        let mut damaged = Vec::new();
        for id in self.ids()? {
            match self.head(&id) {
                Some(head) => heads.push(head),
                None => damaged.push(id),
            }
        }
        heads.sort_by(|a, b| (b.cause.time_ms, &b.id).cmp(&(a.cause.time_ms, &a.id)));
        Ok((heads, damaged))
    }

    pub(crate) fn head(&self, id: &str) -> Option<Head> {
        let file = File::open(self.manifest_path(id)?).ok()?;
        let mut line = Vec::new();
        BufReader::new(file.take(LONGEST_HEAD))
            .read_until(b'\n', &mut line)
            .ok()?;
        let head: Head = serde_json::from_slice(&line).ok()?;
        (head.format == FORMAT && head.id == id).then_some(head)
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.ids().map_or(0, |ids| ids.len())
    }

    /// The names of all snapshots, in order of time.
    pub(crate) fn ids(&self) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(&self.root) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut ids = Vec::new();
        for entry in entries {
            let name = entry?.file_name().into_string();
            let id = name.ok().and_then(|name| name.strip_suffix(".json").map(str::to_owned));
            ids.extend(id.filter(|id| id.starts_with("s-")));
        }
        ids.sort();
        Ok(ids)
    }

    /// A name that none has, for this time in milliseconds since 1970.
    pub(crate) fn free_id(&self, time_ms: u64) -> io::Result<String> {
        let time = jiff::Timestamp::from_millisecond(i64::try_from(time_ms).unwrap_or_default()).unwrap_or_default();
        let time = time.strftime("%Y%m%d-%H%M%S");
        loop {
            let random = random()?;
            let id = format!("s-{time}-{}", random.get(..4).unwrap_or_default());
            let taken = self
                .manifest_path(&id)
                .is_none_or(|path| path.symlink_metadata().is_ok());
            if !taken {
                return Ok(id);
            }
        }
    }

    /// The file beside a snapshot that says what its call left behind.
    pub(crate) fn beside(&self, id: &str) -> Option<PathBuf> {
        self.manifest_path(id).map(|path| after::name(&path))
    }

    /// Writes that file.
    pub(crate) fn keep_beside(&self, id: &str, bytes: &[u8]) -> io::Result<()> {
        let (path, mut file) = self.unfinished()?;
        file.write_all(bytes)?;
        fs::rename(&path, self.beside(id).ok_or(ErrorKind::NotFound)?)
    }

    /// Takes a snapshot away. Its contents go when nobody needs them.
    pub(crate) fn forget(&self, id: &str) -> io::Result<()> {
        match self.manifest_path(id) {
            Some(path) => {
                let _none = fs::remove_file(after::name(&path));
                fs::remove_file(path)
            }
            None => Err(ErrorKind::NotFound.into()),
        }
    }
}

/// Makes a folder and those above it, ours alone.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// A name that nobody guesses.
pub(crate) fn random() -> io::Result<String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(hex(&bytes))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        for half in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
        text
    })
}
