//! The portable extraction result, version 1, judged at one of two levels: what an import accepts
//! from others, and what a producer may write.
//!
//! An import takes annotations as they were sent, as long as they are well formed. A producer
//! answers for them: they are computed again. Nothing that a producer may write is refused by an
//! import.
//!
//! The order of the checks is fixed, because the first thing wrong is the one reported: the
//! document, its format and version, its source, then the members of the result in the order
//! that `result.rs` follows, proposals last. In one object it is the kind, unknown members,
//! missing members, and then the values.

mod artifact;
mod coverage;
mod layout;
mod layout_order;
mod outcome;
mod proposal;
mod provenance;
mod result;
mod run;
pub(crate) mod shape;
#[cfg(test)]
mod tests;

pub use artifact::{Artifact, ArtifactState};
pub use layout_order::normalized_layout;
pub use outcome::Outcome;
pub use proposal::Proposal;
pub(crate) use proposal::{INFERENCES, TYPES};

use crate::document::Value;
use crate::error::{Checked, Path};
use crate::limits::Limits;
use result::Members;
use shape::{closed, inconsistent, optional, safe_reference};

/// How strictly an envelope is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// What others may hand to us.
    Import,
    /// What we may write: evidence matches that hold when computed again, one account of each
    /// chunk, an instant of extraction, and no note of a rewritten value.
    Produce,
}

/// The format every envelope names.
const FORMAT: &str = "traverse-extraction-result";

/// A validated envelope: what an import needs of it, as slices of the canonical text.
#[derive(Clone, Debug)]
pub struct Envelope<'d> {
    /// The whole envelope.
    pub value: Value<'d>,
    /// Where the text came from.
    pub source: Value<'d>,
    /// The reference of the source.
    pub source_ref: Value<'d>,
    /// The snapshot of the source that was read.
    pub snapshot_ref: Option<Value<'d>>,
    /// Who extracted.
    pub provider: Value<'d>,
    /// With which model.
    pub model: Option<Value<'d>>,
    /// The run.
    pub run_id: Value<'d>,
    /// When; any text that is not empty.
    pub extracted_at: Value<'d>,
    /// How often the provider was called.
    pub provider_calls: Value<'d>,
    /// Classes of what the run warned about.
    pub warnings: Option<Value<'d>>,
    /// The digest of the task.
    pub task_digest: Option<Value<'d>>,
    /// The digests of the examples given with the task.
    pub example_digests: Option<Value<'d>>,
    /// How the run ended, as written.
    pub outcome: Value<'d>,
    /// How the run ended.
    pub verdict: Outcome<'d>,
    /// What a run that ended early says about the rest.
    pub partial: Option<Value<'d>>,
    /// Which ranges were read.
    pub coverage: Option<Value<'d>>,
    /// The prepared text.
    pub artifact: Option<Artifact<'d>>,
    /// What a store had to say about the prepared text.
    pub artifact_state: Option<ArtifactState<'d>>,
    /// The page layout, in the order of the envelope.
    pub layout: Option<Value<'d>>,
    /// The proposals, in the order of the envelope.
    pub proposals: Vec<Proposal<'d>>,
}

impl<'d> Envelope<'d> {
    /// Reads an envelope that stands at `at`: the document itself, or a place in a record.
    ///
    /// Every container of the document must be indexed.
    pub fn check(value: Value<'d>, at: &Path<'_>, limits: &Limits) -> Checked<Self> {
        Self::check_to(Level::Import, value, at, limits)
    }

    /// Reads an envelope as strictly as `level` asks.
    pub fn check_to(
        level: Level,
        value: Value<'d>,
        at: &Path<'_>,
        limits: &Limits,
    ) -> Checked<Self> {
        let ([format, version, source, result], []) =
            closed(value, at, ["format", "version", "source", "result"], [])
                .map_err(|refusal| refusal.about("this is no extraction envelope"))?;
        artifact::require_version(format, version, FORMAT, at)?;
        let at_source = at.name("source");
        let ([source_ref], [snapshot_ref]) = closed(source, &at_source, ["ref"], ["snapshotRef"])?;
        safe_reference(source_ref, &at_source.name("ref"))?;
        optional(snapshot_ref, &at_source.name("snapshotRef"), safe_reference)?;

        let at_result = at.name("result");
        let result = Members::read(result, &at_result)?;
        let verdict = result.check_run(level, &at_result)?;
        let (artifact, artifact_state) = result.check_prepared(level, &verdict, &at_result)?;
        check_snapshots(snapshot_ref, artifact.as_ref(), &at_source)?;
        let content_length = artifact.map(|artifact| artifact.content_length);
        let at_proposals = at_result.name("proposals");
        let proposals = proposal::check_all(
            level,
            result.proposals,
            content_length,
            limits,
            &at_proposals,
        )?;
        Ok(Self {
            value,
            source,
            source_ref,
            snapshot_ref,
            provider: result.provider,
            model: result.model,
            run_id: result.run_id,
            extracted_at: result.extracted_at,
            provider_calls: result.provider_calls,
            warnings: result.warnings,
            task_digest: result.task_digest,
            example_digests: result.example_digests,
            outcome: result.outcome,
            verdict,
            partial: result.partial,
            coverage: result.coverage,
            artifact,
            artifact_state,
            layout: result.layout,
            proposals,
        })
    }
}

/// Source and prepared text name the same snapshot, where both name one.
fn check_snapshots(
    snapshot: Option<Value<'_>>,
    artifact: Option<&Artifact<'_>>,
    at_source: &Path<'_>,
) -> Checked<()> {
    let prepared = artifact.and_then(|artifact| artifact.snapshot_ref);
    match snapshot.zip(prepared) {
        Some((source, prepared)) if source.text() != prepared.text() => Err(inconsistent(
            &at_source.name("snapshotRef"),
            "the preparedArtifact was made from another snapshot",
        )),
        _ => Ok(()),
    }
}
