//! Small rules about text that several formats share.

/// Length in UTF-16 code units.
#[must_use]
pub fn utf16_len(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().map(char::len_utf16).sum()
    }
}

/// Whether anything is left of `text` after ECMAScript's trim.
#[must_use]
pub fn has_content(text: &str) -> bool {
    !text.chars().all(is_blank)
}

/// White space as ECMAScript trims it: neither U+001C to U+001F nor U+0085, but U+FEFF.
pub(crate) fn is_blank(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{FEFF}'
}

/// Whether `text` reads as `count` lower-case hex digits and nothing else.
#[must_use]
pub fn is_hex(text: &str, count: usize) -> bool {
    text.len() == count && text.bytes().all(is_lower_hex)
}

/// A digit of lower-case hex.
pub(crate) fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// Appends `text` as a JSON string, escaped as ECMAScript escapes.
pub fn write_json_string(text: &str, out: &mut Vec<u8>) {
    crate::json::write_string(text, out);
}

/// Appends a finite double as JSON that reads back as the same double; negative zero keeps its
/// sign, so that whoever reads the text decides what to make of it.
pub fn write_json_number(value: f64, out: &mut Vec<u8>) {
    if value == 0.0 && value.is_sign_negative() {
        out.push(b'-');
    }
    crate::number::write(value, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trimming_is_ecmascripts() {
        assert!(!has_content(" \u{FEFF}\u{3000}\t"));
        assert!(has_content("\u{1C}"));
        assert!(has_content("\u{85}"));
        assert!(!has_content(""));
    }

    #[test]
    fn lengths_count_code_units() {
        assert_eq!(utf16_len("a\u{1F600}é"), 4);
        assert_eq!(utf16_len("abc"), 3);
    }
}
