//! The orders of member names: by UTF-16 code unit, and as upstream's collation puts them.

use std::cmp::Ordering;

/// Compares two names by UTF-16 code unit. Both are UTF-8.
///
/// UTF-8 order is code point order, and the two differ in one place only: a code point above
/// U+FFFF starts with a surrogate (D800 to DBFF), which sorts before U+E000 to U+FFFF. In
/// UTF-8 those are the lead bytes F0..F4 against EE and EF, so it is enough to weigh the first
/// differing byte accordingly.
pub(crate) fn utf16(left: &[u8], right: &[u8]) -> Ordering {
    match left.iter().zip(right).find(|(a, b)| a != b) {
        None => left.len().cmp(&right.len()),
        Some((&a, &b)) if a < 0xEE && b < 0xEE => a.cmp(&b),
        Some((&a, &b)) => weight(a).cmp(&weight(b)).then(a.cmp(&b)),
    }
}

fn weight(lead: u8) -> u16 {
    if lead >= 0xF0 {
        0x1DB
    } else {
        u16::from(lead) * 2
    }
}

/// Whether collated order places `name` the same way on every host: printable ASCII only.
pub(crate) fn is_portable(name: &[u8]) -> bool {
    name.iter().all(|byte| (0x20..0x7F).contains(byte))
}

/// Compares two portable names as upstream's collation does: canonical array indexes first, in
/// numeric order; then primary rank without case, the shorter first, lower case before upper.
pub(crate) fn collated(left: &[u8], right: &[u8]) -> Ordering {
    match (array_index(left), array_index(right)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => left
            .iter()
            .map(|byte| rank(*byte))
            .cmp(right.iter().map(|byte| rank(*byte)))
            .then_with(|| right.cmp(left)),
    }
}

/// The value of a canonical array index, 0 to 2^32 - 2, without leading zeros.
fn array_index(name: &[u8]) -> Option<u32> {
    let (first, rest) = name.split_first()?;
    if name.len() > 10
        || !name.iter().all(u8::is_ascii_digit)
        || (*first == b'0' && !rest.is_empty())
    {
        return None;
    }
    let text = std::str::from_utf8(name).ok()?;
    text.parse::<u32>().ok().filter(|index| *index != u32::MAX)
}

/// Primary rank of a printable ASCII character; letters rank without case.
fn rank(byte: u8) -> u8 {
    const SYMBOLS: &[u8] = b" _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
    match byte {
        b'0'..=b'9' => 40 + (byte - b'0'),
        b'a'..=b'z' => 60 + (byte - b'a'),
        b'A'..=b'Z' => 60 + (byte - b'A'),
        other => SYMBOLS
            .iter()
            .position(|symbol| *symbol == other)
            .and_then(|place| u8::try_from(place).ok())
            .unwrap_or(u8::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn astral_names_sort_before_private_use() {
        assert_eq!(
            utf16("\u{1F600}".as_bytes(), "\u{FFFF}".as_bytes()),
            Ordering::Less
        );
        assert_eq!(
            utf16("\u{E000}".as_bytes(), "\u{10FFFF}".as_bytes()),
            Ordering::Greater
        );
        assert_eq!(
            utf16("\u{D7FF}".as_bytes(), "\u{10000}".as_bytes()),
            Ordering::Less
        );
        assert_eq!(
            utf16("\u{10FFFF}".as_bytes(), "\u{1F600}".as_bytes()),
            Ordering::Greater
        );
        assert_eq!(utf16(b"ab", b"abc"), Ordering::Less);
    }

    #[test]
    fn collation_probe() {
        let expected = [
            "9",
            "10",
            "",
            "~",
            "$x",
            "a",
            "A",
            "a_b",
            "a-b",
            "a.b",
            "a/b",
            "ab",
            "b",
            "B",
            "candidates",
            "candidateSetStatus",
        ];
        let mut names = expected;
        names.reverse();
        names.sort_by(|a, b| collated(a.as_bytes(), b.as_bytes()));
        assert_eq!(names, expected);
    }

    #[test]
    fn the_largest_index_is_not_an_index() {
        assert_eq!(array_index(b"4294967294"), Some(4_294_967_294));
        assert_eq!(array_index(b"4294967295"), None);
        assert_eq!(array_index(b"01"), None);
        assert_eq!(array_index(b"0"), Some(0));
    }
}
