//! Classes of characters and the compatibility form, as Unicode defines them. Both tables are
//! compiled in, so that one build gives one answer everywhere.

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use std::borrow::Cow;

const LETTER_OR_NUMBER: GeneralCategoryGroup =
    GeneralCategoryGroup::Letter.union(GeneralCategoryGroup::Number);
const WORDLY: GeneralCategoryGroup = LETTER_OR_NUMBER.union(GeneralCategoryGroup::Mark);

/// Whether `c` is of category L or N.
pub(crate) fn is_letter_or_number(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    LETTER_OR_NUMBER.contains(CodePointMapData::<GeneralCategory>::new().get(c))
}

/// Whether `c` is of category L, M or N: what words are made of.
pub(crate) fn is_wordly(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    WORDLY.contains(CodePointMapData::<GeneralCategory>::new().get(c))
}

/// `text` in normalisation form KC.
pub(crate) fn nfkc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    ComposingNormalizerBorrowed::new_nfkc().normalize(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_unicode_16_at_least() {
        for c in ['a', 'é', '٣', 'Ⅷ', '½', '漢', '\u{1C89}', '\u{10D4A}'] {
            assert!(is_letter_or_number(c) && is_wordly(c), "{c:?}");
        }
        for c in ['\u{301}', '\u{20E3}'] {
            assert!(!is_letter_or_number(c) && is_wordly(c), "{c:?}");
        }
        for c in ['_', '-', '\u{2019}', '😀', '\u{378}', ' ', '€', 'Ⓐ'] {
            assert!(!is_wordly(c), "{c:?}");
        }
    }

    #[test]
    fn compatibility_characters_are_spelled_out() {
        assert_eq!(nfkc("ﬁ Ⅷ １２\u{a0}e\u{301}"), "fi VIII 12 é");
        assert_eq!(nfkc("plain"), "plain");
    }
}
