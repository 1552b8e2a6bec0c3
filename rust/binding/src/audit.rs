//! The audit draw over a list of names.

use crate::refusal::{raise, text, unwrap};
use pyo3::prelude::*;
use pyo3::types::PyString;
use survey_core::draw::Draw;
use survey_core::error::Path;
use survey_core::{Code, Refusal};

/// Places of the names that the draw includes, in the order of `names`.
#[pyfunction]
#[pyo3(signature = (names, rate, seed, threads = 0))]
pub(crate) fn audit_draw(
    py: Python<'_>,
    names: Vec<Bound<'_, PyString>>,
    rate: f64,
    seed: &Bound<'_, PyString>,
    threads: usize,
) -> PyResult<Vec<usize>> {
    let draw = unwrap(py, Draw::new(rate, text(seed)?))?;
    let texts = names.iter().map(text).collect::<PyResult<Vec<&str>>>()?;
    draw.places(&texts, threads).map_err(|place| {
        let name = texts.get(place).copied().unwrap_or_default();
        let message = format!("{name:?} stands twice, so the sample would be ambiguous");
        let at = Path::Root;
        raise(
            py,
            &Refusal::at(Code::AmbiguousItemIdentity, &at.index(place), message),
        )
    })
}
