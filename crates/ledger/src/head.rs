//! The head: where the chain ends, as acknowledged to whoever appended last.

use crate::hash::Hash;

/// What the head file starts with.
const MAGIC: &str = "tollgate-head 1";
/// Separates the fields from the checksum over them.
const CHECK: &str = " check=";

/// The end of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Sequence number of the last record; 0 before the first.
    pub(crate) seq: u64,
    /// Where the last record's line starts.
    pub(crate) start: u64,
    /// Where it ends, newline included: the length of the log.
    pub(crate) end: u64,
    /// Its hash.
    pub(crate) hash: Hash,
}

/// What the head file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// There is none.
    Absent,
    /// It is there and cannot be read as a head.
    Damaged,
    /// It holds this head.
    Valid(Head),
}

impl Head {
    /// Before the first record.
    pub(crate) const GENESIS: Self = Self {
        seq: 0,
        start: 0,
        end: 0,
        hash: Hash::GENESIS,
    };

    /// The content of the head file. Every number has a fixed width, so that writing over the old head leaves nothing
    /// of it behind.
    pub(crate) fn text(&self) -> String {
        let Self { seq, start, end, hash } = self;
        let fields = format!("{MAGIC} seq={seq:020} start={start:020} end={end:020} hash={hash}");
        let check = Hash::of(fields.as_bytes());
        format!("{fields}{CHECK}{check}\n")
    }

    /// Reads the content of the head file.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let mut words = text.strip_prefix(MAGIC)?.split_ascii_whitespace();
        let mut field = |name| words.next()?.strip_prefix(name);
        let head = Self {
            seq: field("seq=")?.parse().ok()?,
            start: field("start=")?.parse().ok()?,
            end: field("end=")?.parse().ok()?,
            hash: Hash::parse(field("hash=")?)?,
        };
        // The one spelling that we write, checksum included.
        (head.start <= head.end && head.text() == text).then_some(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_back_and_every_flipped_bit_is_noticed() {
        let head = Head {
            seq: 7,
            start: 1200,
            end: 1500,
            hash: Hash::of(b"x"),
        };
        let text = head.text().into_bytes();
        assert_eq!(Head::parse(&text), Some(head));
        for bit in 0..text.len() * 8 {
            let mut bad = text.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Head::parse(&bad), None, "bit {bit}");
        }
        for cut in 0..text.len() {
            assert_eq!(Head::parse(&text[..cut]), None, "first {cut} bytes");
        }
    }

    #[test]
    fn all_heads_have_one_length() {
        let big = Head {
            seq: u64::MAX,
            start: u64::MAX,
            end: u64::MAX,
            hash: Hash::GENESIS,
        };
        assert_eq!(big.text().len(), Head::GENESIS.text().len());
    }
}
