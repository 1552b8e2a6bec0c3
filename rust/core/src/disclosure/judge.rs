//! Which rules refuse a text, and which refuse a name.

use super::rules::{ENTROPY_RULE, NAMES, RULES};
use regex::{Regex, RegexSet};
use std::sync::LazyLock;

/// No rule refuses a shorter text.
pub(super) const SHORTEST: usize = 2;

#[expect(clippy::expect_used, reason = "a test compiles every pattern")]
static PATTERNS: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(RULES.iter().map(|rule| rule.pattern)).expect("patterns are constant")
});
#[expect(clippy::expect_used, reason = "a test compiles every pattern")]
static NAMED: LazyLock<Regex> = LazyLock::new(|| Regex::new(NAMES).expect("patterns are constant"));

/// Characters of the shortest token that may look drawn by lot.
const LEAST: usize = 40;

/// Names the rules that refuse a text, in their order.
pub(super) fn refusing(text: &str, mut tell: impl FnMut(&'static str)) {
    if text.len() < SHORTEST {
        return;
    }
    // Most texts are refused by none, which is found out sooner than which of them do.
    if PATTERNS.is_match(text) {
        for index in &PATTERNS.matches(text) {
            if let Some(rule) = RULES.get(index) {
                tell(rule.name);
            }
        }
    }
    if has_random(text.as_bytes()) {
        tell(ENTROPY_RULE);
    }
}

/// Whether a member may not be called that, whatever stands under it.
pub(super) fn is_refused_name(name: &str) -> bool {
    NAMED.is_match(name)
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-')
}

/// Whether a text has a token that looks drawn by lot. Most of a text is passed over: a token that
/// is long enough has none but its own characters among any forty.
fn has_random(text: &[u8]) -> bool {
    let mut start = 0;
    while let Some(first) = text.get(start..start + LEAST) {
        match first.iter().rposition(|byte| !is_token(*byte)) {
            Some(other) => start += other + 1,
            None => {
                let rest = text.get(start..).unwrap_or_default();
                let len = rest.iter().position(|byte| !is_token(*byte));
                let token = rest.get(..len.unwrap_or(rest.len())).unwrap_or_default();
                if is_random(token) {
                    return true;
                }
                start += token.len();
            }
        }
    }
    false
}

/// Whether a token of forty characters or more looks drawn by lot: of all three kinds, with at
/// least 4.5 bits for each character. Digests are of two kinds and pass, and so do paths of an
/// address, whose words are not random.
fn is_random(token: &[u8]) -> bool {
    const BITS: f64 = 4.5;
    if !token.iter().any(u8::is_ascii_digit)
        || !token.iter().any(u8::is_ascii_uppercase)
        || !token.iter().any(u8::is_ascii_lowercase)
    {
        return false;
    }
    let mut counts = [0_u32; 128];
    for byte in token {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "lengths of tokens are small")]
    let total = token.len() as f64;
    let bits: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / total;
            -share * share.log2()
        })
        .sum();
    bits >= BITS
}
