//! A run of things found in a longer one, overlapping finds included, in time linear in both
//! whatever they hold.

pub(crate) struct Runs<'w, T> {
    wanted: &'w [T],
    /// For each length of a beginning of the run, from 1: its longest border.
    borders: Vec<usize>,
}

impl<'w, T: PartialEq> Runs<'w, T> {
    /// Prepares for finding `wanted`, which is not empty.
    pub(crate) fn new(wanted: &'w [T]) -> Self {
        let mut borders = Vec::with_capacity(wanted.len());
        borders.push(0);
        let mut runs = Self { wanted, borders };
        let mut matched = 0;
        for thing in wanted.iter().skip(1) {
            matched = runs.step(matched, thing);
            runs.borders.push(matched);
        }
        runs
    }

    /// How much of the run ends with `thing`, when `matched` of it ended just before.
    #[inline]
    fn step(&self, mut matched: usize, thing: &T) -> usize {
        loop {
            if self.wanted.get(matched) == Some(thing) {
                return matched + 1;
            }
            let Some(last) = matched.checked_sub(1) else {
                return 0;
            };
            matched = self.borders.get(last).copied().unwrap_or_default();
        }
    }

    /// Where each find starts in `things`.
    pub(crate) fn starts<'h>(&'h self, things: &'h [T]) -> impl Iterator<Item = usize> + 'h {
        let mut matched = 0;
        things.iter().enumerate().filter_map(move |(index, thing)| {
            matched = self.step(matched, thing);
            (matched == self.wanted.len()).then(|| index + 1 - matched)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn overlapping_runs_are_all_found() {
        let find = |wanted: &str, text: &str| -> Vec<usize> {
            Runs::new(wanted.as_bytes())
                .starts(text.as_bytes())
                .collect()
        };
        assert_eq!(find("aa", "aaabaa"), [0, 1, 4]);
        assert_eq!(find("aba", "ababa"), [0, 2]);
        assert!(find("a", "").is_empty());
    }

    proptest! {
        #[test]
        fn finds_what_a_plain_search_finds(wanted in "[ab]{1,6}", text in "[ab]{0,40}") {
            let (wanted, text) = (wanted.as_bytes(), text.as_bytes());
            let expected: Vec<usize> =
                (0..text.len()).filter(|at| text[*at..].starts_with(wanted)).collect();
            let found: Vec<usize> = Runs::new(wanted).starts(text).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
