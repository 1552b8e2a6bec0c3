//! Where the excerpts of proposals stand in the prepared text, and which occurrence each of them
//! means, as `exact-occurrence-v1` decides it.
//!
//! One call resolves the proposals of one run in their order: what an earlier one took, a later
//! one of the same field, value and excerpt does not take again while others are free. The text
//! is searched once for all excerpts, so a proposal costs its own length and not the text's.

mod allocation;
mod search;

use crate::error::Checked;
use crate::span::SpanIndex;
use crate::text::utf16_len;
use allocation::{Claim, Taken};
use std::collections::BTreeMap;
use std::ops::Range;

/// The rules followed here.
pub const RESOLVER: &str = "exact-occurrence-v1";

/// One proposal, as far as it matters where it was read.
#[derive(Clone, Debug)]
pub struct Draft<'d> {
    /// The words that were read.
    pub excerpt: &'d str,
    /// Field, places in its arrays and value, each as canonical text: proposals alike in these
    /// and in the excerpt share the occurrences among them.
    pub key: [&'d str; 3],
    /// The code units its provider saw; all of them when absent.
    pub window: Option<(usize, usize)>,
    /// The occurrence its provider named, from 1 among those it saw.
    pub hint: Option<usize>,
}

/// Why a proposal has no place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// It has no excerpt.
    ExcerptEmpty,
    /// The excerpt does not stand in what its provider saw.
    ExcerptNotFound,
    /// What its provider saw is no part of the text.
    WindowInvalid,
}

impl Dropped {
    /// The stable spelling.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ExcerptEmpty => "excerpt-empty",
            Self::ExcerptNotFound => "excerpt-not-found",
            Self::WindowInvalid => "window-invalid",
        }
    }
}

/// The occurrence a proposal means. Offsets are UTF-16 code units, ends are exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Occurrences in the whole text.
    pub count: usize,
    /// Its index among them.
    pub index: usize,
    /// First code unit.
    pub start: usize,
    /// The code unit after its last.
    pub end: usize,
    /// Whether the provider's hint chose it.
    pub by_hint: bool,
    /// The same span in bytes.
    pub bytes: Range<usize>,
}

/// Resolves the drafts of one run, in order.
///
/// # Errors
/// `extraction-too-large` where the text repeats the excerpts beyond all reason.
pub fn resolve(
    text: &SpanIndex<'_>,
    drafts: &[Draft<'_>],
    threads: usize,
) -> Checked<Vec<Result<Occurrence, Dropped>>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, draft) in drafts.iter().enumerate() {
        if !draft.excerpt.is_empty() {
            groups.entry(draft.excerpt).or_default().push(place);
        }
    }
    let excerpts: Vec<&str> = groups.keys().copied().collect();
    let found = search::find_all(text.text().as_bytes(), &excerpts, threads)?;
    let mut resolved = vec![Err(Dropped::ExcerptEmpty); drafts.len()];
    let mut found = found.into_iter();
    for (excerpt, places) in groups {
        let group = Group {
            text,
            excerpt,
            units: utf16_len(excerpt),
            occurrences: found.next().unwrap_or_default(),
        };
        let mut taken: BTreeMap<[&str; 3], Taken> = BTreeMap::new();
        for place in places {
            if let (Some(draft), Some(slot)) = (drafts.get(place), resolved.get_mut(place)) {
                *slot = group.resolve(draft, taken.entry(draft.key).or_default());
            }
        }
    }
    Ok(resolved)
}

/// All that one excerpt's proposals share.
struct Group<'t> {
    text: &'t SpanIndex<'t>,
    excerpt: &'t str,
    units: usize,
    /// Byte offsets, ascending.
    occurrences: Vec<u32>,
}

