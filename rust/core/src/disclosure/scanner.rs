//! Walks canonical text and holds every string and every name against the rules.
//!
//! Names come again in every record, and the words of a source in all that was made of them.
//! Strings are therefore looked up as they stand in the text, escapes included, before they are
//! decoded and judged.

use super::Disclosure;
use super::clean::Clean;
use super::judge::{SHORTEST, is_refused_name, refusing};
use super::receipt::is_receipt;
use super::rules::{AUTHORIZATION_RULE, NAME_RULE};
use crate::digest::sha256_hex;
use crate::error::{Checked, Code, Path, Refusal};
use crate::json::{self, StringToken};
use crate::limits::DEPTH;
use std::borrow::Cow;

/// Scans the parts of a document, and remembers from one to the next what it found clean.
pub struct Scanner {
    /// Names that no rule refuses, neither as a name nor as a text.
    names: Clean,
    /// Texts that no rule refuses.
    texts: Clean,
}

/// A document has few names. Of its texts those come again soon that come again often, and a longer
/// memory, which no cache of a processor holds, is asked as slowly as a text is judged.
const NAME_PAIRS: usize = 1 << 10;
const NAME_ROOM: usize = 1 << 16;
const LONGEST_NAME: usize = 1 << 8;
const TEXT_PAIRS: usize = 1 << 12;
const TEXT_ROOM: usize = 1 << 19;
const LONGEST_TEXT: usize = 1 << 12;

impl Default for Scanner {
    /// A scanner for texts of any size.
    fn default() -> Self {
        Self::new(usize::MAX)
    }
}

impl Scanner {
    /// A scanner for texts of about `bytes` together; it slows down when there are many more.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        // A pair for every two strings; with what stands around them, few take less than 16 bytes.
        const STRING: usize = 32;
        const FEWEST: usize = 64;
        let pairs = |most: usize| (bytes / STRING).clamp(FEWEST, most);
        Self {
            names: Clean::new(pairs(NAME_PAIRS), NAME_ROOM, LONGEST_NAME),
            texts: Clean::new(pairs(TEXT_PAIRS), TEXT_ROOM, LONGEST_TEXT),
        }
    }

    /// One that remembers next to nothing.
    #[cfg(test)]
    pub(super) fn forgetful() -> Self {
        Self {
            names: Clean::new(1, 16, 12),
            texts: Clean::new(2, 32, 24),
        }
    }

    /// The first `most` disclosures of a canonical text, in its order. What was scanned before
    /// changes how long that takes and nothing else.
    ///
    /// # Errors
    ///
    /// What is no JSON or has white space between tokens, as far as it is read. Whether the text
    /// is canonical in other respects is not looked at.
    pub fn scan(&mut self, text: &[u8], most: usize) -> Checked<Vec<Disclosure>> {
        let text = std::str::from_utf8(text).map_err(|fault| {
            let at = fault.valid_up_to();
            Refusal::in_text(Code::JsonEncoding, at, "these bytes are not UTF-8")
        })?;
        let mut scan = Scan {
            text,
            memory: self,
            found: Vec::new(),
            most,
        };
        match scan.document() {
            Ok(()) | Err(Stop::Enough) => Ok(scan.found),
            Err(Stop::Refused(refusal)) => Err(refusal),
        }
    }
}

/// Why a walk ends before the text does.
enum Stop {
    /// As much was found as was asked for.
    Enough,
    Refused(Box<Refusal>),
}

impl From<Box<Refusal>> for Stop {
    fn from(refusal: Box<Refusal>) -> Self {
        Self::Refused(refusal)
    }
}

type Walked<T> = Result<T, Stop>;

struct Scan<'t, 's> {
    text: &'t str,
    memory: &'s mut Scanner,
    found: Vec<Disclosure>,
    most: usize,
}

