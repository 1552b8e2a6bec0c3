//! Is a stored queue the set of items that its extraction import derives?
//!
//! The rule, in order:
//!
//! 1. The record is validated as at its import.
//! 2. No item of the queue and no candidate of an item is named twice.
//! 3. The import is grounded, and the queue is not empty.
//! 4. The same names stand on both sides, and every item has the same canonical text.
//!
//! What is derived is the record's own queue; of a random audit it is what the declared rate
//! and seed draw from that. A digest that upstream wrote may rest on its order of member names,
//! so where `jcs` does not match and some value is an object, everything is derived and
//! compared once more under `collated`. One profile has to match the whole queue.
//!
//! A record and a queue rewritten together agree with each other and pass: this attests the
//! queue to the record, not the record.

use crate::canonical::{Rules, canonical_bytes, canonical_digest};
use crate::digest::sha256_hex;
use crate::document::{Document, Profile, Value};
use crate::error::{Checked, Code, Path, Refusal};
use crate::import::Record;
use crate::limits::Limits;
use crate::queue::{self, Queue};
use std::collections::BTreeMap;

/// One thing found: the code of an issue, the item it is about, and a word on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The code.
    pub code: &'static str,
    /// The item it is about.
    pub item: Option<String>,
    /// A further fact: the field of an item, what stands twice, why a record was refused.
    pub detail: String,
    /// Where in the item it first differs, or where in the record it was refused.
    pub pointer: Option<String>,
}

impl Fact {
    fn about(code: &'static str, item: &str) -> Self {
        Self {
            code,
            item: Some(item.to_owned()),
            detail: String::new(),
            pointer: None,
        }
    }

    fn of_queue(code: &'static str, detail: String) -> Self {
        Self {
            code,
            item: None,
            detail,
            pointer: None,
        }
    }
}

/// What a comparison found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings {
    /// Everything that is wrong; empty when the queue is attested.
    pub facts: Vec<Fact>,
    /// The profile under which the whole queue matched.
    pub profile: Option<Profile>,
    /// Why the record was refused, when it was: its code.
    pub refused: Option<Code>,
    /// Whether the import looked every excerpt up in the prepared text.
    pub verified: bool,
    /// Of a random audit: how many of the derived items its rate and seed draw.
    pub drawn: Option<(usize, usize)>,
}

impl Findings {
    fn only(fact: Fact) -> Self {
        Self {
            facts: vec![fact],
            profile: None,
            refused: None,
            verified: false,
            drawn: None,
        }
    }

    fn record(refusal: &Refusal) -> Self {
        let fact = Fact {
            code: "import-invalid",
            item: None,
            detail: refusal.message.clone().into_owned(),
            pointer: Some(refusal.pointer.clone()),
        };
        Self {
            facts: vec![fact],
            profile: None,
            refused: Some(refusal.code),
            verified: false,
            drawn: None,
        }
    }
}

/// Compares the queue `raw` with the import record `record`.
///
/// A refused record is a finding; a queue that cannot be read is a refusal.
pub fn compare(raw: &[u8], record: &[u8], limits: &Limits, threads: usize) -> Checked<Findings> {
    let comparison = Comparison {
        raw,
        record,
        limits,
        threads,
    };
    let found = comparison.under(Profile::Jcs)?;
    let Outcome {
        findings,
        has_objects: true,
    } = found
    else {
        return Ok(found.findings);
    };
    if findings.facts.iter().all(|fact| !is_divergence(fact.code)) {
        return Ok(findings);
    }
    match comparison.under(Profile::Collated) {
        Ok(Outcome {
            findings: collated, ..
        }) if collated.profile.is_some() => Ok(collated),
        Ok(Outcome {
            findings: collated, ..
        }) if collated.refused == Some(Code::DigestNotPortable) => {
            let detail = "an object value has a member name outside printable ASCII, so upstream's order cannot be tried";
            Ok(Findings::only(Fact::of_queue(
                "digest-not-portable",
                detail.to_owned(),
            )))
        }
        Ok(_) | Err(_) => Ok(findings),
    }
}

