//! How many threads one call may use.

use std::num::NonZeroUsize;
use std::thread;

/// The most threads a single call starts; beyond it the writing of one result dominates.
const MOST: usize = 8;

/// Applies `work` to consecutive shares of `items`, one thread each, and gives the results in
/// order. There are as many shares as threads, but none below `worthwhile` items.
pub(crate) fn map_shares<T: Sync, R: Send>(
    items: &[T],
    asked: usize,
    worthwhile: usize,
    work: &(dyn Fn(&[T]) -> R + Sync),
) -> Vec<R> {
    let most = items.len() / worthwhile.max(1);
    let workers = if most > 1 {
        resolve(asked).min(most)
    } else {
        1
    };
    let share = items.len().div_ceil(workers).max(1);
    thread::scope(|scope| {
        let mut shares = items.chunks(share);
        let mine = shares.next().unwrap_or_default();
        let others: Vec<_> = shares
            .map(|share| {
                (
                    share,
                    thread::Builder::new()
                        .spawn_scoped(scope, move || work(share))
                        .ok(),
                )
            })
            .collect();
        let mut results = vec![work(mine)];
        for (share, handle) in others {
            // Where no thread could be started or one was lost, its share is done here.
            let result = handle.and_then(|handle| handle.join().ok());
            results.push(result.unwrap_or_else(|| work(share)));
        }
        results
    })
}

/// `asked`, or as many as the machine offers when `asked` is zero.
#[must_use]
pub fn resolve(asked: usize) -> usize {
    let available = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let count = if asked == 0 { available() } else { asked };
    count.clamp(1, MOST)
}
