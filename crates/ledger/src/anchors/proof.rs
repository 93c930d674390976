//! Proofs as texts that can be checked without the log (C2SP `tlog-proof`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::merkle;
use super::note::{Checkpoint, public_of};
use crate::hash::Hash;

const MAGIC: &str = "c2sp.org/tlog-proof@v1";

/// What is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// That this leaf is in the tree.
    Index(u64),
    /// That the tree of this size is the beginning.
    Since(u64),
}

/// A proof with the checkpoint that it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    kind: Kind,
    hashes: Vec<Hash>,
    note: String,
}

/// What a proof has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proved {
    /// This line is among the records that the checkpoint counts.
    Record(Checkpoint),
    /// The earlier checkpoint is about the beginning of the same log.
    Beginning {
        /// The earlier one.
        earlier: Checkpoint,
        /// The later one.
        later: Checkpoint,
    },
}

/// Why a proof shows nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofError {
    /// It is no proof.
    Malformed,
    /// The checkpoint is not signed by the key.
    Unsigned,
    /// The hashes do not lead to the checkpoint's root.
    Wrong,
    /// What is to be proved was not given: the record's line, or the earlier checkpoint.
    Missing,
}

impl ProofError {
    /// What is wrong, as in "the proof `is none`".
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "cannot be read as a proof",
            Self::Unsigned => "has a checkpoint that the key did not sign",
            Self::Wrong => "does not lead to what the checkpoint says",
            Self::Missing => "is about something that was not given",
        }
    }
}

impl Proof {
    pub(super) const fn inclusion(index: u64, hashes: Vec<Hash>, note: String) -> Self {
        let kind = Kind::Index(index);
        Self { kind, hashes, note }
    }

    pub(super) const fn consistency(size: u64, hashes: Vec<Hash>, note: String) -> Self {
        let kind = Kind::Since(size);
        Self { kind, hashes, note }
    }

    /// The number of the record that it is about; `None` where it is about an earlier checkpoint.
    #[must_use]
    pub const fn seq(&self) -> Option<u64> {
        match self.kind {
            Kind::Index(index) => Some(index.saturating_add(1)),
            Kind::Since(_) => None,
        }
    }

    /// The proof as a text.
    #[must_use]
    pub fn text(&self) -> String {
        let what = match self.kind {
            Kind::Index(index) => format!("index {index}"),
            Kind::Since(size) => format!("since {size}"),
        };
        let hashes: String = self.hashes.iter().map(|h| STANDARD.encode(h.bytes()) + "\n").collect();
        format!("{MAGIC}\n{what}\n{hashes}\n{}", self.note)
    }

    /// Reads a proof.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, ProofError> {
        let read = || {
            let (head, note) = text.split_once("\n\n")?;
            let mut lines = head.lines();
            if lines.next()? != MAGIC {
                return None;
            }
            let (word, number) = lines.next()?.split_once(' ')?;
            let number: u64 = number.parse().ok()?;
            let kind = match word {
                "index" => Kind::Index(number),
                "since" => Kind::Since(number),
                _ => return None,
            };
            let hash = |line: &str| Some(Hash::from_bytes(STANDARD.decode(line).ok()?.try_into().ok()?));
            let hashes: Option<Vec<Hash>> = lines.map(hash).collect();
            Some(Self {
                kind,
                hashes: hashes?,
                note: note.to_owned(),
            })
        };
        read().ok_or(ProofError::Malformed)
    }

    /// Checks the proof with the machine's public key alone: for a record, with its stored line; for an earlier
    /// checkpoint, with its note.
    ///
    /// # Errors
    /// When it shows nothing.
    pub fn check(&self, verifier: &str, line: Option<&[u8]>, earlier: Option<&str>) -> Result<Proved, ProofError> {
        let public = public_of(verifier).ok_or(ProofError::Unsigned)?;
        let checkpoint = Checkpoint::open(&self.note, &public).ok_or(ProofError::Unsigned)?;
        match self.kind {
            Kind::Index(index) => {
                let leaf = merkle::leaf(line.ok_or(ProofError::Missing)?);
                let root = merkle::root_of(index, checkpoint.size, &leaf, &self.hashes);
                if root == Some(checkpoint.root) {
                    Ok(Proved::Record(checkpoint))
                } else {
                    Err(ProofError::Wrong)
                }
            }
            Kind::Since(size) => {
                let earlier = Checkpoint::open(earlier.ok_or(ProofError::Missing)?, &public);
                let earlier = earlier.ok_or(ProofError::Unsigned)?;
                let fits = earlier.size == size && earlier.origin == checkpoint.origin;
                let (old, new) = (&earlier.root, &checkpoint.root);
                if fits && merkle::is_beginning(size, checkpoint.size, old, new, &self.hashes) {
                    let later = checkpoint;
                    Ok(Proved::Beginning { earlier, later })
                } else {
                    Err(ProofError::Wrong)
                }
            }
        }
    }
}
