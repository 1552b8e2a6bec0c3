//! Two pieces of work at once, where that pays.

use std::thread;

/// What `other` and `mine` come to: at once where `is_worthwhile`, one after another otherwise or
/// where no thread can be had.
pub(crate) fn beside<A: Send, B>(
    is_worthwhile: bool,
    other: impl Fn() -> A + Sync,
    mine: impl FnOnce() -> B,
) -> (A, B) {
    thread::scope(|scope| {
        let started = is_worthwhile
            .then(|| thread::Builder::new().spawn_scoped(scope, &other).ok())
            .flatten();
        let mine = mine();
        // A thread that was lost is made up for.
        let other = started
            .and_then(|thread| thread.join().ok())
            .unwrap_or_else(&other);
        (other, mine)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_answered_with_and_without_a_thread() {
        for is_worthwhile in [false, true] {
            assert_eq!(beside(is_worthwhile, || 1, || "two"), (1, "two"));
        }
    }
}
