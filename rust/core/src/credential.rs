//! Text that could authorise whoever reads it: references and identities are stored and shown,
//! so neither may carry a credential.

use crate::text::is_blank;
use url::Url;

/// References inside the query of a reference that are still looked into.
const NESTING: usize = 2;

/// Words that name a secret when one of them is a whole word of a query key.
const SECRETS: [&str; 10] = [
    "token",
    "secret",
    "password",
    "passwd",
    "api-key",
    "api_key",
    "apikey",
    "authorization",
    "signature",
    "credential",
];

/// Beginnings of tokens that well-known services issue.
const TOKENS: [&str; 5] = ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"];

/// Whether a reference carries authorization: a header in plain words, user info of a URL, or
/// a query that names or nests such a thing.
pub(crate) fn bears_authorization(text: &str) -> bool {
    bears_within(text, 0)
}

/// Whether an identity starts like an issued token.
pub(crate) fn is_token(identity: &str) -> bool {
    let upper =
        |rest: &str| rest.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
    let after = |prefix| identity.strip_prefix(prefix);
    TOKENS.iter().any(|prefix| identity.starts_with(prefix))
        || after("sk-").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
        || after("AKIA").or_else(|| after("ASIA")).is_some_and(upper)
        || after("eyJ")
            .and_then(|rest| rest.split_once('.'))
            .is_some_and(|(_, payload)| payload.starts_with("eyJ"))
}

fn bears_within(text: &str, depth: usize) -> bool {
    depth > NESTING || spells_header(text) || url_bears(text, depth)
}

/// Whether an authorization header stands in the text.
fn spells_header(text: &str) -> bool {
    // Of each word, its letter that ordinary text uses least is looked for.
    rests_after(text, "authorization", 7)
        .any(|rest| rest.trim_start_matches(is_blank).starts_with([':', '=']))
        || rests_after(text, "bearer", 0).any(|rest| {
            let token = rest.trim_start_matches(is_blank);
            token.len() < rest.len() && token.starts_with(is_token_character)
        })
}

fn is_token_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '~' | '-')
}

/// What follows each occurrence of `word`, whose letter at `anchor` is searched for.
fn rests_after<'t>(
    text: &'t str,
    word: &'static str,
    anchor: usize,
) -> impl Iterator<Item = &'t str> {
    let letter = word.as_bytes().get(anchor).copied().unwrap_or_default();
    memchr::memchr2_iter(letter, letter.to_ascii_uppercase(), text.as_bytes()).filter_map(
        move |at| {
            let start = at.checked_sub(anchor)?;
            let found = text.get(start..start + word.len())?;
            if found.eq_ignore_ascii_case(word) {
                text.get(start + word.len()..)
            } else {
                None
            }
        },
    )
}

fn url_bears(text: &str, depth: usize) -> bool {
    // Without a colon it is no URL; without @ it has no user info and without ? no query.
    let raw = text.as_bytes();
    if memchr::memchr(b':', raw).is_none() || memchr::memchr2(b'@', b'?', raw).is_none() {
        return false;
    }
    let Ok(url) = Url::parse(text) else {
        return false;
    };
    !url.username().is_empty()
        || url.password().is_some_and(|password| !password.is_empty())
        || url
            .query_pairs()
            .any(|(key, value)| names_secret(&key) || bears_within(&value, depth + 1))
}

/// Whether a word between the ends, hyphens and underscores of `key` names a secret.
fn names_secret(key: &str) -> bool {
    let is_edge = |byte: Option<&u8>| matches!(byte, None | Some(b'-' | b'_'));
    let raw = key.as_bytes();
    (0..raw.len())
        .filter(|at| is_edge(at.checked_sub(1).and_then(|before| raw.get(before))))
        .any(|at| {
            SECRETS.iter().any(|word| {
                let end = at + word.len();
                raw.get(at..end)
                    .is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
                    && is_edge(raw.get(end))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_that_carry_authorization() {
        for text in [
            "https://user:pw@h/",
            "https:user@h",
            "  https://:pw@h/",
            "ht\ntps://u@h",
            "urn:x?token=1",
            "https://h/?access_token",
            "https://h/?X-Amz-Signature=1",
            "https://h/?api%5Fkey=1",
            "https://h/?a=1&b=Bearer+abc",
            "https://h/?next=https%3A%2F%2Fu%3Apw%40h%2F",
            "https://h/?a=x:y%3Fb=x:y%253Fc=1",
            "Authorization: x",
            "x authoriZATION\u{feff} = y",
            "BEARER\tabc",
        ] {
            assert!(bears_authorization(text), "{text}");
        }
    }

    #[test]
    fn references_that_carry_none() {
        for text in [
            "https://h/?sig=1",
            "https://h/?tokens=1",
            "https://h/#token=1",
            "https://h/?a=x:y%3Fb=1",
            "bearer",
            "bearer \u{e9}",
            "authorization",
            "authorization\u{85}:",
            "mailto:user:pw@x",
            "http://u:pw@bad host/",
            "//user:pw@h",
            "\u{e9}z: ?",
            "",
        ] {
            assert!(!bears_authorization(text), "{text}");
        }
    }

    #[test]
    fn tokens_are_told_by_their_beginning() {
        for text in ["ghp_", "ghr_x", "sk-x", "AKIA1", "ASIAB", "eyJa.eyJb"] {
            assert!(is_token(text), "{text}");
        }
        for text in ["ghx_a", "sk-", "sk--a", "AKIAb", "eyJa", "eyJa.b", "x-ghp_"] {
            assert!(!is_token(text), "{text}");
        }
    }
}
