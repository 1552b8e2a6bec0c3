use super::*;
use crate::canonical::{Rules, canonical_bytes};
use crate::document::Document;

/// Rows of `value | type | enum values | excerpt | schema | in excerpt`.
const ROWS: &str = r#"
45 | number | - | $45.00 | ok | match
3 | number | - | Built 2023 | ok | mismatch
46 | number | - | $45.00 | ok | mismatch
5 | number | - | Ticket No. 5 | ok | match
5 | number | - | No: 5 | ok | match
3 | number | - | no 3-bedroom units | ok | not-evaluated
5 | number | - | don't take 5 | ok | not-evaluated
5 | number | - | never more than the usual 5 | ok | match
45 | number | - | 45 % | ok | not-evaluated
-5 | number | - | ( 5 ) | ok | not-evaluated
4 | number | - | 4 MILLION | ok | not-evaluated
4 | number | - | 4 millions | ok | match
1 | number | - | 1/2, then 1 | ok | match
"1" | number | - | 1 | type-mismatch | not-evaluated
true | number | - | 1 | type-mismatch | not-evaluated
"open" | string | - | Reopened | ok | mismatch
"open" | enum | ["open"] | no longer open | ok | not-evaluated
"gone" | enum | ["open"] | gone | enum-mismatch | match
"gone" | enum | [] | gone | ok | match
"C++" | string | - | C++. | ok | match
"C++" | string | - | C# | ok | not-evaluated
"..." | string | - | ... | ok | not-evaluated
"303.555.1234" | string | - | (303) 555-1234 | ok | match
null | string | - | null | type-mismatch | not-evaluated
true | boolean | - | Yes, no refunds | ok | not-evaluated
true | boolean | - | yes | ok | match
true | boolean | - | no | ok | mismatch
false | boolean | - | not false | ok | not-evaluated
"2026-06-09" | date | - | June 9, 2026 | ok | match
"2026-06-09" | date | - | June 10, 2026 | ok | mismatch
"2026-06-09" | date | - | 06/09/2026 | ok | not-evaluated
"2026-02-29" | date | - | 29 February 2026 | format-invalid | not-evaluated
"2026-06-09T10:30:00.5+02:00" | date | - | 9 June 2026 | ok | not-evaluated
"2026-06-09T10:30:60" | date | - | x | format-invalid | not-evaluated
"2026-13" | date | - | x | format-invalid | not-evaluated
"2026-06-09T10:30:00." | date | - | x | format-invalid | not-evaluated
[] | array | - | x | ok | not-applicable
{} | array | - | x | type-mismatch | not-applicable
"#;

fn evaluate(
    value: &str,
    name: &str,
    words: &str,
    is_explicit: bool,
    excerpt: &str,
) -> (String, String) {
    let text = format!("[{value},{words}]");
    let text = canonical_bytes(text.as_bytes(), &Rules::default()).unwrap();
    let document = Document::index(&text).unwrap();
    let mut parts = document.root().elements();
    let subject = Subject {
        value: parts.next().unwrap(),
        field_type: FieldType::named(name).unwrap(),
        enum_values: parts.next().filter(|words| words.kind() == Kind::Array),
        is_explicit,
        excerpt,
    };
    let found = EvidenceMatch::of(&subject);
    (
        found.schema.to_owned(),
        found.in_excerpt.as_str().to_owned(),
    )
}

#[test]
fn values_are_compared_with_their_excerpts() {
    for row in ROWS.trim().lines() {
        let columns: Vec<&str> = row.split(" | ").collect();
        let [value, name, words, excerpt, schema, in_excerpt] = columns.as_slice() else {
            panic!("{row}");
        };
        let words = words.replace('-', "null");
        let found = evaluate(value, name, &words, true, excerpt);
        assert_eq!(
            found,
            ((*schema).to_owned(), (*in_excerpt).to_owned()),
            "{row}"
        );
        let inferred = evaluate(value, name, &words, false, excerpt);
        assert_eq!(
            inferred,
            ((*schema).to_owned(), "not-applicable".to_owned()),
            "{row}"
        );
    }
}

#[test]
fn a_span_begins_and_ends_where_words_do() {
    let bounded = |text: &str, part: &str| {
        let start = text.rfind(part).unwrap();
        token_boundary(text, start, start + part.len())
    };
    assert!(!bounded("Established 2023 in", "3"));
    assert!(!bounded("a_b", "a"));
    assert!(bounded("a-b", "a"));
    assert!(!bounded("ét", "é"));
    assert!(bounded("x", "x"));
    assert!(!bounded("e\u{301}", "e"), "a mark belongs to its letter");
    assert!(bounded("😀x", "x"));
}

#[test]
fn an_instant_says_its_offset() {
    for (text, expected) in [
        ("2026-10-02T09:30:00.000Z", true),
        ("2026-10-02T09:30+02:00", true),
        ("2026-10-02T09:30:00", false),
        ("2026-10-02", false),
        (" ", false),
        ("2026-10-02T09:30:00z", false),
    ] {
        assert_eq!(is_instant(text), expected, "{text}");
    }
}
