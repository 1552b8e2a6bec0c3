//! A stored round in one pass: the digest of its queue, whether its items are the derived ones, and
//! as much of it as judging a history reads.

use crate::canonical::{Rules, canonical_bytes};
use crate::digest::sha256_hex;
use crate::document::{Document, Value};
use crate::error::Checked;

/// What one pass over a snapshot gives.
#[derive(Clone, Debug)]
pub struct Outline {
    /// SHA-256 over its canonical text.
    pub digest: String,
    /// Whether the array of its items is, to the byte of its canonical text, the one expected.
    pub is_expected: bool,
    /// The snapshot with nothing on its items but names, targets, kinds of value, and the ids,
    /// roles and values of candidates.
    pub text: Vec<u8>,
}

const ITEM: [&str; 5] = [
    "candidateSetStatus",
    "editable",
    "selectedCandidateId",
    "target",
    "valueDescriptor",
];
const CANDIDATE: [&str; 3] = ["id", "role", "value"];

/// Reads the snapshot `raw` of at most `max_bytes`; `items` is the canonical text it should hold.
///
/// # Errors
///
/// What strict reading refuses.
pub fn outline(raw: &[u8], items: &[u8], max_bytes: usize, threads: usize) -> Checked<Outline> {
    let rules = Rules {
        max_bytes,
        threads,
        ..Rules::default()
    };
    let text = canonical_bytes(raw, &rules)?;
    let document = Document::index(&text)?;
    let root = document.root();
    let mut out = Vec::with_capacity(text.len() / 4);
    let mut is_expected = false;
    object(&mut out, root, |out, name, value| {
        if name == "items" {
            is_expected = value.text().as_bytes() == items;
            array(out, value, item);
        } else {
            out.extend_from_slice(value.text().as_bytes());
        }
    });
    Ok(Outline {
        digest: sha256_hex([&*text]),
        is_expected,
        text: out,
    })
}

/// Writes the members of an object, the value of each by `write`; anything else as it is.
fn object(
    out: &mut Vec<u8>,
    value: Value<'_>,
    mut write: impl FnMut(&mut Vec<u8>, &str, Value<'_>),
) {
    if !value.text().starts_with('{') {
        out.extend_from_slice(value.text().as_bytes());
        return;
    }
    out.push(b'{');
    for (place, (name, one)) in value.members().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        crate::text::write_json_string(&name, out);
        out.push(b':');
        write(out, &name, one);
    }
    out.push(b'}');
}

fn array(out: &mut Vec<u8>, value: Value<'_>, write: impl Fn(&mut Vec<u8>, Value<'_>)) {
    if !value.text().starts_with('[') {
        out.extend_from_slice(value.text().as_bytes());
        return;
    }
    out.push(b'[');
    for (place, one) in value.elements().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write(out, one);
    }
    out.push(b']');
}

/// Writes those members of an object that are named; anything else as it is.
fn part(
    out: &mut Vec<u8>,
    value: Value<'_>,
    names: &[&str],
    write: impl Fn(&mut Vec<u8>, &str, Value<'_>) -> bool,
) {
    if !value.text().starts_with('{') {
        out.extend_from_slice(value.text().as_bytes());
        return;
    }
    out.push(b'{');
    let mut is_first = true;
    for (name, one) in value.members() {
        let start = out.len();
        if !is_first {
            out.push(b',');
        }
        crate::text::write_json_string(&name, out);
        out.push(b':');
        if write(out, &name, one) {
            is_first = false;
        } else if names.contains(&&*name) {
            out.extend_from_slice(one.text().as_bytes());
            is_first = false;
        } else {
            out.truncate(start);
        }
    }
    out.push(b'}');
}

fn item(out: &mut Vec<u8>, value: Value<'_>) {
    part(out, value, &[], |out, name, one| match name {
        "metadata" => {
            part(out, one, &["name"], |_, _, _| false);
            true
        }
        "spec" => {
            part(out, one, &ITEM, |out, name, inner| {
                if name == "candidates" {
                    array(out, inner, |out, candidate| {
                        part(out, candidate, &CANDIDATE, |_, _, _| false);
                    });
                    return true;
                }
                false
            });
            true
        }
        _ => false,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const SNAPSHOT: &str = r#"{"actorId":"a","items":[{"kind":"ReviewItem","metadata":{"labels":{},"name":"i"},"spec":{"candidates":[{"confidence":1,"id":"c","role":"proposed","value":{"x":1}}],"editable":false,"rationale":"r","target":"t"}}]}"#;
    const ITEMS: &str = r#"[{"kind":"ReviewItem","metadata":{"labels":{},"name":"i"},"spec":{"candidates":[{"confidence":1,"id":"c","role":"proposed","value":{"x":1}}],"editable":false,"rationale":"r","target":"t"}}]"#;

    #[test]
    fn an_outline_keeps_what_a_history_is_judged_by() {
        let found = outline(SNAPSHOT.as_bytes(), ITEMS.as_bytes(), 4096, 1).expect("a snapshot");
        assert!(found.is_expected);
        assert_eq!(found.digest, sha256_hex([SNAPSHOT.as_bytes()]));
        assert_eq!(
            String::from_utf8(found.text).expect("text"),
            r#"{"actorId":"a","items":[{"metadata":{"name":"i"},"spec":{"candidates":[{"id":"c","role":"proposed","value":{"x":1}}],"editable":false,"target":"t"}}]}"#
        );
    }

    #[test]
    fn other_items_are_not_the_expected_ones() {
        let found = outline(SNAPSHOT.as_bytes(), b"[]", 4096, 1).expect("a snapshot");
        assert!(!found.is_expected);
    }

    #[test]
    fn what_is_no_round_is_given_back_as_it_is() {
        for text in [
            "[]",
            "3",
            r#"{"items":3}"#,
            r#"{"items":[3,{"metadata":[],"spec":4}]}"#,
        ] {
            let found = outline(text.as_bytes(), b"[]", 4096, 1).expect("a document");
            assert_eq!(String::from_utf8(found.text).expect("text"), text);
        }
    }
}
