//! Texts are scanned by a thread of their own while the next ones are made.

use super::Disclosure;
use super::scanner::Scanner;
use crate::error::Checked;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

/// A text that was scanned, and what was found in it.
pub type Scanned<T> = (T, Checked<Vec<Disclosure>>);

/// A scan of one document after the other, in order; the thread ends with it.
pub struct BackgroundScan<T> {
    most: usize,
    /// Scans what is handed in before there is a thread, or where none can be had.
    scanner: Scanner,
    worker: Option<Worker<T>>,
}

struct Worker<T> {
    texts: SyncSender<T>,
    scanned: Receiver<Scanned<T>>,
    thread: JoinHandle<()>,
}

/// Bytes of a text for which a thread is started.
const WORTHWHILE: usize = 64 * 1024;
/// Texts that may wait for the thread.
const WAITING: usize = 2;

impl<T: AsRef<[u8]> + Send + 'static> BackgroundScan<T> {
    /// Looks for `most` disclosures in each text.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            most,
            scanner: Scanner::default(),
            worker: None,
        }
    }

    /// Hands in the next canonical text and waits while as many wait as may. Gives what was
    /// scanned meanwhile, in order and each text once.
    pub fn hand_in(&mut self, text: T) -> Vec<Scanned<T>> {
        if self.worker.is_none() && text.as_ref().len() >= WORTHWHILE {
            self.worker = Worker::start(self.most);
        }
        let Some(worker) = &self.worker else {
            let found = self.scanner.scan(text.as_ref(), self.most);
            return vec![(text, found)];
        };
        if worker.texts.send(text).is_err() {
            // The thread is lost, and with it what it had in hand.
            return self.rest();
        }
        worker.scanned.try_iter().collect()
    }

    /// Waits for all that was handed in and not given yet. The thread ends.
    ///
    /// # Panics
    ///
    /// As scanning did.
    pub fn rest(&mut self) -> Vec<Scanned<T>> {
        let Some(worker) = self.worker.take() else {
            return Vec::new();
        };
        drop(worker.texts);
        let scanned = worker.scanned.iter().collect();
        if let Err(panic) = worker.thread.join() {
            resume_unwind(panic);
        }
        scanned
    }
}

impl<T: AsRef<[u8]> + Send + 'static> Worker<T> {
    fn start(most: usize) -> Option<Self> {
        let (texts, handed_in) = sync_channel::<T>(WAITING);
        let (give, scanned) = channel();
        let work = move || {
            let mut own = Scanner::default();
            for text in handed_in {
                let found = own.scan(text.as_ref(), most);
                if give.send((text, found)).is_err() {
                    break;
                }
            }
        };
        let thread = Builder::new().name("disclosure-scan".to_owned());
        let thread = thread.spawn(work).ok()?;
        Some(Self {
            texts,
            scanned,
            thread,
        })
    }
}

impl<T> Drop for BackgroundScan<T> {
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take() {
            drop(worker.texts);
            drop(worker.scanned);
            // Whether it panicked is of no interest to who wants none of its findings.
            let _ = worker.thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    fn text(count: usize, path: &str) -> Vec<u8> {
        format!("[\"{}\",\"{path}\"]", "word ".repeat(count)).into_bytes()
    }

    /// How many findings each text has that comes back.
    fn told(scanned: Vec<Scanned<Vec<u8>>>) -> Vec<(usize, usize)> {
        scanned
            .into_iter()
            .map(|(text, found)| (text.len(), found.expect("a text").len()))
            .collect()
    }

    #[test]
    fn every_text_comes_back_once_and_in_order() {
        for size in [1, 20_000] {
            let mut scan = BackgroundScan::new(10);
            let mut came_back = Vec::new();
            let mut expected = Vec::new();
            for count in 0..20 {
                let text = text(size + count, if count % 3 == 0 { "/etc/x" } else { "x" });
                expected.push((text.len(), usize::from(count % 3 == 0)));
                came_back.extend(told(scan.hand_in(text)));
                assert!(came_back.len() + WAITING + 1 >= expected.len());
            }
            came_back.extend(told(scan.rest()));
            assert_eq!(came_back, expected);
            assert!(scan.rest().is_empty());
        }
    }

    #[test]
    fn small_texts_are_scanned_at_once_until_a_large_one_comes() {
        let mut scan = BackgroundScan::new(10);
        assert_eq!(scan.hand_in(text(1, "/etc/x")).len(), 1);
        assert!(scan.worker.is_none());
        let mut count = scan.hand_in(text(20_000, "x")).len();
        count += scan.hand_in(text(1, "/etc/x")).len() + scan.rest().len();
        assert_eq!(count, 2);
        assert_eq!(scan.hand_in(text(1, "x")).len(), 1);
    }

    #[test]
    fn what_is_no_text_is_told_where_it_stands() {
        let mut scan = BackgroundScan::new(10);
        let mut scanned = scan.hand_in(text(20_000, "x"));
        scanned.extend(scan.hand_in(b"[".to_vec()));
        scanned.extend(scan.hand_in(text(1, "/etc/x")));
        scanned.extend(scan.rest());
        let codes: Vec<_> = scanned
            .into_iter()
            .map(|(_, found)| {
                found
                    .map(|found| found.len())
                    .map_err(|refusal| refusal.code)
            })
            .collect();
        assert_eq!(codes, [Ok(0), Err(Code::JsonSyntax), Ok(1)]);
    }

    #[test]
    fn one_that_is_dropped_leaves_no_thread() {
        let mut scan = BackgroundScan::new(10);
        let text = std::sync::Arc::<[u8]>::from(text(20_000, "x"));
        for _ in 0..5 {
            drop(scan.hand_in(std::sync::Arc::clone(&text)));
        }
        drop(scan);
        assert_eq!(std::sync::Arc::strong_count(&text), 1);
    }
}
