//! Lines of canonical JSON, each carrying the digest of the line before it.
//!
//! A line is `{"event": {…}, "previous": hex, "remaining": k, "sequence": n}`. What is committed
//! ends with the last line whose `remaining` is 0.

use crate::canonical::{Rules, canonical_bytes};
use crate::digest::sha256_hex;
use crate::document::{Document, Kind};
use crate::walk::Cursor;

/// Where a reader of the lines stands.
#[derive(Clone, Debug)]
pub struct Start<'s> {
    /// Offset of the first line to read.
    pub offset: usize,
    /// How many lines stand before it.
    pub count: u64,
    /// The digest that it has to carry.
    pub head: &'s str,
}

/// What is committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// Lines up to the commit point.
    pub count: u64,
    /// Offset behind the last of them.
    pub end: usize,
    /// The digest of the last of them.
    pub head: String,
}

/// A line that does not follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Its number, from 1.
    pub line: u64,
    /// Its offset.
    pub offset: usize,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Reads the lines of `data` from `start` on; `end` is where its last whole line ends.
///
/// # Errors
///
/// The first line that does not follow from those before it.
pub fn committed(data: &[u8], start: &Start<'_>, end: usize) -> Result<Committed, Broken> {
    let mut found = Committed {
        count: start.count,
        end: start.offset,
        head: start.head.to_owned(),
    };
    let (mut previous, mut count, mut remaining) = (found.head.clone(), start.count, 0);
    let mut at = start.offset;
    let lines = data.get(start.offset..end).unwrap_or_default();
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        remaining = follows(text, count + 1, &previous, remaining).map_err(|why| Broken {
            line: count + 1,
            offset: at,
            why,
        })?;
        previous = sha256_hex([line]);
        count += 1;
        at += line.len();
        if remaining == 0 {
            found.head.clone_from(&previous);
            (found.count, found.end) = (count, at);
        }
    }
    Ok(found)
}

/// Canonical text of an array of the events on `lines`, which are committed ones.
#[must_use]
pub fn events(lines: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(lines.len() + 2);
    out.push(b'[');
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(event_of(line)?);
    }
    out.push(b']');
    Some(out)
}

/// The event on a committed line.
pub(crate) fn event_of(line: &[u8]) -> Option<&[u8]> {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    Line::cut(text).map(|line| line.event)
}

/// A line cut into its members by how canonical text spells it.
#[derive(Clone, Copy)]
struct Line<'l> {
    event: &'l [u8],
    previous: &'l [u8],
    remaining: &'l [u8],
    sequence: &'l [u8],
}

impl<'l> Line<'l> {
    /// The members of a line whose last three are short and hold no comma. That the first is one
    /// value, and the line canonical, is to be seen by others.
    fn cut(text: &'l [u8]) -> Option<Self> {
        let rest = text.strip_prefix(b"{\"event\":")?.strip_suffix(b"}")?;
        let (rest, sequence) = last(rest, b"\"sequence\":")?;
        let (rest, remaining) = last(rest, b"\"remaining\":")?;
        let (event, previous) = last(rest, b"\"previous\":\"")?;
        Some(Self {
            event,
            previous: previous.strip_suffix(b"\"")?,
            remaining,
            sequence,
        })
    }
}

/// What stands before the last comma, and behind the name that has to follow it.
fn last<'l>(text: &'l [u8], name: &[u8]) -> Option<(&'l [u8], &'l [u8])> {
    let comma = memchr::memrchr(b',', text)?;
    let behind = text.get(comma + 1..)?;
    Some((text.get(..comma)?, behind.strip_prefix(name)?))
}

/// Whether `text` is the line with that number, behind a line whose digest is `previous` and that
/// was followed by `before` more of its append; how many follow this one, or what is wrong.
fn follows(text: &[u8], number: u64, previous: &str, before: u64) -> Result<u64, &'static str> {
    let rules = Rules {
        max_bytes: usize::MAX,
        threads: 1,
        ..Rules::default()
    };
    let canonical = canonical_bytes(text, &rules).map_err(|_| NOT_CANONICAL)?;
    if *canonical != *text {
        return Err(NOT_CANONICAL);
    }
    let expected = || -> Option<u64> {
        let line = Line::cut(text)?;
        let mut event = Cursor::new(line.event);
        let is_object = event.is_at(b'{') && event.skip().is_ok() && event.is_done();
        let follows = is_object
            && line.previous == previous.as_bytes()
            && line.sequence == number.to_string().as_bytes();
        let remaining = whole(std::str::from_utf8(line.remaining).ok()?)?;
        (follows && (before == 0 || remaining == before - 1)).then_some(remaining)
    };
    expected().map_or_else(|| explained(text, number, previous, before), Ok)
}

