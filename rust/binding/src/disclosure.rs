//! What must not leave a run.

use crate::detached;
use crate::refusal::unwrap;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::sync::{Mutex, PoisonError};
use survey_core::disclosure::{self, BackgroundScan, Disclosure, Scanned};

/// `(rule, pointer, is_name, sha256)`
type Finding = (&'static str, String, bool, String);

/// Each of the first `most` disclosures.
#[pyfunction]
pub(crate) fn disclosures(
    py: Python<'_>,
    raw: &[u8],
    most: usize,
    max_bytes: usize,
) -> PyResult<Vec<Finding>> {
    let found = unwrap(
        py,
        detached(py, raw.len(), || {
            disclosure::disclosures(raw, most, max_bytes)
        }),
    )?;
    Ok(findings(found))
}

/// Scans the parts of one document on a thread of its own; they are canonical text already.
#[pyclass(frozen, module = "survey_fast._core")]
pub(crate) struct DisclosureScanner {
    scan: Mutex<BackgroundScan<PyBackedBytes>>,
}

#[pymethods]
impl DisclosureScanner {
    /// Looks for `most` disclosures in each part.
    #[new]
    fn new(most: usize) -> Self {
        Self {
            scan: Mutex::new(BackgroundScan::new(most)),
        }
    }

    /// Hands in a part, and gives what was found in those that were scanned meanwhile, in order.
    fn hand_in(&self, py: Python<'_>, text: PyBackedBytes) -> PyResult<Vec<Vec<Finding>>> {
        told(py, self.with(py, |scan| scan.hand_in(text)))
    }

    /// Gives what was found in the parts that remain. The thread ends.
    fn rest(&self, py: Python<'_>) -> PyResult<Vec<Vec<Finding>>> {
        told(py, self.with(py, BackgroundScan::rest))
    }
}

impl DisclosureScanner {
    fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut BackgroundScan<PyBackedBytes>) -> R + Send,
    ) -> R {
        py.detach(|| work(&mut self.scan.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

fn told(py: Python<'_>, scanned: Vec<Scanned<PyBackedBytes>>) -> PyResult<Vec<Vec<Finding>>> {
    scanned
        .into_iter()
        .map(|(_, found)| Ok(findings(unwrap(py, found)?)))
        .collect()
}

fn findings(found: Vec<Disclosure>) -> Vec<Finding> {
    found
        .into_iter()
        .map(|one| (one.rule, one.pointer, one.is_name, one.sha256))
        .collect()
}

/// The version of the corpus, and the names of its rules.
#[pyfunction]
pub(crate) fn disclosure_corpus() -> (&'static str, Vec<&'static str>) {
    (disclosure::CORPUS, disclosure::rule_names())
}
