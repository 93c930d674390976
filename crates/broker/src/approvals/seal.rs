//! Digests and signatures that only this installation can make.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The secret of this installation.
#[derive(Clone)]
pub(crate) struct Secret([u8; 32]);

impl Secret {
    pub(crate) const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The digest of texts under a name. Where one text ends and the next begins is part of it.
    pub(crate) fn digest(&self, name: &str, parts: &[String]) -> String {
        let mut mac = self.keyed();
        for part in [name].into_iter().chain(parts.iter().map(String::as_str)) {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part.as_bytes());
        }
        hex(&mac.finalize().into_bytes())
    }

    /// The signature of a text.
    pub(crate) fn sign(&self, text: &[u8]) -> String {
        let mut mac = self.keyed();
        mac.update(text);
        hex(&mac.finalize().into_bytes())
    }

    /// Whether a signature is that of the text; takes the same time whatever is wrong with it.
    pub(crate) fn signed(&self, text: &[u8], signature: &str) -> bool {
        let mut mac = self.keyed();
        mac.update(text);
        unhex(signature).is_some_and(|bytes| mac.verify_slice(&bytes).is_ok())
    }

    fn keyed(&self) -> Hmac<Sha256> {
        // HMAC itself fills a short key with zeros up to the size of a block.
        let mut key = [0; 64];
        for (to, from) in key.iter_mut().zip(self.0) {
            *to = from;
        }
        Hmac::new(&key.into())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16);
    text.as_bytes()
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
            _ => None,
        })
        .collect()
}
