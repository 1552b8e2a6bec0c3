//! Whether a value has the form its field declares.

use super::date::{digits, is_real};
use super::{FieldType, Subject};
use crate::document::Value;

/// `ok` or what is wrong with the form.
pub(super) fn check(subject: &Subject<'_>) -> &'static str {
    let value = subject.value;
    if !subject.field_type.takes(value.kind()) {
        return "type-mismatch";
    }
    match subject.field_type {
        FieldType::Date if !value.as_str().is_some_and(|text| is_date(&text)) => "format-invalid",
        FieldType::Enum => {
            let mut words = subject.enum_values.into_iter().flat_map(Value::elements);
            let first = words.next();
            // Canonical texts are equal exactly when the strings are.
            let allowed = first.is_none_or(|first| {
                first.text() == value.text() || words.any(|word| word.text() == value.text())
            });
            if allowed { "ok" } else { "enum-mismatch" }
        }
        _ => "ok",
    }
}

/// Whether `text` is a date in ISO form: a year, a month, a day, or a day with a time.
fn is_date(text: &str) -> bool {
    date(text).is_some()
}

/// Whether `text` is a day with a time and its offset from UTC.
pub(crate) fn is_instant(text: &str) -> bool {
    date(text).is_some_and(|has_offset| has_offset)
}

/// Whether a date in ISO form says its offset from UTC.
fn date(text: &str) -> Option<bool> {
    let (year, rest) = digits(text, 4, 4)?;
    if rest.is_empty() {
        return Some(false);
    }
    let (month, rest) = digits(rest.strip_prefix('-')?, 2, 2)?;
    if rest.is_empty() {
        return is_real(year, month, 1).then_some(false);
    }
    let (day, rest) = digits(rest.strip_prefix('-')?, 2, 2)?;
    if !is_real(year, month, day) {
        return None;
    }
    if rest.is_empty() {
        return Some(false);
    }
    let rest = clock(rest.strip_prefix('T')?)?;
    let rest = match rest.strip_prefix(':') {
        Some(rest) => seconds(rest)?,
        None => rest,
    };
    match rest {
        "" => Some(false),
        "Z" => Some(true),
        offset => {
            let rest = clock(offset.strip_prefix(['+', '-'])?)?;
            rest.is_empty().then_some(true)
        }
    }
}

/// What follows `HH:MM`.
fn clock(text: &str) -> Option<&str> {
    let (hour, rest) = digits(text, 2, 2)?;
    let (minute, rest) = digits(rest.strip_prefix(':')?, 2, 2)?;
    (hour <= 23 && minute <= 59).then_some(rest)
}

/// What follows `SS` and an optional fraction.
fn seconds(text: &str) -> Option<&str> {
    let (second, rest) = digits(text, 2, 2)?;
    if second > 59 {
        return None;
    }
    let Some(fraction) = rest.strip_prefix('.') else {
        return Some(rest);
    };
    let rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < fraction.len()).then_some(rest)
}
