//! A stored round in one pass: the digest of its queue, whether its items are the derived ones, and
//! as much of it as judging a history reads.

use crate::canonical::{Rules, canonical_bytes};
use crate::digest::sha256_hex;
use crate::document::{Document, Value};
use crate::error::Checked;

/// A snapshot that was read once.
#[derive(Debug)]
pub struct Round {
    text: Vec<u8>,
    items: Option<std::ops::Range<usize>>,
    digest: String,
    outline: Vec<u8>,
    rest: Vec<u8>,
}

impl Round {
    /// Its canonical text.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// SHA-256 over its canonical text.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The snapshot with nothing on its items but names, targets, kinds of value, and the ids,
    /// roles and values of candidates: what a history is judged by.
    #[must_use]
    pub fn outline(&self) -> &[u8] {
        &self.outline
    }

    /// The snapshot without its items.
    #[must_use]
    pub fn rest(&self) -> &[u8] {
        &self.rest
    }

    /// Whether the canonical text of its items is `items`, to the byte.
    #[must_use]
    pub fn holds(&self, items: &[u8]) -> bool {
        self.items
            .clone()
            .and_then(|range| self.text.get(range))
            .is_some_and(|stored| stored == items)
    }
}

const ITEM: [&str; 5] = [
    "candidateSetStatus",
    "editable",
    "selectedCandidateId",
    "target",
    "valueDescriptor",
];
const CANDIDATE: [&str; 3] = ["id", "role", "value"];

/// Reads the snapshot `raw` of at most `max_bytes`.
///
/// # Errors
///
/// What strict reading refuses.
pub fn read(raw: &[u8], max_bytes: usize, threads: usize) -> Checked<Round> {
    let rules = Rules {
        max_bytes,
        threads,
        ..Rules::default()
    };
    let text = canonical_bytes(raw, &rules)?.into_owned();
    // The digest is taken beside the index: neither needs the other.
    let (digest, outlined) = std::thread::scope(|scope| {
        let digest = (threads != 1).then(|| scope.spawn(|| sha256_hex([&*text])));
        let outlined = Document::index(&text).map(|document| outlined(document.root()));
        let digest = digest.and_then(|thread| thread.join().ok());
        (digest.unwrap_or_else(|| sha256_hex([&*text])), outlined)
    });
    let (items, outline, rest) = outlined?;
    Ok(Round {
        text,
        items,
        digest,
        outline,
        rest,
    })
}

fn outlined(root: Value<'_>) -> (Option<std::ops::Range<usize>>, Vec<u8>, Vec<u8>) {
    let (mut items, mut outline, mut rest) = (None, Vec::new(), Vec::new());
    object(&mut outline, root, |out, name, value| {
        if name == "items" {
            items = Some(value.range());
            array(out, value, item);
        } else {
            out.extend_from_slice(value.text().as_bytes());
        }
    });
    let names: Vec<_> = root.members().map(|(name, _)| name).collect();
    let kept: Vec<&str> = names
        .iter()
        .map(|name| &**name)
        .filter(|name| *name != "items")
        .collect();
    part(&mut rest, root, &kept, |_, _, _| false);
    (items, outline, rest)
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

    fn text(bytes: &[u8]) -> &str {
        std::str::from_utf8(bytes).expect("text")
    }

    #[test]
    fn an_outline_keeps_what_a_history_is_judged_by() {
        let round = read(SNAPSHOT.as_bytes(), 4096, 1).expect("a snapshot");
        assert!(round.holds(ITEMS.as_bytes()));
        assert!(!round.holds(b"[]"));
        assert_eq!(round.digest(), sha256_hex([SNAPSHOT.as_bytes()]));
        assert_eq!(text(round.rest()), r#"{"actorId":"a"}"#);
        assert_eq!(
            text(round.outline()),
            r#"{"actorId":"a","items":[{"metadata":{"name":"i"},"spec":{"candidates":[{"id":"c","role":"proposed","value":{"x":1}}],"editable":false,"target":"t"}}]}"#
        );
    }

    #[test]
    fn what_is_no_round_is_given_back_as_it_is() {
        for source in [
            "[]",
            "3",
            r#"{"items":3}"#,
            r#"{"items":[3,{"metadata":[],"spec":4}]}"#,
        ] {
            let round = read(source.as_bytes(), 4096, 1).expect("a document");
            assert_eq!(text(round.outline()), source);
        }
    }
}
