//! The review items of an import, derived by one or several threads and kept in their parts.

use super::identity::Frame;
use super::item_text::ItemWriter;
use super::slots;
use super::status::Status;
use crate::document::Profile;
use crate::error::Checked;
use crate::limits::Limits;
use crate::threads;
use std::ops::Range;

/// The items of an import. Their canonical array is handed out in pieces, so that whoever needs
/// it whole copies it once.
#[derive(Clone, Debug, Default)]
pub struct Items {
    parts: Vec<Part>,
}

impl Items {
    /// The canonical array of all items, as consecutive pieces.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let texts = self.parts.iter().enumerate().map(|(place, part)| {
            let is_last = place + 1 == self.parts.len();
            let length = part.text.len() - usize::from(is_last && !part.text.is_empty());
            part.text.get(..length).unwrap_or_default()
        });
        [b"[".as_slice()]
            .into_iter()
            .chain(texts)
            .chain([b"]".as_slice()])
    }

    /// Bytes of the canonical array.
    #[must_use]
    pub fn size(&self) -> usize {
        self.pieces().map(<[u8]>::len).sum()
    }

    /// The canonical array.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.size());
        for piece in self.pieces() {
            bytes.extend_from_slice(piece);
        }
        bytes
    }

    /// Name and canonical text of each item, in the order of the import.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.parts.iter().flat_map(Part::iter)
    }
}

/// What one thread derived: items in one text, a comma after each.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    text: Vec<u8>,
    ranges: Vec<Range<usize>>,
    names: Vec<String>,
}

impl Part {
    /// Adds the item that `write` writes, one of `expected`.
    pub(super) fn push(
        &mut self,
        name: &str,
        expected: usize,
        write: impl FnOnce(&mut Vec<u8>) -> Checked<()>,
    ) -> Checked<()> {
        let start = self.text.len();
        write(&mut self.text)?;
        self.ranges.push(start..self.text.len());
        self.names.push(name.to_owned());
        self.text.push(b',');
        if start == 0 {
            // The first item is a fair guess at the others.
            let rest = expected.saturating_sub(1);
            self.text
                .reserve(rest * (self.text.len() + self.text.len() / 8));
            self.ranges.reserve(rest);
            self.names.reserve(rest);
        }
        Ok(())
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.names.iter().zip(&self.ranges).map(|(name, range)| {
            let text = self.text.get(range.clone()).unwrap_or_default();
            (name.as_str(), text)
        })
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
        return Ok(Items::default());
    }
    let slots = slots::group(frame.envelope, targets, status)?;
    let writer = ItemWriter {
        frame,
        targets,
        verified: status.verified,
        profile,
        limits,
    };
    let parts = threads::map_shares(&slots, asked, WORTHWHILE, &|slots| writer.items(slots));
    let parts = parts.into_iter().collect::<Checked<Vec<Part>>>()?;
    let items = Items { parts };
    super::within("queue of items", items.size(), limits.queue_bytes)?;
    Ok(items)
}
