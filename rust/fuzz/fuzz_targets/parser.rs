//! Canonical JSON over arbitrary bytes: what is accepted is written canonically, what is refused
//! names its place, and the number of threads is not to be seen in either.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::borrow::Cow;
use survey_core::canonical::{Rules, canonical_bytes, canonical_digest};
use survey_core::digest::sha256_hex;
use survey_core::document::{Document, Profile, Value};
use survey_core::error::{Code, Refusal};

fn canonical(raw: &[u8], rules: Rules) -> Result<Vec<u8>, Box<Refusal>> {
    canonical_bytes(raw, &rules).map(Cow::into_owned)
}

/// Rules for the small text itself, which is never worth a second thread.
fn rules(profile: Profile) -> Rules {
    Rules {
        profile,
        threads: 1,
        ..Rules::default()
    }
}

/// Whether the names of every object stand in the order of their UTF-16 code units, each once.
fn is_in_order(value: Value<'_>) -> bool {
    let names: Vec<Vec<u16>> = value
        .members()
        .map(|(name, _)| name.encode_utf16().collect())
        .collect();
    names.is_sorted_by(|a, b| a < b)
        && value.members().all(|(_, member)| is_in_order(member))
        && value.elements().all(is_in_order)
}

/// Whether the name in quotes at `offset` stands in `raw` at least twice, as far as that can be
/// told without decoding it.
fn is_repeated(raw: &[u8], offset: usize) -> bool {
    let rest = &raw[offset..];
    let close = rest
        .iter()
        .skip(1)
        .position(|byte| *byte == b'"')
        .map_or(rest.len(), |at| at + 2);
    let name = &rest[..close];
    raw.contains(&b'\\')
        || raw
            .windows(name.len())
            .filter(|window| *window == name)
            .count()
            > 1
}

/// What every answer owes, whatever was asked.
fn check(raw: &[u8], asked: Rules) -> Option<Vec<u8>> {
    match canonical(raw, asked) {
        Ok(text) => {
            assert_eq!(
                canonical(&text, asked).as_ref(),
                Ok(&text),
                "canonical text is not its own canonical text"
            );
            let document = Document::index(&text).expect("canonical text is indexed");
            assert!(
                asked.profile != Profile::Jcs || is_in_order(document.root()),
                "names out of order"
            );
            Some(text)
        }
        Err(refusal) => {
            let offset = refusal.offset.expect("a refused text has an offset");
            assert!(offset <= raw.len(), "a place behind the text: {refusal}");
            assert!(
                refusal.pointer.is_empty() || refusal.pointer.starts_with('/'),
                "not a pointer: {refusal}"
            );
            if refusal.code == Code::JsonDuplicateMember {
                assert!(
                    is_repeated(raw, offset),
                    "no such name stands twice: {refusal}"
                );
            }
            None
        }
    }
}

/// A large array inside an object that has to be put in order, with `raw` between the siblings,
/// wherever a thread may start or end, and once behind them.
fn surrounded(raw: &[u8]) -> Vec<u8> {
    const SIBLING: &[u8] =
        br#"{"kind":"one of very many siblings","text":"},{\"kind\":\"one of very"},"#;
    const BETWEEN: usize = 3_000;
    let mut text = br#"{"later":1,"items":["#.to_vec();
    for _ in 0..4 {
        text.extend_from_slice(&SIBLING.repeat(BETWEEN));
        text.extend_from_slice(br#"{"kind":"one of very many siblings","text":"#);
        text.extend_from_slice(raw);
        text.extend_from_slice(b"},");
    }
    text.extend_from_slice(br#"null],"before":"#);
    text.extend_from_slice(raw);
    text.push(b'}');
    text
}

fuzz_target!(|raw: &[u8]| {
    let jcs = check(raw, rules(Profile::Jcs));
    let stored = check(raw, rules(Profile::AsStored));
    assert_eq!(
        jcs.is_some(),
        stored.is_some(),
        "two orders disagree about what is JSON"
    );
    if let (Some(jcs), Some(stored)) = (&jcs, &stored) {
        assert_eq!(
            canonical(stored, rules(Profile::Jcs)).as_ref(),
            Ok(jcs),
            "the stored order shows in the result"
        );
    }
    if let Some(collated) = check(raw, rules(Profile::Collated)) {
        assert_eq!(
            canonical(&collated, rules(Profile::Jcs)).ok(),
            jcs,
            "the collated order shows in the result"
        );
    }
    if let Some(lossless) = check(
        raw,
        Rules {
            lossless: true,
            ..rules(Profile::Jcs)
        },
    ) {
        assert_eq!(
            Some(lossless),
            jcs,
            "reading without loss gives another text"
        );
    }
    // Large texts are slow to try, so a fixed share of the inputs is.
    if raw
        .iter()
        .fold(0u8, |sum, byte| sum.wrapping_add(*byte))
        .is_multiple_of(128)
    {
        let text = surrounded(raw);
        let one = canonical(&text, rules(Profile::Jcs));
        let four = Rules {
            threads: 4,
            ..rules(Profile::Jcs)
        };
        assert_eq!(
            one,
            canonical(&text, four),
            "several threads give another answer than one"
        );
        let digest = one.map(|text| sha256_hex([text.as_slice()]));
        assert_eq!(
            digest,
            canonical_digest(&text, &four),
            "the digest is not that of the canonical text"
        );
    }
});
