//! Drafts of proposals grounded in the prepared text: each gets the span it was read from, the
//! occurrence that is, and what value and excerpt say about each other, or the reason why it has
//! no place there.
//!
//! A draft is an object of `fieldPath`, `value` and `excerpt`, with `pathIndices`, `hint` (any
//! value; what is no count from 1 is no hint), `window` (the code units its provider saw, as
//! `[START, END]`), `valueType`, `enumValues` and `inferenceType` where they are known. Without
//! `valueType` nothing is said about value and excerpt. Drafts stand in the order of the run,
//! because an earlier one takes its occurrence first.

use crate::canonical::{Rules, canonical_bytes};
use crate::document::{Document, Value};
use crate::envelope::shape::{
    array, closed, decimal, each, integer, invalid, one_of, optional, plain, string, wire_text,
};
use crate::envelope::{INFERENCES, TYPES};
use crate::error::{Checked, Code, Path, Refusal};
use crate::evidence_match::{CHECKER, EvidenceMatch, FieldType, Subject, token_boundary};
use crate::limits::{Limits, PREPARED_BYTES};
use crate::locate::located;
use crate::occurrence::{self, Dropped, Occurrence, RESOLVER};
use crate::span::SpanIndex;
use crate::threads::map_shares;
use std::borrow::Cow;
use std::fmt::Write;

const REQUIRED: [&str; 3] = ["fieldPath", "value", "excerpt"];
const OPTIONAL: [&str; 6] = [
    "pathIndices",
    "hint",
    "window",
    "valueType",
    "enumValues",
    "inferenceType",
];
/// Drafts below which a second thread does not pay.
const WORTHWHILE: usize = 256;

/// Grounds the array of drafts `raw` in `prepared`; the answers are a canonical array in the
/// same order.
///
/// # Errors
/// The codes of JSON and of a closed format for drafts that break their shape,
/// `extraction-too-large` beyond a cap.
pub fn ground(prepared: &[u8], raw: &[u8], limits: &Limits, threads: usize) -> Checked<Vec<u8>> {
    let text = prepared_text(prepared)?;
    let rules = Rules {
        lossless: true,
        max_bytes: limits.envelope_bytes,
        threads,
        ..Rules::default()
    };
    let canonical = canonical_bytes(raw, &rules)?;
    let document = Document::index(&canonical)?;
    let drafts = read_all(document.root(), limits).map_err(|refusal| located(refusal, raw))?;
    let claims: Vec<occurrence::Draft<'_>> = drafts.iter().map(Draft::claim).collect();
    let found = occurrence::resolve(&SpanIndex::new(text), &claims, threads)?;
    let answers: Vec<_> = drafts.iter().zip(found).collect();
    let shares = map_shares(&answers, threads, WORTHWHILE, &|answers| {
        let mut out = String::with_capacity(answers.len() * 384);
        for (draft, found) in answers {
            if !out.is_empty() {
                out.push(',');
            }
            // Writing to a string cannot fail.
            let _ = draft.answer(text, found, &mut out);
        }
        out
    });
    let mut out = String::from("[");
    for share in shares.iter().filter(|share| !share.is_empty()) {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(share);
    }
    out.push(']');
    Ok(out.into_bytes())
}

fn prepared_text(prepared: &[u8]) -> Checked<&str> {
    if prepared.len() > PREPARED_BYTES {
        let message = format!("a prepared text has at most {PREPARED_BYTES} bytes");
        return Err(Refusal::at(Code::ExtractionTooLarge, &Path::Root, message));
    }
    std::str::from_utf8(prepared).map_err(|fault| {
        let message = "the prepared text is not UTF-8";
        Refusal::in_text(Code::JsonEncoding, fault.valid_up_to(), message)
    })
}

/// A draft as it was read.
struct Draft<'d> {
    field_path: Value<'d>,
    value: Value<'d>,
    excerpt: Cow<'d, str>,
    path_indices: Option<Value<'d>>,
    hint: Option<usize>,
    window: Option<(usize, usize)>,
    field_type: Option<FieldType>,
    enum_values: Option<Value<'d>>,
    is_explicit: bool,
}

