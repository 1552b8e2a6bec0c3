//! Calendar days in an excerpt.

use super::InExcerpt;
use super::words::folded;
use crate::characters::is_letter_or_number;
use crate::text::is_blank;

const MONTHS: [&[&str]; 12] = [
    &["january", "jan"],
    &["february", "feb"],
    &["march", "mar"],
    &["april", "apr"],
    &["may"],
    &["june", "jun"],
    &["july", "jul"],
    &["august", "aug"],
    &["september", "sep", "sept"],
    &["october", "oct"],
    &["november", "nov"],
    &["december", "dec"],
];

/// Year, month and day.
type Day = (u32, u32, u32);

/// Compares a date with its excerpt.
pub(super) fn compare(value: &str, excerpt: &str) -> InExcerpt {
    let Some((day, "")) = iso_day(value) else {
        return InExcerpt::NotEvaluated;
    };
    let mut verdict = InExcerpt::NotEvaluated;
    for found in days(&folded(excerpt)) {
        if found == day {
            return InExcerpt::Match;
        }
        verdict = InExcerpt::Mismatch;
    }
    verdict
}

/// Every day that a folded text names.
fn days(text: &str) -> impl Iterator<Item = Day> {
    let mut before = None;
    text.char_indices().filter_map(move |(at, c)| {
        let touches = before.is_some_and(is_letter_or_number);
        before = Some(c);
        if touches || !c.is_ascii_alphanumeric() {
            return None;
        }
        let rest = text.get(at..)?;
        let readers = [iso_day, day_month_year, month_day_year];
        let mut found = readers.iter().filter_map(|read| read(rest));
        found
            .find(|(_, after)| !after.starts_with(is_letter_or_number))
            .map(|(day, _)| day)
    })
}

/// `YYYY-MM-DD`, and what follows it.
pub(super) fn iso_day(text: &str) -> Option<(Day, &str)> {
    let (year, rest) = digits(text, 4, 4)?;
    let (month, rest) = digits(rest.strip_prefix('-')?, 2, 2)?;
    let (day, rest) = digits(rest.strip_prefix('-')?, 2, 2)?;
    is_real(year, month, day).then_some(((year, month, day), rest))
}

/// `9 June 2026` and its like.
fn day_month_year(text: &str) -> Option<(Day, &str)> {
    let (day, rest) = ordinal(text)?;
    let (month, rest) = month(blanks(rest)?)?;
    let (year, rest) = digits(separator(rest)?, 4, 4)?;
    is_real(year, month, day).then_some(((year, month, day), rest))
}

/// `June 9, 2026` and its like.
fn month_day_year(text: &str) -> Option<(Day, &str)> {
    let (month, rest) = month(text)?;
    let (day, rest) = ordinal(blanks(rest)?)?;
    let (year, rest) = digits(separator(rest)?, 4, 4)?;
    is_real(year, month, day).then_some(((year, month, day), rest))
}

/// A month by its name or abbreviation, with an optional point.
fn month(text: &str) -> Option<(u32, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_lowercase).count();
    let (name, rest) = text.split_at_checked(length)?;
    let place = MONTHS.iter().position(|names| names.contains(&name))?;
    let month = u32::try_from(place + 1).ok()?;
    Some((month, rest.strip_prefix('.').unwrap_or(rest)))
}

/// One or two digits with an optional ordinal suffix.
fn ordinal(text: &str) -> Option<(u32, &str)> {
    let (day, rest) = digits(text, 1, 2)?;
    let suffix = ["st", "nd", "rd", "th"];
    let after = suffix.iter().find_map(|suffix| rest.strip_prefix(suffix));
    Some((day, after.unwrap_or(rest)))
}

/// The number of a run of `least` to `most` digits, and what follows the run.
pub(super) fn digits(text: &str, least: usize, most: usize) -> Option<(u32, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    if !(least..=most).contains(&length) {
        return None;
    }
    let (run, rest) = text.split_at_checked(length)?;
    Some((run.parse().ok()?, rest))
}

/// What follows at least one blank.
fn blanks(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(is_blank);
    (rest.len() < text.len()).then_some(rest)
}

/// What follows a comma, blanks or both.
fn separator(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(is_blank);
    match rest.strip_prefix(',') {
        Some(rest) => Some(rest.trim_start_matches(is_blank)),
        None => (rest.len() < text.len()).then_some(rest),
    }
}

/// Whether the calendar has that day.
pub(super) fn is_real(year: u32, month: u32, day: u32) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let last = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=last).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<Day> {
        days(&folded(text)).collect()
    }

    #[test]
    fn days_are_read_in_three_forms() {
        for text in [
            "2026-06-09",
            "June 9, 2026",
            "9 June 2026",
            "Jun. 9th 2026",
            "9th  jun.,2026",
            "JUNE 9,2026.",
            "(9 June 2026)",
        ] {
            assert_eq!(found(text), [(2026, 6, 9)], "{text}");
        }
        assert_eq!(found("1 Sept 2026 and 2 Sep 2026").len(), 2);
    }

    #[test]
    fn what_touches_a_day_hides_it() {
        for text in [
            "12026-06-09",
            "2026-06-091",
            "2026-06-09t10:00",
            "x9 June 2026",
            "9 June 20261",
            "9June 2026",
            "June 92026",
            "30 February 2026",
            "9 Juneau 2026",
            "09/06/2026",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn century_years_leap_every_fourth() {
        assert!(is_real(2000, 2, 29) && is_real(2024, 2, 29));
        assert!(!is_real(1900, 2, 29) && !is_real(2026, 2, 29) && !is_real(2026, 13, 1));
        assert!(!is_real(2026, 4, 31) && !is_real(2026, 1, 0));
    }
}
