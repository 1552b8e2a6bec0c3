//! A queue that is the one its extraction derives, established in one pass over both.
//!
//! This says that all is well, or nothing. All is well when
//!
//! 1. the envelope is canonical as it stands and is imported without a refusal;
//! 2. the queue is a canonical snapshot whose items are, to the byte, the derived ones. Since these
//!    are written canonically, only what stands around them is read;
//! 3. both end where their text does, or with one line feed more.
//!
//! Digests, the items' outline and what the envelope tells of itself are taken down on the way. What
//! they have to be is for the caller to say, and what is wrong, for whoever reads part by part.

use crate::beside::beside;
use crate::canonical::{Rules, canonical_bytes};
use crate::digest::sha256_hex;
use crate::import::{Items, Options, import_envelope};
use crate::limits;
use crate::outline::Outlined;
use crate::parallel::WORTHWHILE;
use crate::round::Round;
use crate::text::{utf16_len, write_json_string};
use crate::threads;
use crate::walk::{Cursor, Ended, Walked};
use std::ops::Range;

/// What is held against one another.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'p> {
    /// The queue, as stored.
    pub queue: &'p [u8],
    /// The envelope, as stored.
    pub envelope: &'p [u8],
    /// The prepared text, where excerpts are to be looked up in it.
    pub prepared: Option<&'p [u8]>,
    /// How the envelope is imported. The artifact is the prepared text.
    pub options: Options<'p>,
}

/// Parts that agree.
#[derive(Debug)]
pub struct DerivedRound {
    /// The queue.
    pub round: Round,
    /// SHA-256 over the canonical text of the envelope.
    pub envelope_digest: String,
    /// What the envelope tells of itself.
    pub told: Told,
    /// Canonical text of the status of the import.
    pub status: Vec<u8>,
    /// SHA-256 of the prepared text and its UTF-16 code units.
    pub text: Option<(String, usize)>,
    /// The import record.
    pub record: Record,
}

/// An import record, which holds its envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// What stands before the envelope as it was stored, and behind it.
    Around(Vec<u8>, Vec<u8>),
    /// All of it, where the envelope stands in another order there.
    Whole(Vec<u8>),
}

impl Record {
    /// Its canonical text; `envelope` is what was stored.
    #[must_use]
    pub fn text(&self, envelope: &[u8]) -> Vec<u8> {
        match self {
            Self::Around(before, behind) => [before, text_of(envelope), behind].concat(),
            Self::Whole(text) => text.clone(),
        }
    }
}

/// Parts of an envelope, as canonical text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// `source`
    pub source: Option<Vec<u8>>,
    /// `result.outcome`
    pub outcome: Option<Vec<u8>>,
    /// `result.preparedArtifact`
    pub artifact: Option<Vec<u8>>,
    /// `result.preparedArtifactState`
    pub artifact_state: Option<Vec<u8>>,
    /// How many proposals there are.
    pub proposals: usize,
}

/// What is known when the parts agree.
#[must_use]
pub fn derived_round(parts: &Parts<'_>) -> Option<DerivedRound> {
    let Parts {
        queue, envelope, ..
    } = *parts;
    if queue.len() > parts.options.limits.queue_bytes {
        return None;
    }
    let asked = parts.options.threads;
    let size = queue.len() + envelope.len();
    let is_worthwhile = size >= WORTHWHILE && threads::resolve(asked) > 1;
    let (taken, imported) = beside(
        is_worthwhile,
        || {
            (
                sha256_hex([text_of(queue)]),
                sha256_hex([text_of(envelope)]),
                told(envelope),
            )
        },
        || imported(parts),
    );
    let (digest, envelope_digest, told) = taken;
    let (imported, text) = imported?;
    let told = told.ok()?;
    let (record, status) = record(imported.record, text_of(envelope))?;
    let round = round(queue, &imported.items, digest, asked)?;
    Some(DerivedRound {
        round,
        envelope_digest,
        told,
        status,
        text,
        record,
    })
}

/// A stored document without its final line feed.
fn text_of(stored: &[u8]) -> &[u8] {
    stored.strip_suffix(b"\n").unwrap_or(stored)
}

type Imported = (crate::import::Imported, Option<(String, usize)>);

fn imported(parts: &Parts<'_>) -> Option<Imported> {
    let Some(prepared) = parts.prepared else {
        return Some((import_envelope(parts.envelope, &parts.options).ok()?, None));
    };
    let text = std::str::from_utf8(prepared).ok()?;
    let digest = sha256_hex([prepared]);
    let mut artifact = Vec::with_capacity(text.len() + text.len() / 16 + 128);
    for piece in [
        "{\"actualDigest\":\"",
        &digest,
        "\",\"status\":\"available\",\"text\":",
    ] {
        artifact.extend_from_slice(piece.as_bytes());
    }
    write_json_string(text, &mut artifact);
    artifact.push(b'}');
    let options = Options {
        artifact: Some(&artifact),
        ..parts.options
    };
    let imported = import_envelope(parts.envelope, &options).ok()?;
    Some((imported, Some((digest, utf16_len(text)))))
}

