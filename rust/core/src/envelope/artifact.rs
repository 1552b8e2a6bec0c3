//! The prepared text as the envelope binds it, and what became of it.

use super::shape::{
    closed, inconsistent, integer, invalid, one_of, optional, plain, safe_reference, sha256,
    trimmed_text, wire_text,
};
use crate::digest::sha256_hex;
use crate::document::Value;
use crate::error::{Checked, Code, Path, Refusal};

const FORMAT: &str = "traverse-prepared-artifact";
const REFERENCE: &str = "traverse-prepared-artifact:v1:sha256:";
const MODES: [&str; 5] = ["text", "markdown", "transcript", "pdf-text", "image-ocr"];
const FAULTS: [&str; 11] = [
    "not-an-object",
    "invalid-format",
    "invalid-version",
    "invalid-digest",
    "invalid-ref",
    "invalid-preparation-mode",
    "invalid-preparation-version",
    "invalid-content-length",
    "invalid-source-snapshot-ref",
    "ill-formed-unicode",
    "invalid-resolved-text",
];

/// The prepared text, bound by digest, length and reference.
#[derive(Clone, Copy, Debug)]
pub struct Artifact<'d> {
    /// The whole object.
    pub value: Value<'d>,
    /// SHA-256 of the text, without a prefix.
    pub digest: &'d str,
    /// The reference that all other members hash to.
    pub reference: Value<'d>,
    /// UTF-16 code units of the text.
    pub content_length: usize,
    /// The snapshot the text was prepared from.
    pub snapshot_ref: Option<Value<'d>>,
}

/// What a store had to say about the prepared text.
#[derive(Clone, Copy, Debug)]
pub enum ArtifactState<'d> {
    /// It is there.
    Available,
    /// It is not there.
    Unavailable {
        /// The reference asked for.
        requested: Value<'d>,
    },
    /// The store failed.
    StorageError {
        /// The reference asked for.
        requested: Value<'d>,
    },
    /// It is stored under another reference than the one asked for.
    IdentityMismatch {
        /// The reference asked for.
        requested: Value<'d>,
    },
    /// What is stored is no prepared text.
    InvalidArtifact {
        /// The reference of the prepared text.
        canonical: Value<'d>,
    },
    /// The stored text is another one.
    DigestMismatch {
        /// The reference of the prepared text.
        canonical: Value<'d>,
        /// SHA-256 of what is stored.
        actual_digest: Value<'d>,
    },
}

/// Refuses another format or version than the one read here; `at` holds both members.
pub(super) fn require_version(
    format: Value<'_>,
    version: Value<'_>,
    known: &str,
    at: &Path<'_>,
) -> Checked<()> {
    let unsupported = |name, message: String| {
        Err(Refusal::at(
            Code::EnvelopeUnsupportedVersion,
            &at.name(name),
            message,
        ))
    };
    if plain(format) != Some(known) {
        return unsupported("format", format!("only the format {known} is read here"));
    }
    if version.text() != "1" {
        return unsupported("version", format!("only version 1 of {known} is read here"));
    }
    Ok(())
}

impl<'d> Artifact<'d> {
    /// Reads `result.preparedArtifact`.
    pub(super) fn check(value: Value<'d>, at: &Path<'_>) -> Checked<Self> {
        let (
            [
                format,
                version,
                digest,
                mode,
                preparation,
                length,
                reference,
            ],
            [snapshot_ref],
        ) = closed(
            value,
            at,
            [
                "format",
                "version",
                "digest",
                "preparationMode",
                "preparationVersion",
                "contentLength",
                "ref",
            ],
            ["sourceSnapshotRef"],
        )?;
        require_version(format, version, FORMAT, at)?;
        let hex = sha256(digest, &at.name("digest"), "")?;
        one_of(mode, &at.name("preparationMode"), &MODES)?;
        trimmed_text(preparation, &at.name("preparationVersion"))?;
        let content_length = integer(length, &at.name("contentLength"))?;
        optional(snapshot_ref, &at.name("sourceSnapshotRef"), wire_text)?;
        let given = sha256(reference, &at.name("ref"), REFERENCE)?;
        // The reference hashes these members in this order, not in canonical order.
        let identity = format!(
            r#"{{"format":{},"version":{},"digest":{},"preparationMode":{},"preparationVersion":{},"contentLength":{},"sourceSnapshotRef":{}}}"#,
            format.text(),
            version.text(),
            digest.text(),
            mode.text(),
            preparation.text(),
            length.text(),
            snapshot_ref.map_or("null", Value::text),
        );
        if given.strip_prefix(REFERENCE) != Some(sha256_hex([identity.as_bytes()]).as_str()) {
            return Err(inconsistent(
                &at.name("ref"),
                "the other members do not hash to this reference",
            ));
        }
        Ok(Self {
            value,
            digest: hex,
            reference,
            content_length,
            snapshot_ref,
        })
    }
}

