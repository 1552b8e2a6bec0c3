//! One large array canonicalised by several threads, in pieces that are used in order.
//!
//! Where an array is large, the writer guesses where its elements start, goes on at the last
//! one and finishes the document around the gap. Only then is the gap filled, chunk by chunk,
//! because only then is it certain what text stands before it. A guess may be wrong: the same
//! bytes can stand inside a string or deeper down. Each chunk is therefore read from a start
//! that the chunk before it reached as the start of an element; where two do not meet, or
//! anything is refused, the whole text is read again in order by one thread.

use crate::canonical::Rules;
use crate::writer::Writer;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Bytes below which starting a thread costs more than it saves.
pub(crate) const WORTHWHILE: usize = 256 * 1024;
/// Bytes of one chunk; small enough to stay in a core's cache while it is written and hashed.
const CHUNK: usize = 256 * 1024;
/// Bytes of an element's beginning that a later element must share to be taken for a sibling.
const SIGNATURE: usize = 16;

/// A stretch of canonical text.
pub(crate) enum Chunk<'c> {
    /// The input as it stands.
    Source(Range<usize>),
    /// Text written anew.
    Written(&'c [u8]),
}

impl<'c> Chunk<'c> {
    pub(crate) fn bytes(&self, raw: &'c [u8]) -> &'c [u8] {
        match self {
            Chunk::Source(range) => raw.get(range.clone()).unwrap_or_default(),
            Chunk::Written(text) => text,
        }
    }
}

/// An array whose beginning was left out of the text around it.
#[derive(Clone, Debug)]
pub(crate) struct Deferred {
    /// Where its chunks start in the input; the last one is where the text goes on.
    cuts: Vec<usize>,
    /// Containers around its elements.
    depth: usize,
    /// Where the gap stands in the text around it.
    anchor: usize,
    moved: usize,
}

impl Deferred {
    pub(crate) fn new(cuts: Vec<usize>, depth: usize, anchor: usize) -> Self {
        Self {
            cuts,
            depth,
            anchor,
            moved: anchor,
        }
    }

    /// Notes that the member in `range` moves to `start`.
    pub(crate) fn follow(&mut self, range: Range<usize>, start: usize) {
        if range.contains(&self.anchor) {
            self.moved = start + (self.anchor - range.start);
        }
    }

