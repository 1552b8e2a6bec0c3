//! The canonical writer: one pass over the input.
//!
//! It keeps a *run*: a stretch of the input that is canonical as it stands and has not been
//! copied yet. White space, an escape that canonical text spells otherwise, or members out of
//! order end the run; a text that is already canonical is therefore never copied at all.
//! Members are put in order when their object closes, which moves only objects that need it.

use crate::canonical::Rules;
use crate::document::Profile;
use crate::error::{Checked, Code, Refusal};
use crate::parallel::{self, Chunk, Deferred};
use crate::{json, limits, number, order};
use std::borrow::Cow;
use std::cmp::Ordering;

/// A member name: a range of the input, or of the arena of decoded names.
#[derive(Clone, Copy)]
struct Name {
    /// Whether the range lies in the arena of decoded names instead of the input.
    decoded: bool,
    start: usize,
    end: usize,
}

#[derive(Clone, Copy)]
struct Member {
    name: Name,
    /// Input offset of the name's opening quote.
    source: usize,
    /// Range of the whole member in the output.
    start: usize,
    end: usize,
}

pub(crate) struct Writer<'a> {
    raw: &'a [u8],
    rules: Rules,
    /// Next input byte.
    at: usize,
    /// Start of the run: input that is canonical as it stands and not yet copied.
    run: usize,
    out: Vec<u8>,
    /// Members of every open object, innermost last.
    members: Vec<Member>,
    /// Decoded text of names written with escapes.
    names: Vec<u8>,
    scratch: Vec<u8>,
    depth: usize,
    /// Whether one large array may be left to other threads.
    pub(crate) may_defer: bool,
    pub(crate) deferred: Option<Deferred>,
}

