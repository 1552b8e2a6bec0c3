//! What a value and the words it was read from say about each other, as `evidence-match-v4`
//! annotates it.
//!
//! Facts, not verdicts: nothing is dropped or ordered by them. Every reader works in time linear
//! in the text and gives the same answer for the same text, so that whoever reads an envelope
//! can compute the annotation again. Where wording could turn a value into its opposite, or a
//! number into another one, the answer is `not-evaluated`.

mod boolean;
mod date;
mod number;
mod schema;
mod wording;
mod words;

use crate::characters::is_wordly;
use crate::document::{Kind, Value};
pub(crate) use schema::is_instant;

/// The rules followed here.
pub const CHECKER: &str = "evidence-match-v4";

/// The type a task declares for a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// Any text.
    String,
    /// A finite number.
    Number,
    /// True or false.
    Boolean,
    /// A date in ISO form, as text.
    Date,
    /// One of a list of texts.
    Enum,
    /// A list.
    Array,
    /// An object.
    Object,
}

impl FieldType {
    /// The type of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::String,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            "date" => Self::Date,
            "enum" => Self::Enum,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }

    /// Whether a JSON value of that kind can be of this type.
    fn takes(self, kind: Kind) -> bool {
        let expected = match self {
            Self::String | Self::Date | Self::Enum => Kind::String,
            Self::Number => Kind::Number,
            Self::Boolean => Kind::Boolean,
            Self::Array => Kind::Array,
            Self::Object => Kind::Object,
        };
        kind == expected
    }
}

/// Whether the value stands in its excerpt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InExcerpt {
    /// It does.
    Match,
    /// Something else does.
    Mismatch,
    /// The words do not decide it.
    NotEvaluated,
    /// The value is not meant to stand there.
    NotApplicable,
}

impl InExcerpt {
    /// The stable spelling.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::Mismatch => "mismatch",
            Self::NotEvaluated => "not-evaluated",
            Self::NotApplicable => "not-applicable",
        }
    }
}

/// A value with what the task says about its field and the words it was read from.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'d> {
    /// The value.
    pub value: Value<'d>,
    /// Its declared type.
    pub field_type: FieldType,
    /// The texts an enum allows, as a JSON array.
    pub enum_values: Option<Value<'d>>,
    /// Whether the value is meant to stand in the source.
    pub is_explicit: bool,
    /// The words it was read from.
    pub excerpt: &'d str,
}

/// The two facts about a value and its excerpt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvidenceMatch {
    /// `ok`, `type-mismatch`, `enum-mismatch` or `format-invalid`.
    pub schema: &'static str,
    /// Whether the value stands in the excerpt.
    pub in_excerpt: InExcerpt,
}

impl EvidenceMatch {
    /// Compares a value with its declaration and its excerpt.
    #[must_use]
    pub fn of(subject: &Subject<'_>) -> Self {
        Self {
            schema: schema::check(subject),
            in_excerpt: in_excerpt(subject),
        }
    }
}

fn in_excerpt(subject: &Subject<'_>) -> InExcerpt {
    let is_scalar = !matches!(subject.field_type, FieldType::Array | FieldType::Object);
    if !(subject.is_explicit && is_scalar) {
        return InExcerpt::NotApplicable;
    }
    let value = subject.value;
    let found = match subject.field_type {
        FieldType::Number => value
            .as_number()
            .map(|value| number::compare(value, subject.excerpt)),
        FieldType::Boolean => value
            .as_bool()
            .map(|value| boolean::compare(value, subject.excerpt)),
        FieldType::Date => value
            .as_str()
            .map(|value| date::compare(&value, subject.excerpt)),
        _ => value
            .as_str()
            .map(|value| wording::compare(&value, subject.excerpt)),
    };
    found.unwrap_or(InExcerpt::NotEvaluated)
}

/// Whether the bytes from `start` to `end` of `text` begin and end where a word does.
#[must_use]
pub fn token_boundary(text: &str, start: usize, end: usize) -> bool {
    let in_word = |c: Option<char>| c.is_some_and(|c| c == '_' || is_wordly(c));
    let cuts = |place: usize| {
        let (before, after) = (text.get(..place), text.get(place..));
        in_word(before.and_then(|text| text.chars().next_back()))
            && in_word(after.and_then(|text| text.chars().next()))
    };
    !cuts(start) && !cuts(end)
}

#[cfg(test)]
mod tests;