    /// The members have moved.
    pub(crate) fn settle(&mut self) {
        self.anchor = self.moved;
    }
}

/// Starts of chunks of the array whose first element stands at `start`, the last of them its
/// last element; `None` where splitting it would not pay.
pub(crate) fn plan(raw: &[u8], start: usize) -> Option<Vec<usize>> {
    let rest = raw.get(start..)?;
    if rest.len() < WORTHWHILE {
        return None;
    }
    let signature = rest.get(..SIGNATURE)?;
    let is_sibling = |cut: usize| {
        raw.get(..cut)
            .is_some_and(|before| before.trim_ascii_end().ends_with(b","))
    };
    let last = start + memchr::memmem::rfind(rest, signature)?;
    if last - start < rest.len() / 2 || !is_sibling(last) {
        return None;
    }
    let finder = memchr::memmem::Finder::new(signature);
    let mut cuts = vec![start];
    let mut aim = start + CHUNK;
    while aim < last {
        let cut = aim + finder.find(raw.get(aim..last)?)?;
        if is_sibling(cut) {
            cuts.push(cut);
        }
        aim = cut + CHUNK;
    }
    cuts.push(last);
    Some(cuts)
}

/// A chunk on its way from a worker; the buffer goes back when it is used up.
enum Parcel {
    Source(Range<usize>),
    Written(Vec<u8>),
}

/// Sends the text of `base` with the gap filled to `sink`, in order. False when the chunks do
/// not meet; what was sent is then worthless.
pub(crate) fn write(
    raw: &[u8],
    rules: &Rules,
    base: &[u8],
    deferred: &Deferred,
    workers: usize,
    sink: &mut dyn FnMut(Chunk<'_>),
) -> bool {
    let (Some(head), Some(tail)) = (base.get(..deferred.anchor), base.get(deferred.anchor..))
    else {
        return false;
    };
    let chunks: Vec<(usize, usize)> = deferred
        .cuts
        .iter()
        .copied()
        .zip(deferred.cuts.iter().copied().skip(1))
        .collect();
    thread::scope(|scope| {
        let mut lanes: Vec<(Receiver<Parcel>, SyncSender<Vec<u8>>)> = Vec::with_capacity(workers);
        for lane in 0..workers.min(chunks.len()) {
            let (done, parcels) = sync_channel(2);
            let (returned, spare) = sync_channel(4);
            let mine: Vec<_> = chunks.iter().copied().skip(lane).step_by(workers).collect();
            let work = move || {
                fill(
                    Writer::new(raw, *rules),
                    &mine,
                    deferred.depth,
                    &done,
                    &spare,
                );
            };
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                return false;
            }
            lanes.push((parcels, returned));
        }
        sink(Chunk::Written(head));
        for (_, (parcels, returned)) in chunks.iter().zip(lanes.iter().cycle()) {
            match parcels.recv() {
                Ok(Parcel::Source(range)) => sink(Chunk::Source(range)),
                Ok(Parcel::Written(text)) => {
                    sink(Chunk::Written(&text));
                    // A worker that has finished needs no buffer back.
                    let _ = returned.try_send(text);
                }
                Err(_) => return false,
            }
        }
        sink(Chunk::Written(tail));
        true
    })
}

/// Writes every chunk of one lane; stops without a word at the first that does not meet the
/// next, which the receiver sees as a closed channel.
fn fill(
    mut writer: Writer<'_>,
    chunks: &[(usize, usize)],
    depth: usize,
    done: &SyncSender<Parcel>,
    spare: &Receiver<Vec<u8>>,
) {
    for (start, meet) in chunks {
        let parcel = match writer.chunk(*start, depth, *meet) {
            Some(Chunk::Source(range)) => Parcel::Source(range),
            Some(Chunk::Written(_)) => {
                let buffer = spare.try_recv().unwrap_or_default();
                Parcel::Written(writer.take_text(buffer))
            }
            None => return,
        };
        if done.send(parcel).is_err() {
            return;
        }
    }
}

/// Canonical text put together again, borrowed for as long as it is the input as it stands.
pub(crate) struct Joined<'a> {
    raw: &'a [u8],
    run: Range<usize>,
    out: Option<Vec<u8>>,
}

impl<'a> Joined<'a> {
    pub(crate) fn new(raw: &'a [u8]) -> Self {
        Self {
            raw,
            run: 0..0,
            out: None,
        }
    }

    pub(crate) fn push(&mut self, chunk: Chunk<'_>) {
        let bytes = match (&mut self.out, chunk) {
            (None, Chunk::Source(range)) if range.start == self.run.end => {
                self.run.end = range.end;
                return;
            }
            // The text around the gap is short, so looking whether it is the input costs little.
            (None, Chunk::Written(text))
                if self
                    .raw
                    .get(self.run.end..)
                    .is_some_and(|rest| rest.starts_with(text)) =>
            {
                self.run.end += text.len();
                return;
            }
            (_, chunk) => chunk,
        };
        let (raw, run) = (self.raw, self.run.clone());
        let out = self.out.get_or_insert_with(|| {
            let mut out = Vec::with_capacity(raw.len());
            out.extend_from_slice(raw.get(run).unwrap_or_default());
            out
        });
        match bytes {
            Chunk::Source(range) => out.extend_from_slice(raw.get(range).unwrap_or_default()),
            Chunk::Written(text) => out.extend_from_slice(text),
        }
    }

    pub(crate) fn finish(self) -> Cow<'a, [u8]> {
        match self.out {
            Some(out) => Cow::Owned(out),
            None => Cow::Borrowed(self.raw.get(self.run).unwrap_or_default()),
        }
    }
}
