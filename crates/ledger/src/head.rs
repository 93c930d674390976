//! The head: where the chain ends, as acknowledged to whoever appended last.

use crate::hash::Hash;
use crate::key::Key;

/// What the head file starts with.
const MAGIC: &str = "tollgate-head 2";
/// Separates the fields from the seal over them.
const SEAL: &str = " seal=";
/// Stands for a boot that the system does not name: all heads have one length.
const NO_BOOT: &str = "------------------------------------";
/// Stands for the time of no record.
const NO_TIME: &str = "------------------------";

/// What has to be known about the state of the ledger's disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Condition {
    /// Nothing is known to be wrong.
    #[default]
    Good,
    /// A flush of this segment failed: what the system says it holds may not be on the disk. Nothing more is written to
    /// it.
    Suspect,
    /// The disk was full, and the reserve was used.
    Spent,
    /// The next segment is about to be begun: a crash may have left its line among the epochs.
    Turning,
}

impl Condition {
    const ALL: [(Self, &str); 4] = [
        (Self::Good, "good"),
        (Self::Suspect, "susp"),
        (Self::Spent, "full"),
        (Self::Turning, "turn"),
    ];

    fn as_str(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(c, _)| *c == self)
            .map_or("good", |(_, word)| word)
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, w)| *w == word).map(|(c, _)| *c)
    }
}

/// The end of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The open segment.
    pub(crate) segment: u32,
    /// Sequence number of the last record; 0 before the first.
    pub(crate) seq: u64,
    /// Where the last record's line starts in the segment; 0 where the segment has none yet.
    pub(crate) start: u64,
    /// Where it ends, newline included: the length of the segment.
    pub(crate) end: u64,
    /// Its hash.
    pub(crate) hash: Hash,
    /// The last record that was flushed to the disk. What comes after it could be lost with the machine's power.
    pub(crate) flushed: u64,
    /// How often acknowledged records were found to be lost or changed.
    pub(crate) losses: u64,
    /// The time of the last record, as it stands there.
    pub(crate) time: String,
    /// The boot clock of the last record, in nanoseconds.
    pub(crate) mono_ns: u64,
    /// The boot of the last record.
    pub(crate) boot: String,
    /// What is known about the disk.
    pub(crate) condition: Condition,
}

/// What the head file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// There is none.
    Absent,
    /// It is there and cannot be read as a head, or its seal is not that of the segment's key.
    Damaged,
    /// It holds this head.
    Valid(Head),
}

impl Head {
    /// Before the first record.
    pub(crate) const GENESIS: Self = Self {
        segment: 1,
        seq: 0,
        start: 0,
        end: 0,
        hash: Hash::GENESIS,
        flushed: 0,
        losses: 0,
        time: String::new(),
        mono_ns: 0,
        boot: String::new(),
        condition: Condition::Good,
    };

    /// The same end, at the beginning of another segment. What came before is on the disk by then.
    pub(crate) fn turned(&self, segment: u32) -> Self {
        Self {
            segment,
            start: 0,
            end: 0,
            flushed: self.seq,
            condition: Condition::Good,
            ..self.clone()
        }
    }

    /// The content of the head file. Every field has a fixed width, so that writing over the old head leaves nothing of
    /// it behind.
    pub(crate) fn text(&self, key: &Key) -> String {
        let fields = self.fields();
        let seal = key.seal(&fields);
        format!("{fields}{SEAL}{seal}\n")
    }

    fn fields(&self) -> String {
        let Self {
            segment,
            seq,
            start,
            end,
            hash,
            ..
        } = self;
        let Self {
            flushed,
            losses,
            time,
            mono_ns,
            boot,
            ..
        } = self;
        let (time, boot) = (wide(time, NO_TIME), wide(boot, NO_BOOT));
        let condition = self.condition.as_str();
        format!(
            "{MAGIC} segment={segment:06} seq={seq:020} start={start:020} end={end:020} hash={hash} \
             flushed={flushed:020} losses={losses:010} time={time} mono={mono_ns:020} boot={boot} \
             state={condition}"
        )
    }

    /// Reads the content of the head file. Whether it is sealed is another question: [`Self::sealed`].
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let (fields, _) = std::str::from_utf8(text).ok()?.split_once(SEAL)?;
        let mut words = fields.strip_prefix(MAGIC)?.split_ascii_whitespace();
        let mut field = |name| words.next()?.strip_prefix(name);
        let head = Self {
            segment: field("segment=")?.parse().ok()?,
            seq: field("seq=")?.parse().ok()?,
            start: field("start=")?.parse().ok()?,
            end: field("end=")?.parse().ok()?,
            hash: Hash::parse(field("hash=")?)?,
            flushed: field("flushed=")?.parse().ok()?,
            losses: field("losses=")?.parse().ok()?,
            time: narrow(field("time=")?, NO_TIME),
            mono_ns: field("mono=")?.parse().ok()?,
            boot: narrow(field("boot=")?, NO_BOOT),
            condition: Condition::parse(field("state=")?)?,
        };
        (head.start <= head.end).then_some(head)
    }

    /// Whether `text` is this head in the one spelling that we write, sealed by `key`.
    pub(crate) fn sealed(&self, text: &[u8], key: &Key) -> bool {
        key.segment == self.segment && self.text(key).as_bytes() == text
    }
}

/// A text of the width that it has to have.
fn wide<'a>(text: &'a str, none: &'a str) -> &'a str {
    if text.len() == none.len() { text } else { none }
}

fn narrow(text: &str, none: &str) -> String {
    if text == none { String::new() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Head {
        Head {
            segment: 3,
            seq: 7,
            start: 1200,
            end: 1500,
            hash: Hash::of(b"x"),
            flushed: 6,
            time: "2026-01-01T00:00:00.000Z".into(),
            mono_ns: 5,
            boot: "01234567-89ab-cdef-0123-456789abcdef".into(),
            condition: Condition::Spent,
            ..Head::GENESIS
        }
    }

    #[test]
    fn a_head_is_read_back_and_every_flipped_bit_is_noticed() {
        let (head, key) = (head(), Key::new(3).unwrap());
        let good = |bytes: &[u8]| Head::parse(bytes).is_some_and(|read| read.sealed(bytes, &key));
        let text = head.text(&key).into_bytes();
        assert_eq!(Head::parse(&text), Some(head.clone()));
        assert!(good(&text));
        assert!(!head.sealed(&text, &Key::new(3).unwrap()), "another key");
        for bit in 0..text.len() * 8 {
            let mut bad = text.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(!good(&bad), "bit {bit}");
        }
        for cut in 0..text.len() {
            assert!(!good(&text[..cut]), "first {cut} bytes");
        }
    }

    #[test]
    fn all_heads_have_one_length() {
        let key = Key::new(1).unwrap();
        let big = Head {
            segment: 999_999,
            seq: u64::MAX,
            start: u64::MAX,
            end: u64::MAX,
            flushed: u64::MAX,
            mono_ns: u64::MAX,
            ..head()
        };
        assert_eq!(big.text(&key).len(), Head::GENESIS.text(&key).len());
        assert!(big.text(&key).len() <= 512, "it lies in one sector");
    }
}
