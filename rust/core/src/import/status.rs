//! What an import found, and whether its items may be reviewed.
//!
//! A diagnostic's message is for people and is never compared: a record with the wording of
//! another program is as good as one with ours.

use super::quoted;
use super::verification::Verification;
use crate::document::Value;
use crate::envelope::{Artifact, ArtifactState, Envelope, Outcome};

/// What an import found out about its extraction.
#[derive(Clone, Debug)]
pub struct Status {
    /// Whether every excerpt was looked up in the prepared text.
    pub verified: bool,
    /// Whether the import derives items.
    pub grounded: bool,
    /// Proposals whose excerpt is not at its span, ascending.
    pub excluded: Vec<usize>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// One finding: its members without the message, as canonical text, and the message.
#[derive(Clone, Debug)]
pub(super) struct Diagnostic {
    /// Members as `(name, canonical text)`, in code-unit order.
    members: Vec<(&'static str, String)>,
    message: String,
    is_mismatch: bool,
}

impl Diagnostic {
    fn new(kind: &str, members: &[(&'static str, &str)], message: String) -> Self {
        let mut members: Vec<_> = members
            .iter()
            .map(|(name, text)| (*name, (*text).to_owned()))
            .collect();
        members.push(("kind", quoted(kind)));
        members.sort_by_key(|(name, _)| *name);
        Self {
            members,
            message,
            is_mismatch: kind == "excerpt-mismatch",
        }
    }

    fn text(&self) -> String {
        let message = ("message", quoted(&self.message));
        let mut members: Vec<_> = self
            .members
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        members.push((message.0, &message.1));
        members.sort_by_key(|(name, _)| *name);
        let written: Vec<String> = members
            .iter()
            .map(|(name, text)| format!("\"{name}\":{text}"))
            .collect();
        format!("{{{}}}", written.join(","))
    }

    /// Whether `stored` says the same, whatever its message.
    pub(super) fn agrees_with(&self, stored: Value<'_>) -> bool {
        let said = stored.members().filter(|(name, _)| name != "message");
        let mut ours = self.members.iter();
        let same = said.into_iter().all(|(name, value)| {
            ours.next()
                .is_some_and(|(known, text)| *known == name && text == value.text())
        });
        same && ours.next().is_none()
    }
}

impl Status {
    pub(super) fn new(
        verified: bool,
        diagnostics: Vec<Diagnostic>,
        excluded: Vec<usize>,
        proposals: usize,
    ) -> Self {
        let all_mismatch = !excluded.is_empty() && excluded.len() == proposals;
        let grounded = !all_mismatch && diagnostics.iter().all(|diagnostic| diagnostic.is_mismatch);
        Self {
            verified,
            grounded,
            excluded,
            diagnostics,
        }
    }

    /// Canonical text.
    pub(super) fn text(&self) -> String {
        let diagnostics: Vec<String> = self.diagnostics.iter().map(Diagnostic::text).collect();
        format!(
            "{{\"diagnostics\":[{}],\"provenance\":\"{}\",\"state\":\"{}\"}}",
            diagnostics.join(","),
            provenance_word(self.verified),
            state_word(self.grounded),
        )
    }
}

const fn provenance_word(verified: bool) -> &'static str {
    if verified { "verified" } else { "unverified" }
}

pub(super) const fn state_word(grounded: bool) -> &'static str {
    if grounded { "grounded" } else { "unresolved" }
}

/// The status of an import of `envelope` with what verification found.
pub(super) fn of_import(envelope: &Envelope<'_>, verification: Verification) -> Status {
    let mut diagnostics = of_envelope(envelope);
    let mut excluded = Vec::new();
    let verified = matches!(verification, Verification::Done { .. });
    match (verification, &envelope.artifact) {
        (Verification::Unavailable(code), Some(artifact)) => {
            diagnostics.push(unreadable(artifact, &code));
        }
        (Verification::OtherDigest { actual, units }, Some(artifact)) => {
            diagnostics.push(other_text(artifact, &actual, units));
        }
        (Verification::OtherLength, Some(artifact)) => diagnostics.push(other_length(artifact)),
        (Verification::Done { mismatches }, _) => {
            diagnostics.extend(
                mismatches
                    .iter()
                    .filter_map(|index| mismatch(envelope, *index)),
            );
            excluded = mismatches;
        }
        (Verification::NotOffered, _) | (_, None) => {}
    }
    Status::new(verified, diagnostics, excluded, envelope.proposals.len())
}

/// Findings that follow from the envelope alone: its artifact state, then its outcome.
pub(super) fn of_envelope(envelope: &Envelope<'_>) -> Vec<Diagnostic> {
    let state = envelope
        .artifact_state
        .as_ref()
        .zip(envelope.artifact.as_ref());
    let mut found: Vec<Diagnostic> = state
        .and_then(|(state, artifact)| of_state(state, artifact))
        .into_iter()
        .collect();
    match &envelope.verdict {
        Outcome::Failure { category, code } => found.push(Diagnostic::new(
            "extraction-failed",
            &[("category", category.text()), ("code", code.text())],
            format!(
                "the extraction failed: {} ({})",
                plain(*category),
                plain(*code)
            ),
        )),
        Outcome::Partial { reason } if envelope.proposals.is_empty() => {
            found.push(Diagnostic::new(
                "extraction-incomplete",
                &[("reason", reason.text())],
                format!(
                    "the extraction stopped early ({}) and proposed nothing",
                    plain(*reason)
                ),
            ));
        }
        Outcome::Partial { .. } | Outcome::Success => {}
    }
    found
}

fn of_state(state: &ArtifactState<'_>, artifact: &Artifact<'_>) -> Option<Diagnostic> {
    let unavailable = |status: &str, reference: Value<'_>| {
        let message = format!("the extraction reports its prepared text as {status}");
        Some(Diagnostic::new(
            "artifact-unavailable",
            &[
                ("artifactRef", reference.text()),
                ("status", &quoted(status)),
            ],
            message,
        ))
    };
    match state {
        ArtifactState::Available => None,
        ArtifactState::Unavailable { requested } => unavailable("unavailable", *requested),
        ArtifactState::StorageError { requested } => unavailable("storage-error", *requested),
        ArtifactState::IdentityMismatch { requested } => {
            unavailable("identity-mismatch", *requested)
        }
        ArtifactState::InvalidArtifact { canonical } => unavailable("invalid-artifact", *canonical),
        ArtifactState::DigestMismatch {
            canonical,
            actual_digest,
        } => Some(Diagnostic::new(
            "digest-mismatch",
            &[
                ("artifactRef", canonical.text()),
                ("expectedDigest", &quoted(artifact.digest)),
                ("actualDigest", actual_digest.text()),
            ],
            "the extraction reports that the stored prepared text is another text".to_owned(),
        )),
    }
}

fn plain(value: Value<'_>) -> String {
    value.as_str().unwrap_or_default().into_owned()
}

pub(super) fn unreadable(artifact: &Artifact<'_>, code: &str) -> Diagnostic {
    let status = if matches!(code, "storage-error" | "invalid-artifact") {
        code
    } else {
        "unavailable"
    };
    Diagnostic::new(
        "artifact-unavailable",
        &[
            ("artifactRef", artifact.reference.text()),
            ("code", &quoted(code)),
            ("status", &quoted(status)),
        ],
        format!("the prepared text could not be read: {code}"),
    )
}

pub(super) fn other_length(artifact: &Artifact<'_>) -> Diagnostic {
    Diagnostic::new(
        "artifact-unavailable",
        &[
            ("artifactRef", artifact.reference.text()),
            ("status", "\"invalid-artifact\""),
        ],
        format!(
            "the prepared text does not have the {} code units that the envelope states",
            artifact.content_length
        ),
    )
}

pub(super) fn other_text(
    artifact: &Artifact<'_>,
    actual: &str,
    units: Option<usize>,
) -> Diagnostic {
    let read = artifact.content_length;
    let counted = units.map_or_else(String::new, |units| {
        let hint = if units.abs_diff(read) == 1 {
            "; a final line end may have been added or removed"
        } else {
            ""
        };
        format!(": it has {units} UTF-16 code units, {read} were read{hint}")
    });
    let message = format!("the prepared text is not the one the extraction read{counted}");
    Diagnostic::new(
        "digest-mismatch",
        &[
            ("artifactRef", artifact.reference.text()),
            ("expectedDigest", &quoted(artifact.digest)),
            ("actualDigest", &quoted(actual)),
        ],
        message,
    )
}

pub(super) fn mismatch(envelope: &Envelope<'_>, index: usize) -> Option<Diagnostic> {
    let proposal = envelope.proposals.get(index)?;
    let (field, locator) = (plain(proposal.field_path), plain(proposal.locator));
    Some(Diagnostic::new(
        "excerpt-mismatch",
        &[
            ("locator", proposal.locator.text()),
            ("proposalIndex", &index.to_string()),
        ],
        format!(
            "proposal {index} for {field:?}: the prepared text does not read as the excerpt at {locator}"
        ),
    ))
}
