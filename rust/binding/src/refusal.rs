//! A refusal of the core becomes the exception that `survey_fast.errors` names for its code.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use survey_core::error::Checked;
use survey_core::{Code, Refusal};

/// Every code the core can refuse with.
#[pyfunction]
pub(crate) fn refusal_codes() -> Vec<&'static str> {
    Code::ALL.iter().map(|code| code.as_str()).collect()
}

/// The exception for `refusal`.
pub(crate) fn raise(py: Python<'_>, refusal: &Refusal) -> PyErr {
    build(py, refusal).unwrap_or_else(|failure| failure)
}

fn build(py: Python<'_>, refusal: &Refusal) -> PyResult<PyErr> {
    let details = PyDict::new(py);
    if let Some(offset) = refusal.offset {
        details.set_item("offset", offset)?;
    }
    let make = py.import("survey_fast.errors")?.getattr("refusal")?;
    let arguments = (
        refusal.code.as_str(),
        refusal.message.as_ref(),
        refusal.pointer.as_str(),
        details,
    );
    Ok(PyErr::from_value(make.call1(arguments)?))
}

/// The value, or the exception.
pub(crate) fn unwrap<T>(py: Python<'_>, checked: Checked<T>) -> PyResult<T> {
    checked.map_err(|refusal| raise(py, &refusal))
}

/// The text of a Python string, which may hold half of a surrogate pair.
pub(crate) fn text<'a>(value: &'a Bound<'_, PyString>) -> PyResult<&'a str> {
    value.to_str().map_err(|_| {
        let message = "half of a surrogate pair is no character";
        let refusal = Refusal {
            code: Code::JsonLoneSurrogate,
            pointer: String::new(),
            offset: None,
            message: message.into(),
        };
        raise(value.py(), &refusal)
    })
}

/// The refusal of a call that no caller should make.
pub(crate) fn misuse(message: String) -> PyErr {
    PyTypeError::new_err(message)
}
