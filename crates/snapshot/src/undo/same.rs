//! Whether a path is as it was, by the least that proves it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use gix::index::Entry as Tracked;

use super::Undo;
use super::files::read;
use crate::manifest::{Entry, Stamp, What};
use crate::save::stamp;

/// What stood at a path.
pub(super) struct Old<'a> {
    pub(super) what: What,
    pub(super) rights: Option<u32>,
    /// How to know that it still does.
    pub(super) unless: Unless<'a>,
}

impl Old<'_> {
    /// The file that it was, by device and inode, where that was written down.
    pub(super) const fn inode(&self) -> Option<(u64, u64)> {
        match self.unless {
            Unless::Stamp(Some(stamp)) => Some((stamp.dev, stamp.ino)),
            _ => None,
        }
    }
}

/// What proves that a file was not touched.
pub(super) enum Unless<'a> {
    Stamp(Option<Stamp>),
    Index(&'a Tracked, i64),
}

/// What a line of a snapshot says.
pub(super) fn old(entry: &Entry) -> Old<'_> {
    Old {
        what: entry.what.clone(),
        rights: (!matches!(entry.what, What::Link(_) | What::Nothing)).then_some(entry.mode),
        unless: Unless::Stamp(entry.stamp),
    }
}

pub(super) fn is_as_it_was(undo: &Undo<'_>, full: &Path, old: &Old<'_>) -> bool {
    let Ok(meta) = full.symlink_metadata() else {
        return old.what == What::Nothing;
    };
    let rights = meta.permissions().mode() & 0o7777;
    let same_rights = old.rights.is_none_or(|old| old == rights);
    match &old.what {
        What::Nothing => false,
        What::Folder => meta.is_dir() && same_rights,
        What::Link(to) => meta.is_symlink() && fs::read_link(full).is_ok_and(|now| now == to.path()),
        What::File(blob) => {
            meta.is_file()
                && same_rights
                && meta.len() == blob.bytes
                && (is_untouched(undo, full, &meta, &old.unless)
                    || read(full).is_some_and(|bytes| undo.store.get(blob).is_ok_and(|kept| kept == bytes)))
        }
        What::Git(id) => {
            let untouched = || is_untouched(undo, full, &meta, &old.unless);
            meta.is_file() && same_rights && (untouched() || holds(full, id).unwrap_or(false))
        }
    }
}

fn is_untouched(undo: &Undo<'_>, full: &Path, meta: &fs::Metadata, unless: &Unless<'_>) -> bool {
    match unless {
        Unless::Stamp(then) => *then == Some(stamp(meta)) && !is_racy(undo, &stamp(meta)),
        Unless::Index(tracked, time) => matches_index(tracked, *time, full),
    }
}

/// Whether a file may have changed after the snapshot without another time.
fn is_racy(undo: &Undo<'_>, stamp: &Stamp) -> bool {
    let taken = i64::try_from(undo.snapshot.head.cause.time_ms)
        .unwrap_or_default()
        .saturating_mul(1_000_000);
    stamp.mtime.max(stamp.ctime) >= taken.saturating_sub(2_000_000_000)
}

fn matches_index(tracked: &Tracked, index_time: i64, full: &Path) -> bool {
    let options = gix::index::entry::stat::Options {
        trust_ctime: true,
        check_stat: true,
        use_nsec: true,
        use_stdev: false,
    };
    let racy = i64::from(tracked.stat.mtime.secs) >= index_time.div_euclid(1_000_000_000);
    let now = gix::index::fs::Metadata::from_path_no_follow(full).ok();
    let now = now.and_then(|meta| gix::index::entry::Stat::from_fs(&meta).ok());
    !racy && now.is_some_and(|now| now.matches(&tracked.stat, options))
}

/// Whether a file holds the bytes of an object.
fn holds(full: &Path, id: &str) -> Option<bool> {
    let id = gix::ObjectId::from_hex(id.as_bytes()).ok()?;
    Some(gix::objs::compute_hash(id.kind(), gix::objs::Kind::Blob, &read(full)?).ok()? == id)
}
