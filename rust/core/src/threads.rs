//! How many threads one call may use.

use std::num::NonZeroUsize;
use std::thread;

/// The most threads a single call starts; beyond it the writing of one result dominates.
const MOST: usize = 8;

/// `asked`, or as many as the machine offers when `asked` is zero.
#[must_use]
pub fn resolve(asked: usize) -> usize {
    let available = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let count = if asked == 0 { available() } else { asked };
    count.clamp(1, MOST)
}
