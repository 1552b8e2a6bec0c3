//! Every occurrence of every one of many excerpts, found in one pass over the text.
//!
//! A filter knows how the excerpts begin, so that most places of a text cost one or two looks
//! into a small table. Where a place passes, the excerpts that stand there are all beginnings of
//! one another: the greatest excerpt that does not sort after the rest of the text leads to them,
//! each being the longest beginning of the one before.
//!
//! A place costs as much as it has in common with an excerpt, which is little unless the text
//! repeats itself. The work is therefore counted. Where it grows beyond measure, long excerpts are
//! searched for one by one, in time linear in the text; and what is too much for that as well is
//! refused. All of this depends on nothing but the text and the excerpts.

use crate::error::{Checked, Code, Path, Refusal};
use crate::runs::Runs;
use crate::threads::map_shares;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What a search may cost before it is refused.
#[derive(Clone, Copy)]
struct Budget {
    /// Occurrences of all excerpts together.
    found: usize,
    /// Steps of all places together; a compared byte is one.
    work: usize,
    /// Bytes read by all searches for single excerpts together.
    read: usize,
}

const BUDGET: Budget = Budget {
    found: 1 << 25,
    work: 1 << 31,
    read: 1 << 31,
};
/// What a comparison costs besides its bytes, and a step along the chain of beginnings.
const STEP: usize = 16;
/// Bytes of an excerpt that is long.
const LONG: usize = 64;
/// Bytes of the text that one unit of work for a thread covers.
const STRETCH: usize = 64 * 1024;
/// Stretches below which starting a thread does not pay.
const WORTHWHILE: usize = 4;

/// Where each excerpt stands: byte offsets, ascending, in the order of the excerpts.
pub(super) type Found = Vec<Vec<u32>>;

/// Finds the excerpts of `wanted`, which are distinct and not empty, in `text`.
///
/// # Errors
/// `extraction-too-large` beyond the budget.
pub(super) fn find_all(text: &[u8], wanted: &[&str], threads: usize) -> Checked<Found> {
    find_within(BUDGET, text, wanted, threads)
}

fn find_within(budget: Budget, text: &[u8], wanted: &[&str], threads: usize) -> Checked<Found> {
    if let Some(found) = find_together(budget, text, wanted, threads) {
        return Ok(found);
    }
    let (long, short): (Vec<_>, Vec<_>) = wanted.iter().partition(|text| text.len() > LONG);
    let affordable = long.len().saturating_mul(text.len()) <= budget.read;
    let apart = if affordable && !long.is_empty() {
        find_together(budget, text, &short, threads).zip(find_each(budget, text, &long, threads))
    } else {
        None
    };
    let Some((short, long)) = apart else {
        let message = "the text repeats the excerpts too often to tell their occurrences apart";
        return Err(Refusal::at(Code::ExtractionTooLarge, &Path::Root, message));
    };
    let (mut short, mut long) = (short.into_iter(), long.into_iter());
    let next = |text: &&str| {
        let places = if text.len() > LONG {
            long.next()
        } else {
            short.next()
        };
        places.unwrap_or_default()
    };
    Ok(wanted.iter().map(next).collect())
}

/// Finds all excerpts in one pass; `None` beyond the budget.
fn find_together(budget: Budget, text: &[u8], wanted: &[&str], threads: usize) -> Option<Found> {
    let needles = Needles::new(wanted);
    let spent = Spent::new(budget);
    let starts: Vec<usize> = (0..text.len()).step_by(STRETCH).collect();
    let shares = map_shares(&starts, threads, WORTHWHILE, &|starts| {
        let first = starts.first().copied().unwrap_or_default();
        let last = starts.last().map_or(0, |start| start + STRETCH);
        needles.scan(text, first..last.min(text.len()), &spent)
    });
    if spent.is_beyond_measure() {
        return None;
    }
    let mut shares = shares.into_iter();
    let mut found = shares.next().unwrap_or_default();
    for share in shares {
        for (all, more) in found.iter_mut().zip(share) {
            all.extend_from_slice(&more);
        }
    }
    Some(found)
}

