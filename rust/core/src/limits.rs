//! Caps. The Python side names every default once and hands the numbers in; what stands here
//! is what no caller may change.

/// Nested containers in any document; the next one is refused.
pub const DEPTH: usize = 128;

/// Nested containers in one candidate value, so that what derives from it stays readable.
pub const VALUE_DEPTH: usize = 100;

/// Characters of a stable identity.
pub const IDENTITY: usize = 256;

/// Entries of each array of a page layout.
pub const LAYOUT_ENTRIES: usize = 10_000;

/// Characters of a provider's failure code.
pub const FAILURE_CODE: usize = 128;

/// Bytes of a prepared text.
pub const PREPARED_BYTES: usize = 16 * 1024 * 1024;

/// Caps that a caller may set.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of an envelope or an import record.
    pub envelope_bytes: usize,
    /// Bytes of a queue snapshot, or of the items an import derives.
    pub queue_bytes: usize,
    /// Proposals of an envelope, items of a queue.
    pub items: usize,
    /// Candidates of one item.
    pub candidates: usize,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: usize = 1024 * 1024;
        Self {
            envelope_bytes: 64 * MIB,
            queue_bytes: 128 * MIB,
            items: 10_000,
            candidates: 256,
        }
    }
}
