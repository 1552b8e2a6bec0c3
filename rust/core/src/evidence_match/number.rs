//! Numbers in an excerpt: those that can be read plainly, and whether any cannot.

use super::InExcerpt;
use super::words::{Prepared, Words, folded};
use crate::characters::is_letter_or_number;
use crate::text::is_blank;
use std::ops::Range;

const MAGNITUDES: [&str; 6] = ["thousand", "million", "billion", "trillion", "bn", "mn"];

/// Compares a number with its excerpt.
pub(super) fn compare(value: f64, excerpt: &str) -> InExcerpt {
    let folded = folded(excerpt);
    let prepared = Prepared::from_folded(&folded);
    let words = prepared.words();
    let blanked = without_joined(&folded);
    let mut is_uncertain = blanked.is_some();
    let text = blanked.as_ref().unwrap_or(&folded);
    let mut has_other = false;
    let mut at = 0;
    while let Some(found) = next_number(text, at) {
        at = found.range.end;
        if is_qualified(text, &found.range) || is_negated(&prepared, &words, found.range.start) {
            is_uncertain = true;
        } else if is_same(found.value, value) {
            return InExcerpt::Match;
        } else {
            has_other = true;
        }
    }
    if is_uncertain || !has_other {
        InExcerpt::NotEvaluated
    } else {
        InExcerpt::Mismatch
    }
}

#[expect(clippy::float_cmp, reason = "the same digits give the same double")]
fn is_same(one: f64, other: f64) -> bool {
    one == other
}

fn is_negated(prepared: &Prepared, words: &Words<'_>, start: usize) -> bool {
    words.is_negated(words.at(prepared.place(start)))
}

/// The text with spaces for digits joined to a date, a time or a fraction; `None` without any.
fn without_joined(text: &str) -> Option<String> {
    let raw = text.as_bytes();
    let mut kept = String::new();
    let mut copied = 0;
    let mut at = 0;
    while at < raw.len() {
        let start = at;
        let first = skip_digits(raw, start);
        let mut end = first;
        while end > start
            && matches!(raw.get(end), Some(b'-' | b'/' | b':'))
            && raw.get(end + 1).is_some_and(u8::is_ascii_digit)
        {
            end = skip_digits(raw, end + 1);
        }
        if end > first {
            kept.push_str(text.get(copied..start)?);
            kept.extend(std::iter::repeat_n(' ', end - start));
            copied = end;
        }
        at = end.max(start + 1);
    }
    kept.push_str(text.get(copied..)?);
    (copied > 0).then_some(kept)
}

fn skip_digits(raw: &[u8], mut at: usize) -> usize {
    while raw.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// A number as it stands in a text, sign and currency included.
struct Reading {
    range: Range<usize>,
    value: f64,
}

/// The first number that starts at `from` or later.
fn next_number(text: &str, from: usize) -> Option<Reading> {
    let mut before = text.get(..from)?.chars().next_back();
    for (step, c) in text.get(from..)?.char_indices() {
        let touches = before.is_some_and(|c| matches!(c, '.' | ',') || is_letter_or_number(c));
        if !touches && let Some(found) = read(text, from + step) {
            return Some(found);
        }
        before = Some(c);
    }
    None
}

/// The number that starts at `start` and is not a part of something longer.
fn read(text: &str, start: usize) -> Option<Reading> {
    let rest = text.get(start..)?;
    let (rest, first) = sign(rest);
    let rest = match rest.strip_prefix(['$', '€', '£', '¥', '₹']) {
        Some(after) => after.strip_prefix(' ').unwrap_or(after),
        None => rest,
    };
    let (digits, second) = sign(rest);
    let length = digits_length(digits.as_bytes())?;
    let (digits, after) = digits.split_at_checked(length)?;
    let mut next = after.chars();
    let goes_on = match next.next() {
        Some('.' | ',') => next.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => is_letter_or_number(c),
        None => false,
    };
    if goes_on {
        return None;
    }
    let size: f64 = digits.replace(',', "").parse().ok()?;
    Some(Reading {
        range: start..text.len() - after.len(),
        value: if first || second { -size } else { size },
    })
}

/// What follows an optional sign, and whether it is a minus.
fn sign(text: &str) -> (&str, bool) {
    match text.strip_prefix('-') {
        Some(after) => (after, true),
        None => (text.strip_prefix('+').unwrap_or(text), false),
    }
}

/// How much of `raw` is digits, plain or in groups of three, with an optional fraction.
fn digits_length(raw: &[u8]) -> Option<usize> {
    let mut end = skip_digits(raw, 0);
    if end == 0 {
        return None;
    }
    if end <= 3 {
        while raw.get(end) == Some(&b',') && skip_digits(raw, end + 1) >= end + 4 {
            end += 4;
        }
    }
    if raw.get(end) == Some(&b'.') {
        let fraction = skip_digits(raw, end + 1);
        if fraction > end + 1 {
            end = fraction;
        }
    }
    Some(end)
}

/// Whether what stands around a number makes another one of it.
fn is_qualified(text: &str, range: &Range<usize>) -> bool {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    let (before, after) = (
        before.trim_end_matches(is_blank),
        after.trim_start_matches(is_blank),
    );
    let is_scaled = MAGNITUDES.iter().any(|word| {
        after
            .strip_prefix(word)
            .is_some_and(|rest| !rest.starts_with(|c: char| c == '_' || c.is_ascii_alphanumeric()))
    });
    after.starts_with('%') || is_scaled || (before.ends_with('(') && after.starts_with(')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<f64> {
        let mut at = 0;
        let mut found = Vec::new();
        while let Some(reading) = next_number(text, at) {
            at = reading.range.end;
            found.push(reading.value);
        }
        found
    }

    #[test]
    fn numbers_are_read_whole_or_not_at_all() {
        for (text, expected) in [
            ("$4,250 due", vec![4250.0]),
            ("1,23", vec![]),
            ("1234,567", vec![]),
            ("1.5.2", vec![]),
            (".5", vec![]),
            ("a5 5b", vec![]),
            ("a-5", vec![5.0]),
            ("-€ 3, +7.", vec![-3.0, 7.0]),
            ("$-2", vec![-2.0]),
            ("us$5", vec![5.0]),
            ("$  5", vec![5.0]),
            ("1,234,5678", vec![]),
            ("12,345.50", vec![12345.5]),
        ] {
            assert_eq!(numbers(text), expected, "{text}");
        }
    }

    #[test]
    fn joined_digits_are_blanked() {
        let text = without_joined("on 2026-06-09 at 10:30, 1/2 of 7-").unwrap();
        assert_eq!(text, "on            at      ,     of 7-");
        assert_eq!(without_joined(&text), None);
    }
}
