//! The key of a segment: it seals the head file, signs what was mended, and at the segment's end signs the end and the
//! next key. Then it is erased, so that whoever steals a key later cannot write older segments anew.

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::error::LedgerError;
use crate::hash::{Hash, hex, unhex};

/// What a key file starts with.
const MAGIC: &str = "tollgate-key 1";
const CHECK: &str = " check=";

/// The private key of one segment.
#[derive(Clone)]
pub(crate) struct Key {
    /// The segment that it belongs to.
    pub(crate) segment: u32,
    seed: [u8; 32],
    /// The public key, 64 hexadecimal digits: made once and kept, since making it costs more than an append.
    public: String,
}

impl Key {
    /// A new key for a segment.
    pub(crate) fn new(segment: u32) -> Result<Self, LedgerError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|_| LedgerError::NoRandomness)?;
        let public = hex(SigningKey::from_bytes(&seed).verifying_key().as_bytes());
        Ok(Self { segment, seed, public })
    }

    /// The public key as it stands in the record that opens the segment.
    pub(crate) fn public(&self) -> &str {
        &self.public
    }

    /// The signature of a text, 128 hexadecimal digits.
    pub(crate) fn sign(&self, text: &str) -> String {
        hex(&SigningKey::from_bytes(&self.seed).sign(text.as_bytes()).to_bytes())
    }

    /// What seals a text for nobody but this ledger itself: cheaper than a signature, and needed for every append.
    pub(crate) fn seal(&self, text: &str) -> Hash {
        // The signing key itself is used for nothing but signatures.
        let sealing = mac(&self.seed, b"tollgate-head");
        Hash::from_bytes(mac(&sealing, text.as_bytes()))
    }

    /// The content of the key file, of one length, so that it can be written over.
    pub(crate) fn text(&self) -> String {
        let Self { segment, seed, public } = self;
        let fields = format!("{MAGIC} segment={segment:06} seed={} public={public}", hex(seed));
        let check = Hash::of(fields.as_bytes());
        format!("{fields}{CHECK}{check}\n")
    }

    /// Reads the content of a key file: the one spelling that we write.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let (fields, check) = text.strip_suffix('\n')?.split_once(CHECK)?;
        if Hash::of(fields.as_bytes()).hex() != check {
            return None;
        }
        let mut words = fields.strip_prefix(MAGIC)?.split_ascii_whitespace();
        let mut field = |name| words.next()?.strip_prefix(name);
        Some(Self {
            segment: field("segment=")?.parse().ok()?,
            seed: unhex(field("seed=")?)?,
            public: field("public=")?.into(),
        })
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Key({}, {})", self.segment, self.public)
    }
}

/// Whether a signature of a text is that of a public key. Weak keys and second spellings of a signature are refused.
pub(crate) fn signed(public: &str, text: &str, signature: &str) -> bool {
    let check = || {
        let key = VerifyingKey::from_bytes(&unhex(public)?).ok()?;
        let signature = Signature::from_bytes(&unhex(signature)?);
        key.verify_strict(text.as_bytes(), &signature).ok()
    };
    check().is_some()
}

/// HMAC-SHA256.
fn mac(key: &[u8; 32], text: &[u8]) -> [u8; 32] {
    // HMAC itself fills a short key with zeros up to the size of a block.
    let mut block = [0; 64];
    for (to, from) in block.iter_mut().zip(key) {
        *to = *from;
    }
    let mut mac = Hmac::<Sha256>::new(&block.into());
    mac.update(text);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_and_every_flipped_bit_is_noticed() {
        let key = Key::new(7).unwrap();
        let text = key.text().into_bytes();
        assert_eq!(
            text.len(),
            Key::new(999_999).unwrap().text().len(),
            "all have one length"
        );
        let back = Key::parse(&text).unwrap();
        assert_eq!((back.segment, back.seed, back.public()), (7, key.seed, key.public()));
        for bit in 0..text.len() * 8 {
            let mut bad = text.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(Key::parse(&bad).is_none(), "bit {bit}");
        }
    }

    #[test]
    fn a_signature_is_that_of_one_key_and_one_text() {
        let (one, other) = (Key::new(1).unwrap(), Key::new(1).unwrap());
        let signature = one.sign("text");
        assert!(signed(one.public(), "text", &signature));
        assert!(!signed(other.public(), "text", &signature));
        assert!(!signed(one.public(), "texts", &signature));
        assert!(!signed(one.public(), "text", "00"));
        assert_ne!(one.seal("text"), other.seal("text"));
    }

    #[test]
    fn a_seal_is_hmac_sha256() {
        // RFC 4231, test case 2 with the key filled up by zeros, as HMAC does.
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");
        let tag = mac(&key, b"what do ya want for nothing?");
        assert_eq!(
            hex(&tag),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }
}
