//! The audit draw: each item is in the sample or not by its own hash, so the sample does not
//! depend on the order of the queue or on the other items.

use crate::error::{Checked, Code, Path, Refusal};
use crate::{json, threads};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;

/// Names for which another thread is worth starting.
const WORTHWHILE: usize = 2_000;

/// A rate and a seed that were checked.
pub struct Draw {
    rate: f64,
    /// The hashed text up to the name.
    prefix: Vec<u8>,
}

impl Draw {
    /// Checks `rate` (above 0, at most 1) and `seed` (1 to 256 characters; a letter or digit,
    /// then also `. _ : @ / + ~ -`).
    pub fn new(rate: f64, seed: &str) -> Checked<Self> {
        let refuse = |name, message: &'static str| {
            Err(Refusal::at(
                Code::AuditOptionsInvalid,
                &Path::Root.name(name),
                message,
            ))
        };
        if !(rate > 0.0 && rate <= 1.0) {
            return refuse("rate", "the rate is a number above 0 and at most 1");
        }
        if !is_seed(seed) {
            return refuse(
                "seed",
                "the seed is 1 to 256 characters: a letter or digit, then also . _ : @ / + ~ -",
            );
        }
        let mut text = b"[\"survey.random-audit.v1\",".to_vec();
        json::write_string(seed, &mut text);
        text.push(b',');
        Ok(Self { rate, prefix: text })
    }

    /// Places of the names that the draw includes, ascending.
    ///
    /// # Errors
    /// The place of a name that stands there for the second time.
    pub fn places(&self, names: &[&str], asked: usize) -> Result<Vec<usize>, usize> {
        let bits = self.all_bits(names, asked);
        if let Some(place) = repeated(names, &bits) {
            return Err(place);
        }
        let included = bits
            .iter()
            .enumerate()
            .filter(|(_, bits)| fraction(**bits) < self.rate);
        Ok(included.map(|(place, _)| place).collect())
    }

    fn all_bits(&self, names: &[&str], asked: usize) -> Vec<u64> {
        let shares = threads::map_shares(names, asked, WORTHWHILE, &|names: &[&str]| {
            let mut buffer = Vec::new();
            names
                .iter()
                .map(|name| self.bits(name, &mut buffer))
                .collect::<Vec<u64>>()
        });
        shares.concat()
    }

    /// Whether the item called `name` is in the sample. `buffer` is scratch space.
    #[must_use]
    pub fn includes(&self, name: &str, buffer: &mut Vec<u8>) -> bool {
        self.number(name, buffer) < self.rate
    }

    /// The item's number in [0, 1): the first 52 bits of the hash over 2^52.
    #[must_use]
    pub fn number(&self, name: &str, buffer: &mut Vec<u8>) -> f64 {
        fraction(self.bits(name, buffer))
    }

    /// The first 64 bits of the item's hash.
    fn bits(&self, name: &str, buffer: &mut Vec<u8>) -> u64 {
        buffer.clear();
        buffer.extend_from_slice(&self.prefix);
        json::write_string(name, buffer);
        buffer.push(b']');
        let hash = Sha256::digest(&buffer);
        hash.first_chunk::<8>()
            .map_or(0, |bytes| u64::from_be_bytes(*bytes))
    }
}

/// The first 52 bits over 2^52.
#[expect(clippy::cast_precision_loss, reason = "52 bits fit a double exactly")]
fn fraction(bits: u64) -> f64 {
    (bits >> 12) as f64 / (1_u64 << 52) as f64
}

/// The place of a name that stands there for the second time. Equal names have equal hashes,
/// so names are compared only where hashes are.
fn repeated(names: &[&str], bits: &[u64]) -> Option<usize> {
    let mut sorted: Vec<u64> = bits.to_vec();
    sorted.sort_unstable();
    if sorted.windows(2).all(|pair| pair.first() != pair.last()) {
        return None;
    }
    let mut seen = BTreeSet::new();
    names.iter().position(|name| !seen.insert(*name))
}

fn is_seed(seed: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._:@/+~-".contains(&byte);
    seed.len() <= crate::limits::IDENTITY
        && seed
            .bytes()
            .next()
            .is_some_and(|first| first.is_ascii_alphanumeric())
        && seed.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "the numbers are exact")]
    fn golden_draws() {
        for (seed, name, number) in [
            ("seed-a", "item-1", 0.789_604_179_478_992_8),
            ("seed-a", "item-2", 0.373_852_992_021_859_2),
            ("seed-a", "item-3", 0.274_826_875_746_344_8),
            (
                "audit-2026-09",
                "public-directory-hours",
                0.930_033_237_627_548_4,
            ),
            (
                "audit-2026-09",
                "public-directory-phone",
                0.892_099_563_903_335_6,
            ),
        ] {
            assert_eq!(
                Draw::new(1.0, seed).unwrap().number(name, &mut Vec::new()),
                number
            );
        }
    }

    #[test]
    fn options_are_checked() {
        for (rate, seed) in [
            (0.0, "a"),
            (1.01, "a"),
            (f64::NAN, "a"),
            (-0.1, "a"),
            (0.5, ""),
            (0.5, "a b"),
            (0.5, "-a"),
        ] {
            assert_eq!(
                Draw::new(rate, seed).err().map(|refusal| refusal.code),
                Some(Code::AuditOptionsInvalid)
            );
        }
        assert!(Draw::new(0.5, &"a".repeat(256)).is_ok());
        assert!(Draw::new(0.5, &"a".repeat(257)).is_err());
    }
}
