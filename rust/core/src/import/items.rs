//! The review items of an import, written as canonical text.

use super::identity::Frame;
use super::item_text::ItemWriter;
use super::slots;
use super::status::Status;
use crate::document::Profile;
use crate::error::Checked;
use crate::limits::Limits;
use crate::threads;
use std::ops::Range;
use std::thread;

/// Items of an import in one text, without the array around them.
#[derive(Debug, Default)]
pub(crate) struct Items {
    text: Vec<u8>,
    ranges: Vec<Range<usize>>,
    names: Vec<String>,
}

impl Items {
    /// Room for `count` items of two kilobytes.
    pub(super) fn with_capacity(count: usize) -> Self {
        Self {
            text: Vec::with_capacity(count * 2048),
            ranges: Vec::with_capacity(count),
            names: Vec::with_capacity(count),
        }
    }

    /// Adds the item that `write` writes.
    pub(super) fn push(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Vec<u8>) -> Checked<()>,
    ) -> Checked<()> {
        let start = self.text.len();
        write(&mut self.text)?;
        self.ranges.push(start..self.text.len());
        self.names.push(name.to_owned());
        self.text.push(b',');
        Ok(())
    }

    /// Name and canonical text of each item, in the order of the import.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.names.iter().zip(&self.ranges).map(|(name, range)| {
            (
                name.as_str(),
                self.text.get(range.clone()).unwrap_or_default(),
            )
        })
    }

    /// The canonical array.
    pub(crate) fn join(mut self) -> Vec<u8> {
        self.text.pop();
        self.text.insert(0, b'[');
        self.text.push(b']');
        self.text
    }

    fn adopt(&mut self, other: Self) {
        let offset = self.text.len();
        if offset == 0 {
            *self = other;
            return;
        }
        self.text.extend_from_slice(&other.text);
        self.ranges.extend(
            other
                .ranges
                .iter()
                .map(|range| range.start + offset..range.end + offset),
        );
        self.names.extend(other.names);
    }
}

/// Slots for which another thread is worth starting.
const WORTHWHILE: usize = 256;

/// The items that `status` lets the import derive: none unless it is grounded.
pub(super) fn derive(
    frame: &Frame<'_>,
    targets: &[&str],
    status: &Status,
    profile: Profile,
    limits: &Limits,
    asked: usize,
) -> Checked<Items> {
    if !status.grounded {
        return Ok(Items {
            text: b",".to_vec(),
            ..Items::default()
        });
    }
    let slots = slots::group(frame.envelope, targets, status)?;
    let writer = ItemWriter {
        frame,
        targets,
        verified: status.verified,
        profile,
        limits,
    };
    let workers = threads::resolve(asked).min(slots.len() / WORTHWHILE).max(1);
    let share = slots.len().div_ceil(workers).max(1);
    let parts: Vec<Checked<Items>> = thread::scope(|scope| {
        let mut shares = slots.chunks(share);
        let mine = shares.next();
        let spawned: Vec<_> = shares
            .map(|slots| {
                let writer = &writer;
                (
                    slots,
                    thread::Builder::new()
                        .spawn_scoped(scope, move || writer.items(slots))
                        .ok(),
                )
            })
            .collect();
        let mut parts: Vec<Checked<Items>> =
            mine.map(|slots| writer.items(slots)).into_iter().collect();
        for (slots, handle) in spawned {
            // Where no thread could be started or one was lost, its share is done here.
            parts.push(
                handle
                    .and_then(|handle| handle.join().ok())
                    .unwrap_or_else(|| writer.items(slots)),
            );
        }
        parts
    });
    let mut all = Items::default();
    let total: usize = parts.iter().flatten().map(|part| part.text.len()).sum();
    super::within("queue of items", total, limits.queue_bytes)?;
    for part in parts {
        all.adopt(part?);
    }
    if all.text.is_empty() {
        all.text.push(b',');
    }
    Ok(all)
}
