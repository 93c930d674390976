//! What a snapshot says about itself: why it was taken, and what stood where.
//!
//! Stored as two lines of JSON, `<state>/snapshots/<id>.json`: the [`Head`], which lists read, and the [`Part`]s.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The form of what is written here. Readers refuse another one.
pub(crate) const FORMAT: u32 = 1;

/// Why a snapshot was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cause {
    /// When, in milliseconds since 1970.
    pub time_ms: u64,
    /// The agent that asked; `tollgate` for an undo.
    pub agent: String,
    /// Its session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The agent's own name for the call.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// What it wanted, redacted: a command, a path.
    pub request: String,
    /// The digest of what it sent.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// Digests (SHA-256) of the contents that the request itself puts into files: nobody's work since then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub makes: Vec<String>,
    /// The snapshot that was brought back after this one was taken.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub undo_of: String,
}

/// What a list shows of a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Head {
    /// The form, [`FORMAT`].
    pub format: u32,
    /// Its name: `s-20261201-132455-3f7a`, in universal time.
    pub id: String,
    /// Why it was taken.
    pub cause: Cause,
    /// Files whose content it holds.
    pub files: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// The folders and files that it is about.
    pub roots: Vec<Name>,
    /// What is not in it though it might be lost, in words; empty where it holds everything.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// A snapshot as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// What a list shows.
    pub head: Head,
    /// What stood where.
    pub parts: Vec<Part>,
}

/// One place: a working tree or what lies at and below a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Part {
    /// The root of the working tree, or the folder that all paths are below.
    pub root: Name,
    /// The state of the repository, where all of its working tree is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<Repository>,
    /// What stood at the paths. With a repository only what its index does not say already.
    pub entries: Vec<Entry>,
}

/// The state of a repository: all but its objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Repository {
    /// The folder of this working tree: `.git`, or `.git/worktrees/NAME`.
    pub git_dir: Name,
    /// The folder that all working trees of the repository share.
    pub common_dir: Name,
    /// The index file; `None` where there was none.
    pub index: Option<Blob>,
    /// When the index was written: what it says about files is a proof for those that are older.
    pub index_time: i64,
    /// Rights of a tracked file that nothing else is said about, without those to execute.
    pub usual: u32,
    /// The other files of these folders.
    pub state: Vec<Entry>,
    /// Whether all of them are there that an undo needs. If not, it leaves the state alone.
    pub complete: bool,
    /// Whether references and their logs are among them: they are where commits are at stake.
    pub references: bool,
    /// Whether what was ignored is in the entries, too.
    pub ignored: bool,
    /// Staged contents that no commit has: the object's name, and what it holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub staged: Vec<(String, Blob)>,
    /// Commits that are held by `refs/tollgate/<id>/<n>`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<String>,
}

/// One path and what stood there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Below the root.
    pub path: Name,
    /// Its rights.
    #[serde(default)]
    pub mode: u32,
    /// What stood there.
    pub what: What,
    /// How to know without reading it that it is still the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<Stamp>,
}

/// What stood at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    /// A file with this content.
    File(Blob),
    /// A file with the content of this object of the repository.
    Git(String),
    /// A link to this.
    Link(Name),
    /// A folder.
    Folder,
    /// Nothing.
    Nothing,
}

/// A content that is kept in the store, by its SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Blob {
    /// The digest in hexadecimal.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
}

/// What the file system says about a file that was not touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// The device.
    pub dev: u64,
    /// The inode.
    pub ino: u64,
    /// The length.
    pub size: u64,
    /// The time of its last change in nanoseconds.
    pub mtime: i64,
    /// The time of the last change of its inode in nanoseconds.
    pub ctime: i64,
}

/// A path as it is, text or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Name(Vec<u8>);

/// A path in JSON: text where it is text, else its bytes.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<Written> for Name {
    fn from(written: Written) -> Self {
        match written {
            Written::Text(text) => Self(text.into_bytes()),
            Written::Bytes(bytes) => Self(bytes),
        }
    }
}

impl From<Name> for Written {
    fn from(name: Name) -> Self {
        match String::from_utf8(name.0) {
            Ok(text) => Self::Text(text),
            Err(error) => Self::Bytes(error.into_bytes()),
        }
    }
}

impl Name {
    /// These bytes as a path.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
    /// The path.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        PathBuf::from(OsString::from_vec(self.0.clone()))
    }
    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
    /// For people.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
    /// Whether this path is `above` or lies below it; the empty one is above all.
    #[must_use]
    pub fn is_within(&self, above: &Self) -> bool {
        above.0.is_empty()
            || self.0 == above.0
            || self
                .0
                .strip_prefix(above.0.as_slice())
                .is_some_and(|rest| rest.starts_with(b"/"))
    }
}

impl From<&Path> for Name {
    fn from(path: &Path) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }
}

impl Snapshot {
    /// The two lines that are stored.
    pub(crate) fn to_lines(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut lines = serde_json::to_vec(&self.head)?;
        lines.push(b'\n');
        serde_json::to_writer(&mut lines, &self.parts)?;
        lines.push(b'\n');
        Ok(lines)
    }

    /// Reads them back.
    pub(crate) fn from_lines(lines: &[u8]) -> Option<Self> {
        let mut lines = lines.splitn(2, |byte| *byte == b'\n');
        let head: Head = serde_json::from_slice(lines.next()?).ok()?;
        let parts = serde_json::from_slice(lines.next()?).ok()?;
        (head.format == FORMAT).then_some(Self { head, parts })
    }

    /// Every content that it needs.
    pub fn blobs(&self) -> impl Iterator<Item = &Blob> {
        self.parts.iter().flat_map(|part| {
            let repository = part.repository.iter();
            let of_repository = repository.flat_map(|repository| {
                let state = repository.state.iter().filter_map(Entry::blob);
                let staged = repository.staged.iter().map(|(_, blob)| blob);
                repository.index.iter().chain(state).chain(staged)
            });
            part.entries.iter().filter_map(Entry::blob).chain(of_repository)
        })
    }
}

impl Entry {
    /// The content that is in the store.
    #[must_use]
    pub const fn blob(&self) -> Option<&Blob> {
        match &self.what {
            What::File(blob) => Some(blob),
            _ => None,
        }
    }
}
