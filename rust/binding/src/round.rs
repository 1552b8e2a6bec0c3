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

/// `(digest, is_expected, outline)` of a snapshot.
#[pyfunction]
#[pyo3(signature = (raw, items, max_bytes, threads = 0))]
pub(crate) fn round_outline<'py>(
    py: Python<'py>,
    raw: &[u8],
    items: &[u8],
    max_bytes: usize,
    threads: usize,
) -> PyResult<(String, bool, Bound<'py, PyBytes>)> {
    let found = unwrap(
        py,
        detached(py, raw.len(), || {
            round::outline(raw, items, max_bytes, threads)
        }),
    )?;
    let text = PyBytes::new(py, &found.text);
    Ok((found.digest, found.is_expected, text))
}
