//! From a pointer to the byte of the text that was read, for refusals found in canonical text.
//!
//! Nothing remembers where each value came from, because a text that is accepted never needs it;
//! a refused one is walked again.

use crate::error::Refusal;
use crate::json;

/// The refusal with the offset of its pointer in `raw`, the strict JSON it was found in.
pub(crate) fn located(mut refusal: Box<Refusal>, raw: &[u8]) -> Box<Refusal> {
    if refusal.offset.is_none() {
        refusal.offset = offset_of(raw, &refusal.pointer);
    }
    refusal
}

/// Where the value at `pointer` starts; of a member that is absent, where its object does.
fn offset_of(raw: &[u8], pointer: &str) -> Option<usize> {
    let mut at = json::skip_space(raw, 0);
    let mut segments = pointer.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let name = segment.replace("~1", "/").replace("~0", "~");
        match child(raw, at, &name) {
            Some(found) => at = found,
            None if segments.peek().is_none() => break,
            None => return None,
        }
    }
    Some(at)
}

/// The start of the member or element `name` of the container at `open`.
fn child(raw: &[u8], open: usize, name: &str) -> Option<usize> {
    let is_object = match raw.get(open)? {
        b'{' => true,
        b'[' => false,
        _ => return None,
    };
    let mut at = json::skip_space(raw, open + 1);
    let mut index = 0_usize;
    while !matches!(raw.get(at)?, b'}' | b']') {
        let mut is_wanted = !is_object && name.parse() == Ok(index);
        if is_object {
            let token = json::string(raw, at).ok()?;
            is_wanted = json::decode(raw, at + 1, token.close) == name;
            let colon = json::skip_space(raw, token.close + 1);
            at = json::skip_space(raw, colon + 1);
        }
        if is_wanted {
            return Some(at);
        }
        at = json::skip_space(raw, skip_value(raw, at)?);
        at = json::skip_space(raw, at + usize::from(raw.get(at) == Some(&b',')));
        index += 1;
    }
    None
}

fn skip_value(raw: &[u8], at: usize) -> Option<usize> {
    match raw.get(at)? {
        b'"' => Some(json::string(raw, at).ok()?.close + 1),
        b'{' | b'[' => json::skip_container(raw, at).ok(),
        _ => Some(json::skip_scalar(raw, at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_to_bytes() {
        let raw = br#" { "a" : [ 1 , {"b~/c":"x"} ] , "\u0064":{} }"#;
        let at = |pointer| offset_of(raw, pointer);
        assert_eq!(at(""), Some(1));
        assert_eq!(at("/a/0"), Some(11));
        assert_eq!(at("/a/1/b~0~1c"), Some(23));
        assert_eq!(at("/d"), Some(41));
        assert_eq!(at("/d/absent"), Some(41));
        assert_eq!(at("/absent/deeper"), None);
    }
}
