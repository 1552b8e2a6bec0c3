//! Text made comparable, its words, and which of them stand under a negation.

use crate::characters::{is_letter_or_number, is_wordly, nfkc};
use crate::text::is_blank;
use std::ops::Range;

/// How many words after a negation it is taken to reach.
const REACH: usize = 3;
const NEGATIONS: [&str; 6] = ["not", "no", "never", "without", "cannot", "nor"];

/// `text` in compatibility form and lower case, with one kind of minus.
pub(super) fn folded(text: &str) -> String {
    let mut text = nfkc(text).to_lowercase();
    if text.contains('\u{2212}') {
        text = text.replace('\u{2212}', "-");
    }
    text
}

/// Folded text in which a contracted negation is a word, and an abbreviated "number" is none.
pub(super) struct Prepared {
    pub(super) text: String,
    /// Where the folded text goes on after each rewrite, there and here.
    joints: Vec<(usize, usize)>,
}

impl Prepared {
    pub(super) fn of(text: &str) -> Self {
        Self::from_folded(&folded(text))
    }

    pub(super) fn from_folded(folded: &str) -> Self {
        let mut text = String::with_capacity(folded.len());
        let mut joints = Vec::new();
        let mut copied = 0;
        for at in memchr::memchr_iter(b'n', folded.as_bytes()) {
            let Some((length, word)) = rewrite(folded, at) else {
                continue;
            };
            text.push_str(folded.get(copied..at).unwrap_or_default());
            text.push_str(word);
            copied = at + length;
            joints.push((copied, text.len()));
        }
        text.push_str(folded.get(copied..).unwrap_or_default());
        Self { text, joints }
    }

    /// Where an offset of the folded text stands in this one.
    pub(super) fn place(&self, folded: usize) -> usize {
        let after = self.joints.partition_point(|(there, _)| *there <= folded);
        match after.checked_sub(1).and_then(|last| self.joints.get(last)) {
            Some((there, here)) => here + (folded - there),
            None => folded,
        }
    }

    pub(super) fn words(&self) -> Words<'_> {
        Words::of(&self.text)
    }
}

/// The length of what stands at `at` and the word it is read as, where that differs.
fn rewrite(folded: &str, at: usize) -> Option<(usize, &'static str)> {
    let rest = folded.get(at..)?;
    for contraction in ["n't", "n\u{2019}t"] {
        if let Some(after) = rest.strip_prefix(contraction)
            && !after.starts_with(is_letter_or_number)
        {
            return Some((contraction.len(), " not"));
        }
    }
    let after = rest.strip_prefix("no")?.strip_prefix(['.', ':'])?;
    let number = after.trim_start_matches(is_blank);
    let is_word = !folded.get(..at)?.ends_with(is_letter_or_number);
    (is_word && number.starts_with(|c: char| c.is_ascii_digit()))
        .then(|| (rest.len() - number.len(), " number "))
}

/// The words of a prepared text, in order.
pub(super) struct Words<'p> {
    pub(super) texts: Vec<&'p str>,
    ends: Vec<usize>,
    /// How many negations stand before each word, and in all.
    negations: Vec<usize>,
}

impl<'p> Words<'p> {
    fn of(text: &'p str) -> Self {
        let mut words = Self {
            texts: Vec::new(),
            ends: Vec::new(),
            negations: vec![0],
        };
        let mut start = None;
        for (at, c) in text.char_indices() {
            match (start, is_wordly(c)) {
                (None, true) => start = Some(at),
                (Some(first), false) => {
                    words.push(text, first..at);
                    start = None;
                }
                _ => {}
            }
        }
        if let Some(first) = start {
            words.push(text, first..text.len());
        }
        words
    }

    fn push(&mut self, text: &'p str, range: Range<usize>) {
        self.ends.push(range.end);
        let word = text.get(range).unwrap_or_default();
        self.texts.push(word);
        let before = self.negations.last().copied().unwrap_or_default();
        self.negations
            .push(before + usize::from(NEGATIONS.contains(&word)));
    }

    /// Whether one of the words just before word `index` negates it.
    pub(super) fn is_negated(&self, index: usize) -> bool {
        let count = |at: usize| self.negations.get(at).copied();
        count(index.saturating_sub(REACH)) < count(index)
    }

    /// The index of the word that holds the character at `place`, or of the next one.
    pub(super) fn at(&self, place: usize) -> usize {
        self.ends.partition_point(|end| *end <= place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contractions_and_abbreviations_become_words() {
        for (text, expected) in [
            ("Don't", "do not"),
            ("can\u{2019}t stay", "ca not stay"),
            ("n'ts", "n'ts"),
            ("Ticket No. 5", "ticket  number 5"),
            ("No: 5", " number 5"),
            ("no.\u{a0}\u{3000}5", " number 5"),
            ("no. five", "no. five"),
            ("piano. 5", "piano. 5"),
            ("\u{2212}3 ﬁ Ⅷ", "-3 fi viii"),
        ] {
            assert_eq!(Prepared::of(text).text, expected, "{text}");
        }
    }

    #[test]
    fn places_follow_the_rewrites() {
        let folded = "isn't no. 5, aren't 6";
        let prepared = Prepared::from_folded(folded);
        for digit in ["5", "6"] {
            let place = prepared.place(folded.find(digit).unwrap());
            assert!(prepared.text.get(place..).unwrap().starts_with(digit));
        }
        assert_eq!(prepared.place(1), 1);
    }

    #[test]
    fn a_negation_reaches_three_words() {
        let prepared = Prepared::of("not a b c d");
        let words = prepared.words();
        let negated: Vec<_> = (0..5).map(|index| words.is_negated(index)).collect();
        assert_eq!(negated, [false, true, true, true, false]);
    }
}
