//! The same findings found slowly: one pattern at a time, over an index, and nothing remembered.

use super::rules::{AUTHORIZATION_RULE, ENTROPY_RULE, NAME_RULE, NAMES, RULES};
use super::scanner::Scanner;
use super::{Disclosure, disclosures};
use crate::canonical::{Rules, canonical_bytes};
use crate::digest::sha256_hex;
use crate::document::{Document, Kind, Value};
use crate::error::{Code, Path};
use crate::text::write_json_string;
use proptest::collection::vec;
use proptest::prelude::*;
use regex::Regex;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let compiled = |pattern| Regex::new(pattern).expect("a pattern");
    let rules = RULES.iter().map(|rule| (rule.name, compiled(rule.pattern)));
    rules.chain([(NAME_RULE, compiled(NAMES))]).collect()
});

fn slowly(text: &[u8]) -> Vec<Disclosure> {
    let document = Document::index(text).expect("canonical text");
    let mut found = Vec::new();
    value(document.root(), &Path::Root, &mut found);
    found
}

fn value(one: Value<'_>, at: &Path<'_>, found: &mut Vec<Disclosure>) {
    if let Some(text) = one.as_str() {
        string(&text, at, false, found);
    }
    for (index, element) in one.elements().enumerate() {
        value(element, &at.index(index), found);
    }
    for (name, member) in one.members() {
        if name.to_ascii_lowercase() == "authorization" && !is_receipt(member) {
            found.push(finding(AUTHORIZATION_RULE, &name, at, true));
        }
        if rules(&name).contains(&NAME_RULE) {
            found.push(finding(NAME_RULE, &name, at, true));
        }
        string(&name, at, true, found);
        value(member, &at.name(&name), found);
    }
}

fn string(text: &str, at: &Path<'_>, is_name: bool, found: &mut Vec<Disclosure>) {
    let refusing = rules(text).into_iter().filter(|rule| *rule != NAME_RULE);
    found.extend(refusing.map(|rule| finding(rule, text, at, is_name)));
}

fn rules(text: &str) -> Vec<&'static str> {
    let mut found: Vec<_> = PATTERNS
        .iter()
        .filter(|(_, pattern)| pattern.is_match(text))
        .map(|(name, _)| *name)
        .collect();
    let is_token = |c: char| c.is_ascii_alphanumeric() || "+/_-".contains(c);
    if text.split(|c| !is_token(c)).any(is_random) {
        found.push(ENTROPY_RULE);
    }
    found
}

fn is_random(token: &str) -> bool {
    let is_mixed = [
        char::is_ascii_digit,
        char::is_ascii_lowercase,
        char::is_ascii_uppercase,
    ]
    .iter()
    .all(|kind| token.chars().any(|c| kind(&c)));
    let length = f64::from(u32::try_from(token.len()).expect("a short token"));
    let share = |c: char| {
        let count = token.chars().filter(|other| *other == c).count();
        f64::from(u32::try_from(count).expect("a short token")) / length
    };
    // Each character counts once for each time it occurs.
    let bits: f64 = token.chars().map(|c| -share(c).log2() / length).sum();
    token.len() >= 40 && is_mixed && bits >= 4.5
}

fn is_receipt(one: Value<'_>) -> bool {
    let words = Regex::new("^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,255}$").expect("a pattern");
    let is_text =
        |one: Value<'_>, test: &dyn Fn(&str) -> bool| one.as_str().is_some_and(|t| test(&t));
    one.kind() == Kind::Object
        && one.members().all(|(name, member)| match &*name {
            "id" | "invocationId" => is_text(member, &|text| words.is_match(text)),
            "outcome" => is_text(member, &|text| {
                ["reserved", "settled", "exhausted"].contains(&text)
            }),
            "mode" => is_text(member, &|text| text == "file-ledger-v1"),
            "maxTokensPerAttempt" => member
                .as_number()
                .is_some_and(|number| number >= 1.0 && number.fract() == 0.0),
            _ => false,
        })
}

fn finding(rule: &'static str, text: &str, at: &Path<'_>, is_name: bool) -> Disclosure {
    Disclosure {
        rule,
        pointer: at.pointer(),
        is_name,
        sha256: sha256_hex([text.as_bytes()]),
    }
}

/// Few pieces, so that the same string comes again and again.
fn word() -> impl Strategy<Value = String> {
    let mut pieces: Vec<String> = [
        "",
        "a",
        "/",
        "\"",
        "\\",
        "\n",
        "\u{1}",
        "é",
        "\u{2028}",
        " ",
        "=",
        ":",
        "ops/",
        "token",
        "// //",
        "chars:0-14",
        "60 EUR",
        "id",
        "settled",
        "file-ledger-v1",
        "0123456789",
        "q8Zr1LwX0vTt5Kc9YbNf3HsJ7GdPm2RuEa6WxQiO4yBn",
    ]
    .map(str::to_owned)
    .into();
    for rule in RULES {
        pieces.extend([rule.refused.to_owned(), rule.passed.to_owned()]);
    }
    pieces.extend([20, 300, 5000].map(|count| "long ".repeat(count)));
    vec(prop::sample::select(pieces), 1..3).prop_map(|pieces| pieces.concat())
}