/// Finds each excerpt by itself; `None` beyond the budget.
fn find_each(budget: Budget, text: &[u8], wanted: &[&str], threads: usize) -> Option<Found> {
    let spent = Spent::new(budget);
    let shares = map_shares(wanted, threads, 1, &|wanted| {
        let mut found = Found::new();
        for excerpt in wanted {
            if spent.is_beyond_measure() {
                break;
            }
            let runs = Runs::new(excerpt.as_bytes());
            let places: Vec<u32> = runs.starts(text).map(narrow).collect();
            spent.add(0, places.len());
            found.push(places);
        }
        found
    });
    (!spent.is_beyond_measure()).then(|| shares.into_iter().flatten().collect())
}

/// Offsets fit: a prepared text is far shorter.
fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// What all threads have spent so far. They stop early only when their sum is too much, so that
/// how the work was shared decides nothing.
struct Spent {
    budget: Budget,
    work: AtomicUsize,
    found: AtomicUsize,
}

impl Spent {
    const fn new(budget: Budget) -> Self {
        Self {
            budget,
            work: AtomicUsize::new(0),
            found: AtomicUsize::new(0),
        }
    }

    fn add(&self, work: usize, found: usize) {
        self.work.fetch_add(work, Relaxed);
        self.found.fetch_add(found, Relaxed);
    }

    fn is_beyond_measure(&self) -> bool {
        self.work.load(Relaxed) > self.budget.work || self.found.load(Relaxed) > self.budget.found
    }
}

/// What one thread has done since it last added to what all have spent.
#[derive(Default)]
struct Tally {
    work: usize,
    found: usize,
}

impl Tally {
    /// Work after which the others are told.
    const NEWS: usize = 1 << 20;

    fn settle(&mut self, spent: &Spent) {
        spent.add(self.work, self.found);
        *self = Self::default();
    }
}

struct Needle<'e> {
    text: &'e [u8],
    /// Its place among the wanted excerpts.
    index: usize,
    /// Its longest proper beginning that is an excerpt too, as a place among the needles.
    beginning: Option<usize>,
}

/// The excerpts, prepared for a scan.
struct Needles<'e> {
    /// In the order of their bytes.
    sorted: Vec<Needle<'e>>,
    /// The needles that start with each byte.
    by_first: Vec<Range<usize>>,
    filters: Vec<Filter>,
}

