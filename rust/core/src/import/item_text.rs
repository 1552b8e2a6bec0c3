//! The text of one review item, written as canonical JSON.

use super::identity::Frame;
use super::items::Part;
use super::slots::{self, Candidate, Slot};
use super::{API_VERSION, PRODUCER_KEY};
use crate::document::{Kind, Profile, Value};
use crate::envelope::Proposal;
use crate::error::{Checked, Code, Path, Refusal};
use crate::limits::Limits;

/// Writes items of one import.
pub(super) struct ItemWriter<'w> {
    pub(super) frame: &'w Frame<'w>,
    pub(super) targets: &'w [&'w str],
    pub(super) verified: bool,
    pub(super) profile: Profile,
    pub(super) limits: &'w Limits,
}

/// Text that is being written, with the few shapes items are made of.
struct Out<'o> {
    text: &'o mut Vec<u8>,
}

impl Out<'_> {
    fn put(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    /// `before` and the text of `value`, where there is one.
    fn member(&mut self, before: &str, value: Option<Value<'_>>) {
        if let Some(value) = value {
            self.put(before);
            self.put(value.text());
        }
    }

    fn number(&mut self, number: usize) {
        self.put(&number.to_string());
    }

    fn list<T>(&mut self, list: &[T], mut one: impl FnMut(&mut Self, &T)) {
        self.put("[");
        for (place, element) in list.iter().enumerate() {
            if place > 0 {
                self.put(",");
            }
            one(self, element);
        }
        self.put("]");
    }
}

