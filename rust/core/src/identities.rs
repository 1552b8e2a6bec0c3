//! Identities of proposals that survive a new run: the slot a value is for, and the version of
//! what was read there.
//!
//! A slot is the source, the field and the places in its arrays. A version is the slot with the
//! value, the words, their span and the prepared text: it changes with any of them, and with
//! nothing else, such as model, confidence or the order of members.

use crate::canonical::{Rules, canonical_bytes};
use crate::digest::sha256_hex;
use crate::document::{Document, Value};
use crate::envelope::Envelope;
use crate::envelope::shape::{array, invalid};
use crate::error::{Checked, Path};
use crate::import::envelope_text;
use crate::limits::Limits;
use crate::locate::located;

/// Slot and version of one proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// `slot:sha256:` and a digest.
    pub slot: String,
    /// `version:sha256:` and a digest.
    pub version: String,
}

/// The identities of every proposal of the envelope `raw`, in order.
///
/// `keys` is a JSON array with one value for each proposal, used in place of its path indices.
pub fn identities(
    raw: &[u8],
    keys: Option<&[u8]>,
    limits: &Limits,
    threads: usize,
) -> Checked<Vec<Identity>> {
    let text = envelope_text(raw, limits, threads)?;
    let document = Document::index(&text)?;
    let envelope = Envelope::check(document.root(), &Path::Root, limits)
        .map_err(|refusal| located(refusal, raw))?;
    let Some(keys) = keys else {
        let indices = envelope.proposals.iter();
        let places = indices.map(|proposal| proposal.path_indices.map_or("null", Value::text));
        return Ok(name_all(&envelope, places));
    };
    let rules = Rules {
        lossless: true,
        max_bytes: limits.envelope_bytes,
        threads,
        ..Rules::default()
    };
    let keys = canonical_bytes(keys, &rules)?;
    let keys = Document::index(&keys)?;
    let count = array(keys.root(), &Path::Root)?.count();
    if count != envelope.proposals.len() {
        let message = format!(
            "one key for each of the {} proposals belongs here, not {count}",
            envelope.proposals.len()
        );
        return Err(invalid(&Path::Root, message));
    }
    Ok(name_all(&envelope, keys.root().elements().map(Value::text)))
}

fn name_all<'k>(envelope: &Envelope<'_>, places: impl Iterator<Item = &'k str>) -> Vec<Identity> {
    let source = envelope.source_ref.text();
    let artifact = envelope.artifact.as_ref();
    let artifact = artifact.map_or("null", |artifact| artifact.reference.text());
    let proposals = envelope.proposals.iter().zip(places);
    proposals
        .map(|(proposal, place)| {
            let slot = named("slot", &[source, proposal.field_path.text(), place]);
            let quoted = format!("\"{slot}\"");
            let version = named(
                "version",
                &[
                    &quoted,
                    proposal.candidate_value.text(),
                    proposal.excerpt.text(),
                    proposal.locator.text(),
                    artifact,
                ],
            );
            Identity { slot, version }
        })
        .collect()
}

/// The name of a canonical array whose elements are given as canonical texts.
fn named(kind: &str, elements: &[&str]) -> String {
    let array = format!("[{}]", elements.join(","));
    format!("{kind}:sha256:{}", sha256_hex([array.as_bytes()]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    const ENVELOPE: &str = r#"{"format":"traverse-extraction-result","version":1,
        "source":{"ref":"doc:1"},"result":{"provider":"p","raw":{},"extractedAt":"x",
        "runId":"traverse-extraction-run:a598b71f-e86e-41a0-8564-832717f7b24d",
        "providerCalls":1,"totalTokensUsed":0,"outcome":{"status":"success"},"proposals":[
        {"fieldPath":"a[].b","candidateValue":2.50,"extractor":"e","pathIndices":[1],
        "confidence":0.5,"provenance":{"excerpt":"x","locator":"chars:0-1","occurrence":{
        "resolverVersion":"exact-occurrence-v1","count":1,"selection":"source-order",
        "selected":{"index":0,"start":0,"end":1},"hintUsed":false,"ambiguous":false}}}]}}"#;

    fn found(envelope: &str, keys: Option<&str>) -> Checked<Vec<Identity>> {
        let keys = keys.map(str::as_bytes);
        identities(envelope.as_bytes(), keys, &Limits::default(), 1)
    }

    fn only(envelope: &str, keys: Option<&str>) -> Identity {
        let mut found = found(envelope, keys).unwrap();
        assert_eq!(found.len(), 1);
        found.remove(0)
    }

    #[test]
    fn a_slot_is_source_field_and_place() {
        let identity = only(ENVELOPE, None);
        let slot = sha256_hex([br#"["doc:1","a[].b",[1]]"#.as_slice()]);
        assert_eq!(identity.slot, format!("slot:sha256:{slot}"));
        let version = format!(r#"["{}",2.5,"x","chars:0-1",null]"#, identity.slot);
        let version = format!("version:sha256:{}", sha256_hex([version.as_bytes()]));
        assert_eq!(identity.version, version);
    }

    #[test]
    fn versions_change_with_what_was_read_and_nothing_else() {
        let identity = only(ENVELOPE, None);
        for (old, new) in [("0.5", "0.25"), ("\"p\"", "\"q\""), ("2.50", "2.5")] {
            assert_eq!(only(&ENVELOPE.replace(old, new), None), identity, "{new}");
        }
        for (old, new) in [("2.50", "3"), ("\"excerpt\":\"x\"", "\"excerpt\":\"y\"")] {
            let other = only(&ENVELOPE.replace(old, new), None);
            assert_eq!(other.slot, identity.slot);
            assert_ne!(other.version, identity.version, "{new}");
        }
        let moved = only(&ENVELOPE.replace("[1]", "[2]"), None);
        assert!(moved.slot != identity.slot && moved.version != identity.version);
    }

    #[test]
    fn keys_stand_for_path_indices() {
        let identity = only(ENVELOPE, None);
        assert_eq!(only(ENVELOPE, Some("[[1.0]]")), identity);
        assert_ne!(only(ENVELOPE, Some(r#"["row"]"#)).slot, identity.slot);
        for keys in ["[]", "[1,2]", "{}"] {
            let refusal = found(ENVELOPE, Some(keys)).unwrap_err();
            assert_eq!(
                (refusal.code, refusal.pointer.as_str()),
                (Code::EnvelopeInvalidValue, "")
            );
        }
    }
}