fn read_all<'d>(drafts: Value<'d>, limits: &Limits) -> Checked<Vec<Draft<'d>>> {
    let at = Path::Root;
    let count = array(drafts, &at)?.count();
    if count > limits.items {
        let message = format!("{count} drafts are more than the {} allowed", limits.items);
        return Err(Refusal::at(Code::ExtractionTooLarge, &at, message));
    }
    let mut found = Vec::with_capacity(count);
    each(drafts, &at, |draft, at| {
        found.push(Draft::read(draft, at)?);
        Ok(())
    })?;
    Ok(found)
}

impl<'d> Draft<'d> {
    fn read(draft: Value<'d>, at: &Path<'_>) -> Checked<Self> {
        let ([field_path, value, excerpt], allowed) = closed(draft, at, REQUIRED, OPTIONAL)?;
        let [
            path_indices,
            hint,
            window,
            value_type,
            enum_values,
            inference,
        ] = allowed;
        wire_text(field_path, &at.name("fieldPath"))?;
        optional(path_indices, &at.name("pathIndices"), |indices, at| {
            each(indices, at, integer)
        })?;
        optional(value_type, &at.name("valueType"), |value, at| {
            one_of(value, at, &TYPES)
        })?;
        optional(enum_values, &at.name("enumValues"), |words, at| {
            each(words, at, string)
        })?;
        optional(inference, &at.name("inferenceType"), |value, at| {
            one_of(value, at, &INFERENCES)
        })?;
        Ok(Self {
            field_path,
            value,
            excerpt: string(excerpt, &at.name("excerpt"))?,
            path_indices,
            hint: hint.and_then(|hint| decimal(hint.text())),
            window: optional(window, &at.name("window"), read_window)?,
            field_type: value_type.and_then(plain).and_then(FieldType::named),
            enum_values,
            is_explicit: inference.and_then(plain) == Some("explicit"),
        })
    }