impl<'t> Scan<'t, '_> {
    const fn raw(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    fn unexpected<T>(&self, at: usize, expected: &'static str) -> Walked<T> {
        Err(json::unexpected(self.raw(), at, expected).into())
    }

    fn document(&mut self) -> Walked<()> {
        let end = self.value(0, &Path::Root, DEPTH)?;
        if end < self.text.len() {
            return self.unexpected(end, "the end of the document");
        }
        Ok(())
    }

    /// Scans the value at `at`, around which `depth` more may be nested, and returns its end.
    fn value(&mut self, at: usize, place: &Path<'_>, depth: usize) -> Walked<usize> {
        match self.raw().get(at) {
            Some(b'"') => {
                let token = json::string(self.raw(), at)?;
                self.string(at + 1, token, place)?;
                Ok(token.close + 1)
            }
            Some(b'{' | b'[') if depth == 0 => {
                let message = "more than 128 nested arrays and objects";
                Err(Refusal::in_text(Code::JsonDepth, at, message).into())
            }
            Some(b'{') => self.object(at + 1, place, depth - 1),
            Some(b'[') => self.array(at + 1, place, depth - 1),
            Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => Ok(json::skip_scalar(self.raw(), at)),
            _ => self.unexpected(at, "a value"),
        }
    }

    fn array(&mut self, mut at: usize, place: &Path<'_>, depth: usize) -> Walked<usize> {
        if self.raw().get(at) == Some(&b']') {
            return Ok(at + 1);
        }
        for index in 0.. {
            at = self.value(at, &place.index(index), depth)?;
            match self.raw().get(at) {
                Some(b',') => at += 1,
                Some(b']') => break,
                _ => return self.unexpected(at, "a comma or the end of the array"),
            }
        }
        Ok(at + 1)
    }

    fn object(&mut self, mut at: usize, place: &Path<'_>, depth: usize) -> Walked<usize> {
        if self.raw().get(at) == Some(&b'}') {
            return Ok(at + 1);
        }
        loop {
            if self.raw().get(at) != Some(&b'"') {
                return self.unexpected(at, "the name of a member");
            }
            let token = json::string(self.raw(), at)?;
            if self.raw().get(token.close + 1) != Some(&b':') {
                return self.unexpected(token.close + 1, "a colon");
            }
            let name = self.decoded(at + 1, token);
            self.name(at + 1, token, &name, place)?;
            at = self.value(token.close + 2, &place.name(&name), depth)?;
            match self.raw().get(at) {
                Some(b',') => at += 1,
                Some(b'}') => return Ok(at + 1),
                _ => return self.unexpected(at, "a comma or the end of the object"),
            }
        }
    }

    /// The name of a member, whose string starts at `start`, before its value.
    fn name(
        &mut self,
        start: usize,
        token: StringToken,
        name: &str,
        place: &Path<'_>,
    ) -> Walked<()> {
        let known = self.memory.names.hashed(self.between(start, token));
        if known.is_some_and(|one| self.memory.names.holds(one)) {
            return Ok(());
        }
        let before = self.found.len();
        let says_more_than_itself = name.eq_ignore_ascii_case("authorization");
        if says_more_than_itself {
            if !is_receipt(self.text, token.close + 2)? {
                self.add(AUTHORIZATION_RULE, name, place, true)?;
            }
        } else if is_refused_name(name) {
            self.add(NAME_RULE, name, place, true)?;
        }
        self.judge(name, place, true)?;
        if let Some(one) = known
            && self.found.len() == before
            && !says_more_than_itself
        {
            self.memory.names.keep(one);
        }
        Ok(())
    }

    /// A value that is a string, which starts at `start`.
    fn string(&mut self, start: usize, token: StringToken, place: &Path<'_>) -> Walked<()> {
        let raw = self.between(start, token);
        if raw.len() < SHORTEST {
            return Ok(());
        }
        let known = self.memory.texts.hashed(raw);
        if known.is_some_and(|one| self.memory.texts.holds(one)) {
            return Ok(());
        }
        let before = self.found.len();
        self.judge(&self.decoded(start, token), place, false)?;
        if let Some(one) = known
            && self.found.len() == before
        {
            self.memory.texts.keep(one);
        }
        Ok(())
    }

    fn judge(&mut self, text: &str, place: &Path<'_>, is_name: bool) -> Walked<()> {
        let mut rules = Vec::new();
        refusing(text, |rule| rules.push(rule));
        rules
            .into_iter()
            .try_for_each(|rule| self.add(rule, text, place, is_name))
    }

    fn add(
        &mut self,
        rule: &'static str,
        text: &str,
        place: &Path<'_>,
        is_name: bool,
    ) -> Walked<()> {
        if self.found.len() < self.most {
            self.found.push(Disclosure {
                rule,
                pointer: place.pointer(),
                is_name,
                sha256: sha256_hex([text.as_bytes()]),
            });
        }
        if self.found.len() < self.most {
            Ok(())
        } else {
            Err(Stop::Enough)
        }
    }

    /// A string as it stands between its quotes.
    fn between(&self, start: usize, token: StringToken) -> &'t [u8] {
        self.raw().get(start..token.close).unwrap_or_default()
    }

    fn decoded(&self, start: usize, token: StringToken) -> Cow<'t, str> {
        if token.escaped {
            Cow::Owned(json::decode(self.raw(), start, token.close))
        } else {
            Cow::Borrowed(self.text.get(start..token.close).unwrap_or_default())
        }
    }
}