impl<'e> Needles<'e> {
    fn new(wanted: &[&'e str]) -> Self {
        let mut sorted: Vec<Needle<'e>> = wanted
            .iter()
            .enumerate()
            .map(|(index, text)| Needle {
                text: text.as_bytes(),
                index,
                beginning: None,
            })
            .collect();
        sorted.sort_unstable_by_key(|needle| needle.text);
        // The excerpts that the one at hand could begin with, shortest first.
        let mut open: Vec<(usize, &[u8])> = Vec::new();
        let mut by_first = vec![0..0; 256];
        for (place, needle) in sorted.iter_mut().enumerate() {
            while open
                .last()
                .is_some_and(|(_, text)| !needle.text.starts_with(text))
            {
                open.pop();
            }
            needle.beginning = open.last().map(|(place, _)| *place);
            open.push((place, needle.text));
            let first = needle.text.first().copied().map(usize::from);
            if let Some(range) = first.and_then(|first| by_first.get_mut(first)) {
                let start = if range.end == 0 { place } else { range.start };
                *range = start..place + 1;
            }
        }
        Self {
            filters: Filter::all(wanted),
            sorted,
            by_first,
        }
    }

    /// Finds what starts in `range`.
    fn scan(&self, text: &[u8], range: Range<usize>, spent: &Spent) -> Found {
        let mut found: Found = vec![Vec::new(); self.sorted.len()];
        let mut tally = Tally::default();
        for at in range {
            let word = word_at(text, at);
            if !self.filters.iter().any(|filter| filter.passes(word)) {
                continue;
            }
            self.look(text, at, &mut found, &mut tally);
            if tally.work > Tally::NEWS {
                tally.settle(spent);
                if spent.is_beyond_measure() {
                    return Found::new();
                }
            }
        }
        tally.settle(spent);
        found
    }

    /// Notes the excerpts that stand at `at`.
    fn look(&self, text: &[u8], at: usize, found: &mut Found, tally: &mut Tally) {
        let rest = text.get(at..).unwrap_or_default();
        let first = rest.first().copied().map(usize::from);
        let Some(range) = first.and_then(|first| self.by_first.get(first)) else {
            return;
        };
        let candidates = self.sorted.get(range.clone()).unwrap_or_default();
        let after = candidates.partition_point(|needle| {
            let (common, order) = compare(needle.text, rest);
            tally.work += common + STEP;
            order != Ordering::Greater
        });
        let mut next = (range.start + after)
            .checked_sub(1)
            .filter(|place| *place >= range.start);
        let Some(last) = next.and_then(|place| self.sorted.get(place)) else {
            return;
        };
        let (common, _) = compare(last.text, rest);
        while let Some(needle) = next.and_then(|place| self.sorted.get(place)) {
            next = needle.beginning;
            tally.work += STEP;
            if needle.text.len() <= common
                && let Some(places) = found.get_mut(needle.index)
            {
                places.push(narrow(at));
                tally.found += 1;
            }
        }
    }
}

/// How many bytes two texts begin with alike, and their order.
fn compare(one: &[u8], other: &[u8]) -> (usize, Ordering) {
    const BLOCK: usize = 16;
    let blocks = one
        .chunks_exact(BLOCK)
        .zip(other.chunks_exact(BLOCK))
        .take_while(|(one, other)| one == other)
        .count();
    let same = blocks * BLOCK;
    let tails = one.iter().zip(other).skip(same);
    let common = same + tails.take_while(|(one, other)| one == other).count();
    (common, one.get(common).cmp(&other.get(common)))
}

/// The eight bytes at `at`, zeros beyond the end.
#[inline]
fn word_at(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    if let Some(bytes) = rest.first_chunk() {
        return u64::from_le_bytes(*bytes);
    }
    let mut bytes = [0; 8];
    for (byte, found) in bytes.iter_mut().zip(rest) {
        *byte = *found;
    }
    u64::from_le_bytes(bytes)
}

/// How the excerpts of one class of lengths begin. It may let other places pass, and holds back
/// none that matters.
struct Filter {
    mask: u64,
    bits: Vec<u64>,
}

impl Filter {
    const BITS: u32 = 18;

    fn all(wanted: &[&str]) -> Vec<Self> {
        // Longest first: the bytes looked at, and the lengths of the class.
        let classes = [(8, 8..usize::MAX), (4, 4..8), (2, 2..4), (1, 1..2)];
        let mut filters = Vec::new();
        for (bytes, lengths) in classes {
            let mut members = wanted.iter().filter(|text| lengths.contains(&text.len()));
            let Some(first) = members.next() else {
                continue;
            };
            let mut filter = Self {
                mask: u64::MAX >> (64 - 8 * bytes),
                bits: vec![0; 1 << (Self::BITS - 6)],
            };
            filter.learn(first);
            members.for_each(|text| filter.learn(text));
            filters.push(filter);
        }
        filters
    }

    fn learn(&mut self, text: &str) {
        let (place, bit) = self.place(word_at(text.as_bytes(), 0));
        if let Some(bits) = self.bits.get_mut(place) {
            *bits |= bit;
        }
    }

    #[inline]
    fn passes(&self, word: u64) -> bool {
        let (place, bit) = self.place(word);
        self.bits.get(place).is_some_and(|bits| bits & bit != 0)
    }

