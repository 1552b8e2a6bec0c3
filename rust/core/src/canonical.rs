//! Canonical JSON and its digest: read strictly, written in one order, never built as a value.

use crate::document::Profile;
use crate::error::{Checked, Code, Refusal};
use crate::parallel::{self, Chunk, Joined};
use crate::writer::Writer;
use crate::{digest, threads};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;

/// How a text is read and written.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The order of members.
    pub profile: Profile,
    /// Whether the document must survive a round trip, which negative zero does not.
    pub lossless: bool,
    /// Most bytes of the text.
    pub max_bytes: usize,
    /// Threads to use; zero for as many as the machine offers.
    pub threads: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            profile: Profile::Jcs,
            lossless: false,
            max_bytes: usize::MAX,
            threads: 0,
        }
    }
}

/// The canonical text of `raw`; borrowed where `raw` is canonical already.
pub fn canonical_bytes<'a>(raw: &'a [u8], rules: &Rules) -> Checked<Cow<'a, [u8]>> {
    let mut text = Joined::new(raw);
    match stream(raw, rules, &mut |chunk| text.push(chunk))? {
        Streamed::Sent => Ok(text.finish()),
        Streamed::Whole(text) => Ok(text),
    }
}

/// Lower-case hex of SHA-256 over the canonical text of `raw`. A large text is hashed while it
/// is being written and never held whole.
pub fn canonical_digest(raw: &[u8], rules: &Rules) -> Checked<String> {
    let mut hash = Sha256::new();
    match stream(raw, rules, &mut |chunk| hash.update(chunk.bytes(raw)))? {
        Streamed::Sent => Ok(digest::hex(&hash.finalize())),
        Streamed::Whole(text) => Ok(digest::sha256_hex([text.as_ref()])),
    }
}

/// What became of a text.
enum Streamed<'a> {
    /// All of it went to the sink.
    Sent,
    /// None of it did; here it is.
    Whole(Cow<'a, [u8]>),
}