fn is_divergence(code: &str) -> bool {
    matches!(
        code,
        "item-missing-from-queue" | "item-diverges-from-extraction" | "item-not-in-extraction"
    )
}

struct Comparison<'c> {
    raw: &'c [u8],
    record: &'c [u8],
    limits: &'c Limits,
    threads: usize,
}

struct Outcome {
    findings: Findings,
    has_objects: bool,
}

impl Outcome {
    fn only(fact: Fact) -> Self {
        Self {
            findings: Findings::only(fact),
            has_objects: false,
        }
    }
}

impl Comparison<'_> {
    fn rules(&self, profile: Profile, lossless: bool, max_bytes: usize) -> Rules {
        Rules {
            profile,
            lossless,
            max_bytes,
            threads: self.threads,
        }
    }

    fn under(&self, profile: Profile) -> Checked<Outcome> {
        let refused = |refusal: &Refusal| Outcome {
            findings: Findings::record(refusal),
            has_objects: false,
        };
        let rules = self.rules(profile, true, self.limits.envelope_bytes);
        let text = match canonical_bytes(self.record, &rules) {
            Ok(text) => text,
            Err(refusal) => return Ok(refused(&refusal)),
        };
        let document = Document::index(&text)?;
        match Record::check(&document, self.limits) {
            Ok(record) => self.against(&record, profile),
            Err(refusal) => Ok(refused(&refusal)),
        }
    }

    fn against(&self, record: &Record<'_>, profile: Profile) -> Checked<Outcome> {
        // Names outside the items do not matter, so only items are put into another order.
        let rules = self.rules(Profile::Jcs, false, self.limits.queue_bytes);
        let text = canonical_bytes(self.raw, &rules)?;
        let document = queue::index(&text)?;
        let queue = Queue::read(document.root(), self.limits.items)?;
        if let Some(twice) = queue.ambiguity() {
            let fact = Fact {
                detail: twice.detail,
                ..Fact::about(twice.code.as_str(), &twice.item)
            };
            return Ok(Outcome::only(fact));
        }
        if !record.status.grounded {
            return Ok(Outcome::only(Fact::of_queue(
                "import-not-grounded",
                record.messages.join("; "),
            )));
        }
        if queue.items.is_empty() {
            return Ok(Outcome::only(Fact::of_queue("empty-queue", String::new())));
        }
        let derived = match record.items(profile, self.limits, self.threads) {
            Ok(derived) => derived,
            Err(refusal) => {
                return Ok(Outcome {
                    findings: Findings::record(&refusal),
                    has_objects: false,
                });
            }
        };
        let mut scratch = Vec::new();
        let mut is_drawn = |name: &str| match &queue.draw {
            Some(draw) => draw.includes(name, &mut scratch),
            None => true,
        };
        let attesting: Vec<(&str, &[u8])> =
            derived.iter().filter(|(name, _)| is_drawn(name)).collect();
        let drawn = queue
            .draw
            .as_ref()
            .map(|_| (attesting.len(), derived.iter().count()));
        let facts = differences(&queue, attesting.into_iter(), profile);
        let profile = facts.is_empty().then_some(profile);
        let findings = Findings {
            facts,
            profile,
            refused: None,
            verified: record.status.verified,
            drawn,
        };
        Ok(Outcome {
            findings,
            has_objects: record.has_object_values(),
        })
    }
}

