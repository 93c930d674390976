//! Anchors: signed statements of what the log was, to be kept where whoever can write to the log cannot.
//!
//! A key of the machine signs them. It is not a segment's: it lasts, so that a reader elsewhere needs to know one key.

mod merkle;
mod note;
mod proof;
mod tiles;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use note::Checkpoint;
pub use proof::{Proof, ProofError, Proved};

use crate::error::LedgerError;
use crate::folder::{ANCHORS, Folder};
use crate::hash::Hash;
use crate::key::Key;
use crate::lines::{Line, Link};
use crate::records::show;
use crate::stamp::Stamp;
use merkle::leaf;
use tiles::Tiles;

const MACHINE: &str = "machine.key";
/// All checkpoints that were made here, one after the other.
const CHECKPOINTS: &str = "checkpoints";
/// More than a file of checkpoints holds.
const LARGEST: u64 = 16 << 20;

/// The anchors of a ledger.
#[derive(Debug)]
pub struct Anchors {
    ledger: PathBuf,
    folder: PathBuf,
}

/// A checkpoint and the note in which it is signed.
#[derive(Clone, Debug)]
pub struct Anchored {
    /// What the log was.
    pub checkpoint: Checkpoint,
    /// The signed note.
    pub note: String,
    /// The public key of the machine, as readers of notes take it.
    pub verifier: String,
}

impl Anchors {
    /// The anchors of the ledger in `dir`. Nothing is made before the first.
    #[must_use]
    pub fn of(dir: &Path) -> Self {
        Self {
            ledger: dir.to_path_buf(),
            folder: dir.join(ANCHORS),
        }
    }

    /// States what the log is now. The tree is made of the whole log each time: what is signed is what stands there.
    ///
    /// # Errors
    /// When the ledger cannot be read, or what stands there is not what the last checkpoint was about.
    pub fn make(&self) -> Result<Anchored, LedgerError> {
        let _one_at_a_time = self.lock()?;
        let key = self.machine_key()?;
        let (tiles, (seq, head)) = self.grow(None)?;
        self.check_last(&tiles, &key)?;
        let size = tiles.size;
        let checkpoint = Checkpoint {
            origin: note::origin(key.public()),
            size,
            root: tiles.root(size).map_err(self.io("read"))?,
            seq,
            head,
            time: Stamp::now().time,
        };
        let note = checkpoint.note(&key);
        tiles.save().map_err(self.io("write"))?;
        self.put(CHECKPOINTS, &[self.text(CHECKPOINTS)?, note.clone()].join(""))?;
        Ok(Anchored {
            checkpoint,
            note,
            verifier: note::verifier(key.public()),
        })
    }

    /// The right to write here, until it is dropped.
    fn lock(&self) -> Result<fs::File, LedgerError> {
        Folder::open_or_create(&self.ledger)?;
        Folder::open_or_create(&self.folder)?;
        let folder = fs::File::open(&self.folder).map_err(self.io("open"))?;
        crate::lock::wait(&folder).map_err(self.io("lock"))?;
        Ok(folder)
    }