/// A record and its status; nothing when the envelope is not canonical as it stands.
fn record(record: Vec<u8>, envelope: &[u8]) -> Option<(Record, Vec<u8>)> {
    // No status has such a member, and in a string the quotes would be escaped.
    let end = memchr::memmem::rfind(&record, b",\"sourceKind\":\"")?;
    let (before, behind) = record.split_at_checked(end)?;
    let status = memchr::memmem::find(behind, STATUS).and_then(|at| behind.get(at..))?;
    let status = status.strip_prefix(STATUS)?.strip_suffix(b"}")?.to_vec();
    let before = before.strip_suffix(envelope);
    if let Some(before) = before.filter(|before| before.ends_with(b",\"envelope\":")) {
        let around = Record::Around(before.to_vec(), behind.to_vec());
        return Some((around, status));
    }
    is_canonical(envelope).then_some((Record::Whole(record), status))
}

const STATUS: &[u8] = b"},\"status\":";

fn is_canonical(text: &[u8]) -> bool {
    let rules = Rules {
        threads: 1,
        ..Rules::default()
    };
    canonical_bytes(text, &rules).is_ok_and(|canonical| *canonical == *text)
}

/// What an envelope tells of itself. What is no canonical text is refused by others.
fn told(envelope: &[u8]) -> Walked<Told> {
    let mut told = Told::default();
    let kept = |cursor: &mut Cursor<'_>| cursor.value().map(|text| Some(text.to_vec()));
    Cursor::new(envelope).members(|cursor, name| {
        match name {
            b"source" => told.source = kept(cursor)?,
            b"result" => cursor.members(|cursor, name| {
                match name {
                    b"outcome" => told.outcome = kept(cursor)?,
                    b"preparedArtifact" => told.artifact = kept(cursor)?,
                    b"preparedArtifactState" => told.artifact_state = kept(cursor)?,
                    b"proposals" => cursor.elements(|cursor| {
                        told.proposals += 1;
                        cursor.skip()
                    })?,
                    _ => cursor.skip()?,
                }
                Ok(())
            })?,
            _ => cursor.skip()?,
        }
        Ok(())
    })?;
    Ok(told)
}

/// Items for which another thread is worth starting.
const SHARE: usize = 256;

fn round(queue: &[u8], items: &Items, digest: String, asked: usize) -> Option<Round> {
    let text = text_of(queue);
    let start = start_of_items(text)?;
    let range = start..start.checked_add(items.size())?;
    require_canonical_around(text, &range)?;
    let mut at = start + 1;
    let mut derived = Vec::new();
    for (_, item) in items.iter() {
        derived.push((at, item));
        at += item.len() + 1;
    }
    // An import that derives nothing is none to hold a queue against.
    if at != range.end || text.get(at - 1) != Some(&b']') {
        return None;
    }
    let shares = threads::map_shares(&derived, asked, SHARE, &|share| {
        outlined(text, start, share)
    });
    let parts = shares.into_iter().collect::<Option<Vec<Outlined>>>()?;
    Round::of_known(queue, text.len(), range, digest, parts).ok()
}

/// Where the member `items` of a snapshot starts. Only what stands before it is looked at.
fn start_of_items(text: &[u8]) -> Option<usize> {
    let mut start = None;
    let _ = Cursor::new(text).members(|cursor, name| {
        if name == b"items" {
            start = Some(cursor.offset());
            return Err(Ended);
        }
        cursor.skip()
    });
    start
}

/// Whether a snapshot whose items are left out is canonical as it stands, and its items are where
/// they were looked for.
fn require_canonical_around(text: &[u8], items: &Range<usize>) -> Option<()> {
    let (head, tail) = (text.get(..items.start)?, text.get(items.end..)?);
    let around = [head, b"[]", tail].concat();
    (is_canonical(&around) && start_of_items(&around) == Some(items.start)).then_some(())
}

/// The outline of items that stand in the array at `start` of `text` where and as they were derived.
fn outlined(text: &[u8], start: usize, derived: &[(usize, &[u8])]) -> Option<Outlined> {
    let mut found = Outlined::of(derived.len());
    for (at, item) in derived {
        let before = if *at == start + 1 { b'[' } else { b',' };
        if text.get(*at - 1) != Some(&before) || text.get(*at..*at + item.len()) != Some(*item) {
            return None;
        }
        let mut cursor = Cursor::new(item);
        found.push(&mut cursor).ok()?;
        // A snapshot nests its items twice more.
        if !cursor.is_done() || cursor.deepest() + 2 > limits::DEPTH {
            return None;
        }
    }
    Some(found)
}
