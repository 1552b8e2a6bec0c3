//! Canonical JSON and digests.

use crate::detached;
use crate::refusal::{text, unwrap};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use survey_core::canonical::{self, Rules};
use survey_core::document::{self, Profile};

/// The profile of that name.
pub(crate) fn profile(name: &str) -> PyResult<Profile> {
    match name {
        "jcs" => Ok(Profile::Jcs),
        "collated" => Ok(Profile::Collated),
        "as-stored" => Ok(Profile::AsStored),
        other => Err(PyValueError::new_err(format!(
            "no canonical profile is called {other:?}; there are jcs, collated and as-stored"
        ))),
    }
}

/// The name of a profile.
pub(crate) const fn profile_name(profile: Profile) -> &'static str {
    match profile {
        Profile::Jcs => "jcs",
        Profile::Collated => "collated",
        Profile::AsStored => "as-stored",
    }
}

#[pyfunction]
#[pyo3(signature = (raw, profile, lossless, max_bytes, threads = 0))]
pub(crate) fn canonical_json<'py>(
    py: Python<'py>,
    raw: &[u8],
    profile: &str,
    lossless: bool,
    max_bytes: usize,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let rules = Rules {
        profile: self::profile(profile)?,
        lossless,
        max_bytes,
        threads,
    };
    let text = unwrap(
        py,
        detached(py, raw.len(), || canonical::canonical_bytes(raw, &rules)),
    )?;
    Ok(PyBytes::new(py, &text))
}

#[pyfunction]
#[pyo3(signature = (raw, profile, lossless, max_bytes, threads = 0))]
pub(crate) fn canonical_digest(
    py: Python<'_>,
    raw: &[u8],
    profile: &str,
    lossless: bool,
    max_bytes: usize,
    threads: usize,
) -> PyResult<String> {
    let rules = Rules {
        profile: self::profile(profile)?,
        lossless,
        max_bytes,
        threads,
    };
    unwrap(
        py,
        detached(py, raw.len(), || canonical::canonical_digest(raw, &rules)),
    )
}

#[pyfunction]
pub(crate) fn sha256_hex(py: Python<'_>, raw: &[u8]) -> String {
    detached(py, raw.len(), || survey_core::digest::sha256_hex([raw]))
}

/// The canonical texts (`jcs`) of some members of an object, `None` for those it lacks.
#[pyfunction]
#[pyo3(signature = (raw, names, max_bytes, threads = 0))]
pub(crate) fn member_texts<'py>(
    py: Python<'py>,
    raw: &[u8],
    names: Vec<Bound<'_, PyString>>,
    max_bytes: usize,
    threads: usize,
) -> PyResult<Vec<Option<Bound<'py, PyBytes>>>> {
    let rules = Rules {
        max_bytes,
        threads,
        ..Rules::default()
    };
    let canonical = unwrap(
        py,
        detached(py, raw.len(), || canonical::canonical_bytes(raw, &rules)),
    )?;
    let names = names.iter().map(text).collect::<PyResult<Vec<&str>>>()?;
    let found = unwrap(py, document::member_texts(&canonical, &names))?;
    Ok(found
        .into_iter()
        .map(|member| member.map(|member| PyBytes::new(py, member)))
        .collect())
}