const NOT_CANONICAL: &str = "is not canonical JSON";

/// The same member by member, for a line that is not spelled as expected.
fn explained(text: &[u8], number: u64, previous: &str, before: u64) -> Result<u64, &'static str> {
    const NO_ENTRY: &str = "is no object of event (an object), previous, remaining and sequence";
    let document = Document::index(text).map_err(|_| NOT_CANONICAL)?;
    let mut members = document.root().members();
    let (Some(event), Some(carried), Some(remaining), Some(sequence), None) = (
        members.next().filter(|(name, _)| name == "event"),
        members.next().filter(|(name, _)| name == "previous"),
        members.next().filter(|(name, _)| name == "remaining"),
        members.next().filter(|(name, _)| name == "sequence"),
        members.next(),
    ) else {
        return Err(NO_ENTRY);
    };
    if event.1.kind() != Kind::Object {
        return Err(NO_ENTRY);
    }
    if sequence.1.text() != number.to_string() {
        return Err("does not carry the next sequence number");
    }
    if carried.1.as_str().as_deref() != Some(previous) {
        return Err("does not follow the line before it");
    }
    let Some(remaining) = whole(remaining.1.text()) else {
        return Err("does not say how many lines still follow");
    };
    if before > 0 && remaining != before - 1 {
        return Err("does not count down the lines of its append");
    }
    Ok(remaining)
}

fn whole(text: &str) -> Option<u64> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(remaining: &[u64]) -> (Vec<u8>, String) {
        let mut head = "0".repeat(64);
        let mut data = Vec::new();
        for (place, left) in remaining.iter().enumerate() {
            let line = format!(
                "{{\"event\":{{\"n\":{place}}},\"previous\":\"{head}\",\"remaining\":{left},\
                 \"sequence\":{}}}\n",
                place + 1
            );
            head = sha256_hex([line.as_bytes()]);
            data.extend_from_slice(line.as_bytes());
        }
        (data, head)
    }

    fn read(data: &[u8]) -> Result<Committed, Broken> {
        let head = "0".repeat(64);
        let start = Start {
            offset: 0,
            count: 0,
            head: &head,
        };
        committed(data, &start, data.len())
    }

    #[test]
    fn whole_appends_are_committed() {
        let (data, head) = lines(&[1, 0, 0]);
        let found = read(&data).expect("a chain");
        assert_eq!((found.count, found.end), (3, data.len()));
        assert_eq!(found.head, head);
        assert_eq!(
            events(&data).expect("events"),
            b"[{\"n\":0},{\"n\":1},{\"n\":2}]"
        );
        assert_eq!(events(b"").expect("none"), b"[]");
        assert_eq!(events(b"{}\n"), None);
    }

    #[test]
    fn lines_of_an_append_that_never_ended_are_not() {
        let (data, _) = lines(&[0, 2, 1]);
        let found = read(&data).expect("a chain");
        let first = data.iter().position(|byte| *byte == b'\n');
        assert_eq!((found.count, Some(found.end)), (1, first.map(|at| at + 1)));
    }

    #[test]
    fn each_kind_of_broken_line_is_told() {
        let (data, _) = lines(&[0, 0]);
        let text = String::from_utf8(data).expect("text");
        let cases = [
            (text.replace("\"n\":1", "\"n\": 1"), "is not canonical JSON"),
            (
                text.replace("\"sequence\":2", "\"sequence\":3"),
                "does not carry the next sequence number",
            ),
            (
                text.replace("\"n\":0", "\"n\":5"),
                "does not follow the line before it",
            ),
            (
                text.replace(
                    "\"remaining\":0,\"sequence\":2",
                    "\"remaining\":-1,\"sequence\":2",
                ),
                "does not say how many lines still follow",
            ),
            (
                text.replace("{\"n\":1}", "[]"),
                "is no object of event (an object), previous, remaining and sequence",
            ),
        ];
        for (broken, why) in cases {
            let found = read(broken.as_bytes()).expect_err("a broken chain");
            assert_eq!((found.line, found.why), (2, why));
        }
        let (data, _) = lines(&[2, 0]);
        assert_eq!(
            read(&data).expect_err("a broken chain").why,
            "does not count down the lines of its append"
        );
    }
}
