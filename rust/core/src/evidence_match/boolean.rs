//! Yes or no in the words of an excerpt.

use super::InExcerpt;
use super::words::Prepared;

/// Compares a truth value with its excerpt.
pub(super) fn compare(value: bool, excerpt: &str) -> InExcerpt {
    let excerpt = Prepared::of(excerpt);
    let words = excerpt.words();
    let (mut same, mut other, mut negated) = (false, false, false);
    for (index, word) in words.texts.iter().enumerate() {
        let says = match *word {
            "yes" | "true" => true,
            "no" | "false" => false,
            _ => continue,
        };
        same |= says == value;
        other |= says != value;
        negated |= words.is_negated(index);
    }
    match (same, other) {
        (true, false) if !negated => InExcerpt::Match,
        (false, true) if !negated => InExcerpt::Mismatch,
        _ => InExcerpt::NotEvaluated,
    }
}
