//! Identities: the first ten bytes of SHA-256 over the canonical text of fixed objects.
//!
//! Members are written in an order that `jcs` and `collated` share, so an identity differs
//! between the two only where an object-valued candidate value does.

use super::slots::Slot;
use crate::digest::{hex, identity_hex};
use crate::document::Value;
use crate::envelope::{Envelope, Proposal};
use sha2::{Digest as _, Sha256};

/// What every item of an import shares, as canonical text.
pub(super) struct Frame<'f> {
    pub(super) envelope: &'f Envelope<'f>,
    pub(super) import_name: &'f str,
    pub(super) namespace: &'f str,
    pub(super) source_kind: &'f str,
    /// `,"importName":…` to `"producerNamespace":…`: serialised once, hashed by each identity.
    shared: String,
    /// `,"runId":…`
    run: String,
    /// `,"source":…}`
    source: String,
    /// The hash of an evidence identity up to its provenance, and the text after it.
    evidence: (Sha256, String),
}

impl<'f> Frame<'f> {
    pub(super) fn new(
        envelope: &'f Envelope<'f>,
        import_name: &'f str,
        namespace: &'f str,
        source_kind: &'f str,
    ) -> Self {
        let optional = |name: &str, value: Option<Value<'_>>| {
            value.map_or_else(String::new, |value| format!(",\"{name}\":{}", value.text()))
        };
        let shared = format!(
            ",\"importName\":{import_name}{}{},\"producerNamespace\":{namespace}",
            optional("pdfLayout", envelope.layout),
            optional(
                "preparedArtifact",
                envelope.artifact.as_ref().map(|artifact| artifact.value)
            ),
        );
        let source_text = envelope.source.text();
        let before = format!(
            "{{\"extractedAt\":{}{shared},\"provenance\":",
            envelope.extracted_at.text()
        );
        Self {
            envelope,
            import_name,
            namespace,
            source_kind,
            run: format!(",\"runId\":{}", envelope.run_id.text()),
            source: format!(",\"source\":{source_text}}}"),
            evidence: (
                Sha256::new_with_prefix(before),
                format!(",\"source\":{source_text},\"sourceKind\":{source_kind}}}"),
            ),
            shared,
        }
    }

    /// The identity of the item of a claim slot.
    pub(super) fn item(&self, slot: &Slot) -> String {
        identity_hex(&[
            b"{\"claimSlot\":",
            slot.key.as_bytes(),
            self.shared.as_bytes(),
            self.run.as_bytes(),
            self.source.as_bytes(),
        ])
    }

    /// The identity of a candidate: its lead proposal with its target, and the proposals that
    /// say the same.
    pub(super) fn candidate(&self, lead: usize, target: &str, same: &[usize]) -> Option<String> {
        let proposal = self.proposal(lead)?;
        let mut hash = Sha256::new();
        for piece in [
            "{\"claimTarget\":",
            target,
            &self.shared,
            ",\"proposal\":",
            proposal.value.text(),
        ] {
            hash.update(piece);
        }
        hash.update(format!(",\"proposalIndex\":{lead}"));
        hash.update(&self.run);
        for (place, index) in same.iter().enumerate() {
            hash.update(if place == 0 {
                ",\"sameValueProposals\":["
            } else {
                ","
            });
            hash.update("{\"proposal\":");
            hash.update(self.proposal(*index)?.value.text());
            hash.update(format!(",\"proposalIndex\":{index}}}"));
        }
        if !same.is_empty() {
            hash.update("]");
        }
        hash.update(&self.source);
        Some(shorten(hash))
    }

    /// The identity of what a proposal was read from; it depends on neither field nor value.
    pub(super) fn evidence(&self, proposal: &Proposal<'_>) -> String {
        let (before, after) = &self.evidence;
        let mut hash = before.clone();
        hash.update(proposal.provenance.text());
        hash.update(after);
        shorten(hash)
    }

    pub(super) fn proposal(&self, index: usize) -> Option<&'f Proposal<'f>> {
        self.envelope.proposals.get(index)
    }
}

fn shorten(hash: Sha256) -> String {
    hex(hash.finalize().get(..10).unwrap_or_default())
}
