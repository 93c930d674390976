//! Which key belongs to which segment: a line for each, signed by the key of the segment before, which thereby seals
//! that segment's end.

use serde::{Deserialize, Serialize};

use crate::error::LedgerError;
use crate::folder::Folder;
use crate::hash::Hash;
use crate::head::Head;
use crate::key::{self, Key};
use crate::stamp::Stamp;

/// More than the lines of ten thousand segments would be is nothing of ours.
const LARGEST: u64 = 4 << 20;
/// How many lines that are no epochs are read before the rest is left.
const BAD: usize = 100;

/// A segment as it begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Epoch {
    /// The segment, counted from 1.
    pub(crate) segment: u32,
    /// Its public key (ed25519), 64 hexadecimal digits.
    pub(crate) key: String,
    /// The number of the last record before it.
    pub(crate) seq: u64,
    /// The hash of that record.
    pub(crate) head: String,
    /// When it was begun.
    pub(crate) time: String,
    /// Why nothing seals the segment before, where that is so; then the signature is that of the segment's own key, as it
    /// is in the first one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) unsealed: String,
    /// The signature over all of this, 128 hexadecimal digits.
    pub(crate) signature: String,
}

impl Epoch {
    /// What is signed.
    fn text(&self) -> String {
        let Self {
            segment,
            key,
            seq,
            head,
            time,
            unsealed,
            ..
        } = self;
        let unsealed = Hash::of(unsealed.as_bytes());
        format!(
            "tollgate-epoch 1\nsegment={segment}\nkey={key}\nseq={seq}\nhead={head}\ntime={time}\nunsealed={unsealed}\n"
        )
    }

    /// The epoch of the segment that comes after `head`, with its line.
    pub(crate) fn after(head: &Head, next: &Key, by: Option<&Key>, unsealed: &str) -> Self {
        let mut epoch = Self {
            segment: next.segment,
            key: next.public().into(),
            seq: head.seq,
            head: head.hash.hex(),
            time: Stamp::now().time,
            unsealed: unsealed.into(),
            signature: String::new(),
        };
        epoch.signature = by.unwrap_or(next).sign(&epoch.text());
        epoch
    }

    /// Whether the signature is that of a public key.
    pub(crate) fn signed_by(&self, public: &str) -> bool {
        key::signed(public, &self.text(), &self.signature)
    }

    /// Whether it is the epoch that begins with `key` after `head`.
    pub(crate) fn begins(&self, key: &Key, head: &Head) -> bool {
        (self.segment, self.seq) == (key.segment, head.seq) && self.key == key.public() && self.head == head.hash.hex()
    }

    /// Reads a line in the one spelling that we write.
    fn parse(line: &[u8]) -> Option<Self> {
        let epoch: Self = serde_json::from_slice(line).ok()?;
        (serde_json::to_vec(&epoch).ok()? == line).then_some(epoch)
    }

    /// Its line. Plain strings and numbers cannot fail to be written.
    fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

/// What the file of epochs holds.
#[derive(Debug, Default)]
pub(crate) struct Epochs {
    /// The whole lines; `None` for one that is no epoch.
    pub(crate) lines: Vec<Option<Epoch>>,
    /// Where the last whole line ends.
    end: u64,
    /// There is more than any file of ours holds.
    pub(crate) too_long: bool,
}

impl Epochs {
    /// Reads the file.
    pub(crate) fn read(folder: &Folder) -> Result<Self, LedgerError> {
        let Some(log) = folder.read_epochs()? else {
            return Ok(Self::default());
        };
        if log.len > LARGEST {
            return Ok(Self {
                too_long: true,
                end: log.len,
                ..Self::default()
            });
        }
        let bytes = log.read(0, log.len)?;
        let end = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let whole = bytes.get(..end).unwrap_or_default();
        let lines = whole.split_inclusive(|b| *b == b'\n');
        let parse = |line: &[u8]| Epoch::parse(line.strip_suffix(b"\n").unwrap_or(line));
        let (mut parsed, mut bad) = (Vec::new(), 0);
        for line in lines {
            let epoch = parse(line);
            bad += usize::from(epoch.is_none());
            parsed.push(epoch);
            if bad > BAD {
                break;
            }
        }
        Ok(Self {
            lines: parsed,
            end: end as u64,
            too_long: bad > BAD,
        })
    }

    /// The last line, where it is an epoch.
    pub(crate) fn last(&self) -> Option<&Epoch> {
        self.lines.last()?.as_ref()
    }

    /// The epoch of a segment: the last that says so.
    pub(crate) fn of(&self, segment: u32) -> Option<&Epoch> {
        let mut epochs = self.lines.iter().rev().flatten();
        epochs.find(|epoch| epoch.segment == segment)
    }

    /// Adds a line and puts it on the disk. What a crash left of a line before is cut off.
    pub(crate) fn add(&self, folder: &Folder, epoch: &Epoch) -> Result<(), LedgerError> {
        let mut log = folder.epochs()?;
        if log.len > self.end {
            log.truncate(self.end)?;
        }
        log.append(&epoch.line())?;
        log.sync()
    }

    /// Takes a line back that no segment has come of.
    pub(crate) fn clear(folder: &Folder) -> Result<(), LedgerError> {
        folder.epochs()?.truncate(0)
    }
}