    /// Where the beginning `word` is noted.
    #[inline]
    fn place(&self, word: u64) -> (usize, u64) {
        let mixed = (word & self.mask).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - Self::BITS);
        let place = usize::try_from(mixed >> 6).unwrap_or_default();
        (place, 1 << (mixed & 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(text: &str, excerpt: &str) -> Vec<u32> {
        let places = 0..text.len();
        let stands = |at: &usize| text.as_bytes()[*at..].starts_with(excerpt.as_bytes());
        places
            .filter(stands)
            .map(|at| u32::try_from(at).unwrap())
            .collect()
    }

    fn check(text: &str, wanted: &[&str]) {
        let found = find_all(text.as_bytes(), wanted, 1).unwrap();
        let mut found = found.into_iter();
        for excerpt in wanted {
            let expected = naive(text, excerpt);
            assert_eq!(
                found.next().unwrap_or_default(),
                expected,
                "{excerpt:?} in {text:?}"
            );
        }
    }

    #[test]
    fn beginnings_of_one_another_are_all_found() {
        check(
            "abcabcab",
            &["abc", "a", "abcab", "abd", "b", "bcabcab", "c"],
        );
        check("aaaa", &["aaaaa", "aa", "a", "aaa"]);
        check("", &["a"]);
        check("é😀é", &["é", "😀", "é😀é"]);
    }

    proptest! {
        #[test]
        fn finds_what_a_plain_search_finds(
            text in "[ab é😀]{0,60}",
            wanted in proptest::collection::btree_set("[ab é😀]{1,12}", 0..12),
        ) {
            let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
            check(&text, &wanted);
        }
    }

    #[test]
    fn threads_change_nothing() {
        let numbers: Vec<String> = (0..90_000).map(|n| format!("{} ", n % 977)).collect();
        let text = numbers.concat();
        let wanted = ["1", "12", "976 0 ", "6 97", "no"];
        let alone = find_all(text.as_bytes(), &wanted, 1).unwrap();
        assert!(text.len() > WORTHWHILE * STRETCH);
        assert_eq!(find_all(text.as_bytes(), &wanted, 3).unwrap(), alone);
        assert_eq!(alone.last().unwrap().len(), 0);
        assert!(alone.first().unwrap().len() > 10_000);
    }

    #[test]
    fn what_repeats_beyond_measure_is_refused() {
        let text = "a".repeat(1 << 17);
        let excerpts: Vec<String> = (1..=40).map(|length| "a".repeat(length)).collect();
        let wanted: Vec<&str> = excerpts.iter().map(String::as_str).collect();
        let budget = Budget {
            found: 1 << 22,
            ..BUDGET
        };
        for threads in [1, 2] {
            let refusal = find_within(budget, text.as_bytes(), &wanted, threads).unwrap_err();
            assert_eq!(refusal.code, Code::ExtractionTooLarge);
        }
        let few = wanted.get(..20).unwrap();
        let found = find_within(budget, text.as_bytes(), few, 1).unwrap();
        let counts: Vec<_> = found.iter().map(Vec::len).collect();
        let expected: Vec<_> = (0..20).map(|shorter| (1 << 17) - shorter).collect();
        assert_eq!(counts, expected);
    }

    #[test]
    fn long_excerpts_of_a_repetitive_text_are_found_one_by_one() {
        let text = "- ".repeat(3000);
        let (long, longer) = ("- ".repeat(1000), format!("{}!", "- ".repeat(1000)));
        let wanted = ["- -", long.as_str(), " ", longer.as_str()];
        let expected = find_all(text.as_bytes(), &wanted, 1).unwrap();
        let counts: Vec<_> = expected.iter().map(Vec::len).collect();
        assert_eq!(counts, [2999, 2001, 3000, 0]);
        let budget = |work, read| Budget {
            work,
            read,
            ..BUDGET
        };
        let apart = |budget| find_within(budget, text.as_bytes(), &wanted, 2);
        assert_eq!(apart(budget(1 << 20, 1 << 20)).unwrap(), expected);
        assert!(apart(budget(1 << 20, 1 << 10)).is_err());
        assert!(apart(budget(1 << 10, 1 << 20)).is_err());
    }
}
