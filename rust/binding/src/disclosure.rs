//! What must not leave a run.

use crate::detached;
use crate::refusal::unwrap;
use pyo3::prelude::*;
use survey_core::disclosure;

/// `(rule, pointer, is_name, sha256)` for each of the first `most` disclosures.
#[pyfunction]
pub(crate) fn disclosures(
    py: Python<'_>,
    raw: &[u8],
    most: usize,
    max_bytes: usize,
) -> PyResult<Vec<(&'static str, String, bool, String)>> {
    let found = unwrap(
        py,
        detached(py, raw.len(), || {
            disclosure::disclosures(raw, most, max_bytes)
        }),
    )?;
    Ok(found
        .into_iter()
        .map(|one| (one.rule, one.pointer, one.is_name, one.sha256))
        .collect())
}

/// The version of the corpus, and the names of its rules.
#[pyfunction]
pub(crate) fn disclosure_corpus() -> (&'static str, Vec<&'static str>) {
    (disclosure::CORPUS, disclosure::rule_names())
}