impl ItemWriter<'_> {
    /// The items of `slots`.
    pub(super) fn items(&self, slots: &[Slot]) -> Checked<Part> {
        let mut part = Part::default();
        for slot in slots {
            let name = format!("extraction-envelope.{}", self.frame.item(slot));
            part.push(&name, slots.len(), |text| {
                self.item(&mut Out { text }, slot, &name)
            })?;
        }
        Ok(part)
    }

    fn item(&self, out: &mut Out<'_>, slot: &Slot, name: &str) -> Checked<()> {
        let Some(lead) = slot
            .members
            .first()
            .and_then(|index| self.frame.proposal(*index))
        else {
            return Ok(());
        };
        let candidates = slots::candidates(self.frame.envelope, slot);
        if candidates.len() > self.limits.candidates {
            let message = format!(
                "{} different values for one claim, more than the {} an item may hold",
                candidates.len(),
                self.limits.candidates
            );
            return Err(Refusal::at(Code::ImportTooLarge, &Path::Root, message));
        }
        out.put("{\"apiVersion\":\"");
        out.put(API_VERSION);
        out.put("\",\"kind\":\"ReviewItem\",\"metadata\":{\"name\":\"");
        out.put(name);
        out.put("\",\"producer\":{\"");
        out.put(PRODUCER_KEY);
        out.put("\":");
        self.item_producer(out, slot, lead);
        out.put("}},\"spec\":{");
        self.candidate_members(out, &candidates);
        out.put(",\"editable\":false,\"target\":");
        out.put(lead.field_path.text());
        out.put(",\"valueDescriptor\":{\"type\":");
        out.put(value_type(lead));
        out.put("}},\"status\":{\"observedCandidateCount\":");
        out.number(candidates.len());
        out.put("}}");
        Ok(())
    }

    /// The one pair of names that `jcs` and `collated` order differently.
    fn candidate_members(&self, out: &mut Out<'_>, candidates: &[Candidate]) {
        let status = if candidates.len() > 1 {
            "conflict"
        } else {
            "needs-review"
        };
        let set_status = format!("\"candidateSetStatus\":\"{status}\"");
        if self.profile != Profile::Collated {
            out.put(&set_status);
            out.put(",");
        }
        out.put("\"candidates\":");
        out.list(candidates, |out, candidate| self.candidate(out, candidate));
        if self.profile == Profile::Collated {
            out.put(",");
            out.put(&set_status);
        }
    }

    fn item_producer(&self, out: &mut Out<'_>, slot: &Slot, lead: &Proposal<'_>) {
        let envelope = self.frame.envelope;
        out.put("{\"evidenceId\":");
        self.evidence_id(out, lead);
        if self.verified {
            out.put(",\"excerptVerification\":\"verified\"");
        }
        if !slot.excluded.is_empty() {
            out.put(",\"excludedProposals\":");
            out.list(&slot.excluded, |out, index| self.excluded(out, *index));
        }
        out.put(",\"importName\":");
        out.put(self.frame.import_name);
        out.member(
            ",\"preparedArtifact\":",
            envelope.artifact.as_ref().map(|artifact| artifact.value),
        );
        out.put(",\"proposalIndices\":");
        out.list(&slot.members, |out, index| out.number(*index));
        out.put(",\"source\":");
        out.put(envelope.source.text());
        out.put("}");
    }

    fn excluded(&self, out: &mut Out<'_>, index: usize) {
        let Some(proposal) = self.frame.proposal(index) else {
            return;
        };
        out.put("{\"excerpt\":");
        out.put(proposal.excerpt.text());
        out.put(",\"locator\":");
        out.put(proposal.locator.text());
        out.put(",\"proposalIndex\":");
        out.number(index);
        out.put(",\"reason\":\"excerpt-mismatch\",\"value\":");
        out.put(proposal.candidate_value.text());
        out.put("}");
    }

    fn evidence_id(&self, out: &mut Out<'_>, proposal: &Proposal<'_>) {
        out.put("\"survey.extraction.");
        out.put(&self.frame.evidence(proposal));
        out.put(".source-evidence\"");
    }

    fn candidate(&self, out: &mut Out<'_>, candidate: &Candidate) {
        let (Some(proposal), Some(target)) = (
            self.frame.proposal(candidate.lead),
            self.targets.get(candidate.lead),
        ) else {
            return;
        };
        let Some(identity) = self
            .frame
            .candidate(candidate.lead, target, &candidate.same)
        else {
            return;
        };
        out.put("{\"claimTarget\":");
        out.put(target);
        out.member(",\"confidence\":", proposal.confidence);
        out.put(",\"extraction\":{");
        self.extraction(out, proposal, &identity);
        out.put("},\"id\":\"extraction-envelope.");
        out.put(&identity);
        out.put(".proposed\",\"locator\":{\"excerpt\":");
        out.put(proposal.excerpt.text());
        out.put(",\"locator\":");
        out.put(proposal.locator.text());
        out.put(",\"scheme\":\"text-span\"},\"producer\":{\"");
        out.put(PRODUCER_KEY);
        out.put("\":");
        self.candidate_producer(out, candidate, proposal);
        out.put("},\"role\":\"proposed\",\"source\":");
        self.source(out);
        out.put(",\"value\":");
        out.put(proposal.candidate_value.text());
        out.put("}");
    }

    fn extraction(&self, out: &mut Out<'_>, proposal: &Proposal<'_>, identity: &str) {
        out.member("\"confidence\":", proposal.confidence);
        out.put(if proposal.confidence.is_some() {
            ",\"extractedAt\":"
        } else {
            "\"extractedAt\":"
        });
        out.put(self.frame.envelope.extracted_at.text());
        out.put(",\"extractionId\":\"extraction-envelope.");
        out.put(identity);
        out.put("\",\"extractor\":");
        out.put(proposal.extractor.text());
        out.member(
            ",\"model\":",
            proposal.produced_by_model.or(self.frame.envelope.model),
        );
        out.put(",\"target\":");
        out.put(proposal.field_path.text());
    }

    fn source(&self, out: &mut Out<'_>) {
        let envelope = self.frame.envelope;
        out.put("{");
        if let Some(artifact) = &envelope.artifact {
            out.put("\"checksum\":\"");
            out.put(artifact.digest);
            out.put("\",");
        }
        out.put("\"kind\":");
        out.put(self.frame.source_kind);
        out.put(",\"locatorScheme\":\"text-span\",\"observedAt\":");
        out.put(envelope.extracted_at.text());
        out.put(",\"sourceId\":");
        out.put(envelope.snapshot_ref.unwrap_or(envelope.source_ref).text());
        out.put(",\"sourceRef\":");
        out.put(envelope.source_ref.text());
        out.put("}");
    }

    fn candidate_producer(
        &self,
        out: &mut Out<'_>,
        candidate: &Candidate,
        proposal: &Proposal<'_>,
    ) {
        let envelope = self.frame.envelope;
        out.put("{\"attempt\":{\"id\":");
        out.put(envelope.run_id.text());
        out.put(",\"providerCalls\":");
        out.put(envelope.provider_calls.text());
        out.put("}");
        out.member(",\"coverage\":", envelope.coverage);
        out.put(",\"evidenceId\":");
        self.evidence_id(out, proposal);
        out.member(",\"evidenceMatch\":", proposal.evidence_match);
        out.member(",\"exampleDigests\":", envelope.example_digests);
        out.put(",\"importName\":");
        out.put(self.frame.import_name);
        out.member(",\"model\":", envelope.model);
        out.put(",\"occurrence\":");
        out.put(proposal.occurrence.text());
        out.put(",\"outcome\":");
        out.put(envelope.outcome.text());
        out.member(",\"partial\":", envelope.partial);
        out.member(",\"producedBy\":", proposal.produced_by);
        out.put(",\"proposalIndex\":");
        out.number(candidate.lead);
        out.put(",\"provider\":");
        out.put(envelope.provider.text());
        out.put(",\"runId\":");
        out.put(envelope.run_id.text());
        if !candidate.same.is_empty() {
            out.put(",\"sameValueProposals\":");
            out.list(&candidate.same, |out, index| self.same_value(out, *index));
        }
        out.member(",\"taskDigest\":", envelope.task_digest);
        out.member(",\"valueNormalization\":", proposal.value_normalization);
        out.put(",\"valueType\":{\"origin\":");
        out.put(proposal.inference_type.map_or("\"inferred\"", Value::text));
        out.put(",\"type\":");
        out.put(value_type(proposal));
        out.put("}");
        out.member(",\"warnings\":", envelope.warnings);
        out.put("}");
    }

    fn same_value(&self, out: &mut Out<'_>, index: usize) {
        let Some(proposal) = self.frame.proposal(index) else {
            return;
        };
        out.put("{\"evidenceId\":");
        self.evidence_id(out, proposal);
        out.put(",\"excerpt\":");
        out.put(proposal.excerpt.text());
        out.put(",\"locator\":");
        out.put(proposal.locator.text());
        out.put(",\"proposalIndex\":");
        out.number(index);
        out.put("}");
    }
}

/// The declared type of a proposal's value, or what the value is.
fn value_type<'d>(proposal: &Proposal<'d>) -> &'d str {
    match proposal.value_type {
        Some(declared) => declared.text(),
        None => match proposal.candidate_value.kind() {
            Kind::Array => "\"array\"",
            Kind::Null | Kind::Object => "\"object\"",
            Kind::String => "\"string\"",
            Kind::Number => "\"number\"",
            Kind::Boolean => "\"boolean\"",
        },
    }
}
