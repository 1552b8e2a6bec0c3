//! Which occurrence of its excerpt each proposal means.

use std::collections::BTreeMap;
use std::ops::Range;

/// One proposal's claim on an occurrence.
pub(super) struct Claim {
    /// The occurrences its provider saw, by index among all.
    pub(super) visible: Range<usize>,
    /// The one its provider named, from 1 among the visible.
    pub(super) hint: Option<usize>,
}

/// The occurrence taken for a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// Its index among all occurrences.
    pub(super) index: usize,
    /// Whether the provider named it.
    pub(super) by_hint: bool,
}

/// The occurrences taken so far by proposals of the same field, value and excerpt.
#[derive(Default)]
pub(super) struct Taken {
    /// For a taken index: one from which to look for the next that is free.
    next: BTreeMap<usize, usize>,
}

impl Taken {
    /// Takes the occurrence a claim names, else the first visible one that is free, else the
    /// last visible one. `None` where it sees none.
    pub(super) fn choose(&mut self, claim: &Claim) -> Option<Choice> {
        let visible = &claim.visible;
        let last = visible.end.checked_sub(1).filter(|_| !visible.is_empty())?;
        let named = claim.hint.filter(|hint| *hint <= visible.len());
        let named = named.and_then(|hint| hint.checked_sub(1));
        let choice = match named {
            Some(place) => Choice {
                index: visible.start + place,
                by_hint: true,
            },
            None => Choice {
                index: self.free(visible.start).min(last),
                by_hint: false,
            },
        };
        self.next.entry(choice.index).or_insert(choice.index + 1);
        Some(choice)
    }

    /// The first free index from `start`; every index passed on the way leads there afterwards.
    fn free(&mut self, start: usize) -> usize {
        let mut free = start;
        while let Some(next) = self.next.get(&free) {
            free = *next;
        }
        let mut at = start;
        while let Some(next) = self.next.get_mut(&at) {
            at = std::mem::replace(next, free);
        }
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn naive(used: &mut BTreeSet<usize>, claim: &Claim) -> Option<Choice> {
        let visible: Vec<usize> = claim.visible.clone().collect();
        let last = *visible.last()?;
        let hinted = claim
            .hint
            .and_then(|hint| visible.get(hint.checked_sub(1)?));
        let index = hinted.copied().unwrap_or_else(|| {
            let free = visible.iter().find(|index| !used.contains(index));
            free.copied().unwrap_or(last)
        });
        used.insert(index);
        Some(Choice {
            index,
            by_hint: hinted.is_some(),
        })
    }

    proptest! {
        #[test]
        fn chooses_like_a_plain_walk(
            claims in proptest::collection::vec((0..12_usize, 0..6_usize, 0..9_usize), 0..30),
        ) {
            let (mut taken, mut used) = (Taken::default(), BTreeSet::new());
            for (start, length, hint) in claims {
                let claim = Claim {
                    visible: start..start + length,
                    hint: (hint < 8).then_some(hint),
                };
                prop_assert_eq!(taken.choose(&claim), naive(&mut used, &claim));
            }
        }
    }

    #[test]
    fn many_claims_on_many_occurrences_cost_little_each() {
        let mut taken = Taken::default();
        for index in 0..100_000 {
            let claim = Claim {
                visible: 0..100_000,
                hint: None,
            };
            assert_eq!(taken.choose(&claim).unwrap().index, index);
        }
        let claim = Claim {
            visible: 0..100_000,
            hint: None,
        };
        assert_eq!(taken.choose(&claim).unwrap().index, 99_999);
    }
}
