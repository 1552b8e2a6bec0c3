//! Import records: validation, and the items a record derives.

use super::identity::Frame;
use super::items::{self, Items};
use super::status::Status;
use super::{API_VERSION, SOURCE_KINDS, coherence, target};
use crate::canonical::{Rules, canonical_bytes};
use crate::document::{Document, Profile, Value};
use crate::envelope::Envelope;
use crate::envelope::shape::{array, closed, inconsistent, one_of, trimmed_text};
use crate::error::{Checked, Code, Path, Refusal};
use crate::limits::Limits;
use crate::locate::located;

/// A validated import record.
///
/// What this cannot see: a record from which mismatch diagnostics were deleted is another
/// coherent record, and an edited proposal is just another proposal. Keeping the record itself
/// intact is the duty of whoever stores it.
pub struct Record<'d> {
    envelope: Envelope<'d>,
    name: Value<'d>,
    namespace: Value<'d>,
    source_kind: Value<'d>,
    targets: Vec<&'d str>,
    /// What the import found.
    pub status: Status,
    /// Messages of the diagnostics, for people.
    pub messages: Vec<String>,
}

/// Reads the record `raw` and hands its canonical text and its contents to `work`.
pub fn with_record<T>(
    raw: &[u8],
    limits: &Limits,
    threads: usize,
    work: impl FnOnce(&[u8], &Record<'_>) -> Checked<T>,
) -> Checked<T> {
    let rules = Rules {
        lossless: true,
        max_bytes: limits.envelope_bytes,
        threads,
        ..Rules::default()
    };
    let text = canonical_bytes(raw, &rules)?;
    let document = Document::index(&text)?;
    let record = Record::check(&document, limits).map_err(|refusal| located(refusal, raw))?;
    work(&text, &record)
}

impl<'d> Record<'d> {
    /// Validates an indexed record.
    pub fn check(document: &'d Document<'_>, limits: &Limits) -> Checked<Self> {
        let root = Path::Root;
        let ([version, kind, metadata, spec, stored], []) = closed(
            document.root(),
            &root,
            ["apiVersion", "kind", "metadata", "spec", "status"],
            [],
        )
        .map_err(|refusal| refusal.about("this is no import record"))?;
        require_word(version, API_VERSION, &root.name("apiVersion"))?;
        require_word(kind, "ExtractionEnvelopeImport", &root.name("kind"))?;

        let at = root.name("metadata");
        let ([name, namespace], []) = closed(metadata, &at, ["name", "producerNamespace"], [])?;
        trimmed_text(name, &at.name("name"))?;
        trimmed_text(namespace, &at.name("producerNamespace"))?;

        let at = root.name("spec");
        let ([targets, envelope, source_kind], []) =
            closed(spec, &at, ["claimTargets", "envelope", "sourceKind"], [])?;
        let envelope = Envelope::check(envelope, &at.name("envelope"), limits)?;
        one_of(source_kind, &at.name("sourceKind"), &SOURCE_KINDS)?;
        let at_targets = at.name("claimTargets");
        let mut texts = Vec::with_capacity(envelope.proposals.len());
        for (index, one) in array(targets, &at_targets)?.enumerate() {
            target::check(one, &at_targets.index(index))?;
            texts.push(one.text());
        }
        if texts.len() != envelope.proposals.len() {
            let message = "claim targets align with proposals: one for each, in their order";
            return Err(inconsistent(&at_targets, message).recoded(Code::ImportTargetInvalid));
        }
        let status = coherence::stored_status(stored, &envelope, &root.name("status"))?;
        let messages = stored
            .get("diagnostics")
            .into_iter()
            .flat_map(Value::elements)
            .filter_map(|diagnostic| {
                diagnostic
                    .get("message")
                    .and_then(Value::as_str)
                    .map(std::borrow::Cow::into_owned)
            });
        Ok(Self {
            messages: messages.collect(),
            envelope,
            name,
            namespace,
            source_kind,
            targets: texts,
            status,
        })
    }

    /// The items this record derives, as canonical text in `profile`, which must be the
    /// profile of the record's own text.
    pub(crate) fn items(
        &self,
        profile: Profile,
        limits: &Limits,
        threads: usize,
    ) -> Checked<Items> {
        let frame = Frame::new(
            &self.envelope,
            self.name.text(),
            self.namespace.text(),
            self.source_kind.text(),
        );
        items::derive(
            &frame,
            &self.targets,
            &self.status,
            profile,
            limits,
            threads,
        )
    }

    /// The items this record derives.
    pub fn review_items(&self, limits: &Limits, threads: usize) -> Checked<Items> {
        self.items(Profile::Jcs, limits, threads)
    }

    /// Whether some proposed value holds an object, whose names the two profiles may order
    /// differently.
    pub(crate) fn has_object_values(&self) -> bool {
        self.envelope
            .proposals
            .iter()
            .any(|proposal| proposal.candidate_value.text().contains('{'))
    }

    /// The identity hash of one proposal by itself, merged or excluded as it may be.
    pub fn resolution_base(&self, index: usize) -> Checked<String> {
        let frame = Frame::new(
            &self.envelope,
            self.name.text(),
            self.namespace.text(),
            self.source_kind.text(),
        );
        self.targets
            .get(index)
            .and_then(|target| frame.candidate(index, target, &[]))
            .ok_or_else(|| {
                let message = format!(
                    "the import {} holds {} proposals, so there is none of index {index}",
                    self.name.text(),
                    self.targets.len()
                );
                Refusal::at(Code::ImportProposalUnknown, &Path::Root, message)
            })
    }
}

fn require_word(value: Value<'_>, word: &str, at: &Path<'_>) -> Checked<()> {
    if value.as_str().as_deref() == Some(word) {
        return Ok(());
    }
    Err(Refusal::at(
        Code::EnvelopeUnsupportedVersion,
        at,
        format!("only {word} is read here"),
    ))
}
