//! Where a proposal was read: an excerpt, its place in the prepared text, and which of its
//! occurrences was taken.

use super::shape::{
    boolean, closed, decimal, inconsistent, integer, invalid, one_of, plain, positive, wire_text,
};
use crate::document::Value;
use crate::error::{Checked, Path};

const RESOLVERS: [&str; 1] = ["exact-occurrence-v1"];
const SELECTIONS: [&str; 2] = ["source-order", "occurrence-hint"];

/// The parts of `proposal.provenance`.
pub(super) struct Provenance<'d> {
    pub(super) excerpt: Value<'d>,
    pub(super) locator: Value<'d>,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) occurrence: Value<'d>,
}

/// Reads the provenance of a proposal from a prepared text of `content_length` code units.
pub(super) fn check<'d>(
    value: Value<'d>,
    content_length: Option<usize>,
    at: &Path<'_>,
) -> Checked<Provenance<'d>> {
    let ([excerpt, locator, occurrence], []) =
        closed(value, at, ["excerpt", "locator", "occurrence"], [])?;
    wire_text(excerpt, &at.name("excerpt"))?;
    let (start, end) = check_locator(locator, excerpt, content_length, &at.name("locator"))?;
    check_occurrence(occurrence, (start, end), &at.name("occurrence"))?;
    Ok(Provenance {
        excerpt,
        locator,
        start,
        end,
        occurrence,
    })
}

fn check_locator(
    locator: Value<'_>,
    excerpt: Value<'_>,
    content_length: Option<usize>,
    at: &Path<'_>,
) -> Checked<(usize, usize)> {
    let span = plain(locator).and_then(|text| text.strip_prefix("chars:")?.split_once('-'));
    let span = span.and_then(|(start, end)| Some((decimal(start)?, decimal(end)?)));
    let Some((start, end)) = span else {
        return Err(invalid(
            at,
            "a locator belongs here: chars:START-END in digits without leading zeros",
        ));
    };
    let length = utf16_length(excerpt);
    if end.checked_sub(start) != Some(length) {
        let message =
            format!("the excerpt has {length} UTF-16 code units, the locator names another number");
        return Err(inconsistent(at, message));
    }
    if content_length.is_some_and(|content_length| end > content_length) {
        return Err(inconsistent(
            at,
            "the locator ends after the prepared text does",
        ));
    }
    Ok((start, end))
}

fn check_occurrence(value: Value<'_>, span: (usize, usize), at: &Path<'_>) -> Checked<()> {
    let ([resolver, count, selected, selection, hint_used, ambiguous], []) = closed(
        value,
        at,
        [
            "resolverVersion",
            "count",
            "selected",
            "selection",
            "hintUsed",
            "ambiguous",
        ],
        [],
    )?;
    one_of(resolver, &at.name("resolverVersion"), &RESOLVERS)?;
    let count = positive(count, &at.name("count"))?;
    check_selected(selected, count, span, &at.name("selected"))?;
    let by_hint = one_of(selection, &at.name("selection"), &SELECTIONS)? == "occurrence-hint";
    if boolean(hint_used, &at.name("hintUsed"))? != by_hint {
        return Err(inconsistent(
            &at.name("hintUsed"),
            "the selection says otherwise",
        ));
    }
    if boolean(ambiguous, &at.name("ambiguous"))? != (count > 1) {
        return Err(inconsistent(
            &at.name("ambiguous"),
            "the count says otherwise",
        ));
    }
    Ok(())
}

fn check_selected(
    value: Value<'_>,
    count: usize,
    span: (usize, usize),
    at: &Path<'_>,
) -> Checked<()> {
    let ([index, start, end], []) = closed(value, at, ["index", "start", "end"], [])?;
    if integer(index, &at.name("index"))? >= count {
        return Err(inconsistent(
            &at.name("index"),
            "the index is not below the count of occurrences",
        ));
    }
    for (name, value, place) in [("start", start, span.0), ("end", end, span.1)] {
        if integer(value, &at.name(name))? != place {
            return Err(inconsistent(
                &at.name(name),
                "the locator names another place",
            ));
        }
    }
    Ok(())
}

/// UTF-16 code units of the string that a value spells in canonical text.
fn utf16_length(string: Value<'_>) -> usize {
    let quoted = string.text().as_bytes();
    // Each character counts one, and one more above U+FFFF; the quotes count for nothing.
    let units: usize = quoted
        .iter()
        .map(|byte| usize::from(byte & 0xC0 != 0x80) + usize::from(*byte >= 0xF0))
        .sum();
    let mut extra = 2;
    let mut at = 0;
    while let Some(step) = memchr::memchr(b'\\', quoted.get(at..).unwrap_or_default()) {
        let escape = at + step;
        let length = if quoted.get(escape + 1) == Some(&b'u') {
            6
        } else {
            2
        };
        extra += length - 1;
        at = escape + length;
    }
    units - extra
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    #[test]
    fn lengths_count_utf16_code_units_of_the_decoded_string() {
        for (text, length) in [
            (r#""a""#, 1),
            (r#""\"\\\n\u001fx""#, 5),
            (r#""\\u0041""#, 6),
            (r#""é€😀""#, 4),
            (r#""sixteen bytes and more, then 😀\t""#, 32),
        ] {
            let document = Document::index(text.as_bytes()).unwrap();
            assert_eq!(utf16_length(document.root()), length, "{text}");
            assert_eq!(
                document.root().as_str().unwrap().encode_utf16().count(),
                length,
                "{text}"
            );
        }
    }
}
