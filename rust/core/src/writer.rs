//! The canonical writer: one pass over the input.
//!
//! It keeps a *run*: a stretch of the input that is canonical as it stands and has not been
//! copied yet. White space, an escape that canonical text spells otherwise, or members out of
//! order end the run; a text that is already canonical is therefore never copied at all.
//! Members are put in order when their object closes, which moves only objects that need it.

use crate::canonical::Rules;
use crate::document::Profile;
use crate::error::{Checked, Code, Refusal};
use crate::member::{Member, Name};
use crate::parallel::{self, Chunk, Deferred};
use crate::reorder::Reorders;
use crate::{json, limits, number, order};
use std::borrow::Cow;
use std::cmp::Ordering;

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
    /// Objects that have closed and whose members are yet to be put in order.
    reorders: Reorders,
    scratch: Vec<u8>,
    /// Depth of the arrays after whose elements that happens.
    outermost: usize,
    depth: usize,
    /// Whether one large array may be left to other threads.
    pub(crate) may_defer: bool,
    /// Bytes that may still be searched for the end of such an array.
    budget: usize,
    pub(crate) deferred: Option<Deferred>,
}

/// Depth down to which the noted objects are put in order after each element of an array: deep
/// enough for the items of a snapshot and the proposals of an envelope, not for what is inside.
const OUTERMOST: usize = 3;

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
            reorders: Reorders::default(),
            scratch: Vec::new(),
            outermost: OUTERMOST,
            depth: 0,
            may_defer: false,
            budget: raw.len().saturating_mul(4),
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
        self.settle();
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
        self.outermost = depth;
        self.reorders.clear();
        let mut count = 0;
        if self.elements(Some(meet), &mut count) != Ok(Stop::Met) {
            return None;
        }
        self.settle();
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
            let place = self.members.len();
            let member = Member::new(self.raw, name, source, start);
            if ordered && place > base {
                ordered = self.follows(&member)?;
            }
            self.members.push(member);
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
                wide: true,
                start,
                end: self.names.len(),
            }
        } else {
            self.at = token.close + 1;
            Name {
                decoded: false,
                // Too near the end of the text to have eight bytes to compare at once.
                wide: token.wide || self.raw.len() < source + 9,
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

    #[inline]
    fn compare(&self, left: &Member, right: &Member) -> Ordering {
        let by_units = self.rules.profile != Profile::Collated;
        if by_units && left.prefix != right.prefix && !left.name.wide && !right.name.wide {
            return left.prefix.cmp(&right.prefix);
        }
        let (left, right) = (self.name_bytes(left.name), self.name_bytes(right.name));
        if by_units {
            order::utf16(left, right)
        } else {
            order::collated(left, right)
        }
    }

    /// Whether `member` comes after the last one read.
    #[inline]
    fn follows(&self, member: &Member) -> Checked<bool> {
        let Some(last) = self.members.last() else {
            return Ok(true);
        };
        match self.compare(last, member) {
            Ordering::Less => Ok(true),
            Ordering::Greater => Ok(false),
            Ordering::Equal => Err(self.duplicate(member.name, member.source)),
        }
    }

    #[cold]
    fn duplicate(&self, name: Name, source: usize) -> Box<Refusal> {
        let message = "this member name stands in the object twice";
        Refusal::in_text(Code::JsonDuplicateMember, source, message)
            .under_name(&self.name_text(name))
    }

    /// Notes the order in which the members of the innermost object belong.
    fn put_in_order(&mut self, base: usize) -> Checked<()> {
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
        members.sort_unstable_by(|a, b| self.compare(a, b).then(a.source.cmp(&b.source)));
        for pair in members.windows(2) {
            if let [a, b] = pair
                && self.compare(a, b) == Ordering::Equal
            {
                return Err(self.duplicate(b.name, b.source));
            }
        }
        if self.rules.profile == Profile::AsStored {
            return Ok(());
        }
        let last = members.iter().map(|member| member.end).max();
        let ranges = members.iter().map(|member| member.start..member.end);
        self.reorders.note(first..last.unwrap_or(first), ranges);
        Ok(())
    }

    /// Puts the objects in order that were noted so far.
    fn settle(&mut self) {
        if !self.reorders.is_empty() {
            self.flush();
            let gap = self.deferred.as_mut();
            self.reorders.settle(&mut self.out, &mut self.scratch, gap);
        }
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
        // A failed attempt has searched the rest of the text, so the searching has a budget.
        let rest = self.raw.len().saturating_sub(self.at);
        if rest < parallel::WORTHWHILE || self.budget < rest {
            self.may_defer = false;
            return;
        }
        self.budget -= rest;
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
            if self.depth <= self.outermost {
                self.settle();
            }
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
