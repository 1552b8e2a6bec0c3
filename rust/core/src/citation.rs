//! What reviewed evidence asks of the proposals it cites, found for all of a record at once.
//!
//! A proposal is *sound* when its place and its words fit: the confidence lies between 0 and 1,
//! the locator is `chars:start-end`, the excerpt is not empty and exactly as long, and the
//! occurrence is the only one and stands there. What is not sound may still be citable; saying
//! why it is not is left to whoever cites it.

use crate::canonical::{Rules, canonical_bytes};
use crate::digest::sha256_hex;
use crate::document::{Document, Value};
use crate::error::Checked;

/// One proposal of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citable {
    /// Where its canonical text stands in that of the record.
    pub range: std::ops::Range<usize>,
    /// Whether it is sound.
    pub is_sound: bool,
}

/// A record that was read: its digest, and its proposals if it holds any where they belong.
#[derive(Debug)]
pub struct Cited<'r> {
    text: std::borrow::Cow<'r, [u8]>,
    /// SHA-256 over the canonical text.
    pub digest: String,
    /// Its proposals in order.
    pub proposals: Vec<Citable>,
}

impl Cited<'_> {
    /// The canonical text of a proposal.
    #[must_use]
    pub fn text_of(&self, proposal: &Citable) -> &[u8] {
        self.text.get(proposal.range.clone()).unwrap_or_default()
    }
}

/// Reads the record `raw`, which has to survive a round trip.
///
/// # Errors
///
/// What strict reading refuses, and negative zero.
pub fn read(raw: &[u8], max_bytes: usize) -> Checked<Cited<'_>> {
    let rules = Rules {
        lossless: true,
        max_bytes,
        ..Rules::default()
    };
    let text = canonical_bytes(raw, &rules)?;
    let document = Document::index(&text)?;
    let listed = ["spec", "envelope", "result", "proposals"]
        .iter()
        .try_fold(document.root(), |value, name| value.get(name));
    let proposals = listed.map_or_else(Vec::new, |listed| {
        listed
            .elements()
            .map(|proposal| Citable {
                range: proposal.range(),
                is_sound: is_sound(proposal).unwrap_or(false),
            })
            .collect()
    });
    let digest = sha256_hex([&*text]);
    drop(document);
    Ok(Cited {
        text,
        digest,
        proposals,
    })
}

fn is_sound(proposal: Value<'_>) -> Option<bool> {
    let confidence = proposal.get("confidence");
    if confidence.is_some_and(|one| !one.as_number().is_some_and(|n| (0.0..=1.0).contains(&n))) {
        return None;
    }
    let provenance = proposal.get("provenance")?;
    let excerpt = provenance.get("excerpt")?.as_str()?;
    let locator = provenance.get("locator")?;
    let (start, end) = span(&locator.as_str()?)?;
    let length = u64::try_from(excerpt.encode_utf16().count()).ok()?;
    let fits = length > 0 && start.checked_add(length) == Some(end);
    Some(fits && is_only(provenance.get("occurrence")?, start, end)?)
}

/// `chars:start-end`, without leading zeros, of as many digits as an exact number has at most.
fn span(locator: &str) -> Option<(u64, u64)> {
    const DIGITS: usize = 16;
    let (start, end) = locator.strip_prefix("chars:")?.split_once('-')?;
    let number = |digits: &str| {
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_short = digits.len() <= DIGITS && (digits.len() == 1 || !digits.starts_with('0'));
        (is_plain && is_short)
            .then(|| digits.parse().ok())
            .flatten()
    };
    Some((number(start)?, number(end)?))
}

/// Whether an occurrence says that the words stand there and nowhere else.
fn is_only(occurrence: Value<'_>, start: u64, end: u64) -> Option<bool> {
    const MEMBERS: usize = 6;
    let selected = occurrence.get("selected")?;
    let is_whole = |name: &str, value: u64| {
        // Canonical text has one way to write a whole number.
        selected
            .get(name)
            .is_some_and(|one| one.text() == value.to_string())
    };
    let has = |name: &str, text: &str| occurrence.get(name).is_some_and(|one| one.text() == text);
    Some(
        occurrence.members().count() == MEMBERS
            && has("ambiguous", "false")
            && has("count", "1")
            && has("hintUsed", "false")
            && has("resolverVersion", "\"exact-occurrence-v1\"")
            && has("selection", "\"source-order\"")
            && selected.members().count() == 3
            && is_whole("index", 0)
            && is_whole("start", start)
            && is_whole("end", end),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = r#"{"confidence":0.5,"provenance":{"excerpt":"aé😀","locator":"chars:3-7","occurrence":{"ambiguous":false,"count":1,"hintUsed":false,"resolverVersion":"exact-occurrence-v1","selected":{"end":7,"index":0,"start":3},"selection":"source-order"}}}"#;

    fn of(proposal: &str) -> bool {
        let record =
            format!(r#"{{"spec":{{"envelope":{{"result":{{"proposals":[{proposal}]}}}}}}}}"#);
        let cited = read(record.as_bytes(), 4096).expect("a document");
        let one = cited.proposals.first().expect("a proposal");
        assert_eq!(cited.text_of(one), proposal.as_bytes());
        one.is_sound
    }

    #[test]
    fn a_proposal_whose_words_stand_at_its_place_is_sound() {
        assert!(of(SOUND));
        assert!(of(&SOUND.replace(r#""confidence":0.5,"#, "")));
    }

    #[test]
    fn anything_else_is_left_to_be_explained() {
        for (from, to) in [
            ("0.5", "1.5"),
            ("0.5", "null"),
            ("0.5", "true"),
            ("aé😀", "aé"),
            ("aé😀", ""),
            ("chars:3-7", "chars:03-7"),
            ("chars:3-7", "chars:3-"),
            ("chars:3-7", "chars:+3-7"),
            ("chars:3-7", "chars:3-8"),
            ("chars:3-7", "chars:12345678901234567-12345678901234571"),
            ("\"count\":1", "\"count\":2"),
            ("\"count\":1", "\"count\":true"),
            ("\"index\":0", "\"index\":false"),
            ("\"index\":0", "\"index\":1"),
            ("\"start\":3", "\"start\":2"),
            ("\"start\":3", "\"start\":3,\"z\":1"),
            ("source-order", "occurrence-hint"),
            ("\"ambiguous\":false", "\"ambiguous\":true"),
            ("\"hintUsed\":false", "\"hintUsed\":false,\"more\":0"),
        ] {
            let changed = SOUND.replacen(from, to, 1);
            assert_ne!(changed, SOUND, "{from}");
            assert!(!of(&changed), "{from} -> {to}");
        }
        assert!(!of("3"));
        assert!(!of("{}"));
    }

    #[test]
    fn a_document_without_proposals_has_a_digest_all_the_same() {
        for raw in ["{}", "[]", "3", r#"{"spec":{"envelope":[]}}"#] {
            let cited = read(raw.as_bytes(), 64).expect("a document");
            assert!(cited.proposals.is_empty());
            assert_eq!(cited.digest, sha256_hex([raw.as_bytes()]));
        }
        assert!(read(b"[-0]", 64).is_err());
    }
}
