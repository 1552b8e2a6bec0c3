//! Grouping: proposals of one claim slot become one item, one candidate for each distinct value.

use super::status::Status;
use super::target::SlotMembers;
use crate::document::Document;
use crate::envelope::Envelope;
use crate::error::{Checked, Code, Path, Refusal};
use std::collections::BTreeMap;

/// A claim slot with what was proposed for it; every number is a proposal's index.
#[derive(Debug)]
pub(super) struct Slot {
    /// Canonical text of the seven members that make the slot.
    pub(super) key: String,
    /// Proposals that are not excluded, ascending.
    pub(super) members: Vec<usize>,
    /// Proposals left out because their excerpt is not at its span, ascending.
    pub(super) excluded: Vec<usize>,
}

/// One distinct value of a slot.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) lead: usize,
    /// Later proposals of the same value.
    pub(super) same: Vec<usize>,
}

/// The slots in the order of their first member. A slot all of whose proposals are excluded
/// has no item and stands in the diagnostics alone.
pub(super) fn group(
    envelope: &Envelope<'_>,
    targets: &[&str],
    status: &Status,
) -> Checked<Vec<Slot>> {
    let mut excluded = vec![false; envelope.proposals.len()];
    for index in &status.excluded {
        if let Some(flag) = excluded.get_mut(*index) {
            *flag = true;
        }
    }
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut slots: Vec<Slot> = Vec::new();
    let mut left_out = Vec::new();
    let mut keys = Keys::default();
    for (index, ((proposal, target), is_excluded)) in envelope
        .proposals
        .iter()
        .zip(targets)
        .zip(excluded)
        .enumerate()
    {
        let key = keys.key(
            target,
            proposal
                .path_indices
                .map_or("null", |indices| indices.text()),
        )?;
        if is_excluded {
            left_out.push((index, key));
            continue;
        }
        match places.get(&key).and_then(|place| slots.get_mut(*place)) {
            Some(slot) => {
                let first = slot.members.first().copied().unwrap_or(index);
                if targets.get(first) != Some(target) {
                    return Err(conflict(first, index));
                }
                slot.members.push(index);
            }
            None => {
                places.insert(key.clone(), slots.len());
                slots.push(Slot {
                    key,
                    members: vec![index],
                    excluded: Vec::new(),
                });
            }
        }
    }
    for (index, key) in left_out {
        if let Some(slot) = places.get(&key).and_then(|place| slots.get_mut(*place)) {
            slot.excluded.push(index);
        }
    }
    Ok(slots)
}

fn conflict(first: usize, index: usize) -> Box<Refusal> {
    let spec = Path::Root.name("spec");
    let targets = spec.name("claimTargets");
    let message = format!(
        "proposals {first} and {index} are about one claim but carry different claim targets"
    );
    Refusal::at(Code::ImportTargetConflict, &targets.index(index), message)
}

/// Slot keys; equal neighbours share the reading of their target.
#[derive(Default)]
struct Keys {
    target: String,
    before: String,
    after: String,
}

impl Keys {
    fn key(&mut self, target: &str, path_indices: &str) -> Checked<String> {
        if self.target != target {
            let document = Document::index(target.as_bytes())?;
            let slot = SlotMembers::read(document.root(), &Path::Root)?;
            self.before = format!(
                "{{\"claimId\":{},\"claimType\":{},\"facet\":{},\"fieldOrBehavior\":{},\"pathIndices\":",
                slot.claim_id.map_or("null", |id| id.text()),
                slot.claim_type.text(),
                slot.facet.text(),
                slot.field.text(),
            );
            self.after = format!(
                ",\"subjectId\":{},\"subjectType\":{}}}",
                slot.subject_id.text(),
                slot.subject_type.text()
            );
            target.clone_into(&mut self.target);
        }
        Ok([self.before.as_str(), path_indices, &self.after].concat())
    }
}

/// The distinct values of a slot, in the order of their first proposal. Two values are one when
/// their canonical text is.
pub(super) fn candidates(envelope: &Envelope<'_>, slot: &Slot) -> Vec<Candidate> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found: Vec<Candidate> = Vec::new();
    for index in &slot.members {
        let Some(proposal) = envelope.proposals.get(*index) else {
            continue;
        };
        let value = proposal.candidate_value.text();
        match places.get(value).and_then(|place| found.get_mut(*place)) {
            Some(candidate) => candidate.same.push(*index),
            None => {
                places.insert(value, found.len());
                found.push(Candidate {
                    lead: *index,
                    same: Vec::new(),
                });
            }
        }
    }
    found
}
