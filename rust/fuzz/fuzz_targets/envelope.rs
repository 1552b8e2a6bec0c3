//! Envelopes from arbitrary bytes: what is accepted can be imported, stored, derived again and
//! attested, and what is refused names a place that exists.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::collections::BTreeSet;
use survey_core::attest::{compare, outline};
use survey_core::canonical::{Rules, canonical_bytes};
use survey_core::document::{Document, Kind, Profile, Value};
use survey_core::envelope::{Envelope, Level};
use survey_core::error::Path;
use survey_core::import::{Imported, Options, Record, Targets, import_envelope};
use survey_core::limits::Limits;

/// Few proposals, so that the cap on them is reached too.
const LIMITS: Limits = Limits {
    envelope_bytes: 1 << 16,
    queue_bytes: 1 << 20,
    items: 4,
    candidates: 4,
};

/// The value at `pointer`.
fn find<'d>(root: Value<'d>, pointer: &str) -> Option<Value<'d>> {
    pointer
        .split('/')
        .skip(1)
        .try_fold(root, |value, segment| match value.kind() {
            Kind::Array => value.elements().nth(segment.parse().ok()?),
            _ => value.get(&segment.replace("~1", "/").replace("~0", "~")),
        })
}

/// Whether `pointer` leads to a value, or to a member that an existing object lacks.
fn leads_somewhere(root: Value<'_>, pointer: &str) -> bool {
    let parent = pointer
        .rfind('/')
        .map_or("", |at| pointer.get(..at).unwrap_or_default());
    find(root, pointer).or_else(|| find(root, parent)).is_some()
}

/// A claim target for every field that the envelope proposes a value for.
fn targets(envelope: &Envelope<'_>) -> String {
    const TARGET: &str =
        r#"{"claimType":"t","facet":"f","impactLevel":"low","subjectId":"s","subjectType":"k"}"#;
    let fields: BTreeSet<&str> = envelope
        .proposals
        .iter()
        .map(|proposal| proposal.field_path.text())
        .collect();
    let members: Vec<String> = fields
        .iter()
        .map(|field| format!("{field}:{TARGET}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// An import is canonical, validates as a stored record, derives the same items again, and its
/// queue attests, but no longer when an item is taken away.
fn check_import(imported: &Imported) {
    let items_text = imported.items.to_bytes();
    for text in [&imported.record, &items_text] {
        assert_eq!(
            canonical_bytes(text, &Rules::default()).as_deref(),
            Ok(text.as_slice())
        );
    }
    let document = Document::index(&imported.record).expect("the record is JSON");
    let record = Record::check(&document, &LIMITS).expect("the record validates");
    assert_eq!(
        record
            .review_items(&LIMITS, 1)
            .map(|items| items.to_bytes())
            .as_ref(),
        Ok(&items_text)
    );

    let document = Document::index(&items_text).expect("the items are JSON");
    let items: Vec<&str> = document.root().elements().map(Value::text).collect();
    if items.is_empty() {
        return;
    }
    let found = compare(&items_text, &imported.record, &LIMITS, 1).expect("the queue can be read");
    assert!(
        found.facts.is_empty() && found.profile == Some(Profile::Jcs),
        "not attested: {found:?}"
    );
    if let [_, rest @ ..] = items.as_slice() {
        let shorter = format!("[{}]", rest.join(","));
        let found = compare(shorter.as_bytes(), &imported.record, &LIMITS, 1)
            .expect("the queue can be read");
        let code = if rest.is_empty() {
            "empty-queue"
        } else {
            "item-missing-from-queue"
        };
        assert!(
            found.facts.len() == 1 && found.facts.iter().all(|fact| fact.code == code),
            "{found:?}"
        );
    }
}

fuzz_target!(|raw: &[u8]| {
    let rules = Rules {
        lossless: true,
        max_bytes: LIMITS.envelope_bytes,
        threads: 1,
        ..Rules::default()
    };
    let Ok(text) = canonical_bytes(raw, &rules) else {
        return;
    };
    let document = Document::index(&text).expect("canonical text is indexed");
    let root = document.root();
    // The same bytes as a queue and as its record: any answer will do.
    let _ = compare(&text, &text, &LIMITS, 1);
    let _ = outline(&text, Profile::Collated, &LIMITS, 1);
    if let Err(refusal) = Envelope::check_to(Level::Produce, root, &Path::Root, &LIMITS) {
        assert!(
            leads_somewhere(root, &refusal.pointer),
            "a pointer to nothing: {refusal}"
        );
    } else {
        assert!(
            Envelope::check(root, &Path::Root, &LIMITS).is_ok(),
            "what a producer may write is refused by an import"
        );
    }
    match Envelope::check(root, &Path::Root, &LIMITS) {
        Ok(envelope) => {
            assert!(
                envelope.proposals.len() <= LIMITS.items,
                "more proposals than the cap"
            );
            let targets = targets(&envelope);
            let options = Options {
                source_kind: "web-page",
                targets: Targets::ByField(targets.as_bytes()),
                import_name: None,
                producer_namespace: None,
                artifact: None,
                bound_status: None,
                limits: LIMITS,
                threads: 1,
            };
            if let Ok(imported) = import_envelope(raw, &options) {
                check_import(&imported);
                // The status found once, bound instead of found again, gives the same import.
                let document = Document::index(&imported.record).expect("the record is JSON");
                let bound_status = document
                    .root()
                    .get("status")
                    .map(|status| status.text().as_bytes());
                let rebuilt = import_envelope(
                    raw,
                    &Options {
                        bound_status,
                        ..options
                    },
                )
                .expect("a status that was found can be bound");
                assert_eq!(rebuilt.record, imported.record);
                assert_eq!(rebuilt.items.to_bytes(), imported.items.to_bytes());
            }
        }
        Err(refusal) => {
            assert!(
                leads_somewhere(root, &refusal.pointer),
                "a pointer to nothing: {refusal}"
            );
        }
    }
});
