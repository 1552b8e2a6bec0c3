//! Excerpt verification: does every excerpt stand at its span of the prepared text.
//!
//! The text has to be the one the envelope names: its digest is computed here, whatever the
//! caller reports. There is no search elsewhere and no folding of case or form.

use crate::canonical::{Rules, canonical_bytes};
use crate::digest::sha256_hex;
use crate::document::{Document, Value};
use crate::envelope::shape::{closed, one_of, string};
use crate::envelope::{Artifact, Envelope};
use crate::error::{Checked, Code, Path, Refusal};
use crate::span::SpanIndex;
use crate::text::{is_hex, utf16_len};
use std::borrow::Cow;

/// Reasons a caller may give for not having the text.
pub(super) const UNAVAILABLE: [&str; 5] = [
    "not-found",
    "storage-error",
    "access-denied",
    "invalid-artifact",
    "unknown",
];

/// What came of looking at the prepared text.
pub(super) enum Verification {
    /// No text was offered.
    NotOffered,
    /// The caller has no text, for this reason.
    Unavailable(String),
    /// The text is another one.
    OtherDigest {
        /// The digest of the text, computed or reported.
        actual: String,
        /// UTF-16 code units of the text, where it was given.
        units: Option<usize>,
    },
    /// The text has the digest but not the length that the envelope states.
    OtherLength,
    /// Every span was looked at; these proposals do not stand there.
    Done { mismatches: Vec<usize> },
}

/// Looks at the offered artifact, which is JSON text.
pub(super) fn verify(envelope: &Envelope<'_>, offered: Option<&[u8]>) -> Checked<Verification> {
    let Some(raw) = offered else {
        return Ok(Verification::NotOffered);
    };
    let rules = Rules {
        lossless: true,
        ..Rules::default()
    };
    let text = canonical_bytes(raw, &rules)?;
    let document = Document::index(&text)?;
    let offer = Offer::read(document.root())?;
    let Some(artifact) = &envelope.artifact else {
        let message = "a prepared text was offered, but the envelope names no prepared artifact to check it against";
        return Err(Refusal::at(
            Code::ArtifactOptionInvalid,
            &Path::Root,
            message,
        ));
    };
    Ok(match offer {
        Offer::Unavailable(code) => Verification::Unavailable(code),
        Offer::OtherDigest(actual) => Verification::OtherDigest {
            actual,
            units: None,
        },
        Offer::Text { text, reported } => check_text(envelope, artifact, &text, &reported),
    })
}

fn check_text(
    envelope: &Envelope<'_>,
    artifact: &Artifact<'_>,
    text: &str,
    reported: &str,
) -> Verification {
    let computed = sha256_hex([text.as_bytes()]);
    if reported != artifact.digest || computed != reported {
        return Verification::OtherDigest {
            actual: computed,
            units: Some(utf16_len(text)),
        };
    }
    let index = SpanIndex::new(text);
    if index.units() != artifact.content_length {
        return Verification::OtherLength;
    }
    let stands = |proposal: &crate::envelope::Proposal<'_>| {
        proposal
            .excerpt
            .as_str()
            .is_some_and(|excerpt| index.matches(proposal.start, proposal.end, &excerpt))
    };
    let wrong = envelope
        .proposals
        .iter()
        .enumerate()
        .filter(|(_, proposal)| !stands(proposal));
    Verification::Done {
        mismatches: wrong.map(|(index, _)| index).collect(),
    }
}

/// The shapes in which a caller may offer the prepared text.
enum Offer<'d> {
    Text {
        text: Cow<'d, str>,
        reported: Cow<'d, str>,
    },
    Unavailable(String),
    OtherDigest(String),
}

impl<'d> Offer<'d> {
    fn read(value: Value<'d>) -> Checked<Self> {
        Self::shape(value).map_err(|refusal| refusal.recoded(Code::ArtifactOptionInvalid))
    }

    fn shape(value: Value<'d>) -> Checked<Self> {
        let at = Path::Root;
        let status = value
            .get("status")
            .and_then(Value::as_str)
            .unwrap_or_default();
        match status.as_ref() {
            "available" => {
                let ([reported, _, text], []) =
                    closed(value, &at, ["actualDigest", "status", "text"], [])?;
                let reported = digest(reported)?;
                Ok(Offer::Text {
                    text: string(text, &at.name("text"))?,
                    reported,
                })
            }
            "unavailable" => {
                let ([code, _], []) = closed(value, &at, ["code", "status"], [])?;
                one_of(code, &at.name("code"), &UNAVAILABLE)?;
                Ok(Offer::Unavailable(
                    code.as_str().unwrap_or_default().into_owned(),
                ))
            }
            "digest-mismatch" => {
                let ([actual, _], []) = closed(value, &at, ["actualDigest", "status"], [])?;
                Ok(Offer::OtherDigest(digest(actual)?.into_owned()))
            }
            _ => {
                let message =
                    "an artifact has the status available, unavailable or digest-mismatch";
                Err(Refusal::at(
                    Code::ArtifactOptionInvalid,
                    &at.name("status"),
                    message,
                ))
            }
        }
    }
}

fn digest(value: Value<'_>) -> Checked<Cow<'_, str>> {
    let at = Path::Root.name("actualDigest");
    let text = string(value, &at)?;
    if is_hex(&text, 64) {
        return Ok(text);
    }
    Err(Refusal::at(
        Code::ArtifactOptionInvalid,
        &at,
        "a digest is 64 lower-case hexadecimal digits",
    ))
}