impl Group<'_> {
    fn resolve(&self, draft: &Draft<'_>, taken: &mut Taken) -> Result<Occurrence, Dropped> {
        let claim = Claim {
            visible: self.visible(draft.window)?,
            hint: draft.hint,
        };
        let choice = taken.choose(&claim).ok_or(Dropped::ExcerptNotFound)?;
        let place = self.occurrences.get(choice.index);
        let byte = *place.ok_or(Dropped::ExcerptNotFound)? as usize;
        let start = self.text.unit_at(byte);
        Ok(Occurrence {
            count: self.occurrences.len(),
            index: choice.index,
            start,
            end: start + self.units,
            by_hint: choice.by_hint,
            bytes: byte..byte + self.excerpt.len(),
        })
    }

    /// The occurrences that lie wholly inside `window`.
    fn visible(&self, window: Option<(usize, usize)>) -> Result<Range<usize>, Dropped> {
        let Some((start, end)) = window else {
            return Ok(0..self.occurrences.len());
        };
        let bytes = self.text.byte_at(start).zip(self.text.byte_at(end));
        let (start, end) = bytes
            .filter(|(start, end)| start <= end)
            .ok_or(Dropped::WindowInvalid)?;
        let before = |limit: usize| {
            self.occurrences
                .partition_point(|place| (*place as usize) < limit)
        };
        let first = before(start);
        let last = match (end + 1).checked_sub(self.excerpt.len()) {
            Some(limit) => before(limit),
            None => first,
        };
        Ok(first..last.max(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn draft<'d>(excerpt: &'d str, key: &'d str) -> Draft<'d> {
        Draft {
            excerpt,
            key: [key, "null", "1"],
            window: None,
            hint: None,
        }
    }

    fn spans(text: &str, drafts: &[Draft<'_>]) -> Vec<Option<(usize, usize, usize)>> {
        let resolved = resolve(&SpanIndex::new(text), drafts, 1).unwrap();
        let span = |found: Result<Occurrence, Dropped>| {
            found
                .ok()
                .map(|found| (found.index, found.start, found.end))
        };
        resolved.into_iter().map(span).collect()
    }

    #[test]
    fn row_13_overlapping_occurrences_count() {
        let drafts = [draft("aa", "k"), draft("aa", "k"), draft("aa", "k")];
        assert_eq!(
            spans("aaa", &drafts),
            [Some((0, 0, 2)), Some((1, 1, 3)), Some((1, 1, 3))]
        );
    }

    #[test]
    fn row_15_other_fields_start_over() {
        let drafts = [draft("Key", "a"), draft("Key", "b")];
        assert_eq!(
            spans("Key; Key", &drafts),
            [Some((0, 0, 3)), Some((0, 0, 3))]
        );
    }

    #[test]
    fn rows_16_to_20_hints_count_what_was_seen() {
        let hinted = |hint, window| Draft {
            hint: Some(hint),
            window,
            ..draft("Key", "k")
        };
        let drafts = [
            hinted(2, None),
            hinted(3, None),
            hinted(0, None),
            hinted(1, Some((5, 8))),
            hinted(1, Some((6, 8))),
            hinted(1, Some((5, 9))),
            hinted(1, Some((8, 5))),
        ];
        let resolved = resolve(&SpanIndex::new("Key; Key"), &drafts, 1).unwrap();
        let told: Vec<_> = resolved
            .iter()
            .map(|found| found.as_ref().map(|found| (found.index, found.by_hint)))
            .collect();
        assert_eq!(
            told,
            [
                Ok((1, true)),
                Ok((0, false)),
                Ok((1, false)),
                Ok((1, true)),
                Err(&Dropped::ExcerptNotFound),
                Err(&Dropped::WindowInvalid),
                Err(&Dropped::WindowInvalid),
            ]
        );
    }

    #[test]
    fn row_24_offsets_are_code_units() {
        assert_eq!(
            spans("😀 Key", &[draft("Key", "k"), draft("", "k")]),
            [Some((0, 3, 6)), None]
        );
    }

    #[test]
    fn a_hundred_thousand_occurrences_are_shared() {
        let text = "a".repeat(100_000);
        let drafts = vec![draft("a", "k"); 10_000];
        let resolved = spans(&text, &drafts);
        assert_eq!(resolved.last().unwrap(), &Some((9_999, 9_999, 10_000)));
    }

    /// Occurrences wholly inside the window, as (global index, start unit).
    fn naive(text: &str, excerpt: &str, window: (usize, usize)) -> Vec<(usize, usize)> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let wanted: Vec<u16> = excerpt.encode_utf16().collect();
        let starts = (0..units.len()).filter(|at| units[*at..].starts_with(&wanted));
        let inside =
            |place: &(usize, usize)| place.1 >= window.0 && place.1 + wanted.len() <= window.1;
        starts.enumerate().filter(inside).collect()
    }

    proptest! {
        #[test]
        fn resolves_like_a_plain_search(
            text in "[ab😀é]{0,30}",
            excerpts in proptest::collection::vec("[ab😀é]{1,3}", 1..8),
            start in 0..30_usize,
            length in 0..30_usize,
        ) {
            let index = SpanIndex::new(&text);
            let window = (start, start + length);
            let is_part = index.byte_at(start).is_some() && index.byte_at(start + length).is_some();
            for excerpt in &excerpts {
                let drafts = vec![Draft { window: Some(window), ..draft(excerpt, "k") }; 4];
                let expected = naive(&text, excerpt, window);
                for (turn, found) in resolve(&index, &drafts, 1).unwrap().into_iter().enumerate() {
                    let expected = expected.get(turn).or(expected.last()).filter(|_| is_part);
                    let found = found.ok().map(|found| (found.index, found.start));
                    prop_assert_eq!(found.as_ref(), expected);
                }
            }
        }
    }
}
