//! Envelope import and what derives from a record.

use crate::detached;
use crate::refusal::{misuse, text, unwrap};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use survey_core::citation;
use survey_core::import::{self, Imported, Items, Options, Targets, with_record};
use survey_core::limits::Limits;
use survey_core::span::SpanIndex;

/// `(envelope bytes, queue bytes, items, candidates)`, as `limits.py` resolves them.
pub(crate) type Caps = (usize, usize, usize, usize);

pub(crate) const fn limits(caps: Caps) -> Limits {
    let (envelope_bytes, queue_bytes, items, candidates) = caps;
    Limits {
        envelope_bytes,
        queue_bytes,
        items,
        candidates,
    }
}

/// `(record, items)` of the import of `envelope`.
#[pyfunction]
#[pyo3(signature = (envelope, source_kind, targets, targets_by, import_name, producer_namespace, artifact, bound_status, caps, threads = 0))]
#[expect(
    clippy::too_many_arguments,
    reason = "one crossing of the boundary; the Python side names every argument"
)]
pub(crate) fn import_envelope<'py>(
    py: Python<'py>,
    envelope: &[u8],
    source_kind: &Bound<'_, PyString>,
    targets: &[u8],
    targets_by: &str,
    import_name: Option<Bound<'_, PyString>>,
    producer_namespace: Option<Bound<'_, PyString>>,
    artifact: Option<&[u8]>,
    bound_status: Option<&[u8]>,
    caps: Caps,
    threads: usize,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let targets = match targets_by {
        "field" => Targets::ByField(targets),
        "index" => Targets::Aligned(targets),
        other => {
            return Err(misuse(format!(
                "claim targets go by field or by index, not by {other:?}"
            )));
        }
    };
    let options = Options {
        source_kind: text(source_kind)?,
        targets,
        import_name: import_name.as_ref().map(text).transpose()?,
        producer_namespace: producer_namespace.as_ref().map(text).transpose()?,
        artifact,
        bound_status,
        limits: limits(caps),
        threads,
    };
    let Imported { record, items } = unwrap(
        py,
        detached(py, envelope.len(), || {
            import::import_envelope(envelope, &options)
        }),
    )?;
    Ok((PyBytes::new(py, &record), array(py, &items)?))
}

/// Checks an envelope; the number of its proposals.
#[pyfunction]
#[pyo3(signature = (envelope, caps, threads = 0))]
pub(crate) fn check_envelope(
    py: Python<'_>,
    envelope: &[u8],
    caps: Caps,
    threads: usize,
) -> PyResult<usize> {
    unwrap(
        py,
        detached(py, envelope.len(), || {
            import::check_envelope(envelope, &limits(caps), threads)
        }),
    )
}

/// The canonical text of a record that validates.
#[pyfunction]
#[pyo3(signature = (record, caps, threads = 0))]
pub(crate) fn check_record<'py>(
    py: Python<'py>,
    record: &[u8],
    caps: Caps,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let caps = limits(caps);
    let checked = detached(py, record.len(), || {
        with_record(record, &caps, threads, |text, _| Ok(text.to_vec()))
    });
    Ok(PyBytes::new(py, &unwrap(py, checked)?))
}

/// The canonical array of the items a record derives.
#[pyfunction]
#[pyo3(signature = (record, caps, threads = 0))]
pub(crate) fn record_items<'py>(
    py: Python<'py>,
    record: &[u8],
    caps: Caps,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let caps = limits(caps);
    let derived = detached(py, record.len(), || {
        with_record(record, &caps, threads, |_, record| {
            record.review_items(&caps, threads)
        })
    });
    array(py, &unwrap(py, derived)?)
}

/// The canonical array of items, copied once.
fn array<'py>(py: Python<'py>, items: &Items) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, items.size(), |target| {
        let mut rest = target;
        for piece in items.pieces() {
            let (here, after) = rest.split_at_mut(piece.len());
            here.copy_from_slice(piece);
            rest = after;
        }
        Ok(())
    })
}

/// Proposals that a record's import left out, ascending.
#[pyfunction]
pub(crate) fn excluded_proposals(
    py: Python<'_>,
    record: &[u8],
    caps: Caps,
) -> PyResult<Vec<usize>> {
    let caps = limits(caps);
    unwrap(
        py,
        with_record(record, &caps, 1, |_, record| {
            Ok(record.status.excluded.clone())
        }),
    )
}

/// The identity hash of one proposal of a record.
#[pyfunction]
pub(crate) fn resolution_base(
    py: Python<'_>,
    record: &[u8],
    index: usize,
    caps: Caps,
) -> PyResult<String> {
    let caps = limits(caps);
    unwrap(
        py,
        with_record(record, &caps, 1, |_, record| record.resolution_base(index)),
    )
}

/// For each `(start, end, excerpt)` in UTF-16 code units: whether `prepared` reads so there.
#[pyfunction]
pub(crate) fn span_matches(
    prepared: &Bound<'_, PyString>,
    spans: Vec<(usize, usize, Bound<'_, PyString>)>,
) -> PyResult<Vec<bool>> {
    let index = SpanIndex::new(text(prepared)?);
    spans
        .iter()
        .map(|(start, end, excerpt)| Ok(index.matches(*start, *end, text(excerpt)?)))
        .collect()
}

/// `(digest, [(canonical text, whether it is sound)])` of a record and its proposals.
type Cited<'py> = (String, Vec<(Bound<'py, PyBytes>, bool)>);

/// Reads a record for the evidence that cites it.
#[pyfunction]
pub(crate) fn cited_record<'py>(
    py: Python<'py>,
    record: &[u8],
    max_bytes: usize,
) -> PyResult<Cited<'py>> {
    let cited = unwrap(
        py,
        detached(py, record.len(), || citation::read(record, max_bytes)),
    )?;
    let proposals = cited
        .proposals
        .iter()
        .map(|one| (PyBytes::new(py, cited.text_of(one)), one.is_sound))
        .collect();
    Ok((cited.digest, proposals))
}
