//! A walk over canonical text, one token after another, that builds no index.
//!
//! For texts of which little is kept. Whoever walks has read the text strictly, or does so beside:
//! what is no canonical text ends the walk at some point and does no harm.

use crate::json;

/// The walk ended before its text did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended;

/// What was passed, or that the walk ended there.
pub(crate) type Walked<T> = Result<T, Ended>;

/// A place in a text, and how deep containers were nested up to it.
pub(crate) struct Cursor<'t> {
    raw: &'t [u8],
    at: usize,
    depth: usize,
    deepest: usize,
}

impl<'t> Cursor<'t> {
    pub(crate) const fn new(raw: &'t [u8]) -> Self {
        Self {
            raw,
            at: 0,
            depth: 0,
            deepest: 0,
        }
    }

    /// The offset of the next byte.
    pub(crate) const fn offset(&self) -> usize {
        self.at
    }

    /// The most containers that were open at once.
    pub(crate) const fn deepest(&self) -> usize {
        self.deepest
    }

    /// Whether all of the text was walked.
    pub(crate) const fn is_done(&self) -> bool {
        self.at == self.raw.len()
    }

    /// Whether the next byte is `byte`.
    pub(crate) fn is_at(&self, byte: u8) -> bool {
        self.raw.get(self.at) == Some(&byte)
    }

    /// Passes the next value; its text.
    pub(crate) fn value(&mut self) -> Walked<&'t [u8]> {
        let start = self.at;
        self.at = match self.raw.get(start).ok_or(Ended)? {
            b'"' => self.string_end(start)? + 1,
            b'{' | b'[' => self.container_end(start)?,
            _ => json::skip_scalar(self.raw, start),
        };
        self.raw.get(start..self.at).ok_or(Ended)
    }

    /// Passes the next value, whatever it is.
    pub(crate) fn skip(&mut self) -> Walked<()> {
        self.value().map(|_| ())
    }

    /// Passes a string; what stands between its quotes, which names it as well as its characters
    /// do, since canonical text spells each in one way.
    pub(crate) fn string(&mut self) -> Walked<&'t [u8]> {
        if !self.is_at(b'"') {
            return Err(Ended);
        }
        let start = self.at + 1;
        let close = self.string_end(self.at)?;
        self.at = close + 1;
        self.raw.get(start..close).ok_or(Ended)
    }

    /// Passes an object; `each` is given the name of a member and passes its value.
    pub(crate) fn members(
        &mut self,
        mut each: impl FnMut(&mut Self, &'t [u8]) -> Walked<()>,
    ) -> Walked<()> {
        self.open(b'{')?;
        if !self.pass(b'}') {
            loop {
                let name = self.string()?;
                self.expect(b':')?;
                each(self, name)?;
                if !self.pass(b',') {
                    break;
                }
            }
            self.expect(b'}')?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Passes an array; `each` passes an element.
    pub(crate) fn elements(&mut self, mut each: impl FnMut(&mut Self) -> Walked<()>) -> Walked<()> {
        self.open(b'[')?;
        if !self.pass(b']') {
            loop {
                each(self)?;
                if !self.pass(b',') {
                    break;
                }
            }
            self.expect(b']')?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn open(&mut self, bracket: u8) -> Walked<()> {
        self.expect(bracket)?;
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        Ok(())
    }

    fn expect(&mut self, byte: u8) -> Walked<()> {
        self.pass(byte).then_some(()).ok_or(Ended)
    }

    fn pass(&mut self, byte: u8) -> bool {
        let is_next = self.is_at(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Where the string at `open` has its closing quote.
    fn string_end(&self, open: usize) -> Walked<usize> {
        let token = json::string(self.raw, open).map_err(|_| Ended)?;
        Ok(token.close)
    }

    fn container_end(&mut self, open: usize) -> Walked<usize> {
        let mut at = open;
        let mut depth = self.depth;
        loop {
            match self.raw.get(at).ok_or(Ended)? {
                b'"' => at = self.string_end(at)?,
                b'{' | b'[' => {
                    depth += 1;
                    self.deepest = self.deepest.max(depth);
                }
                b'}' | b']' => {
                    depth -= 1;
                    if depth == self.depth {
                        return Ok(at + 1);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::from_utf8;

    #[test]
    fn members_and_elements_come_one_after_another() {
        let text = br#"{"a":[1,{"b":"}\""},[]],"c\n":null}"#;
        let mut seen = Vec::new();
        let mut cursor = Cursor::new(text);
        cursor
            .members(|cursor, name| {
                seen.push(from_utf8(name).unwrap().to_owned());
                if cursor.is_at(b'[') {
                    cursor.elements(|cursor| {
                        seen.push(from_utf8(cursor.value()?).unwrap().to_owned());
                        Ok(())
                    })
                } else {
                    cursor.skip()
                }
            })
            .unwrap();
        assert!(cursor.is_done());
        assert_eq!(seen, ["a", "1", r#"{"b":"}\""}"#, "[]", r"c\n"]);
        assert_eq!(cursor.deepest(), 3);
    }

    #[test]
    fn depth_is_that_of_what_was_passed_as_well() {
        let mut cursor = Cursor::new(b"[[[[]]],[]]");
        cursor.elements(Cursor::skip).unwrap();
        assert_eq!(cursor.deepest(), 4);
    }

    #[test]
    fn what_is_no_canonical_text_ends_the_walk() {
        for text in [
            "",
            "{",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\" :1}",
            "[1",
            "{1:2}",
            "[\"a",
            "}",
        ] {
            let mut cursor = Cursor::new(text.as_bytes());
            let whole = match text.as_bytes().first() {
                Some(b'{') => cursor.members(|cursor, _| cursor.skip()),
                _ => cursor.elements(Cursor::skip),
            };
            assert!(whole.is_err() || !cursor.is_done(), "{text}");
        }
        assert!(Cursor::new(b"[[]").value().is_err());
        assert!(Cursor::new(b"]").string().is_err());
    }
}
