//! What must not leave: paths of a machine, credentials, references to a workspace.
//!
//! Every string and every member name of a document is held against the corpus of `rules`. A
//! finding says which rule, where, and the digest of the whole string, so that someone can allow
//! exactly that string; it never repeats the text.

mod background;
mod clean;
mod judge;
mod receipt;
mod rules;
mod scanner;
#[cfg(test)]
mod slow;

use crate::canonical::{Rules, canonical_bytes};
use crate::error::Checked;

pub use background::{BackgroundScan, Scanned};
pub use rules::CORPUS;
use rules::{AUTHORIZATION_RULE, ENTROPY_RULE, NAME_RULE, RULES};
pub use scanner::Scanner;

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
    Scanner::new(text.len()).scan(&text, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::sha256_hex;

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