/// Both directions: what the queue lacks or holds otherwise, then what only the queue holds.
fn differences<'i>(
    queue: &Queue<'_>,
    derived: impl Iterator<Item = (&'i str, &'i [u8])>,
    profile: Profile,
) -> Vec<Fact> {
    let mut unmatched: BTreeMap<&str, (usize, Value<'_>)> = queue
        .items
        .iter()
        .enumerate()
        .map(|(place, (name, item))| (name.as_ref(), (place, *item)))
        .collect();
    let mut facts = Vec::new();
    for (name, text) in derived {
        match unmatched.remove(name) {
            None => facts.push(Fact {
                detail: derived_target(text),
                ..Fact::about("item-missing-from-queue", name)
            }),
            Some((_, item)) if !reads_as(item, text, profile) => facts.push(Fact {
                detail: target(item),
                pointer: first_difference(item.text(), text),
                ..Fact::about("item-diverges-from-extraction", name)
            }),
            Some(_) => {}
        }
    }
    let mut surplus: Vec<(usize, &str, Value<'_>)> = unmatched
        .into_iter()
        .map(|(name, (place, item))| (place, name, item))
        .collect();
    surplus.sort_unstable_by_key(|(place, ..)| *place);
    facts.extend(surplus.into_iter().map(|(_, name, item)| Fact {
        detail: target(item),
        ..Fact::about("item-not-in-extraction", name)
    }));
    facts
}

/// The field an item is about, for people.
fn target(item: Value<'_>) -> String {
    let target = item.get("spec").and_then(|spec| spec.get("target"));
    let text = target.and_then(Value::as_str).unwrap_or_default();
    text.into_owned()
}

fn derived_target(text: &[u8]) -> String {
    Document::index_to(text, 2).map_or_else(|_| String::new(), |item| target(item.root()))
}

/// Where a stored item first differs from the derived one.
fn first_difference(stored: &str, derived: &[u8]) -> Option<String> {
    let rules = Rules {
        threads: 1,
        ..Rules::default()
    };
    let derived = canonical_bytes(derived, &rules).ok()?;
    let (stored, derived) = (
        Document::index(stored.as_bytes()).ok()?,
        Document::index(&derived).ok()?,
    );
    stored.root().difference(derived.root(), &Path::Root)
}

/// Whether an item of a `jcs` text is `text` under `profile`.
fn reads_as(item: Value<'_>, text: &[u8], profile: Profile) -> bool {
    let stored = item.text().as_bytes();
    if profile == Profile::Jcs {
        return stored == text;
    }
    // A name that the other order cannot place is one that the import did not derive.
    let rules = Rules {
        profile,
        threads: 1,
        ..Rules::default()
    };
    canonical_bytes(stored, &rules).is_ok_and(|stored| stored.as_ref() == text)
}

/// What a binding commits to: the queue's digest and its item names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// SHA-256 of the canonical text, lower-case hex; absent where the profile cannot give one.
    pub digest: Option<String>,
    /// Item names in the order of the queue.
    pub names: Vec<String>,
    /// Two items of one name or two candidates of one id: code, item and what stands twice.
    pub ambiguity: Option<(&'static str, String, String)>,
    /// How many items carry the binding an import writes.
    pub imported: usize,
}

/// Reads the queue `raw` once for its digest under `profile` and its names.
pub fn outline(raw: &[u8], profile: Profile, limits: &Limits, threads: usize) -> Checked<Outline> {
    let rules = Rules {
        profile: Profile::Jcs,
        lossless: false,
        max_bytes: limits.queue_bytes,
        threads,
    };
    let text = canonical_bytes(raw, &rules)?;
    let document = queue::index(&text)?;
    let queue = Queue::read(document.root(), limits.items)?;
    let digest = match profile {
        Profile::Jcs => Some(sha256_hex([text.as_ref()])),
        Profile::Collated | Profile::AsStored => {
            match canonical_digest(raw, &Rules { profile, ..rules }) {
                Ok(digest) => Some(digest),
                Err(refusal) if refusal.code == Code::DigestNotPortable => None,
                Err(refusal) => return Err(refusal),
            }
        }
    };
    Ok(Outline {
        digest,
        names: queue.names().map(str::to_owned).collect(),
        ambiguity: queue
            .ambiguity()
            .map(|twice| (twice.code.as_str(), twice.item, twice.detail)),
        imported: queue
            .items
            .iter()
            .filter(|(_, item)| carries_import(*item))
            .count(),
    })
}

/// Whether an item or one of its candidates carries the binding an import writes.
fn carries_import(item: Value<'_>) -> bool {
    let bound = |holder: Value<'_>| {
        holder
            .get("producer")
            .is_some_and(|block| block.get(crate::import::PRODUCER_KEY).is_some())
    };
    let of_item = item.get("metadata").is_some_and(bound);
    let candidates = item.get("spec").and_then(|spec| spec.get("candidates"));
    of_item || candidates.is_some_and(|list| list.elements().any(bound))
}
