//! A stored round in one pass: the digest of its queue, whether its items are the derived ones, and
//! as much of it as judging a history reads.
//!
//! A round does not hold the text it was read from where that is canonical as it stands: whoever
//! has it hands it in again.

use crate::beside::beside;
use crate::canonical::{Rules, canonical_bytes};
use crate::digest::sha256_hex;
use crate::error::{Checked, Path, Refusal};
use crate::json;
use crate::outline::{Outlined, Table};
use crate::parallel::WORTHWHILE;
use crate::threads;
use crate::walk::{Cursor, Ended, Walked};
use std::borrow::Cow;
use std::ops::Range;

/// Where the canonical text of a snapshot is.
#[derive(Debug)]
enum Text {
    /// In what was read.
    Given(Range<usize>),
    /// Written anew.
    Written(Vec<u8>),
}

/// A snapshot that was read once.
#[derive(Debug)]
pub struct Round {
    text: Text,
    items: Option<Range<usize>>,
    digest: String,
    outline: Vec<u8>,
    rest: Vec<u8>,
    table: Option<Table>,
}

impl Round {
    /// Its canonical text; `raw` is what it was read from.
    #[must_use]
    pub fn text<'r>(&'r self, raw: &'r [u8]) -> &'r [u8] {
        match &self.text {
            Text::Given(range) => raw.get(range.clone()).unwrap_or_default(),
            Text::Written(text) => text,
        }
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

    /// The canonical text of its items; `raw` is what it was read from.
    #[must_use]
    pub fn items<'r>(&'r self, raw: &'r [u8]) -> Option<&'r [u8]> {
        self.text(raw).get(self.items.clone()?)
    }

    /// The canonical text of each item; `raw` is what it was read from.
    #[must_use]
    pub fn item_texts<'r>(&'r self, raw: &'r [u8]) -> Option<Vec<&'r [u8]>> {
        let mut cursor = Cursor::new(self.items(raw)?);
        let mut texts = Vec::new();
        let walked = cursor.elements(|cursor| {
            texts.push(cursor.value()?);
            Ok(())
        });
        walked.is_ok().then_some(texts)
    }

    /// The names of its items, sorted by UTF-16 code unit. None unless every item has a name of
    /// its own, candidates with ids of their own, and everything else that decisions are held
    /// against.
    #[must_use]
    pub fn names(&self) -> Option<Vec<String>> {
        self.table.as_ref().map(Table::sorted_names)
    }

    /// What decisions are held against; see [`Self::names`].
    pub(crate) const fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// The round whose text is the first `end` bytes of `raw`, which is known to be canonical with
    /// its items at `items`.
    pub(crate) fn of_known(
        raw: &[u8],
        end: usize,
        items: Range<usize>,
        digest: String,
        parts: Vec<Outlined>,
    ) -> Walked<Self> {
        let text = raw.get(..end).ok_or(Ended)?;
        let (outline, rest) = around(text, &items, &parts)?;
        Ok(Self {
            text: Text::Given(0..end),
            items: Some(items),
            digest,
            outline,
            rest,
            table: Table::of(parts),
        })
    }
}

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
    let canonical = canonical_bytes(raw, &rules)?;
    // The digest is taken beside the outline: neither needs the other.
    let is_worthwhile = canonical.len() >= WORTHWHILE && threads::resolve(threads) > 1;
    let (digest, outlined) = beside(
        is_worthwhile,
        || sha256_hex([&*canonical]),
        || outlined(&canonical),
    );
    // What the writer wrote can be walked.
    let unreadable = || Refusal::at(crate::Code::JsonSyntax, &Path::Root, "this is no snapshot");
    let found = outlined.map_err(|_| unreadable())?;
    let text = match canonical {
        Cow::Borrowed(text) => {
            let start = json::skip_space(raw, 0);
            Text::Given(start..start + text.len())
        }
        Cow::Owned(text) => Text::Written(text),
    };
    Ok(Round {
        text,
        items: found.items,
        digest,
        outline: found.outline,
        rest: found.rest,
        table: found.table,
    })
}

struct Found {
    items: Option<Range<usize>>,
    outline: Vec<u8>,
    rest: Vec<u8>,
    table: Option<Table>,
}

