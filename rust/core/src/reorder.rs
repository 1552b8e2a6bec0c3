//! Objects whose members have to change places.
//!
//! An object is only noted when it closes. Many are put in order together, in one walk over the
//! text of the outermost, so that every byte moves once however deep its object is nested.
//! Putting members in order keeps the length of a text, so positions outside stay what they are.

use crate::parallel::Deferred;
use std::ops::Range;

/// Objects noted since the last time, in the order in which they closed.
#[derive(Default)]
pub(crate) struct Reorders {
    objects: Vec<Object>,
    /// Ranges of members in their final order, object by object.
    members: Vec<Range<usize>>,
}

#[derive(Clone)]
struct Object {
    /// From its first member to after its last one.
    range: Range<usize>,
    /// Its members in the arena.
    members: Range<usize>,
}

impl Reorders {
    pub(crate) fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.objects.clear();
        self.members.clear();
    }

    /// Notes an object; `members` are the ranges of its members in their final order.
    pub(crate) fn note(
        &mut self,
        range: Range<usize>,
        members: impl Iterator<Item = Range<usize>>,
    ) {
        let first = self.members.len();
        self.members.extend(members);
        let members = first..self.members.len();
        self.objects.push(Object { range, members });
    }

    /// Puts every noted object of `text` in order and forgets them. `scratch` is overwritten.
    pub(crate) fn settle(
        &mut self,
        text: &mut [u8],
        scratch: &mut Vec<u8>,
        gap: Option<&mut Deferred>,
    ) {
        // Outer objects before those inside them.
        self.objects
            .sort_unstable_by_key(|object| (object.range.start, usize::MAX - object.range.end));
        let Some(start) = self.objects.first().map(|object| object.range.start) else {
            return;
        };
        let end = self.objects.iter().map(|object| object.range.end).max();
        let whole = start..end.unwrap_or(start);
        scratch.clear();
        let mut walk = Walk {
            text,
            members: &self.members,
            out: scratch,
            start,
            gap,
        };
        walk.write(whole.clone(), &self.objects);
        if let Some(gap) = walk.gap {
            gap.settle();
        }
        if let Some(target) = text.get_mut(whole)
            && target.len() == scratch.len()
        {
            target.copy_from_slice(scratch);
        }
        self.clear();
    }
}

struct Walk<'w> {
    text: &'w [u8],
    members: &'w [Range<usize>],
    out: &'w mut Vec<u8>,
    /// Where the written text will stand.
    start: usize,
    gap: Option<&'w mut Deferred>,
}

impl Walk<'_> {
    /// Writes `range`; `objects` are those inside it, outer ones first.
    fn write(&mut self, range: Range<usize>, mut objects: &[Object]) {
        let mut at = range.start;
        while let Some((object, rest)) = objects.split_first() {
            self.copy(at..object.range.start);
            let inside = rest.partition_point(|other| other.range.start < object.range.end);
            let (nested, after) = rest.split_at(inside);
            for place in object.members.clone() {
                let Some(member) = self.members.get(place).cloned() else {
                    continue;
                };
                if place > object.members.start {
                    self.out.push(b',');
                }
                let first = nested.partition_point(|other| other.range.start < member.start);
                let last = nested.partition_point(|other| other.range.start < member.end);
                self.write(member, nested.get(first..last).unwrap_or_default());
            }
            at = object.range.end;
            objects = after;
        }
        self.copy(at..range.end);
    }

    fn copy(&mut self, range: Range<usize>) {
        if let Some(gap) = &mut self.gap {
            gap.follow(range.clone(), self.start + self.out.len());
        }
        self.out
            .extend_from_slice(self.text.get(range).unwrap_or_default());
    }
}
