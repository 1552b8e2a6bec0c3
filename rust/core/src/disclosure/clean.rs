//! Texts that no rule refuses, remembered for as long as there is room.
//!
//! 1. What is held was found clean, byte for byte; a text that was overwritten is not held. So an
//!    answer never depends on what else was seen, only the time that it takes.
//! 2. Room is fixed: the latest texts in a ring of bytes, and two slots for each value of a hash.
//!    Texts that are made to share one drive each other out and are judged again, as if they were
//!    new. More than that cannot be won by it, so the hash needs no key.

/// The place of one text.
#[derive(Clone, Copy, Default)]
struct Slot {
    /// Where it starts, counted over all bytes that were ever kept.
    start: u64,
    /// Its length; 0 in a slot that was never filled, as no empty text is kept.
    len: u32,
    /// The half of its hash that does not name the slot.
    tag: u32,
}

/// The latest clean texts.
pub(super) struct Clean {
    /// Two for each value of a hash, the later text first.
    slots: Vec<[Slot; 2]>,
    /// The ring: at first as long as what is kept, at last `room` bytes.
    kept: Vec<u8>,
    /// Bytes kept since the beginning, and those that were passed over at the end of the ring.
    end: u64,
    /// A power of two, as is the number of pairs.
    room: usize,
    /// Bytes of the longest text that is kept.
    longest: usize,
}

/// A text with its hash.
#[derive(Clone, Copy)]
pub(super) struct Hashed<'t> {
    text: &'t [u8],
    hash: u64,
}

impl Clean {
    /// Keeps `room` bytes of texts in `pairs` pairs of slots, both rounded up to powers of two.
    pub(super) fn new(pairs: usize, room: usize, longest: usize) -> Self {
        let room = room.next_power_of_two();
        Self {
            slots: vec![Default::default(); pairs.next_power_of_two()],
            kept: Vec::new(),
            end: 0,
            room,
            longest: longest.min(room),
        }
    }

    /// What to ask and keep a text by; nothing for one that is never kept.
    pub(super) fn hashed<'t>(&self, text: &'t [u8]) -> Option<Hashed<'t>> {
        let is_kept = !text.is_empty() && text.len() <= self.longest;
        is_kept.then(|| Hashed {
            text,
            hash: hash(text),
        })
    }

    /// Whether a text is known to be clean.
    pub(super) fn holds(&self, one: Hashed<'_>) -> bool {
        let Some(pair) = self.slots.get(self.place(one.hash)) else {
            return false;
        };
        pair.iter().any(|slot| {
            slot.tag == tag(one.hash)
                && slot.len as usize == one.text.len()
                && slot.start + self.room as u64 >= self.end
                && self.text(slot) == Some(one.text)
        })
    }

    /// Remembers a clean text.
    pub(super) fn keep(&mut self, one: Hashed<'_>) {
        let mut at = self.offset(self.end);
        if at + one.text.len() > self.room {
            // It would go over the end of the ring.
            self.end += (self.room - at) as u64;
            at = 0;
        }
        if self.kept.len() < at + one.text.len() {
            self.kept.resize(at + one.text.len(), 0);
        }
        if let Some(place) = self.kept.get_mut(at..at + one.text.len()) {
            place.copy_from_slice(one.text);
        }
        let latest = Slot {
            start: self.end,
            len: u32::try_from(one.text.len()).unwrap_or(0),
            tag: tag(one.hash),
        };
        let place = self.place(one.hash);
        if let Some(pair) = self.slots.get_mut(place) {
            *pair = [latest, pair[0]];
        }
        self.end += one.text.len() as u64;
    }

    fn text(&self, slot: &Slot) -> Option<&[u8]> {
        let at = self.offset(slot.start);
        self.kept.get(at..at + slot.len as usize)
    }

    /// Where in the ring the byte stands that is counted so.
    #[expect(clippy::cast_possible_truncation, reason = "it is less than `room`")]
    fn offset(&self, counted: u64) -> usize {
        counted as usize & (self.room - 1)
    }

    #[expect(clippy::cast_possible_truncation, reason = "low bits are all it takes")]
    fn place(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }
}

fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// Sixteen bytes at a time into one word.
fn hash(text: &[u8]) -> u64 {
    const START: u64 = 0x9E37_79B9_7F4A_7C15;
    const OTHER: u64 = 0xD6E8_FEB8_6659_FD93;
    let mut state = START ^ text.len() as u64;
    let (blocks, rest) = text.as_chunks::<16>();
    for block in blocks {
        let (low, high) = halves(*block);
        state = folded(low ^ state, high ^ OTHER);
    }
    if rest.is_empty() {
        return folded(state, OTHER);
    }
    let (low, high) = match text.last_chunk::<16>() {
        // The last sixteen bytes, some of them for a second time.
        Some(block) => halves(*block),
        None => few(text),
    };
    folded(folded(low ^ state, high ^ OTHER), OTHER)
}

fn halves(block: [u8; 16]) -> (u64, u64) {
    let both = u128::from_le_bytes(block);
    #[expect(clippy::cast_possible_truncation, reason = "it is the lower half")]
    let low = both as u64;
    let high = (both >> 64) as u64;
    (low, high)
}

/// The bytes of a text of less than sixteen, in two words.
fn few(text: &[u8]) -> (u64, u64) {
    if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        return (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
    }
    if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return (u64::from(first), u64::from(last));
    }
    let word = |word, byte: &u8| word << 8 | u64::from(*byte);
    (text.iter().fold(0, word), 0)
}

/// Both halves of a product: each bit of either factor changes bits of all the word.
#[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
fn folded(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(clean: &mut Clean, text: &[u8]) {
        let one = clean.hashed(text).expect("short enough");
        clean.keep(one);
    }

    fn holds(clean: &Clean, text: &[u8]) -> bool {
        clean.hashed(text).is_some_and(|one| clean.holds(one))
    }

    #[test]
    fn what_was_kept_is_held_and_nothing_else() {
        let mut clean = Clean::new(64, 4096, 64);
        let texts: Vec<Vec<u8>> = (1..60).map(|len| vec![b'a'; len]).collect();
        assert!(texts.iter().all(|text| !holds(&clean, text)));
        keep(&mut clean, &texts[20]);
        let held: Vec<_> = texts.iter().filter(|text| holds(&clean, text)).collect();
        assert_eq!(held, [&texts[20]]);
        assert!(!holds(&clean, b""));
    }

    #[test]
    fn one_byte_makes_another_text() {
        for len in 1..50_usize {
            let mut clean = Clean::new(1, 64, 64);
            let text = vec![b'x'; len];
            keep(&mut clean, &text);
            assert!(holds(&clean, &text));
            for place in 0..len {
                let mut other = text.clone();
                other[place] ^= 1;
                assert!(!holds(&clean, &other), "{len} {place}");
                assert_ne!(hash(&other), hash(&text), "{len} {place}");
            }
        }
    }

    #[test]
    fn the_latest_texts_are_held_and_overwritten_ones_are_not() {
        // Slots enough for all, so that only the ring decides.
        let mut clean = Clean::new(1 << 16, 64, 40);
        let texts: Vec<Vec<u8>> = (0..50_u8)
            .map(|n| vec![n; 7 + usize::from(n) % 5])
            .collect();
        for (count, text) in texts.iter().enumerate() {
            keep(&mut clean, text);
            for (before, earlier) in texts.iter().enumerate().take(count + 1) {
                let is_latest = count - before < 4;
                let is_old = count - before > 10;
                assert!(!is_latest || holds(&clean, earlier));
                assert!(!is_old || !holds(&clean, earlier));
            }
        }
        assert!(clean.kept.len() <= 64);
    }

    #[test]
    fn a_text_made_of_others_is_not_held() {
        let mut clean = Clean::new(1, 64, 64);
        keep(&mut clean, b"/ho");
        keep(&mut clean, b"me/dana");
        assert!(!holds(&clean, b"/home/dana"));
    }

    #[test]
    fn texts_of_one_slot_drive_each_other_out() {
        let mut clean = Clean::new(1, 64, 64);
        keep(&mut clean, b"one");
        keep(&mut clean, b"two");
        keep(&mut clean, b"three");
        assert!(!holds(&clean, b"one"));
        assert!(holds(&clean, b"two"));
        assert!(holds(&clean, b"three"));
    }

    #[test]
    fn what_is_too_long_is_never_kept() {
        let clean = Clean::new(8, 64, 10);
        assert!(clean.hashed(&[b'a'; 10]).is_some());
        assert!(clean.hashed(&[b'a'; 11]).is_none());
        assert!(Clean::new(8, 4, 10).hashed(b"abcde").is_none());
        assert!(clean.hashed(b"").is_none());
    }
}
