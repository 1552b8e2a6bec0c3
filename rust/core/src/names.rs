//! Comparing two sets of names both ways, repeats included.

use crate::order;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Compares two names by UTF-16 code unit.
#[must_use]
pub fn by_code_unit(left: &str, right: &str) -> Ordering {
    order::utf16(left.as_bytes(), right.as_bytes())
}

/// How two lists of names differ as sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// In the right list, not in the left; in the order of the right.
    pub missing: Vec<String>,
    /// In the left list, not in the right; each once, in the order of the left.
    pub unexpected: Vec<String>,
    /// Named by the left list more than once; each once, in the order of the second mention.
    pub repeated: Vec<String>,
}

/// Compares `left` with `right`. A check that walks only one of them cannot see what the other
/// has lost.
pub fn compare<'n>(left: &[&'n str], right: &[&'n str]) -> Difference {
    let mut known: BTreeSet<&str> = right.iter().copied().collect();
    let present: BTreeSet<&str> = left.iter().copied().collect();
    let owned = |names: &mut dyn Iterator<Item = &'n str>| names.map(str::to_owned).collect();
    Difference {
        missing: owned(&mut right.iter().copied().filter(|name| !present.contains(name))),
        unexpected: owned(&mut left.iter().copied().filter(|name| known.insert(name))),
        repeated: repeated(left.iter().copied())
            .into_iter()
            .map(str::to_owned)
            .collect(),
    }
}

/// Sorts names by UTF-16 code unit.
pub fn sort(names: &mut [String]) {
    names.sort_by(|left, right| crate::order::utf16(left.as_bytes(), right.as_bytes()));
}

/// Names that occur more than once, each once, in the order of their second mention.
pub(crate) fn repeated<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut seen = BTreeSet::new();
    let mut told = BTreeSet::new();
    names
        .filter(|name| !seen.insert(*name) && told.insert(*name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_and_repeats() {
        let difference = compare(&["a", "b", "b", "x", "b", "x"], &["a", "b", "c"]);
        assert_eq!(difference.missing, ["c"]);
        assert_eq!(difference.unexpected, ["x"]);
        assert_eq!(difference.repeated, ["b", "x"]);
        assert_eq!(compare(&["a"], &["a"]), Difference::default());
    }
}
