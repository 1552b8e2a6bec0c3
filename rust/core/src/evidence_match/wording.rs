//! A text in the words of its excerpt.

use super::InExcerpt;
use super::words::Prepared;
use crate::characters::is_wordly;
use crate::runs::Runs;

/// Compares a text with its excerpt.
pub(super) fn compare(value: &str, excerpt: &str) -> InExcerpt {
    let (value, excerpt) = (Prepared::of(value), Prepared::of(excerpt));
    let wanted = value.words().texts;
    if wanted.is_empty() {
        return InExcerpt::NotEvaluated;
    }
    let words = excerpt.words();
    let runs = Runs::new(&wanted);
    let mut hits = runs.starts(&words.texts).peekable();
    if hits.peek().is_none() {
        return InExcerpt::Mismatch;
    }
    if hits.any(|index| words.is_negated(index)) {
        return InExcerpt::NotEvaluated;
    }
    let stands = meaningful(&excerpt.text).contains(&meaningful(&value.text));
    if stands || is_phone(&value.text) {
        InExcerpt::Match
    } else {
        InExcerpt::NotEvaluated
    }
}

/// What is left of a text when only characters that change its meaning stay; every part stands
/// between two spaces.
fn meaningful(text: &str) -> String {
    let is_sign = |c: char| matches!(c, '+' | '-' | '#' | '%');
    let is_near = |c: Option<char>| c.is_some_and(|c| is_sign(c) || is_wordly(c));
    let is_word = |c: Option<char>| c.is_some_and(is_wordly);
    let mut kept = String::with_capacity(text.len() + 2);
    kept.push(' ');
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied();
        let stays = is_wordly(c)
            || (is_sign(c) && (is_near(before) || is_near(after)))
            || (matches!(c, '.' | ',') && is_word(before) && is_word(after));
        if stays {
            kept.push(c);
        } else if !kept.ends_with(' ') {
            kept.push(' ');
        }
        before = Some(c);
    }
    if !kept.ends_with(' ') {
        kept.push(' ');
    }
    kept
}

/// Whether a text is written like a telephone number, whose punctuation says nothing.
fn is_phone(text: &str) -> bool {
    let text = text.trim_matches(crate::text::is_blank);
    let is_digit = |c: char| c.is_ascii_digit();
    let well_formed = text.chars().all(|c| {
        is_digit(c) || crate::text::is_blank(c) || matches!(c, '(' | ')' | '.' | '-' | '/')
    });
    let groups = text.split(|c| !is_digit(c)).filter(|run| !run.is_empty());
    well_formed
        && !text.starts_with('-')
        && groups.count() >= 3
        && text.chars().filter(|c| is_digit(*c)).count() >= 7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_stay_where_they_belong_to_a_word() {
        for (text, expected) in [
            ("c++.", " c++ "),
            ("a - b", " a b "),
            ("1,234.5, x", " 1,234.5 x "),
            ("-- #1 50%", " -- #1 50% "),
            ("...", " "),
            ("", " "),
        ] {
            assert_eq!(meaningful(text), expected);
        }
    }

    #[test]
    fn phone_numbers_have_three_groups_and_seven_digits() {
        for (text, expected) in [
            ("303.555.1234", true),
            (" (303) 555-1234 ", true),
            ("-303.555.1234", false),
            ("303-5551234", false),
            ("1.2.3456", false),
            ("1.2.34567", true),
            ("303.555.1234x", false),
        ] {
            assert_eq!(is_phone(text), expected, "{text}");
        }
    }
}
