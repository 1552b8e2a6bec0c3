//! An `authorization` that only says which grant was used, and what became of it.
//!
//! It is read no further than to the first member that says something else, so that looking ahead
//! never takes longer than the scan that follows.

use crate::error::Checked;
use crate::json;
use std::borrow::Cow;

/// Whether the value at `at` of a text without white space between tokens is such a receipt.
///
/// # Errors
///
/// A string that is none.
pub(super) fn is_receipt(text: &str, at: usize) -> Checked<bool> {
    let raw = text.as_bytes();
    if raw.get(at) != Some(&b'{') {
        return Ok(false);
    }
    let mut at = at + 1;
    while raw.get(at) == Some(&b'"') {
        let (name, end) = string(text, at)?;
        let value = end + 1;
        at = if raw.get(value) == Some(&b'"') {
            let (said, end) = string(text, value)?;
            if !is_told(&name, &said) {
                return Ok(false);
            }
            end
        } else {
            let end = json::skip_scalar(raw, value);
            let number = text.get(value..end).and_then(|number| number.parse().ok());
            if name != "maxTokensPerAttempt" || !number.is_some_and(is_count) {
                return Ok(false);
            }
            end
        };
        at += usize::from(raw.get(at) == Some(&b','));
    }
    Ok(raw.get(at) == Some(&b'}'))
}

/// The string whose quote stands at `at`, and where it ends.
fn string(text: &str, at: usize) -> Checked<(Cow<'_, str>, usize)> {
    let token = json::string(text.as_bytes(), at)?;
    let decoded = if token.escaped {
        Cow::Owned(json::decode(text.as_bytes(), at + 1, token.close))
    } else {
        Cow::Borrowed(text.get(at + 1..token.close).unwrap_or_default())
    };
    Ok((decoded, token.close + 1))
}

fn is_told(name: &str, said: &str) -> bool {
    match name {
        "id" | "invocationId" => is_identity(said),
        "outcome" => matches!(said, "reserved" | "settled" | "exhausted"),
        "mode" => said == "file-ledger-v1",
        _ => false,
    }
}

fn is_count(number: f64) -> bool {
    number >= 1.0 && number.fract() == 0.0
}

fn is_identity(text: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || "._:@/-".contains(c);
    text.len() <= 256
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(is_inner)
}