fn name() -> impl Strategy<Value = String> {
    const NAMED: &[&str] = &[
        "authorization",
        "Authorization",
        "api_key",
        "secret",
        "id",
        "invocationId",
        "mode",
        "outcome",
        "maxTokensPerAttempt",
        "claims",
    ];
    prop_oneof![prop::sample::select(NAMED).prop_map(str::to_owned), word()]
}

const SCALARS: &[&str] = &[
    "1",
    "0.5",
    "null",
    "true",
    "[]",
    "{}",
    "2.0",
    "\"\\u002fhome/x\"",
];

/// JSON texts, seldom canonical.
fn json() -> impl Strategy<Value = String> {
    let quoted = |text: String| {
        let mut out = Vec::new();
        write_json_string(&text, &mut out);
        String::from_utf8(out).expect("text")
    };
    let leaf = prop_oneof![
        4 => word().prop_map(quoted),
        1 => prop::sample::select(SCALARS).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let members = vec((name(), inner.clone()), 0..4).prop_map(move |mut members| {
            members.sort_by(|one, other| other.0.cmp(&one.0));
            members.dedup_by(|one, other| one.0 == other.0);
            let members = members
                .into_iter()
                .map(|(name, value)| format!("{} : {value}", quoted(name)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        });
        let elements = vec(inner, 0..4).prop_map(|all| format!("[ {}]", all.join(",")));
        prop_oneof![members, elements]
    })
}

proptest! {
    #[test]
    fn what_is_found_is_what_is_found_slowly(
        texts in vec(json(), 1..6), most in 0_usize..8, is_small: bool
    ) {
        // What is remembered goes from one text to the next, with room enough and with little.
        let mut scanner = if is_small { Scanner::forgetful() } else { Scanner::new(1000) };
        for raw in texts.iter().chain(&texts) {
            let text = canonical_bytes(raw.as_bytes(), &Rules::default()).expect("a document");
            let expected = slowly(&text);
            prop_assert_eq!(&disclosures(raw.as_bytes(), usize::MAX, 1 << 20).unwrap(), &expected);
            prop_assert_eq!(&scanner.scan(&text, usize::MAX).unwrap(), &expected);
            let few: Vec<_> = expected.into_iter().take(most).collect();
            prop_assert_eq!(&scanner.scan(&text, most).unwrap(), &few);
        }
    }

    #[test]
    fn any_bytes_are_scanned_or_refused(raw in vec(any::<u8>(), 0..40)) {
        let _ = Scanner::new(0).scan(&raw, 10);
    }

    #[test]
    fn pieces_of_json_are_scanned_or_refused(
        raw in "[\\[\\]{}:,\" 1a\\\\]{0,20}", inside in "[\\[\\]{}:,\"1a\\\\]{0,12}"
    ) {
        let _ = Scanner::new(0).scan(raw.as_bytes(), 10);
        let _ = Scanner::new(0).scan(format!("{{\"authorization\":{inside}").as_bytes(), 10);
    }
}

#[test]
fn what_is_no_canonical_text_is_refused_where_it_is_seen() {
    let scan = |text: &str| {
        Scanner::new(0)
            .scan(text.as_bytes(), 10)
            .map(|found| found.len())
    };
    assert_eq!(
        scan("[\"/etc/a\",{\"b\":\"/etc/c\"},-1.5,true,null]").unwrap(),
        2
    );
    for text in [
        "",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[1 ]",
        "{",
        "{}x",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1",
        "\"a",
        "{\"a\":1,}",
        "{1:2}",
        "[\"\\x\"]",
        "{\"authorization\":{\"id\":\"",
    ] {
        let refusal = scan(text).expect_err(text);
        assert_eq!(refusal.code, Code::JsonSyntax, "{text}");
    }
    let refusal = Scanner::new(0).scan(b"\"\xff\"", 10).expect_err("no UTF-8");
    assert_eq!(
        (refusal.code, refusal.offset),
        (Code::JsonEncoding, Some(1))
    );
    let deep = |count: usize| format!("{}{}", "[".repeat(count), "]".repeat(count));
    assert_eq!(scan(&deep(128)).unwrap(), 0);
    assert_eq!(
        scan(&deep(129)).expect_err("too deep").code,
        Code::JsonDepth
    );
    assert_eq!(
        scan(&"[".repeat(1 << 20)).expect_err("too deep").code,
        Code::JsonDepth
    );
}

#[test]
fn a_receipt_within_a_receipt_is_no_receipt() {
    let mut text = "1".to_owned();
    for _ in 0..100 {
        text = format!("{{\"authorization\":{text}}}");
    }
    assert_eq!(
        disclosures(text.as_bytes(), 1000, 1 << 20).unwrap().len(),
        100
    );
}