fn stream<'a>(
    raw: &'a [u8],
    rules: &Rules,
    sink: &mut dyn FnMut(Chunk<'_>),
) -> Checked<Streamed<'a>> {
    if raw.len() > rules.max_bytes {
        let message = format!(
            "the text has {} bytes, more than the {} allowed here",
            raw.len(),
            rules.max_bytes
        );
        return Err(Refusal::in_text(Code::JsonSize, rules.max_bytes, message));
    }
    // Asking how many threads there are costs more than reading a small text.
    let is_large = raw.len() >= parallel::WORTHWHILE;
    let workers = if is_large {
        threads::resolve(rules.threads)
    } else {
        1
    };
    if workers > 1 {
        let mut writer = Writer::new(raw, *rules);
        writer.may_defer = true;
        let base = writer.document();
        match (base, writer.deferred.take()) {
            (base, None) => return base.map(Streamed::Whole),
            // When the chunks do not meet, what the sink saw is dropped with it.
            (Ok(base), Some(deferred)) => {
                if parallel::write(raw, rules, &base, &deferred, workers, sink) {
                    return Ok(Streamed::Sent);
                }
            }
            // Something before this refusal may be wrong as well: read again, in order.
            (Err(_), Some(_)) => {}
        }
    }
    Writer::new(raw, *rules).document().map(Streamed::Whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> Checked<String> {
        let rules = Rules::default();
        canonical_bytes(text.as_bytes(), &rules)
            .map(|out| String::from_utf8(out.into_owned()).unwrap())
    }

    fn refused(text: &[u8]) -> (Code, String, Option<usize>) {
        let refusal = *canonical_bytes(
            text,
            &Rules {
                lossless: true,
                ..Rules::default()
            },
        )
        .unwrap_err();
        (refusal.code, refusal.pointer, refusal.offset)
    }

    #[test]
    fn members_are_put_in_code_unit_order() {
        let text = r#"{ "b" : [ 1.0, {"z":1,"a":"\u0041\/"} ] , "a": -0 , "10":1,"9":2}"#;
        assert_eq!(
            canonical(text).unwrap(),
            r#"{"10":1,"9":2,"a":0,"b":[1,{"a":"A/","z":1}]}"#
        );
    }

    #[test]
    fn canonical_text_is_not_copied() {
        let text = br#"{"a":[1,"x\n",{"b":0.5}],"c":null}"#;
        let out = canonical_bytes(text, &Rules::default()).unwrap();
        assert!(matches!(out, Cow::Borrowed(_)));
        assert_eq!(out.as_ref(), text);
    }

    #[test]
    fn refusals_name_the_place() {
        assert_eq!(
            refused(br#"{"a":[0,-0]}"#),
            (Code::JsonNegativeZero, "/a/1".into(), Some(8))
        );
        assert_eq!(
            refused(br#"{"b":1,"a":2,"b":3}"#),
            (Code::JsonDuplicateMember, "/b".into(), Some(13))
        );
        assert_eq!(
            refused(br#"{"a":1,"\u0061":3}"#),
            (Code::JsonDuplicateMember, "/a".into(), Some(7))
        );
        assert_eq!(
            refused(br#"["\ud800"]"#),
            (Code::JsonLoneSurrogate, "/0".into(), Some(2))
        );
        assert_eq!(
            refused(b"\xEF\xBB\xBF{}"),
            (Code::JsonEncoding, String::new(), Some(0))
        );
        assert_eq!(
            refused(b"[\"\xC3\"]"),
            (Code::JsonEncoding, "/0".into(), Some(2))
        );
        assert_eq!(
            refused(b"[1e400]"),
            (Code::JsonNumberRange, "/0".into(), Some(1))
        );
        assert_eq!(refused(b"[1,]").0, Code::JsonSyntax);
        assert_eq!(refused(b"").0, Code::JsonSyntax);
    }

    #[test]
    fn depth_is_bounded() {
        let nest = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(canonical(&nest(128)).is_ok());
        assert_eq!(canonical(&nest(129)).unwrap_err().code, Code::JsonDepth);
        assert_eq!(
            canonical(&"[".repeat(100_000)).unwrap_err().code,
            Code::JsonDepth
        );
    }

    #[test]
    fn objects_out_of_order_in_a_deep_array_are_put_in_order_by_every_thread() {
        let element = |n: usize| {
            format!(r#"{{"kind":"a long enough beginning","a":{{"z":{n},"b":[{{"y":1,"x":2}}]}}}}"#)
        };
        let body: Vec<String> = (0..9_000).map(element).collect();
        let text = format!(
            r#"{{"l":{{"m":{{"n":{{"o":[{}]}}}},"k":0}}}}"#,
            body.join(",")
        );
        let with = |threads| {
            let rules = Rules {
                threads,
                ..Rules::default()
            };
            canonical_bytes(text.as_bytes(), &rules)
                .unwrap()
                .into_owned()
        };
        assert!(
            with(1).starts_with(
                br#"{"l":{"k":0,"m":{"n":{"o":[{"a":{"b":[{"x":2,"y":1}],"z":0},"kind""#
            )
        );
        assert_eq!(with(1), with(4));
    }

    #[test]
    fn several_threads_give_the_same_text_and_the_same_refusal() {
        let element = |n: usize| {
            format!(
                r#"{{"kind":"a long enough beginning","n":{n}, "text":"}},{{\"kind\":\"a long"}}"#
            )
        };
        let body: Vec<String> = (0..20_000).map(element).collect();
        let text = format!(r#"{{"z":1,"items":[{}],"a":2}}"#, body.join(","));
        let with = |text: &str, threads| {
            canonical_bytes(
                text.as_bytes(),
                &Rules {
                    threads,
                    ..Rules::default()
                },
            )
            .map(Cow::into_owned)
        };
        assert_eq!(with(&text, 1).unwrap(), with(&text, 4).unwrap());
        let broken = text.replacen(r#""n":17000"#, r#""n":017000"#, 1);
        let one = with(&broken, 1).unwrap_err();
        assert_eq!(one.pointer, "/items/17000/n");
        assert_eq!(one, with(&broken, 4).unwrap_err());
    }
}
