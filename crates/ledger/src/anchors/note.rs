//! Checkpoints as signed notes (C2SP `signed-note` and `tlog-checkpoint`): texts that other programs read, too.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::hash::{Hash, unhex};
use crate::key::{self, Key};

/// The kind of signature: ed25519.
const ED25519: u8 = 1;

/// What a log was at a moment, as its machine signed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The log's name, made of its machine's public key.
    pub origin: String,
    /// How many records the tree counts.
    pub size: u64,
    /// The root of the tree over them.
    pub root: Hash,
    /// The number of the last record.
    pub seq: u64,
    /// Its hash: the head of the chain.
    pub head: Hash,
    /// When it was made (RFC 3339, UTC).
    pub time: String,
}

/// The name of the log of a machine.
pub(crate) fn origin(public: &str) -> String {
    let id = Hash::of(public.as_bytes()).hex();
    format!("tollgate.invalid/{}", id.get(..16).unwrap_or(&id))
}

/// The public key in the form that readers of notes take.
pub(crate) fn verifier(public: &str) -> String {
    let name = origin(public);
    let key: [u8; 32] = unhex(public).unwrap_or_default();
    let id = key_id(&name, &key);
    let typed = [&[ED25519][..], &key].concat();
    format!("{name}+{}+{}", crate::hash::hex(&id), STANDARD.encode(typed))
}

/// The public key out of that form; `None` where the text is none such.
pub(crate) fn public_of(verifier: &str) -> Option<String> {
    let (name, rest) = verifier.trim().split_once('+')?;
    let (id, key) = rest.split_once('+')?;
    let typed = STANDARD.decode(key).ok()?;
    let key: [u8; 32] = typed.strip_prefix(&[ED25519])?.try_into().ok()?;
    (crate::hash::hex(&key_id(name, &key)) == id).then(|| crate::hash::hex(&key))
}

/// What tells keys apart in a note.
fn key_id(name: &str, key: &[u8; 32]) -> [u8; 4] {
    let mut sha = Sha256::new();
    sha.update(name.as_bytes());
    sha.update([b'\n', ED25519]);
    sha.update(key);
    let digest: [u8; 32] = sha.finalize().into();
    let [a, b, c, d, ..] = digest;
    [a, b, c, d]
}

impl Checkpoint {
    /// The text that is signed.
    fn body(&self) -> String {
        let Self {
            origin,
            size,
            seq,
            head,
            time,
            ..
        } = self;
        let root = STANDARD.encode(self.root.bytes());
        format!("{origin}\n{size}\n{root}\nseq {seq}\nhead {head}\ntime {time}\n")
    }

    /// The signed note.
    pub(crate) fn note(&self, machine: &Key) -> String {
        let body = self.body();
        let signature: [u8; 64] = unhex(&machine.sign(&body)).unwrap_or([0; 64]);
        let key: [u8; 32] = unhex(machine.public()).unwrap_or_default();
        let signed = [&key_id(&self.origin, &key)[..], &signature].concat();
        format!("{body}\n\u{2014} {} {}\n", self.origin, STANDARD.encode(signed))
    }

    /// Reads a note that a public key has signed. Lines that it does not know, and signatures of others, are read over.
    pub(crate) fn open(note: &str, public: &str) -> Option<Self> {
        let (body, signatures) = note.split_once("\n\n")?;
        let body = format!("{body}\n");
        let mut lines = body.lines();
        let origin = lines.next()?.to_owned();
        let size = lines.next()?.parse().ok()?;
        let root: [u8; 32] = STANDARD.decode(lines.next()?).ok()?.try_into().ok()?;
        let field = |name: &str| {
            let mut lines = body.lines().skip(3);
            lines.find_map(|line| line.strip_prefix(name).map(str::to_owned))
        };
        let checkpoint = Self {
            size,
            root: Hash::from_bytes(root),
            seq: field("seq ")?.parse().ok()?,
            head: Hash::parse(&field("head ")?)?,
            time: field("time ")?,
            origin,
        };
        let id = key_id(&checkpoint.origin, &unhex(public)?);
        let signed = |line: &str| {
            let rest = line.strip_prefix("\u{2014} ")?;
            let bytes = STANDARD
                .decode(rest.strip_prefix(checkpoint.origin.as_str())?.trim())
                .ok()?;
            let signature = crate::hash::hex(bytes.strip_prefix(&id)?);
            key::signed(public, &body, &signature).then_some(())
        };
        signatures.lines().find_map(signed)?;
        Some(checkpoint)
    }
}

/// The notes in a text that holds one after the other.
pub(crate) fn notes(text: &str) -> Vec<String> {
    let mut notes = Vec::new();
    let (mut note, mut signed) = (String::new(), false);
    for line in text.lines() {
        let signature = line.starts_with("\u{2014} ");
        if signed && !signature {
            notes.push(std::mem::take(&mut note));
        }
        // An empty line between two notes belongs to neither.
        if !(note.is_empty() && line.is_empty()) {
            note.push_str(line);
            note.push('\n');
        }
        signed = signature;
    }
    if signed {
        notes.push(note);
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint(key: &Key) -> Checkpoint {
        Checkpoint {
            origin: origin(key.public()),
            size: 7,
            root: Hash::of(b"root"),
            seq: 7,
            head: Hash::of(b"head"),
            time: "2026-01-01T00:00:00.000Z".into(),
        }
    }

    #[test]
    fn a_note_is_read_back_by_the_key_that_signed_it_alone() {
        let (key, other) = (Key::new(0).unwrap(), Key::new(0).unwrap());
        let note = checkpoint(&key).note(&key);
        assert_eq!(Checkpoint::open(&note, key.public()), Some(checkpoint(&key)));
        assert_eq!(Checkpoint::open(&note, other.public()), None);
        for (at, _) in note.char_indices() {
            let mut bad = note.clone().into_bytes();
            bad[at] ^= 1;
            let Ok(bad) = String::from_utf8(bad) else { continue };
            assert_ne!(Checkpoint::open(&bad, key.public()), Some(checkpoint(&other)), "{at}");
            assert!(
                Checkpoint::open(&bad, key.public()).is_none_or(|c| c == checkpoint(&key)),
                "{at}: {bad}"
            );
        }
        let verifier = verifier(key.public());
        assert_eq!(public_of(&verifier).as_deref(), Some(key.public()));
        assert_eq!(public_of(&verifier.replace("tollgate", "tollgates")), None);
    }

    #[test]
    fn notes_that_follow_each_other_are_told_apart() {
        let key = Key::new(0).unwrap();
        let note = checkpoint(&key).note(&key);
        assert_eq!(
            notes(&format!("{note}\n{note}{note}")),
            [note.clone(), note.clone(), note.clone()]
        );
        assert_eq!(notes(&format!("{note}half a note\n")), [note]);
        assert_eq!(notes(""), Vec::<String>::new());
    }
}
