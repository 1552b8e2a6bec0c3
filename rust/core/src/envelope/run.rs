//! What a run says about itself: who ran, how often it called, what it noticed.

use super::shape::{
    boolean, closed, each, inconsistent, integer, invalid, one_of, optional, plain, sha256,
    stable_identity,
};
use crate::document::Value;
use crate::error::{Checked, Path};
use crate::limits;
use crate::text::is_lower_hex;

const WARNINGS: [&str; 7] = [
    "provider",
    "normalization",
    "preparation",
    "limit",
    "storage",
    "content",
    "other",
];
const FAILURES: [&str; 6] = [
    "authentication",
    "rate-limit",
    "timeout",
    "invalid-request",
    "unavailable",
    "unknown",
];

/// `traverse-extraction-run:` and a UUID of version 4 in lower case.
pub(super) fn run_id(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    let uuid = plain(value).and_then(|text| text.strip_prefix("traverse-extraction-run:"));
    if uuid.is_some_and(is_uuid4) {
        return Ok(());
    }
    Err(invalid(
        at,
        "a run id belongs here: traverse-extraction-run: and a UUID of version 4 in lower case",
    ))
}

fn is_uuid4(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => byte == b'-',
            14 => byte == b'4',
            19 => matches!(byte, b'8' | b'9' | b'a' | b'b'),
            _ => is_lower_hex(byte),
        })
}

/// What is left of the provider's own answer.
pub(super) fn raw(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    let ([], [tokens]) = closed(value, at, [], ["tokensUsed"])?;
    optional(tokens, &at.name("tokensUsed"), integer)?;
    Ok(())
}

/// The name of the provider or its model.
pub(super) fn identity(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    stable_identity(value, at, limits::IDENTITY).map(drop)
}

/// Classes of what the run warned about.
pub(super) fn warnings(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    each(value, at, |warning, at| {
        let ([category, code], []) = closed(warning, at, ["category", "code"], [])?;
        one_of(category, &at.name("category"), &WARNINGS)?;
        identity(code, &at.name("code"))
    })
}

/// Calls that the provider did not answer.
pub(super) fn failures(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    each(value, at, |failure, at| {
        let ([provider, kind, retryable], [code]) =
            closed(failure, at, ["provider", "kind", "retryable"], ["code"])?;
        identity(provider, &at.name("provider"))?;
        one_of(kind, &at.name("kind"), &FAILURES)?;
        boolean(retryable, &at.name("retryable"))?;
        optional(code, &at.name("code"), |code, at| {
            stable_identity(code, at, limits::FAILURE_CODE)
        })
    })
}

/// The digest of a task or an example.
pub(super) fn digest(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    sha256(value, at, "sha256:").map(drop)
}

/// Digests of examples.
pub(super) fn digests(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    each(value, at, digest)
}

/// Where the pages of a PDF start: each after the one before.
pub(super) fn page_offsets(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    let mut last = None;
    each(value, at, |offset, at| {
        let offset = integer(offset, at)?;
        if last.replace(offset).is_some_and(|last| last >= offset) {
            return Err(inconsistent(at, "a page starts after the page before it"));
        }
        Ok(())
    })
}

/// A mark that is there or is absent.
pub(super) fn mark(value: Value<'_>, at: &Path<'_>) -> Checked<()> {
    if value.as_bool() == Some(true) {
        return Ok(());
    }
    Err(invalid(
        at,
        "only true belongs here; leave the member out instead",
    ))
}
