//! What can be seen of policy files without reading them: whether they are the ones that were read before.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::Layer;
use super::layers::{files, open};

/// How long nothing may have changed before what stands in the files counts as all that was meant: somebody may be in the
/// middle of writing.
const QUIET: Duration = Duration::from_millis(500);
/// The same where a file system keeps no parts of a second.
const COARSE: Duration = Duration::from_secs(3);
/// A change that lies further ahead than this was made before the clock was set back.
const AHEAD: Duration = Duration::from_secs(2);
const SECOND: i128 = 1_000_000_000;

/// One file. The time at which it was last changed in any way (`ctime`) cannot be set by whoever changes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub(super) layer: u8,
    pub(super) path: String,
    device: u64,
    inode: u64,
    len: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// All files of some layers, in the order in which they are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamps {
    pub(super) files: Vec<Stamp>,
    /// The last change of a file or folder, in nanoseconds since 1970.
    newest: i128,
}

impl Stamps {
    /// Looks at the files of the layers; each is opened and checked as it is before it is read. `None` where one of them is
    /// not to be trusted, cannot be looked at, or has a name that is no text.
    pub(super) fn look(layers: &[(Layer, PathBuf)]) -> Option<Self> {
        let mut stamps = Self {
            files: Vec::new(),
            newest: i128::MIN,
        };
        for (layer, folder) in layers {
            // Where there is no folder, its going away changed the one above it. A project has a file beside its folders.
            let root = folder.ancestors().skip(2).take(usize::from(*layer == Layer::Project));
            for folder in root.chain([folder.as_path()]) {
                let there = folder.ancestors().find_map(|part| part.symlink_metadata().ok())?;
                stamps.newest = stamps.newest.max(nanos(there.ctime(), there.ctime_nsec()));
            }
            for path in files(*layer, folder).ok()? {
                stamps.add(*layer, &path, &open(*layer, &path).ok()?)?;
            }
        }
        Some(stamps)
    }

    fn add(&mut self, layer: Layer, path: &Path, file: &File) -> Option<()> {
        let meta = file.metadata().ok()?;
        self.newest = self.newest.max(nanos(meta.ctime(), meta.ctime_nsec()));
        self.files.push(Stamp {
            layer: layer as u8,
            path: path.to_str()?.to_owned(),
            device: meta.dev(),
            inode: meta.ino(),
            len: meta.len(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        });
        Some(())
    }

    /// Whether nothing was changed for a while.
    pub(super) fn is_quiet(&self, now: SystemTime) -> bool {
        let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let age = i128::try_from(since.as_nanos()).unwrap_or(i128::MAX) - self.newest;
        let wait = if self.newest % SECOND == 0 { COARSE } else { QUIET };
        let nanos = |time: Duration| i128::try_from(time.as_nanos()).unwrap_or(i128::MAX);
        age >= nanos(wait) || age < -nanos(AHEAD)
    }
}

fn nanos(seconds: i64, nanos: i64) -> i128 {
    i128::from(seconds) * SECOND + i128::from(nanos)
}
