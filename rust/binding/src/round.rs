//! Stored rounds: the chained lines of a log, and the outline of a queue.

use crate::detached;
use crate::refusal::unwrap;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use survey_core::{chain, round};

/// `(count, end, head, events)`, or `(line, offset, why)` of the line that does not follow.
type Lines<'py> = (
    Option<(u64, usize, String, Bound<'py, PyBytes>)>,
    Option<(u64, usize, &'static str)>,
);

/// Lines of `data` from `offset` to `end`, `count` lines and the digest `head` standing before.
#[pyfunction]
pub(crate) fn chained_lines<'py>(
    py: Python<'py>,
    data: &[u8],
    offset: usize,
    end: usize,
    count: u64,
    head: &str,
) -> Lines<'py> {
    let start = chain::Start {
        offset,
        count,
        head,
    };
    match detached(py, data.len(), || chain::committed(data, &start, end)) {
        Ok(found) => {
            let events = PyBytes::new(py, &found.events);
            (Some((found.count, found.end, found.head, events)), None)
        }
        Err(broken) => (None, Some((broken.line, broken.offset, broken.why))),
    }
}

/// A stored queue that was read once; Python takes of it what it needs.
#[pyclass(frozen, module = "survey_fast._core")]
pub(crate) struct StoredQueue {
    round: round::Round,
}

#[pymethods]
impl StoredQueue {
    #[getter]
    fn digest(&self) -> &str {
        self.round.digest()
    }

    #[getter]
    fn outline<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.round.outline())
    }

    #[getter]
    fn rest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.round.rest())
    }

    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.round.text())
    }

    fn holds(&self, items: &[u8]) -> bool {
        self.round.holds(items)
    }
}

/// Reads a snapshot.
#[pyfunction]
#[pyo3(signature = (raw, max_bytes, threads = 0))]
pub(crate) fn stored_queue(
    py: Python<'_>,
    raw: &[u8],
    max_bytes: usize,
    threads: usize,
) -> PyResult<StoredQueue> {
    let read = detached(py, raw.len(), || round::read(raw, max_bytes, threads));
    Ok(StoredQueue {
        round: unwrap(py, read)?,
    })
}
