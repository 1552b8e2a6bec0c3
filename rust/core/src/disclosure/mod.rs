//! What must not leave: paths of a machine, credentials, references to a workspace.
//!
//! Every string and every member name of a document is held against the corpus of `rules`. A
//! finding says which rule, where, and the digest of the whole string, so that someone can allow
//! exactly that string; it never repeats the text.

mod rules;

use crate::canonical::{Rules, canonical_bytes};
use crate::digest::sha256_hex;
use crate::document::{Document, Kind, Value};
use crate::error::{Checked, Path};
use regex::{Regex, RegexSet};
use std::sync::LazyLock;

pub use rules::CORPUS;
use rules::{AUTHORIZATION_RULE, ENTROPY_RULE, NAME_RULE, NAMES, RULES};

/// One string that must not leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disclosure {
    /// The rule that refuses it.
    pub rule: &'static str,
    /// Pointer to the value; for a member name, to the object that has it.
    pub pointer: String,
    /// Whether it is the name of a member.
    pub is_name: bool,
    /// SHA-256 of the string as UTF-8.
    pub sha256: String,
}

/// The names of all rules, in the order in which they are tried.
#[must_use]
pub fn rule_names() -> Vec<&'static str> {
    let patterns = RULES.iter().map(|rule| rule.name);
    patterns
        .chain([ENTROPY_RULE, NAME_RULE, AUTHORIZATION_RULE])
        .collect()
}

/// The first `most` disclosures of the document `raw`, in the order of its canonical text.
///
/// # Errors
///
/// What strict reading refuses.
pub fn disclosures(raw: &[u8], most: usize, max_bytes: usize) -> Checked<Vec<Disclosure>> {
    let rules = Rules {
        max_bytes,
        ..Rules::default()
    };
    let text = canonical_bytes(raw, &rules)?;
    let document = Document::index(&text)?;
    let mut scan = Scan {
        found: Vec::new(),
        most,
        clean: Clean::new(),
    };
    scan.value(document.root(), &Path::Root);
    Ok(scan.found)
}

#[expect(clippy::disallowed_types, reason = "it is asked and never walked")]
type Clean = std::collections::HashSet<String>;

struct Scan {
    found: Vec<Disclosure>,
    most: usize,
    /// Short texts that no rule refuses: names of members above all, which come again and again.
    clean: Clean,
}

/// Bytes of the longest text that is remembered, and how many are.
const SHORT: usize = 96;
const REMEMBERED: usize = 100_000;

impl Scan {
    fn value(&mut self, value: Value<'_>, at: &Path<'_>) {
        match value.kind() {
            Kind::String => {
                if let Some(text) = value.as_str() {
                    self.text(&text, at, false);
                }
            }
            Kind::Array => {
                for (index, one) in value.elements().enumerate() {
                    if self.is_full() {
                        return;
                    }
                    self.value(one, &at.index(index));
                }
            }
            Kind::Object => {
                for (name, one) in value.members() {
                    if self.is_full() {
                        return;
                    }
                    self.name(&name, one, at);
                    self.value(one, &at.name(&name));
                }
            }
            Kind::Null | Kind::Boolean | Kind::Number => {}
        }
    }

    fn is_full(&self) -> bool {
        self.found.len() >= self.most
    }

    fn name(&mut self, name: &str, value: Value<'_>, at: &Path<'_>) {
        if name.eq_ignore_ascii_case("authorization") {
            if !is_receipt(value) {
                self.add(AUTHORIZATION_RULE, name, at, true);
            }
        } else if NAMED.is_match(name) {
            self.add(NAME_RULE, name, at, true);
        }
        self.text(name, at, true);
    }

    fn text(&mut self, text: &str, at: &Path<'_>, is_name: bool) {
        if text.len() < SHORTEST || self.clean.contains(text) {
            return;
        }
        let before = self.found.len();
        for index in &PATTERNS.matches(text) {
            if let Some(rule) = RULES.get(index) {
                self.add(rule.name, text, at, is_name);
            }
        }
        if text.split(|c: char| !is_token(c)).any(is_random) {
            self.add(ENTROPY_RULE, text, at, is_name);
        }
        let is_clean = self.found.len() == before && !self.is_full();
        if is_clean && text.len() <= SHORT && self.clean.len() < REMEMBERED {
            self.clean.insert(text.to_owned());
        }
    }

    fn add(&mut self, rule: &'static str, text: &str, at: &Path<'_>, is_name: bool) {
        if !self.is_full() {
            self.found.push(Disclosure {
                rule,
                pointer: at.pointer(),
                is_name,
                sha256: sha256_hex([text.as_bytes()]),
            });
        }
    }
}

/// No rule refuses a shorter text.
const SHORTEST: usize = 2;

#[expect(clippy::expect_used, reason = "a test compiles every pattern")]
static PATTERNS: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(RULES.iter().map(|rule| rule.pattern)).expect("patterns are constant")
});
#[expect(clippy::expect_used, reason = "a test compiles every pattern")]
static NAMED: LazyLock<Regex> = LazyLock::new(|| Regex::new(NAMES).expect("patterns are constant"));

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '_' | '-')
}

