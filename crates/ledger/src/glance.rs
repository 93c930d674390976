//! What can be said of a ledger at a glance: from the head file and the last record, in constant time.

use std::path::Path;

use crate::error::LedgerError;
use crate::folder::Folder;
use crate::hash::Hash;
use crate::head::{Condition, Head};
use crate::key::Key;
use crate::recover;

/// A glance at a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance {
    /// The number of the last record that was acknowledged.
    pub seq: u64,
    /// Its hash.
    pub head: Hash,
    /// How often acknowledged records were found lost or changed, or nothing vouched for them: `log verify` says where.
    pub losses: u64,
    /// What is wrong with the end now, one sentence; empty where nothing is.
    pub end: String,
    /// The disk was full, and the place that is kept for refusals is in use.
    pub full: bool,
}

impl Default for Glance {
    fn default() -> Self {
        Self {
            seq: 0,
            head: Hash::GENESIS,
            losses: 0,
            end: String::new(),
            full: false,
        }
    }
}

/// Looks at the ledger in `dir`. One that is not there is an empty one.
///
/// # Errors
/// When it cannot be opened or read.
pub fn glance(dir: &Path) -> Result<Glance, LedgerError> {
    let Some(folder) = Folder::open(dir)? else {
        return Ok(Glance::default());
    };
    let empty = folder.segments()?.is_empty();
    let text = folder
        .read_head()?
        .map(|slot| slot.read())
        .transpose()?
        .unwrap_or_default();
    let unvouched = |why: &str| Glance {
        end: if empty { String::new() } else { why.into() },
        ..Glance::default()
    };
    let Some(head) = Head::parse(&text) else {
        return Ok(unvouched(
            "the head file is missing or damaged, so nothing vouches for the end",
        ));
    };
    let keys = [folder.key()?, folder.next_key()?];
    let sealed = keys
        .iter()
        .filter_map(|text| Key::parse(text))
        .any(|key| head.sealed(&text, &key));
    if !sealed {
        return Ok(unvouched(
            "the head file is not sealed by the ledger's key, so nothing vouches for the end",
        ));
    }
    let missing = match folder.read_log(head.segment)? {
        Some(log) => recover::missing(&folder, &log, &head)?.map(|(_, what)| what),
        None if head.end > 0 => Some(format!("segment {} is not there", head.segment)),
        None => None,
    };
    Ok(Glance {
        seq: head.seq,
        head: head.hash,
        losses: head.losses,
        end: missing.unwrap_or_default(),
        full: head.condition == Condition::Spent,
    })
}