/// How a walk over array elements ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// At the closing bracket, which has been read.
    Closed,
    /// At the element where the next chunk starts.
    Met,
    /// Beyond it: that place is not the start of an element of this array.
    Missed,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(raw: &'a [u8], rules: Rules) -> Self {
        Self {
            raw,
            rules,
            at: 0,
            run: 0,
            out: Vec::new(),
            members: Vec::new(),
            names: Vec::new(),
            scratch: Vec::new(),
            depth: 0,
            may_defer: false,
            deferred: None,
        }
    }

    /// Reads the whole input as one document.
    pub(crate) fn document(&mut self) -> Checked<Cow<'a, [u8]>> {
        self.skip_space();
        self.value()?;
        let end = self.at;
        let rest = json::skip_space(self.raw, end);
        if rest != self.raw.len() {
            return Err(json::unexpected(self.raw, rest, "the end of the document"));
        }
        if self.out.is_empty() {
            return Ok(Cow::Borrowed(
                self.raw.get(self.run..end).unwrap_or_default(),
            ));
        }
        self.flush();
        Ok(Cow::Owned(std::mem::take(&mut self.out)))
    }

    /// Reads elements of an array `depth` containers deep, from `start` to the element at
    /// `meet`. Says how that ended and hands out the canonical text.
    pub(crate) fn chunk(&mut self, start: usize, depth: usize, meet: usize) -> Option<Chunk<'_>> {
        self.out.clear();
        self.at = start;
        self.run = start;
        self.depth = depth;
        let mut count = 0;
        if self.elements(Some(meet), &mut count) != Ok(Stop::Met) {
            return None;
        }
        if self.out.is_empty() {
            return Some(Chunk::Source(self.run..self.at));
        }
        self.flush();
        Some(Chunk::Written(&self.out))
    }

    /// Takes the text of the last chunk, leaving `buffer` to write the next one into.
    pub(crate) fn take_text(&mut self, buffer: Vec<u8>) -> Vec<u8> {
        std::mem::replace(&mut self.out, buffer)
    }

    /// Where the next output byte goes, counting the run as copied.
    #[inline]
    fn position(&self) -> usize {
        self.out.len() + (self.at - self.run)
    }

    #[inline]
    fn flush(&mut self) {
        if self.run < self.at {
            self.out
                .extend_from_slice(self.raw.get(self.run..self.at).unwrap_or_default());
        }
        self.run = self.at;
    }

    #[inline]
    fn skip_space(&mut self) {
        let next = json::skip_space(self.raw, self.at);
        if next != self.at {
            self.flush();
            self.at = next;
            self.run = next;
        }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.raw.get(self.at).copied()
    }

    #[inline]
    fn value(&mut self) -> Checked<()> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal(b"true"),
            Some(b'f') => self.literal(b"false"),
            Some(b'n') => self.literal(b"null"),
            _ => Err(json::unexpected(self.raw, self.at, "a value")),
        }
    }

    fn literal(&mut self, word: &'static [u8]) -> Checked<()> {
        let end = self.at + word.len();
        if self.raw.get(self.at..end) == Some(word) {
            self.at = end;
            return Ok(());
        }
        Err(json::unexpected(self.raw, self.at, "a value"))
    }

    #[inline]
    fn string(&mut self) -> Checked<()> {
        let token = json::string(self.raw, self.at)?;
        if token.escaped {
            let text = json::decode(self.raw, self.at + 1, token.close);
            self.rewrite(token.close + 1, |out| json::write_string(&text, out));
        } else {
            self.at = token.close + 1;
        }
        Ok(())
    }

    #[inline]
    fn number(&mut self) -> Checked<()> {
        let token = json::number(self.raw, self.at, self.rules.lossless)?;
        match token.rewrite {
            None => self.at = token.end,
            Some(value) => self.rewrite(token.end, |out| number::write(value, out)),
        }
        Ok(())
    }

    /// Replaces the token up to `end` by its canonical text, keeping the run where they agree.
    fn rewrite(&mut self, end: usize, write: impl FnOnce(&mut Vec<u8>)) {
        self.scratch.clear();
        write(&mut self.scratch);
        if self.raw.get(self.at..end) == Some(self.scratch.as_slice()) {
            self.at = end;
            return;
        }
        self.flush();
        self.out.extend_from_slice(&self.scratch);
        self.at = end;
        self.run = end;
    }

    fn enter(&mut self) -> Checked<()> {
        self.depth += 1;
        if self.depth > limits::DEPTH {
            let message = format!("more than {} nested arrays and objects", limits::DEPTH);
            return Err(Refusal::in_text(Code::JsonDepth, self.at, message));
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    fn object(&mut self) -> Checked<()> {
        self.enter()?;
        let base = self.members.len();
        let names = self.names.len();
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            let ordered = self.object_members(base)?;
            if !ordered {
                self.put_in_order(base)?;
            }
            // Only now: the closing brace belongs after members that may have moved.
            self.at += 1;
        }
        self.members.truncate(base);
        self.names.truncate(names);
        self.depth -= 1;
        Ok(())
    }

    /// Reads members up to the closing brace; says whether they already stand in order.
    fn object_members(&mut self, base: usize) -> Checked<bool> {
        let mut ordered = true;
        loop {
            let start = self.position();
            let source = self.at;
            let name = self.member_name()?;
            if ordered && self.members.len() > base {
                ordered = self.follows(name, source)?;
            }
            let place = self.members.len();
            self.members.push(Member {
                name,
                source,
                start,
                end: start,
            });
            if let Err(refusal) = self.value() {
                return Err(refusal.under_name(&self.name_text(name)));
            }
            let end = self.position();
            if let Some(member) = self.members.get_mut(place) {
                member.end = end;
            }
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => return Ok(ordered),
                _ => {
                    return Err(json::unexpected(
                        self.raw,
                        self.at,
                        "a comma or the end of the object",
                    ));
                }
            }
            self.skip_space();
        }
    }

    /// Reads a name and its colon, leaving the writer at the value.
    fn member_name(&mut self) -> Checked<Name> {
        if self.peek() != Some(b'"') {
            return Err(json::unexpected(
                self.raw,
                self.at,
                "a member name in quotes",
            ));
        }
        let source = self.at;
        let token = json::string(self.raw, source)?;
        let name = if token.escaped {
            let text = json::decode(self.raw, source + 1, token.close);
            self.rewrite(token.close + 1, |out| json::write_string(&text, out));
            let start = self.names.len();
            self.names.extend_from_slice(text.as_bytes());
            Name {
                decoded: true,
                start,
                end: self.names.len(),
            }
        } else {
            self.at = token.close + 1;
            Name {
                decoded: false,
                start: source + 1,
                end: token.close,
            }
        };
        if self.rules.profile == Profile::Collated && !order::is_portable(self.name_bytes(name)) {
            let message = "collated order cannot place a member name outside printable ASCII the same way everywhere";
            return Err(Refusal::in_text(Code::DigestNotPortable, source, message));
        }
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(json::unexpected(self.raw, self.at, "a colon"));
        }
        self.at += 1;
        self.skip_space();
        Ok(name)
    }

    fn name_bytes(&self, name: Name) -> &[u8] {
        let arena = if name.decoded {
            self.names.as_slice()
        } else {
            self.raw
        };
        arena.get(name.start..name.end).unwrap_or_default()
    }

    fn name_text(&self, name: Name) -> String {
        String::from_utf8_lossy(self.name_bytes(name)).into_owned()
    }

    fn compare(&self, left: Name, right: Name) -> Ordering {
        let (left, right) = (self.name_bytes(left), self.name_bytes(right));
        match self.rules.profile {
            Profile::Jcs | Profile::AsStored => order::utf16(left, right),
            Profile::Collated => order::collated(left, right),
        }
    }

    /// Whether `name` comes after the last member read.
    #[inline]
    fn follows(&self, name: Name, source: usize) -> Checked<bool> {
        let Some(last) = self.members.last() else {
            return Ok(true);
        };
        match self.compare(last.name, name) {
            Ordering::Less => Ok(true),
            Ordering::Greater => Ok(false),
            Ordering::Equal => Err(self.duplicate(name, source)),
        }
    }

    #[cold]
    fn duplicate(&self, name: Name, source: usize) -> Box<Refusal> {
        let message = "this member name stands in the object twice";
        Refusal::in_text(Code::JsonDuplicateMember, source, message)
            .under_name(&self.name_text(name))
    }

    /// Sorts the members of the innermost object and moves their text accordingly.
    fn put_in_order(&mut self, base: usize) -> Checked<()> {
        self.flush();
        let mut all = std::mem::take(&mut self.members);
        let outcome = match all.get_mut(base..) {
            Some(members) => self.sort(members),
            None => Ok(()),
        };
        self.members = all;
        outcome
    }

    fn sort(&mut self, members: &mut [Member]) -> Checked<()> {
        let Some(first) = members.first().map(|member| member.start) else {
            return Ok(());
        };
        members.sort_by(|a, b| self.compare(a.name, b.name).then(a.source.cmp(&b.source)));
        for pair in members.windows(2) {
            if let [a, b] = pair
                && self.compare(a.name, b.name) == Ordering::Equal
            {
                return Err(self.duplicate(b.name, b.source));
            }
        }
        if self.rules.profile == Profile::AsStored {
            return Ok(());
        }
        self.scratch.clear();
        for member in members.iter() {
            if !self.scratch.is_empty() {
                self.scratch.push(b',');
            }
            if let Some(deferred) = &mut self.deferred {
                deferred.follow(member.start..member.end, first + self.scratch.len());
            }
            self.scratch
                .extend_from_slice(self.out.get(member.start..member.end).unwrap_or_default());
        }
        self.out.truncate(first);
        self.out.extend_from_slice(&self.scratch);
        if let Some(deferred) = &mut self.deferred {
            deferred.settle();
        }
        Ok(())
    }

    fn array(&mut self) -> Checked<()> {
        self.enter()?;
        if self.peek() == Some(b']') {
            self.at += 1;
        } else {
            if self.may_defer {
                self.defer();
            }
            let mut count = 0;
            self.elements(None, &mut count)
                .map_err(|refusal| refusal.under_index(count))?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Leaves the beginning of a large array to other threads and goes on at its last element.
    fn defer(&mut self) {
        let Some(cuts) = parallel::plan(self.raw, self.at) else {
            return;
        };
        self.flush();
        self.may_defer = false;
        self.deferred = Some(Deferred::new(cuts.clone(), self.depth, self.out.len()));
        if let Some(last) = cuts.last() {
            self.at = *last;
            self.run = *last;
        }
    }

    /// Reads elements up to the closing bracket, or up to `meet` where an element starts there.
    /// `count` is the index of the element being read.
    fn elements(&mut self, meet: Option<usize>, count: &mut usize) -> Checked<Stop> {
        loop {
            self.value()?;
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Stop::Closed);
                }
                _ => {
                    return Err(json::unexpected(
                        self.raw,
                        self.at,
                        "a comma or the end of the array",
                    ));
                }
            }
            self.skip_space();
            *count += 1;
            match meet {
                Some(meet) if self.at == meet => return Ok(Stop::Met),
                Some(meet) if self.at > meet => return Ok(Stop::Missed),
                _ => {}
            }
        }
    }
}