/// Whether a token looks drawn by lot: forty characters or more, of all three kinds, with at
/// least 4.5 bits for each character. Digests are of two kinds and pass, and so do paths of an
/// address, whose words are not random.
fn is_random(token: &str) -> bool {
    const LEAST: usize = 40;
    const BITS: f64 = 4.5;
    let bytes = token.as_bytes();
    if bytes.len() < LEAST
        || !bytes.iter().any(u8::is_ascii_digit)
        || !bytes.iter().any(u8::is_ascii_uppercase)
        || !bytes.iter().any(u8::is_ascii_lowercase)
    {
        return false;
    }
    let mut counts = [0_u32; 128];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "lengths of tokens are small")]
    let total = bytes.len() as f64;
    let bits: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / total;
            -share * share.log2()
        })
        .sum();
    bits >= BITS
}

/// Whether an `authorization` only says which grant was used and what became of it.
fn is_receipt(value: Value<'_>) -> bool {
    value.kind() == Kind::Object
        && value.members().all(|(name, one)| match &*name {
            "id" | "invocationId" => one.as_str().is_some_and(|text| is_identity(&text)),
            "outcome" => one
                .as_str()
                .is_some_and(|text| matches!(&*text, "reserved" | "settled" | "exhausted")),
            "mode" => one.as_str().is_some_and(|text| text == "file-ledger-v1"),
            "maxTokensPerAttempt" => one
                .as_number()
                .is_some_and(|number| number >= 1.0 && number.fract() == 0.0),
            _ => false,
        })
}

fn is_identity(text: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || "._:@/-".contains(c);
    text.len() <= 256
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(is_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Disclosure> {
        disclosures(text.as_bytes(), 100, 1 << 20).expect("a document")
    }

    fn rules_of(text: &str) -> Vec<&'static str> {
        let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
        let found = of(&format!("{{\"v\":[\"{quoted}\"]}}"));
        assert!(found.iter().all(|one| one.pointer == "/v/0"));
        found.into_iter().map(|one| one.rule).collect()
    }

    #[test]
    fn each_family_refuses_its_example_and_passes_the_other() {
        for rule in RULES {
            assert!(rules_of(rule.refused).contains(&rule.name), "{}", rule.name);
            assert!(!rules_of(rule.passed).contains(&rule.name), "{}", rule.name);
        }
    }

    #[test]
    fn names_of_rules_are_unique() {
        let mut names = rule_names();
        names.sort_unstable();
        let before = names.len();
        names.dedup();
        assert_eq!(names.len(), before);
    }

    #[test]
    fn what_a_run_holds_passes() {
        for text in [
            "fieldwork-source:v1:pump-log:5ea46bff",
            "survey-fast-source:v1:pump-log:5ea46bff",
            "chars:0-14",
            "record:generic-1",
            "https://example.invalid/public",
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "survey.kontourai.io/extraction-envelope",
            "120 EUR /month (per seat)",
            "and/or, 3/4, 16:9",
            "2026-11-30T10:00:00.000Z",
        ] {
            assert_eq!(rules_of(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn member_names_are_named_by_their_object_and_scanned_as_texts() {
        let found = of("{\"a\":{\"api_key\":1},\"b\":{\"/home/dana/x\":2}}");
        let seen: Vec<_> = found
            .iter()
            .map(|one| (one.rule, one.pointer.as_str(), one.is_name))
            .collect();
        assert_eq!(
            seen,
            [("member-name", "/a", true), ("path-posix", "/b", true)]
        );
    }

    #[test]
    fn authorization_is_a_receipt_or_refused() {
        let receipt = "{\"authorization\":{\"id\":\"a:1\",\"invocationId\":\"b\",\"outcome\":\
                       \"settled\",\"mode\":\"file-ledger-v1\",\"maxTokensPerAttempt\":5}}";
        assert_eq!(of(receipt), []);
        for other in [
            "\"Basic\"",
            "{\"id\":\"a\",\"key\":1}",
            "{\"outcome\":\"x\"}",
        ] {
            let found = of(&format!("{{\"authorization\":{other}}}"));
            assert_eq!(found.first().map(|one| one.rule), Some(AUTHORIZATION_RULE));
        }
    }

    #[test]
    fn random_texts_are_refused_and_digests_pass() {
        assert_eq!(
            rules_of("q8Zr1LwX0vTt5Kc9YbNf3HsJ7GdPm2RuEa6WxQiO4yBn"),
            [ENTROPY_RULE]
        );
        assert_eq!(
            rules_of("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn findings_stop_at_the_number_asked_for() {
        let text = "[\"/etc/a\",\"/etc/b\",\"/etc/c\"]";
        let found = disclosures(text.as_bytes(), 2, 1024).expect("a document");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_finding_names_the_digest_of_the_whole_string() {
        let found = of("[\"abc /etc/passwd\"]");
        let digest = sha256_hex([b"abc /etc/passwd".as_slice()]);
        assert_eq!(found.first().map(|one| one.sha256.clone()), Some(digest));
    }
}