impl<'d> ArtifactState<'d> {
    /// Reads `result.preparedArtifactState`.
    pub(super) fn check(
        value: Value<'d>,
        artifact: Option<&Artifact<'d>>,
        at: &Path<'_>,
    ) -> Checked<Self> {
        let Some(artifact) = artifact else {
            return Err(inconsistent(
                at,
                "a state needs the preparedArtifact it speaks of",
            ));
        };
        match value.get("status").and_then(plain) {
            Some(status @ ("available" | "unavailable" | "storage-error")) => {
                let ([_, requested, canonical], []) =
                    closed(value, at, ["status", "requestedRef", "canonicalRef"], [])?;
                same_reference(requested, canonical, artifact, at)?;
                Ok(match status {
                    "available" => Self::Available,
                    "unavailable" => Self::Unavailable { requested },
                    _ => Self::StorageError { requested },
                })
            }
            Some("identity-mismatch") => {
                let ([_, requested, canonical], []) =
                    closed(value, at, ["status", "requestedRef", "canonicalRef"], [])?;
                safe_reference(requested, &at.name("requestedRef"))?;
                canonical_reference(canonical, artifact, at)?;
                if requested.text() == canonical.text() {
                    let message = "references that are equal are no mismatch";
                    return Err(inconsistent(&at.name("requestedRef"), message));
                }
                Ok(Self::IdentityMismatch { requested })
            }
            Some("invalid-artifact") => {
                let ([_, reason, canonical], []) =
                    closed(value, at, ["status", "reason", "canonicalRef"], [])?;
                one_of(reason, &at.name("reason"), &FAULTS)?;
                canonical_reference(canonical, artifact, at)?;
                Ok(Self::InvalidArtifact { canonical })
            }
            Some("digest-mismatch") => Self::digest_mismatch(value, artifact, at),
            _ => {
                let others = [
                    "requestedRef",
                    "reason",
                    "actualDigest",
                    "actualContentLength",
                ];
                closed(value, at, ["status", "canonicalRef"], others)?;
                Err(invalid(
                    &at.name("status"),
                    "no such state of a prepared text is known",
                ))
            }
        }
    }

    fn digest_mismatch(value: Value<'d>, artifact: &Artifact<'_>, at: &Path<'_>) -> Checked<Self> {
        let ([_, requested, canonical, actual_digest, length], []) = closed(
            value,
            at,
            [
                "status",
                "requestedRef",
                "canonicalRef",
                "actualDigest",
                "actualContentLength",
            ],
            [],
        )?;
        same_reference(requested, canonical, artifact, at)?;
        sha256(actual_digest, &at.name("actualDigest"), "")?;
        integer(length, &at.name("actualContentLength"))?;
        Ok(Self::DigestMismatch {
            canonical,
            actual_digest,
        })
    }
}

/// The reference asked for and the one of the prepared text, which are the same.
fn same_reference(
    requested: Value<'_>,
    canonical: Value<'_>,
    artifact: &Artifact<'_>,
    at: &Path<'_>,
) -> Checked<()> {
    sha256(requested, &at.name("requestedRef"), REFERENCE)?;
    canonical_reference(canonical, artifact, at)?;
    if requested.text() == canonical.text() {
        return Ok(());
    }
    Err(inconsistent(
        &at.name("requestedRef"),
        "in this state both references are the same",
    ))
}

fn canonical_reference(
    canonical: Value<'_>,
    artifact: &Artifact<'_>,
    at: &Path<'_>,
) -> Checked<()> {
    let place = at.name("canonicalRef");
    sha256(canonical, &place, REFERENCE)?;
    if canonical.text() == artifact.reference.text() {
        return Ok(());
    }
    Err(inconsistent(&place, "the preparedArtifact has another ref"))
}
