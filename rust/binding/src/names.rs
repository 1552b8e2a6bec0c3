//! Lists of names: order and two-way comparison.

use crate::refusal::text;
use pyo3::prelude::*;
use pyo3::types::PyString;

fn texts<'a>(names: &'a [Bound<'_, PyString>]) -> PyResult<Vec<&'a str>> {
    names.iter().map(text).collect()
}

/// `(missing, unexpected, repeated)` of `left` against `right`.
#[pyfunction]
pub(crate) fn compare_names(
    left: Vec<Bound<'_, PyString>>,
    right: Vec<Bound<'_, PyString>>,
) -> PyResult<(Vec<String>, Vec<String>, Vec<String>)> {
    let difference = survey_core::names::compare(&texts(&left)?, &texts(&right)?);
    Ok((
        difference.missing,
        difference.unexpected,
        difference.repeated,
    ))
}

/// The names sorted by UTF-16 code unit.
#[pyfunction]
pub(crate) fn sort_names(names: Vec<Bound<'_, PyString>>) -> PyResult<Vec<String>> {
    let mut sorted: Vec<String> = texts(&names)?.into_iter().map(str::to_owned).collect();
    survey_core::names::sort(&mut sorted);
    Ok(sorted)
}
