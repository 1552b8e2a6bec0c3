//! Coherence: a stored status is one that some import of its envelope could have written.
//!
//! Findings that follow from the envelope stand first and are rebuilt. What is left has to be
//! what verification could have added: under `verified`, mismatches with ascending indexes, each
//! equal to its rebuilt form; under `unverified`, at most one reason why the text was not read.

use super::status::{
    Diagnostic, Status, mismatch, of_envelope, other_length, other_text, state_word, unreadable,
};
use super::verification::UNAVAILABLE;
use crate::document::{Kind, Value};
use crate::envelope::Envelope;
use crate::envelope::shape::{closed, integer};
use crate::error::{Checked, Code, Path, Refusal};
use crate::text::is_hex;

/// Reads a stored status: one that some import of `envelope` could have written.
pub(super) fn stored_status(
    value: Value<'_>,
    envelope: &Envelope<'_>,
    at: &Path<'_>,
) -> Checked<Status> {
    if value.kind() == Kind::Object && value.get("provenance").is_none() {
        let message =
            "the record does not say whether its excerpts were verified; import the envelope again";
        return Err(Refusal::at(
            Code::ImportProvenanceMissing,
            &at.name("provenance"),
            message,
        ));
    }
    let ([stored, provenance, state], []) =
        closed(value, at, ["diagnostics", "provenance", "state"], [])?;
    let verified = match provenance.as_str().as_deref() {
        Some("verified") => true,
        Some("unverified") => false,
        _ => {
            let message = "provenance is \"verified\" or \"unverified\"";
            return Err(Refusal::at(
                Code::EnvelopeInvalidValue,
                &at.name("provenance"),
                message,
            ));
        }
    };
    if stored.kind() != Kind::Array {
        return Err(Refusal::at(
            Code::EnvelopeInvalidValue,
            &at.name("diagnostics"),
            "an array belongs here",
        ));
    }
    let place = at.name("diagnostics");
    let status = coherent(stored, envelope, verified, &place)?;
    if state.as_str().as_deref() == Some(state_word(status.grounded)) {
        return Ok(status);
    }
    Err(incoherent(&at.name("state")))
}

fn incoherent(at: &Path<'_>) -> Box<Refusal> {
    let message =
        "no import of this envelope could have written this status; import the envelope again";
    Refusal::at(Code::ImportStatusIncoherent, at, message)
}

fn coherent(
    stored: Value<'_>,
    envelope: &Envelope<'_>,
    verified: bool,
    at: &Path<'_>,
) -> Checked<Status> {
    let mut diagnostics = of_envelope(envelope);
    let mut rest = stored.elements().enumerate();
    for expected in &diagnostics {
        let Some((index, found)) = rest.next() else {
            return Err(incoherent(at));
        };
        if !expected.agrees_with(found) {
            return Err(incoherent(&at.index(index)));
        }
    }
    let mut excluded: Vec<usize> = Vec::new();
    let mut unreadable_seen = false;
    for (place, found) in rest {
        let here = at.index(place);
        let rebuilt = if verified {
            let index = mismatch_index(found, &here)
                .filter(|index| excluded.last().is_none_or(|last| last < index));
            excluded.extend(index);
            index.and_then(|index| mismatch(envelope, index))
        } else if unreadable_seen {
            None
        } else {
            unreadable_seen = true;
            rebuilt_unreadable(found, envelope)
        };
        match rebuilt {
            Some(diagnostic) if diagnostic.agrees_with(found) => diagnostics.push(diagnostic),
            _ => return Err(incoherent(&here)),
        }
    }
    // A verified import had a text to verify against.
    if verified && envelope.artifact.is_none() {
        return Err(incoherent(at));
    }
    Ok(Status::new(
        verified,
        diagnostics,
        excluded,
        envelope.proposals.len(),
    ))
}

fn mismatch_index(found: Value<'_>, at: &Path<'_>) -> Option<usize> {
    found
        .get("proposalIndex")
        .and_then(|index| integer(index, at).ok())
}

/// The finding that an import without verification could have written in place of `found`.
fn rebuilt_unreadable(found: Value<'_>, envelope: &Envelope<'_>) -> Option<Diagnostic> {
    let artifact = envelope.artifact.as_ref()?;
    match text_of(found.get("kind")?).as_str() {
        "artifact-unavailable" => match found.get("code") {
            None => Some(other_length(artifact)),
            Some(code) => {
                let code = text_of(code);
                UNAVAILABLE
                    .contains(&code.as_str())
                    .then(|| unreadable(artifact, &code))
            }
        },
        "digest-mismatch" => {
            let actual = text_of(found.get("actualDigest")?);
            is_hex(&actual, 64).then(|| other_text(artifact, &actual, None))
        }
        _ => None,
    }
}

fn text_of(value: Value<'_>) -> String {
    value.as_str().unwrap_or_default().into_owned()
}
