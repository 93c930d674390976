//! One look at each tracked file: whether it is as the index says.

use std::path::Path;

use gix::index::entry::stat::Time;
use gix::index::entry::{Flags, Mode, Stage, Stat};
use gix::index::{Entry as Tracked, State};
use rustix::fs::{AtFlags, FileType, Mode as Rights, OFlags};

use super::tree::expected_rights;

/// What one look says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// As the index says, with the usual rights.
    Same,
    /// Not there.
    Missing,
    /// To be looked at closely.
    Look,
    /// Nothing that the working tree would have to have.
    Passed,
}

/// Looks at all entries of an index. Nothing but the file system is asked, so another thread can do it meanwhile.
pub(super) fn look(root: &Path, index: &State, usual: u32) -> Vec<Seen> {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let Ok(folder) = rustix::fs::open(root, flags, Rights::empty()) else {
        return vec![Seen::Look; index.entries().len()];
    };
    let one = |tracked: &Tracked| {
        if tracked.mode == Mode::COMMIT || tracked.flags.contains(Flags::SKIP_WORKTREE) {
            return Seen::Passed;
        }
        let path: &[u8] = tracked.path(index);
        match rustix::fs::statat(&folder, path, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if is_same(&stat, tracked, index, usual) => Seen::Same,
            Ok(_) => Seen::Look,
            Err(_) => Seen::Missing,
        }
    };
    index.entries().iter().map(one).collect()
}

fn is_same(stat: &rustix::fs::Stat, tracked: &Tracked, index: &State, usual: u32) -> bool {
    let whole = tracked.stage() == Stage::Unconflicted && !tracked.flags.contains(Flags::INTENT_TO_ADD);
    let (kind, rights) = (FileType::from_raw_mode(stat.st_mode), stat.st_mode & 0o7777);
    let as_said = match tracked.mode {
        Mode::SYMLINK => kind == FileType::Symlink,
        mode => kind == FileType::RegularFile && rights == expected_rights(mode, usual),
    };
    whole && as_said && is_untouched(&indexed(stat), &tracked.stat, index)
}

/// What the index would say of a file.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "git keeps the low 32 bits"
)]
fn indexed(stat: &rustix::fs::Stat) -> Stat {
    let time = |secs: i64, nsecs| Time {
        secs: secs as u32,
        nsecs: nsecs as u32,
    };
    Stat {
        mtime: time(stat.st_mtime, stat.st_mtime_nsec),
        ctime: time(stat.st_ctime, stat.st_ctime_nsec),
        dev: stat.st_dev as u32,
        ino: stat.st_ino as u32,
        uid: stat.st_uid,
        gid: stat.st_gid,
        size: stat.st_size as u32,
    }
}

/// Whether a file was not touched since the index was written.
pub(super) fn is_untouched(now: &Stat, then: &Stat, index: &State) -> bool {
    let options = gix::index::entry::stat::Options {
        trust_ctime: true,
        check_stat: true,
        use_nsec: true,
        use_stdev: false,
    };
    now.matches(then, options) && !then.is_racy(index.timestamp(), options)
}
