//! The members of `result`, in the order in which they are checked.

use super::shape::{closed, integer, invalid, optional, wire_text};
use super::{Artifact, ArtifactState, Level, Outcome, coverage, layout, outcome, run};
use crate::document::Value;
use crate::error::{Checked, Path};
use crate::evidence_match::is_instant;

const REQUIRED: [&str; 8] = [
    "proposals",
    "provider",
    "runId",
    "raw",
    "outcome",
    "extractedAt",
    "providerCalls",
    "totalTokensUsed",
];
const OPTIONAL: [&str; 12] = [
    "model",
    "warningClassifications",
    "partial",
    "coverage",
    "providerFailures",
    "taskDigest",
    "exampleDigests",
    "pdfPageOffsets",
    "pdfLayout",
    "ocrDerived",
    "preparedArtifact",
    "preparedArtifactState",
];

/// The members of `result`, unchecked.
pub(super) struct Members<'d> {
    pub(super) proposals: Value<'d>,
    pub(super) provider: Value<'d>,
    pub(super) run_id: Value<'d>,
    raw: Value<'d>,
    pub(super) outcome: Value<'d>,
    pub(super) extracted_at: Value<'d>,
    pub(super) provider_calls: Value<'d>,
    tokens_used: Value<'d>,
    pub(super) model: Option<Value<'d>>,
    pub(super) warnings: Option<Value<'d>>,
    pub(super) partial: Option<Value<'d>>,
    pub(super) coverage: Option<Value<'d>>,
    failures: Option<Value<'d>>,
    pub(super) task_digest: Option<Value<'d>>,
    pub(super) example_digests: Option<Value<'d>>,
    page_offsets: Option<Value<'d>>,
    pub(super) layout: Option<Value<'d>>,
    ocr_derived: Option<Value<'d>>,
    artifact: Option<Value<'d>>,
    artifact_state: Option<Value<'d>>,
}

impl<'d> Members<'d> {
    pub(super) fn read(result: Value<'d>, at: &Path<'_>) -> Checked<Self> {
        let (required, allowed) = closed(result, at, REQUIRED, OPTIONAL)?;
        let [
            proposals,
            provider,
            run_id,
            raw,
            outcome,
            extracted_at,
            provider_calls,
            tokens_used,
        ] = required;
        let [
            model,
            warnings,
            partial,
            coverage,
            failures,
            task_digest,
            ..,
        ] = allowed;
        let [
            ..,
            example_digests,
            page_offsets,
            layout,
            ocr_derived,
            artifact,
            artifact_state,
        ] = allowed;
        Ok(Self {
            proposals,
            provider,
            run_id,
            raw,
            outcome,
            extracted_at,
            provider_calls,
            tokens_used,
            model,
            warnings,
            partial,
            coverage,
            failures,
            task_digest,
            example_digests,
            page_offsets,
            layout,
            ocr_derived,
            artifact,
            artifact_state,
        })
    }

    /// Checks what the run says about itself, and gives how it ended.
    pub(super) fn check_run(&self, level: Level, at: &Path<'_>) -> Checked<Outcome<'d>> {
        run::identity(self.provider, &at.name("provider"))?;
        optional(self.model, &at.name("model"), run::identity)?;
        run::run_id(self.run_id, &at.name("runId"))?;
        self.check_time(level, &at.name("extractedAt"))?;
        integer(self.provider_calls, &at.name("providerCalls"))?;
        integer(self.tokens_used, &at.name("totalTokensUsed"))?;
        run::raw(self.raw, &at.name("raw"))?;
        let verdict = outcome::check(self.outcome, self.partial, at)?;
        optional(
            self.warnings,
            &at.name("warningClassifications"),
            run::warnings,
        )?;
        optional(self.failures, &at.name("providerFailures"), run::failures)?;
        optional(self.task_digest, &at.name("taskDigest"), run::digest)?;
        optional(
            self.example_digests,
            &at.name("exampleDigests"),
            run::digests,
        )?;
        optional(
            self.page_offsets,
            &at.name("pdfPageOffsets"),
            run::page_offsets,
        )?;
        optional(self.ocr_derived, &at.name("ocrDerived"), run::mark)?;
        Ok(verdict)
    }

    fn check_time(&self, level: Level, at: &Path<'_>) -> Checked<()> {
        wire_text(self.extracted_at, at)?;
        let is_known = || {
            self.extracted_at
                .as_str()
                .is_some_and(|text| is_instant(&text))
        };
        if level == Level::Import || is_known() {
            return Ok(());
        }
        Err(invalid(
            at,
            "an instant belongs here: YYYY-MM-DDTHH:MM:SS.sssZ",
        ))
    }

    /// Checks the prepared text and all that speaks of it but the proposals.
    pub(super) fn check_prepared(
        &self,
        level: Level,
        verdict: &Outcome<'_>,
        at: &Path<'_>,
    ) -> Checked<(Option<Artifact<'d>>, Option<ArtifactState<'d>>)> {
        let artifact = optional(self.artifact, &at.name("preparedArtifact"), Artifact::check)?;
        let prepared = artifact.as_ref();
        optional(self.layout, &at.name("pdfLayout"), |layout, at| {
            layout::check(layout, prepared, at)
        })?;
        let at_coverage = at.name("coverage");
        coverage::check(self.coverage, prepared, verdict, &at_coverage)?;
        if let Some(coverage) = self.coverage.filter(|_| level == Level::Produce) {
            coverage::check_chunks(coverage, &at_coverage)?;
        }
        let state = optional(
            self.artifact_state,
            &at.name("preparedArtifactState"),
            |state, at| ArtifactState::check(state, prepared, at),
        )?;
        Ok((artifact, state))
    }
}
