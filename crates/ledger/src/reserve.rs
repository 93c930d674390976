//! Place that is kept for saying that there is no more.

use rustix::fs::FallocateFlags;
use rustix::io::retry_on_intr;

use crate::error::LedgerError;
use crate::folder::Folder;

/// How much is kept: some dozens of refusals.
const SIZE: u64 = 64 << 10;
/// How much is given up for one record: a block of any usual file system.
const STEP: u64 = 8 << 10;

/// Makes the reserve whole. On a disk without that much space there is none, and a refusal goes unrecorded.
pub(crate) fn fill(folder: &Folder) -> Result<bool, LedgerError> {
    let (file, len) = folder.reserve()?;
    if len >= SIZE {
        return Ok(true);
    }
    // A length alone takes no place: only blocks that are given to the file do.
    let given = retry_on_intr(|| rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, SIZE));
    Ok(given.is_ok())
}

/// Gives up a part of the reserve, and says whether there was one.
pub(crate) fn spend(folder: &Folder) -> bool {
    let Ok((file, len)) = folder.reserve() else {
        return false;
    };
    len > 0 && file.set_len(len.saturating_sub(STEP)).is_ok()
}
