//! Whether an excerpt stands at its span. Offsets are UTF-16 code units, ends are exclusive.

use crate::text::utf16_len;

/// Code units between two remembered offsets.
const STEP: usize = 128;

/// A text indexed once, so that each span costs its own length and not the text's.
pub struct SpanIndex<'t> {
    text: &'t str,
    units: usize,
    /// Byte offset of the first character that starts at or after unit `n * STEP`, and that
    /// unit; empty for ASCII, where both counts agree.
    marks: Vec<(usize, usize)>,
}

impl<'t> SpanIndex<'t> {
    /// The text.
    pub(crate) const fn text(&self) -> &'t str {
        self.text
    }

    /// Indexes `text`.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        if text.is_ascii() {
            return Self {
                text,
                units: text.len(),
                marks: Vec::new(),
            };
        }
        let mut marks = Vec::with_capacity(text.len() / STEP + 1);
        let mut unit = 0;
        for (byte, c) in text.char_indices() {
            if unit >= marks.len() * STEP {
                marks.push((byte, unit));
            }
            unit += c.len_utf16();
        }
        Self {
            text,
            units: unit,
            marks,
        }
    }

    /// Length of the text in UTF-16 code units.
    #[must_use]
    pub const fn units(&self) -> usize {
        self.units
    }

    /// Whether the code units from `start` to `end` are exactly `excerpt`. A span that cuts a
    /// surrogate pair never is.
    #[must_use]
    pub fn matches(&self, start: usize, end: usize, excerpt: &str) -> bool {
        let Some(length) = end.checked_sub(start) else {
            return false;
        };
        end <= self.units
            && utf16_len(excerpt) == length
            && self
                .byte_at(start)
                .and_then(|byte| self.text.get(byte..))
                .is_some_and(|rest| rest.starts_with(excerpt))
    }

    /// The code unit at which the character at byte offset `byte` starts.
    pub(crate) fn unit_at(&self, byte: usize) -> usize {
        if self.marks.is_empty() {
            return byte;
        }
        let after = self.marks.partition_point(|(mark, _)| *mark <= byte);
        let (mark, unit) = after
            .checked_sub(1)
            .and_then(|last| self.marks.get(last))
            .copied()
            .unwrap_or_default();
        unit + utf16_len(self.text.get(mark..byte).unwrap_or_default())
    }

    /// The byte offset of a code unit, unless it is the second half of a pair or beyond the end.
    pub(crate) fn byte_at(&self, unit: usize) -> Option<usize> {
        if unit > self.units {
            return None;
        }
        if self.marks.is_empty() {
            return Some(unit);
        }
        let (byte, mut at) = *self
            .marks
            .get(unit / STEP)
            .filter(|(_, first)| *first <= unit)
            .or_else(|| {
                // A pair may straddle the mark; the one before it certainly starts earlier.
                (unit / STEP)
                    .checked_sub(1)
                    .and_then(|before| self.marks.get(before))
            })?;
        let rest = self.text.get(byte..)?;
        for (offset, c) in rest.char_indices() {
            if at >= unit {
                return (at == unit).then_some(byte + offset);
            }
            at += c.len_utf16();
        }
        (at == unit).then_some(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_agree_with_a_plain_utf16_slice() {
        let text: String = (0..400)
            .map(|n| {
                if n % 7 == 0 {
                    '\u{1F600}'
                } else if n % 3 == 0 {
                    'é'
                } else {
                    'x'
                }
            })
            .collect();
        let units: Vec<u16> = text.encode_utf16().collect();
        let index = SpanIndex::new(&text);
        assert_eq!(index.units(), units.len());
        for start in 0..=units.len() {
            for end in start..(start + 6).min(units.len()) {
                let slice = units.get(start..end).unwrap();
                match String::from_utf16(slice) {
                    Ok(excerpt) => assert!(
                        index.matches(start, end, &excerpt) || excerpt.is_empty(),
                        "{start} {end}"
                    ),
                    Err(_) => assert!(!index.matches(start, end, &String::from_utf16_lossy(slice))),
                }
            }
        }
        for (byte, _) in text.char_indices() {
            let unit = index.unit_at(byte);
            assert_eq!(unit, text[..byte].encode_utf16().count());
            assert_eq!(index.byte_at(unit), Some(byte));
        }
        assert_eq!(index.byte_at(units.len()), Some(text.len()));
        assert_eq!(index.byte_at(units.len() + 1), None);
        assert!(!index.matches(5, 4, ""));
        assert!(!index.matches(units.len(), units.len() + 1, "x"));
    }

    #[test]
    fn ascii_needs_no_marks() {
        let index = SpanIndex::new("Fee: 48000");
        assert!(index.matches(5, 10, "48000"));
        assert!(!index.matches(4, 9, "48000"));
        assert!(!index.matches(5, 11, "48000"));
    }
}