    /// The checkpoints that were made here and bear the machine's signature; with them how many texts do not.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn made(&self) -> Result<(Vec<Checkpoint>, u64), LedgerError> {
        let Some(key) = self.read_key()? else {
            return Ok((Vec::new(), note::notes(&self.text(CHECKPOINTS)?).len() as u64));
        };
        let notes = note::notes(&self.text(CHECKPOINTS)?);
        let good: Vec<_> = notes
            .iter()
            .filter_map(|note| Checkpoint::open(note, key.public()))
            .collect();
        let bad = notes.len() - good.len();
        Ok((good, bad as u64))
    }

    /// The checkpoints in a text that was kept elsewhere. `verifier` is the machine's public key as that place knows it;
    /// without one, the key that is here is taken. Returns how many notes it did not sign, too.
    ///
    /// # Errors
    /// When the key cannot be read.
    pub fn kept(&self, text: &str, verifier: Option<&str>) -> Result<(Vec<Checkpoint>, u64), LedgerError> {
        let public = match verifier {
            Some(verifier) => note::public_of(verifier),
            None => self.read_key()?.map(|key| key.public().to_owned()),
        };
        let notes = note::notes(text);
        let open = |note: &String| Checkpoint::open(note, public.as_deref()?);
        let good: Vec<_> = notes.iter().filter_map(open).collect();
        let bad = notes.len() - good.len();
        Ok((good, bad as u64))
    }

    /// All notes that were made here, one after the other.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn notes(&self) -> Result<String, LedgerError> {
        self.text(CHECKPOINTS)
    }

    /// The machine's public key, as readers of notes take it; `None` before the first anchor.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn verifier(&self) -> Result<Option<String>, LedgerError> {
        Ok(self.read_key()?.map(|key| note::verifier(key.public())))
    }

    /// The proof that a record is among those that the newest checkpoint counts; `None` where it counts none such.
    ///
    /// # Errors
    /// When the ledger or the tree cannot be read.
    pub fn prove(&self, seq: u64) -> Result<Option<Proof>, LedgerError> {
        let Some((checkpoint, note)) = self.newest()? else {
            return Ok(None);
        };
        let Some(index) = self.index_of(seq)?.filter(|index| *index < checkpoint.size) else {
            return Ok(None);
        };
        let size = checkpoint.size;
        let hashes = self.of_tree(size, |tiles| merkle::inclusion(tiles, index, size))?;
        Ok(Some(Proof::inclusion(index, hashes, note)))
    }

    /// The proof that an earlier checkpoint, of `size` records, is about the beginning of the newest one's log.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub fn prove_since(&self, size: u64) -> Result<Option<Proof>, LedgerError> {
        let Some((checkpoint, note)) = self.newest()?.filter(|(newest, _)| size <= newest.size) else {
            return Ok(None);
        };
        let new = checkpoint.size;
        let hashes = self.of_tree(new, |tiles| merkle::consistency(tiles, size, new))?;
        Ok(Some(Proof::consistency(size, hashes, note)))
    }

    fn newest(&self) -> Result<Option<(Checkpoint, String)>, LedgerError> {
        let Some(key) = self.read_key()? else { return Ok(None) };
        let notes = note::notes(&self.text(CHECKPOINTS)?);
        let mut good = notes
            .into_iter()
            .filter_map(|note| Some((Checkpoint::open(&note, key.public())?, note)));
        Ok(good.next_back())
    }

    /// Hashes of the tree of the first `size` leaves: as it was saved, or else made of the log again.
    fn of_tree(&self, size: u64, hashes: impl Fn(&Tiles) -> io::Result<Vec<Hash>>) -> Result<Vec<Hash>, LedgerError> {
        let saved = Tiles::read(self.folder.clone(), size).and_then(|tiles| hashes(&tiles));
        if let Ok(hashes) = saved {
            return Ok(hashes);
        }
        let _one_at_a_time = self.lock()?;
        let (tiles, _) = self.grow(Some(size))?;
        hashes(&tiles).map_err(self.io("read"))
    }

    /// Which leaf a record is, counted from 0: in a log without damage its number less one.
    fn index_of(&self, seq: u64) -> Result<Option<u64>, LedgerError> {
        let Some(mut records) = show(&self.ledger)? else {
            return Ok(None);
        };
        let mut index = 0;
        while let Some(line) = records.read_line().map_err(self.io("read"))? {
            let Line::Whole(line) = line else { continue };
            if Link::parse(line).is_some_and(|link| link.seq == seq) {
                return Ok(Some(index));
            }
            index += 1;
        }
        Ok(None)
    }

    /// The tree must lead to what was signed last: a log that was changed since is not signed again.
    fn check_last(&self, tiles: &Tiles, key: &Key) -> Result<(), LedgerError> {
        let notes = note::notes(&self.text(CHECKPOINTS)?);
        let last = notes
            .iter()
            .filter_map(|note| Checkpoint::open(note, key.public()))
            .next_back();
        match last {
            Some(last) if last.size <= tiles.size => {
                let root = tiles.root(last.size).map_err(self.io("read"))?;
                if root == last.root {
                    Ok(())
                } else {
                    Err(self.changed(&last))
                }
            }
            Some(last) => Err(self.changed(&last)),
            None => Ok(()),
        }
    }

    fn changed(&self, last: &Checkpoint) -> LedgerError {
        LedgerError::Changed {
            path: self.folder.clone(),
            seq: last.seq,
            time: last.time.clone(),
        }
    }

    /// Makes the tree of the log, of all that was acknowledged or of the first lines; with it the number and the hash of the
    /// last record.
    fn grow(&self, size: Option<u64>) -> Result<(Tiles, (u64, Hash)), LedgerError> {
        let (mut tiles, mut last) = (Tiles::new(self.folder.clone()), (0, Hash::GENESIS));
        // Only what was acknowledged is signed.
        let until = acknowledged(&self.ledger)?;
        let Some(mut records) = show(&self.ledger)? else {
            return Ok((tiles, last));
        };
        while size.is_none_or(|size| tiles.size < size)
            && let Some(line) = records.read_line().map_err(self.io("read"))?
        {
            let Line::Whole(line) = line else { continue };
            let seq = Link::parse(line).map_or(last.0, |link| link.seq);
            if until.is_some_and(|until| seq > until) {
                break;
            }
            last = (seq, Hash::of(line));
            tiles.push(leaf(line)).map_err(self.io("write"))?;
        }
        Ok((tiles, last))
    }

    fn machine_key(&self) -> Result<Key, LedgerError> {
        if let Some(key) = self.read_key()? {
            return Ok(key);
        }
        Folder::open_or_create(&self.ledger)?;
        let key = Key::new(0)?;
        self.put(MACHINE, &key.text())?;
        Ok(key)
    }

    fn read_key(&self) -> Result<Option<Key>, LedgerError> {
        let text = self.text(MACHINE)?;
        match Key::parse(text.as_bytes()) {
            Some(key) => Ok(Some(key)),
            None if text.is_empty() => Ok(None),
            None => Err(LedgerError::Unsafe {
                path: self.folder.join(MACHINE),
                why: "is damaged, so nothing can be signed or checked with it",
            }),
        }
    }

    /// A small file of ours; empty where there is none.
    fn text(&self, name: &str) -> Result<String, LedgerError> {
        let path = self.folder.join(name);
        match tiles::get(&path, LARGEST) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Err(e) => Err(LedgerError::io("read", &path)(e)),
        }
    }

    fn put(&self, name: &str, text: &str) -> Result<(), LedgerError> {
        let path = self.folder.join(name);
        tiles::put(&path, text.as_bytes()).map_err(LedgerError::io("write", &path))
    }

    fn io(&self, action: &'static str) -> impl FnOnce(io::Error) -> LedgerError + '_ {
        LedgerError::io(action, &self.folder)
    }
}

/// The number of the last record that was acknowledged; `None` where no head says so.
fn acknowledged(dir: &Path) -> Result<Option<u64>, LedgerError> {
    let Some(folder) = Folder::open(dir)? else {
        return Ok(None);
    };
    let Some(slot) = folder.read_head()? else {
        return Ok(None);
    };
    Ok(crate::head::Head::parse(&slot.read()?).map(|head| head.seq))
}

/// Whether a text is a public key in the form that readers of notes take.
#[must_use]
pub fn is_verifier(text: &str) -> bool {
    note::public_of(text).is_some()
}