    fn claim(&self) -> occurrence::Draft<'_> {
        let indices = self.path_indices.map_or("null", Value::text);
        occurrence::Draft {
            excerpt: &self.excerpt,
            key: [self.field_path.text(), indices, self.value.text()],
            window: self.window,
            hint: self.hint,
        }
    }

    fn answer(
        &self,
        text: &str,
        found: &Result<Occurrence, Dropped>,
        out: &mut String,
    ) -> std::fmt::Result {
        let found = match found {
            Ok(found) => found,
            Err(dropped) => return write!(out, r#"{{"dropped":"{}"}}"#, dropped.as_str()),
        };
        let Occurrence {
            count,
            index,
            start,
            end,
            by_hint,
            ref bytes,
        } = *found;
        write!(out, r#"{{"end":{end},"#)?;
        if let Some(field_type) = self.field_type {
            let facts = EvidenceMatch::of(&Subject {
                value: self.value,
                field_type,
                enum_values: self.enum_values,
                is_explicit: self.is_explicit,
                excerpt: &self.excerpt,
            });
            let boundary = token_boundary(text, bytes.start, bytes.end);
            write!(
                out,
                r#""evidenceMatch":{{"checkerVersion":"{CHECKER}","schema":"{}","tokenBoundary":{boundary},"valueInExcerpt":"{}"}},"#,
                facts.schema,
                facts.in_excerpt.as_str()
            )?;
        }
        let selection = if by_hint {
            "occurrence-hint"
        } else {
            "source-order"
        };
        write!(
            out,
            r#""locator":"chars:{start}-{end}","occurrence":{{"ambiguous":{},"count":{count},"hintUsed":{by_hint},"resolverVersion":"{RESOLVER}","selected":{{"end":{end},"index":{index},"start":{start}}},"selection":"{selection}"}},"start":{start}}}"#,
            count > 1
        )
    }
}

fn read_window(value: Value<'_>, at: &Path<'_>) -> Checked<(usize, usize)> {
    let places: Vec<Value<'_>> = array(value, at)?.take(3).collect();
    match places.as_slice() {
        [start, end] => Ok((integer(*start, &at.index(0))?, integer(*end, &at.index(1))?)),
        _ => Err(invalid(at, "two whole numbers belong here: start and end")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grounded(prepared: &str, drafts: &str) -> String {
        let answers = ground(
            prepared.as_bytes(),
            drafts.as_bytes(),
            &Limits::default(),
            1,
        );
        String::from_utf8(answers.unwrap()).unwrap()
    }

    fn refused(prepared: &[u8], drafts: &str) -> (Code, String) {
        let limits = Limits {
            items: 2,
            ..Limits::default()
        };
        let refusal = ground(prepared, drafts.as_bytes(), &limits, 1).unwrap_err();
        (refusal.code, refusal.pointer)
    }

    #[test]
    fn answers_stand_in_the_order_of_the_drafts() {
        let drafts = r#"[
            {"fieldPath":"a","value":45,"excerpt":"Fee: \u002445","valueType":"number",
             "inferenceType":"explicit","hint":2.0},
            {"fieldPath":"a","value":45,"excerpt":"Fee: $54"},
            {"fieldPath":"a","value":1,"excerpt":"F","hint":"1","window":[2,30]}]"#;
        let answers = grounded("😀 Fee: $45; Fee: $45", drafts);
        let expected = r#"[{"end":21,"evidenceMatch":{"checkerVersion":"evidence-match-v4","schema":"ok","tokenBoundary":true,"valueInExcerpt":"match"},"locator":"chars:13-21","occurrence":{"ambiguous":true,"count":2,"hintUsed":true,"resolverVersion":"exact-occurrence-v1","selected":{"end":21,"index":1,"start":13},"selection":"occurrence-hint"},"start":13},{"dropped":"excerpt-not-found"},{"dropped":"window-invalid"}]"#;
        assert_eq!(answers, expected);
        assert_eq!(
            canonical_bytes(answers.as_bytes(), &Rules::default()).unwrap(),
            answers.as_bytes()
        );
        assert_eq!(grounded("", "[]"), "[]");
    }

    #[test]
    fn threads_change_nothing() {
        let fees: Vec<String> = (0..5000).map(|n| format!("Fee {n}. ")).collect();
        let text = fees.concat();
        let drafts: Vec<String> = (0..2000)
            .map(|n| {
                format!(
                    r#"{{"fieldPath":"f","value":{n},"excerpt":"Fee {}","valueType":"number"}}"#,
                    n * 3
                )
            })
            .collect();
        let drafts = format!("[{}]", drafts.join(","));
        let with = |threads| {
            ground(
                text.as_bytes(),
                drafts.as_bytes(),
                &Limits::default(),
                threads,
            )
            .unwrap()
        };
        assert_eq!(with(1), with(3));
    }

    #[test]
    fn drafts_that_break_their_shape_are_refused() {
        for (draft, code, pointer) in [
            ("{}", Code::EnvelopeMissingMember, "/0/fieldPath"),
            (
                r#"{"fieldPath":"a","value":1,"excerpt":2}"#,
                Code::EnvelopeInvalidValue,
                "/0/excerpt",
            ),
            (
                r#"{"fieldPath":"a","value":1,"excerpt":"x","window":[1]}"#,
                Code::EnvelopeInvalidValue,
                "/0/window",
            ),
            (
                r#"{"fieldPath":"a","value":1,"excerpt":"x","window":[1,-1]}"#,
                Code::EnvelopeInvalidValue,
                "/0/window/1",
            ),
            (
                r#"{"fieldPath":"a","value":1,"excerpt":"x","valueType":"text"}"#,
                Code::EnvelopeInvalidValue,
                "/0/valueType",
            ),
            (
                r#"{"fieldPath":"a","value":1,"excerpt":"x","locator":"x"}"#,
                Code::EnvelopeUnexpectedMember,
                "/0/locator",
            ),
            (
                r#"{"fieldPath":"a","value":-0,"excerpt":"x"}"#,
                Code::JsonNegativeZero,
                "/0/value",
            ),
        ] {
            assert_eq!(
                refused(b"x", &format!("[{draft}]")),
                (code, pointer.to_owned()),
                "{draft}"
            );
        }
        assert_eq!(
            refused(b"x", "[1,2,3]"),
            (Code::ExtractionTooLarge, String::new())
        );
        assert_eq!(refused(b"\xff", "[]").0, Code::JsonEncoding);
        let large = vec![b' '; PREPARED_BYTES + 1];
        assert_eq!(refused(&large, "[]").0, Code::ExtractionTooLarge);
    }
}
