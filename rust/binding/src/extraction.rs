//! What an extraction run needs at scale: drafts grounded in the text, the envelope judged as
//! its producer must, identities of its proposals.

use crate::detached;
use crate::import::{Caps, limits};
use crate::refusal::unwrap;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use survey_core::envelope::Level;
use survey_core::grounding::ground;
use survey_core::identities::{self, identities};
use survey_core::import;

/// The answers to an array of drafts, in order: places and facts, or why a draft was dropped.
#[pyfunction]
#[pyo3(signature = (prepared, drafts, caps, threads = 0))]
pub(crate) fn resolve_proposals<'py>(
    py: Python<'py>,
    prepared: &[u8],
    drafts: &[u8],
    caps: Caps,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let size = prepared.len() + drafts.len();
    let answers = detached(py, size, || {
        ground(prepared, drafts, &limits(caps), threads)
    });
    Ok(PyBytes::new(py, &unwrap(py, answers)?))
}

/// The canonical text of an envelope that is valid at `level`.
#[pyfunction]
#[pyo3(signature = (envelope, level, caps, threads = 0))]
pub(crate) fn validate_envelope<'py>(
    py: Python<'py>,
    envelope: &[u8],
    level: &str,
    caps: Caps,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let level = match level {
        "import" => Level::Import,
        "produce" => Level::Produce,
        other => {
            return Err(PyValueError::new_err(format!(
                "no level is called {other:?}; there are import and produce"
            )));
        }
    };
    let text = detached(py, envelope.len(), || {
        import::validated_envelope(envelope, level, &limits(caps), threads)
    });
    Ok(PyBytes::new(py, &unwrap(py, text)?))
}

/// `(slot id, version id)` of every proposal of an envelope.
#[pyfunction]
#[pyo3(signature = (envelope, keys, caps, threads = 0))]
pub(crate) fn proposal_identities(
    py: Python<'_>,
    envelope: &[u8],
    keys: Option<&[u8]>,
    caps: Caps,
    threads: usize,
) -> PyResult<Vec<(String, String)>> {
    let found = detached(py, envelope.len(), || {
        identities(envelope, keys, &limits(caps), threads)
    });
    let pair = |identities::Identity { slot, version }| (slot, version);
    Ok(unwrap(py, found)?.into_iter().map(pair).collect())
}