fn outlined(text: &[u8]) -> Walked<Found> {
    let mut cursor = Cursor::new(text);
    let mut found = Outlined::of(0);
    let (mut items, mut list) = (None, None);
    if cursor.is_at(b'{') {
        cursor.members(|cursor, name| {
            if name != b"items" {
                return cursor.skip();
            }
            let start = cursor.offset();
            if cursor.is_at(b'[') {
                cursor.elements(|cursor| found.push(cursor))?;
                list = Some(start..cursor.offset());
            } else {
                cursor.skip()?;
            }
            items = Some(start..cursor.offset());
            Ok(())
        })?;
    }
    let Some(range) = list else {
        return Ok(Found {
            items,
            outline: text.to_vec(),
            rest: without_items(text)?,
            table: None,
        });
    };
    let (outline, rest) = around(text, &range, std::slice::from_ref(&found))?;
    Ok(Found {
        items,
        outline,
        rest,
        table: Table::of([found]),
    })
}

/// The outline of the snapshot `text` whose array of items is `text[items]`, and what is not items.
fn around(text: &[u8], items: &Range<usize>, parts: &[Outlined]) -> Walked<(Vec<u8>, Vec<u8>)> {
    let head = text.get(..items.start).ok_or(Ended)?;
    let tail = text.get(items.end..).ok_or(Ended)?;
    let size: usize = parts.iter().map(|part| part.text.len()).sum();
    let mut outline = Vec::with_capacity(head.len() + size + tail.len() + 2);
    outline.extend_from_slice(head);
    outline.push(b'[');
    for part in parts {
        outline.extend_from_slice(&part.text);
    }
    if outline.last() == Some(&b',') {
        outline.pop();
    }
    outline.push(b']');
    outline.extend_from_slice(tail);
    Ok((outline, without_items(&[head, b"[]", tail].concat())?))
}

/// An object without its member `items`; anything else as it is.
fn without_items(text: &[u8]) -> Walked<Vec<u8>> {
    let mut cursor = Cursor::new(text);
    if !cursor.is_at(b'{') {
        return Ok(text.to_vec());
    }
    let mut out = b"{".to_vec();
    cursor.members(|cursor, name| {
        let value = cursor.value()?;
        if name != b"items" {
            if out.len() > 1 {
                out.push(b',');
            }
            for piece in [b"\"", name, b"\":", value] {
                out.extend_from_slice(piece);
            }
        }
        Ok(())
    })?;
    out.push(b'}');
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SNAPSHOT: &str = r#"{"actorId":"a","items":[{"kind":"ReviewItem","metadata":{"labels":{},"name":"i"},"spec":{"candidates":[{"confidence":1,"id":"c","role":"proposed","value":{"x":1}}],"editable":false,"rationale":"r","target":"t"}}],"z":0}"#;
    const ITEMS: &str = r#"[{"kind":"ReviewItem","metadata":{"labels":{},"name":"i"},"spec":{"candidates":[{"confidence":1,"id":"c","role":"proposed","value":{"x":1}}],"editable":false,"rationale":"r","target":"t"}}]"#;

    fn text(bytes: &[u8]) -> &str {
        std::str::from_utf8(bytes).expect("text")
    }

    #[test]
    fn an_outline_keeps_what_a_history_is_judged_by() {
        let spaced = format!(" {SNAPSHOT}\n");
        let shuffled = SNAPSHOT.replacen(r#""actorId":"a","#, "", 1);
        let shuffled = shuffled.replace(r#","z":0}"#, r#","z":0,"actorId":"a"}"#);
        for source in [SNAPSHOT, &spaced, &shuffled] {
            let round = read(source.as_bytes(), 4096, 1).expect("a snapshot");
            assert_eq!(text(round.text(source.as_bytes())), SNAPSHOT);
            assert_eq!(round.items(source.as_bytes()), Some(ITEMS.as_bytes()));
            let texts = round.item_texts(source.as_bytes());
            let inner = ITEMS.trim_start_matches('[').trim_end_matches(']');
            assert_eq!(texts, Some(vec![inner.as_bytes()]));
            assert_eq!(round.digest(), sha256_hex([SNAPSHOT.as_bytes()]));
            assert_eq!(text(round.rest()), r#"{"actorId":"a","z":0}"#);
            assert_eq!(
                text(round.outline()),
                r#"{"actorId":"a","items":[{"metadata":{"name":"i"},"spec":{"candidates":[{"id":"c","role":"proposed","value":{"x":1}}],"editable":false,"target":"t"}}],"z":0}"#
            );
            assert_eq!(round.names(), Some(vec!["i".to_owned()]));
        }
    }

    #[test]
    fn what_is_no_round_is_given_back_as_it_is() {
        for source in [
            "[]",
            "3",
            "{}",
            r#"{"items":3}"#,
            r#"{"items":[3,{"metadata":[],"spec":4}]}"#,
        ] {
            let round = read(source.as_bytes(), 4096, 1).expect("a document");
            assert_eq!(text(round.outline()), source);
            assert_eq!(round.names(), None);
        }
    }
}
