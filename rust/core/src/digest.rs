//! SHA-256.

use sha2::{Digest as _, Sha256};

/// Lower-case hex of SHA-256 over `pieces`, one after another.
#[must_use]
pub fn sha256_hex<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for piece in pieces {
        hash.update(piece);
    }
    hex(&hash.finalize())
}

/// The first ten bytes of SHA-256 over `pieces` as twenty hex characters: an identity hash.
pub(crate) fn identity_hex(pieces: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for piece in pieces {
        hash.update(piece);
    }
    hex(hash.finalize().get(..10).unwrap_or_default())
}

/// Lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 0xF])
        .filter_map(|nibble| char::from_digit(u32::from(nibble), 16))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        assert_eq!(
            sha256_hex([b"abc".as_slice()]),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            sha256_hex([b"a".as_slice(), b"bc"]),
            sha256_hex([b"abc".as_slice()])
        );
        assert_eq!(identity_hex(&[b"abc"]), "ba7816bf8f01cfea4141");
    }
}
