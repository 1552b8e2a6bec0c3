//! Stored rounds: the chained lines of a log, the outline of a queue, what a queue derives from,
//! and whether a history is sound.

use crate::detached;
use crate::import::{Caps, limits};
use crate::refusal::{misuse, unwrap};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use survey_core::import::{Options, Targets};
use survey_core::{chain, derived_round as derived, history, round};

/// `(count, end, head)`, or `(line, offset, why)` of the line that does not follow.
type Lines = (
    Option<(u64, usize, String)>,
    Option<(u64, usize, &'static str)>,
);

/// Lines of `data` from `offset` to `end`, `count` lines and the digest `head` standing before.
#[pyfunction]
pub(crate) fn chained_lines(
    py: Python<'_>,
    data: &[u8],
    offset: usize,
    end: usize,
    count: u64,
    head: &str,
) -> Lines {
    let start = chain::Start {
        offset,
        count,
        head,
    };
    let size = end.saturating_sub(offset);
    match detached(py, size, || chain::committed(data, &start, end)) {
        Ok(found) => (Some((found.count, found.end, found.head)), None),
        Err(broken) => (None, Some((broken.line, broken.offset, broken.why))),
    }
}

/// The array of the events on the committed lines of `data` from `offset` on.
#[pyfunction]
pub(crate) fn line_events<'py>(
    py: Python<'py>,
    data: &[u8],
    offset: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let lines = data.get(offset..).unwrap_or_default();
    let events = detached(py, lines.len(), || chain::events(lines));
    let events = events.ok_or_else(|| misuse("these are no committed lines".to_owned()))?;
    Ok(PyBytes::new(py, &events))
}

/// A stored queue that was read once; Python takes of it what it needs.
#[pyclass(frozen, module = "survey_fast._core")]
pub(crate) struct StoredQueue {
    raw: Py<PyBytes>,
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
    fn text(&self, py: Python<'_>) -> Py<PyBytes> {
        let raw = self.raw.as_bytes(py);
        let text = self.round.text(raw);
        if text.len() == raw.len() {
            return self.raw.clone_ref(py);
        }
        PyBytes::new(py, text).unbind()
    }

    /// The canonical text of each item.
    fn item_texts<'py>(&self, py: Python<'py>) -> Option<Vec<Bound<'py, PyBytes>>> {
        let texts = self.round.item_texts(self.raw.as_bytes(py))?;
        Some(texts.iter().map(|text| PyBytes::new(py, text)).collect())
    }

    fn names(&self) -> Option<Vec<String>> {
        self.round.names()
    }

    fn holds(&self, py: Python<'_>, items: &[u8]) -> bool {
        self.round.items(self.raw.as_bytes(py)) == Some(items)
    }

    /// Places of the edits of a history that is sound but for these; None where that is not known.
    #[pyo3(signature = (lines, session, conditions, longest, threads = 0))]
    fn edits_of_sound(
        &self,
        py: Python<'_>,
        lines: &[u8],
        session: &[u8],
        conditions: Option<&[u8]>,
        longest: usize,
        threads: usize,
    ) -> Option<Vec<usize>> {
        let session = history::Session {
            name: session,
            conditions,
            longest,
        };
        detached(py, lines.len(), || {
            history::edits_of_sound(&self.round, lines, &session, threads)
        })
    }
}

/// Reads a snapshot.
#[pyfunction]
#[pyo3(signature = (raw, max_bytes, threads = 0))]
pub(crate) fn stored_queue(
    raw: Bound<'_, PyBytes>,
    max_bytes: usize,
    threads: usize,
) -> PyResult<StoredQueue> {
    let (py, text) = (raw.py(), raw.as_bytes());
    let read = detached(py, text.len(), || round::read(text, max_bytes, threads));
    Ok(StoredQueue {
        round: unwrap(py, read)?,
        raw: raw.unbind(),
    })
}

/// A queue and the envelope that it derives from.
#[pyclass(frozen, module = "survey_fast._core")]
pub(crate) struct DerivedRound {
    #[pyo3(get)]
    queue: Py<StoredQueue>,
    envelope: Py<PyBytes>,
    known: Known,
}

/// What is known but for the queue.
struct Known {
    envelope_digest: String,
    told: derived::Told,
    status: Vec<u8>,
    text: Option<(String, usize)>,
    record: derived::Record,
}

#[pymethods]
impl DerivedRound {
    #[getter]
    fn envelope_digest(&self) -> &str {
        &self.known.envelope_digest
    }

    /// Source, outcome, prepared artifact and its state, as the envelope tells them.
    #[getter]
    fn told<'py>(&self, py: Python<'py>) -> [Option<Bound<'py, PyBytes>>; 4] {
        let told = &self.known.told;
        [
            &told.source,
            &told.outcome,
            &told.artifact,
            &told.artifact_state,
        ]
        .map(|part| part.as_ref().map(|text| PyBytes::new(py, text)))
    }

    #[getter]
    const fn proposals(&self) -> usize {
        self.known.told.proposals
    }

    #[getter]
    fn status<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.known.status)
    }

    /// SHA-256 of the prepared text, and its UTF-16 code units.
    #[getter]
    fn text(&self) -> Option<(&str, usize)> {
        let (digest, units) = self.known.text.as_ref()?;
        Some((digest, *units))
    }

    /// The import record.
    #[getter]
    fn record<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let record = self.known.record.text(self.envelope.as_bytes(py));
        PyBytes::new(py, &record)
    }

    /// The derived items.
    #[getter]
    fn items<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let queue = self.queue.get();
        let items = queue.round.items(queue.raw.as_bytes(py));
        PyBytes::new(py, items.unwrap_or_default())
    }
}

/// What is known of a queue and an envelope when the one is what the other derives, both canonical.
/// None when they are not, or not said to be.
#[pyfunction]
#[pyo3(signature = (queue, envelope, prepared, source_kind, targets, import_name, producer_namespace, bound_status, caps, threads = 0))]
#[expect(
    clippy::too_many_arguments,
    reason = "one crossing of the boundary; the Python side names every argument"
)]
pub(crate) fn derived_round(
    queue: Bound<'_, PyBytes>,
    envelope: Bound<'_, PyBytes>,
    prepared: Option<&[u8]>,
    source_kind: &str,
    targets: &[u8],
    import_name: &str,
    producer_namespace: &str,
    bound_status: Option<&[u8]>,
    caps: Caps,
    threads: usize,
) -> PyResult<Option<DerivedRound>> {
    let py = queue.py();
    let parts = derived::Parts {
        queue: queue.as_bytes(),
        envelope: envelope.as_bytes(),
        prepared,
        options: Options {
            source_kind,
            targets: Targets::ByField(targets),
            import_name: Some(import_name),
            producer_namespace: Some(producer_namespace),
            artifact: None,
            bound_status,
            limits: limits(caps),
            threads,
        },
    };
    let size = parts.queue.len() + parts.envelope.len();
    let Some(found) = detached(py, size, || derived::derived_round(&parts)) else {
        return Ok(None);
    };
    let stored = StoredQueue {
        raw: queue.clone().unbind(),
        round: found.round,
    };
    Ok(Some(DerivedRound {
        queue: Py::new(py, stored)?,
        envelope: envelope.clone().unbind(),
        known: Known {
            envelope_digest: found.envelope_digest,
            told: found.told,
            status: found.status,
            text: found.text,
            record: found.record,
        },
    }))
}
